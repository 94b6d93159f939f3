//! What stops a run.

/// The result of a run.
pub type Result<T> = std::result::Result<T, Error>;

impl From<files::Error> for Error {
    fn from(files::Error { action, name, cause }: files::Error) -> Self {
        Self::Io { action, name, cause }
    }
}

/// What stops a run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Reading or writing.
    #[error(transparent)]
    Corpus(#[from] corpus::Error),
    /// A setting that makes no sense.
    #[error(transparent)]
    Setting(#[from] lookalike::Error),
    /// A setting that makes no sense, or two that exclude each other.
    #[error(transparent)]
    Wrong(#[from] crate::WrongSetting),
    /// What was asked for cannot be done.
    #[error("{0}")]
    Invalid(String),
    /// No document has this id.
    #[error("no document has the id {id}")]
    NoSuchDocument {
        /// The id.
        id: String,
        /// Ids that are nearly the same.
        nearest: Vec<String>,
    },
    /// A record that cannot be used, and `--on-bad-record fail`.
    #[error("{source_name}, {place}: {reason}")]
    BadRecord {
        /// The source.
        source_name: String,
        /// The record, from 1: in JSON Lines its line.
        line: u64,
        /// Where it is, in words: `line 3`, `record 3 (line 5)`.
        place: String,
        /// Why.
        reason: String,
        /// Whether it has no field for the text: perhaps another field has it.
        lacks_text: bool,
    },
    /// The memory limit is too small for this corpus.
    #[error(
        "{what} needs {} MiB of memory, and the limit is {} MiB",
        needed.div_ceil(1 << 20),
        limit >> 20
    )]
    Memory {
        /// What needs it.
        what: String,
        /// How much.
        needed: u64,
        /// How much there is.
        limit: u64,
    },
    /// The target holds something else.
    #[error("{0}")]
    Target(String),
    /// A file of the run's own cannot be read or written.
    #[error("cannot {action} {name}: {cause}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        name: String,
        /// What the system said.
        cause: std::io::Error,
    },
    /// A file of the run's own is damaged.
    #[error("{name} is damaged: {cause}")]
    Damaged {
        /// The file.
        name: String,
        /// What is wrong.
        cause: String,
    },
    /// A thread cannot be started.
    #[error("cannot start a thread: {cause}")]
    Thread {
        /// What the system said.
        cause: std::io::Error,
    },
    /// A panic, which is a mistake in this program.
    #[error("a bug in lookalike: {message}; please report it")]
    Panicked {
        /// What it said.
        message: String,
    },
    /// The observer asked to stop.
    #[error("stopped; the same command goes on from here")]
    Interrupted,
}
