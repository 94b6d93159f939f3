//! A sample of the pairs that were compared and found below the threshold. Which pairs
//! are compared in crowded chunks follows from how documents are divided among chunks, and so from memory and threads; and
//! shingles that are equally rare are in the order of their hashes there, which follows from the key of the run.
//!
//! A pair is in the sample if its hash is among the smallest. So the sample does not depend on the order in which pairs
//! are met, and what cannot be in it any more is recognised at once.

use super::chunk::Chunk;
use crate::method::Recipe;
use crate::store::Number;
use lookalike::hashing::mix64;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Pairs in the sample, at most.
const MOST: usize = 1_000;

/// A pair below the threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct NearMiss {
    pub number: Number,
    pub other: Number,
    pub similarity: f64,
}

/// The sample so far.
#[derive(Debug)]
pub(crate) struct NearMisses {
    largest: AtomicU64,
    sample: Mutex<BTreeMap<(u64, Number, Number), f64>>,
}

impl Default for NearMisses {
    fn default() -> Self {
        Self { largest: AtomicU64::new(u64::MAX), sample: Mutex::default() }
    }
}

fn hash(number: Number, other: Number) -> u64 {
    mix64(mix64(number) ^ other)
}

impl NearMisses {
    /// Whether a pair may still be in the sample.
    pub(crate) fn may_take(&self, number: Number, other: Number) -> bool {
        hash(number, other) <= self.largest.load(Ordering::Relaxed)
    }

    /// Takes a pair of a chunk, and works out its similarity.
    pub(crate) fn take(&self, chunk: &Chunk, at: usize, other: usize, recipe: &Recipe) {
        let (number, other_number) = (chunk.numbers[at], chunk.numbers[other]);
        if self.may_take(number, other_number) && chunk.has_sets() {
            self.insert(NearMiss {
                number,
                other: other_number,
                similarity: chunk.similarity(at, other, recipe),
            });
        }
    }

    /// Takes a pair.
    pub(crate) fn insert(&self, NearMiss { number, other, similarity }: NearMiss) {
        let mut sample = self.sample.lock().unwrap_or_else(PoisonError::into_inner);
        sample.insert((hash(number, other), number, other), similarity);
        if sample.len() > MOST {
            sample.pop_last();
        }
        if sample.len() == MOST
            && let Some((&(largest, ..), _)) = sample.last_key_value()
        {
            self.largest.store(largest, Ordering::Relaxed);
        }
    }

    /// The sample: the most similar pairs first.
    pub(crate) fn into_vec(self) -> Vec<NearMiss> {
        let sample = self.sample.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut pairs: Vec<NearMiss> = sample
            .into_iter()
            .map(|((_, number, other), similarity)| NearMiss { number, other, similarity })
            .collect();
        pairs.sort_by(|a, b| {
            b.similarity.total_cmp(&a.similarity).then((a.number, a.other).cmp(&(b.number, b.other)))
        });
        pairs
    }
}
