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
    /// A record, or a page of a Parquet file, is larger than the memory allows.
    #[error(
        "{name}, record {record}: {} in one {what} need about {} of memory; raise --memory",
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
        "{name} is compressed with a window of {}, and the memory limit allows {}; raise --memory to about {}, or compress it \
         again with a smaller window",
        wanted.map_or_else(|| format!("more than {}", readable_size(*allowed)), readable_size),
        readable_size(*allowed),
        readable_size(memory_for_window(wanted.unwrap_or(allowed * 2)))
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

/// The memory limit that allows a window of so many bytes: a ninth of it, and what the program itself needs.
fn memory_for_window(window: u64) -> u64 {
    window.saturating_mul(9).saturating_add(128 << 20)
}
