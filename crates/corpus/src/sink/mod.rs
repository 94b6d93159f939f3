//! Blocks and the fate of their records -> outputs that are complete or absent.
//!
//! ```text
//! block + fate of each record -> bytes -> compressed frames -> temporary file -> its place in the target
//!        writer, annotation                frames              output            target (files, stdout, object)
//! ```
//!
//! An output mirrors its source: it has the same name, format and compression, and it contains the kept records byte
//! for byte (Parquet: value for value). It is complete or absent. If every record is removed, the output is an empty
//! file of the same format; only the output of a text file, which is a single record, is then absent.

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
pub(crate) use output::Output;
pub use removed::{RemovedRow, RemovedWriter};
pub use target::Target;
pub use writer::SinkWriter;

use crate::Id;

/// The fate of a record.
#[derive(Debug)]
pub enum Disposition {
    /// The record is written unchanged.
    Keep,
    /// The record is not written.
    Drop,
    /// The record is written with additional fields.
    Annotate(Annotation),
}

/// What `--annotate` adds to a record: the fields `cluster`, `duplicate`, `kept_id` and `similarity`, each with the
/// prefix `lookalike_`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Annotation {
    /// The name of the cluster. This is the id of the kept document (in a star) or of the first document (in a
    /// component), provided that no other document has the same id.
    pub cluster: Id<'static>,
    /// True if the record would have been removed.
    pub duplicate: bool,
    /// The id of the document that the record duplicates.
    pub kept_id: Option<Id<'static>>,
    /// The similarity of the two documents.
    pub similarity: Option<f64>,
}

/// How outputs are written. All options except `threads` change the bytes of outputs.
#[derive(Debug, Clone, Copy, Default)]
pub struct SinkOptions {
    /// True if records get the fields of [`Annotation`]. CSV and Parquet must know this before the first record.
    pub annotate: bool,
    /// Number of threads for compression. This does not change the bytes.
    pub threads: usize,
}

/// The size of a finished output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written {
    /// Number of records.
    pub records: u64,
    /// Number of stored bytes. `None` if there is no output, because the source is a text file that is removed.
    pub bytes: Option<u64>,
}

#[cfg(test)]
pub(crate) mod tests;
