//! The failure of a command: the exit code, what happened, and what to do next.

use crate::exit_code::ExitCode;
use crate::interruption;
use crate::settings::{Layers, flag};
use pipeline::{Choice, SettingName};
use std::fmt;
use std::io;
use std::path::Path;

/// The result of a command.
pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

/// Why a command failed.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The exit code of the process.
    pub(crate) code: ExitCode,
    /// What happened.
    pub(crate) message: String,
    /// What to do next, where the message does not say it.
    pub(crate) advice: Option<String>,
    /// The error of the pipeline that the message describes.
    cause: Option<Box<pipeline::Error>>,
}

impl Failure {
    fn new(code: ExitCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), advice: None, cause: None }
    }

    /// The command line or the settings file is wrong.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(ExitCode::Usage, message)
    }

    /// An input has something in it that cannot be used.
    pub(crate) fn bad_input(message: impl Into<String>) -> Self {
        Self::new(ExitCode::BadInput, message)
    }

    /// A file cannot be read or written.
    pub(crate) fn io(action: &str, name: impl fmt::Display, cause: &io::Error) -> Self {
        Self::new(code_of_io(cause), format!("cannot {action} {name}: {cause}"))
    }

    /// Stopped by Ctrl-C or another signal.
    pub(crate) fn interrupted() -> Self {
        let resumable = interruption::is_resumable();
        let next = match resumable {
            true => "run the same command again to continue",
            false if interruption::is_adding() => "records that were answered stay in the index",
            false => "no results were kept",
        };
        Self::new(interruption::exit_code(), format!("stopped; {next}"))
    }

    /// A panic with this message.
    pub(crate) fn bug(message: &str) -> Self {
        pipeline::Error::Panicked { message: message.into() }.into()
    }

    /// The same failure with advice on what to do next.
    pub(crate) fn with_advice(self, advice: impl Into<String>) -> Self {
        Self { advice: Some(advice.into()), cause: None, ..self }
    }

    /// The same failure, with the setting that it is about, if that is known.
    pub(crate) fn about(self, setting: Option<String>) -> Self {
        match setting {
            Some(setting) => Self { message: format!("{setting}: {}", self.message), cause: None, ..self },
            None => self,
        }
    }

    /// The same failure, in which each setting is named as in the layer that it comes from.
    pub(crate) fn named_by(self, layers: &Layers) -> Self {
        let name = |choice: &Choice| layers.name(choice.setting.as_str(), choice.value.as_deref());
        match self.cause {
            // A row of (set, item) cannot be kept: it is in no set.
            Some(error) if layers.has("set-of") && matches!(*error, pipeline::Error::BadRecord { .. }) => {
                Self::of(*error, &name).with_advice("--on-bad-record skip lists such rows as removed")
            }
            Some(error) => Self::of(*error, &name),
            None => self,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if let Some(advice) = &self.advice {
            write!(f, "\n{advice}")?;
        }
        Ok(())
    }
}

impl From<pipeline::Error> for Failure {
    fn from(error: pipeline::Error) -> Self {
        Self::of(error, &as_flag)
    }
}

impl From<index::Error> for Failure {
    fn from(error: index::Error) -> Self {
        use index::Error;
        let code = match error {
            Error::Settings(error @ pipeline::Error::BadRecord { lacks_text, .. }) => {
                let skip = "--on-bad-record skip leaves such records out";
                let advice = match lacks_text {
                    true => format!("name the field that holds the text with --text-field; {skip}"),
                    false => skip.into(),
                };
                return Self::from(error).with_advice(advice);
            }
            Error::Settings(error) => return error.into(),
            Error::NoIndex { .. }
            | Error::Contradiction { .. }
            | Error::Unsuitable { .. }
            | Error::NotForRuns { .. }
            | Error::NoDocument { .. }
            | Error::Threshold { .. }
            | Error::Zero { .. }
            | Error::NotInSketches { .. }
            | Error::NotStored { .. } => ExitCode::Usage,
            Error::Id { .. }
            | Error::MetadataSize { .. }
            | Error::DuplicateId { .. }
            | Error::ExpiresInThePast { .. }
            | Error::Lanes { .. } => ExitCode::BadInput,
            Error::Foreign { .. }
            | Error::Exists { .. }
            | Error::Within { .. }
            | Error::InUse { .. }
            | Error::Newer { .. }
            | Error::DifferentKeys
            | Error::Damaged { .. }
            | Error::Unrepairable { .. }
            | Error::Lost { .. }
            | Error::ReadOnly { .. }
            | Error::WouldLose { .. } => ExitCode::TargetRefused,
            _ => ExitCode::Failure,
        };
        Self { advice: error.next().map(Into::into), ..Self::new(code, error.to_string()) }
    }
}

