//! What can go wrong, one kind per variant, and what to do next.

use crate::time::written;
use std::path::PathBuf;

/// The result of an operation on an index.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong. [`Error::next`] says what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The folder does not exist.
    #[error("there is no index at {}", path.display())]
    NoIndex {
        /// The folder.
        path: PathBuf,
    },
    /// The copy of an index cannot be in the index itself.
    #[error("{} is in the folder of the index itself", path.display())]
    Within {
        /// The folder.
        path: PathBuf,
    },
    /// The folder holds something else.
    #[error(
        "{} is not an index: {}",
        path.display(),
        if *is_file { "it is a file" } else { "it has files, but no index.json" }
    )]
    Foreign {
        /// The folder, or what is in its place.
        path: PathBuf,
        /// True if it is a file.
        is_file: bool,
    },
    /// The folder holds something that is no table of keys.
    #[error("{} is no index of given keys: it has files, but no keys.json", path.display())]
    NoKeyTable {
        /// The folder.
        path: PathBuf,
    },
    /// An index is to be created where one is already.
    #[error("there is an index at {} already", path.display())]
    Exists {
        /// The folder.
        path: PathBuf,
    },
    /// Another process has the index open.
    #[error("the index at {} is in use by {}", path.display(), process_of(*process))]
    InUse {
        /// The folder.
        path: PathBuf,
        /// The number of that process; 0 if it is not known.
        process: u32,
    },
    /// The index was written by a newer version of this program.
    #[error("the index at {} has version {version}; this program reads version {known}", path.display())]
    Newer {
        /// The folder.
        path: PathBuf,
        /// The version of the index.
        version: u64,
        /// The newest version that this program reads.
        known: u64,
    },
    /// A setting contradicts the configuration of the index.
    #[error("the index has {setting} {index}, not {asked}")]
    Contradiction {
        /// The name of the setting, as in reports.
        setting: String,
        /// Its value in the index.
        index: String,
        /// The value that was asked for.
        asked: String,
    },
    /// The configuration cannot be that of an index.
    #[error("an index cannot have {setting} {value}: {reason}")]
    Unsuitable {
        /// The name of the setting, as in reports.
        setting: &'static str,
        /// Its value.
        value: String,
        /// Why it cannot be.
        reason: &'static str,
    },
    /// A run has a setting with which it cannot ask an index.
    #[error("{setting} {value} cannot be used with an index: {reason}")]
    NotForRuns {
        /// The name of the setting, as in reports.
        setting: &'static str,
        /// Its value.
        value: String,
        /// Why it cannot be.
        reason: &'static str,
    },
    /// A setting has a value that is not allowed.
    #[error(transparent)]
    Settings(#[from] pipeline::Error),
    /// An id is empty or too long.
    #[error("an id has 1 to {most} bytes, not {bytes}")]
    Id {
        /// Its length.
        bytes: usize,
        /// The most that is allowed.
        most: usize,
    },
    /// The metadata is too large.
    #[error("the metadata of {id} has {bytes} bytes; at most {most} are allowed")]
    MetadataSize {
        /// The document.
        id: String,
        /// The size of its metadata, as JSON.
        bytes: usize,
        /// The most that is allowed.
        most: usize,
    },
    /// A document with this id is in the index already.
    #[error("there is a document with the id {id} already")]
    DuplicateId {
        /// The id.
        id: String,
    },
    /// No document has this id.
    #[error("no document has the id {id}")]
    NoDocument {
        /// The id.
        id: String,
    },
    /// A document would be gone before it came.
    #[error("the document {id} would expire in the past, at {} (it is {})", written(*expires), written(*now))]
    ExpiresInThePast {
        /// The document.
        id: String,
        /// When it would expire, in milliseconds since 1970.
        expires: u64,
        /// The time, in milliseconds since 1970.
        now: u64,
    },
    /// A threshold is not between 0 and 1.
    #[error("a threshold is between 0 and 1, not {threshold}")]
    Threshold {
        /// What was asked for.
        threshold: f64,
    },
    /// A limit of zero.
    #[error("{what} must be at least 1")]
    Zero {
        /// What is limited.
        what: &'static str,
    },
    /// A signature of another family, seed or length.
    #[error("a signature of this index has {expected} lanes, not {lanes}")]
    Lanes {
        /// The number of lanes that was given.
        lanes: usize,
        /// The number of lanes that a signature has.
        expected: usize,
    },
    /// Something needs texts, and the index does not store them.
    #[error("this index stores {stored}, and {what} needs {needed}")]
    NotStored {
        /// What was asked for.
        what: &'static str,
        /// What it needs.
        needed: &'static str,
        /// What the index stores.
        stored: &'static str,
    },
    /// Sketches lack what the index stores.
    #[error("an index that stores {stored} cannot take {name}: {reason}")]
    NotInSketches {
        /// The file of sketches.
        name: String,
        /// What the index stores.
        stored: &'static str,
        /// What it lacks.
        reason: &'static str,
    },
    /// Two indexes with stored shingles have different keys.
    #[error("the shingles of the two indexes are hashed with different keys")]
    DifferentKeys,
    /// A file or a stored value cannot be understood.
    #[error("{place} is damaged: {cause}")]
    Damaged {
        /// The file, or the keyspace and the key.
        place: String,
        /// What is wrong with it.
        cause: String,
    },
    /// A repair cannot read the documents themselves.
    #[error("{place} is damaged, and nothing else in the index implies what it had: {cause}")]
    Unrepairable {
        /// The keyspace and its folder.
        place: String,
        /// What is wrong with it.
        cause: String,
    },
    /// The store has fewer batches than were acknowledged.
    #[error(
        "the index at {} has lost {lost} of {acknowledged} acknowledged batches; it is read only",
        path.display()
    )]
    Lost {
        /// The folder.
        path: PathBuf,
        /// The batches that are missing.
        lost: u64,
        /// The batches that were acknowledged.
        acknowledged: u64,
    },
    /// This process may not write to the files of the index.
    #[error("the index at {} can only be read: its files cannot be written to", path.display())]
    ReadOnly {
        /// The folder.
        path: PathBuf,
    },
    /// A repair would lose documents that cannot be read.
    #[error("{documents} documents cannot be read and would be lost")]
    WouldLose {
        /// How many.
        documents: u64,
    },
    /// A write failed before; what it wrote is not known until the index is opened again.
    #[error("an earlier write failed ({cause}); nothing is written any more")]
    Failed {
        /// The error of that write.
        cause: String,
    },
    /// The store cannot read or write.
    #[error("the store cannot {action}: {cause}")]
    Store {
        /// What was tried, as a verb.
        action: &'static str,
        /// What the store says.
        cause: String,
    },
    /// A file of the index cannot be read or written.
    #[error(transparent)]
    File(#[from] files::Error),
}

