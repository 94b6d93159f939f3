//! An answer beside the truth -> a page: how good it is at every threshold, and its worst mistakes side by side.

use super::compare::{NamedText, legend};
use super::marked_text::{Titled, marked_texts};
use super::{facts, figure, page};
use crate::numbers::{bytes, shortened};
use crate::svg::LinePlot;
use lookalike::passages::Comparison;
use maud::{Markup, html};

/// Everything that the page of an evaluation shows.
#[derive(Debug, Clone)]
pub struct EvaluationData<'t> {
    /// What was evaluated: a file or a folder.
    pub name: String,
    /// The figures, with their names.
    pub figures: Vec<(String, String)>,
    /// The scores by threshold, if the answer has similarities.
    pub curve: Option<LinePlot>,
    /// Found pairs that are not true.
    pub wrong: Mistakes<'t>,
    /// True pairs that were not found.
    pub missed: Mistakes<'t>,
}

/// Mistakes of one sort.
#[derive(Debug, Clone, Default)]
pub struct Mistakes<'t> {
    /// How many there are in all.
    pub all: u64,
    /// The worst of them.
    pub shown: Vec<MistakenPair<'t>>,
}

/// A pair that is wrong or was missed.
#[derive(Debug, Clone)]
pub struct MistakenPair<'t> {
    /// The first document; its text may be empty if it is not known.
    pub a: NamedText<'t>,
    /// The second document.
    pub b: NamedText<'t>,
    /// Their similarity, if the answer has it.
    pub similarity: Option<f64>,
    /// What the texts share, if they are known.
    pub comparison: Option<Comparison>,
}

/// At most this many characters of a document that is no text are shown.
const VALUE: usize = 600;

/// The page.
#[must_use]
pub fn evaluation_page(data: &EvaluationData<'_>) -> String {
    let name = shortened(&data.name, 120);
    let body = html! {
        main class="compare" {
            header class="top" {
                p class="kicker" { "Evaluation" }
                h1 { (name) }
            }
            (facts(data.figures.iter().map(|(name, value)| (name.as_str(), value.clone()))))
            @if let Some(curve) = &data.curve {
                (figure(&curve.svg(), &html! { "The scores if only pairs at or above a threshold counted." }))
            }
            (sort("wrong", "Found, and not true", &data.wrong))
            (sort("missed", "True, and not found", &data.missed))
        }
    };
    page(&format!("Evaluation of {name}"), &body)
}

fn sort(key: &str, title: &str, mistakes: &Mistakes<'_>) -> Markup {
    let has_texts = mistakes.shown.iter().any(|pair| pair.comparison.is_some());
    html! {
        section {
            h2 { (title) ": " (crate::numbers::count(mistakes.all)) }
            @if has_texts { (legend()) }
            @for (at, pair) in mistakes.shown.iter().enumerate() { (mistaken(&format!("{key}{at}"), pair)) }
            @let more = mistakes.all.saturating_sub(mistakes.shown.len() as u64);
            @if more > 0 { p class="muted" { (crate::numbers::count(more)) " more are not shown" } }
        }
    }
}

fn mistaken(key: &str, pair: &MistakenPair<'_>) -> Markup {
    let names = [pair.a.name, pair.b.name].map(|name| shortened(name, 120));
    let sizes = [pair.a.text, pair.b.text].map(|text| bytes(text.len() as u64));
    html! {
        h3 {
            (names[0]) " " span class="muted" { "and" } " " (names[1])
            @if let Some(similarity) = pair.similarity {
                " " span class="muted" { (crate::numbers::similarity(similarity)) }
            }
        }
        @if let Some(comparison) = &pair.comparison {
            (marked_texts(
                key,
                Titled { title: &names[0], place: &sizes[0], text: pair.a.text },
                Titled { title: &names[1], place: &sizes[1], text: pair.b.text },
                comparison,
            ))
        } @else {
            // What is no text has no passages.
            @for text in [pair.a.text, pair.b.text].into_iter().filter(|text| !text.is_empty()) {
                p { code { (shortened(text, VALUE)) } }
            }
        }
    }
}
