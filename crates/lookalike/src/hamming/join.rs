//! Different fingerprints -> all pairs of them within distance k, without building an index.
//!
//! Cut the bits into k + 1 blocks. A pair within distance k agrees in at least one whole block. For each block in
//! turn, the fingerprints are sorted by the block's bits (one counting sort), and fingerprints with equal bits are
//! compared. A pair is reported only at the *first* block in which it agrees. So no pair is reported twice, and
//! no reported pairs need to be remembered.
//!
//! # Hot prefixes
//!
//! Many fingerprints may share a block. Consecutive integers share nearly all blocks. Two measures keep this cheap.
//!
//! * Blocks are cut by information, not by width. Each block gets about the same share of the bits' collision entropy
//!   (-log2(p^2 + q^2) for a bit that is 1 in a share p of the fingerprints), so constant bits count for nothing. On
//!   random fingerprints all blocks have the same width.
//! * A run of fingerprints with equal bits is itself cut into k + 1 blocks and joined in the same way. This is done
//!   only if the remaining comparisons plus the work of splitting are fewer than comparing the run directly. (The
//!   paper's nested tables are the case of two levels.)
//!
//! So a run never costs more than comparing all its pairs, plus one counting pass over it. It costs that much only
//! if k + 1 blocks of the varying bits separate nothing, for example if k is as large as the number of varying bits.
//! Memory is one copy of the fingerprints for each level.

use std::ops::{ControlFlow, Range};

use super::permutation::mask;
use super::scan::near_pairs;
use crate::arch::Kernel;
use crate::math::log2;
use crate::simhash::{BitSlicedCounter, FingerprintBits};

/// Runs up to this long are compared directly.
const DIRECT: usize = 128;
/// The cost of moving one fingerprint to its position in the sort by one block. The unit is a comparison.
const SPLIT_COST: u64 = 24;
/// At most this many bits of a block are used to sort, because 2^16 counters fit in the cache.
const MAX_KEY_BITS: u32 = 16;
/// The hits are handed to the visitor after this many comparisons, which limits the memory for hits.
const TILE: usize = 1 << 16;

/// Calls `visit(i, j, distance)` once for each pair i < j of positions in `values` within distance `k`. The values
/// are different fingerprints, ascending. The order of the calls depends only on the values and `k`.
pub(super) fn join<B: FingerprintBits>(
    kernel: Kernel,
    values: &[B],
    k: u32,
    visit: impl FnMut(u32, u32, u32) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let places: Vec<u32> = (0..values.len() as u32).collect();
    Join::new(kernel, k, visit).run(values, &places)
}

/// One cut of a run, and the block by which its fingerprints are sorted now.
#[derive(Debug, Clone)]
struct Level<B> {
    masks: Vec<B>,
    block: usize,
}

/// The state of a join: the levels down to the current run.
pub(super) struct Join<B, V> {
    kernel: Kernel,
    k: u32,
    levels: Vec<Level<B>>,
    hits: Vec<(u32, u32)>,
    visit: V,
}

impl<B: FingerprintBits, V: FnMut(u32, u32, u32) -> ControlFlow<()>> Join<B, V> {
    pub(super) fn new(kernel: Kernel, k: u32, visit: V) -> Self {
        Self { kernel, k, levels: Vec::new(), hits: Vec::new(), visit }
    }

    /// Joins a run, which is given as fingerprints and their original positions.
    pub(super) fn run(&mut self, values: &[B], places: &[u32]) -> ControlFlow<()> {
        match Split::new(values, self.k) {
            None => self.compare(values, places),
            Some(split) => (0..split.len()).try_for_each(|block| {
                let meeting = split.bring_together(block, values, places);
                self.runs(&split, block, &meeting, 0..meeting.runs())
            }),
        }
    }

    /// Joins some of the runs that the sort by a block has made.
    pub(super) fn runs(
        &mut self,
        split: &Split<B>,
        block: usize,
        meeting: &Meeting<B>,
        runs: Range<usize>,
    ) -> ControlFlow<()> {
        self.levels.push(Level { masks: split.masks(), block });
        let flow = runs.into_iter().try_for_each(|run| {
            let (values, places) = meeting.run(run);
            if values.len() > DIRECT { self.run(values, places) } else { self.compare(values, places) }
        });
        self.levels.pop();
        flow
    }

