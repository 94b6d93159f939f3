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
//! There is one encoding per signature: unused bits are 0, and so are all words of the empty set. Anything
//! else is refused.

use super::{BBitSignature, BITS_PER_SLOT, Content, word_count};
use crate::error::{Error, Result};
use crate::minhash::{Family, MAX_HASHES};

const MAGIC: [u8; 4] = *b"LKBB";
const VERSION: u8 = 1;
const HEADER: usize = 20;

impl BBitSignature {
    /// The signature as bytes: the same on every machine, versioned.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER + self.size_in_bytes());
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&[
            VERSION,
            self.family.code(),
            self.bits as u8,
            u8::from(self.is_empty_set()),
        ]);
        bytes.extend_from_slice(&self.seed.to_le_bytes());
        bytes.extend_from_slice(&(self.num_hashes as u32).to_le_bytes());
        for word in &self.words {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote; every other input is an error.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let Some((header, rest)) = bytes.split_first_chunk::<HEADER>() else {
            return Err(damaged(
                bytes.len(),
                format!("{} bytes, the header alone has {HEADER}", bytes.len()),
            ));
        };
        if header[..4] != MAGIC {
            return Err(damaged(0, "it does not begin with LKBB".into()));
        }
        if header[4] != VERSION {
            return Err(damaged(4, format!("version {}, this program reads {VERSION}", header[4])));
        }
        let family = Family::from_code(header[5])
            .ok_or_else(|| damaged(5, format!("family {}, expected 1 to 5", header[5])))?;
        let bits = u32::from(header[6]);
        if !BITS_PER_SLOT.contains(&bits) {
            return Err(damaged(6, format!("{bits} bits per slot, expected 1, 2, 4, 8 or 16")));
        }
        let content = match header[7] {
            0 => Content::NonEmptySet,
            1 => Content::EmptySet,
            other => return Err(damaged(7, format!("empty-set mark {other}, expected 0 or 1"))),
        };
        let seed = u64::from_le_bytes(array(&header[8..16]));
        let num_hashes = u32::from_le_bytes(array(&header[16..20])) as usize;
        if num_hashes == 0 || num_hashes > MAX_HASHES {
            return Err(damaged(16, format!("{num_hashes} hashes, expected 1 to {MAX_HASHES}")));
        }
        let expected = word_count(num_hashes, bits) * 8;
        if rest.len() != expected {
            return Err(damaged(HEADER, format!("{} bytes of slots, expected {expected}", rest.len())));
        }
        let words: Vec<u64> = rest.chunks_exact(8).map(|chunk| u64::from_le_bytes(array(chunk))).collect();
        let used_in_last = (num_hashes * bits as usize - 1) % 64 + 1;
        let unused = words.last().is_some_and(|word| used_in_last < 64 && word >> used_in_last != 0);
        if unused {
            return Err(damaged(bytes.len() - 8, "unused bits of the last word are set".into()));
        }
        if content == Content::EmptySet && words.iter().any(|&word| word != 0) {
            return Err(damaged(HEADER, "the empty set has slots that are not 0".into()));
        }
        Ok(Self { family, seed, bits, num_hashes, content, words })
    }
}

fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().expect("the caller's slice has this length")
}

fn damaged(offset: usize, cause: String) -> Error {
    Error::Decode { what: "b-bit signature", offset, cause }
}
