//! Fingerprints of any width, one by one -> the fingerprints within distance k of a query.

use super::BandTable;
use crate::banding::band_key;
use crate::error::{Error, Result, check_length};

/// A mutable, exact index by Hamming distance. Fingerprints are given as 64-bit words, the least significant word
/// first.
///
/// The k + 1 blocks of a fingerprint are its band keys. Two fingerprints that differ in at most k bits agree in at
/// least one block (see [`hamming`](crate::hamming)). So they share a bucket, and counting the differing bits
/// decides. Only one block of k + 1 must agree, and not m - k blocks of m, so the buckets are larger than in
/// [`HammingIndex`](crate::hamming::HammingIndex). In return, fingerprints can be added and removed at any time.
///
/// ```
/// use lookalike::compat::BlockTable;
///
/// let mut table = BlockTable::new(64, 2)?;
/// let a = table.insert(&[0b1111])?;
/// let b = table.insert(&[0xffff_0000])?;
/// assert_eq!(table.near(&[0b0011])?, [(a, 2)]);
/// table.remove(a);
/// assert!(table.near(&[0b0011])?.is_empty());
/// # let _ = b;
/// # Ok::<(), lookalike::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct BlockTable {
    bits: usize,
    max_distance: u32,
    blocks: BandTable,
    /// The words of the fingerprints. Those of a position begin at index `position * words`.
    fingerprints: Vec<u64>,
}

impl BlockTable {
    /// An empty table for fingerprints of `bits` bits and searches up to `max_distance`.
    pub fn new(bits: usize, max_distance: u32) -> Result<Self> {
        if bits == 0 {
            return Err(Error::invalid("bits", bits, "at least 1"));
        }
        // With more blocks than bits, some blocks have no bit, and all fingerprints agree there.
        let blocks = (max_distance as usize).min(bits) + 1;
        Ok(Self { bits, max_distance, blocks: BandTable::new(blocks)?, fingerprints: Vec::new() })
    }

    /// The number of words of a fingerprint.
    #[must_use]
    pub fn words(&self) -> usize {
        self.bits.div_ceil(64)
    }

    /// The number of fingerprints.
    #[must_use]
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// True if the table is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The number of buckets that hold a fingerprint, all blocks together.
    #[must_use]
    pub fn bucket_count(&self) -> usize {
        (0..self.blocks.bands()).map(|block| self.blocks.bucket_count(block)).sum()
    }

    /// Adds a fingerprint and returns its position: one that was freed, or the next one. The table may already have
    /// equal fingerprints. Bits beyond the width are ignored.
    pub fn insert(&mut self, fingerprint: &[u64]) -> Result<u32> {
        let (cut, keys) = self.keys(fingerprint)?;
        let position = self.blocks.insert(&keys)?;
        let start = position as usize * cut.len();
        if self.fingerprints.len() < start + cut.len() {
            self.fingerprints.resize(start + cut.len(), 0);
        }
        self.fingerprints[start..start + cut.len()].copy_from_slice(&cut);
        Ok(position)
    }

    /// Removes the fingerprint at `position`. Returns true if there was one.
    pub fn remove(&mut self, position: u32) -> bool {
        self.blocks.remove(position)
    }

    /// The positions of all fingerprints within the distance of the table, ascending, with their distances.
    pub fn near(&self, query: &[u64]) -> Result<Vec<(u32, u32)>> {
        let (cut, keys) = self.keys(query)?;
        let distance = |position: u32| -> u32 {
            let stored = &self.fingerprints[position as usize * cut.len()..][..cut.len()];
            stored.iter().zip(&cut).map(|(a, b)| (a ^ b).count_ones()).sum()
        };
        let candidates = self.blocks.candidates(&keys)?.into_iter();
        let measured = candidates.map(|position| (position, distance(position)));
        Ok(measured.filter(|(_, distance)| *distance <= self.max_distance).collect())
    }

    /// The fingerprint without the bits beyond its width, and a key for each of its blocks.
    fn keys(&self, fingerprint: &[u64]) -> Result<(Vec<u64>, Vec<u64>)> {
        check_length(fingerprint.len(), self.words())?;
        let mut cut = fingerprint.to_vec();
        if let Some(last) = cut.last_mut().filter(|_| !self.bits.is_multiple_of(64)) {
            *last &= (1 << (self.bits % 64)) - 1;
        }
        let (blocks, width) = (self.blocks.bands(), self.bits / self.blocks.bands());
        let key = |block: usize| {
            let end = if block + 1 == blocks { self.bits } else { (block + 1) * width };
            band_key(block, &bits_between(&cut, block * width, end))
        };
        let keys = (0..blocks).map(key).collect();
        Ok((cut, keys))
    }
}

/// The bits from `start` to `end`, as words.
fn bits_between(words: &[u64], start: usize, end: usize) -> Vec<u64> {
    let word_from = |at: usize| {
        let low = words[at / 64] >> (at % 64);
        let high = words
            .get(at / 64 + 1)
            .filter(|_| !at.is_multiple_of(64))
            .map_or(0, |word| word << (64 - at % 64));
        let taken = (end - at).min(64);
        (low | high) & u64::MAX >> (64 - taken)
    };
    (start..end).step_by(64).map(word_from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hashing::SplitMix64;

    #[test]
    fn equals_comparing_with_all() {
        let mut random = SplitMix64::new(1);
        for (bits, k) in [(8, 3), (64, 0), (64, 3), (72, 2), (128, 5), (128, 0), (200, 7), (16, 16), (16, 40)]
        {
            let mut table = BlockTable::new(bits, k).unwrap();
            let words = table.words();
            let mut stored: Vec<Option<Vec<u64>>> = Vec::new();
            for round in 0..300 {
                let mut fingerprint: Vec<u64> = vec![0x5555_5555_5555_5555; words];
                for _ in 0..random.below(2 * u64::from(k) + 3) {
                    let bit = random.below(bits as u64) as usize;
                    fingerprint[bit / 64] ^= 1 << (bit % 64);
                }
                let same = |other: &[u64]| {
                    let differs =
                        |bit: &usize| (other[bit / 64] ^ fingerprint[bit / 64]) >> (bit % 64) & 1 == 1;
                    (0..bits).filter(differs).count() as u32
                };
                let expected: Vec<(u32, u32)> = (0..)
                    .zip(&stored)
                    .filter_map(|(position, other)| Some((position, same(other.as_ref()?))))
                    .filter(|(_, distance)| *distance <= k)
                    .collect();
                assert_eq!(table.near(&fingerprint).unwrap(), expected, "{bits} bits, distance {k}");
                let position = table.insert(&fingerprint).unwrap() as usize;
                stored.resize(stored.len().max(position + 1), None);
                stored[position] = Some(fingerprint);
                if round % 4 == 3 {
                    let gone = random.below(stored.len() as u64) as usize;
                    assert_eq!(table.remove(gone as u32), stored[gone].take().is_some());
                }
            }
            assert_eq!(table.len(), stored.iter().flatten().count());
            assert!(table.bucket_count() >= 1);
        }
    }

    #[test]
    fn what_does_not_fit_is_an_error() {
        assert!(BlockTable::new(0, 1).is_err());
        assert!(BlockTable::new(128, 2).unwrap().insert(&[1]).is_err());
        assert!(BlockTable::new(64, 2).unwrap().near(&[1, 2]).is_err());
    }
}
