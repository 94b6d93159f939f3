//! A replacement for Parquet in a build without it: every call is an error that says so.

use crate::sink::{Disposition, RemovedRow, SinkOptions, Target};
use crate::{
    Announce, Block, Error, FieldPath, Fields, Limits, Position, ReadMode, Record, Result, Scratch, Source,
};
use std::path::Path;

/// Rows in memory. No value of this type can exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Table {}

/// Reads rows in memory. No value of this type can exist.
#[derive(Debug)]
pub(crate) enum TableReader {}

impl TableReader {
    pub(crate) fn open(source: &Source, _fields: &Fields, _limits: Limits) -> Result<Self> {
        absent(source)
    }

    pub(crate) fn next_block(&mut self, _block: &mut Block) -> Result<bool> {
        match *self {}
    }

    pub(crate) fn advance_to(&mut self, _position: Position) -> Result<()> {
        match *self {}
    }
}

/// The names of the columns.
pub(crate) fn names_of_columns(source: &Source) -> Result<Vec<String>> {
    absent(source)
}

/// The first column that holds text.
pub(crate) fn text_column_of(source: &Source) -> Result<String> {
    absent(source)
}

fn absent<T>(source: &Source) -> Result<T> {
    Err(Error::Invalid(format!(
        "{} is a Parquet file, but this program was built without Parquet support; build it with the feature \
         `parquet`",
        source.name
    )))
}

/// Writes the list of removed documents. No value of this type can exist.
#[derive(Debug)]
pub(crate) enum RemovedSink {}

impl RemovedSink {
    pub(crate) fn new(file: files::OutFile) -> Result<Self> {
        Err(Error::Invalid(format!(
            "{} cannot be written: this program was built without Parquet support; build it with the feature \
             `parquet`, or choose JSON Lines",
            file.path().display()
        )))
    }

    pub(crate) fn push(&mut self, _row: &RemovedRow) -> Result<()> {
        match *self {}
    }

    pub(crate) fn finish(self) -> Result<()> {
        match self {}
    }
}

/// Rows of a Parquet file. No value of this type can exist.
#[derive(Debug)]
pub(crate) enum ArrowRows {}

impl ArrowRows {
    pub(crate) fn len(&self) -> usize {
        match *self {}
    }

    pub(crate) fn bytes(&self) -> usize {
        match *self {}
    }

    pub(crate) fn json(&self, _path: &FieldPath, _row: usize) -> Option<serde_json::Value> {
        match *self {}
    }

    pub(crate) fn kept(&self, _path: &FieldPath, _row: usize) -> Option<serde_json::Value> {
        match *self {}
    }

    pub(crate) fn odd(&self, _path: &FieldPath, _row: usize) -> Option<String> {
        match *self {}
    }

    pub(crate) fn visit(
        &self,
        _fields: &Fields,
        _selected: Option<&[u32]>,
        _scratch: &mut Scratch,
        _visit: &mut dyn FnMut(usize, Record<'_>) -> Result<()>,
    ) -> Result<()> {
        match *self {}
    }
}

/// Texts of a Parquet file. No value of this type can exist.
#[derive(Debug)]
pub(crate) enum Texts {}

impl Texts {
    pub(crate) fn len(&self) -> usize {
        match *self {}
    }

    pub(crate) fn bytes(&self) -> usize {
        match *self {}
    }

    pub(crate) fn visit(
        &self,
        _fields: &Fields,
        _selected: Option<&[u32]>,
        _visit: &mut dyn FnMut(usize, Record<'_>) -> Result<()>,
    ) -> Result<()> {
        match *self {}
    }
}

/// Reads the rows of a Parquet file. No value of this type can exist.
#[derive(Debug)]
pub(crate) enum ParquetReader {}

impl ParquetReader {
    pub(crate) fn open(source: &Source, _mode: ReadMode, _fields: &Fields, _limits: Limits) -> Result<Self> {
        absent(source)
    }

    pub(crate) fn next_block(&mut self, _block: &mut Block, _long: Announce<'_>) -> Result<bool> {
        match *self {}
    }

    pub(crate) fn advance_to(&mut self, _position: Position) -> Result<()> {
        match *self {}
    }
}

/// Writes rows of a Parquet file. No value of this type can exist.
#[derive(Debug)]
pub(crate) enum ParquetSink {}

impl ParquetSink {
    pub(crate) fn create(
        _to: &Target,
        source: &Source,
        _aside: &Path,
        _options: SinkOptions,
    ) -> Result<Self> {
        absent(source)
    }

    pub(crate) fn write(
        &mut self,
        _rows: &ArrowRows,
        _fate: &mut dyn FnMut(usize) -> Disposition,
    ) -> Result<u64> {
        match *self {}
    }

    pub(crate) fn finish(self) -> Result<u64> {
        match self {}
    }
}
