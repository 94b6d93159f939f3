//! The comparison of two texts, written as text, as JSON and as a page.

use super::escaped::escaped;
use super::numbers::count;
use super::{BOLD, DIM};
use figures::terminal::{Colors, LineBreaks, SideBySide, side_by_side};
use figures::{CompareData, Estimate, Finding, NamedText, compare_page, percent, similarity};
use lookalike::passages::{Comparison, Passage, Place};
use serde_json::json;
use std::fmt::Write as _;

/// At most this many passages are listed.
const LISTED: usize = 20;

/// Two texts and what they have in common.
#[derive(Debug)]
pub(crate) struct Compared {
    pub(crate) names: [String; 2],
    /// The two texts. If the files are binary, each character stands for one byte.
    pub(crate) texts: [String; 2],
    pub(crate) is_binary: bool,
    pub(crate) comparison: Comparison,
    /// The kind of shingles that were compared.
    pub(crate) shingles: String,
    pub(crate) estimates: Vec<Estimate>,
    pub(crate) finding: Finding,
    /// The similarity that is compared with the threshold, and its name.
    pub(crate) similarity: (f64, &'static str),
    pub(crate) notes: Vec<String>,
    /// True if long stretches of text are shown in full.
    pub(crate) whole: bool,
}

impl Compared {
    /// The numbers, followed by the texts side by side.
    pub(crate) fn text(&self, colors: Colors, columns: usize) -> String {
        let mut text = self.numbers();
        if self.is_binary || self.comparison.passages.is_empty() {
            return text;
        }
        let [a, b] = [0, 1].map(|at| escaped(&self.names[at]));
        let half = columns.saturating_sub(3) / 2;
        let _ = write!(text, "\n{BOLD}{a:<half$}{BOLD:#}   {BOLD}{b}{BOLD:#}\n");
        let (unshared_words, shared_words) = if self.whole { (usize::MAX, usize::MAX) } else { (24, 80) };
        let line_breaks = LineBreaks::Paragraphs;
        let options = SideBySide { width: columns, colors, unshared_words, shared_words, line_breaks };
        text.push_str(&side_by_side(&self.texts[0], &self.texts[1], &self.comparison, options));
        text
    }

    /// The numbers without the texts.
    pub(crate) fn numbers(&self) -> String {
        let counts = self.comparison.counts;
        let [a, b] = [0, 1].map(|at| escaped(&self.names[at]));
        let mut text = String::new();
        for note in &self.notes {
            let _ = writeln!(text, "{DIM}note:{DIM:#} {note}");
        }
        let _ = writeln!(
            text,
            "{BOLD}Jaccard similarity  {}{BOLD:#}  in {}",
            similarity(counts.jaccard()),
            self.shingles
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
        for Estimate { sketch, measure, value, standard_error, exact } in &self.estimates {
            let off = value - exact;
            let _ = writeln!(
                text,
                "{sketch:<28} {value:>8.4} {standard_error:>10.4} {exact:>8.4} {off:>+8.4}  {measure}"
            );
        }
        let Finding { plan, threshold, probability } = &self.finding;
        let (value, measure) = self.similarity;
        let verdict = if value >= *threshold { "a duplicate" } else { "no duplicate" };
        let _ = writeln!(
            text,
            "\nAt a {measure} of {threshold} or more this is {verdict}; the plan ({plan}) finds a pair of this similarity with probability {probability:.4}."
        );
        self.passages(&mut text);
        text
    }

    fn passages(&self, text: &mut String) {
        let passages = &self.comparison.passages;
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
            let _ = writeln!(text, "{:>10} {a:>22} {b:>22}  {}", passage.shingles, written(passage.place));
        }
        if longest.len() > LISTED {
            let _ = writeln!(text, "{DIM}{:>10} more{DIM:#}", count((longest.len() - LISTED) as u64));
        }
    }

    /// Everything, as JSON.
    pub(crate) fn json(&self) -> String {
        let counts = self.comparison.counts;
        let named = |at: usize, shingles: usize| json!({"name": self.names[at], "bytes": self.bytes(at), "shingles": shingles});
        let estimates: Vec<_> = self
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
            .comparison
            .passages
            .iter()
            .map(|passage| {
                json!({
                    "a": [passage.a.start, passage.a.end],
                    "b": [passage.b.start, passage.b.end],
                    "shingles": passage.shingles,
                    "place": written(passage.place),
                })
            })
            .collect();
        let value = json!({
            "a": named(0, counts.a),
            "b": named(1, counts.b),
            "compared_in": self.shingles,
            "common_shingles": counts.common,
            "jaccard": counts.jaccard(),
            "containment_of_a": counts.containment_of_a(),
            "containment_of_b": counts.containment_of_b(),
            "estimates": estimates,
            "plan": {
                "label": self.finding.plan,
                "threshold": self.finding.threshold,
                "probability": self.finding.probability,
            },
            "passages": passages,
            "notes": self.notes,
        });
        let mut text = serde_json::to_string_pretty(&value).expect("plain values");
        text.push('\n');
        text
    }

    fn bytes(&self, at: usize) -> usize {
        let text = &self.texts[at];
        if self.is_binary { text.chars().count() } else { text.len() }
    }

    /// The comparison as an HTML page.
    pub(crate) fn page(&self) -> String {
        let empty = Comparison { counts: self.comparison.counts, passages: Vec::new() };
        let [a, b] = [0, 1].map(|at| NamedText {
            name: &self.names[at],
            text: if self.is_binary { "" } else { &self.texts[at] },
        });
        compare_page(&CompareData {
            a,
            b,
            comparison: if self.is_binary { &empty } else { &self.comparison },
            shingles: self.shingles.clone(),
            estimates: self.estimates.clone(),
            finding: Some(self.finding.clone()),
            notes: self.notes.clone(),
        })
    }
}

/// The name of a passage's place, in text and JSON.
fn written(place: Place) -> &'static str {
    match place {
        Place::InOrder => "in-order",
        Place::Moved => "moved",
        Place::RepeatedInA => "repeated-in-a",
        Place::RepeatedInB => "repeated-in-b",
    }
}
