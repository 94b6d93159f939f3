//! Numbers -> SVG.
//!
//! Each plot is a struct of plain numbers with a method `svg`. A plot takes its colours from the page around it, by
//! `currentColor` and the variables of `plot.css`, so the same drawing works in light and dark colours and on paper.
//! Every plot has a title and a description for screen readers, and its numbers are text.

mod cluster_sizes;
mod curve;
mod frame;
mod histogram;
mod levels;
mod lines;
mod stages;
mod weights;

pub use cluster_sizes::ClusterSizes;
pub use curve::{Curve, CurvePlot};
pub use histogram::{Bin, Histogram};
pub use levels::{FieldLevels, Level, Levels};
pub use lines::{Axis, Corner, LinePlot, Marks, Series};
pub use stages::{Stage, Stages};
pub use weights::{WeightCounts, Weights};

use maud::{Markup, html};

/// The styles of all plots.
pub(crate) const STYLE: &str = include_str!("plot.css");

/// The colours of a plot in a file of its own: the same as on the pages.
const STANDALONE_STYLE: &str = "svg.plot{color:#1d1d1b;background:#fff}\
@media(prefers-color-scheme:dark){svg.plot{color:#e9e7e2;background:#17181b;--accent:#63c7b8;--warm:#e0a45e}}";

/// A drawing.
#[derive(Debug, Clone)]
pub struct Svg {
    width: f64,
    height: f64,
    title: String,
    description: String,
    body: Markup,
}

impl Svg {
    /// The drawing as a file of its own, with its styles.
    #[must_use]
    pub fn standalone(&self) -> String {
        self.markup(Some(&format!("{STYLE}{STANDALONE_STYLE}"))).into_string()
    }

    /// The drawing as part of a page that has the styles.
    pub(crate) fn inline(&self) -> Markup {
        self.markup(None)
    }

    fn markup(&self, style: Option<&str>) -> Markup {
        let view_box = format!("0 0 {} {}", self.width, self.height);
        let label = format!("{}. {}", self.title, self.description);
        html! {
            svg xmlns="http://www.w3.org/2000/svg" class="plot" viewBox=(view_box) role="img" aria-label=(label) {
                title { (self.title) }
                desc { (self.description) }
                @if let Some(style) = style { style { (maud::PreEscaped(style)) } }
                (self.body)
            }
        }
    }
}

/// A coordinate, rounded to a hundredth of a unit, so that it is short and the same on every machine.
pub(crate) fn coordinate(value: f64) -> String {
    let rounded = (value * 100.0).round() / 100.0;
    // Avoids `-0`.
    if rounded == 0.0 || !rounded.is_finite() { "0".to_owned() } else { format!("{rounded}") }
}

/// The path through points.
pub(crate) fn path(points: impl IntoIterator<Item = (f64, f64)>) -> String {
    let mut path = String::new();
    for (at, (x, y)) in points.into_iter().enumerate() {
        path.push(if at == 0 { 'M' } else { 'L' });
        path.push_str(&coordinate(x));
        path.push(' ');
        path.push_str(&coordinate(y));
    }
    path
}
