//! Texts -> signatures -> candidate pairs, slot by slot.

use super::{Item, Rules};
use crate::Result;
use lookalike::hashing::mix64;
use lookalike::minhash::{FastSketch, MinHasher};

/// The 16 bits that represent a slot of a signature: the low bits of a mix of the whole slot.
#[must_use]
pub fn lane_of(slot: u64) -> u64 {
    mix64(slot) & 0xffff
}

/// The slots of each document's signature.
pub fn signatures(items: &[Item], rules: &Rules) -> Result<Vec<Vec<u64>>> {
    let hasher = FastSketch::new(rules.hashes, rules.seed)?;
    items
        .iter()
        .map(|item| {
            let elements = rules.shingles.elements(&item.text, rules.bag)?;
            Ok(hasher.sketch(&elements).slots().to_vec())
        })
        .collect()
}

/// Signatures in which each slot is replaced by the value that is compared.
#[derive(Debug, Clone)]
pub struct Lanes {
    lanes: Vec<Vec<u64>>,
    rows: usize,
    bands: usize,
    /// True for each short document.
    short: Vec<bool>,
}

impl Lanes {
    /// The signatures of `items`, with `lane` applied to each slot.
    pub fn new(items: &[Item], rules: &Rules, lane: impl Fn(u64) -> u64) -> Result<Self> {
        let signatures = signatures(items, rules)?;
        let lanes = signatures.into_iter().map(|slots| slots.into_iter().map(&lane).collect()).collect();
        let is_short = |item: &Item| {
            let elements = rules.shingles.elements(&item.text, rules.bag)?;
            Ok(rules.short.is_some_and(|most| elements.len() <= most))
        };
        let short = items.iter().map(is_short).collect::<Result<Vec<bool>>>()?;
        Ok(Self { lanes, rows: rules.rows, bands: rules.bands, short })
    }

    /// True if two documents are short, or their signatures are equal in all rows of at least one band.
    #[must_use]
    pub fn are_candidates(&self, a: usize, b: usize) -> bool {
        let bands = |document: usize| self.lanes[document].chunks_exact(self.rows).take(self.bands);
        self.short[a] && self.short[b] || bands(a).zip(bands(b)).any(|(a, b)| a == b)
    }

    /// The estimated similarity: the share of equal lanes.
    #[must_use]
    pub fn estimate(&self, a: usize, b: usize) -> f64 {
        let equal = self.lanes[a].iter().zip(&self.lanes[b]).filter(|(a, b)| a == b).count();
        equal as f64 / self.lanes[a].len().max(1) as f64
    }
}
