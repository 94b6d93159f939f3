//! Errors of the crates -> Python exceptions, one class per kind (`lookalike.errors`).

use pyo3::call::PyCallArgs;
use pyo3::prelude::*;

/// The classes of `lookalike.errors` that are raised from here.
#[derive(Debug, Clone, Copy)]
enum Class {
    BadRecord,
    Damaged,
    File,
    Incompatible,
    MemoryLimit,
    Setting,
    Target,
}

impl Class {
    fn name(self) -> &'static str {
        match self {
            Self::BadRecord => "BadRecordError",
            Self::Damaged => "DamagedError",
            Self::File => "FileError",
            Self::Incompatible => "IncompatibleError",
            Self::MemoryLimit => "MemoryLimitError",
            Self::Setting => "SettingError",
            Self::Target => "TargetError",
        }
    }

    /// An exception of the class, made from `arguments`.
    fn error<'py>(self, py: Python<'py>, arguments: impl PyCallArgs<'py>) -> PyErr {
        let class = py.import("lookalike.errors").and_then(|errors| errors.getattr(self.name()));
        match class.and_then(|class| class.call1(arguments)) {
            Ok(exception) => PyErr::from_value(exception),
            Err(error) => error,
        }
    }

    fn saying(self, message: impl std::fmt::Display) -> PyErr {
        Python::attach(|py| self.error(py, (in_python(&message.to_string()),)))
    }
}

/// A setting or an argument that makes no sense.
pub(crate) fn setting(message: impl std::fmt::Display) -> PyErr {
    Class::Setting.saying(message)
}

/// A file that cannot be read or written.
pub(crate) fn system(action: &str, path: &std::path::Path, cause: &std::io::Error) -> PyErr {
    of_system(&format_args!("cannot {action} {}: {cause}", path.display()), cause)
}

/// An error of a crate that becomes an exception.
pub(crate) trait Raise<T> {
    /// The value, or the exception.
    fn or_raise(self) -> PyResult<T>;
}

impl<T> Raise<T> for lookalike::Result<T> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(|error| of_library(&error))
    }
}

impl<T> Raise<T> for pipeline::Result<T> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(|error| of_pipeline(&error))
    }
}

impl<T> Raise<T> for corpus::Result<T> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(|error| of_corpus(&error))
    }
}

impl<T> Raise<T> for arrow::Result<T> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(|error| match &error {
            arrow::Error::Pipeline(error) => of_pipeline(error),
            arrow::Error::BadRecord { id, reason } => {
                Python::attach(|py| Class::BadRecord.error(py, ("id", *id, reason)))
            }
            _ => Class::Setting.saying(error),
        })
    }
}

fn of_library(error: &lookalike::Error) -> PyErr {
    match error {
        lookalike::Error::Incompatible { .. } | lookalike::Error::LengthMismatch { .. } => {
            Class::Incompatible.saying(error)
        }
        lookalike::Error::Decode { .. } => Class::Damaged.saying(error),
        _ => Class::Setting.saying(error),
    }
}

fn of_pipeline(error: &pipeline::Error) -> PyErr {
    match error {
        pipeline::Error::Corpus(error) => of_corpus(error),
        pipeline::Error::Setting(error) => of_library(error),
        pipeline::Error::BadRecord { source_name, line, reason } => {
            Python::attach(|py| Class::BadRecord.error(py, (source_name, *line, reason)))
        }
        pipeline::Error::Memory { .. } => Class::MemoryLimit.saying(error),
        pipeline::Error::Target(_) => Class::Target.saying(error),
        pipeline::Error::Io { cause, .. } => of_system(error, cause),
        pipeline::Error::Damaged { .. } => Class::Damaged.saying(error),
        pipeline::Error::Interrupted => pyo3::exceptions::PyKeyboardInterrupt::new_err(()),
        _ => Class::Setting.saying(error),
    }
}

fn of_corpus(error: &corpus::Error) -> PyErr {
    match error {
        corpus::Error::Io { cause, .. } => of_system(error, cause),
        corpus::Error::Damaged { .. } => Class::Damaged.saying(error),
        corpus::Error::TooLarge { .. } => Class::MemoryLimit.saying(error),
        _ => Class::Setting.saying(error),
    }
}

/// With the number of the system's error, as any `OSError` has it.
fn of_system(error: &dyn std::fmt::Display, cause: &std::io::Error) -> PyErr {
    match cause.raw_os_error() {
        Some(number) => Python::attach(|py| Class::File.error(py, (number, in_python(&error.to_string())))),
        None => Class::File.saying(error),
    }
}

/// Flags of the command line are called as arguments are: `--on-bad-record` is `on_bad_record`.
fn in_python(message: &str) -> String {
    let mut words = message.split("--");
    let mut said = words.next().unwrap_or_default().to_owned();
    for word in words {
        let end = word.find(|c: char| c != '-' && !c.is_ascii_lowercase()).unwrap_or(word.len());
        let (flag, rest) = word.split_at(end);
        if flag.is_empty() {
            said.push_str("--");
        } else {
            said.push_str(&flag.replace('-', "_"));
        }
        said.push_str(rest);
    }
    said
}
