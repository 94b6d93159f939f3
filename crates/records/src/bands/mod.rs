//! Records -> pairs that are worth comparing.
//!
//! A *row* is something in which two records of one entity may agree: a value, its beginning or end, a min-hash of its
//! shingles, a rare word. A *band* is one or two rows that must agree together. Records that share the key of a band are
//! compared. Which bands there are follows from the data: those that find the most pairs that look like matches, at the
//! fewest comparisons.

mod choose;
mod pairs;
mod rows;
mod words;

pub(crate) use pairs::MOST_RECORDS;
pub(crate) use rows::{Agreement, Rows};
pub(crate) use words::long_words;

use serde::{Deserialize, Serialize};

/// The records of the two tables; one table has all on the same side.
pub(crate) type Side = u8;

/// Two records, the smaller number first.
pub(crate) type Pair = (u32, u32);

/// Something in which two records may agree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "row", content = "field")]
pub enum Row {
    /// A whole value.
    Value(String),
    /// The first four letters of a value.
    First(String),
    /// The last four letters of a value.
    Last(String),
    /// The least hash of the three-letter shingles of a value.
    MinHash(String),
    /// The least hash of the three-letter shingles of a value, by another hash function.
    MinHash2(String),
    /// A rare word of the record.
    RareWord,
    /// Two rare words of the record.
    RareWords,
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Value(field) => write!(f, "{field}"),
            Self::First(field) => write!(f, "the beginning of {field}"),
            Self::Last(field) => write!(f, "the end of {field}"),
            Self::MinHash(field) => write!(f, "a shingle of {field}"),
            Self::MinHash2(field) => write!(f, "another shingle of {field}"),
            Self::RareWord => write!(f, "a rare word"),
            Self::RareWords => write!(f, "two rare words"),
        }
    }
}

/// Rows that must agree together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Band {
    /// The rows.
    pub rows: Vec<Row>,
}

impl std::fmt::Display for Band {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rows: Vec<String> = self.rows.iter().map(Row::to_string).collect();
        write!(f, "{}", rows.join(" and "))
    }
}

/// Which records are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compared {
    /// All with each other.
    All,
    /// Those of different sides.
    Across,
    /// All but those that are both of the first side.
    NotWithinFirst,
}

/// A band that was chosen.
#[derive(Debug, Clone)]
pub(crate) struct Chosen {
    pub(crate) band: Band,
    pub(crate) at: Vec<usize>,
    /// The share of the pairs that look like matches that it finds.
    pub(crate) finds: f64,
    /// Its pairs for each record.
    pub(crate) cost: f64,
}

impl Compared {
    /// True if records of these sides are compared.
    fn compares(self, one: Side, other: Side) -> bool {
        match self {
            Self::All => true,
            Self::Across => one != other,
            Self::NotWithinFirst => one != 0 || other != 0,
        }
    }
}
