//! Errors of the crates -> Python exceptions, one class per kind (`lookalike.errors`).

use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

/// The classes of `lookalike.errors` that are raised from here.
#[derive(Debug, Clone, Copy)]
enum Class {
    BadRecord,
    Damaged,
    DuplicateId,
    File,
    Incompatible,
    Internal,
    InUse,
    MemoryLimit,
    NotFound,
    Setting,
    Target,
    UnknownId,
}

impl Class {
    fn name(self) -> &'static str {
        match self {
            Self::BadRecord => "BadRecordError",
            Self::Damaged => "DamagedError",
            Self::DuplicateId => "DuplicateIdError",
            Self::File => "FileError",
            Self::Incompatible => "IncompatibleError",
            Self::Internal => "InternalError",
            Self::InUse => "InUseError",
            Self::MemoryLimit => "MemoryLimitError",
            Self::NotFound => "NotFoundError",
            Self::Setting => "SettingError",
            Self::Target => "TargetError",
            Self::UnknownId => "UnknownIdError",
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
        Python::attach(|py| self.error(py, (message.to_string(),)))
    }
}

/// The exception for a setting or an argument that is not allowed.
pub(crate) fn setting(message: impl std::fmt::Display) -> PyErr {
    Class::Setting.saying(message)
}

/// The exception for an index that another process has opened before this one was forked from it.
pub(crate) fn forked(process: u32) -> PyErr {
    Class::InUse.saying(format_args!(
        "the index is open in process {process}, from which this one was forked; open it once more when that one has closed it, \
         or start processes with \"spawn\""
    ))
}

/// A str in UTF-8. A str of Python can contain halves of surrogate pairs, which are not valid text. Then the
/// exception names the value as `what`.
pub(crate) fn utf8<'py>(
    text: &Bound<'py, PyString>,
    what: impl std::fmt::Display,
) -> PyResult<Bound<'py, PyBytes>> {
    text.encode_utf8().map_err(|error| {
        let place = error.value(text.py()).getattr("start").and_then(|start| start.extract::<usize>());
        match place {
            Ok(place) => {
                setting(format_args!("{what} is not valid text: lone surrogate at character {place}"))
            }
            Err(_) => error,
        }
    })
}

/// The exception for damaged bytes.
pub(crate) fn damaged(message: impl std::fmt::Display) -> PyErr {
    Class::Damaged.saying(message)
}

/// The exception for a mistake in lookalike itself, with the message of the panic.
pub(crate) fn panicked(panic: &(dyn std::any::Any + Send)) -> PyErr {
    let message = match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(message), _) => message,
        (_, Some(message)) => message.as_str(),
        _ => "the panic has no message",
    };
    Class::Internal
        .saying(format_args!("a bug in lookalike: {message}; nothing was written; please report it"))
}

/// Runs `work` without the interpreter; a panic in it becomes an exception.
pub(crate) fn outside<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let work = std::panic::AssertUnwindSafe(work);
    py.detach(|| std::panic::catch_unwind(|| { work }.0())).map_err(|panic| panicked(&*panic))
}

/// The exception for a file that cannot be read or written.
pub(crate) fn system(action: &str, path: &std::path::Path, cause: &std::io::Error) -> PyErr {
    of_system(action, &path.display().to_string(), cause)
}

/// Results whose errors become exceptions.
pub(crate) trait Raise<T> {
    /// The value, or the error as an exception.
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

impl<T> Raise<T> for index::Result<T> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(|error| of_index(&error))
    }
}

impl<T> Raise<T> for explain::Result<T> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(|error| match &error {
            explain::Error::Pipeline(error) => of_pipeline(error),
            explain::Error::Bags => setting(format_args!("{error}; leave out elements")),
            explain::Error::SampleNeedsBands { .. } => setting(format_args!("{error}; leave out sample")),
            _ => setting(error),
        })
    }
}

impl<T> Raise<T> for Result<T, files::PageError> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(|error| match &error {
            files::PageError::Refused(error) => of_system(error.action, &error.name, &error.cause),
            files::PageError::Occupied { .. } => {
                Class::Target.saying(format_args!("{error}; name another file for the page"))
            }
        })
    }
}

impl<T> Raise<T> for corpus::Result<T> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(|error| of_corpus(&error))
    }
}

impl<T> Raise<T> for records::run::Result<T> {
    fn or_raise(self) -> PyResult<T> {
        use records::run::Error;
        self.map_err(|error| match error {
            Error::Corpus(error) => of_corpus(&error),
            Error::BadRecord { source_name, line, reason, .. } => {
                Python::attach(|py| Class::BadRecord.error(py, (source_name, line, reason)))
            }
            Error::Memory { what, needed, limit } => {
                of_pipeline(&pipeline::Error::Memory { what, needed, limit })
            }
            Error::Target(_) | Error::Changed { .. } => Class::Target.saying(error),
            Error::Interrupted => pyo3::exceptions::PyKeyboardInterrupt::new_err(()),
            _ => Class::Setting.saying(error),
        })
    }
}

