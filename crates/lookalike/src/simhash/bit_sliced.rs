//! Many f-bit words -> how often each bit is 1, for all f bits at once.
//!
//! The counters are stored in bit-sliced form: plane j holds bit j of all f counters. So one `xor` and one `and`
//! add to f counters together. Eight words first go through a tree of carry-save adders (seven full adders of
//! five operations), and only their carry of weight 8 ripples through the planes. This takes about six operations per
//! word, compared with f additions for the plain way.

use super::FingerprintBits;

/// The number of planes, which is enough for counts up to 2^64 - 1.
const PLANES: usize = 64;

/// f counters in bit-sliced form.
#[derive(Debug, Clone)]
pub(crate) struct BitSlicedCounter<B> {
    planes: [B; PLANES],
    total: u64,
}

/// A full adder in every bit: `a + b + c = 2 * carry + sum`.
#[inline(always)]
fn carry_save<B: FingerprintBits>(a: B, b: B, c: B) -> (B, B) {
    let half = a ^ b;
    ((a & b) | (half & c), half ^ c)
}

impl<B: FingerprintBits> BitSlicedCounter<B> {
    pub(crate) fn new() -> Self {
        Self { planes: [B::ZERO; PLANES], total: 0 }
    }

    /// Counts every word once.
    pub(crate) fn add_all(&mut self, words: impl Iterator<Item = B>) {
        let mut block = [B::ZERO; 8];
        let mut filled = 0;
        for word in words {
            block[filled] = word;
            filled += 1;
            if filled == block.len() {
                self.add_block(&block);
                filled = 0;
            }
        }
        for &word in &block[..filled] {
            self.add(word, 1);
        }
    }

    /// Counts one word `times` times.
    pub(crate) fn add(&mut self, word: B, times: u64) {
        self.total += times;
        for plane in 0..PLANES {
            if (times >> plane) & 1 == 1 {
                self.carry_into(plane, word);
            }
        }
    }

    fn add_block(&mut self, w: &[B; 8]) {
        self.total += 8;
        let (two_a, one) = carry_save(self.planes[0], w[0], w[1]);
        let (two_b, one) = carry_save(one, w[2], w[3]);
        let (two_c, one) = carry_save(one, w[4], w[5]);
        let (two_d, one) = carry_save(one, w[6], w[7]);
        let (four_a, two) = carry_save(self.planes[1], two_a, two_b);
        let (four_b, two) = carry_save(two, two_c, two_d);
        let (eight, four) = carry_save(self.planes[2], four_a, four_b);
        self.planes[0] = one;
        self.planes[1] = two;
        self.planes[2] = four;
        self.carry_into(3, eight);
    }

    fn carry_into(&mut self, first: usize, mut carry: B) {
        for plane in &mut self.planes[first..] {
            if carry == B::ZERO {
                break;
            }
            (*plane, carry) = (*plane ^ carry, *plane & carry);
        }
    }

    /// The bits that are 1 in more than half of the words.
    pub(crate) fn majority(&self) -> B {
        // This compares every counter with the same number, from the highest bit down.
        let half = self.total / 2;
        let (mut above, mut equal) = (B::ZERO, B::ALL);
        for (plane, &counters) in self.planes.iter().enumerate().rev() {
            if (half >> plane) & 1 == 1 {
                equal = equal & counters;
            } else {
                above = above | (equal & counters);
                equal = equal & !counters;
            }
        }
        above
    }

    /// The number of words that have a 1 at this bit. Bits are counted from the least significant.
    pub(crate) fn count(&self, bit: u32) -> u64 {
        let count_of = |plane: &B| (plane.widen() >> bit) as u64 & 1;
        self.planes.iter().rev().fold(0, |count, plane| count << 1 | count_of(plane))
    }

    /// The number of words that were counted.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simhash::BitSums;
    use proptest::prelude::*;

    fn plain_count<B: FingerprintBits>(words: &[(B, u32)], bit: u32) -> u64 {
        words.iter().filter(|(word, _)| (word.widen() >> bit) & 1 == 1).map(|&(_, n)| u64::from(n)).sum()
    }

    fn equals_the_plain_definition<B: FingerprintBits>(words: &[(B, u32)], singles: &[B]) {
        let mut counter = BitSlicedCounter::new();
        let mut sums = BitSums::new();
        counter.add_all(singles.iter().copied());
        for &(word, times) in words {
            counter.add(word, u64::from(times));
        }
        let all: Vec<(B, u32)> = singles.iter().map(|&w| (w, 1)).chain(words.iter().copied()).collect();
        for &(word, times) in &all {
            sums.add(word, f64::from(times)).unwrap();
        }
        for bit in 0..B::BITS {
            assert_eq!(counter.count(bit), plain_count(&all, bit), "bit {bit}");
        }
        assert_eq!(counter.total(), all.iter().map(|&(_, n)| u64::from(n)).sum::<u64>());
        assert_eq!(counter.majority(), sums.bits());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn counts_and_majority_equal_the_definition(
            singles in prop::collection::vec(any::<u128>(), 0..70),
            weighted in prop::collection::vec((any::<u128>(), any::<u32>()), 0..6),
            // Few bits set, so that ties and long carries occur.
            mask in prop_oneof![Just(u128::MAX), Just(0x8000_0001_0000_0001_8001_0001_0000_0003)],
        ) {
            fn cut<B: FingerprintBits>(singles: &[u128], weighted: &[(u128, u32)], mask: u128) {
                let singles: Vec<B> = singles.iter().map(|&w| B::truncate(w & mask)).collect();
                let weighted: Vec<(B, u32)> =
                    weighted.iter().map(|&(w, n)| (B::truncate(w & mask), n)).collect();
                equals_the_plain_definition(&weighted, &singles);
            }
            cut::<u16>(&singles, &weighted, mask);
            cut::<u32>(&singles, &weighted, mask);
            cut::<u64>(&singles, &weighted, mask);
            cut::<u128>(&singles, &weighted, mask);
        }
    }
}
