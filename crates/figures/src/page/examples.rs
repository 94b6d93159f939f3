//! Examples of a run -> parts of the page that can be opened. As many are shown as fit on the page.

use super::compare::legend;
use super::facts;
use super::marked_text::{Titled, marked_texts};
use crate::numbers::{count, shortened, similarity};
use lookalike::passages::compare;
use lookalike::shingling::Shingler;
use maud::{Markup, html};

/// At most this many characters of an id or a location are shown.
const NAME: usize = 160;
/// At most this many characters of a value are shown.
const VALUE: usize = 600;
/// At most this many items of a set are listed.
const ITEMS: usize = 100;

/// A document. The caller shortens its text if it is long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExampleText {
    /// Its id.
    pub id: String,
    /// Its location, as in `part-3.jsonl:120`; may be empty.
    pub place: String,
    /// The text, or its beginning.
    pub text: String,
    /// True if `text` is only the beginning.
    pub is_cut: bool,
}

/// Two documents of some similarity.
#[derive(Debug, Clone, PartialEq)]
pub struct PairExample {
    /// The first document: the kept one, if one of the two was removed.
    pub a: ExampleText,
    /// The second document.
    pub b: ExampleText,
    /// The similarity of the whole texts.
    pub similarity: f64,
    /// What happened to the documents, in a few words; may be empty.
    pub note: String,
    /// What is shown of documents that are no texts, instead of shared passages.
    pub values: Option<ValueExample>,
}

/// What two documents that are no texts have in common.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ValueExample {
    /// What stands beside the names of the documents: `distance 3`; empty for the similarity.
    pub badge: String,
    /// Facts by name: the distance, the angle.
    pub facts: Vec<(String, String)>,
    /// The items that both sets have, as they are written.
    pub shared: Vec<String>,
    /// The items that only the first has, and those that only the second has.
    pub only: [Vec<String>; 2],
}

/// A cluster of near-duplicates.
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterExample {
    /// The number of documents in it, including the kept one.
    pub size: u64,
    /// The kept document.
    pub kept: ExampleText,
    /// All or some of the removed documents.
    pub members: Vec<Member>,
}

/// A document that was removed.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// The document.
    pub document: ExampleText,
    /// Its similarity to the kept document; NaN if unknown.
    pub similarity: f64,
    /// Why it was removed: `near`, `exact`, `unverified`.
    pub kind: String,
    /// What is shown of documents that are no texts, instead of shared passages.
    pub values: Option<ValueExample>,
}

/// A section of the page with examples of one kind.
pub(super) struct Shelf<'d> {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    pub(super) about: String,
    pub(super) examples: Vec<Example<'d>>,
}

/// An example that can be opened.
#[derive(Clone, Copy)]
pub(super) enum Example<'d> {
    Cluster(&'d ClusterExample),
    Pair(&'d PairExample),
}

/// The shelves with their examples, in at most `budget` bytes. Shelves take turns in adding an example. An example
/// that does not fit is left out.
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
    /// The least number of bytes that it takes: the bytes of its texts.
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
                            @if !member.similarity.is_nan() { " · " (badge(&member.values, member.similarity)) }
                        }
                    }
                    @match &member.values {
                        Some(values) => (shown_values(values, &cluster.kept, &member.document)),
                        None => (texts(&format!("{id}m{at}"), &cluster.kept, &member.document, shingler)),
                    }
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
                span class="badge" { (badge(&pair.values, pair.similarity)) }
                span class="name" { (shortened(&pair.a.id, NAME)) " " span class="muted" { "and" } " " (shortened(&pair.b.id, NAME)) }
                @if !pair.note.is_empty() { span class="muted" { (shortened(&pair.note, NAME)) } }
            }
            @match &pair.values {
                Some(values) => (shown_values(values, &pair.a, &pair.b)),
                None => (texts(id, &pair.a, &pair.b, shingler)),
            }
        }
    }
}

/// The similarity of a pair, or its distance.
fn badge(values: &Option<ValueExample>, of_pair: f64) -> String {
    match values {
        Some(ValueExample { badge, .. }) if !badge.is_empty() => badge.clone(),
        _ => similarity(of_pair),
    }
}

/// Two documents that are no texts: what is known of them, and for sets which items they share.
fn shown_values(values: &ValueExample, a: &ExampleText, b: &ExampleText) -> Markup {
    let ValueExample { facts: known, shared, only: [only_a, only_b], .. } = values;
    let is_set = !(shared.is_empty() && only_a.is_empty() && only_b.is_empty());
    html! {
        @if !known.is_empty() { (facts(known.iter().map(|(name, value)| (name.as_str(), value.clone())))) }
        @if is_set {
            (items("in both", shared, true))
            (items(&format!("only in {}", shortened(&a.id, NAME)), only_a, false))
            (items(&format!("only in {}", shortened(&b.id, NAME)), only_b, false))
        } @else {
            @for document in [a, b] {
                p class="muted" { (shortened(&document.id, NAME)) " " (shortened(&document.place, NAME)) }
                p { code { (shortened(&document.text, VALUE)) } }
            }
        }
    }
}

/// Some items of a set; shared ones are marked.
fn items(title: &str, items: &[String], are_shared: bool) -> Markup {
    let some = items.iter().take(ITEMS).map(|item| shortened(item, NAME));
    html! {
        @if !items.is_empty() {
            p {
                b { (count(items.len() as u64)) " " (title) } ": "
                @for (at, item) in some.enumerate() {
                    @if at > 0 { ", " }
                    @if are_shared { span class="mark" { (item) } } @else { (item) }
                }
                @if items.len() > ITEMS { span class="muted" { " and " (count((items.len() - ITEMS) as u64)) " more" } }
            }
        }
    }
}

/// Two documents side by side. Shared passages are searched for only in the part of the texts that is shown.
fn texts(id: &str, a: &ExampleText, b: &ExampleText, shingler: &Shingler) -> Markup {
    let names = [a, b].map(|text| (shortened(&text.id, NAME), shortened(&text.place, NAME)));
    let show = |at: usize, text| Titled { title: &names[at].0, place: &names[at].1, text };
    html! {
        @match compare(&a.text, &b.text, shingler) {
            Ok(comparison) => (marked_texts(id, show(0, &a.text), show(1, &b.text), &comparison)),
            Err(error) => p class="note" { (error) },
        }
        @if a.is_cut || b.is_cut {
            p class="muted" { "Only the beginnings of the texts are shown; the similarity is that of the whole texts." }
        }
    }
}
