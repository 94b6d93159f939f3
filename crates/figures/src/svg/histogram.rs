//! Similarities of the pairs that were found, and what was probably missed.

use super::curve::bin_name;
use super::frame::{Frame, Scale, tick};
use super::{Svg, coordinate};
use crate::numbers::count;
use maud::html;

/// Pairs of about the same similarity.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Bin {
    /// Pairs found.
    pub found: u64,
    /// The estimated number of missed pairs.
    pub missed: f64,
}

impl Bin {
    /// The number of missed pairs; 0 if the estimate is negative or not finite.
    pub(crate) fn missed_pairs(&self) -> f64 {
        if self.missed.is_finite() { self.missed.max(0.0) } else { 0.0 }
    }

    /// Found and missed pairs together.
    pub(crate) fn all_pairs(&self) -> f64 {
        self.found as f64 + self.missed_pairs()
    }
}

/// Pairs by similarity: bins of equal width from 0 to 1, and one more for exactly 1 (so 21 for twentieths).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Histogram {
    /// The bins.
    pub bins: Vec<Bin>,
    /// The smallest similarity of a duplicate.
    pub threshold: Option<f64>,
}

impl Histogram {
    /// The drawing.
    #[must_use]
    pub fn svg(&self) -> Svg {
        let shown = self.shown();
        let most = shown.clone().map(|at| self.bins[at].all_pairs()).fold(0.0, f64::max);
        let columns = shown.len().max(1) as f64;
        let frame = Frame {
            left: 52.0,
            top: 50.0,
            right: 624.0,
            bottom: 264.0,
            x: Scale::Linear(columns),
            y: Scale::round(most),
        };
        let y_ticks: Vec<_> = frame.y.ticks().into_iter().map(|value| (value, tick(value))).collect();
        let first = shown.start;
        let width = 1.0 / self.bins.len().saturating_sub(1).max(1) as f64;
        let body = html! {
            (frame.axes(&[], &y_ticks, "similarity", "pairs"))
            @for at in shown.clone() {
                @let bin = self.bins[at];
                @let column = (at - first) as f64;
                @let name = bin_name(at, self.bins.len());
                @let sides = (column + 0.1, column + 0.9);
                @let found = bin.found as f64;
                (frame.bar("found", sides, (0.0, found), &format!("{name}: {} found", count(bin.found))))
                @if bin.missed_pairs() > 0.0 {
                    @let title = format!("{name}: {:.1} missed, by estimate", bin.missed_pairs());
                    (frame.bar("missed", sides, (found, bin.all_pairs()), &title))
                }
                @if bin.found > 0 && shown.len() <= 21 {
                    @let y = frame.y(bin.all_pairs()) - 5.0;
                    text class="middle small" x=(coordinate(frame.x(column + 0.5))) y=(coordinate(y)) {
                        (tick(found))
                    }
                }
                @let label = if at + 1 == self.bins.len() { "= 1".to_owned() } else { format!("{:.2}", at as f64 * width) };
                @if shown.len() <= 12 || at % 2 == 0 {
                    text class="muted middle" x=(coordinate(frame.x(column + 0.5))) y=(coordinate(frame.bottom + 18.0)) {
                        (label)
                    }
                }
            }
            @if self.missed() > 0.0 {
                rect class="missed" x="52" y="8" width="18" height="11" {}
                text x="78" y="18" { (format!("missed, by estimate: {:.1}", self.missed())) }
            }
        };
        Svg {
            width: 640.0,
            height: 310.0,
            title: "Similarities of the pairs found".into(),
            description: self.description(),
            body,
        }
    }

    /// The number of pairs found in all bins.
    #[must_use]
    pub fn found(&self) -> u64 {
        self.bins.iter().fold(0, |sum, bin| sum.saturating_add(bin.found))
    }

    /// The estimated number of missed pairs in all bins.
    #[must_use]
    pub fn missed(&self) -> f64 {
        self.bins.iter().map(Bin::missed_pairs).sum()
    }

    /// The bins that are shown: from the threshold or the first bin that is not empty, whichever comes first, to the
    /// last.
    pub(crate) fn shown(&self) -> std::ops::Range<usize> {
        let steps = self.bins.len().saturating_sub(1).max(1) as f64;
        let at_threshold = self.threshold.map_or(usize::MAX, |threshold| (threshold * steps + 1e-9) as usize);
        let filled = self.bins.iter().position(|bin| bin.all_pairs() > 0.0).unwrap_or(usize::MAX);
        let first = at_threshold.min(filled);
        if first >= self.bins.len() { 0..self.bins.len() } else { first..self.bins.len() }
    }

    fn description(&self) -> String {
        format!("{} pairs found, {:.1} missed by estimate.", count(self.found()), self.missed())
    }
}
