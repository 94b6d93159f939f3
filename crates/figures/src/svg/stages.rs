//! How long each stage took, and how much it processed.

use super::{Svg, coordinate};
use crate::numbers::{rate, seconds, shortened};
use maud::html;

/// A stage of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// Its name.
    pub name: String,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// CPU seconds of all threads.
    pub cpu_seconds: f64,
    /// The amount that it processed.
    pub amount: u64,
    /// The unit of the amount: `documents`, `bytes`, `pairs`.
    pub unit: String,
}

/// The stages of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stages {
    /// The stages in the order in which they ran.
    pub stages: Vec<Stage>,
}

const ROW: f64 = 44.0;
/// At most this many stages are drawn. A run has about ten.
const MOST: usize = 40;
/// At most this many characters of a name are shown.
const NAME: usize = 40;

impl Stages {
    /// The drawing.
    #[must_use]
    pub fn svg(&self) -> Svg {
        let total: f64 = self.stages.iter().map(|stage| stage.seconds.max(0.0)).sum();
        let most = self.stages.iter().map(|stage| stage.seconds).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
        let drawn = &self.stages[..self.stages.len().min(MOST)];
        let body = html! {
            @for (at, stage) in drawn.iter().enumerate() {
                @let name = shortened(&stage.name, NAME);
                @let top = 4.0 + ROW * at as f64;
                @let width = 608.0 * (stage.seconds / most).clamp(0.0, 1.0);
                text class="strong" x="16" y=(coordinate(top + 13.0)) { (name) }
                text class="end" x="624" y=(coordinate(top + 13.0)) {
                    (seconds(stage.seconds))
                    tspan class="muted" {
                        " · " (seconds(stage.cpu_seconds)) " CPU"
                        @if let Some(rate) = stage.rate() { " · " (rate) }
                    }
                }
                rect class="track" x="16" y=(coordinate(top + 20.0)) width="608" height="10" rx="2" {}
                rect class="found" x="16" y=(coordinate(top + 20.0)) width=(coordinate(width.max(1.5))) height="10" rx="2" {
                    title { (name) ": " (seconds(stage.seconds)) }
                }
            }
        };
        let names =
            drawn.iter().map(|stage| format!("{} {}", shortened(&stage.name, NAME), seconds(stage.seconds)));
        let description = format!("{} in all: {}.", seconds(total), names.collect::<Vec<_>>().join(", "));
        let height = 4.0 + ROW * drawn.len().max(1) as f64;
        Svg { width: 640.0, height, title: "Time by stage".into(), description, body }
    }
}

impl Stage {
    /// The amount processed per second; `None` if the stage took no time.
    #[must_use]
    pub fn rate(&self) -> Option<String> {
        (self.seconds > 0.0 && self.amount > 0)
            .then(|| rate(self.amount as f64 / self.seconds, &shortened(&self.unit, NAME)))
    }
}
