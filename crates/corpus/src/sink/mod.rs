//! Blocks and what becomes of their records -> outputs, whole or absent.
//!
//! ```text
//! block + fate of each record -> bytes -> compressed frames -> file aside -> its place in the target
//!        writer, annotation                frames              output        target (files, stdout, crate::object)
//! ```
//!
//! An output mirrors its source: the same name, format and compression, and the kept records byte for byte (Parquet:
//! value for value). It appears whole or not at all. If every record was dropped it is an empty file of the same format;
//! only a text file, which is one record, is then absent.

mod annotation;
mod frames;
mod names;
mod output;
mod removed;
mod stdout;
mod target;
mod writer;

#[cfg(feature = "parquet")]
pub(crate) use annotation::{NAMES, has_already};
pub use names::output_names;
#[cfg(feature = "parquet")]
pub(crate) use output::Output;
pub use removed::{RemovedRow, RemovedWriter};
pub use target::Target;
pub use writer::SinkWriter;

use crate::Id;

/// What becomes of a record.
#[derive(Debug)]
pub enum Disposition {
    /// It is written as it is.
    Keep,
    /// It is not written.
    Drop,
    /// It is written with fields about itself.
    Annotate(Annotation),
}

/// What `--annotate` adds to a record: the fields `cluster`, `duplicate`, `kept_id` and `similarity`, each with the
/// prefix `lookalike_`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Annotation {
    /// The name of the cluster: the id of the kept document of the star, or of the first of the component, if no other
    /// document has that id.
    pub cluster: Id<'static>,
    /// Whether it would have been removed.
    pub duplicate: bool,
    /// Which document it duplicates.
    pub kept_id: Option<Id<'static>>,
    /// Their similarity.
    pub similarity: Option<f64>,
}

/// How outputs are written. All of it changes bytes.
#[derive(Debug, Clone, Copy, Default)]
pub struct SinkOptions {
    /// Whether records get the fields of [`Annotation`] (CSV and Parquet need to know before the first record).
    pub annotate: bool,
    /// Threads for compression. (This one does not change bytes.)
    pub threads: usize,
}

/// What a finished output holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written {
    /// Records.
    pub records: u64,
    /// Stored bytes.
    pub bytes: u64,
}

#[cfg(test)]
pub(crate) mod tests;
