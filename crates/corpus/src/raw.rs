//! Records as they stand in a source: bytes, and where each slot ends.
//!
//! Nothing is parsed to make them. A sink writes the bytes of a slot as they are, and
//! [`visit`](RawRecords::visit) parses the slots that are asked for.

use crate::{Fields, Record, Result, Scratch, csv, jsonl, text};
use std::sync::Arc;

/// Records as they stand in a source.
#[derive(Debug, Default)]
pub(crate) struct RawRecords {
    /// The first [`filled`](Self::filled) bytes are the records. What follows is memory to read into: it is not
    /// cut off, so that it need not be written with zeros again and again.
    pub(crate) buffer: Vec<u8>,
    pub(crate) filled: usize,
    /// Where each slot ends, its line end included.
    pub(crate) ends: Vec<usize>,
    pub(crate) form: Form,
}

/// How raw records are written.
#[derive(Debug, Clone, Default)]
pub(crate) enum Form {
    /// A JSON value per slot.
    #[default]
    Jsonl,
    /// A CSV record per slot.
    Csv(Arc<csv::Header>),
    /// One slot with the whole file.
    Text,
}

/// The byte order mark that some programs write before UTF-8.
const MARK: &[u8] = "\u{feff}".as_bytes();

/// The beginning of a source without its byte order mark, if it has one.
pub(crate) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(MARK).unwrap_or(bytes)
}

impl RawRecords {
    /// Nothing, with memory to read into.
    pub(crate) fn clear(&mut self) {
        self.filled = 0;
        self.ends.clear();
    }

    /// Makes room for at least `bytes` after what is filled.
    pub(crate) fn make_room(&mut self, bytes: usize) {
        let wanted = self.filled.saturating_add(bytes);
        if self.buffer.len() < wanted {
            self.buffer.resize(wanted, 0);
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// All records, one after the other.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[..self.filled]
    }

    /// The bytes of a slot as they stand in the source, with the line end, if it has one.
    pub(crate) fn slot(&self, slot: usize) -> &[u8] {
        let begin = if slot == 0 { 0 } else { self.ends[slot - 1] };
        &self.buffer[begin..self.ends[slot]]
    }

    /// The bytes of every slot, in order.
    pub(crate) fn slots(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|slot| self.slot(slot))
    }

    /// As [`Block::visit`](crate::Block::visit); `first` if the source begins here.
    pub(crate) fn visit(
        &self,
        first: bool,
        fields: &Fields,
        selected: Option<&[u32]>,
        scratch: &mut Scratch,
        visit: &mut dyn FnMut(usize, Record<'_>) -> Result<()>,
    ) -> Result<()> {
        match &self.form {
            Form::Jsonl => jsonl::visit(self, first, fields, selected, scratch, visit),
            Form::Csv(header) => csv::visit(self, header, fields, selected, scratch, visit),
            Form::Text => text::visit(self, selected, scratch, visit),
        }
    }
}
