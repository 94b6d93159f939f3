//! Fingerprint -> the same bits in another order, with chosen blocks first.

use std::ops::Range;

use crate::error::{Error, Result};
use crate::simhash::FingerprintBits;

/// The widths of `blocks` blocks that together have `bits` bits. They differ by at most 1, and the wide ones come
/// first: 64 bits in 5 blocks are 13, 13, 13, 13, 12.
pub(super) fn even_widths(bits: u32, blocks: usize) -> Vec<u32> {
    let blocks = blocks as u32;
    (0..blocks).map(|i| bits / blocks + u32::from(i < bits % blocks)).collect()
}

/// The word with ones at `places`, counted from the most significant bit.
pub(super) fn mask<B: FingerprintBits>(places: Range<u32>) -> B {
    if places.is_empty() {
        return B::ZERO;
    }
    let ones = B::ALL << (B::BITS - (places.end - places.start));
    ones >> places.start
}

/// A permutation of the bits of a fingerprint that moves whole blocks. The paper calls it the pi of a table.
///
/// ```
/// use lookalike::hamming::BlockPermutation;
///
/// // Four blocks of four bits; the third comes first.
/// let permutation = BlockPermutation::<u16>::new(&[4, 4, 4, 4], &[2, 0, 1, 3])?;
/// assert_eq!(permutation.apply(0xabcd), 0xcabd);
/// assert_eq!(permutation.invert(0xcabd), 0xabcd);
/// # Ok::<(), lookalike::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockPermutation<B> {
    moves: Vec<Move<B>>,
}

/// A stretch of bits that move together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Move<B> {
    mask: B,
    left: u32,
    right: u32,
}

impl<B: FingerprintBits> BlockPermutation<B> {
    /// The permutation after which block `order[0]` comes first (most significant), then block `order[1]`, ...
    ///
    /// `widths` are the widths of the blocks before the permutation, most significant block first. They must add up
    /// to the number of bits, and `order` must name every block once.
    pub fn new(widths: &[u32], order: &[usize]) -> Result<Self> {
        let total: u64 = widths.iter().map(|&w| u64::from(w)).sum();
        if total != u64::from(B::BITS) {
            return Err(Error::invalid("widths", total, format!("block widths add up to {}", B::BITS)));
        }
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        if !sorted.iter().copied().eq(0..widths.len()) {
            let allowed = format!("an order names each of the blocks 0..{} once", widths.len());
            return Err(Error::invalid("order", format!("{order:?}"), allowed));
        }
        let starts: Vec<u32> =
            widths.iter().scan(0, |end, &w| Some(std::mem::replace(end, *end + w))).collect();
        let mut moves: Vec<Move<B>> = Vec::with_capacity(order.len());
        let mut target = 0;
        for &block in order {
            let source = starts[block];
            let (left, right) = (source.saturating_sub(target), target.saturating_sub(source));
            let bits = mask(source..source + widths[block]);
            match moves.last_mut() {
                // Blocks that are still neighbours after the permutation move together.
                Some(last) if (last.left, last.right) == (left, right) => last.mask = last.mask | bits,
                _ if bits == B::ZERO => {}
                _ => moves.push(Move { mask: bits, left, right }),
            }
            target += widths[block];
        }
        Ok(Self { moves })
    }

    /// The permuted fingerprint.
    #[inline]
    #[must_use]
    pub fn apply(&self, fingerprint: B) -> B {
        self.moves.iter().fold(B::ZERO, |out, m| out | ((fingerprint & m.mask) << m.left >> m.right))
    }

    /// The original of a permuted fingerprint.
    #[inline]
    #[must_use]
    pub fn invert(&self, permuted: B) -> B {
        self.moves.iter().fold(B::ZERO, |out, m| out | ((permuted << m.right >> m.left) & m.mask))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn widths_are_those_of_the_notes() {
        assert_eq!(even_widths(64, 5), [13, 13, 13, 13, 12]);
        assert_eq!(even_widths(64, 1), [64]);
        assert_eq!(even_widths(16, 16), [1; 16]);
    }

    #[test]
    fn masks_count_from_the_top() {
        assert_eq!(mask::<u16>(0..4), 0xf000);
        assert_eq!(mask::<u16>(12..16), 0x000f);
        assert_eq!(mask::<u128>(0..128), u128::MAX);
        assert_eq!(mask::<u64>(5..5), 0);
    }

    /// The lecture notes (003, "SIMHASH: DATA STRUCTURE"): pi = {1 -> 2, 2 -> 4, 3 -> 3, 4 -> 1} on four bits, here
    /// the top four of 16. The permuted set is 0011, 0010, 0010, 1100, 0111; sorted, it holds 0010 twice (0010 is in
    /// the set twice), where the slide's table shows it once and 0011 twice.
    #[test]
    fn the_permuted_table_of_the_notes() {
        let permutation = BlockPermutation::<u16>::new(&[1, 1, 1, 1, 12], &[3, 0, 2, 1, 4]).unwrap();
        let mut table: Vec<u16> = [0b0110, 0b0010, 0b0010, 0b1001, 0b1110]
            .iter()
            .map(|&fingerprint: &u16| permutation.apply(fingerprint << 12) >> 12)
            .collect();
        assert_eq!(table, [0b0011, 0b0010, 0b0010, 0b1100, 0b0111]);
        table.sort_unstable();
        assert_eq!(table, [0b0010, 0b0010, 0b0011, 0b0111, 0b1100]);
    }

    #[test]
    fn wrong_blocks_are_errors() {
        assert!(BlockPermutation::<u16>::new(&[8, 9], &[0, 1]).is_err());
        assert!(BlockPermutation::<u16>::new(&[8, 8], &[0, 0]).is_err());
        assert!(BlockPermutation::<u16>::new(&[8, 8], &[0]).is_err());
        assert!(BlockPermutation::<u16>::new(&[u32::MAX, 17], &[0, 1]).is_err());
        assert!(BlockPermutation::<u16>::new(&[0, 16, 0], &[2, 1, 0]).is_ok());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn bits_go_where_the_order_says(
            word: u128,
            order in (1usize..12).prop_flat_map(|n| Just((0..n).collect::<Vec<_>>()).prop_shuffle()),
        ) {
            fn check<B: FingerprintBits>(word: B, order: &[usize]) {
                let widths = even_widths(B::BITS, order.len());
                let permutation = BlockPermutation::<B>::new(&widths, order).unwrap();
                let permuted = permutation.apply(word);
                assert_eq!(permutation.invert(permuted), word);
                let digits = format!("{:0width$b}", word, width = B::BITS as usize);
                let start = |block: usize| widths[..block].iter().sum::<u32>() as usize;
                let expected: String =
                    order.iter().map(|&b| &digits[start(b)..start(b) + widths[b] as usize]).collect();
                assert_eq!(format!("{:0width$b}", permuted, width = B::BITS as usize), expected);
            }
            check(word as u16, &order);
            check(word as u32, &order);
            check(word as u64, &order);
            check(word, &order);
        }
    }
}
