//! Bytes of a string -> where its quotes and backslashes are, 64 bytes at a time.
//!
//! A search for the next one, again and again, costs a function call for each. In HTML, and in code, every tenth byte or
//! so is escaped. Here the bytes are compared once, and the answers are bits in a word.

use memchr::memchr2;

/// The number of bytes that are compared together.
const BLOCK: usize = 64;

/// The quotes and backslashes of `bytes`, in order.
#[derive(Debug)]
pub(super) struct Marks<'a> {
    bytes: &'a [u8],
    /// Where the block begins whose bits are known.
    block: usize,
    bits: u64,
}

impl<'a> Marks<'a> {
    /// Those from `from` on.
    pub(super) fn new(bytes: &'a [u8], from: usize) -> Self {
        Self { bytes, block: from, bits: bits_at(bytes, from) }
    }

    /// The first one at `from` or after it; `from` never becomes smaller.
    #[inline]
    pub(super) fn next(&mut self, from: usize) -> Option<usize> {
        if let Some(found) = self.in_block(from) {
            return Some(found);
        }
        self.block = (self.block + BLOCK).max(from);
        self.bits = bits_at(self.bytes, self.block);
        self.in_block(from).or_else(|| self.far_away())
    }

    /// The first one at `from` or after it, in the block whose bits are known.
    #[inline]
    fn in_block(&self, from: usize) -> Option<usize> {
        let passed = from.saturating_sub(self.block);
        let left = if passed < BLOCK { self.bits >> passed << passed } else { 0 };
        (left != 0).then(|| self.block + left.trailing_zeros() as usize)
    }

    /// The first one after the block. Of a long stretch without any, [`memchr2`] compares more bytes at once.
    #[cold]
    fn far_away(&mut self) -> Option<usize> {
        let after = (self.block + BLOCK).min(self.bytes.len());
        self.block = after + memchr2(b'"', b'\\', &self.bytes[after..])?;
        self.bits = bits_at(self.bytes, self.block);
        Some(self.block)
    }
}

/// A bit for each of the next 64 bytes, or of those that there are: set for a quote or a backslash.
#[inline]
fn bits_at(bytes: &[u8], at: usize) -> u64 {
    let rest = bytes.get(at..).unwrap_or_default();
    match rest.first_chunk::<BLOCK>() {
        Some(block) => bits(block),
        None => {
            let mut padded = [0; BLOCK];
            padded[..rest.len()].copy_from_slice(rest);
            bits(&padded)
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn bits(block: &[u8; BLOCK]) -> u64 {
    // SAFETY: every CPU of x86-64 has these instructions.
    unsafe { bits_of_vectors(block) }
}

/// 16 bytes are compared at once.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sse2")]
#[inline]
fn bits_of_vectors(block: &[u8; BLOCK]) -> u64 {
    use std::arch::x86_64::{_mm_cmpeq_epi8, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi64x, _mm_set1_epi8};
    let (quote, backslash) = (_mm_set1_epi8(b'"' as i8), _mm_set1_epi8(b'\\' as i8));
    let mut bits = 0;
    for (number, [low, high]) in block.as_chunks::<8>().0.as_chunks::<2>().0.iter().enumerate() {
        let some = _mm_set_epi64x(i64::from_le_bytes(*high), i64::from_le_bytes(*low));
        let found = _mm_or_si128(_mm_cmpeq_epi8(some, quote), _mm_cmpeq_epi8(some, backslash));
        bits |= u64::from(_mm_movemask_epi8(found) as u16) << (16 * number);
    }
    bits
}

#[cfg(not(target_arch = "x86_64"))]
use bits_of_words as bits;

/// The same, eight bytes at once in a word.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn bits_of_words(block: &[u8; BLOCK]) -> u64 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let mut bits = 0;
    for (number, word) in block.as_chunks::<8>().0.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        // The highest bit of a byte is set if the byte is not the wanted one.
        let other = |wanted: u64| {
            let apart = word ^ wanted;
            ((apart & LOW) + LOW) | apart
        };
        let found = !(other(0x2222_2222_2222_2222) & other(0x5c5c_5c5c_5c5c_5c5c)) & !LOW;
        // The product brings the highest bits of all bytes together.
        bits |= ((found >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * number);
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn is_marked(byte: u8) -> bool {
        matches!(byte, b'"' | b'\\')
    }

    proptest! {
        #[test]
        fn bits_are_those_of_single_bytes(bytes in prop::collection::vec(prop_oneof![Just(b'"'), Just(b'\\'), any::<u8>()], BLOCK)) {
            let block: &[u8; BLOCK] = bytes.first_chunk().unwrap();
            let expected = (0..BLOCK).fold(0, |bits, at| bits | u64::from(is_marked(block[at])) << at);
            prop_assert_eq!(bits(block), expected);
            prop_assert_eq!(bits_of_words(block), expected);
        }

        #[test]
        fn every_mark_is_found_from_anywhere(
            bytes in prop::collection::vec(prop_oneof![1 => Just(b'"'), 1 => Just(b'\\'), 10 => Just(b'x')], 0..300),
            first in 0usize..300,
            steps in prop::collection::vec(0usize..90, 0..40),
        ) {
            let mut from = first.min(bytes.len());
            let mut marks = Marks::new(&bytes, from);
            for step in steps {
                let expected = (from..bytes.len()).find(|&at| is_marked(bytes[at]));
                prop_assert_eq!(marks.next(from), expected);
                from = expected.map_or(bytes.len(), |found| (found + step).min(bytes.len()));
            }
        }
    }
}
