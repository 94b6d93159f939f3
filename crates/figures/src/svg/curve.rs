//! The S-curve: how likely a pair becomes a candidate, by similarity.

use super::frame::{Frame, Scale};
use super::histogram::Bin;
use super::{Svg, coordinate, path};
use crate::numbers::{area, count, percent, shortened};
use maud::{Markup, html};

/// A probability for every similarity from 0 to 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// The name of the curve: `16 x 8`.
    pub label: String,
    /// Probabilities at evenly spaced similarities from 0 to 1, both ends included. There are at least two.
    pub probabilities: Vec<f64>,
}

/// The number of intervals between the points of a curve.
const SAMPLES: usize = 400;

impl Curve {
    /// The curve of a function.
    #[must_use]
    pub fn sample(label: impl Into<String>, probability: impl Fn(f64) -> f64) -> Self {
        let probabilities = (0..=SAMPLES).map(|at| probability(at as f64 / SAMPLES as f64)).collect();
        Self { label: label.into(), probabilities }
    }

    /// The probability at a similarity, by linear interpolation between two samples.
    #[must_use]
    pub fn at(&self, similarity: f64) -> f64 {
        let last = self.probabilities.len().saturating_sub(1);
        let place = similarity.clamp(0.0, 1.0) * last as f64;
        let left = (place as usize).min(last);
        let value = |at: usize| self.probabilities.get(at.min(last)).copied().unwrap_or(0.0).clamp(0.0, 1.0);
        let share = place - left as f64;
        value(left) * (1.0 - share) + value(left + 1) * share
    }

    /// Its label, shortened.
    pub(crate) fn name(&self) -> String {
        shortened(&self.label, 60)
    }

    /// Points from one similarity to another, both included.
    pub(crate) fn points(&self, from: f64, to: f64) -> Vec<(f64, f64)> {
        let last = self.probabilities.len().saturating_sub(1).max(1);
        let between = (0..=last).map(|at| at as f64 / last as f64).filter(|s| *s > from && *s < to);
        std::iter::once(from).chain(between).chain([to]).map(|s| (s, self.at(s))).collect()
    }

    /// The two areas of error at a threshold, computed by trapezoids. False positives are the area below the curve,
    /// left of the threshold. False negatives are the area above the curve, right of the threshold.
    #[must_use]
    pub fn error_areas(&self, threshold: f64) -> (f64, f64) {
        let below = |points: Vec<(f64, f64)>| {
            points.windows(2).map(|two| (two[1].0 - two[0].0) * (two[0].1 + two[1].1) / 2.0).sum::<f64>()
        };
        let threshold = threshold.clamp(0.0, 1.0);
        (below(self.points(0.0, threshold)), (1.0 - threshold) - below(self.points(threshold, 1.0)))
    }
}

/// One or several curves, with the threshold and the pairs that were found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CurvePlot {
    /// The curves. The first one is the chosen plan, and its areas of error are shaded.
    pub curves: Vec<Curve>,
    /// The smallest similarity of a duplicate.
    pub threshold: Option<f64>,
    /// Found pairs by similarity. They are drawn behind the curves, relative to the fullest bin. Empty if there are
    /// none.
    pub found: Vec<Bin>,
}

const FRAME: Frame = Frame {
    left: 44.0,
    top: 54.0,
    right: 624.0,
    bottom: 306.0,
    x: Scale::Linear(1.0),
    y: Scale::Linear(1.0),
};

impl CurvePlot {
    /// A plot of one curve.
    #[must_use]
    pub fn of(curve: Curve) -> Self {
        Self { curves: vec![curve], ..Self::default() }
    }

