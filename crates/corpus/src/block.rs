//! Blocks of whole records, and what is taken from a record.

use crate::Result;
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
    /// A line of nothing but white space: not a record. (JSON Lines only.)
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
    /// The id, if asked for and there: a string as it is, anything else as JSON writes it.
    pub id: Option<Cow<'a, str>>,
    /// The number, if asked for, there and a number (or a string that is one).
    pub order: Option<f64>,
    /// The value, if asked for: a string as it is, anything else as JSON writes it, nothing if missing.
    pub within: Option<Cow<'a, str>>,
}

/// Working memory for parsing; use it again and again.
#[derive(Debug, Default)]
pub struct Scratch {}

/// Whole records of a source, not yet parsed.
#[derive(Debug, Default)]
pub struct Block {
    /// Where it begins.
    pub position: Position,
}

impl Block {
    /// How many record slots it has.
    #[must_use]
    pub fn len(&self) -> usize {
        unimplemented!()
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes it holds (for throughput and memory).
    #[must_use]
    pub fn bytes(&self) -> usize {
        unimplemented!()
    }

    /// Parses the records of the slots `selected` (ascending), or all, and hands each to `visit` with its slot.
    pub fn visit(
        &self,
        _fields: &Fields,
        _selected: Option<&[u32]>,
        _scratch: &mut Scratch,
        _visit: &mut dyn FnMut(usize, Record<'_>) -> Result<()>,
    ) -> Result<()> {
        unimplemented!()
    }
}
