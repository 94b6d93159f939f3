//! Sorts many documents by keys that are evenly spread, such as hashes.
//!
//! Keys are first distributed by their leading bits, so that about [`PIECE`] of them come together, and then each piece is
//! sorted. That takes a third of the time of sorting them at once. Keys that are not spread are sorted no worse than
//! otherwise: they are one piece.

/// About how many keys of a piece are sorted at once: they fit into the processor's smallest cache.
const PIECE: usize = 32;

/// The most pieces, as a power of two: more would not fit into the cache while keys are distributed.
const MOST_BITS: u32 = 14;

/// A key, and the position of the document that has it.
pub(crate) type Keyed<K> = (K, u32);

/// Sorts keys with positions by key, and then by position. `leading` gives 64 bits of a key that are spread evenly; keys
/// must be ordered as these bits are. `sorted` is overwritten; its memory is used again.
pub(crate) fn sort_spread<K: Ord + Copy + Default>(
    keys: &[Keyed<K>],
    leading: impl Fn(&K) -> u64,
    sorted: &mut Vec<Keyed<K>>,
) {
    let bits = (keys.len() / PIECE).max(1).ilog2().min(MOST_BITS);
    let piece_of = |key: &K| (leading(key).unbounded_shr(64 - bits)) as usize;
    let mut ends = vec![0u32; 1 << bits];
    keys.iter().for_each(|(key, _)| ends[piece_of(key)] += 1);
    let mut start = 0;
    for end in &mut ends {
        (*end, start) = (start, start + *end);
    }
    sorted.clear();
    sorted.resize(keys.len(), Default::default());
    for &entry in keys {
        let next = &mut ends[piece_of(&entry.0)];
        sorted[*next as usize] = entry;
        *next += 1;
    }
    let mut start = 0;
    for end in ends {
        sorted[start..end as usize].sort_unstable();
        start = end as usize;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn as_if_sorted_at_once(
            keys in proptest::collection::vec(prop_oneof![any::<u64>(), 0u64..5, Just(u64::MAX)], 0..3_000),
        ) {
            let mut expected: Vec<Keyed<u64>> = keys.into_iter().zip(0..).collect();
            let mut sorted = vec![(1, 1)];
            sort_spread(&expected, |&key| key, &mut sorted);
            expected.sort_unstable();
            prop_assert_eq!(sorted, expected);
        }
    }
}
