//! The list of what was removed, as Parquet.

use crate::Result;
use crate::parquet::RemovedSink;
use files::OutFile;

/// A row of the list of what was removed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RemovedRow {
    /// The id of the removed document.
    pub id: String,
    /// Its source.
    pub source: String,
    /// Its record number, from 1.
    pub line: u64,
    /// `exact`, `near` or `bad`.
    pub kind: String,
    /// The id of the kept document that it duplicates.
    pub kept_id: Option<String>,
    /// The source of the kept document.
    pub kept_source: Option<String>,
    /// Its record number, from 1.
    pub kept_line: Option<u64>,
    /// Their similarity.
    pub similarity: Option<f64>,
    /// Their Hamming distance, with SimHash.
    pub distance: Option<u32>,
    /// Why a bad record is bad.
    pub reason: Option<String>,
}

/// Writes the list of what was removed as Parquet. Memory does not grow with the number of rows.
#[derive(Debug)]
pub struct RemovedWriter {
    sink: RemovedSink,
}

impl RemovedWriter {
    /// Begins the list in `file`.
    pub fn new(file: OutFile) -> Result<Self> {
        Ok(Self { sink: RemovedSink::new(file)? })
    }

    /// Adds a row.
    pub fn push(&mut self, row: &RemovedRow) -> Result<()> {
        self.sink.push(row)
    }

    /// Ends the list, and syncs it.
    pub fn finish(self) -> Result<()> {
        self.sink.finish()
    }
}
