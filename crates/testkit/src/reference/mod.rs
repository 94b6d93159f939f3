//! The plain definition of dedup: what the pipeline must equal, in the most readable way and without regard to time.
//!
//! 1. Documents with equal normalised text (and an equal value of `within`) are a *class*; its first member in keep
//!    order stands for it.
//! 2. Two such members are *similar* when they are a candidate pair and their exact similarity is at least the threshold.
//! 3. In keep order, a member is removed when a kept one before it is similar; it names the first such one.
//! 4. The others of a class are removed with it (kind near, the same kept document), or by it (kind exact) if it is kept.
//!
//! With components instead of stars, rules 3 and 4 are asked of connected sets: all members that similar pairs connect are removed, but for
//! the first in keep order.
//!
//! Protected documents (of `--against`) come first in keep order and are always kept; with `against_only` no other
//! document removes anything.

mod candidates;
mod decision;

pub use candidates::{Lanes, lane_of, signatures};
pub use decision::{
    components, decide, decide_components, decide_components_with, decide_with, verified_pairs,
    verified_pairs_with,
};

use crate::corpora::Score;
use crate::oracle::Shingles;

/// A document, as far as the decision needs it.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// The raw text.
    pub text: String,
    /// The value for `Keep::Max` and `Keep::Min`.
    pub score: Option<Score>,
    /// Only documents with equal values are compared.
    pub within: Option<String>,
    /// Whether it belongs to `--against`.
    pub protected: bool,
    /// The place of its source in `--prefer`: smaller ones first in keep order.
    pub priority: usize,
}

impl Item {
    /// A document with nothing but a text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), score: None, within: None, protected: false, priority: 0 }
    }
}

/// Which document is kept: the first in this order; input order breaks ties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// Input order.
    First,
    /// More bytes of raw text first.
    Longest,
    /// Greater values first, those without one last.
    Max,
    /// Smaller values first, those without one last.
    Min,
}

/// Which similarity is compared with the threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Shared elements over all elements of both.
    Jaccard,
    /// Shared elements over those of the document that would go. Documents with more elements come first in keep order,
    /// before the keep policy is asked.
    Containment,
}

/// What decides the answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    /// What a document is made of.
    pub shingles: Shingles,
    /// Whether repeated shingles count.
    pub bag: bool,
    /// Hashes per signature.
    pub hashes: usize,
    /// What the hash functions are drawn from.
    pub seed: u64,
    /// Bands.
    pub bands: usize,
    /// Rows per band.
    pub rows: usize,
    /// The similarity.
    pub measure: Measure,
    /// The least similarity of a duplicate.
    pub threshold: f64,
    /// The keep policy.
    pub keep: Keep,
    /// Whether documents are compared with protected ones only.
    pub against_only: bool,
    /// Texts of more bytes are compared by content only, as are texts with NUL.
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
            measure: Measure::Jaccard,
            threshold: 0.8,
            keep: Keep::First,
            against_only: false,
            max_text: 16 << 20,
        }
    }
}

/// What becomes of a document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fate {
    /// It stays.
    Kept,
    /// It goes.
    Removed {
        /// Why.
        kind: Kind,
        /// The number of the kept document.
        kept: usize,
        /// Their similarity.
        similarity: f64,
    },
}

/// Why a document goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Its normalised text is that of the kept document.
    Exact,
    /// It is similar to the kept document, or a copy of one that is.
    Near,
}

#[cfg(test)]
mod tests;
