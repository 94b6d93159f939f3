//! The list of what was removed, as Parquet.

use crate::Result;
use crate::parquet;
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

/// Writes the list of what was removed to `file` as Parquet, and syncs it. Memory does not grow with the number of rows.
pub fn write_removed_parquet(
    file: OutFile,
    rows: &mut dyn Iterator<Item = Result<RemovedRow>>,
) -> Result<()> {
    parquet::write_removed(file, rows)
}
