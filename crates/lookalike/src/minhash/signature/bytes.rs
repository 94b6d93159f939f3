//! Signature <-> bytes.
//!
//! ```text
//! offset  size
//!      0     4  magic "LKMH"
//!      4     1  version, 1
//!      5     1  family: 1 permutation, 2 universal, 3 multiply-shift, 4 fast sketch, 5 weighted
//!      6     2  0
//!      8     8  seed, little-endian
//!     16     4  number of hashes, little-endian
//!     20   8 n  the slots, little-endian
//! ```
//!
//! There is one encoding per signature, and anything else is refused.

use super::{Family, Signature};
use crate::error::{Error, Result};
use crate::minhash::MAX_HASHES;

const MAGIC: [u8; 4] = *b"LKMH";
const VERSION: u8 = 1;
const HEADER: usize = 20;

impl Signature {
    /// The signature as bytes: the same on every machine, versioned.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER + 8 * self.slots.len());
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&[VERSION, self.family.code(), 0, 0]);
        bytes.extend_from_slice(&self.seed.to_le_bytes());
        bytes.extend_from_slice(&(self.slots.len() as u32).to_le_bytes());
        bytes.extend(self.slots.iter().flat_map(|slot| slot.to_le_bytes()));
        bytes
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote; every other input is an error.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let Some((header, rest)) = bytes.split_first_chunk::<HEADER>() else {
            let cause = format!("{} bytes, the header alone has {HEADER}", bytes.len());
            return Err(damaged(bytes.len(), cause));
        };
        let [m0, m1, m2, m3, version, family, zero0, zero1, header @ ..] = header;
        if [*m0, *m1, *m2, *m3] != MAGIC {
            return Err(damaged(0, "it does not begin with LKMH".into()));
        }
        if *version != VERSION {
            return Err(damaged(4, format!("version {version}, this program reads {VERSION}")));
        }
        let family = Family::from_code(*family)
            .ok_or_else(|| damaged(5, format!("family {family}, expected 1 to {}", Family::ALL.len())))?;
        if (*zero0, *zero1) != (0, 0) {
            return Err(damaged(6, "expected two zeros".into()));
        }
        let [s0, s1, s2, s3, s4, s5, s6, s7, n0, n1, n2, n3] = *header;
        let seed = u64::from_le_bytes([s0, s1, s2, s3, s4, s5, s6, s7]);
        let num_hashes = u32::from_le_bytes([n0, n1, n2, n3]) as usize;
        if num_hashes == 0 || num_hashes > MAX_HASHES {
            return Err(damaged(16, format!("{num_hashes} hashes, expected 1 to {MAX_HASHES}")));
        }
        let (slots, remainder) = rest.as_chunks::<8>();
        if slots.len() != num_hashes || !remainder.is_empty() {
            let cause = format!("{} bytes of slots, expected {}", rest.len(), 8 * num_hashes);
            return Err(damaged(HEADER, cause));
        }
        Ok(Self { family, seed, slots: slots.iter().map(|slot| u64::from_le_bytes(*slot)).collect() })
    }
}

fn damaged(offset: usize, cause: String) -> Error {
    Error::Decode { what: "signature", offset, cause }
}
