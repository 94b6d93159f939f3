//! The only module that prints.
//!
//! Answers are written to standard output, everything else to standard error. Progress is shown on a terminal only.
//! Lines that are printed while progress is shown appear above it.

mod answers;
mod compared;
mod compared_values;
mod escaped;
mod evaluated;
mod indexed;
mod inspected;
mod labelling;
mod numbers;
mod plan;
mod planned;
mod presets;
mod progress;
mod recorded;
mod summary;
#[cfg(test)]
mod tests;

pub(crate) use answers::Answers;
pub(crate) use compared::Shown;
pub(crate) use escaped::escaped;
pub(crate) use evaluated::{Evaluated, Mistake, MistakenTexts};
pub(crate) use inspected::{Inspected, Named, NamedPair};
pub(crate) use labelling::{Asked, LabelsSoFar};
pub(crate) use progress::Progress;
pub(crate) use recorded::Compared as ComparedRecords;

use crate::arguments::{Color, General, LogLevel};
use crate::exit_code::ExitCode;
use crate::failure::{Failure, Result};
use anstyle::{AnsiColor, Style};
use compared::ShownComparison;
use compared_values::ShownValues;
use escaped::escaped_lines;
use explain::comparison::Compared;
use explain::plan::{MeasuredSample, Planned};
use figures::terminal::is_obeyed;
use indicatif::MultiProgress;
use pipeline::presets::{Figures, Preset};
use pipeline::{ComparedValues, Job, Report, Settings};
use planned::ShownPlan;
use std::io::{self, Write};
use std::path::Path;
use std::sync::LazyLock;

/// The progress bars at the bottom of the terminal. Nothing is drawn if standard error is not a terminal.
static BARS: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const RED: Style = AnsiColor::Red.on_default().bold();
const YELLOW: Style = AnsiColor::Yellow.on_default().bold();
const CYAN: Style = AnsiColor::Cyan.on_default().bold();

/// Prints as much as the flags ask for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Printer {
    level: LogLevel,
    json: bool,
}

impl Printer {
    /// A printer that follows the flags.
    pub(crate) fn new(general: &General) -> Self {
        match general.color {
            Color::Auto => {}
            Color::Always => anstream::ColorChoice::Always.write_global(),
            Color::Never => anstream::ColorChoice::Never.write_global(),
        }
        let level = if general.quiet { LogLevel::Warn } else { general.log_level.unwrap_or_default() };
        Self { level, json: general.json }
    }

    /// True if answers are written as JSON.
    pub(crate) fn json(&self) -> bool {
        self.json
    }

    /// Prints why the command failed, and returns the exit code.
    pub(crate) fn failure(&self, failure: &Failure) -> ExitCode {
        let mut text = format!("{RED}error:{RED:#} {}", escaped_lines(&failure.message));
        if let Some(advice) = &failure.advice {
            text.push_str(&format!("\n{CYAN}next:{CYAN:#} {}", escaped_lines(advice)));
        }
        line(&text);
        failure.code
    }

    /// Prints a note.
    pub(crate) fn note(&self, message: &str) {
        self.say(LogLevel::Warn, &format!("{YELLOW}note:{YELLOW:#} {}", escaped(message)));
    }

    /// Prints the settings of the job, at the level `debug`.
    pub(crate) fn settings(&self, job: &Job) {
        if self.level >= LogLevel::Debug {
            let settings = serde_json::to_string(&job.settings).expect("settings are plain values");
            self.say(LogLevel::Debug, &format!("{DIM}debug:{DIM:#} settings {}", escaped(&settings)));
            let pipeline::Resources { memory, threads, .. } = job.resources;
            let memory = numbers::bytes(memory);
            self.say(LogLevel::Debug, &format!("{DIM}debug:{DIM:#} threads {threads}, memory {memory}"));
        }
    }

    /// Prints the summary of a dedup. `target` is where the outputs are; `None` if there are none.
    pub(crate) fn summary(&self, report: &Report, target: Option<&str>) -> Result<()> {
        self.say(LogLevel::Info, &summary::dedup(report, target));
        self.report(report)
    }

    /// Says that the target already held the finished run.
    pub(crate) fn already_finished(&self, report: &Report, target: &str) -> Result<()> {
        self.say(
            LogLevel::Info,
            &format!("{BOLD}{} already holds this finished run: nothing to do{BOLD:#}", escaped(target)),
        );
        self.say(LogLevel::Info, &summary::dedup(report, Some(target)));
        self.report(report)
    }

