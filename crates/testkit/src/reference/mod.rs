//! The plain definition of dedup. The pipeline must give the same answer. This code aims to be readable, not fast.
//!
//! 1. Documents with equal normalised text (and an equal value of `within`) are a *class*; its first member in keep
//!    order stands for it.
//! 2. Two of these first members are *similar* if they are a candidate pair and their exact similarity is at least
//!    the threshold.
//! 3. In keep order, a first member is removed if a kept one before it is similar. The first such kept one is its
//!    kept document.
//! 4. The other members of a class are always removed. If their first member was removed, they have the same kept
//!    document (kind near). If it was kept, it is their kept document (kind exact).
//!
//! With components instead of stars, rules 3 and 4 apply to connected sets: of all first members that similar pairs
//! connect, only the first in keep order is kept.
//!
//! Protected documents (those of `--against`) come first in keep order and are always kept. With `against_only`, only
//! protected documents remove others.

mod candidates;
mod decision;

pub use candidates::{Lanes, lane_of, signatures};
pub use decision::{
    components, decide, decide_components, decide_components_with, decide_with, verified_pairs,
    verified_pairs_with,
};

use crate::corpora::Score;
use crate::oracle::Shingles;

/// The properties of a document that the decision needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// The raw text.
    pub text: String,
    /// The value for `Keep::Max` and `Keep::Min`.
    pub score: Option<Score>,
    /// Only documents with equal values are compared.
    pub within: Option<String>,
    /// True if the document belongs to `--against`.
    pub protected: bool,
    /// The position of its source in `--prefer`. Smaller positions come first in keep order.
    pub priority: usize,
}

impl Item {
    /// A document that has only a text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), score: None, within: None, protected: false, priority: 0 }
    }
}

/// The keep order. The first document in this order is kept; input order breaks ties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// Input order.
    First,
    /// More bytes of raw text first.
    Longest,
    /// Greater values first; documents without a value last.
    Max,
    /// Smaller values first; documents without a value last.
    Min,
}

/// The similarity that is compared with the threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// The number of common elements divided by the number of elements in either document.
    Jaccard,
    /// The number of common elements divided by the number of elements of the document that would be removed.
    /// Documents with more elements come first in keep order, before the keep policy applies.
    Containment,
}

/// The rules that determine the answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    /// The elements that a document is divided into.
    pub shingles: Shingles,
    /// True if repeated shingles count.
    pub bag: bool,
    /// Number of hashes per signature.
    pub hashes: usize,
    /// The seed of the hash functions.
    pub seed: u64,
    /// Number of bands.
    pub bands: usize,
    /// Number of rows per band.
    pub rows: usize,
    /// Two documents are always candidates if both have at most this many distinct elements. Without it, all documents
    /// are found by bands.
    pub short: Option<usize>,
    /// The similarity measure.
    pub measure: Measure,
    /// The smallest similarity of a duplicate.
    pub threshold: f64,
    /// The keep policy.
    pub keep: Keep,
    /// True if documents are only compared with protected ones.
    pub against_only: bool,
    /// Texts with more bytes than this are compared by content only, and so are texts with NUL.
    pub max_text: usize,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            shingles: Shingles::Words(5),
            bag: false,
            hashes: 128,
            seed: 1,
            bands: 21,
            rows: 6,
            short: None,
            measure: Measure::Jaccard,
            threshold: 0.8,
            keep: Keep::First,
            against_only: false,
            max_text: 16 << 20,
        }
    }
}

/// The fate of a document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fate {
    /// The document is kept.
    Kept,
    /// The document is removed.
    Removed {
        /// Why it is removed.
        kind: Kind,
        /// The number of the kept document.
        kept: usize,
        /// The similarity of the two documents.
        similarity: f64,
    },
}

/// Why a document is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Its normalised text equals that of the kept document.
    Exact,
    /// It is similar to the kept document, or a copy of a document that is.
    Near,
}

#[cfg(test)]
mod tests;
