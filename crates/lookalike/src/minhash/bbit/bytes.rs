//! b-bit signature <-> bytes.
//!
//! ```text
//! offset  size
//!      0     4  magic "LKBB"
//!      4     1  version, 1
//!      5     1  family: 1 permutation, 2 universal, 3 multiply-shift, 4 fast sketch, 5 weighted
//!      6     1  b: 1, 2, 4, 8 or 16
//!      7     1  1 for the empty set, else 0
//!      8     8  seed, little-endian
//!     16     4  number of hashes, little-endian
//!     20   8 n  the packed words, little-endian; n = ceil(hashes b / 64)
//! ```
//!
//! There is one encoding per signature: unused bits are 0, and so are all words of the empty set. Any other bytes
//! are refused.

use super::{BBitSignature, BITS_PER_SLOT, Content, word_count};
use crate::encoding::Format;
use crate::error::Result;
use crate::minhash::Family;
use crate::minhash::signature::read_num_hashes;

const FORMAT: Format = Format { what: "b-bit signature", magic: "LKBB", version: 1 };
const HEADER: usize = 20;

impl BBitSignature {
    /// The signature as bytes. They are the same on every machine and have a version number.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = FORMAT.begin(HEADER + self.size_in_bytes());
        bytes.extend_from_slice(&[self.family.code(), self.bits as u8, u8::from(self.is_empty_set())]);
        bytes.extend_from_slice(&self.seed.to_le_bytes());
        bytes.extend_from_slice(&(self.num_hashes as u32).to_le_bytes());
        bytes.extend(self.words.iter().flat_map(|word| word.to_le_bytes()));
        bytes
    }

    /// Reads the bytes that [`to_bytes`](Self::to_bytes) wrote. Every other input gives an error.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut reader = FORMAT.read(bytes)?;
        let family = Family::read(&mut reader)?;
        let bits = u32::from(reader.u8()?);
        if !BITS_PER_SLOT.contains(&bits) {
            return Err(reader.refuse(format!("{bits} bits per slot, expected 1, 2, 4, 8 or 16")));
        }
        let content = match reader.u8()? {
            0 => Content::NonEmptySet,
            1 => Content::EmptySet,
            other => return Err(reader.refuse(format!("empty-set mark {other}, expected 0 or 1"))),
        };
        let seed = reader.u64()?;
        let num_hashes = read_num_hashes(&mut reader)?;
        let words: Vec<u64> = reader.words(word_count(num_hashes, bits) as u64)?.collect();
        let used_in_last = (num_hashes * bits as usize - 1) % 64 + 1;
        if words.last().is_some_and(|word| used_in_last < 64 && word >> used_in_last != 0) {
            return Err(reader.refuse_at(8 * (words.len() - 1), "unused bits of the last word are set"));
        }
        if content == Content::EmptySet && words.iter().any(|&word| word != 0) {
            return Err(reader.refuse("the empty set has slots that are not 0"));
        }
        Ok(Self { family, seed, bits, num_hashes, content, words })
    }
}
