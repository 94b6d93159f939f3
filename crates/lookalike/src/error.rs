//! The errors of the library. Each says what happened and what would have been allowed.

/// Everything that can go wrong in this crate. Bad input gives one of these errors and never a panic.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter has a value that is not allowed.
    #[error("{name} = {value} is not allowed: {allowed}")]
    OutOfRange {
        /// The name of the parameter in the API.
        name: &'static str,
        /// The value that was given.
        value: String,
        /// What would have been allowed.
        allowed: String,
    },
    /// The index already has a document with this id.
    #[error("the id {id} is in the index already; remove it first, or use another id")]
    DuplicateId {
        /// The id, as `Debug` shows it.
        id: String,
    },
    /// No document has this id.
    #[error("there is no document with the id {id}")]
    UnknownId {
        /// The id, as `Debug` shows it.
        id: String,
    },
    /// There are more documents, elements or tables than a structure can hold.
    #[error("{found} are too many: at most {most} {what} can be held")]
    Capacity {
        /// The things that are counted: documents, elements, tables, ...
        what: &'static str,
        /// The number that was given.
        found: u64,
        /// The largest number that is allowed.
        most: u64,
    },
    /// No choice of bands and rows reaches this recall.
    #[error(
        "recall = {recall} is not allowed: at most {reached:.6} can be reached at similarity {threshold} with {hashes} \
         hashes; use more hashes, a higher threshold or a lower recall"
    )]
    UnreachableRecall {
        /// The recall that was asked for.
        recall: f64,
        /// The largest recall that can be reached.
        reached: f64,
        /// The similarity at which the recall was to be reached.
        threshold: f64,
        /// The number of hashes per signature.
        hashes: usize,
    },
    /// Two sketches (signatures, fingerprints, ...) were made in different ways and cannot be compared or merged.
    #[error("cannot compare: {what} differs ({left} against {right}); make both with the same settings")]
    Incompatible {
        /// What differs: `family`, `seed`, `number of hashes`, ...
        what: &'static str,
        /// The value on the left.
        left: String,
        /// The value on the right.
        right: String,
    },
    /// Two vectors (or bit strings) that must have the same length do not.
    #[error("vectors of different length: {left} against {right}")]
    LengthMismatch {
        /// Length of the first vector.
        left: usize,
        /// Length of the second vector.
        right: usize,
    },
    /// No locality-sensitive family exists for this measure.
    #[error("{measure} has no locality-sensitive hash family (Charikar 2002); {instead}")]
    NoLshFamily {
        /// The measure that was asked for.
        measure: &'static str,
        /// What to use instead.
        instead: &'static str,
    },
    /// The bytes are damaged, or they are not a value of the expected format.
    #[error("cannot decode {what} at byte {offset}: {cause}")]
    Decode {
        /// What was being decoded.
        what: &'static str,
        /// The position of the first wrong byte, or of the field that is wrong.
        offset: usize,
        /// What was found and what was expected.
        cause: String,
    },
}

/// A `Result` with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Shorthand for [`Error::OutOfRange`].
    pub(crate) fn invalid(
        name: &'static str,
        value: impl std::fmt::Display,
        allowed: impl Into<String>,
    ) -> Self {
        Self::OutOfRange { name, value: value.to_string(), allowed: allowed.into() }
    }

    /// Shorthand for [`Error::Incompatible`].
    pub(crate) fn incompatible(
        what: &'static str,
        left: impl std::fmt::Display,
        right: impl std::fmt::Display,
    ) -> Self {
        Self::Incompatible { what, left: left.to_string(), right: right.to_string() }
    }
}

/// Returns an error unless `value` is between 0 and 1. Similarities, thresholds and probabilities are.
pub(crate) fn check_unit(name: &'static str, value: f64) -> Result<()> {
    if (0.0..=1.0).contains(&value) { Ok(()) } else { Err(Error::invalid(name, value, "between 0 and 1")) }
}

/// Returns an error unless the two lengths are equal.
#[inline]
pub(crate) fn check_length(left: usize, right: usize) -> Result<()> {
    if left == right { Ok(()) } else { Err(Error::LengthMismatch { left, right }) }
}

/// Returns an error unless `weight` is finite and at least 0.
pub(crate) fn check_weight(name: &'static str, weight: f64) -> Result<()> {
    if weight >= 0.0 && weight.is_finite() {
        Ok(())
    } else {
        Err(Error::invalid(name, weight, "a finite number of at least 0"))
    }
}
