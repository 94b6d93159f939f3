//! Plain definitions that the tests of banding and of the indexes compare with.

use crate::hashing::{SplitMix64, mix64};
use crate::minhash::{EMPTY_SLOT, Family, Signature};

/// Min-hashing by its definition, with 32-bit values: slot `i` is the least `mix64(x ^ seed_i) >> 32`.
pub(crate) struct ReferenceMinHasher {
    seed: u64,
    seeds: Vec<u64>,
}

impl ReferenceMinHasher {
    pub(crate) fn new(num_hashes: usize, seed: u64) -> Self {
        let mut random = SplitMix64::new(seed);
        Self { seed, seeds: (0..num_hashes).map(|_| random.next_u64()).collect() }
    }

    pub(crate) fn sketch(&self, elements: impl IntoIterator<Item = u64>) -> Signature {
        let mut slots = vec![EMPTY_SLOT; self.seeds.len()];
        for element in elements {
            for (slot, seed) in slots.iter_mut().zip(&self.seeds) {
                *slot = (*slot).min(mix64(element ^ seed) >> 32);
            }
        }
        Signature::from_slots(Family::MultiplyShift, self.seed, slots)
    }
}

/// Two sets of `shared + own` elements with `shared` in common; `number` makes them disjoint from other pairs.
pub(crate) fn pair_of_sets(number: u64, shared: u64, own: u64) -> (Vec<u64>, Vec<u64>) {
    let base = number << 32;
    let first = (0..shared + own).map(|x| base + x).collect();
    let second = (0..shared).chain(shared + own..shared + 2 * own).map(|x| base + x).collect();
    (first, second)
}
