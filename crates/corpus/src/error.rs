//! Errors of the outside world: where something happened, and what to do.

use crate::size::readable_size;

/// The result of reading or writing.
pub type Result<T> = std::result::Result<T, Error>;

impl From<files::Error> for Error {
    fn from(files::Error { action, name, cause }: files::Error) -> Self {
        Self::Io { action, name, cause }
    }
}

/// An error that comes from outside the program: from files, from object stores, or from the user.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or object cannot be read or written.
    #[error("cannot {action} {name}: {cause}")]
    Io {
        /// The action that failed, as in "read".
        action: &'static str,
        /// The file, as the user named it.
        name: String,
        /// The error that the system reported.
        cause: std::io::Error,
    },
    /// The contents of a source are damaged: truncated gzip, a broken Parquet footer.
    #[error("{name} is damaged: {cause}")]
    Damaged {
        /// The source.
        name: String,
        /// What is damaged, and where.
        cause: String,
    },
    /// A request that makes no sense: a file or a column that does not exist, two outputs with the same name.
    #[error("{0}")]
    Invalid(String),
    /// A table has no column of this name.
    #[error("{name} has no column `{column}`; its columns are: {}", quoted(columns))]
    NoSuchColumn {
        /// The source.
        name: String,
        /// The column.
        column: String,
        /// The columns that the table has.
        columns: Vec<String>,
    },
    /// A source cannot be written to standard output after the others.
    #[error("{name} cannot be written to standard output: {problem}")]
    NotForStdout {
        /// The source.
        name: String,
        /// Why this is not possible.
        problem: &'static str,
    },
    /// A text is longer than the memory limit allows.
    #[error("{name} is longer than {}, the longest text that fits into the memory limit", readable_size(*most))]
    TooLong {
        /// The name of the text.
        name: String,
        /// The largest length that fits, in bytes.
        most: u64,
    },
    /// A record, or a page of a Parquet file, is larger than the memory limit allows.
    #[error(
        "{name}, record {record}: a {what} of {} needs about {} of memory",
        readable_size(*bytes),
        readable_size(*needed)
    )]
    TooLarge {
        /// The source.
        name: String,
        /// The number of the record, counted from 1.
        record: u64,
        /// What is too large: `record` or `page`.
        what: &'static str,
        /// Its length in bytes. For a row of a table this is a lower bound.
        bytes: u64,
        /// The memory limit that would be enough.
        needed: u64,
    },
    /// A source was compressed with a window that is larger than the memory limit allows.
    #[error(
        "{name} is compressed with a window of {}, but the memory limit allows only {}",
        wanted.map_or_else(|| format!("more than {}", readable_size(*allowed)), readable_size),
        readable_size(*allowed)
    )]
    TooWide {
        /// The source.
        name: String,
        /// The window in bytes, if it is known.
        wanted: Option<u64>,
        /// The largest window that is allowed, in bytes.
        allowed: u64,
    },
}

impl Error {
    /// The memory limit that would have avoided this error, if it is known.
    #[must_use]
    pub fn needed_memory(&self) -> Option<u64> {
        match self {
            Self::TooLarge { needed, .. } => Some(*needed),
            // The window may take a ninth of the limit after subtracting what the program itself needs.
            Self::TooWide { wanted, allowed, .. } => {
                Some(wanted.unwrap_or(allowed * 2).saturating_mul(9).saturating_add(128 << 20))
            }
            _ => None,
        }
    }
}

/// Formats names of columns for a message: `a`, `b`.
fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
