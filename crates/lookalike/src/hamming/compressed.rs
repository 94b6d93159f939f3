//! Sorted fingerprints -> about half the bytes (Manku et al., section 3.3), decoded block by block.
//!
//! Neighbours in a sorted table share their first bits. Each fingerprint is stored as its xor with the one before:
//! first the position of the highest differing bit, in a Huffman code made for the table, then the bits below it
//! uncompressed. Every 128th fingerprint is stored whole, outside the bit string, and is the key of its block.
//!
//! For n random fingerprints of f = 64 bits this takes about f - log2(n) + 4 bits each, one of them for the keys (any
//! code needs f - log2(n) + 1.44). That is 0.53 of the plain size for the paper's 2^34 fingerprints. For a million
//! fingerprints, which share fewer bits, 0.75 was measured.

use super::directory::Directory;
use super::huffman::{BitReader, BitWriter, HuffmanCode};
use crate::simhash::FingerprintBits;

/// The number of fingerprints per block. A block is decoded as a whole.
pub(super) const BLOCK: usize = 128;

/// A sorted table of different fingerprints, delta-coded.
#[derive(Debug, Clone)]
pub(super) struct CompressedTable<B> {
    length: usize,
    /// The first fingerprint of each block.
    keys: Vec<B>,
    directory: Directory,
    /// The bit position in `words` at which the rest of each block starts.
    starts: Vec<u64>,
    words: Vec<u64>,
    code: HuffmanCode,
}

impl<B: FingerprintBits> CompressedTable<B> {
    /// Compresses ascending, different fingerprints.
    pub(super) fn new(sorted: &[B]) -> Self {
        let mut frequencies = vec![0; B::BITS as usize];
        for block in sorted.chunks(BLOCK) {
            for pair in block.windows(2) {
                frequencies[(pair[0] ^ pair[1]).leading_zeros() as usize] += 1;
            }
        }
        let code = HuffmanCode::new(&frequencies);
        let mut out = BitWriter::default();
        let (mut keys, mut starts) = (Vec::new(), Vec::new());
        for block in sorted.chunks(BLOCK) {
            keys.push(block[0]);
            starts.push(out.len());
            for pair in block.windows(2) {
                let difference = pair[0] ^ pair[1];
                let zeros = difference.leading_zeros();
                code.write(zeros, &mut out);
                out.write(difference.widen(), B::BITS - 1 - zeros);
            }
        }
        let directory = Directory::new(&keys, B::BITS);
        Self { length: sorted.len(), keys, directory, starts, words: out.into_words(), code }
    }

    /// Calls `visit` with stretches of the table that together hold every fingerprint from `low` to `high`, and
    /// perhaps some around them.
    pub(super) fn visit_range(&self, low: B, high: B, mut visit: impl FnMut(&[B])) {
        let mut buffer = [B::ZERO; BLOCK];
        // `low` may be inside the block before the first key that is not below it.
        let first = self.directory.lower_bound(&self.keys, low).saturating_sub(1);
        for block in first..self.keys.len() {
            if self.keys[block] > high {
                break;
            }
            let count = BLOCK.min(self.length - block * BLOCK);
            self.decode(block, &mut buffer[..count]);
            visit(&buffer[..count]);
        }
    }

    fn decode(&self, block: usize, into: &mut [B]) {
        let mut bits = BitReader::new(&self.words, self.starts[block]);
        let mut fingerprint = self.keys[block];
        let Some((first, rest)) = into.split_first_mut() else { return };
        *first = fingerprint;
        for place in rest {
            let zeros = self.code.read(&mut bits).expect("the table was written with this code");
            let below = B::BITS - 1 - zeros;
            let difference = 1u128 << below | bits.read(below);
            fingerprint = fingerprint ^ B::truncate(difference);
            *place = fingerprint;
        }
    }

    /// The number of bytes in memory.
    pub(super) fn bytes(&self) -> u64 {
        let (keys, starts, words) = (size_of_val(&*self.keys), self.starts.len() * 8, self.words.len() * 8);
        (keys + starts + words) as u64 + self.directory.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hashing::SplitMix64;
    use proptest::prelude::*;

    fn decompress<B: FingerprintBits>(table: &CompressedTable<B>) -> Vec<B> {
        let mut all = Vec::new();
        table.visit_range(B::ZERO, B::ALL, |stretch| all.extend_from_slice(stretch));
        all
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn nothing_is_lost_and_ranges_are_covered(
            words in prop::collection::btree_set(any::<u128>(), 0..400),
            shift in 0u32..128,
            ends: (u128, u128),
        ) {
            fn check<B: FingerprintBits>(words: impl Iterator<Item = u128>, ends: (u128, u128)) {
                let mut sorted: Vec<B> = words.map(B::truncate).collect();
                sorted.sort_unstable();
                sorted.dedup();
                let table = CompressedTable::new(&sorted);
                assert_eq!(decompress(&table), sorted);
                let (a, b) = (B::truncate(ends.0), B::truncate(ends.1));
                let (low, high) = (a.min(b), a.max(b));
                let mut seen = Vec::new();
                table.visit_range(low, high, |stretch| seen.extend_from_slice(stretch));
                let inside = |v: &&B| (low..=high).contains(*v);
                assert!(sorted.iter().filter(inside).eq(seen.iter().filter(inside)));
            }
            let shifted = || words.iter().map(|w| w >> shift);
            check::<u16>(shifted(), (ends.0 >> shift, ends.1 >> shift));
            check::<u32>(shifted(), (ends.0 >> shift, ends.1 >> shift));
            check::<u64>(shifted(), (ends.0 >> shift, ends.1 >> shift));
            check::<u128>(shifted(), (ends.0 >> shift, ends.1 >> shift));
        }
    }

    /// Fingerprints take f - log2(n) + 4 bits each, within a quarter of a bit, keys and directory included, as the
    /// module docs say.
    #[test]
    fn the_size_is_as_documented() {
        let mut random = SplitMix64::new(4);
        let mut sorted: Vec<u64> = (0..1 << 17).map(|_| random.next_u64()).collect();
        sorted.sort_unstable();
        sorted.dedup();
        let table = CompressedTable::new(&sorted);
        let bits = table.bytes() as f64 * 8.0 / sorted.len() as f64;
        assert!((bits - (64.0 - 17.0 + 4.0)).abs() < 0.25, "{bits} bits each");
    }
}
