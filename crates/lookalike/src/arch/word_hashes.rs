//! Masks of words -> hashes of words.

use crate::hashing::{Key, halves};

use super::masks::BLOCK;

/// A run of blocks with masks of their words.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Blocks<'a> {
    /// Bit i of mask number n is set if byte `position + 64 n + i` belongs to a word.
    pub(crate) words: &'a [u64],
    /// The position in `folded` where the first block begins.
    pub(crate) position: usize,
    /// If a word continues into the first block, the position where it begins.
    pub(crate) open: Option<usize>,
    /// The text. It has at least [`Self::READ_PAST`] more bytes than the blocks.
    pub(crate) folded: &'a [u8],
    /// The key with which the words are hashed.
    pub(crate) key: &'a Key,
}

impl Blocks<'_> {
    /// Words are read 16 bytes at a time, so this many bytes must be readable after every byte.
    pub(crate) const READ_PAST: usize = 16;

    /// The largest number of words that can end in the blocks.
    pub(crate) const fn most_words(count: usize) -> usize {
        count * (BLOCK / 2) + 1
    }

    #[cfg(target_arch = "x86_64")]
    /// Checks the conditions that a kernel relies on.
    pub(super) fn check(&self, out: &[u64]) {
        let end = self.position + self.words.len() * BLOCK;
        assert!(end + Self::READ_PAST <= self.folded.len(), "there are bytes to read past the last block");
        assert!(
            self.open.is_none_or(|start| start <= self.position),
            "the open word begins before the blocks"
        );
        assert!(out.len() >= Self::most_words(self.words.len()), "there is room for every word");
    }
}

/// The definition of [`Simd::word_hashes`](super::Simd::word_hashes).
#[inline(always)]
pub(super) fn portable(blocks: Blocks<'_>, out: &mut [u64]) -> (usize, Option<usize>) {
    let Blocks { words, mut position, open, folded, key } = blocks;
    let mut start = open.unwrap_or(0);
    let mut in_word = open.is_some();
    let mut count = 0;
    for &words in words {
        let shifted = words << 1 | u64::from(in_word);
        let mut starts = words & !shifted;
        let mut ends = !words & shifted;
        if !in_word {
            start = position + starts.trailing_zeros() as usize;
            starts &= starts.wrapping_sub(1);
        }
        while ends != 0 {
            let end = position + ends.trailing_zeros() as usize;
            ends &= ends - 1;
            if is_word(folded, start, end) {
                out[count] = word_hash(key, folded, start, end);
                count += 1;
            }
            start = position + starts.trailing_zeros() as usize;
            starts &= starts.wrapping_sub(1);
        }
        in_word = words >> 63 != 0;
        position += BLOCK;
    }
    (count, in_word.then_some(start))
}

/// True if the run of bytes is a word. A run of underscores is not.
#[inline(always)]
pub(super) fn is_word(folded: &[u8], start: usize, end: usize) -> bool {
    folded[start] != b'_' || folded[start..end].iter().any(|&byte| byte != b'_')
}

/// [`Key::token`] of a word. 16 bytes must be readable even if the word is shorter.
#[inline(always)]
pub(super) fn word_hash(key: &Key, folded: &[u8], start: usize, end: usize) -> u64 {
    let len = end - start;
    match folded[start..].first_chunk::<16>() {
        Some(bytes) if len <= 16 => {
            let (low, high) = halves(bytes);
            let (low_mask, high_mask) = LENGTH_MASKS[len];
            key.word.hash(low & low_mask, high & high_mask, len as u64)
        }
        _ => key.token(&folded[start..end]),
    }
}

/// Masks for the two halves of 16 bytes that keep the first `len` bytes.
static LENGTH_MASKS: [(u64, u64); 17] = {
    let mut masks = [(0, 0); 17];
    let mut len = 0;
    while len <= 16 {
        let both = if len == 16 { u128::MAX } else { (1u128 << (8 * len)) - 1 };
        masks[len] = (both as u64, (both >> 64) as u64);
        len += 1;
    }
    masks
};
