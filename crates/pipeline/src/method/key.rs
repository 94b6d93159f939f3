//! Random bytes -> the key that hashes shingles for the exact comparison.
//!
//! Sketches, band keys and samples only find candidates. They use the fixed key of the library, so that the same
//! command gives the same bytes. The exact comparison decides whether a document is removed. Its shingles are hashed
//! with a random key, which each run draws from the operating system. An attacker who writes a text cannot know this
//! key, and therefore cannot write a text that is mistaken for another. The similarity is the same number with every
//! key.
//!
//! A key is never written to disk, with one exception: if the shingles themselves are stored (`--store shingles`),
//! their key is stored with them.

use crate::{Error, Result};
use lookalike::hashing::Key;

/// The random bytes from which a key is made.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct KeySeed([u8; 32]);

impl std::fmt::Debug for KeySeed {
    /// Writes the name only: the bytes must not appear in a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("KeySeed")
    }
}

impl KeySeed {
    /// A new seed, drawn from the operating system.
    pub(crate) fn random() -> Result<Self> {
        #[cfg(test)]
        if let Some(seed) = tests::chosen() {
            return Ok(seed);
        }
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|error| {
            Error::Invalid(format!("the operating system provides no random numbers: {error}"))
        })?;
        Ok(Self(bytes))
    }

    /// Makes the key: expands the seed to as many bytes as a key has.
    pub(crate) fn key(&self) -> Key {
        let mut bytes = [0; Key::BYTES];
        blake3::Hasher::new_keyed(&self.0).finalize_xof().fill(&mut bytes);
        Key::from_bytes(&bytes)
    }

    /// The seed as hexadecimal text, as it is stored with shingles.
    pub(crate) fn to_hex(&self) -> String {
        blake3::Hash::from_bytes(self.0).to_hex().to_string()
    }

    /// Reads a seed from hexadecimal text; `None` if the text is not a seed.
    pub(crate) fn from_hex(written: &str) -> Option<Self> {
        blake3::Hash::from_hex(written.trim()).ok().map(|seed| Self(*seed.as_bytes()))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::cell::Cell;

    thread_local! {
        /// If set, `KeySeed::random` returns a seed of this byte on this thread.
        static CHOSEN: Cell<Option<u8>> = const { Cell::new(None) };
    }

    pub(super) fn chosen() -> Option<KeySeed> {
        CHOSEN.get().map(|byte| KeySeed([byte; 32]))
    }

    /// Runs `work` with a key that is the same every time.
    pub(crate) fn with_key<R>(byte: u8, work: impl FnOnce() -> R) -> R {
        CHOSEN.set(Some(byte));
        let result = work();
        CHOSEN.set(None);
        result
    }

    #[test]
    fn seeds_are_random_written_in_full_and_hidden_in_logs() {
        let (a, b) = (KeySeed::random().unwrap(), KeySeed::random().unwrap());
        assert!(a != b);
        assert_eq!(KeySeed::from_hex(&format!("{}\n", a.to_hex())), Some(a.clone()));
        assert_eq!(KeySeed::from_hex("abc"), None);
        assert_eq!(format!("{a:?}"), "KeySeed");
        let token = |seed: &KeySeed| seed.key().token(b"word");
        assert_eq!(token(&a), token(&a.clone()));
        assert_ne!(token(&a), token(&b));
    }
}
