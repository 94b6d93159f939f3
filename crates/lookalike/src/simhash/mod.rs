//! Weighted features -> an f-bit fingerprint. The Hamming distance of two fingerprints estimates the angle between
//! the two vectors of features.
//!
//! A document is a vector with one dimension per feature (word, shingle, phrase, ...). Each feature is hashed to
//! f bits. Bit i of the fingerprint is decided by a vote: features whose bit i is 1 add their weight, the others
//! subtract it. The bit is 1 if the sum is above 0. **A sum of 0 gives bit 0.**
//!
//! # Why it works
//!
//! The ith bits of all features form a random vector of +1 and -1. Bit i of the fingerprint tells on which side of
//! the hyperplane normal to this vector the document lies. For a Gaussian normal vector, two documents at angle theta
//! lie on different sides with probability exactly theta / pi (Charikar 2002). So the Hamming distance d of two
//! fingerprints is Binomial(f, theta / pi), and pi d / f estimates the angle without bias and with the standard error
//! pi sqrt(p (1 - p) / f), where p = theta / pi. The cosine cos(pi d / f) is biased. Its expectation is
//! Re (1 - p + p e^(i pi / f))^f, which for f = 64 is at most 0.011 below cos(theta) for angles up to pi / 2.
//!
//! With +1 and -1 in place of Gaussians this is only approximately true, by the central limit theorem:
//!
//! * The approximation is good if many features carry the weight. Two sets of 301 features differ in a bit with a
//!   probability within 0.003 of theta / pi. For sets of 11 features it is off by up to 0.014, and for sets of 3 by
//!   0.018 (exact, for the worst overlap).
//! * An *even* number n of features of equal weight gives a tie with probability about sqrt(2 / (pi n)), and ties
//!   give 0. So a bit is 1 with probability 0.46 for n = 100, and 1/4 for n = 2. Two documents then look slightly more
//!   alike than they are. At n = 100 the probability is off by up to 0.0053.
//!
//! So fingerprints of very short documents say little. The empty document has the fingerprint 0, and so has every
//! document whose sums are all 0 or less.
//!
//! # Papers, and where we depart
//!
//! The hyperplanes are from M. Charikar, *Similarity estimation techniques from rounding algorithms*, 2002.
//! G. Manku, A. Jain, A. Das Sarma, *Detecting near-duplicates for web crawling*, 2007, use hashed features in place
//! of stored hyperplanes, 64 bits and distance 3. We also offer 16, 32 and 128 bits. A narrower fingerprint of the
//! same seed is the low bits of a wider one. The 128-bit hash is two 64-bit hashes with different multipliers and
//! keys, so every bit of every width carries information.
//!
//! # Cost
//!
//! An unweighted feature takes a mix (two multiplications) and about six word operations, in bit-sliced counters.
//! Weighted features are sorted and take f additions each. Weighted sums are added in the order of the feature
//! hashes, so the order in which features are given never changes a fingerprint.
//!
//! ```
//! use lookalike::simhash::SimHasher;
//!
//! let hasher = SimHasher::new(7);
//! let features: Vec<u64> = (0..1000).collect();
//! let a = hasher.fingerprint(&features[..950]);
//! let b = hasher.fingerprint(&features[50..]);
//! let estimate = a.estimate(b)?; // the true cosine is 900 / 950
//! assert!((estimate.cosine - 0.947).abs() < 4.0 * estimate.cosine_standard_error);
//! # Ok::<(), lookalike::Error>(())
//! ```

mod bit_sliced;
mod bits;
mod fingerprint;
#[cfg(test)]
mod tests;
mod vote;

use std::marker::PhantomData;

pub(crate) use bit_sliced::BitSlicedCounter;
pub use bits::FingerprintBits;
pub use fingerprint::{AngleEstimate, Fingerprint, probability_within};
pub use vote::{BitSums, majority, weighted_vote};

use crate::error::Result;
use crate::hashing::{SplitMix64, mix64};
use crate::shingling::ShingleBag;

/// The multiplier of the second hash. It makes the second hash differ from the first by more than the key. It is odd,
/// so that the multiplication loses no information.
const SECOND_MULTIPLIER: u64 = 0x9e6c_63d0_876a_46b5;

/// Makes fingerprints of f bits, where f is the width of `B`.
///
/// [`SimHasher::new`] is for 64-bit fingerprints, [`SimHasher::with_width`] for any of the four widths:
///
/// ```
/// use lookalike::simhash::SimHasher;
/// let wide = SimHasher::<u128>::with_width(7).fingerprint(&[1, 2, 3]);
/// let usual = SimHasher::new(7).fingerprint(&[1, 2, 3]);
/// assert_eq!(wide.bits() as u64, usual.bits());
/// ```
#[derive(Debug, Clone)]
pub struct SimHasher<B = u64> {
    seed: u64,
    keys: [u64; 2],
    width: PhantomData<B>,
}

impl SimHasher<u64> {
    /// A hasher for 64-bit fingerprints. `seed` determines the hash functions and so changes the answer.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self::with_width(seed)
    }
}

impl<B: FingerprintBits> SimHasher<B> {
    /// A hasher for fingerprints of the width of `B`. `seed` determines the hash functions and so changes the answer.
    #[must_use]
    pub fn with_width(seed: u64) -> Self {
        let mut random = SplitMix64::new(seed);
        Self { seed, keys: [random.next_u64(), random.next_u64()], width: PhantomData }
    }

    /// The seed of the hash functions.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The f-bit hash of a feature. A feature is any 64-bit number, such as the hash of a shingle or of a word.
    #[inline]
    #[must_use]
    pub fn feature_hash(&self, feature: u64) -> B {
        let low = mix64(feature ^ self.keys[0]);
        if B::BITS <= 64 {
            return B::truncate(u128::from(low));
        }
        let high = mix64(feature.wrapping_mul(SECOND_MULTIPLIER) ^ self.keys[1]);
        B::truncate(u128::from(high) << 64 | u128::from(low))
    }

    /// The fingerprint of features of weight 1, in any order. A repeated feature counts as often as it occurs. Pass a
    /// set to count each feature once.
    #[must_use]
    pub fn fingerprint(&self, features: &[u64]) -> Fingerprint<B> {
        let mut counter = BitSlicedCounter::new();
        counter.add_all(features.iter().map(|&feature| self.feature_hash(feature)));
        Fingerprint::from_bits(counter.majority(), self.seed)
    }

    /// The fingerprint of a bag. The weight of a shingle is the number of times it occurs. Sums are exact integers.
    #[must_use]
    pub fn fingerprint_bag(&self, bag: &ShingleBag) -> Fingerprint<B> {
        let mut counter = BitSlicedCounter::new();
        for &(shingle, count) in bag.as_slice() {
            counter.add(self.feature_hash(shingle), u64::from(count));
        }
        Fingerprint::from_bits(counter.majority(), self.seed)
    }

    /// The fingerprint of weighted features, in any order. The weights of a repeated feature are added.
    ///
    /// Weights are the components of the document's vector, so they may be negative. NaN and infinite weights give an
    /// error, and so does a total of absolute weights beyond the range of `f64`.
    pub fn fingerprint_weighted(&self, features: &[(u64, f64)]) -> Result<Fingerprint<B>> {
        let hashes: Vec<(B, f64)> =
            features.iter().map(|&(f, weight)| (self.feature_hash(f), weight)).collect();
        Ok(Fingerprint::from_bits(weighted_vote(&hashes)?, self.seed))
    }
}
