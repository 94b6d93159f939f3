//! The hashes of a document's tokens, in order.

use crate::hashing::mix64;

/// A growing list of token hashes whose fast path has no hidden work: room is made once per block.
#[derive(Debug, Clone, Default)]
pub(super) struct Tokens {
    /// Only the first `len` are tokens.
    hashes: Vec<u64>,
    len: usize,
}

impl Tokens {
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    pub(super) fn as_slice(&self) -> &[u64] {
        &self.hashes[..self.len]
    }

    /// Makes room for `more` tokens.
    #[inline(always)]
    pub(super) fn reserve(&mut self, more: usize) {
        if self.hashes.len() < self.len + more {
            self.grow(more);
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, more: usize) {
        self.hashes.resize((2 * self.hashes.len()).max(self.len + more).max(256), 0);
    }

    /// Appends a token for which room has been made.
    #[inline(always)]
    pub(super) fn push_reserved(&mut self, hash: u64) {
        self.hashes[self.len] = hash;
        self.len += 1;
    }

    pub(super) fn push(&mut self, hash: u64) {
        self.reserve(1);
        self.push_reserved(hash);
    }
}

/// The hash of a character as a token.
#[inline(always)]
pub(super) const fn character_hash(character: char) -> u64 {
    mix64(character as u64 ^ 0x5851_f42d_4c95_7f2d)
}

/// [`character_hash`] of every ASCII character.
static ASCII_HASHES: [u64; 128] = {
    let mut hashes = [0; 128];
    let mut byte = 0;
    while byte < 128 {
        hashes[byte as usize] = character_hash(byte as char);
        byte += 1u8;
    }
    hashes
};

/// Appends the hash of every character of `text`.
pub(super) fn hash_characters(text: &str, tokens: &mut Tokens) {
    tokens.reserve(text.len());
    if text.is_ascii() {
        for byte in text.bytes() {
            tokens.push_reserved(ASCII_HASHES[usize::from(byte & 127)]);
        }
    } else {
        for character in text.chars() {
            tokens.push_reserved(character_hash(character));
        }
    }
}
