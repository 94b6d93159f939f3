//! Blocks of whole records, and what is taken from a record.

use crate::parquet::ArrowRows;
use crate::raw::RawRecords;
use crate::{Result, csv};
use std::borrow::Cow;

/// Where a block begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Bytes before it, after decompression (Parquet: rows).
    pub offset: u64,
    /// Record slots before it.
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
    /// The number that `--keep max:FIELD` and `min:FIELD` compare.
    pub order: Option<FieldPath>,
    /// The value of `--within FIELD`.
    pub within: Option<FieldPath>,
}

/// One record slot of a block.
#[derive(Debug)]
pub enum Record<'a> {
    /// A line of nothing but white space (JSON Lines), or of nothing (CSV): not a record.
    Blank,
    /// It cannot be used, and why, in words that end a sentence: "the field `text` is missing".
    Bad(String),
    /// A document.
    Document(Document<'a>),
}

/// What was taken from a record.
#[derive(Debug)]
pub struct Document<'a> {
    /// The text.
    pub text: &'a str,
    /// Whether bytes of a text file that are not UTF-8 were replaced by U+FFFD.
    pub replaced: bool,
    /// The id, if asked for, there and not null: a string as it is, anything else as JSON writes it.
    pub id: Option<Cow<'a, str>>,
    /// The number, if asked for, there and a number (or a string that is one).
    pub order: Option<f64>,
    /// The value, if asked for: a string as it is, anything else as JSON writes it, nothing if missing or null.
    pub within: Option<Cow<'a, str>>,
}

/// The number that `written` is, if it is one.
pub(crate) fn number(written: &str) -> Option<f64> {
    let written = written.trim();
    // `inf` and `nan` are words, not numbers.
    let numeric = written.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
    if numeric { written.parse().ok() } else { None }
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
    /// What is looked at and not handed on: names with escapes, the order.
    pub(crate) other: String,
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
    /// How many record slots it has.
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

    /// Bytes it holds (for throughput and memory).
    #[must_use]
    pub fn bytes(&self) -> usize {
        match &self.content {
            Content::Raw(records) => records.bytes().len(),
            Content::Rows(rows) => rows.bytes(),
        }
    }

    /// Parses the records of the slots `selected` (ascending), or all, and hands each to `visit` with its slot.
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
