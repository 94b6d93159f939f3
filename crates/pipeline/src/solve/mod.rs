//! Documents with candidates -> decisions.
//!
//! A *chunk* is a set of documents in keep order, with their signatures and sets in memory. The rule of the contract goes
//! through it in that order: a document is removed when a kept one among its candidates is similar enough, and names
//! the first such one. Removed documents never remove others, so buckets list kept documents only, and a bucket of a
//! million look-alikes costs each of them one comparison.

mod arriving;
mod buckets;
mod bundles;
mod chunk;
mod combinations;
mod combining;
mod components;
mod dictionary;
mod greedy;
mod index;
mod near_misses;
mod neighbours;
mod pairs;
mod prefixes;
mod repeated;
mod segments;
mod small;
#[cfg(test)]
mod tests;

pub(crate) use arriving::{Arrival, Arriving};
pub(crate) use bundles::{BundleKinds, Tally};
pub(crate) use chunk::{Chunk, Role, Span, are_compared};
pub(crate) use combining::{Bundled, MOST_MET_BY_ALL, Plan, Planner, Prefix, SAMPLED, combinations};
pub(crate) use components::components;
pub(crate) use greedy::greedy;
pub(crate) use near_misses::{NearMiss, NearMisses};
pub(crate) use pairs::pairs;
pub(crate) use small::{Decided, SMALL_DOCUMENT, SMALL_SET, SmallSets};

use crate::Observer;
use crate::method::FoundBy;
use crate::report::PairCounts;
use crate::store::Number;

/// What a chunk may be solved with.
#[derive(Clone, Copy)]
pub(crate) struct Using<'a> {
    pub threads: usize,
    /// Bytes to find candidates, about.
    pub memory: u64,
    /// Who may stop it.
    pub observer: &'a dyn Observer,
}

/// A verified pair: the later document in keep order, and the earlier one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Found {
    pub number: Number,
    pub other: Number,
    pub evidence: Evidence,
}

/// What a pair was found and verified by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Evidence {
    /// Their similarity; NaN if it was not asked for.
    pub similarity: f64,
    /// Their Hamming distance, with SimHash.
    pub distance: u32,
    /// What found the pair.
    pub found_by: FoundBy,
}

impl PairCounts {
    pub(crate) fn add(&mut self, other: &Self) {
        self.candidates += other.candidates;
        self.filtered += other.filtered;
        self.compared += other.compared;
        self.verified += other.verified;
    }
}
