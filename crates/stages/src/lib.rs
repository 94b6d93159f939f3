//! The stages as functions from Arrow record batches to Arrow record batches: what Python and a cluster call.
//!
//! Whole jobs, as a run on one machine decides them:
//!
//! ```text
//! id, text                  -> sketch         -> id, content_hash, shingles, signature, keys, rank, against, ...
//! sketches, by content hash -> copies         -> id, original
//! sketches without copies   -> key_blocks     -> block, entries
//! key blocks, by block      -> edges          -> a, b
//! edges, by document        -> large_star, small_star, in rounds: connected sets
//! sketches and texts, by connected set
//!                           -> decide         -> id, kept, kind, similarity, distance, reason
//! copies, joined with that  -> removed_copies -> the same of copies
//! sketches                  -> bad_records    -> the same of documents without a text
//! ```
//!
//! What the last three return is the list of removed documents: the same that `dedup` writes. No stage makes more rows than
//! the keys it is given, even if a million documents share one.
//!
//! Pairs, for who wants those:
//!
//! ```text
//! key, ids                  -> candidate_pairs      -> a, b
//! a, b, signatures of both  -> signature_similarity -> a, b, similarity, compared
//! a, b, texts of both       -> verify               -> a, b, similarity, duplicate
//! documents and pairs       -> verify_pairs         -> the same; each text is shingled once
//! id, text                  -> prepare              -> id, set: what `verify_pairs` and `decide` take instead of a text
//! ```
//!
//! Whole jobs for an engine that pays for rows, as Spark does, are in [`cluster`].
//!
//! Between them an engine does what it does best: it groups rows, joins them, and keeps what must be kept. The answers are
//! those of a run on one machine, because the same code gives them ([`pipeline::Documents`]). Columns have types that every
//! engine has: signed 64-bit integers (a key is the bits of an unsigned one), numbers, booleans, text, bytes, and lists of
//! integers. Ids must be unique, and follow the input order if that is to break ties.
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

pub mod cluster;
mod columns;
pub mod components;
mod copies;
mod decisions;
mod edges;
mod error;
mod pairs;
mod rows;
mod sets;
mod signatures;
mod sketches;
mod stored;
#[cfg(test)]
mod tests;
mod verification;

pub use cluster::{ClusterRun, Deciding};
pub use components::{large_star, small_star};
pub use copies::{copies, copies_schema};
pub use decisions::removed_schema;
pub use edges::{edges, edges_schema, key_blocks, key_blocks_schema};
pub use error::{Error, Result};
pub use pairs::{CandidatePairs, PAIRS_PER_BATCH, candidate_pairs};
pub use stored::{SketchRow, are_sketches, sketch_rows};

use pipeline::{Documents, Settings};

/// The stages that depend on settings.
#[derive(Debug)]
pub struct Stages {
    documents: Documents,
}

impl Stages {
    /// Checks the settings. Texts are compared with a random key of this value's own.
    pub fn new(settings: &Settings) -> Result<Self> {
        Ok(Self { documents: Documents::new(settings)? })
    }

    /// The same with a [key](Self::new_key) that all workers of a run have: what one [prepares](Self::prepare) another can
    /// compare.
    pub fn with_key(settings: &Settings, key: &str) -> Result<Self> {
        Ok(Self { documents: Documents::with_key(settings, key)? })
    }

    /// A new key: 64 hexadecimal digits from the operating system. Draw one for each run, and keep it from those who write
    /// the texts: who knows it can write a text that passes for another.
    pub fn new_key() -> Result<String> {
        Ok(Documents::new_key()?)
    }
}
