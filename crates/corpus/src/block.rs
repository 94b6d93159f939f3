//! Blocks of whole records, and the values that are taken from a record.

use crate::order_key::OrderKey;
use crate::parquet::{ArrowRows, Texts};
use crate::raw::RawRecords;
use crate::{Result, csv};
use std::borrow::Cow;

/// Where a block begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Number of bytes before the block, after decompression. For Parquet: number of rows before the block.
    pub offset: u64,
    /// Number of records before the block. Empty lines of JSON Lines and CSV are counted too, although they are not
    /// records. In JSON Lines this is therefore the number of lines.
    pub record: u64,
}

/// A path to a field: `a.b` is the field `b` of the object in the field `a`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldPath {
    /// The names from the outside to the inside; there is at least one.
    pub names: Vec<String>,
    /// True if the value is taken as JSON text, whatever its type is. Otherwise a text must be a string.
    pub is_json: bool,
}

impl FieldPath {
    /// Reads a path whose names are separated by dots. A field whose own name contains dots is found too, because the
    /// whole of `written` is tried first.
    #[must_use]
    pub fn new(written: &str) -> Self {
        Self { names: written.split('.').map(str::to_owned).collect(), is_json: false }
    }

    /// The same path, with its value taken as JSON text: strings in quotes, lists and objects as they are. In CSV and in text
    /// files every value is a string. Bytes of Parquet files and tables are strings of hexadecimal digits.
    #[must_use]
    pub fn as_json(self) -> Self {
        Self { is_json: true, ..self }
    }

    /// The path in the form that [`new`](Self::new) reads.
    #[must_use]
    pub fn written(&self) -> String {
        self.names.join(".")
    }
}

/// The fields to take from each record.
#[derive(Debug, Clone)]
pub struct Fields {
    /// The field with the text. Ignored for plain text files, where the whole file is the text.
    pub text: FieldPath,
    /// The field with the id.
    pub id: Option<FieldPath>,
    /// The field that `--keep max:FIELD` and `min:FIELD` compare.
    pub order: Option<FieldPath>,
    /// The field of `--within FIELD`.
    pub within: Option<FieldPath>,
}

/// One record of a block.
#[derive(Debug)]
pub enum Record<'a> {
    /// The record cannot be used.
    Bad(BadRecord<'a>),
    /// The record is a document.
    Document(Document<'a>),
}

/// A record that cannot be used.
#[derive(Debug, PartialEq, Eq)]
pub struct BadRecord<'a> {
    /// Why the record cannot be used, as the end of a sentence: "the field `text` is missing".
    pub reason: String,
    /// The id of the record, if an id was asked for and can be read.
    pub id: Option<Id<'a>>,
    /// True if the record has no field of the text's name: the text may be in another field.
    pub lacks_text: bool,
}

/// The values that were taken from a record.
#[derive(Debug)]
pub struct Document<'a> {
    /// The text; or the value of the field as JSON, if [that was asked for](FieldPath::as_json).
    pub text: &'a str,
    /// True if the text comes from a text file and bytes that are not UTF-8 were replaced by U+FFFD.
    pub replaced: bool,
    /// The id, if it was asked for, exists and is not null.
    pub id: Option<Id<'a>>,
    /// The value for `--keep`, if it was asked for and can be compared. Null, an empty string, an object and an array
    /// cannot be compared.
    pub order: Option<OrderKey<'a>>,
    /// The value for `--within`, if it was asked for: the content of a string, the JSON of any other value, an empty
    /// string if the field is missing or null.
    pub within: Option<Cow<'a, str>>,
    /// The fields that were asked for and that the record does not have.
    pub absent: Absent,
}

/// The id of a record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Id<'a> {
    /// The content of a string, or the JSON of any other value.
    pub text: Cow<'a, str>,
    /// True if the id is not a string: JSON then writes it without quotes.
    pub is_bare: bool,
}

impl<'a> Id<'a> {
    /// An id that is a string.
    pub fn string(text: impl Into<Cow<'a, str>>) -> Self {
        Self { text: text.into(), is_bare: false }
    }
}

/// The fields that were asked for and that a record does not have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Absent {
    /// True if the id is missing.
    pub id: bool,
    /// True if the value for `--keep` is missing.
    pub order: bool,
    /// True if the value for `--within` is missing.
    pub within: bool,
}

