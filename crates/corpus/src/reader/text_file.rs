//! A text file -> one block with one slot: the whole file.

use super::{Announce, ByteStream};
use crate::raw::Form;
use crate::{Block, Limits, Position, Result, Source};

/// Reads a file that is one document.
#[derive(Debug)]
pub(crate) struct TextFileReader {
    stream: ByteStream,
    record_bytes: u64,
    /// Number of stored bytes, used to reserve memory.
    size: u64,
    done: bool,
}

impl TextFileReader {
    pub(crate) fn open(source: &Source, limits: Limits) -> Result<Self> {
        let stream = ByteStream::open(source, limits.window())?;
        Ok(Self { stream, record_bytes: limits.record_bytes, size: source.size, done: false })
    }

    /// The window of the decompressor in bytes.
    pub(crate) fn window(&self) -> u64 {
        self.stream.window()
    }

    /// [`Reader::next_block`](crate::Reader::next_block) for a text file.
    pub(crate) fn next_block(&mut self, block: &mut Block, mut long: Announce<'_>) -> Result<bool> {
        if std::mem::replace(&mut self.done, true) {
            return Ok(false);
        }
        block.position = Position::default();
        let records = block.content.raw_mut();
        records.form = Form::Text;
        records.clear();
        // One byte more than the file has, so that the read that finds the end needs no more memory.
        let expected =
            usize::try_from(self.size.min(self.record_bytes)).unwrap_or(usize::MAX).saturating_add(1);
        loop {
            let begin = records.filled;
            if begin == 0 || begin == records.buffer.len() {
                let wanted = if begin == 0 { expected } else { begin };
                long.expect((begin + wanted) as u64);
                records.make_room(wanted);
            }
            let read = self.stream.read(&mut records.buffer[begin..])?;
            records.filled += read;
            if records.filled as u64 > self.record_bytes {
                let bytes = records.filled as u64 + self.stream.bytes_left(&mut records.buffer)?;
                return Err(super::too_large(self.stream.name(), 1, "record", bytes));
            }
            if read == 0 {
                records.ends.push(records.filled);
                return Ok(true);
            }
        }
    }

    /// [`Reader::advance_to`](crate::Reader::advance_to) for a text file.
    pub(crate) fn advance_to(&mut self, position: Position) -> Result<()> {
        self.done |= position.record > 0;
        Ok(())
    }
}