impl Failure {
    /// Something outside this program is in the way.
    #[cfg(feature = "server")]
    pub(crate) fn outside(message: impl Into<String>) -> Self {
        Self::new(ExitCode::Failure, message)
    }

    /// An index is damaged.
    pub(crate) fn bad_index(message: impl Into<String>) -> Self {
        Self::new(ExitCode::TargetRefused, message)
    }

    /// The failure that an error of the pipeline leads to. `name` writes the settings in its message.
    fn of(error: pipeline::Error, name: &dyn Fn(&Choice) -> String) -> Self {
        use pipeline::{Error, WrongSetting};
        if let Error::Interrupted = error {
            return Self::interrupted();
        }
        if cause_of(&error).is_some_and(corpus::is_stopped) {
            return Self::interrupted();
        }
        let error = match error {
            Error::Index(error) => match error.downcast::<index::Error>() {
                Ok(error) => return (*error).into(),
                Err(other) => Error::Index(other),
            },
            error => error,
        };
        let code = match &error {
            Error::Corpus(error) => code_of(error),
            Error::Setting(_) | Error::Wrong(_) | Error::Invalid(_) | Error::NoSuchDocument { .. } => {
                ExitCode::Usage
            }
            Error::Damaged { name, .. } if is_of_target(name) => ExitCode::TargetRefused,
            Error::BadRecord { .. } | Error::Damaged { .. } => ExitCode::BadInput,
            Error::Memory { .. } | Error::LongText { .. } => ExitCode::Memory,
            Error::Target(_) => ExitCode::TargetRefused,
            Error::Panicked { .. } => ExitCode::Bug,
            Error::Io { cause, .. } => code_of_io(cause),
            _ => ExitCode::Failure,
        };
        let message = match &error {
            Error::Wrong(wrong) => wrong.message_with(name, &as_flag),
            error => error.to_string(),
        };
        let advice = match &error {
            Error::BadRecord { lacks_text, .. } => Some(advice_on_bad_record(*lacks_text, name)),
            Error::NoSuchDocument { nearest, .. } => Some(advice_on_id(nearest)),
            Error::Memory { limit, .. } if (1..MOST_WITHOUT_UNIT).contains(limit) => {
                Some(advice_on_unit(*limit, name))
            }
            Error::Memory { needed, .. } => Some(advice_on_memory(Some(*needed), name)),
            Error::LongText { needed, .. } => Some(format!(
                "{}, or choose a smaller --max-text: longer texts are compared by content hash only",
                advice_on_memory(Some(*needed), name)
            )),
            Error::Wrong(WrongSetting::Needs { choice, .. })
                if choice.setting == SettingName::AgainstOnly =>
            {
                Some("name the documents to compare with: --against INPUT".into())
            }
            Error::Wrong(WrongSetting::NoEffect { with, .. }) if with.setting == SettingName::Kind => {
                Some("leave it out, or choose another kind".into())
            }
            Error::Wrong(WrongSetting::NoEffect { .. }) => {
                Some("leave it out, or choose another method or measure".into())
            }
            Error::Thread { .. } => Some("choose a smaller number with --threads".into()),
            Error::Corpus(error) => advice_on(error, name),
            Error::Io { cause, .. } => advice_on_io(cause),
            Error::Damaged { name, .. } if is_of_target(name) => {
                Some("choose another target folder, or remove this one".into())
            }
            Error::Panicked { .. } => Some(
                "please report the command and the lines above; the inputs are unchanged, and every output file is complete or absent"
                    .into(),
            ),
            Error::Damaged { .. } => {
                Some("make it again with `lookalike sketch`, or give the source files as inputs".into())
            }
            _ => None,
        };
        Self { code, message, advice, cause: Some(Box::new(error)) }
    }
}

impl From<explain::Error> for Failure {
    fn from(error: explain::Error) -> Self {
        use explain::Error;
        let message = error.to_string();
        let advice = match error {
            Error::Pipeline(error) => return error.into(),
            Error::Bags => Some("leave out --elements bag".into()),
            Error::SampleNeedsBands { .. } => {
                Some("leave out --sample, or choose --method minhash and --measure jaccard".into())
            }
            _ => None,
        };
        Self { advice, ..Self::usage(message) }
    }
}

impl From<corpus::Error> for Failure {
    fn from(error: corpus::Error) -> Self {
        Self::from(pipeline::Error::from(error))
    }
}

