//! The only place that prints.
//!
//! Answers go to standard output, everything else to standard error. Progress is shown on a terminal only, and lines
//! that are printed meanwhile go above it.

mod answers;
mod compared;
mod escaped;
mod inspected;
mod numbers;
mod plan;
mod planned;
mod presets;
mod progress;
mod summary;
#[cfg(test)]
mod tests;

pub(crate) use answers::Answers;
pub(crate) use compared::Shown;
pub(crate) use inspected::{Inspected, Named, NamedPair};
pub(crate) use progress::Progress;

use crate::arguments::{Color, General, LogLevel};
use crate::exit_code::ExitCode;
use crate::failure::{Failure, Result};
use anstyle::{AnsiColor, Style};
use compared::ShownComparison;
use escaped::{escaped, escaped_lines};
use explain::comparison::Compared;
use explain::plan::{MeasuredSample, Planned};
use figures::terminal::is_obeyed;
use indicatif::MultiProgress;
use pipeline::presets::{Figures, Preset};
use pipeline::{Job, Report, Settings};
use planned::ShownPlan;
use std::io::{self, Write};
use std::path::Path;
use std::sync::LazyLock;

/// What is drawn at the bottom of the terminal; nothing if there is none.
static BARS: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const RED: Style = AnsiColor::Red.on_default().bold();
const YELLOW: Style = AnsiColor::Yellow.on_default().bold();
const CYAN: Style = AnsiColor::Cyan.on_default().bold();

/// Prints as much as was asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Printer {
    level: LogLevel,
    json: bool,
}

impl Printer {
    /// A printer that obeys the flags.
    pub(crate) fn new(general: &General) -> Self {
        match general.color {
            Color::Auto => {}
            Color::Always => anstream::ColorChoice::Always.write_global(),
            Color::Never => anstream::ColorChoice::Never.write_global(),
        }
        let level = if general.quiet { LogLevel::Warn } else { general.log_level.unwrap_or_default() };
        Self { level, json: general.json }
    }

    /// Whether answers are JSON.
    pub(crate) fn json(&self) -> bool {
        self.json
    }

    /// Says what ended the command, and gives the exit code.
    pub(crate) fn failure(&self, failure: &Failure) -> ExitCode {
        let mut text = format!("{RED}error:{RED:#} {}", escaped_lines(&failure.message));
        if let Some(advice) = &failure.advice {
            text.push_str(&format!("\n{CYAN}next:{CYAN:#} {}", escaped_lines(advice)));
        }
        line(&text);
        failure.code
    }

    /// Says something worth knowing.
    pub(crate) fn note(&self, message: &str) {
        self.say(LogLevel::Warn, &format!("{YELLOW}note:{YELLOW:#} {}", escaped_lines(message)));
    }

    /// Says what the settings came to, to those who want to know.
    pub(crate) fn settings(&self, job: &Job) {
        if self.level >= LogLevel::Debug {
            let settings = serde_json::to_string(&job.settings).expect("settings are plain values");
            self.say(LogLevel::Debug, &format!("{DIM}debug:{DIM:#} settings {}", escaped(&settings)));
            let pipeline::Resources { memory, threads, .. } = job.resources;
            let memory = numbers::bytes(memory);
            self.say(LogLevel::Debug, &format!("{DIM}debug:{DIM:#} threads {threads}, memory {memory}"));
        }
    }

    /// What a dedup came to; `target` is where the outputs are, if there are any.
    pub(crate) fn summary(&self, report: &Report, target: Option<&str>) -> Result<()> {
        self.say(LogLevel::Info, &summary::dedup(report, target));
        self.report(report)
    }

    /// The target held the finished run.
    pub(crate) fn already_finished(&self, report: &Report, target: &str) -> Result<()> {
        self.say(
            LogLevel::Info,
            &format!("{BOLD}{} holds this run already, finished: nothing to do{BOLD:#}", escaped(target)),
        );
        self.say(LogLevel::Info, &summary::dedup(report, Some(target)));
        self.report(report)
    }

    /// What a search for pairs came to; the answers were printed on the way.
    pub(crate) fn pairs(&self, report: &Report, given: u64) {
        self.say(LogLevel::Info, &summary::pairs(report, given));
    }

    /// The list of pairs is not all of them.
    pub(crate) fn cut(&self, given: u64, left_out: u64) {
        let [given, left_out] = [given, left_out].map(numbers::count);
        self.note(&format!(
            "--max-pairs: the first {given} pairs are listed, and {left_out} more are left out"
        ));
    }

    /// What a search for clusters came to; the answers were printed on the way.
    pub(crate) fn clusters(&self, report: &Report) {
        self.say(LogLevel::Info, &summary::clusters(report));
    }

    /// What sketching came to.
    pub(crate) fn sketched(&self, report: &Report, file: &Path) -> Result<()> {
        self.say(LogLevel::Info, &summary::sketched(report, &file.display().to_string()));
        self.report(report)
    }

