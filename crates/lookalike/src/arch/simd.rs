//! The primitives, and the properties by which tasks choose their algorithms.

use super::masks::{BLOCK, Masks};
use super::word_hashes::{self, Blocks};

/// The properties of a kernel by which a task chooses its algorithm. They change the speed, never the answer.
pub(crate) trait Tuning: Copy {
    /// The width of a vector register in bytes. It is 16 if the width is not known.
    const REGISTER_BYTES: usize;

    /// True if [`Simd::bits_at`] is faster than testing the bits one by one.
    const LOOKS_UP_BITS: bool;
}

/// The number of values that [`Simd::below`] compares.
pub(crate) const CHUNK: usize = 64;

/// The number of words that [`Simd::bits_at`] reads.
pub(crate) const BIT_WORDS: usize = 8;

/// The number of words that [`Simd::bits_at_tops`] reads. They have a bit for every number of eight bits.
pub(crate) const TOP_WORDS: usize = 4;

/// The number of elements of each set that [`Simd::shared_elements`] compares.
pub(crate) const SET_BLOCK: usize = 8;

/// The number of 16-bit lanes that [`Simd::equal_lanes`] compares.
pub(crate) const LANE_BLOCK: usize = 32;

/// The number of vectors whose inner products [`Simd::byte_products`] computes with each query.
pub(crate) const PRODUCT_ROWS: usize = 16;

/// The number of queries of [`Simd::byte_products`]. With so many sums at once, none waits
/// for the one before it.
pub(crate) const PRODUCT_QUERIES: usize = 8;

/// Four coordinates of each of 16 vectors, one vector after the other.
pub(crate) type ByteRows = [u8; 4 * PRODUCT_ROWS];
/// Four coordinates of each of 8 queries.
pub(crate) type ByteQueries = [[i8; 4]; PRODUCT_QUERIES];
/// The inner product of each of 8 queries with each of 16 vectors.
pub(crate) type Products = [[i32; PRODUCT_ROWS]; PRODUCT_QUERIES];

/// The primitives that need intrinsics.
pub(crate) trait Simd: Tuning {
    /// The masks of `block`. The block is copied to `folded`, in lower case if `fold` is true.
    fn classify(self, block: &[u8; BLOCK], folded: &mut [u8; BLOCK], fold: bool) -> Masks;

    /// Bit i is set if `values[i] < limit`.
    fn below(self, values: &[u64; CHUNK], limit: u64) -> u64;

    /// Bit i is set if bit `positions[i]` of the words is set. Bits are counted through the words from the lowest.
    #[inline(always)]
    fn bits_at(self, positions: &[u64; CHUNK], words: &[u64; BIT_WORDS]) -> u64 {
        let bit = |position: u64| words[(position / 64) as usize % BIT_WORDS] >> (position % 64) & 1;
        positions.iter().rev().fold(0, |mask, &position| mask << 1 | bit(position))
    }

    /// Bit i is set if bit `numbers[i] >> shift` of the words is set, where `shift` is at least 56.
    #[inline(always)]
    fn bits_at_tops(self, numbers: &[u64; CHUNK], shift: u32, words: &[u64; TOP_WORDS]) -> u64 {
        let bit = |position: u64| words[(position / 64) as usize % TOP_WORDS] >> (position % 64) & 1;
        numbers.iter().rev().fold(0, |mask, &number| mask << 1 | bit(number >> shift))
    }

    /// Bit i is set if `bytes[i]` is not 0.
    #[inline(always)]
    fn nonzero_bytes(self, bytes: &[u8; CHUNK]) -> u64 {
        bytes.iter().rev().fold(0, |mask, &byte| mask << 1 | u64::from(byte != 0))
    }

    /// Writes `first + i` for every bit i of the mask that is set, in order, to the start of `out`. Returns their
    /// number. What it writes after them is not defined.
    #[inline(always)]
    fn ones(self, mut mask: u64, first: u8, out: &mut [u8; CHUNK]) -> usize {
        let count = mask.count_ones() as usize;
        for out in &mut out[..count] {
            *out = first.wrapping_add(mask.trailing_zeros() as u8);
            mask &= mask - 1;
        }
        count
    }

    /// The number of elements of `a` that are in `b`.
    fn shared_elements(self, a: &[u64; SET_BLOCK], b: &[u64; SET_BLOCK]) -> u32;

    /// The number of positions in which `a` and `b` agree.
    fn equal_lanes(self, a: &[u16; LANE_BLOCK], b: &[u16; LANE_BLOCK]) -> u32;

    /// The inner products of vectors whose coordinates are bytes. Both slices have the same length. Sums wrap around.
    fn byte_products(self, rows: &[ByteRows], queries: &[ByteQueries]) -> Products;

    /// Writes the hash of every word that ends in these blocks, in order. Returns the number of words. If a word
    /// continues after the last block, it also returns where that word begins.
    #[inline(always)]
    fn word_hashes(self, blocks: Blocks<'_>, out: &mut [u64]) -> (usize, Option<usize>) {
        word_hashes::portable(blocks, out)
    }
}