/// True if the file is one that a run keeps in its target folder.
fn is_of_target(name: &str) -> bool {
    name.ends_with("report.json") || Path::new(name).components().any(|part| part.as_os_str() == "_lookalike")
}

fn code_of(error: &corpus::Error) -> ExitCode {
    match error {
        corpus::Error::Damaged { .. } => ExitCode::BadInput,
        corpus::Error::Invalid(_)
        | corpus::Error::NoSuchColumn { .. }
        | corpus::Error::NotForStdout { .. }
        | corpus::Error::TooLong { .. } => ExitCode::Usage,
        corpus::Error::TooLarge { .. } | corpus::Error::TooWide { .. } => ExitCode::Memory,
        corpus::Error::Io { cause, .. } => code_of_io(cause),
        _ => ExitCode::Failure,
    }
}

/// If a file does not exist, the command line named it wrongly: that is a usage error.
fn code_of_io(cause: &io::Error) -> ExitCode {
    if cause.kind() == io::ErrorKind::NotFound { ExitCode::Usage } else { ExitCode::Failure }
}

/// A setting as a user types it.
fn as_flag(choice: &Choice) -> String {
    flag(choice.setting.as_str(), choice.value.as_deref())
}

/// If the field is missing, the user has probably forgotten `--text-field`. In all other cases the record is at
/// fault.
fn advice_on_bad_record(lacks_text: bool, name: &dyn Fn(&Choice) -> String) -> String {
    let skip = "--on-bad-record skip leaves such records out (dedup lists them as removed), keep does not compare them (dedup writes them)";
    if lacks_text {
        let text_field = name(&Choice { setting: SettingName::TextField, value: None });
        format!("name the field that holds the text with {text_field}; {skip}")
    } else {
        skip.into()
    }
}

fn advice_on_id(nearest: &[String]) -> String {
    match nearest {
        [] => "an id is a value of --id-field, or SOURCE:LINE".into(),
        some => format!("did you mean {}?", some.join(", ")),
    }
}

fn advice_on_memory(needed: Option<u64>, name: &dyn Fn(&Choice) -> String) -> String {
    let memory = name(&Choice { setting: SettingName::Memory, value: None });
    match needed {
        Some(needed) => {
            format!("raise {memory} to {}", corpus::written_size(needed.next_multiple_of(1 << 20)))
        }
        None => format!("raise {memory}"),
    }
}

/// Somebody who chooses a memory limit of less than this many bytes has forgotten the unit.
const MOST_WITHOUT_UNIT: u64 = 1 << 16;

/// Advice for a memory limit of a few bytes: the same number with a unit.
fn advice_on_unit(limit: u64, name: &dyn Fn(&Choice) -> String) -> String {
    let memory = name(&Choice { setting: SettingName::Memory, value: None });
    let (unit, units) = if limit << 20 < pipeline::LEAST_MEMORY { ("G", "GiB") } else { ("M", "MiB") };
    format!("{memory} without a unit is a number of bytes; for {limit} {units} write {limit}{unit}")
}

fn advice_on(error: &corpus::Error, name: &dyn Fn(&Choice) -> String) -> Option<String> {
    match error {
        corpus::Error::Damaged { .. } => {
            Some("download or create the file again; no output was written from it".into())
        }
        corpus::Error::Io { cause, .. } => advice_on_io(cause),
        corpus::Error::NoSuchColumn { columns, .. } if matches!(columns.as_slice(), [one] if one.contains('\t')) => {
            Some("if its columns are separated by tabs, write --format tsv".into())
        }
        corpus::Error::NoSuchColumn { .. } => {
            Some("choose one of these columns with --text-field, --id-field, --keep or --within".into())
        }
        corpus::Error::NotForStdout { .. } => Some("name a folder with --output".into()),
        corpus::Error::TooLarge { .. } => Some(advice_on_memory(error.needed_memory(), name)),
        corpus::Error::TooWide { .. } => Some(format!(
            "{}, or compress it again with a smaller window",
            advice_on_memory(error.needed_memory(), name)
        )),
        corpus::Error::TooLong { .. } => {
            Some(format!("name a shorter text, or {}", advice_on_memory(None, name)))
        }
        _ => None,
    }
}

fn advice_on_io(cause: &io::Error) -> Option<String> {
    match cause.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            Some(format!("free some space there; then {}", again()))
        }
        io::ErrorKind::FileTooLarge => Some(format!(
            "raise the largest size of a file that the system allows (ulimit -f); then {}",
            again()
        )),
        io::ErrorKind::IsADirectory => {
            Some(format!("a folder is where a file belongs: move it away; then {}", again()))
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            Some(format!("change the permissions there, or choose another place; then {}", again()))
        }
        _ => None,
    }
}

