//! Seeded documents, and what is known about them.
//!
//! A corpus is a function from a document's number to the document: nothing is held in memory, and any part of it can
//! be made again. A near-duplicate makes its original again and edits it.

use std::cmp::Ordering;

mod bulk;
mod edges;
mod edits;
mod forged;
mod jsonl;
mod planted;
mod prose;
mod templates;

pub use bulk::{bulk_bad, bulk_copies, bulk_equal, bulk_files, bulk_near_copies, bulk_template, bulk_text};
pub use edges::edge_documents;
pub use edits::edited;
pub use forged::Forger;
pub use jsonl::{write_files, write_jsonl};
pub use planted::Planted;
pub use prose::Prose;
pub use templates::{Pages, near_copies, slotted, templated, with_footer};

/// A document and what is known about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// The field `id`.
    pub id: String,
    /// The field `text`.
    pub text: String,
    /// The field `score`, for keep policies; left out if there is none.
    pub score: Option<Score>,
    /// The field `domain`, for comparisons within a value; left out if there is none.
    pub domain: Option<String>,
    /// How it came about.
    pub truth: Truth,
}

impl Document {
    /// A document with nothing but an id and a text.
    #[must_use]
    pub fn new(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self { id: id.into(), text: text.into(), score: None, domain: None, truth: Truth::Original }
    }
}

/// A value that documents are put in order by.
#[derive(Debug, Clone, PartialEq)]
pub enum Score {
    /// `false` before `true`, before everything else.
    Boolean(bool),
    /// A number with a fraction.
    Number(f64),
    /// A whole number.
    Integer(i128),
    /// Byte by byte, after everything else.
    Text(String),
}

impl Score {
    /// The order of values, by its definition.
    #[must_use]
    pub fn compare(&self, other: &Self) -> Ordering {
        let kind = |score: &Self| match score {
            Self::Boolean(_) => 0,
            Self::Number(_) | Self::Integer(_) => 1,
            Self::Text(_) => 2,
        };
        // A whole number is less than any that is between it and the next one.
        let with_fraction = |whole: i128, number: f64| match whole.cmp(&(number.floor() as i128)) {
            Ordering::Equal if number > number.floor() => Ordering::Less,
            order => order,
        };
        match (self, other) {
            (Self::Boolean(a), Self::Boolean(b)) => a.cmp(b),
            (Self::Number(a), Self::Number(b)) => a.partial_cmp(b).unwrap_or(Ordering::Equal),
            (Self::Integer(a), Self::Integer(b)) => a.cmp(b),
            (Self::Integer(a), Self::Number(b)) => with_fraction(*a, *b),
            (Self::Number(a), Self::Integer(b)) => with_fraction(*b, *a).reverse(),
            (Self::Text(a), Self::Text(b)) => a.as_bytes().cmp(b.as_bytes()),
            _ => kind(self).cmp(&kind(other)),
        }
    }
}

/// How a document came about. `of` is the number of an earlier document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Truth {
    /// On its own.
    Original,
    /// With the same text as another.
    Copy {
        /// Which.
        of: usize,
    },
    /// As another, edited so that about this similarity is left (Jaccard of five-word shingles).
    Edited {
        /// Which.
        of: usize,
        /// The similarity aimed at.
        similarity: f64,
    },
}
