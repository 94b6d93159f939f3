//! Examples of a run -> what can be opened and read, as much as fits on the page.

use super::compare::legend;
use super::marked_text::{Titled, marked_texts};
use crate::numbers::{count, shortened, similarity};
use lookalike::passages::compare;
use lookalike::shingling::Shingler;
use maud::{Markup, html};

/// Characters of an id or a place that are shown.
const NAME: usize = 160;

/// A document, its text shortened by the caller if it is long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExampleText {
    /// Its id.
    pub id: String,
    /// Where it stands: `part-3.jsonl:120`; may be empty.
    pub place: String,
    /// The text, or its beginning.
    pub text: String,
    /// Whether that is not all of it.
    pub is_cut: bool,
}

/// Two documents of some similarity.
#[derive(Debug, Clone, PartialEq)]
pub struct PairExample {
    /// The first: the kept one, where one was kept.
    pub a: ExampleText,
    /// The second.
    pub b: ExampleText,
    /// Their similarity, of the whole texts.
    pub similarity: f64,
    /// What became of them, in a few words; may be empty.
    pub note: String,
}

/// A cluster of near-duplicates.
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterExample {
    /// How many documents it has, the kept one included.
    pub size: u64,
    /// The kept document.
    pub kept: ExampleText,
    /// Removed ones: all, or some.
    pub members: Vec<Member>,
}

/// A document that was removed.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// The document.
    pub document: ExampleText,
    /// Its similarity to the kept one; NaN if it is not known.
    pub similarity: f64,
    /// Why: `near`, `exact`, `unverified`.
    pub kind: String,
}

/// Examples of one kind.
pub(super) struct Shelf<'d> {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    pub(super) about: String,
    pub(super) examples: Vec<Example<'d>>,
}

/// One that can be opened.
#[derive(Clone, Copy)]
pub(super) enum Example<'d> {
    Cluster(&'d ClusterExample),
    Pair(&'d PairExample),
}

/// What the shelves show in at most `budget` bytes: one example of each in turn, as long as the next one fits.
pub(super) fn shelves(shelves: &[Shelf<'_>], shingler: &Shingler, budget: usize) -> Markup {
    let mut rendered: Vec<Vec<Markup>> = vec![Vec::new(); shelves.len()];
    let mut left = budget;
    let most = shelves.iter().map(|shelf| shelf.examples.len()).max().unwrap_or(0);
    for at in 0..most {
        for (shelf, shown) in shelves.iter().zip(&mut rendered) {
            let Some(example) = shelf.examples.get(at).filter(|example| example.least_bytes() <= left) else {
                continue;
            };
            let markup = example.render(&format!("{}{at}", shelf.id), shingler);
            if let Some(rest) = left.checked_sub(markup.0.len()) {
                left = rest;
                shown.push(markup);
            }
        }
    }
    html! {
        @for (shelf, shown) in shelves.iter().zip(&rendered) {
            @if !shelf.examples.is_empty() {
                section id=(shelf.id) class="shelf" {
                    h2 { (shelf.title) }
                    p { (shelf.about) }
                    @if at_first(shelf, shelves) { (legend()) }
                    @for markup in shown { (markup) }
                    @if shown.len() < shelf.examples.len() {
                        p class="muted" {
                            (count((shelf.examples.len() - shown.len()) as u64)) " more left out, to keep the page small."
                        }
                    }
                }
            }
        }
    }
}

fn at_first(shelf: &Shelf<'_>, shelves: &[Shelf<'_>]) -> bool {
    shelves.iter().find(|other| !other.examples.is_empty()).is_some_and(|first| first.id == shelf.id)
}

impl Example<'_> {
    /// Bytes that it takes at least: those of its texts.
    fn least_bytes(self) -> usize {
        match self {
            Self::Cluster(ClusterExample { kept, members, .. }) => members
                .iter()
                .map(|member| kept.text.len() + member.document.text.len())
                .sum::<usize>()
                .max(1),
            Self::Pair(PairExample { a, b, .. }) => (a.text.len() + b.text.len()).max(1),
        }
    }

    fn render(self, id: &str, shingler: &Shingler) -> Markup {
        match self {
            Self::Cluster(cluster) => render_cluster(cluster, id, shingler),
            Self::Pair(pair) => render_pair(pair, id, shingler),
        }
    }
}

fn render_cluster(cluster: &ClusterExample, id: &str, shingler: &Shingler) -> Markup {
    let similarities = || cluster.members.iter().map(|member| member.similarity).filter(|it| !it.is_nan());
    let range = similarities().fold(None, |range: Option<(f64, f64)>, value| {
        Some(range.map_or((value, value), |(least, most)| (least.min(value), most.max(value))))
    });
    let others = cluster.size.saturating_sub(1).saturating_sub(cluster.members.len() as u64);
    html! {
        details class="example" {
            summary {
                span class="badge" { (count(cluster.size)) " documents" }
                span class="name" { (shortened(&cluster.kept.id, NAME)) }
                @if let Some((least, most)) = range {
                    span class="muted" { (similarity(least)) @if least < most { " to " (similarity(most)) } }
                }
            }
            p class="muted" { "Kept: " b { (shortened(&cluster.kept.id, NAME)) } " " (shortened(&cluster.kept.place, NAME)) }
            @for (at, member) in cluster.members.iter().enumerate() {
                details class="member" {
                    summary {
                        span class="name" { (shortened(&member.document.id, NAME)) }
                        span class="muted" { (shortened(&member.kind, NAME))
                            @if !member.similarity.is_nan() { " · " (similarity(member.similarity)) }
                        }
                    }
                    (texts(&format!("{id}m{at}"), &cluster.kept, &member.document, shingler))
                }
            }
            @if others > 0 { p class="muted" { "and " (count(others)) " more" } }
        }
    }
}

fn render_pair(pair: &PairExample, id: &str, shingler: &Shingler) -> Markup {
    html! {
        details class="example" {
            summary {
                span class="badge" { (similarity(pair.similarity)) }
                span class="name" { (shortened(&pair.a.id, NAME)) " " span class="muted" { "and" } " " (shortened(&pair.b.id, NAME)) }
                @if !pair.note.is_empty() { span class="muted" { (shortened(&pair.note, NAME)) } }
            }
            (texts(id, &pair.a, &pair.b, shingler))
        }
    }
}

/// Two documents side by side. What they share is looked for in what is shown of them.
fn texts(id: &str, a: &ExampleText, b: &ExampleText, shingler: &Shingler) -> Markup {
    let names = [a, b].map(|text| (shortened(&text.id, NAME), shortened(&text.place, NAME)));
    let show = |at: usize, text| Titled { title: &names[at].0, place: &names[at].1, text };
    html! {
        @match compare(&a.text, &b.text, shingler) {
            Ok(comparison) => (marked_texts(id, show(0, &a.text), show(1, &b.text), &comparison)),
            Err(error) => p class="note" { (error) },
        }
        @if a.is_cut || b.is_cut {
            p class="muted" { "The beginnings of the texts; a similarity is that of the whole ones." }
        }
    }
}