/// A process in a message; its number is 0 if it has just begun and has not written it yet.
fn process_of(number: u32) -> String {
    if number == 0 { "another process".into() } else { format!("process {number}") }
}

impl Error {
    /// What to do about it, as a sentence; `None` if the message says it all.
    #[must_use]
    pub fn next(&self) -> Option<&'static str> {
        Some(match self {
            Self::NoIndex { .. } => "create it, or check the path",
            Self::Within { .. } => "choose a folder elsewhere",
            Self::Foreign { .. } => {
                "check the path; a new index needs an empty folder, or one that does not exist yet"
            }
            Self::NoKeyTable { .. } => "choose an empty folder, or one that does not exist yet",
            Self::Exists { .. } => "open it, or choose another folder",
            Self::InUse { .. } => "wait until that process has closed it, or ask that process",
            Self::Newer { .. } => "use a newer version of this program; nothing was written",
            Self::Contradiction { .. } => {
                "leave the setting out, or create another index: it is fixed for good"
            }
            Self::DuplicateId { .. } => "ask for an update to replace that document",
            Self::Damaged { .. } => "repair the index, or restore a backup",
            Self::Unrepairable { .. } => "restore a backup; nothing was changed",
            Self::Lost { .. } => {
                "restore a backup, or repair the index and accept the loss to go on without them"
            }
            Self::ReadOnly { .. } => {
                "run this as a user who may write to them, or restore the index to another folder and use that"
            }
            Self::WouldLose { .. } => "restore a backup, or accept the loss",
            Self::Failed { .. } => "open the index again",
            Self::NotInSketches { .. } => {
                "add the files that it was made of, or create an index that stores signatures"
            }
            Self::DifferentKeys => "create the one as a sibling of the other",
            _ => return None,
        })
    }

    /// True if what was asked for is wrong, and not the index.
    #[must_use]
    pub fn is_about_input(&self) -> bool {
        matches!(
            self,
            Self::Id { .. }
                | Self::MetadataSize { .. }
                | Self::DuplicateId { .. }
                | Self::NoDocument { .. }
                | Self::ExpiresInThePast { .. }
                | Self::Threshold { .. }
                | Self::Zero { .. }
                | Self::Lanes { .. }
                | Self::NotStored { .. }
        )
    }

    /// A stored value or a file that cannot be understood.
    pub(crate) fn damaged(place: impl Into<String>, cause: impl Into<String>) -> Self {
        Self::Damaged { place: place.into(), cause: cause.into() }
    }
}

impl From<lookalike::Error> for Error {
    fn from(cause: lookalike::Error) -> Self {
        Self::Settings(cause.into())
    }
}
