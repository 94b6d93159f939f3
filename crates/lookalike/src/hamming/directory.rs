//! Top bits of a key -> the positions of keys with these top bits in a sorted table, in one step.
//!
//! The paper finds the position by interpolation search, in O(log log n) steps on random bits. A directory holds the
//! first position for each value of the top bits. It needs one step (two neighbouring reads) on any data, and about
//! one byte per entry. If many entries share the top bits, binary search continues among them.

use std::ops::Range;

use crate::simhash::FingerprintBits;

/// The intended number of entries for one value of the top bits.
const ENTRIES_PER_SLOT: usize = 4;
/// The largest number of top bits. A directory of 2^26 slots takes 256 MiB.
const MAX_BITS: u32 = 26;

/// The first position for each value of the top bits.
#[derive(Debug, Clone)]
pub(super) struct Directory {
    bits: u32,
    /// Slot v holds the number of entries whose top bits are below v. There is one more slot than values.
    starts: Vec<u32>,
}

/// The number of top bits that a directory for `entries` entries uses: from 1 to `max_bits`.
pub(super) fn directory_bits(entries: usize, max_bits: u32) -> u32 {
    (entries / ENTRIES_PER_SLOT).max(2).ilog2().min(max_bits).clamp(1, MAX_BITS)
}

impl Directory {
    /// The directory of a sorted table of fewer than 2^32 entries, on at most `max_bits` (1 or more) top bits.
    pub(super) fn new<B: FingerprintBits>(sorted: &[B], max_bits: u32) -> Self {
        let bits = directory_bits(sorted.len(), max_bits);
        let mut starts = Vec::with_capacity((1 << bits) + 1);
        for (place, &entry) in sorted.iter().enumerate() {
            let slot = top(entry, bits);
            while starts.len() <= slot {
                starts.push(place as u32);
            }
        }
        starts.resize((1 << bits) + 1, sorted.len() as u32);
        Self { bits, starts }
    }

    /// The number of top bits that the directory uses.
    pub(super) fn bits(&self) -> u32 {
        self.bits
    }

    /// The positions of the entries that share `key`'s top bits.
    #[inline]
    pub(super) fn slot<B: FingerprintBits>(&self, key: B) -> Range<usize> {
        let slot = top(key, self.bits);
        self.starts[slot] as usize..self.starts[slot + 1] as usize
    }

    /// The number of entries below `key`.
    #[inline]
    pub(super) fn lower_bound<B: FingerprintBits>(&self, sorted: &[B], key: B) -> usize {
        let slot = self.slot(key);
        slot.start + sorted[slot].partition_point(|&entry| entry < key)
    }

    /// The number of bytes in memory.
    pub(super) fn bytes(&self) -> u64 {
        (self.starts.len() * size_of::<u32>()) as u64
    }
}

#[inline(always)]
fn top<B: FingerprintBits>(key: B, bits: u32) -> usize {
    (key >> (B::BITS - bits)).widen() as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn lower_bound_equals_counting(
            mut table in prop::collection::vec(any::<u32>(), 0..200),
            keys in prop::collection::vec(any::<u32>(), 1..20),
            shift in 0u32..32,
            max_bits in 1u32..20,
        ) {
            for entry in &mut table {
                *entry >>= shift;
            }
            table.sort_unstable();
            let directory = Directory::new(&table, max_bits);
            for key in keys.iter().map(|k| k >> shift).chain(table.iter().copied()).chain([0, u32::MAX]) {
                let below = table.iter().filter(|&&entry| entry < key).count();
                prop_assert_eq!(directory.lower_bound(&table, key), below);
                let slot = directory.slot(key);
                prop_assert!(table.iter().enumerate().all(|(i, &e)| e != key || slot.contains(&i)));
            }
        }
    }
}