impl<T> Raise<T> for stages::Result<T> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(|error| match &error {
            stages::Error::Pipeline(error) => of_pipeline(error),
            stages::Error::BadRecord { id, reason } => {
                Python::attach(|py| Class::BadRecord.error(py, ("id", *id, reason)))
            }
            stages::Error::Changed => Class::Target.saying(error),
            stages::Error::LocalFile { .. } => Class::File.saying(error),
            stages::Error::TooLarge { .. } => Class::MemoryLimit.saying(error),
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
        pipeline::Error::BadRecord { source_name, line, reason, .. } => {
            Python::attach(|py| Class::BadRecord.error(py, (source_name, *line, reason)))
        }
        pipeline::Error::Wrong(wrong) => Class::Setting.saying(wrong.message(&argument)),
        pipeline::Error::NoSuchDocument { nearest, .. } if !nearest.is_empty() => {
            Class::Setting.saying(format_args!("{error}; did you mean {}?", nearest.join(", ")))
        }
        pipeline::Error::LongText { .. } => {
            Class::MemoryLimit.saying(format_args!("{error}; raise memory, or choose a smaller max_text"))
        }
        pipeline::Error::Memory { .. } => Class::MemoryLimit.saying(format_args!("{error}; raise memory")),
        pipeline::Error::Thread { .. } => {
            Class::Setting.saying(format_args!("{error}; ask for fewer threads"))
        }
        pipeline::Error::Target(_) => Class::Target.saying(error),
        pipeline::Error::Io { action, name, cause } => of_system(action, name, cause),
        pipeline::Error::Damaged { .. } => Class::Damaged.saying(error),
        pipeline::Error::Panicked { .. } => Class::Internal.saying(error),
        pipeline::Error::Index(error) => match error.downcast_ref::<index::Error>() {
            Some(error) => of_index(error),
            None => Class::Setting.saying(error),
        },
        pipeline::Error::Interrupted => pyo3::exceptions::PyKeyboardInterrupt::new_err(()),
        _ => Class::Setting.saying(error),
    }
}

fn of_index(error: &index::Error) -> PyErr {
    use index::Error;
    let class = match error {
        Error::Settings(error) => return of_pipeline(error),
        Error::File(error) => return of_system(error.action, &error.name, &error.cause),
        Error::NoIndex { .. } => Class::NotFound,
        Error::InUse { .. } => Class::InUse,
        Error::Foreign { .. } | Error::NoKeyTable { .. } | Error::Exists { .. } => Class::Target,
        Error::DuplicateId { .. } => Class::DuplicateId,
        Error::NoDocument { .. } => Class::UnknownId,
        Error::Newer { .. } | Error::Damaged { .. } | Error::Lost { .. } | Error::WouldLose { .. } => {
            Class::Damaged
        }
        Error::Lanes { .. } | Error::DifferentKeys => Class::Incompatible,
        Error::Store { .. } | Error::Failed { .. } | Error::ReadOnly { .. } => Class::File,
        _ => Class::Setting,
    };
    match error.next() {
        Some(next) => class.saying(format_args!("{error}; {next}")),
        None => class.saying(error),
    }
}

fn of_corpus(error: &corpus::Error) -> PyErr {
    match error {
        corpus::Error::Io { action, name, cause } => of_system(action, name, cause),
        corpus::Error::Damaged { .. } => Class::Damaged.saying(error),
        corpus::Error::TooLarge { .. } | corpus::Error::TooWide { .. } | corpus::Error::TooLong { .. } => {
            Class::MemoryLimit.saying(format_args!("{error}; raise memory"))
        }
        _ => Class::Setting.saying(error),
    }
}

/// The exception for an error of the operating system. Like any `OSError`, it has the number of the error and the
/// name of the file.
fn of_system(action: &str, name: &str, cause: &std::io::Error) -> PyErr {
    let class = if cause.kind() == std::io::ErrorKind::NotFound { Class::NotFound } else { Class::File };
    let Some(number) = cause.raw_os_error() else {
        return class.saying(format_args!("cannot {action} {name}: {cause}"));
    };
    let said = cause.to_string();
    let said = said.strip_suffix(&format!(" (os error {number})")).unwrap_or(&said);
    Python::attach(|py| class.error(py, (number, format!("cannot {action}: {said}"), name)))
}

/// A setting as it is passed in Python: `max_text=5`.
fn argument(choice: &pipeline::Choice) -> String {
    let name = choice.setting.as_str().replace('-', "_");
    choice.value.as_ref().map_or(name.clone(), |value| format!("{name}={value}"))
}
