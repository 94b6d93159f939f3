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

use crate::npy::NpyReader;
use crate::parquet::{ParquetReader, TableReader};
use crate::raw::Form;
use crate::{Block, Error, Fields, Format, Position, Result, Source};
pub(crate) use byte_stream::{ByteStream, LEAST_WINDOW, decompress};
use records::RecordReader;
use text_file::TextFileReader;

/// Sizes of blocks and records. They do not change what is read, only how it is divided: the same limits give the
/// same blocks.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// A block ends with the record that reaches this many bytes.
    pub block_bytes: usize,
    /// The longest record that the memory allows, in bytes. A longer record is
    /// [`Error::TooLarge`](crate::Error::TooLarge).
    pub record_bytes: u64,
    /// The largest number of records in a block. It is limited because the data about a short record takes more
    /// memory than the record itself.
    pub records: usize,
}

impl Limits {
    /// The largest window of a decompressor: half of the longest record, which is about an eighth of the memory.
    /// Common files can be read with any memory limit.
    pub(crate) fn window(self) -> u64 {
        (self.record_bytes / 2).max(LEAST_WINDOW)
    }
}

/// Is told about a block that takes much memory before the memory is taken. For a Parquet file this is only known if
/// rows are long on average.
pub struct Announce<'a> {
    /// Blocks with more bytes than this are announced.
    pub above: u64,
    /// The function that is called, at least once for each announced block. It may wait.
    pub announce: &'a mut dyn FnMut(),
}

impl std::fmt::Debug for Announce<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Announce").field("above", &self.above).finish_non_exhaustive()
    }
}

impl Announce<'_> {
    /// Announces a block that is about to take `bytes` bytes.
    pub(crate) fn expect(&mut self, bytes: u64) {
        if bytes > self.above {
            (self.announce)();
        }
    }
}

/// How much of each record a block must contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadMode {
    /// The text: enough for [`Block::visit`] where nothing but the text is looked at. The other fields may be absent
    /// from the documents. The blocks are those of [`Fields`](Self::Fields).
    Text,
    /// The fields that [`Fields`] names: enough for [`Block::visit`].
    Fields,
    /// The whole record: enough for a sink too.
    Whole,
}

/// Approximate memory per byte of the longest record: for the block that holds it, its text after unescaping, and its
/// shingles.
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
    Npy(NpyReader),
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
            Format::Npy => FormatReader::Npy(NpyReader::open(source, limits)?),
            Format::Table => FormatReader::Table(TableReader::open(source, fields, limits)?),
        };
        Ok(Self { format })
    }

    /// True if the decompressor may use a larger window than for common files. Two such readers are never used at the
    /// same time.
    #[must_use]
    pub fn has_large_window(&self) -> bool {
        let window = match &self.format {
            FormatReader::Records(reader) => reader.window(),
            FormatReader::TextFile(reader) => reader.window(),
            FormatReader::Npy(reader) => reader.window(),
            FormatReader::Parquet(_) | FormatReader::Table(_) => 0,
        };
        window > LEAST_WINDOW
    }

    /// Reads the next block into `block`. Returns false at the end.
    pub fn next_block(&mut self, block: &mut Block) -> Result<bool> {
        self.next_block_announced(block, Announce { above: u64::MAX, announce: &mut || {} })
    }

    /// Like [`next_block`](Self::next_block), but announces a long block before memory is taken for it.
    pub fn next_block_announced(&mut self, block: &mut Block, long: Announce<'_>) -> Result<bool> {
        match &mut self.format {
            FormatReader::Records(reader) => reader.next_block(block, long),
            FormatReader::TextFile(reader) => reader.next_block(block, long),
            FormatReader::Parquet(reader) => reader.next_block(block, long),
            FormatReader::Table(reader) => reader.next_block(block),
            FormatReader::Npy(reader) => reader.next_block(block),
        }
    }

    /// Moves forward to the beginning of a block that was read from this source before: by seeking in a plain file,
    /// by reading in others.
    pub fn advance_to(&mut self, position: Position) -> Result<()> {
        match &mut self.format {
            FormatReader::Records(reader) => reader.advance_to(position),
            FormatReader::TextFile(reader) => reader.advance_to(position),
            FormatReader::Parquet(reader) => reader.advance_to(position),
            FormatReader::Table(reader) => reader.advance_to(position),
            FormatReader::Npy(reader) => reader.advance_to(position),
        }
    }
}

/// The error for a record or page of this many bytes. `record` is counted from 1.
pub(crate) fn too_large(name: &str, record: u64, what: &'static str, bytes: u64) -> Error {
    let needed = bytes.saturating_mul(MEMORY_PER_BYTE);
    Error::TooLarge { name: name.to_owned(), record, what, bytes, needed }
}

#[cfg(test)]
mod tests;
