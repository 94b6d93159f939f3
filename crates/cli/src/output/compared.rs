//! Two texts, compared, as text and JSON.

use super::escaped::escaped;
use super::numbers::count;
use super::{BOLD, DIM};
use explain::comparison::{Compared, place_name};
use figures::terminal::{Colors, LineBreaks, SideBySide, side_by_side_without};
use figures::{Estimate, Finding, percent, similarity};
use lookalike::passages::{Passage, Place};
use serde_json::json;
use std::fmt::Write as _;

/// At most this many passages are listed.
const LISTED: usize = 20;

/// What is shown of a comparison, for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    /// The numbers only: the texts are on a page.
    Numbers,
    /// The texts too, with long stretches folded.
    Folded,
    /// The whole texts.
    Whole,
}

/// Two texts, compared, on their way out.
#[derive(Debug)]
pub(super) struct ShownComparison<'c>(pub(super) &'c Compared);

impl ShownComparison<'_> {
    /// The numbers, and the texts side by side.
    pub(super) fn text(&self, shown: Shown, colors: Colors, columns: usize) -> String {
        let mut text = self.numbers();
        if shown == Shown::Numbers || self.0.of.is_binary || self.0.comparison.passages.is_empty() {
            return text;
        }
        let [a, b] = [0, 1].map(|at| escaped(&self.0.of.names[at]));
        let half = columns.saturating_sub(3) / 2;
        let _ = write!(text, "\n{BOLD}{a:<half$}{BOLD:#}   {BOLD}{b}{BOLD:#}\n");
        let (unshared_words, shared_words) =
            if shown == Shown::Whole { (usize::MAX, usize::MAX) } else { (24, 80) };
        let line_breaks = LineBreaks::Paragraphs;
        let options = SideBySide { width: columns, colors, unshared_words, shared_words, line_breaks };
        let [a, b] = &self.0.of.texts;
        let frames = [self.0.frames[0].as_slice(), &self.0.frames[1]];
        text.push_str(&side_by_side_without(a, b, &self.0.comparison, frames, options));
        text
    }

    /// The numbers.
    pub(super) fn numbers(&self) -> String {
        let counts = self.0.comparison.counts;
        let [a, b] = [0, 1].map(|at| escaped(&self.0.of.names[at]));
        let mut text = String::new();
        for note in &self.0.notes {
            let _ = writeln!(text, "{DIM}note:{DIM:#} {note}");
        }
        let _ = writeln!(
            text,
            "{BOLD}Jaccard similarity  {}{BOLD:#}  in {}",
            similarity(counts.jaccard()),
            self.0.shingles
        );
        let _ = writeln!(text, "A in B              {:<8}  A = {a}", percent(counts.containment_of_a()));
        let _ = writeln!(text, "B in A              {:<8}  B = {b}", percent(counts.containment_of_b()));
        let own = |all: usize| count((all - counts.common) as u64);
        let _ = writeln!(
            text,
            "shingles            {} in both, {} only in A, {} only in B",
            count(counts.common as u64),
            own(counts.a),
            own(counts.b)
        );
        let _ = writeln!(
            text,
            "\n{DIM}{:<28} {:>8} {:>10} {:>8} {:>8}{DIM:#}",
            "sketch", "estimate", "std. error", "exact", "off by"
        );
        for Estimate { sketch, measure, value, standard_error, exact } in &self.0.estimates {
            let off = value - exact;
            let _ = writeln!(
                text,
                "{sketch:<28} {value:>8.4} {standard_error:>10.4} {exact:>8.4} {off:>+8.4}  {measure}"
            );
        }
        let Finding { plan, threshold, probability } = &self.0.finding;
        let (value, measure) = (self.0.similarity, self.0.measure);
        let verdict = if value >= *threshold { "a duplicate" } else { "no duplicate" };
        let _ = writeln!(
            text,
            "\nAt a {measure} of {threshold} or more this is {verdict}; the plan ({plan}) finds a pair of this similarity with probability {probability:.4}."
        );
        self.passages(&mut text);
        text
    }

    fn passages(&self, text: &mut String) {
        let passages = &self.0.comparison.passages;
        let of = |place: Place| passages.iter().filter(|passage| passage.place == place).count() as u64;
        let moved = of(Place::Moved);
        let repeated = of(Place::RepeatedInA) + of(Place::RepeatedInB);
        let _ = writeln!(
            text,
            "{} shared passage{}: {} in order, {} moved, {} repeated",
            count(passages.len() as u64),
            if passages.len() == 1 { "" } else { "s" },
            count(of(Place::InOrder)),
            count(moved),
            count(repeated)
        );
        let mut longest: Vec<&Passage> = passages.iter().collect();
        longest.sort_by_key(|passage| (std::cmp::Reverse(passage.shingles), passage.a.start));
        if !longest.is_empty() {
            let _ = writeln!(
                text,
                "{DIM}{:>10} {:>22} {:>22}  place{DIM:#}",
                "shingles", "bytes of A", "bytes of B"
            );
        }
        for passage in longest.iter().take(LISTED) {
            let range = |range: &std::ops::Range<usize>| format!("{}..{}", range.start, range.end);
            let (a, b) = (range(&passage.a), range(&passage.b));
            let _ = writeln!(text, "{:>10} {a:>22} {b:>22}  {}", passage.shingles, place_name(passage.place));
        }
        if longest.len() > LISTED {
            let _ = writeln!(text, "{DIM}{:>10} more{DIM:#}", count((longest.len() - LISTED) as u64));
        }
    }

    /// Everything, for machines.
    pub(super) fn json(&self) -> String {
        let counts = self.0.comparison.counts;
        let named = |at: usize, shingles: usize| json!({"name": self.0.of.names[at], "bytes": self.0.bytes(at), "shingles": shingles});
        let estimates: Vec<_> = self
            .0
            .estimates
            .iter()
            .map(|estimate| {
                json!({
                    "sketch": estimate.sketch,
                    "measure": estimate.measure,
                    "estimate": estimate.value,
                    "standard_error": estimate.standard_error,
                    "exact": estimate.exact,
                })
            })
            .collect();
        let passages: Vec<_> = self
            .0
            .comparison
            .passages
            .iter()
            .map(|passage| {
                json!({
                    "a": [passage.a.start, passage.a.end],
                    "b": [passage.b.start, passage.b.end],
                    "shingles": passage.shingles,
                    "place": place_name(passage.place),
                })
            })
            .collect();
        let value = json!({
            "a": named(0, counts.a),
            "b": named(1, counts.b),
            "compared_in": self.0.shingles,
            "common_shingles": counts.common,
            "jaccard": counts.jaccard(),
            "containment_of_a": counts.containment_of_a(),
            "containment_of_b": counts.containment_of_b(),
            "estimates": estimates,
            "plan": {
                "label": self.0.finding.plan,
                "threshold": self.0.finding.threshold,
                "probability": self.0.finding.probability,
            },
            "passages": passages,
            "notes": self.0.notes,
        });
        let mut text = serde_json::to_string_pretty(&value).expect("plain values");
        text.push('\n');
        text
    }
}
