//! HyperLogLog <-> bytes.
//!
//! ```text
//! offset  size
//!      0     4  magic "LKHL"
//!      4     1  version, 1
//!      5     1  p, the precision
//!      6     2  0
//!      8   2^p  the registers, a byte each
//! ```

use super::{HyperLogLog, MAX_PRECISION, MIN_PRECISION};
use crate::encoding::Format;
use crate::error::Result;

const FORMAT: Format = Format { what: "HyperLogLog", magic: "LKHL", version: 1 };

impl HyperLogLog {
    /// The sketch as bytes. They are the same on every machine and have a version number.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = FORMAT.begin(8 + self.registers.len());
        bytes.extend_from_slice(&[self.precision as u8, 0, 0]);
        bytes.extend_from_slice(&self.registers);
        bytes
    }

    /// Reads the bytes that [`to_bytes`](Self::to_bytes) wrote. Every other input gives an error.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut reader = FORMAT.read(bytes)?;
        let precision = u32::from(reader.u8()?);
        if !(MIN_PRECISION..=MAX_PRECISION).contains(&precision) {
            let expected = format!("precision {precision}, expected {MIN_PRECISION} to {MAX_PRECISION}");
            return Err(reader.refuse(expected));
        }
        reader.zeros::<2>()?;
        let registers = reader.rest(1 << precision)?;
        let highest = 64 - precision as u8 + 1;
        if let Some(place) = registers.iter().position(|&rank| rank > highest) {
            let cause = format!("a register of {}, expected at most {highest}", registers[place]);
            return Err(reader.refuse_at(place, cause));
        }
        Ok(Self { precision, registers: registers.to_vec() })
    }
}
