//! Measures how long each stage takes.

use crate::report::{Run, StageTime};
use crate::{Observer, Stage};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Measures the stages, and tells the observer when they begin and end.
pub(crate) struct Stages<'a> {
    observer: &'a dyn Observer,
    started: u64,
    start: Instant,
    current: Option<(Stage, Instant, f64)>,
    done: Vec<StageTime>,
}

/// The CPU time that this process has used, in seconds.
fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

impl<'a> Stages<'a> {
    /// Starts the clock.
    pub(crate) fn new(observer: &'a dyn Observer) -> Self {
        let started = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        Self { observer, started, start: Instant::now(), current: None, done: Vec::new() }
    }

    /// The observer.
    pub(crate) fn observer(&self) -> &'a dyn Observer {
        self.observer
    }

    /// Begins a stage with this amount of work.
    pub(crate) fn begin(&mut self, stage: Stage, total: u64) {
        self.observer.started(stage, total);
        self.begin_quietly(stage);
    }

    /// Begins a stage that calls the observer itself when it knows its amount of work.
    pub(crate) fn begin_quietly(&mut self, stage: Stage) {
        self.current = Some((stage, Instant::now(), cpu_seconds()));
    }

    /// Ends the stage, which did this amount of work.
    pub(crate) fn end(&mut self, amount: u64) {
        if let Some((stage, start, cpu)) = self.current.take() {
            self.observer.finished(stage);
            self.done.push(StageTime {
                stage: stage.name().into(),
                seconds: start.elapsed().as_secs_f64(),
                cpu_seconds: cpu_seconds() - cpu,
                amount,
                // The progress of this stage is counted in documents, but its work in pairs.
                unit: if stage == Stage::Verify { "pairs" } else { stage.unit() }.into(),
            });
        }
    }

    /// The times for the report.
    pub(crate) fn finish(self) -> Run {
        Run {
            started: self.started,
            seconds: self.start.elapsed().as_secs_f64(),
            stages: self.done,
            ..Run::default()
        }
    }
}
