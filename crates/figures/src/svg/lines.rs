//! General plots: lines, points and bars on two named axes.

use super::frame::{Frame, Scale, tick};
use super::{Svg, coordinate, path};
use crate::numbers::shortened;
use maud::{Markup, html};

/// One axis: its name and the numbers at its ends.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    name: String,
    scale: AxisScale,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum AxisScale {
    Between(f64, f64),
    Log(u64),
}

impl Axis {
    /// An axis from one number to a larger one, with a tick at every fifth.
    #[must_use]
    pub fn between(name: impl Into<String>, from: f64, to: f64) -> Self {
        let ends =
            if from.is_finite() && to.is_finite() && (to - from) > 0.0 { (from, to) } else { (0.0, 1.0) };
        Self { name: name.into(), scale: AxisScale::Between(ends.0, ends.1) }
    }

    /// A logarithmic axis from 1 to the smallest power of ten that is at least `most`.
    #[must_use]
    pub fn log(name: impl Into<String>, most: u64) -> Self {
        Self { name: name.into(), scale: AxisScale::Log(most) }
    }

    fn scale(&self) -> Scale {
        match self.scale {
            AxisScale::Between(from, to) => Scale::Between(from, to),
            AxisScale::Log(most) => Scale::log(most),
        }
    }

    fn ticks(&self) -> Vec<(f64, String)> {
        self.scale().ticks().into_iter().map(|value| (value, tick(value))).collect()
    }
}

/// How a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Marks {
    /// A line through the points, for the values of a formula.
    Line,
    /// Single points, for measured values.
    Points,
    /// A bar of this width at each point, from the lower end of the axis, for how often a value was measured.
    Bars(f64),
}

/// Numbers that belong together.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The label in the legend.
    pub label: String,
    /// How they are drawn.
    pub marks: Marks,
    /// The numbers.
    pub points: Vec<(f64, f64)>,
}

/// The number of intervals between the points of a function.
const SAMPLES: usize = 160;

impl Series {
    /// A function between two numbers, drawn as a line.
    #[must_use]
    pub fn of(label: impl Into<String>, from: f64, to: f64, function: impl Fn(f64) -> f64) -> Self {
        let at = |step: usize| from + (to - from) * step as f64 / SAMPLES as f64;
        let points = (0..=SAMPLES).map(|step| (at(step), function(at(step)))).collect();
        Self { label: label.into(), marks: Marks::Line, points }
    }

    /// Measured numbers.
    #[must_use]
    pub fn points(label: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { label: label.into(), marks: Marks::Points, points }
    }
}

/// The corner of the legend.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Corner {
    /// Free if curves rise late.
    #[default]
    TopLeft,
    /// Free if curves fall early.
    TopRight,
    /// Free if curves rise early.
    BottomRight,
    /// Free if curves fall late.
    BottomLeft,
}

/// Up to four lines, and as many kinds of points and bars, on two axes.
#[derive(Debug, Clone, PartialEq)]
pub struct LinePlot {
    /// The title of the plot.
    pub title: String,
    /// The axis from left to right.
    pub x: Axis,
    /// The axis from bottom to top.
    pub y: Axis,
    /// The series to draw. The first line is emphasised.
    pub series: Vec<Series>,
    /// The position on the x axis of a dashed vertical line, and its name.
    pub mark: Option<(f64, String)>,
    /// The corner of the legend.
    pub legend: Corner,
}

const LINES: [&str; 4] = ["curve", "curve other", "curve other second", "curve other third"];
const POINTS: [&str; 2] = ["found", "missed"];
/// The width that is reserved for a letter. It allows for the larger type of small screens.
const LETTER_WIDTH: f64 = 8.6;

