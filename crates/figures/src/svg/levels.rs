//! What the fields of records say: a row for each field, a point for each level of agreement.

use super::frame::{Frame, Scale};
use super::{Svg, coordinate, path};
use crate::numbers::{percent, shortened};
use maud::html;

/// The height of a row.
const ROW: f64 = 26.0;

/// The characters of a name that have room.
const NAME: usize = 16;

/// A level of agreement.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// Its name: `equal`, `0.92 and more`.
    pub name: String,
    /// Its weight.
    pub weight: f64,
    /// The weight of the most frequent equal value; otherwise `weight`.
    pub frequent: f64,
    /// The share of the matches in it.
    pub matches: f64,
    /// The share of other pairs in it.
    pub others: f64,
}

/// A field with its levels, from equal values down.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldLevels {
    /// Its name.
    pub name: String,
    /// The kind of its values.
    pub kind: String,
    /// Its levels.
    pub levels: Vec<Level>,
}

/// The weights of fields by level.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Levels {
    /// The fields that are drawn.
    pub fields: Vec<FieldLevels>,
}

impl Levels {
    /// The drawing.
    #[must_use]
    pub fn svg(&self) -> Svg {
        let weights =
            || self.fields.iter().flat_map(|field| &field.levels).flat_map(|it| [it.weight, it.frequent]);
        let least = weights().filter(|it| it.is_finite()).fold(-1.0, f64::min).floor();
        let most = weights().filter(|it| it.is_finite()).fold(1.0, f64::max).ceil();
        let rows = self.fields.len() as f64;
        let frame = Frame {
            left: 160.0,
            top: 36.0,
            right: 624.0,
            bottom: 42.0 + ROW * rows,
            x: Scale::Between(least, most),
            y: Scale::Linear(1.0),
        };
        let step = ((most - least) / 7.0).ceil().max(1.0) as i32;
        let ticks: Vec<(f64, String)> = (least as i32..=most as i32)
            .filter(|weight| weight % step == 0)
            .map(|weight| (f64::from(weight), format!("{weight:+}").replace("+0", "0")))
            .collect();
        let body = html! {
            (frame.axes(&ticks, &[], "weight", ""))
            @let zero = frame.x(0.0);
            path class="rule" d=(path([(zero, frame.bottom), (zero, frame.top - 6.0)])) {}
            @for (at, field) in self.fields.iter().enumerate() {
                @let y = frame.top + ROW * (at as f64 + 0.5);
                text class="end" x=(coordinate(frame.left - 12.0)) y=(coordinate(y + 4.0)) { (shortened(&field.name, NAME)) }
                @let last = field.levels.len().saturating_sub(1);
                @let ends = field.levels.iter().flat_map(|it| [it.weight, it.frequent]).fold((f64::MAX, f64::MIN), |ends, it| (ends.0.min(it), ends.1.max(it)));
                path class="axis" d=(path([(frame.x(ends.0), y), (frame.x(ends.1), y)])) {}
                @for (number, level) in field.levels.iter().enumerate().rev() {
                    @let class = if number == 0 { "found" } else if number == last { "missed" } else { "found pale" };
                    @let title = format!("{}: {} {:+.1}; {} of the matches, {} of other pairs", shortened(&field.name, 80), level.name, level.weight, percent(level.matches), percent(level.others));
                    @if number == 0 && level.weight > level.frequent {
                        (frame_bar(&frame, level, y))
                    }
                    circle class=(class) cx=(coordinate(frame.x(level.weight))) cy=(coordinate(y)) r=(coordinate(3.0 + 5.0 * level.matches.clamp(0.0, 1.0).sqrt())) {
                        title { (title) }
                    }
                }
            }
            @for (at, (class, label)) in [("found", "equal"), ("found pale", "similar"), ("missed", "other")].into_iter().enumerate() {
                @let left = 160.0 + 120.0 * at as f64;
                circle class=(class) cx=(coordinate(left + 6.0)) cy="13" r="5" {}
                text x=(coordinate(left + 20.0)) y="18" { (label) }
            }
        };
        let said = self.fields.iter().take(20).map(|field| {
            let levels: Vec<String> =
                field.levels.iter().map(|level| format!("{} {:+.1}", level.name, level.weight)).collect();
            format!("{}: {}", shortened(&field.name, 80), levels.join(", "))
        });
        let description = format!("{}.", said.collect::<Vec<_>>().join("; "));
        let height = frame.bottom + 46.0;
        Svg { width: 640.0, height, title: "What the fields say".into(), description, body }
    }
}

/// From the most frequent equal value to one that nobody else has.
fn frame_bar(frame: &Frame, level: &Level, y: f64) -> maud::Markup {
    let (from, to) = (frame.x(level.frequent), frame.x(level.weight));
    html! {
        rect class="found pale" x=(coordinate(from)) y=(coordinate(y - 3.0)) width=(coordinate(to - from)) height="6" {
            title { (format!("equal: from {:+.1} for the most frequent value to {:+.1} for one that nobody else has", level.frequent, level.weight)) }
        }
    }
}
