//! A source -> its blocks, one after the other.

use crate::{Block, Position, Result, Source};

/// Sizes. They do not change what is read, only in which pieces: the same limits give the same blocks.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// A block ends with the record that reaches this many bytes.
    pub block_bytes: usize,
    /// The longest record that memory allows; a longer one is [`Error::TooLarge`](crate::Error::TooLarge).
    pub record_bytes: u64,
}

/// What the blocks must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadMode {
    /// What [`Fields`](crate::Fields) names: enough for [`Block::visit`].
    Fields,
    /// Everything: enough for a sink too.
    Whole,
}

/// Reads one source.
#[derive(Debug)]
pub struct Reader {}

impl Reader {
    /// Opens `source` at its beginning.
    pub fn open(_source: &Source, _mode: ReadMode, _fields: &crate::Fields, _limits: Limits) -> Result<Self> {
        unimplemented!()
    }

    /// Reads the next block over `block`; false at the end.
    pub fn next_block(&mut self, _block: &mut Block) -> Result<bool> {
        unimplemented!()
    }

    /// Goes forward to the beginning of a block that this source was seen to have: by seeking in a plain file, by
    /// reading on in others.
    pub fn advance_to(&mut self, _position: Position) -> Result<()> {
        unimplemented!()
    }
}
