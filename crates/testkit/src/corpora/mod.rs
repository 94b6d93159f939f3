//! Seeded documents, and what is known about them.
//!
//! A corpus is a function from a document's number to the document: nothing is held in memory, and any part of it can
//! be made again. A near-duplicate makes its original again and edits it.

mod bulk;
mod edges;
mod edits;
mod jsonl;
mod planted;
mod prose;
mod templates;

pub use bulk::{bulk_bad, bulk_copies, bulk_equal, bulk_files, bulk_near_copies, bulk_template, bulk_text};
pub use edges::edge_documents;
pub use edits::edited;
pub use jsonl::{write_files, write_jsonl};
pub use planted::Planted;
pub use prose::Prose;
pub use templates::{Pages, near_copies, templated};

/// A document and what is known about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// The field `id`.
    pub id: String,
    /// The field `text`.
    pub text: String,
    /// The field `score`, for keep policies; left out if there is none.
    pub score: Option<f64>,
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
