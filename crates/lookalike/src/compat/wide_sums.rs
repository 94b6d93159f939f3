//! Weighted hashes of any number of bytes -> a sum of weights for each bit -> bits.

use crate::error::{Error, Result, check_length};

/// For each bit the sum of the weights of the hashes that have it. This is the vote for widths without an integer
/// type.
///
/// A bit of the fingerprint is 1 if its sum is above a limit. If the limit is half of the total weight, this is the
/// vote of [`BitSums`](crate::simhash::BitSums).
///
/// ```
/// use lookalike::compat::WideSums;
///
/// let mut sums = WideSums::new(3)?; // 24 bits
/// sums.add(&[0xff, 0, 0x0f], 1.0)?;
/// sums.add(&[0xff, 0, 0], 0.5)?;
/// assert_eq!(sums.bits_above(0.75), [0xff, 0, 0x0f]);
/// assert_eq!(sums.bits_above(1.0), [0xff, 0, 0]);
/// # Ok::<(), lookalike::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct WideSums {
    /// The sums, from the most significant bit of the first byte to the least significant bit of the last.
    sums: Vec<f64>,
}

impl WideSums {
    /// The sums without any hash, for hashes of `bytes` bytes. `bytes` must be at least 1.
    pub fn new(bytes: usize) -> Result<Self> {
        match bytes.checked_mul(8) {
            Some(bits) if bits > 0 => Ok(Self { sums: vec![0.0; bits] }),
            _ => Err(Error::invalid("bytes", bytes, "at least 1")),
        }
    }

    /// Adds a hash with its weight, which may be any number.
    pub fn add(&mut self, hash: &[u8], weight: f64) -> Result<()> {
        check_length(hash.len() * 8, self.sums.len())?;
        for (sums, byte) in self.sums.chunks_exact_mut(8).zip(hash) {
            for (place, sum) in sums.iter_mut().enumerate() {
                if byte << place & 0x80 != 0 {
                    *sum += weight;
                }
            }
        }
        Ok(())
    }

    /// The bits whose sums are above `limit`.
    #[must_use]
    pub fn bits_above(&self, limit: f64) -> Vec<u8> {
        let byte = |sums: &[f64]| sums.iter().fold(0, |bits, &sum| bits << 1 | u8::from(sum > limit));
        self.sums.chunks_exact(8).map(byte).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hashing::SplitMix64;
    use crate::simhash::{BitSums, majority};

    #[test]
    fn equals_the_vote_of_one_word() {
        let mut random = SplitMix64::new(1);
        for count in 0..40_u32 {
            let hashes: Vec<(u64, u32)> =
                (0..count).map(|i| (random.next_u64() & random.next_u64(), i % 5)).collect();
            let (mut wide, mut sums, mut total) = (WideSums::new(8).unwrap(), BitSums::<u64>::new(), 0.0);
            for &(hash, weight) in &hashes {
                wide.add(&hash.to_be_bytes(), f64::from(weight)).unwrap();
                sums.add(hash, f64::from(weight)).unwrap();
                total += f64::from(weight);
            }
            assert_eq!(wide.bits_above(total / 2.0), sums.bits().to_be_bytes());
            assert_eq!(majority(hashes), sums.bits());
        }
    }

    #[test]
    fn other_lengths_are_errors() {
        assert!(WideSums::new(0).is_err());
        assert!(WideSums::new(usize::MAX).is_err());
        assert!(WideSums::new(2).unwrap().add(&[1], 1.0).is_err());
    }
}
