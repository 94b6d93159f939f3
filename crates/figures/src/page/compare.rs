//! Two texts -> a page that shows what they share.

use super::marked_text::{Titled, framed_texts};
use super::{facts, page};
use crate::numbers::{bytes, count, percent, shortened, similarity};
use lookalike::passages::{Comparison, Place};
use maud::{Markup, html};
use std::ops::Range;

/// The table lists at most this many passages.
const LISTED: usize = 200;

/// Everything that the page of a comparison shows.
#[derive(Debug, Clone)]
pub struct CompareData<'t> {
    /// The first text.
    pub a: NamedText<'t>,
    /// The second text.
    pub b: NamedText<'t>,
    /// The passages that they share.
    pub comparison: &'t Comparison,
    /// How they were cut into shingles: `words:5`.
    pub shingles: String,
    /// The estimates of sketches.
    pub estimates: Vec<Estimate>,
    /// The chance that a plan finds the pair.
    pub finding: Option<Finding>,
    /// Notes, for example that bytes were replaced.
    pub notes: Vec<String>,
    /// What was left out of each text because many documents have it, ascending.
    pub frames: [&'t [Range<usize>]; 2],
}

/// A text and its name.
#[derive(Debug, Clone, Copy)]
pub struct NamedText<'t> {
    /// File name or id.
    pub name: &'t str,
    /// The text.
    pub text: &'t str,
}

/// The estimate of a similarity by a sketch.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// The sketch: `MinHash, 128 hashes`.
    pub sketch: String,
    /// What is estimated: `Jaccard`, `cosine`.
    pub measure: String,
    /// The estimate.
    pub value: f64,
    /// Its theoretical standard error.
    pub standard_error: f64,
    /// The exact value.
    pub exact: f64,
}

/// How likely a plan finds a pair.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The plan: `21 bands of 6 rows`.
    pub plan: String,
    /// The smallest similarity of a duplicate.
    pub threshold: f64,
    /// The probability that the pair becomes a candidate.
    pub probability: f64,
}

/// The page: numbers, the two texts side by side with their passages linked, and a table of the passages.
#[must_use]
pub fn compare_page(data: &CompareData<'_>) -> String {
    let names = (shortened(data.a.name, 120), shortened(data.b.name, 120));
    let title = format!("{} and {}", names.0, names.1);
    let titled = |text: NamedText<'_>, name: &'_ str| (name.to_owned(), bytes(text.text.len() as u64));
    let (a, b) = (titled(data.a, &names.0), titled(data.b, &names.1));
    let body = html! {
        main class="compare" {
            header class="top" {
                p class="kicker" { "Comparison · " (data.shingles) }
                h1 { (names.0) " " span class="muted" { "and" } " " (names.1) }
                (headline(data))
            }
            @for note in &data.notes { p class="note" { (note) } }
            (legend())
            (framed_texts(
                "x",
                Titled { title: &a.0, place: &a.1, text: data.a.text },
                Titled { title: &b.0, place: &b.1, text: data.b.text },
                data.comparison,
                data.frames,
            ))
            div class="columns" {
                (counts(data))
                (estimates(data))
            }
            (passages(data))
        }
    };
    page(&title, &body)
}

fn headline(data: &CompareData<'_>) -> Markup {
    let counts = data.comparison.counts;
    let [in_order, moved, repeated] = by_place(data.comparison);
    html! {
        ul class="headline" {
            li { strong { (similarity(counts.jaccard())) } span { "Jaccard similarity, exact" } }
            li { strong { (percent(counts.containment_of_a())) } span { "of the first is in the second" } }
            li { strong { (percent(counts.containment_of_b())) } span { "of the second is in the first" } }
            li {
                strong { (count(data.comparison.passages.len() as u64)) }
                span { "passages: " (count(in_order)) " in order, " (count(moved)) " moved, " (count(repeated)) " repeated" }
            }
            @if let Some(finding) = &data.finding {
                li {
                    strong { (percent(finding.probability)) }
                    span { "chance of being found by " (finding.plan) " (threshold " (finding.threshold) ")" }
                }
            }
        }
    }
}

