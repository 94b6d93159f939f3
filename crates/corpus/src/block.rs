//! Blocks of whole records, and what is taken from a record.

use crate::order_key::OrderKey;
use crate::parquet::ArrowRows;
use crate::raw::RawRecords;
use crate::{Result, csv};
use std::borrow::Cow;

/// Where a block begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Bytes before it, after decompression (Parquet: rows).
    pub offset: u64,
    /// Records before it. Blank lines of JSON Lines and CSV count, though they are no records: so that in JSON Lines this is
    /// the number of lines.
    pub record: u64,
}

/// A path to a field: `a.b` is the field `b` of the object in the field `a`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldPath {
    /// The names on the way, at least one.
    pub names: Vec<String>,
}

impl FieldPath {
    /// The path that `written` names, with dots between names. A field whose own name has dots is found too: the
    /// whole of `written` is tried first.
    #[must_use]
    pub fn new(written: &str) -> Self {
        Self { names: written.split('.').map(str::to_owned).collect() }
    }

    /// The path as [`new`](Self::new) takes it.
    #[must_use]
    pub fn written(&self) -> String {
        self.names.join(".")
    }
}

/// What to take from each record.
#[derive(Debug, Clone)]
pub struct Fields {
    /// The text. (Ignored for plain text files: the file is the text.)
    pub text: FieldPath,
    /// The id.
    pub id: Option<FieldPath>,
    /// The value that `--keep max:FIELD` and `min:FIELD` compare.
    pub order: Option<FieldPath>,
    /// The value of `--within FIELD`.
    pub within: Option<FieldPath>,
}

/// One record of a block.
#[derive(Debug)]
pub enum Record<'a> {
    /// It cannot be used.
    Bad(BadRecord<'a>),
    /// A document.
    Document(Document<'a>),
}

/// A record that cannot be used.
#[derive(Debug, PartialEq, Eq)]
pub struct BadRecord<'a> {
    /// Why, in words that end a sentence: "the field `text` is missing".
    pub reason: String,
    /// Its id, if it was asked for and can be read.
    pub id: Option<Id<'a>>,
    /// Whether it has no field for the text: perhaps another field has it.
    pub lacks_text: bool,
}

/// What was taken from a record.
#[derive(Debug)]
pub struct Document<'a> {
    /// The text.
    pub text: &'a str,
    /// Whether bytes of a text file that are not UTF-8 were replaced by U+FFFD.
    pub replaced: bool,
    /// The id, if asked for, there and not null.
    pub id: Option<Id<'a>>,
    /// The value that is compared, if asked for and there. (Null, an empty string, an object and an array are no such
    /// values.)
    pub order: Option<OrderKey<'a>>,
    /// The value, if asked for: a string as it is, anything else as JSON writes it, nothing if missing or null.
    pub within: Option<Cow<'a, str>>,
    /// Which of the fields that were asked for the record does not have at all.
    pub absent: Absent,
}

/// The id of a record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Id<'a> {
    /// A string as it is, anything else as JSON writes it.
    pub text: Cow<'a, str>,
    /// True if it is not a string, so that it stands in JSON without quotes.
    pub is_bare: bool,
}

impl<'a> Id<'a> {
    /// An id that is a string.
    pub fn string(text: impl Into<Cow<'a, str>>) -> Self {
        Self { text: text.into(), is_bare: false }
    }
}

/// Fields that a record does not have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Absent {
    /// The id.
    pub id: bool,
    /// The value that is compared.
    pub order: bool,
    /// The value of `--within`.
    pub within: bool,
}

/// Working memory for parsing; use it again and again.
#[derive(Debug, Default)]
pub struct Scratch {
    /// The text, where it is not in the block as it is: without its escapes, or with what is not UTF-8 replaced.
    pub(crate) text: String,
    /// The id, likewise.
    pub(crate) id: String,
    /// The value of `--within`, likewise.
    pub(crate) within: String,
    /// The value that is compared, likewise.
    pub(crate) other: String,
    /// The key of that value.
    pub(crate) order: Vec<u8>,
    /// Where the fields of a CSV record are.
    pub(crate) spans: Vec<csv::Span>,
}

/// Whole records of a source, not yet parsed.
#[derive(Debug, Default)]
pub struct Block {
    /// Where it begins.
    pub position: Position,
    pub(crate) content: Content,
}

/// What a block holds. A reader that is given a block of its own kind uses its memory again.
#[derive(Debug)]
pub(crate) enum Content {
    /// Records as they stand in the source.
    Raw(RawRecords),
    /// Rows of a Parquet file or of a table in memory.
    Rows(ArrowRows),
}

impl Default for Content {
    fn default() -> Self {
        Self::Raw(RawRecords::default())
    }
}

impl Content {
    /// The raw records to read over; what else was there is given up.
    pub(crate) fn raw_mut(&mut self) -> &mut RawRecords {
        if !matches!(self, Self::Raw(_)) {
            *self = Self::default();
        }
        match self {
            Self::Raw(records) => records,
            Self::Rows(_) => unreachable!("it was just replaced"),
        }
    }
}

impl Block {
    /// How many records it has. Blank lines are none.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.content {
            Content::Raw(records) => records.len(),
            Content::Rows(rows) => rows.len(),
        }
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of a record in its source, from 1: in JSON Lines its line; in CSV blank lines count as records.
    #[must_use]
    pub fn number(&self, slot: usize) -> u64 {
        self.position.record + slot as u64 + self.blank_lines_before(slot) + 1
    }

    /// Blank lines of the block before a record.
    #[must_use]
    pub fn blank_lines_before(&self, slot: usize) -> u64 {
        match &self.content {
            Content::Raw(records) => records.blank_lines_before(slot),
            Content::Rows(_) => 0,
        }
    }

    /// Blank lines of the block.
    #[must_use]
    pub fn blank_lines(&self) -> u64 {
        match &self.content {
            Content::Raw(records) => records.blank_lines,
            Content::Rows(_) => 0,
        }
    }

    /// Bytes it holds (for throughput and memory).
    #[must_use]
    pub fn bytes(&self) -> usize {
        match &self.content {
            Content::Raw(records) => records.bytes().len(),
            Content::Rows(rows) => rows.bytes(),
        }
    }

    /// Parses the records `selected` (their places in the block, ascending), or all, and hands each to `visit` with its place.
    pub fn visit(
        &self,
        fields: &Fields,
        selected: Option<&[u32]>,
        scratch: &mut Scratch,
        visit: &mut dyn FnMut(usize, Record<'_>) -> Result<()>,
    ) -> Result<()> {
        match &self.content {
            Content::Raw(records) => {
                records.visit(self.position.offset == 0, fields, selected, scratch, visit)
            }
            Content::Rows(rows) => rows.visit(fields, selected, scratch, visit),
        }
    }
}
