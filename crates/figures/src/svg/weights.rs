//! Compared pairs of records by weight, with the threshold and what was probably missed.

use super::frame::{Frame, Scale, tick};
use super::{Svg, coordinate, path};
use crate::numbers::count;
use maud::{Markup, html};

/// Lower weights are drawn at the left end: such pairs are many, and certain not to match.
const LOWEST: i32 = -20;

/// The least height of a bar.
const LEAST: f64 = 3.0;

/// Pairs of about the same weight.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct WeightCounts {
    /// The least weight; the next bin begins one higher.
    pub from: i32,
    /// The matches.
    pub matches: u64,
    /// The pairs that are no matches.
    pub others: u64,
    /// The estimated number of matches that were missed.
    pub missed: f64,
}

/// Pairs by weight, on a logarithmic scale.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Weights {
    /// The pairs, in bins of width one; bins without pairs may be left out.
    pub bins: Vec<WeightCounts>,
    /// The least weight of a match.
    pub threshold: f64,
}

impl Weights {
    /// The drawing.
    #[must_use]
    pub fn svg(&self) -> Svg {
        let bins = self.shown();
        let first = bins.first().map_or(-1, |bin| bin.from);
        let end = bins.last().map_or(1, |bin| bin.from + 1);
        let most = bins.iter().map(|bin| bin.matches.max(bin.others).max(bin.missed.ceil() as u64)).max();
        let frame = Frame {
            left: 52.0,
            top: 64.0,
            right: 624.0,
            bottom: 274.0,
            x: Scale::Between(f64::from(first), f64::from(end)),
            y: Scale::log(most.unwrap_or(1)),
        };
        let step = ((end - first) / 8).max(1);
        let step = [1, 2, 5, 10, 20, 50].into_iter().find(|it| *it >= step).unwrap_or(50);
        let x_ticks: Vec<(f64, String)> = (first..=end)
            .filter(|weight| weight.rem_euclid(step) == 0)
            .map(|weight| (f64::from(weight), weight.to_string()))
            .collect();
        let y_ticks: Vec<_> = frame.y.ticks().into_iter().map(|value| (value, tick(value))).collect();
        let body = html! {
            (frame.axes(&x_ticks, &y_ticks, "weight: the log odds that the two match", "pairs"))
            @for bin in &bins {
                @let left = f64::from(bin.from);
                @let middle = if bin.matches > 0 && bin.others > 0 { left + 0.5 } else if bin.matches > 0 { left } else { left + 1.0 };
                @let name = if bin.from == LOWEST { format!("below {}", LOWEST + 1) } else { format!("{} to {}", bin.from, bin.from + 1) };
                @if bin.others > 0 {
                    (column(&frame, "others", (left + 0.06, middle - 0.06), bin.others as f64, &format!("{name}: {} no matches", count(bin.others))))
                }
                @if bin.matches > 0 {
                    (column(&frame, "found", (middle + 0.06, left + 0.94), bin.matches as f64, &format!("{name}: {} matches", count(bin.matches))))
                }
                @if bin.missed >= 1.0 {
                    (column(&frame, "missed", (left + 0.3, left + 0.7), bin.missed, &format!("{name}: {:.1} missed, by estimate", bin.missed)))
                }
            }
            @let x = frame.x(self.threshold);
            @let is_right = x > frame.left.midpoint(frame.right);
            path class="threshold" d=(path([(x, frame.bottom), (x, frame.top - 20.0)])) {}
            text class=(if is_right { "strong end" } else { "strong" }) x=(coordinate(if is_right { x - 6.0 } else { x + 6.0 })) y=(coordinate(frame.top - 12.0)) {
                "threshold " (if self.threshold.abs() < 0.05 { "0".to_owned() } else { format!("{:+.1}", self.threshold) })
            }
            @for (at, (class, label)) in [("found", "matches"), ("others", "no matches"), ("missed", "missed, by estimate")].into_iter().enumerate() {
                @let left = 52.0 + 170.0 * at as f64;
                rect class=(class) x=(coordinate(left)) y="8" width="18" height="11" {}
                text x=(coordinate(left + 26.0)) y="18" { (label) }
            }
        };
        let (matches, others, missed) = self.sums();
        let description = format!(
            "{} matches, {} other pairs, {missed:.1} matches missed by estimate; the threshold is at {:+.1}.",
            count(matches),
            count(others),
            self.threshold
        );
        Svg { width: 640.0, height: 320.0, title: "Compared pairs by weight".into(), description, body }
    }

    /// Matches, other pairs, and matches that were missed.
    #[must_use]
    pub fn sums(&self) -> (u64, u64, f64) {
        let add = |sum: (u64, u64, f64), bin: &WeightCounts| {
            (
                sum.0.saturating_add(bin.matches),
                sum.1.saturating_add(bin.others),
                sum.2 + if bin.missed.is_finite() { bin.missed.max(0.0) } else { 0.0 },
            )
        };
        self.bins.iter().fold((0, 0, 0.0), add)
    }

    /// The bins that are drawn, ascending, with all lower ones in the first.
    fn shown(&self) -> Vec<WeightCounts> {
        let mut shown: Vec<WeightCounts> = Vec::new();
        for bin in &self.bins {
            let from = bin.from.max(LOWEST);
            match shown.last_mut().filter(|last| last.from == from) {
                Some(last) => {
                    last.matches += bin.matches;
                    last.others += bin.others;
                    last.missed += bin.missed;
                }
                None => shown.push(WeightCounts { from, ..*bin }),
            }
        }
        shown
    }
}

/// A bar from the lower end of the axis. One pair has a bar too, although its logarithm is 0.
fn column(frame: &Frame, class: &str, x: (f64, f64), pairs: f64, title: &str) -> Markup {
    let (left, top) = frame.at(x.0, pairs);
    let top = top.min(frame.bottom - LEAST);
    html! {
        rect class=(class) x=(coordinate(left)) y=(coordinate(top)) width=(coordinate((frame.x(x.1) - left).max(0.0)))
            height=(coordinate(frame.bottom - top)) { title { (title) } }
    }
}
