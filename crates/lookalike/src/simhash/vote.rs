//! Weighted f-bit hashes -> f signed sums -> f bits: SimHash by its definition.

use super::{BitSlicedCounter, FingerprintBits};
use crate::error::{Error, Result};

/// The sign bit of an `f64`.
const SIGN: u64 = 1 << 63;

/// The vector V of the definition: one signed sum per bit.
///
/// A hash adds its weight to the components where its bit is 1 and subtracts it from those where its bit is 0. The
/// sums are plain `f64` additions in the order of the calls. This is the definition and not the fast way.
/// [`weighted_vote`] adds in a fixed order.
///
/// ```
/// use lookalike::simhash::BitSums;
///
/// let mut sums = BitSums::<u16>::new();
/// sums.add(0b0101_0101_0101_0111, 1.0)?;
/// sums.add(0b0111_0111_0010_0111, 0.9)?;
/// assert_eq!(sums.bits(), 0b0101_0101_0101_0111);
/// # Ok::<(), lookalike::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct BitSums<B> {
    /// The sums from the most significant bit to the least, the order in which a fingerprint is written.
    sums: Vec<f64>,
    /// The sum of the absolute weights. While it is finite, every component is finite.
    absolute: f64,
    width: std::marker::PhantomData<B>,
}

impl<B: FingerprintBits> BitSums<B> {
    /// The vector of f zeros.
    #[must_use]
    pub fn new() -> Self {
        Self { sums: vec![0.0; B::BITS as usize], absolute: 0.0, width: std::marker::PhantomData }
    }

    /// Adds one hash with its weight, which may be negative but not NaN or infinite.
    pub fn add(&mut self, hash: B, weight: f64) -> Result<()> {
        let absolute = self.absolute + weight.abs();
        if !weight.is_finite() {
            return Err(Error::invalid("weight", weight, "a weight must be a finite number"));
        }
        if !absolute.is_finite() {
            return Err(Error::invalid("weight", weight, "the sum of all |weight| must be a finite number"));
        }
        self.absolute = absolute;
        // 64 bits at a time, the most significant word first. A bit 0 flips the sign of the weight, without a branch.
        let opposite = !hash.widen() << (128 - B::BITS);
        let words = [(opposite >> 64) as u64, opposite as u64];
        for (sums, word) in self.sums.chunks_mut(64).zip(words) {
            for (place, sum) in sums.iter_mut().enumerate() {
                *sum += f64::from_bits(weight.to_bits() ^ (word << place & SIGN));
            }
        }
        Ok(())
    }

    /// The components, from the most significant bit to the least.
    #[must_use]
    pub fn sums(&self) -> &[f64] {
        &self.sums
    }

    /// The fingerprint. A bit is 1 if its component is above 0. A sum of 0 gives bit 0.
    #[must_use]
    pub fn bits(&self) -> B {
        let wide = self.sums.iter().fold(0u128, |bits, &sum| bits << 1 | u128::from(sum > 0.0));
        B::truncate(wide)
    }
}

impl<B: FingerprintBits> Default for BitSums<B> {
    fn default() -> Self {
        Self::new()
    }
}

/// The fingerprint of weighted f-bit hashes. The hashes are not mixed again.
///
/// The hashes are added in ascending order (equal ones by weight). So the answer does not depend on the order in
/// which they are given, although the result of `f64` additions does depend on their order.
pub fn weighted_vote<B: FingerprintBits>(hashes: &[(B, f64)]) -> Result<B> {
    let mut ordered = hashes.to_vec();
    ordered.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut sums = BitSums::new();
    for (hash, weight) in ordered {
        sums.add(hash, weight)?;
    }
    Ok(sums.bits())
}

/// The fingerprint of f-bit hashes, each counted as often as its count says. The hashes are not mixed again. A bit is
/// 1 if more than half of the hashes have it. The sums are exact, in bit-sliced counters.
///
/// ```
/// use lookalike::simhash::majority;
/// assert_eq!(majority([(0b1100_u16, 1), (0b1010, 1), (0b1001, 1)]), 0b1000);
/// assert_eq!(majority([(0b1100_u16, 1), (0b1010, 3)]), 0b1010);
/// ```
#[must_use]
pub fn majority<B: FingerprintBits>(hashes: impl IntoIterator<Item = (B, u32)>) -> B {
    let mut counter = BitSlicedCounter::new();
    for (hash, count) in hashes {
        counter.add(hash, u64::from(count));
    }
    counter.majority()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the lecture notes (003, "SIMHASH: FINGERPRINTS EXAMPLE"). The slide prints the hash of
    /// "hello" and the fingerprint with 15 digits; its vector V has 16 components and shows the missing one.
    #[test]
    fn the_notes_hello_go() {
        let mut sums = BitSums::<u16>::new();
        sums.add(0b0101_0101_0101_0111, 1.0).unwrap();
        sums.add(0b0111_0111_0010_0111, 0.9).unwrap();
        let expected =
            [-1.9, 1.9, -0.1, 1.9, -1.9, 1.9, -0.1, 1.9, -1.9, 0.1, -0.1, 0.1, -1.9, 1.9, 1.9, 1.9];
        for (sum, expected) in sums.sums().iter().zip(expected) {
            assert!((sum - expected).abs() < 1e-12, "{:?}", sums.sums());
        }
        assert_eq!(sums.bits(), 0b0101_0101_0101_0111);
    }

    #[test]
    fn a_sum_of_zero_gives_bit_zero() {
        assert_eq!(weighted_vote(&[(0b10u16, 2.0), (0b01, 2.0)]).unwrap(), 0);
        assert_eq!(weighted_vote::<u64>(&[]).unwrap(), 0);
        assert_eq!(weighted_vote(&[(u32::MAX, 0.0)]).unwrap(), 0);
    }

    #[test]
    fn negative_weights_turn_the_vector_around() {
        assert_eq!(weighted_vote(&[(0xff00u16, -1.0)]).unwrap(), 0x00ff);
    }

    #[test]
    fn impossible_weights_are_errors() {
        for weight in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(weighted_vote(&[(1u64, weight)]).is_err());
        }
        // Each weight is finite, but their sum is not: the components would become infinity minus infinity.
        assert!(weighted_vote(&[(1u64, f64::MAX), (2, f64::MAX)]).is_err());
        assert!(weighted_vote(&[(1u64, f64::MAX), (2, -f64::MAX)]).is_err());
    }
}
