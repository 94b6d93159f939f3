//! The progress of a run: on a terminal, a bar for each stage, and a line when the stage is done.

use super::{BARS, DIM, Printer, numbers, plan};
use crate::arguments::LogLevel;
use crate::interruption;
use console::Term;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pipeline::report::Plan;
use pipeline::{Job, Observer, Stage};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A bar is drawn again after this time even if no progress was reported, so that its clock runs.
const TICK: Duration = Duration::from_millis(200);

/// Shows the progress of a run.
#[derive(Debug)]
pub(crate) struct Progress<'a> {
    printer: &'a Printer,
    /// The job whose plan is shown; `None` if no plan is shown.
    job: Option<&'a Job>,
    running: Mutex<Option<Running>>,
}

#[derive(Debug)]
struct Running {
    stage: Stage,
    bar: ProgressBar,
    began: Instant,
}

impl<'a> Progress<'a> {
    /// Shows the plan and the progress of `job`.
    pub(crate) fn new(printer: &'a Printer, job: &'a Job) -> Self {
        Self { job: Some(job), ..Self::quiet_about_plan(printer) }
    }

    /// Shows progress without a plan.
    pub(crate) fn quiet_about_plan(printer: &'a Printer) -> Self {
        if printer.level < LogLevel::Info {
            BARS.set_draw_target(ProgressDrawTarget::hidden());
        }
        Self { printer, job: None, running: Mutex::new(None) }
    }

    /// The same without the plan. A query compares every document, so bands and recall do not apply to it.
    pub(crate) fn without_plan(self) -> Self {
        Self { job: None, ..self }
    }

    /// Removes the bar. Call this when the run has ended, with or without success.
    pub(crate) fn end(&self) {
        if let Some(Running { bar, .. }) = self.running().take() {
            bar.finish_and_clear();
        }
    }

    fn running(&self) -> MutexGuard<'_, Option<Running>> {
        // After a panic the bar can still be drawn, so a poisoned lock does no harm.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Progress<'_> {
    fn planned(&self, made: &Plan) {
        if let Some(job) = self.job {
            self.printer.say(LogLevel::Info, &plan::plan(made, job));
        }
    }

    fn started(&self, stage: Stage, total: u64) {
        self.printer.say(LogLevel::Debug, &format!("{DIM}debug:{DIM:#} {stage} begins"));
        let bar = BARS.add(if total == 0 { ProgressBar::new_spinner() } else { ProgressBar::new(total) });
        bar.set_style(style(stage, total, Term::stderr().size().1));
        bar.set_prefix(stage.name());
        bar.enable_steady_tick(TICK);
        let before = self.running().replace(Running { stage, bar, began: Instant::now() });
        if let Some(Running { bar, .. }) = before {
            bar.finish_and_clear();
        }
    }

    fn advanced(&self, stage: Stage, amount: u64) {
        if let Some(running) = &*self.running()
            && running.stage == stage
        {
            running.bar.inc(amount);
        }
    }

    fn finished(&self, stage: Stage) {
        let Some(Running { bar, began, .. }) = self.running().take() else { return };
        let amount = match stage.unit() {
            "bytes" => numbers::bytes(bar.position()),
            unit => format!("{} {unit}", numbers::count(bar.position())),
        };
        bar.finish_and_clear();
        let line =
            format!("{:>14}  {amount} in {}", stage.name(), numbers::seconds(began.elapsed().as_secs_f64()));
        // On a terminal, finished stages remain visible. Elsewhere they are printed at the level `debug` only.
        let level = if BARS.is_hidden() { LogLevel::Debug } else { LogLevel::Info };
        self.printer.say(level, &line);
    }

    fn note(&self, message: &str) {
        self.printer.note(message);
    }

    fn interrupted(&self) -> bool {
        interruption::requested()
    }
}

/// A bar with amount, rate and remaining time. The remaining time is shown only if the total is known. The bar fills
/// the rest of a line of `columns`, within limits.
fn style(stage: Stage, total: u64, columns: u16) -> ProgressStyle {
    const TEXT: u16 = 68;
    let bar = match columns.saturating_sub(TEXT).min(30) {
        0..5 => String::new(),
        width => format!("[{{bar:{width}}}] "),
    };
    let template = match (stage.unit(), total) {
        ("bytes", 0) => "{prefix:>14}  {spinner} {binary_bytes} at {binary_bytes_per_sec}".to_owned(),
        ("bytes", _) => format!(
            "{{prefix:>14}}  {bar}{{binary_bytes}} of {{binary_total_bytes}} at {{binary_bytes_per_sec}}, {{eta}} left"
        ),
        (_, 0) => "{prefix:>14}  {spinner} {human_pos} at {per_sec}".to_owned(),
        (_, _) => {
            format!("{{prefix:>14}}  {bar}{{human_pos}} of {{human_len}} at {{per_sec}}, {{eta}} left")
        }
    };
    let style = ProgressStyle::with_template(&template).expect("the templates above are well-formed");
    style.progress_chars("=> ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_template_is_well_formed() {
        for stage in [Stage::Sketch, Stage::ExactCopies, Stage::Candidates, Stage::Verify, Stage::Write] {
            for columns in [0, 20, 72, 80, 200] {
                style(stage, 0, columns);
                style(stage, 7, columns);
            }
        }
    }
}
