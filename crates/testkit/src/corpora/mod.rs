//! Documents that are generated from a seed, together with the truth about them.
//!
//! A corpus is a function from the number of a document to the document: nothing is held in memory, and any part of
//! it can be generated again. A near-duplicate is made by generating its original again and editing it.

use std::cmp::Ordering;

mod bulk;
mod edges;
mod edits;
mod forged;
mod framed;
mod jsonl;
mod persons;
mod planted;
mod prose;
mod templates;

pub use bulk::{bulk_bad, bulk_copies, bulk_equal, bulk_files, bulk_near_copies, bulk_template, bulk_text};
pub use edges::edge_documents;
pub use edits::edited;
pub use forged::Forger;
pub use framed::{Framed, FramedPage};
pub use jsonl::{write_files, write_jsonl};
pub use persons::{Person, Persons};
pub use planted::Planted;
pub use prose::Prose;
pub use templates::{Pages, near_copies, slotted, templated, with_footer};

/// A document and the truth about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// The field `id`.
    pub id: String,
    /// The field `text`.
    pub text: String,
    /// The field `score`, for keep policies. It is not written if it is `None`.
    pub score: Option<Score>,
    /// The field `domain`, for comparisons within a value. It is not written if it is `None`.
    pub domain: Option<String>,
    /// How the document was made.
    pub truth: Truth,
}

impl Document {
    /// A document that has only an id and a text.
    #[must_use]
    pub fn new(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self { id: id.into(), text: text.into(), score: None, domain: None, truth: Truth::Original }
    }
}

/// A value by which documents are ordered.
#[derive(Debug, Clone, PartialEq)]
pub enum Score {
    /// A boolean: `false` before `true`, before all other values.
    Boolean(bool),
    /// A number with a fraction.
    Number(f64),
    /// A whole number.
    Integer(i128),
    /// Text, compared byte by byte, after all other values.
    Text(String),
}

impl Score {
    /// The order of values, as it is defined.
    #[must_use]
    pub fn compare(&self, other: &Self) -> Ordering {
        let kind = |score: &Self| match score {
            Self::Boolean(_) => 0,
            Self::Number(_) | Self::Integer(_) => 1,
            Self::Text(_) => 2,
        };
        // A whole number is smaller than every fraction between it and the next whole number.
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

/// How a document was made. `of` is the number of an earlier document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Truth {
    /// It is independent of all others.
    Original,
    /// It has the same text as another document.
    Copy {
        /// The number of the other document.
        of: usize,
    },
    /// It is an edited version of another document, with about this similarity to it (Jaccard of five-word shingles).
    Edited {
        /// The number of the other document.
        of: usize,
        /// The intended similarity.
        similarity: f64,
    },
}