/// Working memory for parsing. Use one value for many blocks.
#[derive(Debug, Default)]
pub struct Scratch {
    /// The text, if it cannot be borrowed from the block: after unescaping, or after bytes that are not UTF-8 were
    /// replaced.
    pub(crate) text: String,
    /// The text as JSON, if it cannot be borrowed from the block.
    pub(crate) quoted: String,
    /// The id, in the same cases.
    pub(crate) id: String,
    /// The value for `--within`, in the same cases.
    pub(crate) within: String,
    /// The value for `--keep`, in the same cases.
    pub(crate) other: String,
    /// The order key of the value for `--keep`.
    pub(crate) order: Vec<u8>,
    /// The positions of the fields in a CSV record.
    pub(crate) spans: Vec<csv::Span>,
}

/// Whole records of a source, not yet parsed.
#[derive(Debug, Default)]
pub struct Block {
    /// Where the block begins.
    pub position: Position,
    pub(crate) content: Content,
}

/// The content of a block. A reader that is given a block of its own kind uses the memory of that block again.
#[derive(Debug)]
pub(crate) enum Content {
    /// Records as they are written in the source.
    Raw(RawRecords),
    /// Rows of a Parquet file or of a table in memory.
    Rows(ArrowRows),
    /// Texts of a Parquet file, without anything else of their rows.
    Texts(Texts),
}

impl Default for Content {
    fn default() -> Self {
        Self::Raw(RawRecords::default())
    }
}

impl Content {
    /// The raw records, to be overwritten. Content of another kind is dropped.
    pub(crate) fn raw_mut(&mut self) -> &mut RawRecords {
        if !matches!(self, Self::Raw(_)) {
            *self = Self::default();
        }
        match self {
            Self::Raw(records) => records,
            Self::Rows(_) | Self::Texts(_) => unreachable!("it was just replaced"),
        }
    }

    /// The texts, to be overwritten. Content of another kind is dropped.
    #[cfg(feature = "parquet")]
    pub(crate) fn texts_mut(&mut self) -> &mut Texts {
        if !matches!(self, Self::Texts(_)) {
            *self = Self::Texts(Texts::default());
        }
        match self {
            Self::Texts(texts) => texts,
            Self::Raw(_) | Self::Rows(_) => unreachable!("it was just replaced"),
        }
    }
}

impl Block {
    /// Number of records in the block. Empty lines are not records.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.content {
            Content::Raw(records) => records.len(),
            Content::Rows(rows) => rows.len(),
            Content::Texts(texts) => texts.len(),
        }
    }

    /// True if the block has no records.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of a record in its source, counted from 1. In JSON Lines this is its line. In CSV empty lines are
    /// counted as records.
    #[must_use]
    pub fn number(&self, slot: usize) -> u64 {
        self.position.record + slot as u64 + self.blank_lines_before(slot) + 1
    }

    /// Number of empty lines in the block before a record.
    #[must_use]
    pub fn blank_lines_before(&self, slot: usize) -> u64 {
        match &self.content {
            Content::Raw(records) => records.blank_lines_before(slot),
            Content::Rows(_) | Content::Texts(_) => 0,
        }
    }

    /// Number of empty lines in the block.
    #[must_use]
    pub fn blank_lines(&self) -> u64 {
        match &self.content {
            Content::Raw(records) => records.blank_lines,
            Content::Rows(_) | Content::Texts(_) => 0,
        }
    }

    /// Number of bytes in the block (for throughput and memory).
    #[must_use]
    pub fn bytes(&self) -> usize {
        match &self.content {
            Content::Raw(records) => records.bytes().len(),
            Content::Rows(rows) => rows.bytes(),
            Content::Texts(texts) => texts.bytes(),
        }
    }

    /// The rows of a block of a Parquet file, if it was read whole, or of a table in memory.
    #[cfg(feature = "parquet")]
    #[must_use]
    pub fn batch(&self) -> Option<&arrow_array::RecordBatch> {
        match &self.content {
            Content::Rows(rows) => Some(&rows.batch),
            Content::Raw(_) | Content::Texts(_) => None,
        }
    }

    /// Parses the records `selected` (their positions in the block, ascending), or all records, and passes each with
    /// its position to `visit`.
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
            Content::Texts(texts) => texts.visit(fields, selected, visit),
        }
    }
}
