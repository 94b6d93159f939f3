//! The list of removed documents, as Parquet.

use crate::Result;
use crate::parquet::RemovedSink;
use files::OutFile;

/// A row of the list of removed documents.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RemovedRow {
    /// The id of the removed document.
    pub id: String,
    /// The source of the removed document.
    pub source: String,
    /// The record number of the removed document, counted from 1.
    pub line: u64,
    /// `exact`, `near` or `bad`.
    pub kind: String,
    /// The id of the kept document that it duplicates.
    pub kept_id: Option<String>,
    /// The source of the kept document.
    pub kept_source: Option<String>,
    /// The record number of the kept document, counted from 1.
    pub kept_line: Option<u64>,
    /// The similarity of the two documents.
    pub similarity: Option<f64>,
    /// The Hamming distance of the two documents, with SimHash.
    pub distance: Option<u32>,
    /// Why the record is bad, if it is.
    pub reason: Option<String>,
}

/// Writes the list of removed documents as Parquet. The memory does not grow with the number of rows.
#[derive(Debug)]
pub struct RemovedWriter {
    sink: RemovedSink,
}

impl RemovedWriter {
    /// Creates the list in `file`.
    pub fn new(file: OutFile) -> Result<Self> {
        Ok(Self { sink: RemovedSink::new(file)? })
    }

    /// Adds a row.
    pub fn push(&mut self, row: &RemovedRow) -> Result<()> {
        self.sink.push(row)
    }

    /// Completes the list, and syncs it.
    pub fn finish(self) -> Result<()> {
        self.sink.finish()
    }
}