fn by_place(comparison: &Comparison) -> [u64; 3] {
    let number = |of: fn(Place) -> bool| comparison.passages.iter().filter(|p| of(p.place)).count() as u64;
    [
        number(|place| place == Place::InOrder),
        number(|place| place == Place::Moved),
        number(|place| matches!(place, Place::RepeatedInA | Place::RepeatedInB)),
    ]
}

/// The legend of the marks.
pub(crate) fn legend() -> Markup {
    html! {
        p class="legend" {
            span class="mark p0" { "shared" }
            span class="gap p0" { "differs inside a passage" }
            span class="mark p1 moved" { "moved" }
            span class="mark p2 repeated" { "repeated" }
            span class="muted" { "Click a passage to see its partner in the other text." }
        }
    }
}

fn counts(data: &CompareData<'_>) -> Markup {
    let counts = data.comparison.counts;
    html! {
        section {
            h2 { "Shingles" }
            (facts([
                ("different shingles in the first", count(counts.a as u64)),
                ("different shingles in the second", count(counts.b as u64)),
                ("in both", count(counts.common as u64)),
                ("only in the first", count((counts.a - counts.common) as u64)),
                ("only in the second", count((counts.b - counts.common) as u64)),
            ]))
        }
    }
}

fn estimates(data: &CompareData<'_>) -> Markup {
    html! {
        @if !data.estimates.is_empty() {
            section {
                h2 { "Estimates by sketches" }
                div class="scroll" { table {
                    thead { tr {
                        th { "sketch" } th { "measure" } th class="number" { "estimate" } th class="number" { "exact" }
                        th class="number" { "off by" }
                    } }
                    tbody {
                        @for estimate in &data.estimates {
                            tr {
                                td { (estimate.sketch) }
                                td { (estimate.measure) }
                                td class="number" { (format!("{:.4} ± {:.4}", estimate.value, estimate.standard_error)) }
                                td class="number" { (similarity(estimate.exact)) }
                                td class="number" { (off_by(estimate)) }
                            }
                        }
                    }
                } }
            }
        }
    }
}

/// The error of an estimate, also in units of its standard error if that is known.
fn off_by(estimate: &Estimate) -> String {
    let error = estimate.value - estimate.exact;
    if estimate.standard_error > 0.0 {
        format!("{error:+.4} ({:.1} σ)", error.abs() / estimate.standard_error)
    } else {
        format!("{error:+.4}")
    }
}

fn passages(data: &CompareData<'_>) -> Markup {
    let passages = &data.comparison.passages;
    let mut longest: Vec<usize> = (0..passages.len()).collect();
    longest.sort_by_key(|&at| (std::cmp::Reverse(passages[at].shingles), at));
    longest.truncate(LISTED);
    html! {
        @if !passages.is_empty() {
            section {
                h2 { "Passages" }
                @if passages.len() > LISTED {
                    p class="muted" { "The " (LISTED) " longest of " (count(passages.len() as u64)) "." }
                }
                div class="scroll" { table {
                    thead { tr {
                        th class="number" { "passage" } th class="number" { "shingles" } th { "place" }
                        th class="number" { "bytes of the first" } th class="number" { "bytes of the second" } th { "first words" }
                    } }
                    tbody {
                        @for at in longest {
                            @let passage = &passages[at];
                            tr {
                                td class="number" { (at + 1) }
                                td class="number" { (count(passage.shingles as u64)) }
                                td { (place_name(passage.place)) }
                                td class="number" { (passage.a.start) "–" (passage.a.end) }
                                td class="number" { (passage.b.start) "–" (passage.b.end) }
                                td class="excerpt" { (shortened(data.a.text.get(passage.a.clone()).unwrap_or_default(), 80)) }
                            }
                        }
                    }
                } }
            }
        }
    }
}

fn place_name(place: Place) -> &'static str {
    match place {
        Place::InOrder => "in order",
        Place::Moved => "moved",
        Place::RepeatedInA => "repeated in the first",
        Place::RepeatedInB => "repeated in the second",
    }
}
