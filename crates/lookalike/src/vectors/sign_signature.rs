//! The signs of random projections, and the angle between two vectors estimated from them.

use std::f64::consts::PI;

use crate::error::{Error, Result};
use crate::math::acos;
use crate::simhash::AngleEstimate;
use crate::similarity::hamming_words;

/// The sides of the hyperplanes on which a vector lies. Bit `i` is set if its product with the normal of plane `i` is
/// above 0.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SignSignature {
    seed: u64,
    /// The dimension of the vector; `None` for sparse vectors, whose coordinates are named by hashes.
    dimension: Option<usize>,
    planes: usize,
    words: Vec<u64>,
}

impl SignSignature {
    pub(super) fn from_words(seed: u64, dimension: Option<usize>, planes: usize, words: Vec<u64>) -> Self {
        Self { seed, dimension, planes, words }
    }

    /// The number of hyperplanes, which is also the number of bits.
    #[must_use]
    pub fn planes(&self) -> usize {
        self.planes
    }

    /// The bits, packed from the lowest bit. Unused bits are 0.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Bit `i`; false beyond the last bit.
    #[must_use]
    pub fn bit(&self, i: usize) -> bool {
        self.words.get(i / 64).is_some_and(|word| word >> (i % 64) & 1 == 1)
    }

    /// The number of hyperplanes that separate the two vectors.
    pub fn hamming_distance(&self, other: &Self) -> Result<u32> {
        if self.planes != other.planes {
            return Err(Error::incompatible("number of planes", self.planes, other.planes));
        }
        if self.dimension != other.dimension {
            let show = |dimension: Option<usize>| dimension.map_or("sparse".to_owned(), |d| d.to_string());
            return Err(Error::incompatible("dimension", show(self.dimension), show(other.dimension)));
        }
        if self.seed != other.seed {
            return Err(Error::incompatible("seed", self.seed, other.seed));
        }
        Ok(hamming_words(&self.words, &other.words)? as u32)
    }

    /// Estimates the angle. Each plane separates the vectors with probability angle / pi.
    pub fn estimate(&self, other: &Self) -> Result<AngleEstimate> {
        // There are at most `MAX_FUNCTIONS` planes, so the cast is exact.
        AngleEstimate::from_distance(self.hamming_distance(other)?, self.planes as u32)
    }
}

/// The probability that a random hyperplane does not separate two vectors of this cosine: `1 - angle / pi`.
pub(super) fn same_side_probability(cosine: f64) -> Result<f64> {
    if !(-1.0..=1.0).contains(&cosine) {
        return Err(Error::invalid("cosine", cosine, "between -1 and 1"));
    }
    Ok(1.0 - acos(cosine) / PI)
}

/// Writes each bit of `words` as the key of one function.
pub(super) fn bits_to_keys(words: &[u64], keys: &mut [u64]) {
    for (i, key) in keys.iter_mut().enumerate() {
        *key = words[i / 64] >> (i % 64) & 1;
    }
}

/// The signs of up to 64 products, packed from the lowest bit; a product of exactly 0 gives 0.
#[inline(always)]
pub(super) fn sign_word<T: PartialOrd + Default>(products: &[T]) -> u64 {
    products.iter().enumerate().fold(0, |word, (i, product)| word | u64::from(*product > T::default()) << i)
}
