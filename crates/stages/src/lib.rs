//! The stages as functions from Arrow record batches to Arrow record batches: what Python and a cluster call.
//!
//! ```text
//! id, text                 -> sketch               -> id, content_hash, shingles, signature, keys
//! key, ids                 -> candidate_pairs      -> a, b
//! a, b, signatures of both -> signature_similarity -> a, b, similarity, compared
//! a, b, texts of both      -> verify               -> a, b, similarity, duplicate
//! ```
//!
//! Between them an engine does what it does best: it groups rows by key, joins texts to pairs, and keeps what must be
//! kept. The answers are those of a run on one machine, because the same code gives them ([`pipeline::Documents`]). Ids
//! and keys are signed 64-bit integers, as some engines have no others; a key is the bits of an unsigned one.
//!
//! ```
//! use stages::Stages;
//! use arrow_array::{cast::AsArray, types::Float64Type, Int64Array, RecordBatch, StringArray};
//! use std::sync::Arc;
//!
//! let stages = Stages::new(&pipeline::Settings::default().with_shingles("words:2".into()))?;
//! let pair = RecordBatch::try_from_iter([
//!     ("a", Arc::new(Int64Array::from(vec![1])) as _),
//!     ("b", Arc::new(Int64Array::from(vec![2])) as _),
//!     ("a_text", Arc::new(StringArray::from(vec!["a rose is a rose"])) as _),
//!     ("b_text", Arc::new(StringArray::from(vec!["A rose is!"])) as _),
//! ])?;
//! let verified = stages.verify(&pair)?;
//! assert_eq!(verified["similarity"].as_primitive::<Float64Type>().value(0), 2.0 / 3.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod columns;
mod error;
mod pairs;
mod signatures;
mod sketches;
#[cfg(test)]
mod tests;
mod verification;

pub use error::{Error, Result};
pub use pairs::{CandidatePairs, PAIRS_PER_BATCH, candidate_pairs};

use pipeline::{Documents, Settings};

/// The stages that depend on settings.
#[derive(Debug)]
pub struct Stages {
    documents: Documents,
}

impl Stages {
    /// Checks the settings.
    pub fn new(settings: &Settings) -> Result<Self> {
        Ok(Self { documents: Documents::new(settings)? })
    }
}
