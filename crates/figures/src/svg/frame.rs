//! The frame of a plot: two axes with their ticks.

use super::{coordinate, path};
use crate::numbers::count;
use maud::{Markup, html};

/// A drawing area with its two scales.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
    pub(super) x: Scale,
    pub(super) y: Scale,
}

/// Maps numbers to positions between 0 and 1.
#[derive(Debug, Clone, Copy)]
pub(super) enum Scale {
    /// From 0 to this number.
    Linear(f64),
    /// From one number to another.
    Between(f64, f64),
    /// From 1 to ten to the power of this.
    Log(u32),
}

impl Scale {
    /// A linear scale that ends at a round number.
    pub(super) fn round(most: f64) -> Self {
        let most = if most > 0.0 { most.min(1e300) } else { 1.0 };
        let magnitude = 10f64.powf(most.log10().floor());
        let steps = [1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
        let end = steps.iter().map(|step| step * magnitude).find(|end| *end >= most * 0.999_999);
        Self::Linear(end.unwrap_or(most))
    }

    /// A scale of powers of ten that covers at least one decade.
    pub(super) fn log(most: u64) -> Self {
        let whole = most.max(1).ilog10();
        let is_power = 10u64.checked_pow(whole) == Some(most.max(1));
        Self::Log((whole + u32::from(!is_power)).max(1))
    }

    pub(super) fn position(self, value: f64) -> f64 {
        match self {
            Self::Linear(end) => value / end,
            Self::Between(from, to) => (value - from) / (to - from),
            Self::Log(decades) => value.max(1.0).log10() / f64::from(decades),
        }
        .clamp(0.0, 1.0)
    }

    /// The numbers that are written at the axis.
    pub(super) fn ticks(self) -> Vec<f64> {
        match self {
            Self::Linear(end) => (0..=4).map(|quarter| end * f64::from(quarter) / 4.0).collect(),
            Self::Between(from, to) => {
                (0..=5).map(|fifth| from + (to - from) * f64::from(fifth) / 5.0).collect()
            }
            Self::Log(decades) => {
                let step = decades.div_ceil(7).max(1);
                (0..=decades).step_by(step as usize).map(|decade| 10f64.powi(decade as i32)).collect()
            }
        }
    }
}

impl Frame {
    pub(super) fn at(&self, x: f64, y: f64) -> (f64, f64) {
        (self.x(x), self.y(y))
    }

    pub(super) fn x(&self, value: f64) -> f64 {
        self.left + (self.right - self.left) * self.x.position(value)
    }

    pub(super) fn y(&self, value: f64) -> f64 {
        self.bottom - (self.bottom - self.top) * self.y.position(value)
    }

    /// The horizontal rules, the ticks and the names of the axes.
    pub(super) fn axes(
        &self,
        x_ticks: &[(f64, String)],
        y_ticks: &[(f64, String)],
        x_name: &str,
        y_name: &str,
    ) -> Markup {
        html! {
            @for (value, label) in y_ticks {
                @let y = self.y(*value);
                path class="rule" d=(path([(self.left, y), (self.right, y)])) {}
                text class="muted end" x=(coordinate(self.left - 8.0)) y=(coordinate(y + 4.0)) { (label) }
            }
            @for (value, label) in x_ticks {
                @let x = self.x(*value);
                path class="axis" d=(path([(x, self.bottom), (x, self.bottom + 4.0)])) {}
                text class="muted middle" x=(coordinate(x)) y=(coordinate(self.bottom + 18.0)) { (label) }
            }
            path class="axis" d=(path([(self.left, self.bottom), (self.right, self.bottom)])) {}
            text class="muted middle" x=(coordinate(self.left.midpoint(self.right))) y=(coordinate(self.bottom + 38.0)) {
                (x_name)
            }
            text class="muted" x=(coordinate(self.left)) y=(coordinate(self.top - 12.0)) { (y_name) }
        }
    }

    /// A rectangle between two numbers of each axis.
    pub(super) fn bar(&self, class: &str, x: (f64, f64), y: (f64, f64), title: &str) -> Markup {
        let (left, bottom) = self.at(x.0, y.0);
        let (right, top) = self.at(x.1, y.1);
        html! {
            rect class=(class) x=(coordinate(left)) y=(coordinate(top)) width=(coordinate((right - left).max(0.0)))
                height=(coordinate((bottom - top).max(0.0))) { title { (title) } }
        }
    }
}

/// The label of a tick, without trailing zeros.
pub(super) fn tick(value: f64) -> String {
    if value >= 10_000.0 {
        const UNITS: [&str; 7] = ["", "k", "M", "G", "T", "P", "E"];
        let thousands = ((value.log10() / 3.0) as usize).min(UNITS.len() - 1);
        let scaled = value / 1000f64.powi(thousands as i32);
        return format!("{}{}", (scaled * 100.0).round() / 100.0, UNITS[thousands]);
    }
    if value >= 1_000.0 {
        return count(value.round() as u64);
    }
    format!("{}", (value * 100.0).round() / 100.0)
}