    /// A comparison; on a terminal only its numbers if the texts went elsewhere.
    pub(crate) fn compared(&self, compared: &Compared, shown: Shown) -> Result<()> {
        let compared = ShownComparison(compared);
        let text = if self.json { compared.json() } else { compared.text(shown, colors(), columns()) };
        self.document(text.as_bytes())
    }

    /// A plan, and what a sample says about it.
    pub(crate) fn planned(&self, planned: &Planned, sample: Option<&MeasuredSample>) -> Result<()> {
        let planned = ShownPlan { planned, sample };
        let text = if self.json { planned.json() } else { planned.text(colors(), columns()) };
        self.document(text.as_bytes())
    }

    /// What was found in a run.
    pub(crate) fn inspected(&self, inspected: &Inspected) -> Result<()> {
        let text = if self.json { inspected.json() } else { inspected.text(columns()) };
        self.document(text.as_bytes())
    }

    /// Something was written to a file.
    pub(crate) fn written(&self, what: &str, path: &Path) {
        self.say(
            LogLevel::Info,
            &format!("{what} is in {BOLD}{}{BOLD:#}", escaped(&path.display().to_string())),
        );
    }

    /// The presets.
    pub(crate) fn presets(&self, rows: &[(Preset, Settings, Figures)]) -> Result<()> {
        let text = if self.json { presets::json(rows) } else { presets::table(rows) };
        self.document(text.as_bytes())
    }

    /// Something whole for standard output. A reader that has seen enough is no failure.
    pub(crate) fn document(&self, bytes: &[u8]) -> Result<()> {
        let mut stdout = anstream::stdout().lock();
        match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
            Err(cause) if cause.kind() != io::ErrorKind::BrokenPipe => {
                Err(Failure::io("write to", answers::STANDARD_OUTPUT, &cause))
            }
            _ => Ok(()),
        }
    }

    /// The report on standard output, if asked for.
    fn report(&self, report: &Report) -> Result<()> {
        if !self.json {
            return Ok(());
        }
        let mut text = serde_json::to_string_pretty(report).expect("a report is plain values");
        text.push('\n');
        self.document(text.as_bytes())
    }

    fn say(&self, level: LogLevel, text: &str) {
        if self.level >= level {
            line(text);
        }
    }
}

/// Whether standard output is shown in colour.
fn colors() -> figures::terminal::Colors {
    match anstream::AutoStream::choice(&io::stdout()) {
        anstream::ColorChoice::Never => figures::terminal::Colors::Off,
        _ => figures::terminal::Colors::On,
    }
}

/// The columns of the terminal; 100 where there is none.
fn columns() -> usize {
    let (_, columns) = console::Term::stdout().size_checked().unwrap_or((0, 100));
    usize::from(columns).clamp(40, 240)
}

/// Says what is wrong with the command line, or what was asked for with `--help` and `--version`.
pub(crate) fn usage(wrong: &clap::Error) -> ExitCode {
    let dangerous = std::env::args_os().any(|argument| argument.to_string_lossy().contains(is_obeyed));
    if dangerous {
        line(&escaped_lines(&wrong.render().to_string()));
    } else if let Err(cause) = wrong.print()
        && !wrong.use_stderr()
        && cause.kind() != io::ErrorKind::BrokenPipe
    {
        let failure = Failure::io("write to", answers::STANDARD_OUTPUT, &cause);
        line(&format!("{RED}error:{RED:#} {}", failure.message));
        return failure.code;
    }
    if wrong.use_stderr() { ExitCode::Usage } else { ExitCode::Success }
}

/// Says that the process ends here.
pub(crate) fn stopped() {
    line(&format!("{RED}error:{RED:#} stopped; nothing was kept of it"));
}

/// From now on a panic is told in one line, without anything that a terminal would obey.
pub(crate) fn hear_of_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        line(&format!("{DIM}panic:{DIM:#} {}: {}", escaped(&place), escaped(said(panic.payload()))));
    }));
}

/// What a panic said.
pub(crate) fn said(panic: &(dyn std::any::Any + Send)) -> &str {
    let literal = panic.downcast_ref::<&str>().copied();
    literal
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("it did not say what happened")
}

/// Says that Ctrl-C was understood.
pub(crate) fn stopping(resumable: bool) {
    let next = if resumable { "the same command goes on from here" } else { "nothing is kept of it" };
    line(&format!("{YELLOW}stopping cleanly...{YELLOW:#} {next}; Ctrl-C again stops at once"));
}

/// A line on standard error, above what is drawn there.
fn line(text: &str) {
    BARS.suspend(|| {
        // Whoever closed standard error does not want to know.
        let _ = writeln!(anstream::stderr().lock(), "{text}");
    });
}
