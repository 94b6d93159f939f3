//! Two texts and what they share -> two columns with linked passages.
//!
//! A passage is a link to its partner in the other text, so it is reached by Tab and followed by Enter or a click, with
//! or without the script. Names of places are `PAIR-SIDE-PASSAGE`, where the pair is told apart by the caller.

use crate::numbers::count;
use lookalike::passages::{Comparison, Place, Segment, Side};
use maud::{Markup, html};

/// Colours of passages.
const COLORS: usize = 6;

/// A text and what it is called.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Titled<'t> {
    pub(crate) title: &'t str,
    /// Where it came from; may be empty.
    pub(crate) place: &'t str,
    pub(crate) text: &'t str,
}

/// The texts side by side. `pair` is unique on the page, of letters and digits.
pub(crate) fn marked_texts(pair: &str, a: Titled<'_>, b: Titled<'_>, comparison: &Comparison) -> Markup {
    let of_a = Marked::new(pair, Side::A, a, comparison);
    let of_b = Marked::new(pair, Side::B, b, comparison);
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
}

impl<'t> Marked<'t> {
    fn new(pair: &'t str, side: Side, titled: Titled<'t>, comparison: &'t Comparison) -> Self {
        let segments = comparison.segments(side, titled.text.len());
        Self { pair, side, titled, comparison, segments }
    }

    fn column(&self, other: &Self) -> Markup {
        let mut seen = vec![false; self.comparison.passages.len()];
        html! {
            section class="text" aria-label=(self.titled.title) {
                header {
                    strong { (self.titled.title) }
                    @if !self.titled.place.is_empty() { " " span class="muted" { (self.titled.place) } }
                }
                div class="body" tabindex="0" {
                    @for segment in &self.segments {
                        @let is_first = segment.mark.is_some_and(|mark| !std::mem::replace(&mut seen[mark.passage], true));
                        (self.segment(segment, is_first, other))
                    }
                }
            }
        }
    }

    fn segment(&self, segment: &Segment, is_first: bool, other: &Self) -> Markup {
        let text = &self.titled.text[segment.range.clone()];
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
        let target = other.shows(mark.passage).map(|shown| format!("#{}", other.id(shown)));
        let id = is_first.then(|| self.id(mark.passage));
        html! {
            a class=(format!("mark p{color}{class}")) id=[id] href=[target] title=(title)
                data-passage=(format!("{}-{}", self.pair, mark.passage)) { (text) }
        }
    }

    /// The passage that stands where a passage does in this text: itself, or what it repeats.
    fn shows(&self, passage: usize) -> Option<usize> {
        let passage_here = &self.comparison.passages[passage];
        let start = passage_here.range(self.side).start;
        let at = self.segments.partition_point(|segment| segment.range.end <= start);
        let here = self.segments.get(at)?.mark?;
        if !passage_here.is_own(self.side) {
            return Some(here.passage);
        }
        // Its first token may belong to the passage before; then it begins a little later.
        let own = self.segments[at..].iter().take(4).filter_map(|segment| segment.mark);
        Some(own.map(|mark| mark.passage).find(|shown| *shown == passage).unwrap_or(here.passage))
    }

    fn id(&self, passage: usize) -> String {
        let side = if self.side == Side::A { "a" } else { "b" };
        format!("{}-{side}-{}", self.pair, passage + 1)
    }
}
