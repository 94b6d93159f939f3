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
//! There is one encoding per signature. Any other bytes are refused.

use super::{Family, Signature};
use crate::encoding::{Format, Reader};
use crate::error::Result;
use crate::minhash::MAX_HASHES;

const FORMAT: Format = Format { what: "signature", magic: "LKMH", version: 1 };
const HEADER: usize = 20;

impl Signature {
    /// The signature as bytes. They are the same on every machine and have a version number.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = FORMAT.begin(HEADER + 8 * self.slots.len());
        bytes.extend_from_slice(&[self.family.code(), 0, 0]);
        bytes.extend_from_slice(&self.seed.to_le_bytes());
        bytes.extend_from_slice(&(self.slots.len() as u32).to_le_bytes());
        bytes.extend(self.slots.iter().flat_map(|slot| slot.to_le_bytes()));
        bytes
    }

    /// Reads the bytes that [`to_bytes`](Self::to_bytes) wrote. Every other input gives an error.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut reader = FORMAT.read(bytes)?;
        let family = Family::read(&mut reader)?;
        reader.zeros::<2>()?;
        let seed = reader.u64()?;
        let num_hashes = read_num_hashes(&mut reader)?;
        Ok(Self { family, seed, slots: reader.words(num_hashes as u64)?.collect() })
    }
}

impl Family {
    /// The family with this number in stored signatures.
    pub(crate) fn of_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|family| family.code() == code)
    }

    /// Reads the number of a family.
    pub(in crate::minhash) fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let code = reader.u8()?;
        Self::of_code(code)
            .ok_or_else(|| reader.refuse(format!("family {code}, expected 1 to {}", Self::ALL.len())))
    }
}

/// Reads the number of hashes of a signature.
pub(in crate::minhash) fn read_num_hashes(reader: &mut Reader<'_>) -> Result<usize> {
    let num_hashes = reader.u32()? as usize;
    if num_hashes == 0 || num_hashes > MAX_HASHES {
        return Err(reader.refuse(format!("{num_hashes} hashes, expected 1 to {MAX_HASHES}")));
    }
    Ok(num_hashes)
}
