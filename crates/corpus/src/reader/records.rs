//! Bytes -> blocks of whole records, for JSON Lines and CSV.
//!
//! A block is read into its own buffer. Bytes that were read after its last record are carried over to the next
//! block: they are copied once and never read twice. The search for the end of a record continues where the previous
//! search ended, so that a record of any length is searched only once.

use super::{Announce, ByteStream, too_large};
use crate::csv::{Boundaries, Header};
use crate::raw::{Form, RawRecords};
use crate::{Block, Fields, Limits, Position, Result, Source};
use memchr::memchr;
use std::sync::Arc;

/// Number of bytes per read: large enough to need few system calls, small enough to be still in the cache when the
/// lines are found.
const READ: usize = 128 << 10;

/// Reads sources that are a sequence of records.
#[derive(Debug)]
pub(crate) struct RecordReader {
    stream: ByteStream,
    limits: Limits,
    form: Form,
    /// The position of the next block.
    position: Position,
    /// Bytes that were read after the last block.
    carried: Vec<u8>,
    /// True if the next block is the first one after a header. It is returned even if it has no records, so that a
    /// sink sees the header.
    header_begins: bool,
}

impl RecordReader {
    pub(crate) fn open(source: &Source, form: Form, limits: Limits) -> Result<Self> {
        let stream = ByteStream::open(source, limits.window())?;
        Ok(Self {
            stream,
            limits,
            form,
            position: Position::default(),
            carried: Vec::new(),
            header_begins: false,
        })
    }

    /// Opens a CSV source and reads its header.
    pub(crate) fn open_csv(source: &Source, delimiter: u8, fields: &Fields, limits: Limits) -> Result<Self> {
        let mut reader = Self::open(source, Form::Csv(Arc::new(Header::unknown(delimiter))), limits)?;
        let mut first = RawRecords { form: reader.form.clone(), ..RawRecords::default() };
        let mut bytes = Vec::new();
        // Empty lines before the header count as a part of it.
        loop {
            reader.fill(&mut first, 1, false, &mut Announce { above: u64::MAX, announce: &mut || {} })?;
            bytes.extend_from_slice(first.bytes());
            if first.len() == 0 || !Header::is_blank(&bytes) {
                break;
            }
        }
        reader.position.offset = bytes.len() as u64;
        reader.header_begins = !Header::is_blank(&bytes);
        if reader.header_begins {
            let header = Header::parse(bytes, delimiter, &source.name)?;
            header.require(fields, &source.name)?;
            reader.form = Form::Csv(Arc::new(header));
        }
        Ok(reader)
    }

    /// The window of the decompressor in bytes.
    pub(crate) fn window(&self) -> u64 {
        self.stream.window()
    }

    /// [`Reader::next_block`](crate::Reader::next_block) for records.
    pub(crate) fn next_block(&mut self, block: &mut Block, mut long: Announce<'_>) -> Result<bool> {
        let records = block.content.raw_mut();
        records.form = self.form.clone();
        self.fill(records, self.limits.block_bytes, true, &mut long)?;
        if records.filled == 0 && !self.header_begins {
            return Ok(false);
        }
        self.header_begins = false;
        block.position = self.position;
        self.position.offset += records.filled as u64;
        self.position.record += records.len() as u64 + records.blank_lines;
        Ok(true)
    }

    /// Reads whole records until they reach `block_bytes`. If `without_blank` is true, empty lines are counted
    /// separately and are not records.
    fn fill(
        &mut self,
        records: &mut RawRecords,
        block_bytes: usize,
        without_blank: bool,
        long: &mut Announce<'_>,
    ) -> Result<()> {
        // A buffer that grew for a giant record is made small again.
        if records.buffer.len() / 4 > block_bytes.max(READ) {
            *records = RawRecords { form: records.form.clone(), ..RawRecords::default() };
        }
        records.clear();
        records.make_room(self.carried.len().max(block_bytes));
        records.buffer[..self.carried.len()].copy_from_slice(&self.carried);
        records.filled = self.carried.len();
        self.carried.clear();

        let mut boundaries = match &self.form {
            Form::Csv(header) => Some(Boundaries::new(header.delimiter)),
            Form::Jsonl | Form::Text | Form::Npy(_) => None,
        };
        let source_begins = self.position.offset == 0;
        let mut complete = false;
        // The beginning of the record whose end is searched, and how far it was searched.
        let (mut begin, mut looked) = (0, 0);
        loop {
            loop {
                let record = &records.buffer[begin..records.filled];
                let end = match &mut boundaries {
                    None => memchr(b'\n', &record[looked..]).map(|at| looked + at + 1).ok_or(record.len()),
                    Some(boundaries) => boundaries.end(record, looked, complete),
                };
                let length = match end {
                    Ok(end) => end,
                    Err(looked_until) => {
                        looked = looked_until;
                        record.len()
                    }
                };
                if length as u64 > self.limits.record_bytes {
                    let number = self.position.record + records.len() as u64 + records.blank_lines + 1;
                    let rest =
                        if end.is_ok() { 0 } else { self.stream.bytes_of_line(&mut records.buffer)? };
                    return Err(too_large(self.stream.name(), number, "record", length as u64 + rest));
                }
                if end.is_err() {
                    break;
                }
                let is_blank =
                    without_blank && self.form.is_blank(&record[..length], source_begins && begin == 0);
                records.push(begin, begin + length, is_blank);
                begin += length;
                looked = 0;
                if begin >= block_bytes || records.len() >= self.limits.records {
                    self.carried.extend_from_slice(&records.buffer[begin..records.filled]);
                    records.filled = begin;
                    return Ok(());
                }
            }
            if complete {
                if begin < records.filled {
                    let line = &records.buffer[begin..records.filled];
                    let is_blank = without_blank && self.form.is_blank(line, source_begins && begin == 0);
                    records.push(begin, records.filled, is_blank);
                }
                return Ok(());
            }
            // Read up to the size of the block first, then in smaller pieces to the end of its last record. If that
            // record is long itself, the pieces double each time.
            let wanted = match block_bytes.saturating_sub(records.filled) {
                0 => (READ / 2).min(block_bytes.max(4096)).max((records.filled - begin).min(16 * READ)),
                missing => missing.min(READ),
            };
            long.expect((records.filled + wanted) as u64);
            records.make_room(wanted);
            let filled = records.filled;
            let read = self.stream.read(&mut records.buffer[filled..filled + wanted])?;
            records.filled += read;
            complete = read == 0;
        }
    }

    /// [`Reader::advance_to`](crate::Reader::advance_to) for records.
    pub(crate) fn advance_to(&mut self, position: Position) -> Result<()> {
        let read_until = self.position.offset + self.carried.len() as u64;
        match position.offset.checked_sub(self.position.offset) {
            Some(passed) if position.offset <= read_until => {
                let passed = usize::try_from(passed).expect("it is within what was carried");
                self.carried.drain(..passed);
            }
            _ => {
                self.carried.clear();
                self.stream.advance_to(position.offset)?;
            }
        }
        self.header_begins &= position == self.position;
        self.position = position;
        Ok(())
    }
}