/// What to do after the cause of a failure is gone.
fn again() -> &'static str {
    if interruption::is_resumable() {
        "run the same command again to continue"
    } else {
        "run the command again"
    }
}

/// The error of the operating system, if there is one.
fn cause_of(error: &pipeline::Error) -> Option<&io::Error> {
    match error {
        pipeline::Error::Corpus(corpus::Error::Io { cause, .. }) | pipeline::Error::Io { cause, .. } => {
            Some(cause)
        }
        _ => None,
    }
}

/// True if the error only says that the reader of standard output has closed it.
fn is_closed_pipe(error: &pipeline::Error) -> bool {
    cause_of(error).is_some_and(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// The result of a command that writes its answers to standard output and met this error. It is no failure if the
/// reader closed standard output. But Ctrl-C ends the reader of a pipe too, and then the answers are incomplete.
pub(crate) fn of_answers(error: pipeline::Error) -> Result<()> {
    match error {
        error if !is_closed_pipe(&error) => Err(error.into()),
        _ if interruption::requested() => Err(Failure::interrupted()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_error_has_its_exit_code() {
        let io = || io::Error::other("x");
        let bad = |reason: &str, lacks_text| pipeline::Error::BadRecord {
            source_name: "a.jsonl".into(),
            line: 3,
            place: "line 3".into(),
            reason: reason.into(),
            lacks_text,
        };
        let damaged = corpus::Error::Damaged { name: "a.gz".into(), cause: "cut short".into() };
        let of_run = |name: &str| pipeline::Error::Damaged { name: name.into(), cause: "x".into() };
        let codes: Vec<(pipeline::Error, ExitCode)> = vec![
            (pipeline::Error::Invalid("x".into()), ExitCode::Usage),
            (corpus::Error::Invalid("no such file".into()).into(), ExitCode::Usage),
            (corpus::Error::Io { action: "read", name: "a".into(), cause: io() }.into(), ExitCode::Failure),
            (damaged.into(), ExitCode::BadInput),
            (bad("the field `text` is missing", true), ExitCode::BadInput),
            (pipeline::Error::Target("x".into()), ExitCode::TargetRefused),
            (pipeline::Error::Memory { what: "x".into(), needed: 2, limit: 1 }, ExitCode::Memory),
            (pipeline::Error::Interrupted, ExitCode::Interrupted),
            (pipeline::Error::Panicked { message: "x".into() }, ExitCode::Bug),
            (of_run("out/report.json"), ExitCode::TargetRefused),
            (of_run("out/_lookalike/sketches/part-000000"), ExitCode::TargetRefused),
            (of_run("corpus.sketch"), ExitCode::BadInput),
            (pipeline::Error::Io { action: "write", name: "a".into(), cause: io() }, ExitCode::Failure),
        ];
        for (error, code) in codes {
            assert_eq!(Failure::from(error).code, code);
        }
        assert!(Failure::from(bad("the field `text` is missing", true)).to_string().contains("--text-field"));
        assert!(!Failure::from(bad("it is not valid UTF-8", false)).to_string().contains("--text-field"));
    }

    #[test]
    fn a_memory_limit_without_a_unit_is_understood() {
        let failure = |limit| {
            let error = pipeline::Error::Memory { what: "a run".into(), needed: 64 << 20, limit };
            Failure::from(error).to_string()
        };
        assert!(failure(64).contains("the limit is 64 bytes"), "{}", failure(64));
        assert!(failure(64).contains("for 64 MiB write 64M"), "{}", failure(64));
        assert!(failure(2).contains("for 2 GiB write 2G"), "{}", failure(2));
        assert!(failure(0).contains("the limit is 0 bytes\nraise --memory to 64MiB"), "{}", failure(0));
        assert!(failure(1 << 20).contains("the limit is 1 MiB\nraise --memory"), "{}", failure(1 << 20));
    }

    #[test]
    fn a_closed_pipe_is_told_from_other_failures() {
        let error = |kind: io::ErrorKind| pipeline::Error::Io {
            action: "write",
            name: "standard output".into(),
            cause: kind.into(),
        };
        assert!(is_closed_pipe(&error(io::ErrorKind::BrokenPipe)));
        assert!(!is_closed_pipe(&error(io::ErrorKind::StorageFull)));
        assert!(!is_closed_pipe(&pipeline::Error::Interrupted));
    }
}