    /// The drawing.
    #[must_use]
    pub fn svg(&self) -> Svg {
        let x_ticks: Vec<_> = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0].map(|s| (s, format!("{s}"))).into();
        let y_ticks: Vec<_> = [0.0, 0.25, 0.5, 0.75, 1.0].map(|p| (p, format!("{p}"))).into();
        let body = html! {
            (FRAME.axes(&x_ticks, &y_ticks, "similarity", "probability of becoming a candidate"))
            (self.found_bars())
            @if let (Some(curve), Some(threshold)) = (self.curves.first(), self.threshold) {
                (areas(curve, threshold))
            }
            @for (at, curve) in self.curves.iter().enumerate().rev() {
                @let class = ["curve", "curve other", "curve other second", "curve other third"][at.min(3)];
                path class=(class) d=(path(curve.points(0.0, 1.0).into_iter().map(|(s, p)| FRAME.at(s, p)))) {
                    title { (curve.name()) }
                }
            }
            (self.threshold_line())
            (self.legend())
        };
        Svg { width: 640.0, height: 352.0, title: "S-curve".into(), description: self.description(), body }
    }

    fn found_bars(&self) -> Markup {
        let most = self.found.iter().map(|bin| bin.found).max().unwrap_or(0).max(1) as f64;
        let width = 1.0 / (self.found.len().saturating_sub(1).max(1)) as f64;
        html! {
            @for (at, bin) in self.found.iter().enumerate().filter(|(_, bin)| bin.found > 0) {
                // The last bin is the single similarity 1. Its bar is just wide enough to be seen.
                @let (left, right) = if at + 1 == self.found.len() { (0.994, 1.0) }
                    else { (at as f64 * width + 0.003, (at + 1) as f64 * width - 0.003) };
                @let title = format!("{} pairs found, {}", count(bin.found), bin_name(at, self.found.len()));
                (FRAME.bar("found pale", (left, right), (0.0, bin.found as f64 / most), &title))
            }
        }
    }

    fn threshold_line(&self) -> Markup {
        let Some(threshold) = self.threshold else { return html! {} };
        let (x, y) = FRAME.at(threshold, 1.0);
        let is_right = threshold > 0.5;
        let class = if is_right { "strong end" } else { "strong" };
        let label = match self.curves.first() {
            Some(curve) => format!("threshold {threshold}: found with {}", percent(curve.at(threshold))),
            None => format!("threshold {threshold}"),
        };
        html! {
            path class="threshold" d=(path([(x, FRAME.bottom), (x, y - 26.0)])) {}
            text class=(class) x=(coordinate(if is_right { FRAME.right } else { x - 4.0 })) y=(coordinate(y - 34.0)) { (label) }
        }
    }

    fn legend(&self) -> Markup {
        let mut lines: Vec<(&str, String)> = Vec::new();
        for (at, curve) in self.curves.iter().enumerate() {
            let class = ["curve", "curve other", "curve other second", "curve other third"][at.min(3)];
            lines.push((class, curve.name()));
        }
        if let (Some(curve), Some(threshold)) = (self.curves.first(), self.threshold) {
            let (positive, negative) = curve.error_areas(threshold);
            lines.push(("false-positive", format!("compared in vain: area {}", area(positive))));
            lines.push(("false-negative", format!("missed: area {}", area(negative))));
        }
        if self.found.iter().any(|bin| bin.found > 0) {
            lines.push(("found pale", "pairs found (relative)".to_owned()));
        }
        html! {
            @for (at, (class, label)) in lines.iter().enumerate() {
                @let y = FRAME.top + 16.0 + 19.0 * at as f64;
                @let x = FRAME.left + 14.0;
                @if class.starts_with("curve") {
                    path class=(class) d=(path([(x, y - 4.0), (x + 18.0, y - 4.0)])) {}
                } @else {
                    rect class=(class) x=(coordinate(x)) y=(coordinate(y - 10.0)) width="18" height="11" {}
                }
                text x=(coordinate(x + 26.0)) y=(coordinate(y)) { (label) }
            }
        }
    }

    fn description(&self) -> String {
        let mut sentences: Vec<String> = Vec::new();
        for curve in &self.curves {
            let at = |s: f64| format!("{} at {s}", percent(curve.at(s)));
            sentences.push(format!("{}: {}, {}, {}.", curve.name(), at(0.2), at(0.5), at(0.8)));
        }
        if let (Some(curve), Some(threshold)) = (self.curves.first(), self.threshold) {
            sentences.push(format!("{} at the threshold {threshold}.", percent(curve.at(threshold))));
        }
        sentences.join(" ")
    }
}

/// The areas of error of a curve.
fn areas(curve: &Curve, threshold: f64) -> Markup {
    let place = |(s, p)| FRAME.at(s, p);
    let below = curve.points(0.0, threshold).into_iter().chain([(threshold, 0.0), (0.0, 0.0)]).map(place);
    let above = curve.points(threshold, 1.0).into_iter().chain([(1.0, 1.0), (threshold, 1.0)]).map(place);
    html! {
        path class="false-positive" d=(format!("{}Z", path(below))) {}
        path class="false-negative" d=(format!("{}Z", path(above))) {}
    }
}

/// The similarities of a bin, as text. The last bin holds exactly 1.
pub(crate) fn bin_name(at: usize, bins: usize) -> String {
    let width = 1.0 / bins.saturating_sub(1).max(1) as f64;
    if at + 1 == bins {
        return "exactly 1".to_owned();
    }
    format!("{:.2} to {:.2}", at as f64 * width, (at + 1) as f64 * width)
}
