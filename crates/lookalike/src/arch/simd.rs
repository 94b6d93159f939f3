//! The primitives, and apart from them what tasks choose their ways by.

use super::masks::{BLOCK, Masks};
use super::word_hashes::{self, Blocks};

/// What a task chooses its way by: it changes the speed, never the answer.
pub(crate) trait Tuning: Copy {
    /// The width of a vector register; 16 also where it is not known.
    const REGISTER_BYTES: usize;

    /// True if [`Simd::bits_at`] is quicker than looking at the bits one by one.
    const LOOKS_UP_BITS: bool;
}

/// How many values [`Simd::below`] looks at.
pub(crate) const CHUNK: usize = 64;

/// How many words of bits [`Simd::bits_at`] looks into.
pub(crate) const BIT_WORDS: usize = 8;

/// How many elements of a set [`Simd::shared_elements`] takes.
pub(crate) const SET_BLOCK: usize = 8;

/// How many lanes of 16 bits [`Simd::equal_lanes`] takes.
pub(crate) const LANE_BLOCK: usize = 32;

/// The primitives that need intrinsics.
pub(crate) trait Simd: Tuning {
    /// The masks of `block`; `folded` becomes the block, in lower case if `fold`.
    fn classify(self, block: &[u8; BLOCK], folded: &mut [u8; BLOCK], fold: bool) -> Masks;

    /// Bit i says whether `values[i] < limit`.
    fn below(self, values: &[u64; CHUNK], limit: u64) -> u64;

    /// Bit i says whether bit `positions[i]` is set, of the bits counted through the words from the lowest.
    #[inline(always)]
    fn bits_at(self, positions: &[u64; CHUNK], words: &[u64; BIT_WORDS]) -> u64 {
        let bit = |position: u64| words[(position / 64) as usize % BIT_WORDS] >> (position % 64) & 1;
        positions.iter().rev().fold(0, |mask, &position| mask << 1 | bit(position))
    }

    /// How many elements of `a` are in `b`.
    fn shared_elements(self, a: &[u64; SET_BLOCK], b: &[u64; SET_BLOCK]) -> u32;

    /// In how many positions `a` and `b` agree.
    fn equal_lanes(self, a: &[u16; LANE_BLOCK], b: &[u16; LANE_BLOCK]) -> u32;

    /// Writes the hash of every word that ends in these blocks, in order; returns how many there are, and where
    /// the word begins that reaches out of the last block, if one does.
    #[inline(always)]
    fn word_hashes(self, blocks: Blocks<'_>, out: &mut [u64]) -> (usize, Option<usize>) {
        word_hashes::portable(blocks, out)
    }
}
