//! What goes wrong with a batch.

use std::path::PathBuf;

/// The result of a stage.
pub type Result<T> = std::result::Result<T, Error>;

/// What goes wrong with a batch.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A setting, or a document.
    #[error(transparent)]
    Pipeline(#[from] pipeline::Error),
    /// The batch is not what the stage takes.
    #[error("{0}")]
    Batch(String),
    /// A document without a text, and `on-bad-record` is `fail`.
    #[error("the document with the id {id}: {reason}")]
    BadRecord {
        /// Which.
        id: i64,
        /// Why.
        reason: String,
    },
    /// Sets that were prepared with another key, or with other shingles.
    #[error(
        "the set of the document with the id {id} was prepared with another key or other settings; give all workers of \
         a run one key and the same settings"
    )]
    OtherKey {
        /// The first such document.
        id: i64,
    },
    /// Documents that were read twice, and were not the same.
    #[error(
        "the texts of a connected set are not those that connected it: the documents changed between the first and the second \
         read; write them to files that nobody changes, and start again with another checkpoint"
    )]
    Changed,
    /// The temporary file of sets that do not fit into memory.
    #[error(
        "a connected set does not fit into memory, and its temporary file in {} failed: {cause}; give tasks more memory \
         (task_memory), or the executors a disk with more space (spark.local.dir)",
        .folder.display()
    )]
    LocalFile {
        /// Where the file is.
        folder: PathBuf,
        /// The operating system's error.
        #[source]
        cause: std::io::Error,
    },
    /// A set that must be decided whole, and is larger than what a task may use.
    #[error(
        "a connected set of {documents} documents takes {bytes} bytes, and a task may use {limit}; with clusters = components it \
         is decided whole, so give tasks more memory, or use clusters = stars"
    )]
    TooLarge {
        /// How many documents it has.
        documents: usize,
        /// How many bytes their sets take.
        bytes: usize,
        /// How many bytes a task may use for sets.
        limit: usize,
    },
    /// Arrow refused to make a batch.
    #[error(transparent)]
    Arrow(#[from] arrow_schema::ArrowError),
}

impl From<lookalike::Error> for Error {
    fn from(error: lookalike::Error) -> Self {
        Self::Pipeline(error.into())
    }
}

impl From<corpus::Error> for Error {
    fn from(error: corpus::Error) -> Self {
        Self::Pipeline(error.into())
    }
}
