//! Records as they are written in a source: their bytes, and the end of each slot.
//!
//! Nothing is parsed to find them. A sink writes the bytes of a slot unchanged, and [`visit`](RawRecords::visit)
//! parses the slots that are asked for.

use crate::{Fields, Record, Result, Scratch, csv, jsonl, npy, text};
use std::sync::Arc;

/// Records as they are written in a source.
#[derive(Debug, Default)]
pub(crate) struct RawRecords {
    /// The first [`filled`](Self::filled) bytes are the records. The bytes after them are memory to read into; they
    /// are not truncated, so that they need not be filled with zeros again for every block.
    pub(crate) buffer: Vec<u8>,
    pub(crate) filled: usize,
    /// The end of each slot, including its line end.
    pub(crate) ends: Vec<usize>,
    /// The positions of empty lines between slots, ascending.
    pub(crate) gaps: Vec<Gap>,
    /// Number of empty lines, including those after the last slot.
    pub(crate) blank_lines: u64,
    pub(crate) form: Form,
}

/// Empty lines before a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gap {
    /// The slot, and where it begins.
    pub(crate) slot: usize,
    pub(crate) begin: usize,
    /// Number of all empty lines of the block before the slot.
    pub(crate) blank_lines: u64,
}

/// The format of raw records.
#[derive(Debug, Clone, Default)]
pub(crate) enum Form {
    /// A JSON value in each slot.
    #[default]
    Jsonl,
    /// A CSV record in each slot.
    Csv(Arc<csv::Header>),
    /// One slot that holds the whole file.
    Text,
    /// A row of an array in each slot.
    Npy(npy::Rows),
}

impl Form {
    /// True if a line counts as empty: only white space in JSON Lines, no bytes in CSV. `first` is true at the
    /// beginning of the source.
    pub(crate) fn is_blank(&self, line: &[u8], first: bool) -> bool {
        match self {
            // Nearly every line begins with a brace.
            Self::Jsonl if line.first() == Some(&b'{') => false,
            Self::Jsonl => {
                let line = if first { without_mark(line) } else { line };
                line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
            }
            Self::Csv(_) => csv::without_line_end(line).is_empty(),
            Self::Text | Self::Npy(_) => false,
        }
    }
}

/// The byte order mark that some programs write before UTF-8.
pub(crate) const MARK: &[u8] = "\u{feff}".as_bytes();

/// The beginning of a source without its byte order mark, if it has one.
pub(crate) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(MARK).unwrap_or(bytes)
}

impl RawRecords {
    /// Removes all records. The memory is kept.
    pub(crate) fn clear(&mut self) {
        self.filled = 0;
        self.ends.clear();
        self.gaps.clear();
        self.blank_lines = 0;
    }

    /// Adds the record from `begin` to `end`, or counts it if it is an empty line.
    pub(crate) fn push(&mut self, begin: usize, end: usize, is_blank: bool) {
        if is_blank {
            self.blank_lines += 1;
            return;
        }
        if begin != self.ends.last().copied().unwrap_or(0) {
            self.gaps.push(Gap { slot: self.len(), begin, blank_lines: self.blank_lines });
        }
        self.ends.push(end);
    }

    /// The last gap at or before a slot.
    fn gap(&self, slot: usize) -> Option<&Gap> {
        if self.gaps.is_empty() {
            return None;
        }
        self.gaps[..self.gaps.partition_point(|gap| gap.slot <= slot)].last()
    }

    /// Does the work of [`Block::blank_lines_before`](crate::Block::blank_lines_before).
    pub(crate) fn blank_lines_before(&self, slot: usize) -> u64 {
        self.gap(slot).map_or(0, |gap| gap.blank_lines)
    }

    /// Where a slot begins.
    pub(crate) fn begin(&self, slot: usize) -> usize {
        match self.gap(slot) {
            Some(gap) if gap.slot == slot => gap.begin,
            _ if slot == 0 => 0,
            _ => self.ends[slot - 1],
        }
    }

    /// Makes room for at least `bytes` bytes after the filled ones.
    pub(crate) fn make_room(&mut self, bytes: usize) {
        let wanted = self.filled.saturating_add(bytes);
        if self.buffer.len() < wanted {
            self.buffer.resize(wanted, 0);
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// All records and empty lines in one piece.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[..self.filled]
    }

    /// The bytes of a slot as they are written in the source, with the line end, if there is one.
    pub(crate) fn slot(&self, slot: usize) -> &[u8] {
        &self.buffer[self.begin(slot)..self.ends[slot]]
    }

    /// The bytes of every slot, in order.
    pub(crate) fn slots(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|slot| self.slot(slot))
    }

    /// [`Block::visit`](crate::Block::visit) for raw records. `first` is true if the block is the beginning of the
    /// source.
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
            Form::Text => text::visit(self, fields.text.is_json, selected, scratch, visit),
            Form::Npy(rows) => npy::visit(self, rows, selected, scratch, visit),
        }
    }
}
