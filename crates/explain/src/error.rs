//! The errors of this crate.

/// The result of an explanation.
pub type Result<T> = std::result::Result<T, Error>;

/// The reason why something cannot be shown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The settings are not allowed, or a run cannot be read.
    #[error(transparent)]
    Pipeline(#[from] pipeline::Error),
    /// Two texts can be compared by sets of shingles only, not by bags.
    #[error("compare compares sets of shingles, not bags")]
    Bags,
    /// Vectors have no text that could be shown.
    #[error("compare shows what texts share, and vectors have none; `query` gives the cosine of two vectors")]
    Vectors,
    /// A sample can be used only if pairs are found by bands.
    #[error("a sample can be measured only if pairs are found by bands, not by {instead}")]
    SampleNeedsBands {
        /// The method that finds pairs with these settings.
        instead: &'static str,
    },
    /// A sample of something else than texts cannot be measured.
    #[error("a sample can be measured only of texts; leave out the sample, or the kind")]
    SampleNeedsTexts,
    /// The sample has fewer than two documents.
    #[error("a sample needs at least two documents")]
    SampleTooSmall,
}

impl From<lookalike::Error> for Error {
    fn from(error: lookalike::Error) -> Self {
        Self::Pipeline(error.into())
    }
}
