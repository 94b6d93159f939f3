//! Rows of Parquet files.

use crate::{Block, Fields, Limits, Position, ReadMode, Record, Result, Scratch, Source};

/// Rows of a Parquet file.
#[derive(Debug, Default)]
pub(crate) struct ParquetRows {}

impl ParquetRows {
    pub(crate) fn len(&self) -> usize {
        0
    }

    pub(crate) fn bytes(&self) -> usize {
        0
    }

    /// As [`Block::visit`].
    pub(crate) fn visit(
        &self,
        _fields: &Fields,
        _selected: Option<&[u32]>,
        _scratch: &mut Scratch,
        _visit: &mut dyn FnMut(usize, Record<'_>) -> Result<()>,
    ) -> Result<()> {
        unimplemented!()
    }
}

/// Reads the rows of a Parquet file.
#[derive(Debug)]
pub(crate) struct ParquetReader {}

impl ParquetReader {
    pub(crate) fn open(_source: &Source, _mode: ReadMode, _fields: &Fields, _limits: Limits) -> Result<Self> {
        unimplemented!()
    }

    /// As [`Reader::next_block`](crate::Reader::next_block).
    pub(crate) fn next_block(&mut self, _block: &mut Block) -> Result<bool> {
        unimplemented!()
    }

    /// As [`Reader::advance_to`](crate::Reader::advance_to).
    pub(crate) fn advance_to(&mut self, _position: Position) -> Result<()> {
        unimplemented!()
    }
}
