//! Bytes that come piece by piece -> their hash.

use super::key::Tree;
use super::{Key, halves, hash_bytes, spread};

/// The size of what is hashed at a time.
const PIECE: usize = 16;

/// [`hash_bytes`] of bytes that are not all in memory. It takes about a kilobyte, however many there are.
///
/// ```
/// use lookalike::hashing::{ByteHasher, hash_bytes};
///
/// let mut hasher = ByteHasher::new();
/// hasher.update(b"some bytes, ");
/// hasher.update(b"and some more");
/// assert_eq!(hasher.finish(), hash_bytes(b"some bytes, and some more"));
/// ```
#[derive(Debug)]
pub struct ByteHasher {
    tree: Tree<'static>,
    /// The last whole piece.
    last: [u8; PIECE],
    /// The beginning of the next one.
    begun: [u8; PIECE],
    filled: usize,
    size: u64,
}

impl Default for ByteHasher {
    fn default() -> Self {
        let tree = Key::FIXED.long_tree();
        Self { tree, last: [0; PIECE], begun: [0; PIECE], filled: 0, size: 0 }
    }
}

impl ByteHasher {
    /// A hasher that has no bytes yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends bytes.
    pub fn update(&mut self, mut bytes: &[u8]) {
        self.size += bytes.len() as u64;
        if self.filled > 0 {
            let taken = bytes.len().min(PIECE - self.filled);
            self.begun[self.filled..self.filled + taken].copy_from_slice(&bytes[..taken]);
            self.filled += taken;
            bytes = &bytes[taken..];
            if self.filled < PIECE {
                return;
            }
            self.filled = 0;
            self.push(self.begun);
        }
        let (pieces, rest) = bytes.as_chunks::<PIECE>();
        pieces.iter().for_each(|piece| self.push(*piece));
        self.begun[..rest.len()].copy_from_slice(rest);
        self.filled = rest.len();
    }

    /// The hash of all bytes so far.
    #[must_use]
    pub fn finish(mut self) -> u64 {
        let few = PIECE as u64;
        if self.size <= few {
            return hash_bytes(if self.size == few { &self.last } else { &self.begun[..self.filled] });
        }
        if self.filled > 0 {
            // The last piece ends where the bytes end.
            let mut piece = [0; PIECE];
            let (before, begun) = piece.split_at_mut(PIECE - self.filled);
            before.copy_from_slice(&self.last[self.filled..]);
            begun.copy_from_slice(&self.begun[..self.filled]);
            self.push(piece);
        }
        spread(Key::FIXED.of_long_tree(self.tree, self.size))
    }

    fn push(&mut self, piece: [u8; PIECE]) {
        let (low, high) = halves(&piece);
        self.tree.push(0, Key::FIXED.word.hash(low, high, 0));
        self.last = piece;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_does_not_matter_how_bytes_come(
            bytes in prop_oneof![
                prop::collection::vec(any::<u8>(), 0..70),
                prop::collection::vec(any::<u8>(), 0..3_000),
            ],
            mut cuts in prop::collection::vec(0..3_000_usize, 0..12),
        ) {
            cuts.iter_mut().for_each(|cut| *cut = (*cut).min(bytes.len()));
            cuts.sort_unstable();
            let mut hasher = ByteHasher::new();
            let mut from = 0;
            for cut in cuts.into_iter().chain([bytes.len()]) {
                hasher.update(&bytes[from..cut]);
                from = cut;
            }
            prop_assert_eq!(hasher.finish(), hash_bytes(&bytes));
        }
    }

    #[test]
    fn every_length_around_pieces_and_levels() {
        let bytes: Vec<u8> = (0..20_000_u32).map(|number| (number * 7 % 251) as u8).collect();
        let lengths = (0..300).chain([1_023, 1_024, 1_025, 8_191, 8_192, 8_193, 16_383, 16_384, 20_000]);
        for length in lengths {
            let mut hasher = ByteHasher::new();
            bytes[..length].chunks(7).for_each(|chunk| hasher.update(chunk));
            assert_eq!(hasher.finish(), hash_bytes(&bytes[..length]), "{length} bytes");
        }
    }
}
