//! The errors that stop a run.

/// The result of a run, or of a step of it.
pub type Result<T> = std::result::Result<T, Error>;

impl From<files::Error> for Error {
    fn from(files::Error { action, name, cause }: files::Error) -> Self {
        Self::Io { action, name, cause }
    }
}

/// A memory limit in whole MiB; a smaller one, which is surely a mistake, as it is.
fn written_limit(limit: u64) -> String {
    if limit < 1 << 20 { corpus::readable_size(limit) } else { format!("{} MiB", limit >> 20) }
}

/// An error that stops a run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The corpus cannot be read, or the outputs cannot be written.
    #[error(transparent)]
    Corpus(#[from] corpus::Error),
    /// The library refuses a value, for example a number of hashes.
    #[error(transparent)]
    Setting(#[from] lookalike::Error),
    /// A setting has a value that is not allowed, or two settings exclude each other.
    #[error(transparent)]
    Wrong(#[from] crate::WrongSetting),
    /// The request cannot be carried out; the message says why.
    #[error("{0}")]
    Invalid(String),
    /// No document has this id.
    #[error("no document has the id {id}")]
    NoSuchDocument {
        /// The id that was asked for.
        id: String,
        /// Existing ids that are nearly the same.
        nearest: Vec<String>,
    },
    /// A record cannot be used, and bad records stop the run (`--on-bad-record fail`).
    #[error("{source_name}, {place}: {reason}")]
    BadRecord {
        /// The name of the source that contains the record.
        source_name: String,
        /// The number of the record, counted from 1. In JSON Lines it is the line number.
        line: u64,
        /// The position of the record as it is shown to the user: `line 3`, `record 3 (line 5)`.
        place: String,
        /// Why the record cannot be used.
        reason: String,
        /// True if the record lacks the text field. Another field may contain the text.
        lacks_text: bool,
    },
    /// The memory limit is too small for this corpus.
    #[error(
        "{what} needs {} MiB of memory, but the limit is {}",
        needed.div_ceil(1 << 20),
        written_limit(*limit)
    )]
    Memory {
        /// What needs the memory.
        what: String,
        /// The memory that it needs, in bytes.
        needed: u64,
        /// The memory limit, in bytes.
        limit: u64,
    },
    /// A text is too long to be compared within the memory limit.
    #[error(
        "a text of {} needs {} MiB of memory to be compared, but the limit is {}",
        corpus::readable_size(*bytes),
        needed.div_ceil(1 << 20),
        written_limit(*limit)
    )]
    LongText {
        /// The length of the text, in bytes.
        bytes: u64,
        /// The memory that it needs, in bytes.
        needed: u64,
        /// The memory limit, in bytes.
        limit: u64,
    },
    /// The target cannot be used, for example because it holds the outputs of another run.
    #[error("{0}")]
    Target(String),
    /// One of the run's own files (temporary, sketch or report) cannot be read or written.
    #[error("cannot {action} {name}: {cause}")]
    Io {
        /// What was tried, as a verb: `read`, `write`.
        action: &'static str,
        /// The name of the file.
        name: String,
        /// The error of the operating system.
        cause: std::io::Error,
    },
    /// One of the run's own files is damaged.
    #[error("{name} is damaged: {cause}")]
    Damaged {
        /// The name of the file.
        name: String,
        /// What is wrong with it.
        cause: String,
    },
    /// A thread cannot be started.
    #[error("cannot start a thread: {cause}")]
    Thread {
        /// The error of the operating system.
        cause: std::io::Error,
    },
    /// A panic: a mistake in lookalike itself.
    #[error("a bug in lookalike: {message}; please report it")]
    Panicked {
        /// The message of the panic.
        message: String,
    },
    /// An index cannot answer, or cannot take documents.
    #[error(transparent)]
    Index(Box<dyn std::error::Error + Send + Sync>),
    /// The observer asked to stop.
    #[error("stopped; run the same command again to continue from here")]
    Interrupted,
}
