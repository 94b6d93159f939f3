//! Bit strings -> single bits of them, for the Hamming distance.
//!
//! A function reads the bit at one random position. Two strings of n bits at distance d agree there with
//! probability `1 - d/n`. See P. Indyk and R. Motwani, *Approximate Nearest Neighbors*, STOC 1998.
//!
//! ```
//! use lookalike::vectors::{BitSampling, LshFamily};
//!
//! let bits = BitSampling::new(64, 16, 1)?;
//! assert_eq!(bits.collision_probability(16.0)?, 0.75);
//! assert_eq!(bits.keys(&[u64::MAX])?, [1; 16]);
//! # Ok::<(), lookalike::Error>(())
//! ```

use super::matrix::check_functions;
use super::measure::check_distance;
use super::{LshFamily, Measure};
use crate::error::{Error, Result, check_length};
use crate::hashing::{SplitMix64, mix64};

/// Sampled positions of bit strings of one length. A string is given as 64-bit words, from the lowest bit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BitSampling {
    bits: usize,
    positions: Vec<usize>,
}

impl BitSampling {
    /// Draws `functions` positions of strings of `bits` bits, independently, so a position may be drawn twice.
    /// All parameters change the answer.
    pub fn new(bits: usize, functions: usize, seed: u64) -> Result<Self> {
        check_functions("functions", functions)?;
        if bits == 0 {
            return Err(Error::invalid("bits", bits, "at least 1"));
        }
        let mut random = SplitMix64::new(mix64(seed ^ 0x6269_7473_5f76_3031));
        let positions = (0..functions).map(|_| random.below(bits as u64) as usize).collect();
        Ok(Self { bits, positions })
    }

    /// The length of the strings in bits.
    #[must_use]
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// The position of the bit that each function reads.
    #[must_use]
    pub fn positions(&self) -> &[usize] {
        &self.positions
    }
}

impl LshFamily for BitSampling {
    type Item = [u64];

    fn measure(&self) -> Measure {
        Measure::Hamming
    }

    fn num_functions(&self) -> usize {
        self.positions.len()
    }

    fn keys_into(&self, item: &[u64], keys: &mut [u64]) -> Result<()> {
        check_length(keys.len(), self.positions.len())?;
        let words = self.bits.div_ceil(64);
        if item.len() != words {
            return Err(Error::LengthMismatch { left: item.len(), right: words });
        }
        for (key, &position) in keys.iter_mut().zip(&self.positions) {
            *key = item[position / 64] >> (position % 64) & 1;
        }
        Ok(())
    }

    /// `1 - d/n` for a distance d from 0 to n.
    fn collision_probability(&self, value: f64) -> Result<f64> {
        check_distance(value)?;
        let n = self.bits as f64;
        if value > n {
            return Err(Error::invalid("distance", value, format!("at most the {n} bits")));
        }
        Ok(1.0 - value / n)
    }
}
