//! Two texts and what they share -> two columns with linked passages.
//!
//! A passage is a link to its partner in the other text. It can be reached with Tab and followed with Enter or a
//! click, with or without the script. Each piece has the name `PAIR-SIDE-NUMBER`, where the caller chooses a unique
//! name for the pair. The link of a piece leads to the piece of the other text that holds the same words.

use crate::numbers::count;
use lookalike::passages::{Comparison, Place, Segment, Side};
use maud::{Markup, html};
use std::ops::Range;

/// The number of colours for passages.
const COLORS: usize = 6;

/// A text and its title.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Titled<'t> {
    pub(crate) title: &'t str,
    /// Its location; may be empty.
    pub(crate) place: &'t str,
    pub(crate) text: &'t str,
}

/// The texts side by side. `pair` is a name of letters and digits that is unique on the page.
pub(crate) fn marked_texts(pair: &str, a: Titled<'_>, b: Titled<'_>, comparison: &Comparison) -> Markup {
    framed_texts(pair, a, b, comparison, [&[], &[]])
}

/// The same, with what was left out of each text in grey.
pub(crate) fn framed_texts(
    pair: &str,
    a: Titled<'_>,
    b: Titled<'_>,
    comparison: &Comparison,
    frames: [&[Range<usize>]; 2],
) -> Markup {
    let of_a = Marked::new(pair, Side::A, a, comparison, frames[0]);
    let of_b = Marked::new(pair, Side::B, b, comparison, frames[1]);
    html! {
        div class="pair" {
            (of_a.column(&of_b))
            (of_b.column(&of_a))
        }
    }
}

struct Marked<'t> {
    pair: &'t str,
    side: Side,
    titled: Titled<'t>,
    comparison: &'t Comparison,
    segments: Vec<Segment>,
    /// What was left out of the comparison.
    frame: &'t [Range<usize>],
}

impl<'t> Marked<'t> {
    fn new(
        pair: &'t str,
        side: Side,
        titled: Titled<'t>,
        comparison: &'t Comparison,
        frame: &'t [Range<usize>],
    ) -> Self {
        let segments = crate::framed::cut(comparison.segments(side, titled.text.len()), frame);
        Self { pair, side, titled, comparison, segments, frame }
    }

    fn column(&self, other: &Self) -> Markup {
        html! {
            section class="text" aria-label=(self.titled.title) {
                header {
                    strong { (self.titled.title) }
                    @if !self.titled.place.is_empty() { " " span class="muted" { (self.titled.place) } }
                }
                div class="body" tabindex="0" {
                    @for (at, segment) in self.segments.iter().enumerate() {
                        (self.segment(at, segment, other))
                    }
                }
            }
        }
    }

    fn segment(&self, at: usize, segment: &Segment, other: &Self) -> Markup {
        let text = &self.titled.text[segment.range.clone()];
        if crate::framed::has(self.frame, segment.range.start) {
            return html! { span class="frame" title="left out: many documents have it" { (text) } };
        }
        let Some(mark) = segment.mark else { return html! { (text) } };
        let passage = &self.comparison.passages[mark.passage];
        let color = mark.passage % COLORS;
        if !mark.is_shared {
            return html! { span class=(format!("gap p{color}")) { (text) } };
        }
        let (place, class) = match passage.place {
            Place::InOrder => ("in order", ""),
            Place::Moved => ("moved", " moved"),
            Place::RepeatedInA | Place::RepeatedInB => ("repeated", " repeated"),
        };
        let title =
            format!("passage {}, {place}: {} shingles", mark.passage + 1, count(passage.shingles as u64));
        let target =
            self.partner(segment.range.start, mark.passage, other).map(|at| format!("#{}", other.id(at)));
        html! {
            a class=(format!("mark p{color}{class}")) id=(self.id(at)) href=[target] title=(title)
                data-passage=(format!("{}-{}", self.pair, mark.passage)) { (text) }
        }
    }

    /// The piece of the other text that corresponds to a byte of a passage in this text.
    fn partner(&self, byte: usize, passage: usize, other: &Self) -> Option<usize> {
        let of_passage = &self.comparison.passages[passage];
        let run = of_passage.runs.partition_point(|run| run.range(self.side).end <= byte);
        let place = of_passage.runs.get(run)?.range(other.side).start;
        let first = other.segments.partition_point(|segment| segment.range.end <= place);
        // The first word of a run may belong to the run before. Then the piece of this run begins a little later.
        let near = || (first..other.segments.len()).take(4);
        let is_shared = |at: &usize| other.segments[*at].mark.is_some_and(|mark| mark.is_shared);
        let is_own = |at: &usize| other.segments[*at].mark.is_some_and(|mark| mark.passage == passage);
        near().filter(is_shared).find(is_own).or_else(|| near().find(is_shared))
    }

    fn id(&self, at: usize) -> String {
        let side = if self.side == Side::A { "a" } else { "b" };
        format!("{}-{side}-{at}", self.pair)
    }
}
