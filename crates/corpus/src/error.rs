//! What goes wrong outside, with where and what to do.

use crate::size::readable_size;

/// The result of reading or writing.
pub type Result<T> = std::result::Result<T, Error>;

impl From<files::Error> for Error {
    fn from(files::Error { action, name, cause }: files::Error) -> Self {
        Self::Io { action, name, cause }
    }
}

/// What goes wrong outside.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or object cannot be read or written.
    #[error("cannot {action} {name}: {cause}")]
    Io {
        /// What was tried, as in "read".
        action: &'static str,
        /// The file, as the user named it.
        name: String,
        /// What the system said.
        cause: std::io::Error,
    },
    /// The contents of a source are damaged: truncated gzip, a broken Parquet footer.
    #[error("{name} is damaged: {cause}")]
    Damaged {
        /// The source.
        name: String,
        /// What is wrong, and where.
        cause: String,
    },
    /// What was asked for makes no sense: no such file, two outputs of one name, no such column.
    #[error("{0}")]
    Invalid(String),
    /// A table has no column of this name.
    #[error("{name} has no column `{column}`; its columns are: {}", quoted(columns))]
    NoSuchColumn {
        /// The source.
        name: String,
        /// The column.
        column: String,
        /// The columns that there are.
        columns: Vec<String>,
    },
    /// A source cannot follow the others on standard output.
    #[error("{name} cannot be written to standard output: {problem}")]
    NotForStdout {
        /// The source.
        name: String,
        /// Why.
        problem: &'static str,
    },
    /// A text is longer than the memory allows.
    #[error("{name} is longer than {}, the most that can be looked at within the memory limit", readable_size(*most))]
    TooLong {
        /// The text.
        name: String,
        /// How long it can be.
        most: u64,
    },
    /// A record, or a page of a Parquet file, is larger than the memory allows.
    #[error(
        "{name}, record {record}: {} in one {what} need about {} of memory",
        readable_size(*bytes),
        readable_size(*needed)
    )]
    TooLarge {
        /// The source.
        name: String,
        /// The record, from 1.
        record: u64,
        /// What is too large: `record` or `page`.
        what: &'static str,
        /// Its length; of a row of a table at least so much.
        bytes: u64,
        /// The memory limit that would do.
        needed: u64,
    },
    /// A compressed source wants its decompressor to remember more than the memory allows.
    #[error(
        "{name} is compressed with a window of {}, and the memory limit allows {}",
        wanted.map_or_else(|| format!("more than {}", readable_size(*allowed)), readable_size),
        readable_size(*allowed)
    )]
    TooWide {
        /// The source.
        name: String,
        /// The window, if it is known.
        wanted: Option<u64>,
        /// The largest that is allowed.
        allowed: u64,
    },
}

impl Error {
    /// The memory limit with which this would not have gone wrong, where it is known.
    #[must_use]
    pub fn needed_memory(&self) -> Option<u64> {
        match self {
            Self::TooLarge { needed, .. } => Some(*needed),
            // A window may take a ninth of the limit, less what the program itself needs.
            Self::TooWide { wanted, allowed, .. } => {
                Some(wanted.unwrap_or(allowed * 2).saturating_mul(9).saturating_add(128 << 20))
            }
            _ => None,
        }
    }
}

/// `a`, `b`: names of columns in a message.
fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
