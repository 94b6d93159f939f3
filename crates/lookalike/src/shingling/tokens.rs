//! The hashes of a document's tokens, in order.

use crate::hashing::Key;

/// A growing list of token hashes. Memory is reserved once per block, so that writing a token is cheap.
#[derive(Debug, Clone, Default)]
pub(super) struct Tokens {
    /// Only the first `len` entries are tokens.
    hashes: Vec<u64>,
    len: usize,
}

impl Tokens {
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Removes all tokens and keeps memory for at most `most` of them.
    pub(super) fn shrink_to(&mut self, most: usize) {
        self.len = 0;
        self.hashes.truncate(most);
        self.hashes.shrink_to(most);
    }

    pub(super) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    pub(super) fn as_slice(&self) -> &[u64] {
        &self.hashes[..self.len]
    }

    #[inline(always)]
    fn reserve(&mut self, more: usize) {
        if self.hashes.len() < self.len + more {
            self.grow(more);
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, more: usize) {
        self.hashes.resize((2 * self.hashes.len()).max(self.len + more).max(256), 0);
    }

    /// Free space for `most` tokens. The caller writes tokens to it and then calls `occupy` with their number.
    #[inline(always)]
    pub(super) fn room(&mut self, most: usize) -> &mut [u64] {
        self.reserve(most);
        &mut self.hashes[self.len..self.len + most]
    }

    #[inline(always)]
    pub(super) fn occupy(&mut self, count: usize) {
        self.len = (self.len + count).min(self.hashes.len());
    }

    pub(super) fn push(&mut self, hash: u64) {
        self.room(1)[0] = hash;
        self.occupy(1);
    }
}

/// Appends the hash of every character of `text`.
pub(super) fn hash_characters(key: &Key, text: &str, tokens: &mut Tokens) {
    let room = tokens.room(text.len());
    let mut count = 0;
    if text.is_ascii() {
        for (hash, byte) in room.iter_mut().zip(text.bytes()) {
            *hash = key.ascii()[usize::from(byte & 127)];
            count += 1;
        }
    } else {
        for (hash, character) in room.iter_mut().zip(text.chars()) {
            *hash = key.character(character);
            count += 1;
        }
    }
    tokens.occupy(count);
}
