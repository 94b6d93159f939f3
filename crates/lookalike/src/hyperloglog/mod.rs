//! Elements, in any order and any number of times -> how many different ones there were.
//!
//! A sketch of a few kilobytes counts the different elements of a stream of any length: the distinct shingles of a
//! corpus, the distinct users of a log. Sketches of parts can be merged, and the result is the sketch of the whole.
//!
//! | estimator | what it does | paper |
//! |---|---|---|
//! | [`Estimator::Original`] | the harmonic mean, and linear counting while it says at most 2.5 m | Flajolet, Fusy, Gandouet, Meunier 2007 |
//! | [`Estimator::PlusPlus`] | HyperLogLog++: subtracts the measured bias of the harmonic mean up to 5 m, and prefers linear counting by measured thresholds | Heule, Nunkesser, Hall 2013 |
//!
//! # Why it works
//!
//! Each element is hashed to 64 bits. The lowest `p` bits of the hash choose one of `m = 2^p` registers. The *rank* of
//! the other `64 - p` bits is the position of their first 1, counted from the top: it is at least `k` with probability
//! `2^(1-k)`. A register has the largest rank of its elements, and so it says roughly the logarithm of how many
//! different elements it has seen. Repetitions change nothing. The *raw estimate* is a normalised harmonic mean:
//!
//! ```text
//! a(m) m^2 / (2^-r1 + 2^-r2 + ... + 2^-rm)
//! ```
//!
//! Its standard error is `b(m) / sqrt(m)` of the count, where `b(m)` falls from 1.106 at 16 registers to 1.039. For
//! fewer than about `5 m` elements it is too large. While registers are empty, their number `z` is a second source:
//! *linear counting* (Whang, Vander-Zanden, Taylor 1990) gives `m ln(m / z)`, with the variance `m (e^t - t - 1)` for
//! `t m` elements.
//!
//! # Where this departs from the papers
//!
//! Hashes have 64 bits for both estimators (those of 2007 had 32), so that no correction for large counts is needed.
//! There is no sparse form for few elements: a register takes one byte, always, and merging is a maximum of bytes.
//! For sets of which you have a min-hash signature, [`cardinality`](crate::index::cardinality()) needs no sketch more.
//!
//! # Cost
//!
//! `2^p` bytes. An insertion is one multiplication chain and one byte. An estimate reads all registers.
//!
//! ```
//! use lookalike::hyperloglog::HyperLogLog;
//!
//! let mut count = HyperLogLog::new(12)?; // 4,096 bytes, standard error 1.6 %
//! for round in 0..3 {
//!     count.extend(0..100_000_u64); // the same elements each time
//! }
//! let estimate = count.cardinality();
//! assert!((estimate.count - 100_000.0).abs() < 4.0 * estimate.standard_error);
//!
//! let mut other = HyperLogLog::new(12)?;
//! other.extend(50_000..150_000_u64);
//! count.merge(&other)?; // the union has 150,000
//! assert!((count.cardinality().count / 150_000.0 - 1.0).abs() < 0.05);
//! # Ok::<(), lookalike::Error>(())
//! ```

mod bytes;
mod estimators;
mod tables;
#[cfg(test)]
mod tests;

pub use estimators::Estimator;
#[cfg(feature = "compat")]
pub(crate) use tables::{BIASES, RAW_ESTIMATES, THRESHOLDS};

use crate::error::{Error, Result};
use crate::hashing::{GOLDEN, mix64};
use crate::index::Cardinality;

/// The smallest and (below) the largest precision: those for which the bias was measured.
pub const MIN_PRECISION: u32 = 4;
/// The largest precision.
pub const MAX_PRECISION: u32 = 18;

/// Counts different elements: see the [module](self).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HyperLogLog {
    precision: u32,
    /// The largest rank of the elements of each register; 0 where there was none.
    registers: Vec<u8>,
}

impl HyperLogLog {
    /// A sketch of no elements, of `2^precision` registers. It changes the answer: the standard error is about
    /// `1.04 / sqrt(2^precision)`, 0.8 % for the precision 14. Sketches can be merged only if theirs are equal.
    pub fn new(precision: u32) -> Result<Self> {
        if !(MIN_PRECISION..=MAX_PRECISION).contains(&precision) {
            return Err(Error::invalid(
                "precision",
                precision,
                format!("{MIN_PRECISION} to {MAX_PRECISION}"),
            ));
        }
        Ok(Self { precision, registers: vec![0; 1 << precision] })
    }

    /// The precision: the logarithm of the number of registers.
    #[must_use]
    pub fn precision(&self) -> u32 {
        self.precision
    }

    /// The registers.
    #[must_use]
    pub fn registers(&self) -> &[u8] {
        &self.registers
    }

    /// Counts an element. It is mixed first, so that it can be a number or a hash of any quality, as long as different
    /// elements are different numbers.
    #[inline]
    pub fn insert(&mut self, element: u64) {
        let (register, rank) = register_and_rank(hash(element), 64, self.precision);
        let register = &mut self.registers[register];
        *register = (*register).max(rank);
    }

    /// Makes this the sketch of the union. Other precisions are an error.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        if self.precision != other.precision {
            return Err(Error::Incompatible {
                what: "precision",
                left: self.precision.to_string(),
                right: other.precision.to_string(),
            });
        }
        for (register, &rank) in self.registers.iter_mut().zip(&other.registers) {
            *register = (*register).max(rank);
        }
        Ok(())
    }

    /// True if no element was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.registers.iter().all(|&rank| rank == 0)
    }

    /// Forgets all elements.
    pub fn clear(&mut self) {
        self.registers.fill(0);
    }

    /// How many different elements were counted, by [`Estimator::PlusPlus`].
    #[must_use]
    pub fn cardinality(&self) -> Cardinality {
        self.cardinality_by(Estimator::PlusPlus)
    }

    /// How many different elements were counted, by the estimator of your choice.
    #[must_use]
    pub fn cardinality_by(&self, estimator: Estimator) -> Cardinality {
        estimator.of_registers(&self.registers, self.precision)
    }
}

impl Extend<u64> for HyperLogLog {
    fn extend<T: IntoIterator<Item = u64>>(&mut self, elements: T) {
        elements.into_iter().for_each(|element| self.insert(element));
    }
}

/// The hash of an element. `mix64` alone would give the element 0 the hash 0, which has the highest rank there is.
#[inline(always)]
const fn hash(element: u64) -> u64 {
    mix64(element.wrapping_add(GOLDEN))
}

/// The register of a hash of `bits` bits, and its rank: the lowest bits are the register, and of the others the rank
/// is one more than the number of zeros before the first 1, from the top.
#[inline(always)]
pub(crate) const fn register_and_rank(hash: u64, bits: u32, precision: u32) -> (usize, u8) {
    let rest = hash >> precision;
    let zeros = rest.leading_zeros() - (64 - bits) - precision;
    ((hash & ((1 << precision) - 1)) as usize, zeros as u8 + 1)
}