    /// Compares all pairs of a run.
    fn compare(&mut self, values: &[B], places: &[u32]) -> ControlFlow<()> {
        let tile = (TILE / values.len().max(1)).max(1);
        for first in (0..values.len()).step_by(tile) {
            let rows = first..(first + tile).min(values.len());
            near_pairs(self.kernel, values, rows, self.k, &mut self.hits);
            for (i, j) in self.hits.drain(..) {
                let difference = values[i as usize] ^ values[j as usize];
                if self.levels.iter().all(|level| level.reports(difference)) {
                    let (a, b) = (places[i as usize], places[j as usize]);
                    (self.visit)(a.min(b), a.max(b), difference.count_ones())?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}

impl<B: FingerprintBits> Level<B> {
    /// True if this block is the first in which two fingerprints with this xor agree.
    fn reports(&self, difference: B) -> bool {
        self.masks.iter().position(|&mask| difference & mask == B::ZERO) == Some(self.block)
    }
}

/// A run cut into k + 1 blocks.
#[derive(Debug)]
pub(super) struct Split<B> {
    keys: Vec<BlockKey<B>>,
    /// For each block the number of fingerprints of each key.
    counts: Vec<Vec<u32>>,
}

impl<B: FingerprintBits> Split<B> {
    /// The cut of a run, or `None` if comparing it directly is cheaper.
    pub(super) fn new(values: &[B], k: u32) -> Option<Self> {
        if values.len() <= DIRECT || k >= B::BITS {
            return None;
        }
        let pairs = |n: u64| n * n.saturating_sub(1) / 2;
        let direct = pairs(values.len() as u64);
        let mut cost = SPLIT_COST * values.len() as u64 * u64::from(k + 1);
        if cost >= direct {
            return None;
        }
        let key_bits = values.len().ilog2().min(MAX_KEY_BITS);
        let keys: Vec<BlockKey<B>> = informative_blocks(values, k + 1)
            .into_iter()
            .map(|block| BlockKey::new(block, key_bits))
            .collect();
        let mut counts = Vec::with_capacity(keys.len());
        for key in &keys {
            let mut count = vec![0u32; key.values()];
            for &value in values {
                count[key.of(value)] += 1;
            }
            cost += count.iter().map(|&n| pairs(u64::from(n))).sum::<u64>();
            if cost >= direct {
                return None;
            }
            counts.push(count);
        }
        Some(Self { keys, counts })
    }

    /// The number of blocks.
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    fn masks(&self) -> Vec<B> {
        self.keys.iter().map(|key| key.mask).collect()
    }

    /// Sorts the run by one block.
    pub(super) fn bring_together(&self, block: usize, values: &[B], places: &[u32]) -> Meeting<B> {
        let key = &self.keys[block];
        let mut end = 0;
        let mut next: Vec<u32> = Vec::with_capacity(key.values() + 1);
        for &count in &self.counts[block] {
            next.push(end);
            end += count;
        }
        let mut meeting = Meeting {
            values: vec![B::ZERO; values.len()],
            places: vec![0; values.len()],
            starts: next.clone(),
        };
        meeting.starts.push(end);
        for (&value, &place) in values.iter().zip(places) {
            let to = &mut next[key.of(value)];
            meeting.values[*to as usize] = value;
            meeting.places[*to as usize] = place;
            *to += 1;
        }
        meeting
    }
}

/// A run sorted by one block. It consists of shorter runs. Fingerprints that agree in the block are always in the
/// same run, perhaps with others.
#[derive(Debug)]
pub(super) struct Meeting<B> {
    values: Vec<B>,
    places: Vec<u32>,
    starts: Vec<u32>,
}

impl<B> Meeting<B> {
    /// The number of runs, empty ones included.
    pub(super) fn runs(&self) -> usize {
        self.starts.len() - 1
    }

    fn run(&self, run: usize) -> (&[B], &[u32]) {
        let range = self.starts[run] as usize..self.starts[run + 1] as usize;
        (&self.values[range.clone()], &self.places[range])
    }
}

/// A block of bits, and a way to compute a key of at most 16 bits that is equal for fingerprints that agree in the
/// block.
///
/// The key is the block itself if that is narrow enough, else the top bits of a multiplicative hash of it. In the
/// second case fingerprints that do not agree may have the same key too, and the comparison rejects them.
#[derive(Debug, Clone)]
struct BlockKey<B> {
    mask: B,
    multiplier: B,
    bits: u32,
}

/// The multiplier of the hash: an odd number without structure, from the digits of the golden ratio.
const MULTIPLIER: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;

impl<B: FingerprintBits> BlockKey<B> {
    /// `block` is a range of positions, counted from the most significant bit. It is not empty.
    fn new(block: Range<u32>, max_bits: u32) -> Self {
        let width = block.end - block.start;
        let multiplier = if width <= max_bits { 1 << block.start } else { MULTIPLIER };
        Self { mask: mask(block), multiplier: B::truncate(multiplier), bits: width.min(max_bits) }
    }

    #[inline(always)]
    fn of(&self, value: B) -> usize {
        ((value & self.mask).wrapping_mul(self.multiplier) >> (B::BITS - self.bits)).widen() as usize
    }

    fn values(&self) -> usize {
        1 << self.bits
    }
}

/// Cuts the bits into `blocks` ranges of about the same information. Positions are counted from the most significant
/// bit.
fn informative_blocks<B: FingerprintBits>(values: &[B], blocks: u32) -> Vec<Range<u32>> {
    let mut counter = BitSlicedCounter::new();
    counter.add_all(values.iter().copied());
    let information: Vec<f64> = (0..B::BITS)
        .map(|place| {
            let ones = counter.count(B::BITS - 1 - place) as f64 / counter.total() as f64;
            -log2(ones * ones + (1.0 - ones) * (1.0 - ones))
        })
        .collect();
    let total: f64 = information.iter().sum();
    let mut cut = Vec::with_capacity(blocks as usize);
    let (mut place, mut before) = (0, 0.0);
    for block in 1..=blocks {
        let start = place;
        // Every block gets at least one bit and leaves one for each of the following blocks.
        let last = B::BITS - (blocks - block);
        let target = total * f64::from(block) / f64::from(blocks);
        while place < last
            && (place == start || block == blocks || before + information[place as usize] / 2.0 < target)
        {
            before += information[place as usize];
            place += 1;
        }
        cut.push(start..place);
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hashing::SplitMix64;

    #[test]
    fn random_bits_are_cut_evenly_and_constant_bits_count_for_nothing() {
        let mut random = SplitMix64::new(3);
        let words: Vec<u64> = (0..10_000).map(|_| random.next_u64()).collect();
        assert_eq!(informative_blocks(&words, 4), [0..16, 16..32, 32..48, 48..64]);
        let low: Vec<u64> = words.iter().map(|w| w >> 44).collect();
        assert_eq!(informative_blocks(&low, 4), [0..49, 49..54, 54..59, 59..64]);
        // There are only constant bits, and as many blocks as bits. Each block still gets one bit.
        assert_eq!(informative_blocks(&[7u16; 200], 16).len(), 16);
        assert!(informative_blocks(&[7u16; 200], 16).iter().all(|block| block.len() == 1));
    }

    #[test]
    fn keys_are_equal_where_blocks_are() {
        let narrow = BlockKey::<u32>::new(8..20, 16);
        assert_eq!(narrow.of(0xff12_3fff), 0x123);
        let wide = BlockKey::<u64>::new(0..60, 10);
        assert_eq!(wide.of(0x1234_5678_9abc_def0), wide.of(0x1234_5678_9abc_deff));
        assert!(wide.of(u64::MAX) < wide.values());
        let whole = BlockKey::<u16>::new(0..16, 16);
        assert_eq!(whole.of(0xabcd), 0xabcd);
    }

    #[test]
    fn a_run_is_split_only_where_that_saves_comparisons() {
        let mut random = SplitMix64::new(5);
        let random: Vec<u64> = (0..20_000).map(|_| random.next_u64()).collect();
        assert!(Split::new(&random, 3).is_some());
        assert!(Split::new(&random[..DIRECT], 3).is_none());
        assert!(Split::new(&random, 63).is_none());
        assert!(Split::new(&random, 64).is_none());
        // 11 varying bits in 12 blocks, so one block separates nothing.
        let few: Vec<u64> = (0..2048).collect();
        assert!(Split::new(&few, 11).is_none());
        assert!(Split::new(&few, 1).is_some());
    }
}
