//! Why something cannot be shown.

/// The result of an explanation.
pub type Result<T> = std::result::Result<T, Error>;

/// Why something cannot be shown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Settings that make no sense, or a run that cannot be read.
    #[error(transparent)]
    Pipeline(#[from] pipeline::Error),
    /// Two texts are compared by sets of shingles only.
    #[error("compare compares sets of shingles, not bags")]
    Bags,
    /// Only bands have expected candidates.
    #[error("a sample is measured for bands, not for {instead}")]
    SampleNeedsBands {
        /// What finds pairs with these settings.
        instead: &'static str,
    },
    /// A sample without a pair.
    #[error("a sample needs at least two documents")]
    SampleTooSmall,
}

impl From<lookalike::Error> for Error {
    fn from(error: lookalike::Error) -> Self {
        Self::Pipeline(error.into())
    }
}