    /// Prints the summary of a search for pairs. The pairs themselves were printed before.
    pub(crate) fn pairs(&self, report: &Report, given: u64) {
        self.say(LogLevel::Info, &summary::pairs(report, given));
    }

    /// Says that not all pairs were listed.
    pub(crate) fn cut(&self, given: u64, left_out: u64) {
        let [given, left_out] = [given, left_out].map(numbers::count);
        self.note(&format!(
            "--max-pairs: the first {given} pairs are listed, and {left_out} more are left out"
        ));
    }

    /// Prints the summary of a search for clusters. The clusters themselves were printed before.
    pub(crate) fn clusters(&self, report: &Report) {
        self.say(LogLevel::Info, &summary::clusters(report));
    }

    /// Prints the summary of sketching.
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

    /// A comparison of two values that are not texts.
    pub(crate) fn compared_values(&self, compared: &ComparedValues, names: &[String; 2]) -> Result<()> {
        let compared = ShownValues { compared, names };
        let text = if self.json { compared.json() } else { compared.text() };
        self.document(text.as_bytes())
    }

    /// A plan, and what a sample says about it.
    pub(crate) fn planned(&self, planned: &Planned, sample: Option<&MeasuredSample>) -> Result<()> {
        let planned = ShownPlan { planned, sample };
        let text = if self.json { planned.json() } else { planned.text(colors(), columns()) };
        self.document(text.as_bytes())
    }

    /// Prints what was found in a run.
    pub(crate) fn inspected(&self, inspected: &Inspected) -> Result<()> {
        let text = if self.json { inspected.json() } else { inspected.text(columns()) };
        self.document(text.as_bytes())
    }

    /// Says which file something was written to.
    pub(crate) fn written(&self, what: &str, path: &Path) {
        self.say(
            LogLevel::Info,
            &format!("{what} is in {BOLD}{}{BOLD:#}", escaped(&path.display().to_string())),
        );
    }

    /// Prints the presets.
    pub(crate) fn presets(&self, rows: &[(Preset, Settings, Figures)]) -> Result<()> {
        let text = if self.json { presets::json(rows) } else { presets::table(rows) };
        self.document(text.as_bytes())
    }

    /// Writes a whole document to standard output. It is no failure if the reader has closed standard output.
    pub(crate) fn document(&self, bytes: &[u8]) -> Result<()> {
        let mut stdout = anstream::stdout().lock();
        match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
            Err(cause) if cause.kind() != io::ErrorKind::BrokenPipe => {
                Err(Failure::io("write to", answers::STANDARD_OUTPUT, &cause))
            }
            _ => Ok(()),
        }
    }

    /// Writes the report to standard output if `--json` was given.
    pub(crate) fn report(&self, report: &Report) -> Result<()> {
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

/// Whether standard output has colours.
fn colors() -> figures::terminal::Colors {
    match anstream::AutoStream::choice(&io::stdout()) {
        anstream::ColorChoice::Never => figures::terminal::Colors::Off,
        _ => figures::terminal::Colors::On,
    }
}

/// The width of the terminal in columns; 100 if there is no terminal.
fn columns() -> usize {
    let (_, columns) = console::Term::stdout().size_checked().unwrap_or((0, 100));
    usize::from(columns).clamp(40, 240)
}

/// Prints what is wrong with the command line, or the text of `--help` or `--version`.
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

/// Says that the process was stopped.
pub(crate) fn stopped() {
    line(&format!("{RED}error:{RED:#} stopped; no results were kept"));
}

/// From now on a panic is reported in one line, without characters that a terminal would interpret.
pub(crate) fn hear_of_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        line(&format!("{DIM}panic:{DIM:#} {}: {}", escaped(&place), escaped(said(panic.payload()))));
    }));
}

/// The message of a panic.
pub(crate) fn said(panic: &(dyn std::any::Any + Send)) -> &str {
    let literal = panic.downcast_ref::<&str>().copied();
    literal.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("there is no message")
}

/// Says that the signal to stop was received, and what comes of it.
pub(crate) fn stopping(next: &str) {
    line(&format!("{YELLOW}stopping cleanly...{YELLOW:#} {next}; press Ctrl-C again to stop at once"));
}

/// Prints a line to standard error, above the progress bars.
fn line(text: &str) {
    BARS.suspend(|| {
        // If standard error is closed, there is nowhere to report that.
        let _ = writeln!(anstream::stderr().lock(), "{text}");
    });
}
