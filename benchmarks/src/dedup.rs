//! The program under test: `lookalike dedup` as users run it, and `pairs` called through the library.

use crate::child::{self, Usage};
use crate::parse_only;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The program, built for the benchmarks.
#[derive(Debug, Clone)]
pub struct Program {
    path: PathBuf,
}

/// A removed document, from `removed.jsonl`. Lines are counted from 0 here.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Removal {
    /// The line of the removed document.
    pub line: usize,
    /// The line of the kept document.
    pub kept_line: usize,
    /// True if it is an exact copy.
    pub exact: bool,
    /// The similarity in the file.
    pub similarity: f64,
}

impl Program {
    /// Builds the program with the profile of the benchmarks, if necessary. `LOOKALIKE_BIN` names another program to
    /// measure instead.
    pub fn build() -> Result<Self, String> {
        if let Some(path) = std::env::var_os("LOOKALIKE_BIN") {
            return Ok(Self { path: path.into() });
        }
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut build = Command::new(cargo);
        build.args(["build", "--quiet", "--release", "--bin", "lookalike"]);
        child::run(build.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/..")), None)?;
        // Benchmarks are in `release/deps`, the program is in `release`.
        let own = std::env::current_exe().map_err(|cause| format!("cannot find this benchmark: {cause}"))?;
        let path = own.ancestors().nth(2).unwrap_or(Path::new(".")).join("lookalike");
        if path.is_file() { Ok(Self { path }) } else { Err(format!("{} was not built", path.display())) }
    }

    /// Where the program is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The command `lookalike NAME`, without further arguments.
    #[must_use]
    pub fn command(&self, name: &str) -> Command {
        let mut command = Command::new(&self.path);
        command.arg(name);
        command
    }

    /// The command `lookalike dedup INPUT -o TARGET --threads N` with further arguments.
    #[must_use]
    pub fn dedup(&self, input: &Path, target: &Path, threads: usize, more: &[&str]) -> Command {
        let mut command = self.command("dedup");
        command.arg(input).arg("-o").arg(target);
        command.args(["--quiet", "--threads", &threads.to_string()]).args(more);
        command
    }
}

/// The content of `report.json` of a finished run.
pub fn report(target: &Path) -> Result<serde_json::Value, String> {
    let file = target.join("report.json");
    let bytes = std::fs::read(&file).map_err(|cause| format!("{}: {cause}", file.display()))?;
    serde_json::from_slice(&bytes).map_err(|cause| format!("{}: {cause}", file.display()))
}

/// The content of `removed.jsonl` of a run over one file.
pub fn removals(target: &Path) -> Result<Vec<Removal>, String> {
    let file = target.join("removed.jsonl");
    let text = std::fs::read_to_string(&file).map_err(|cause| format!("{}: {cause}", file.display()))?;
    let removal = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).ok()?;
        let number = |name: &str| value.get(name)?.as_u64()?.checked_sub(1);
        Some(Removal {
            line: number("line")? as usize,
            kept_line: number("kept_line")? as usize,
            exact: value.get("kind")?.as_str()? == "exact",
            similarity: value.get("similarity")?.as_f64()?,
        })
    };
    let parsed = text.lines().map(|line| removal(line).ok_or_else(|| format!("not a removal: {line}")));
    parsed.collect()
}

/// The output file of a run over `input`.
#[must_use]
pub fn kept_file(target: &Path, input: &Path) -> PathBuf {
    target.join(input.file_name().unwrap_or_default())
}

/// CPU seconds to parse the file once and take the text: with the file in memory, and with reading it from the page
/// cache.
pub fn parse_seconds(file: &Path, repetitions: usize) -> Result<(f64, f64), String> {
    let lines = std::fs::read(file).map_err(|cause| format!("{}: {cause}", file.display()))?;
    let visit = |text: &str| {
        std::hint::black_box(text);
    };
    let from_memory = crate::least_cpu_seconds(repetitions, || parse_only(&lines, visit));
    let mut buffer = lines;
    let mut failure = None;
    let with_reading = crate::least_cpu_seconds(repetitions, || {
        buffer.clear();
        match File::open(file).and_then(|mut file| file.read_to_end(&mut buffer)) {
            Ok(_) => parse_only(&buffer, visit),
            Err(cause) => failure = Some(format!("{}: {cause}", file.display())),
        }
    });
    failure.map_or(Ok((from_memory, with_reading)), Err)
}

/// The texts of a JSON Lines file.
pub fn texts(file: &Path) -> Result<Vec<String>, String> {
    let lines = std::fs::read(file).map_err(|cause| format!("{}: {cause}", file.display()))?;
    let mut texts = Vec::new();
    parse_only(&lines, |text| texts.push(text.to_owned()));
    Ok(texts)
}

/// The pairs of a file.
#[derive(Debug, Clone)]
pub struct Pairs {
    /// The pairs, by line number from 0.
    pub found: Vec<(usize, usize)>,
    /// The run's own estimate of its recall.
    pub recall: Option<pipeline::report::Recall>,
}

impl Pairs {
    /// A sentence that says how many standard errors the run's own estimate of its recall is away from the true
    /// recall.
    #[must_use]
    pub fn estimate_against(&self, recall: f64) -> String {
        let Some(own) = self.recall else { return "the run gave no estimate".into() };
        let away = (own.estimate - recall).abs() / own.standard_error.max(1e-9);
        format!(
            "own estimate {:.4}, standard error {:.4}: {away:.2} standard errors away {}",
            own.estimate,
            own.standard_error,
            crate::verdict(away, 3.0)
        )
    }
}

/// All pairs of a file at or above `threshold`.
pub fn pairs(file: &Path, threshold: f64) -> Result<Pairs, String> {
    let arguments = [file.to_string_lossy().into_owned()];
    let sources =
        corpus::discover(&arguments, &corpus::Discovery::default()).map_err(|error| error.to_string())?;
    let job = pipeline::Job {
        sources,
        against: Vec::new(),
        settings: pipeline::Settings::default().with_threshold(threshold),
        resources: pipeline::Resources {
            memory: 4 << 30,
            threads: 2,
            ..pipeline::Resources::of_this_machine()
        },
        sketch: None,
        indexes: pipeline::Indexes::default(),
    };
    let mut found = Vec::new();
    let report = pipeline::pairs(&job, &pipeline::Silent, &mut |pair| {
        found.push((pair.a.line as usize - 1, pair.b.line as usize - 1));
        Ok(std::ops::ControlFlow::Continue(()))
    })
    .map_err(|error| error.to_string())?;
    Ok(Pairs { found, recall: report.recall })
}

/// One line about a run: CPU time, wall-clock time, memory, and speed.
#[must_use]
pub fn line(what: &str, usage: Usage, megabytes: f64) -> String {
    format!(
        "{what:34} {:8.3} s CPU {:8.3} s {:7.0} MiB {:7.1} MB per CPU second",
        usage.cpu_seconds,
        usage.wall_seconds,
        usage.peak_bytes as f64 / f64::from(1 << 20),
        megabytes / usage.cpu_seconds
    )
}
