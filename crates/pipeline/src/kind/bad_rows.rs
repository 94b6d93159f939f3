//! Rows of (set, item) that cannot be used -> a list of them in a private file, which a run adds to what it lists as removed.
//!
//! The rows become sets before the run begins, so the run itself never sees a bad one. The list is in input order. Its hash is a
//! part of what tells one run from another: other bad rows make another list, and so another run.

use super::rows::io;
use crate::Result;
use corpus::{Location, RemovedRow, Source};
use files::{OutFile, TempFolder};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, ErrorKind, Write};

/// The name of the list, which is beside the source of sets.
const NAME: &str = "bad-rows";

#[derive(Debug, Serialize, Deserialize)]
struct BadRow {
    id: Option<String>,
    source: String,
    line: u64,
    reason: String,
}

/// Hands out the rows that could not be used when this source was gathered, as they are listed among what was removed, in input
/// order. A source that was not gathered from rows has none.
pub(crate) fn visit(gathered: &Source, visit: &mut dyn FnMut(RemovedRow) -> Result<()>) -> Result<()> {
    let Location::Copy(sets) = &gathered.location else { return Ok(()) };
    let path = &sets.with_file_name(NAME);
    let file = match File::open(path) {
        Ok(file) => file,
        Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(()),
        Err(cause) => return Err(io("read", path)(cause)),
    };
    for line in BufReader::new(file).lines() {
        let line = line.map_err(io("read", path))?;
        let row: BadRow = serde_json::from_str(&line).map_err(|wrong| io("read", path)(wrong.into()))?;
        visit(RemovedRow {
            id: row.id.unwrap_or_else(|| format!("{}:{}", row.source, row.line)),
            source: row.source,
            line: row.line,
            kind: "bad".into(),
            reason: Some(row.reason),
            ..RemovedRow::default()
        })?;
    }
    Ok(())
}

/// Writes the list.
pub(super) struct BadRowsWriter {
    file: BufWriter<OutFile>,
    hasher: blake3::Hasher,
    count: u64,
}

impl BadRowsWriter {
    pub(super) fn new(folder: &TempFolder) -> Result<Self> {
        Ok(Self { file: BufWriter::new(folder.create(NAME)?), hasher: blake3::Hasher::new(), count: 0 })
    }

    /// Adds a row: its record number, counted from 1, the id of its set, if it has one, and why it cannot be used.
    pub(super) fn push(&mut self, source: &str, line: u64, id: Option<String>, reason: String) -> Result<()> {
        let row = BadRow { id, source: source.to_owned(), line, reason };
        let mut written = serde_json::to_vec(&row).expect("a row is plain data");
        written.push(b'\n');
        self.hasher.update(&written);
        self.count += 1;
        self.file.write_all(&written).map_err(|cause| io("write", self.file.get_ref().path())(cause))
    }

    /// Ends the list, and returns the number of its rows. What stands for the list is added to `hasher` if it is not empty.
    pub(super) fn finish(self, hasher: &mut blake3::Hasher) -> Result<u64> {
        let Self { file, hasher: own, count } = self;
        let path = file.get_ref().path().to_owned();
        drop(file.into_inner().map_err(|error| io("write", &path)(error.into_error()))?);
        if count > 0 {
            hasher.update(own.finalize().as_bytes());
        }
        Ok(count)
    }
}