impl LinePlot {
    /// The drawing.
    #[must_use]
    pub fn svg(&self) -> Svg {
        let frame = Frame {
            left: 52.0,
            top: 54.0,
            right: 624.0,
            bottom: 306.0,
            x: self.x.scale(),
            y: self.y.scale(),
        };
        let classes = self.classes();
        let body = html! {
            (frame.axes(&self.x.ticks(), &self.y.ticks(), &self.x.name, &self.y.name))
            @for (series, class) in self.series.iter().zip(&classes).filter(|(series, _)| matches!(series.marks, Marks::Bars(_))) {
                (series.drawing(&frame, class))
            }
            @for (series, class) in self.series.iter().zip(&classes).rev().filter(|(series, _)| !matches!(series.marks, Marks::Bars(_))) {
                (series.drawing(&frame, class))
            }
            @if let Some((at, name)) = &self.mark {
                @let x = frame.x(*at);
                @let is_right = x > frame.left.midpoint(frame.right);
                path class="threshold" d=(path([(x, frame.bottom), (x, frame.top)])) {}
                text class=(if is_right { "strong end" } else { "strong" }) x=(coordinate(x)) y=(coordinate(frame.top - 32.0)) {
                    (shortened(name, 60))
                }
            }
            (self.drawn_legend(&frame, &classes))
        };
        let description = self.description();
        Svg { width: 640.0, height: 352.0, title: self.title.clone(), description, body }
    }

    /// The style of each series. Series with the same kind of marks get different styles.
    fn classes(&self) -> Vec<&'static str> {
        let (mut lines, mut others) = (LINES.iter(), POINTS.iter());
        let next = |series: &Series| match series.marks {
            Marks::Line => lines.next().copied().unwrap_or(LINES[3]),
            Marks::Points => others.next().copied().unwrap_or(POINTS[1]),
            Marks::Bars(_) => "found pale",
        };
        self.series.iter().map(next).collect()
    }

    fn drawn_legend(&self, frame: &Frame, classes: &[&str]) -> Markup {
        let height = 19.0 * self.series.len() as f64;
        let longest =
            self.series.iter().map(|series| series.label.chars().count().min(60)).max().unwrap_or(0);
        let room = (30.0 + LETTER_WIDTH * longest as f64).min(frame.right - frame.left);
        let (left, top) = match self.legend {
            Corner::TopLeft => (frame.left + 14.0, frame.top + 16.0),
            Corner::TopRight => (frame.right - room, frame.top + 16.0),
            Corner::BottomRight => (frame.right - room, frame.bottom - height + 4.0),
            Corner::BottomLeft => (frame.left + 14.0, frame.bottom - height + 4.0),
        };
        html! {
            @for (at, (series, class)) in self.series.iter().zip(classes).enumerate() {
                @let y = top + 19.0 * at as f64;
                @match series.marks {
                    Marks::Line => path class=(class) d=(path([(left, y - 4.0), (left + 18.0, y - 4.0)])) {},
                    Marks::Points => circle class=(class) cx=(coordinate(left + 9.0)) cy=(coordinate(y - 4.0)) r="3.5" {},
                    Marks::Bars(_) => rect class=(class) x=(coordinate(left)) y=(coordinate(y - 10.0)) width="18" height="11" {},
                }
                text x=(coordinate(left + 26.0)) y=(coordinate(y)) { (shortened(&series.label, 60)) }
            }
        }
    }

    fn description(&self) -> String {
        let labels: Vec<String> = self.series.iter().map(|series| shortened(&series.label, 60)).collect();
        format!("{} by {}: {}.", self.y.name, self.x.name, labels.join("; "))
    }
}

impl Series {
    fn drawing(&self, frame: &Frame, class: &str) -> Markup {
        let points =
            || self.points.iter().copied().filter(|point| point.0.is_finite() && point.1.is_finite());
        html! {
            @match self.marks {
                Marks::Line => path class=(class) d=(path(points().map(|(x, y)| frame.at(x, y)))) {},
                Marks::Points => @for (x, y) in points() {
                    circle class=(class) cx=(coordinate(frame.x(x))) cy=(coordinate(frame.y(y))) r="3.5" {
                        title { (tick(x)) ": " (format!("{y:.4}")) }
                    }
                },
                Marks::Bars(width) => @for (x, y) in points().filter(|point| point.1 > 0.0) {
                    (frame.bar(class, (x - width / 2.0, x + width / 2.0), (0.0, y), &format!("{}: {y:.4}", tick(x))))
                },
            }
        }
    }
}
