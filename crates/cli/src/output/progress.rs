//! A run, watched: a bar per stage on a terminal, a line when it is done.

use super::{BARS, DIM, Printer, numbers, plan};
use crate::arguments::LogLevel;
use crate::interruption;
use console::Term;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pipeline::report::Plan;
use pipeline::{Job, Observer, Stage};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often a bar moves even if nothing is reported, so that its clock runs.
const TICK: Duration = Duration::from_millis(200);

/// Watches a run.
#[derive(Debug)]
pub(crate) struct Progress<'a> {
    printer: &'a Printer,
    /// What is planned for, if the plan is to be shown.
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
    /// Watches the run of `job`.
    pub(crate) fn new(printer: &'a Printer, job: &'a Job) -> Self {
        Self { job: Some(job), ..Self::quiet_about_plan(printer) }
    }

    /// Watches something else than the run of a job.
    pub(crate) fn quiet_about_plan(printer: &'a Printer) -> Self {
        if printer.level < LogLevel::Info {
            BARS.set_draw_target(ProgressDrawTarget::hidden());
        }
        Self { printer, job: None, running: Mutex::new(None) }
    }

    /// The same without the plan: a query compares everything, so bands and recall say nothing about it.
    pub(crate) fn without_plan(self) -> Self {
        Self { job: None, ..self }
    }

    /// The run is over, however it ended.
    pub(crate) fn end(&self) {
        if let Some(Running { bar, .. }) = self.running().take() {
            bar.finish_and_clear();
        }
    }

    fn running(&self) -> MutexGuard<'_, Option<Running>> {
        // What is behind the lock is only drawn, and stays drawable.
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
        // Done stages stay on a terminal; elsewhere they are news for those who asked for everything.
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

/// Amount, rate and remaining time; the latter only where the end is known. The bar takes what is left of a line of
/// `columns`, within limits.
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
