//! A source -> its blocks, one after the other.
//!
//! ```text
//! stored bytes -> bytes -> whole records -> blocks
//!        byte_stream     records, text_file, crate::parquet
//! ```

mod byte_stream;
mod records;
mod text_file;
mod zstd_frame;

use crate::parquet::{ParquetReader, TableReader};
use crate::raw::Form;
use crate::{Block, Error, Fields, Format, Position, Result, Source};
pub(crate) use byte_stream::{ByteStream, LEAST_WINDOW, decompress};
use records::RecordReader;
use text_file::TextFileReader;

/// Sizes. They do not change what is read, only in which pieces: the same limits give the same blocks.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// A block ends with the record that reaches this many bytes.
    pub block_bytes: usize,
    /// The longest record that memory allows; a longer one is [`Error::TooLarge`](crate::Error::TooLarge).
    pub record_bytes: u64,
    /// A block has so many records at the most: what is known of a short record takes more memory than the record.
    pub records: usize,
}

impl Limits {
    /// How many bytes a decompressor may remember: half of the longest record, an eighth of the memory or so. Common files
    /// are read with any limit.
    pub(crate) fn window(self) -> u64 {
        (self.record_bytes / 2).max(LEAST_WINDOW)
    }
}

/// Hears of a block that takes much memory before it does. (Of a Parquet file it hears where rows are long on average.)
pub struct Announce<'a> {
    /// Bytes above which a block is announced.
    pub above: u64,
    /// What is called, at least once; it may wait.
    pub announce: &'a mut dyn FnMut(),
}

impl std::fmt::Debug for Announce<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Announce").field("above", &self.above).finish_non_exhaustive()
    }
}

impl Announce<'_> {
    /// A block is about to take so many bytes.
    pub(crate) fn expect(&mut self, bytes: u64) {
        if bytes > self.above {
            (self.announce)();
        }
    }
}

/// What the blocks must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadMode {
    /// What [`Fields`] names: enough for [`Block::visit`].
    Fields,
    /// Everything: enough for a sink too.
    Whole,
}

/// Memory for a byte of the longest record, roughly: the block that holds it, its text without escapes, its shingles.
const MEMORY_PER_BYTE: u64 = 8;

/// Reads one source.
#[derive(Debug)]
pub struct Reader {
    format: FormatReader,
}

#[derive(Debug)]
enum FormatReader {
    Records(RecordReader),
    TextFile(TextFileReader),
    Parquet(ParquetReader),
    Table(TableReader),
}

impl Reader {
    /// Opens `source` at its beginning.
    pub fn open(source: &Source, mode: ReadMode, fields: &Fields, limits: Limits) -> Result<Self> {
        let format = match source.format {
            Format::Jsonl => FormatReader::Records(RecordReader::open(source, Form::Jsonl, limits)?),
            Format::Csv { delimiter } => {
                FormatReader::Records(RecordReader::open_csv(source, delimiter, fields, limits)?)
            }
            Format::Text => FormatReader::TextFile(TextFileReader::open(source, limits)?),
            Format::Parquet => FormatReader::Parquet(ParquetReader::open(source, mode, fields, limits)?),
            Format::Table => FormatReader::Table(TableReader::open(source, fields, limits)?),
        };
        Ok(Self { format })
    }

    /// Whether its decompressor may remember more than that of a common file does: such readers are not used side by side.
    #[must_use]
    pub fn has_large_window(&self) -> bool {
        let window = match &self.format {
            FormatReader::Records(reader) => reader.window(),
            FormatReader::TextFile(reader) => reader.window(),
            FormatReader::Parquet(_) | FormatReader::Table(_) => 0,
        };
        window > LEAST_WINDOW
    }

    /// Reads the next block over `block`; false at the end.
    pub fn next_block(&mut self, block: &mut Block) -> Result<bool> {
        self.next_block_announced(block, Announce { above: u64::MAX, announce: &mut || {} })
    }

    /// The same; whoever wants to hear of a long block hears of it before memory is taken for it.
    pub fn next_block_announced(&mut self, block: &mut Block, long: Announce<'_>) -> Result<bool> {
        match &mut self.format {
            FormatReader::Records(reader) => reader.next_block(block, long),
            FormatReader::TextFile(reader) => reader.next_block(block, long),
            FormatReader::Parquet(reader) => reader.next_block(block, long),
            FormatReader::Table(reader) => reader.next_block(block),
        }
    }

    /// Goes forward to the beginning of a block that this source was seen to have: by seeking in a plain file, by
    /// reading on in others.
    pub fn advance_to(&mut self, position: Position) -> Result<()> {
        match &mut self.format {
            FormatReader::Records(reader) => reader.advance_to(position),
            FormatReader::TextFile(reader) => reader.advance_to(position),
            FormatReader::Parquet(reader) => reader.advance_to(position),
            FormatReader::Table(reader) => reader.advance_to(position),
        }
    }
}

/// The error of a record or page of so many bytes. `record` counts from 1.
pub(crate) fn too_large(name: &str, record: u64, what: &'static str, bytes: u64) -> Error {
    let needed = bytes.saturating_mul(MEMORY_PER_BYTE);
    Error::TooLarge { name: name.to_owned(), record, what, bytes, needed }
}

#[cfg(test)]
mod tests;
