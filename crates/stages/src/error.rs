//! What goes wrong with a batch.

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
