//! Sparse vectors -> bits, for the cosine. Each bit tells on which side of a random hyperplane the vector lies.
//!
//! This is like [`Hyperplanes`](super::Hyperplanes), but for vectors whose coordinates are named by 64-bit hashes
//! that are not known in advance. The coordinates of all planes for a feature are drawn from the feature's hash, so
//! there is no dimension and nothing to store. With the numbers 0, 1, 2, ... as features the planes are those of
//! `Hyperplanes`.
//!
//! The cost is one normal number (about 20 ns) per feature and plane. This is much more than for SimHash, whose
//! coordinates are single hash bits. In return the collision probability is exactly `1 - angle / pi` for any
//! vector, while SimHash comes near it only for vectors of many features of similar weight.
//!
//! ```
//! use lookalike::features::DocumentVector;
//! use lookalike::vectors::SparseHyperplanes;
//!
//! let planes = SparseHyperplanes::new(512, 1)?;
//! let a = DocumentVector::from_weights([(10, 2.0), (20, 1.0)])?;
//! let b = DocumentVector::from_weights([(10, 2.0), (30, 1.0)])?;
//! let estimate = planes.sign(a.entries())?.estimate(&planes.sign(b.entries())?)?;
//! assert!((estimate.cosine - a.cosine(&b)).abs() < 4.0 * estimate.cosine_standard_error); // exact: 0.8
//! # Ok::<(), lookalike::Error>(())
//! ```

use super::matrix::{check_functions, normal_coordinates};
use super::sign_signature::{bits_to_keys, same_side_probability, sign_word};
use super::{LshFamily, Measure, SignSignature};
use crate::error::{Error, Result, check_length};

/// Random hyperplanes for sparse vectors of (feature, weight).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SparseHyperplanes {
    planes: usize,
    seed: u64,
}

impl SparseHyperplanes {
    /// Makes `planes` hyperplanes (1 to [`MAX_FUNCTIONS`](super::MAX_FUNCTIONS)). Both parameters change the answer.
    pub fn new(planes: usize, seed: u64) -> Result<Self> {
        check_functions("planes", planes)?;
        Ok(Self { planes, seed })
    }

    /// The number of hyperplanes.
    #[must_use]
    pub fn planes(&self) -> usize {
        self.planes
    }

    /// The sides on which the vector lies. Weights may be negative. If a feature is given twice, its weights are
    /// added, and the order does not matter. Weights must be finite, and at least one sum must not be 0, because the
    /// zero vector has no direction.
    pub fn sign(&self, vector: &[(u64, f64)]) -> Result<SignSignature> {
        Ok(SignSignature::from_words(self.seed, None, self.planes, self.sign_words(vector)?))
    }

    fn sign_words(&self, vector: &[(u64, f64)]) -> Result<Vec<u64>> {
        if let Some((_, bad)) = vector.iter().find(|(_, weight)| !weight.is_finite()) {
            return Err(Error::invalid("weight", bad, "a finite number"));
        }
        let features = sum_by_feature(vector);
        if features.is_empty() {
            return Err(Error::invalid("vector", "0", "a vector other than zero: it has no direction"));
        }
        let mut sums = vec![0.0; self.planes];
        let mut normals = vec![0.0; self.planes];
        for (feature, weight) in features {
            normal_coordinates(self.seed, feature, &mut normals);
            for (sum, normal) in sums.iter_mut().zip(&normals) {
                *sum += weight * normal;
            }
        }
        Ok(sums.chunks(64).map(sign_word).collect())
    }
}

/// The features whose weights do not add up to 0, ascending. Weights are divided by the largest one, so that no sum
/// overflows. Weights of one feature are added in ascending order, because rounding depends on the order and could
/// change a bit.
fn sum_by_feature(vector: &[(u64, f64)]) -> Vec<(u64, f64)> {
    let largest = vector.iter().fold(0f64, |largest, (_, weight)| largest.max(weight.abs()));
    let mut sorted = vector.to_vec();
    sorted.sort_unstable_by(|(a, x), (b, y)| a.cmp(b).then(x.total_cmp(y)));
    let sums = sorted.chunk_by(|(a, _), (b, _)| a == b).map(|same| {
        let relative = same.iter().map(|(_, weight)| if largest > 0.0 { weight / largest } else { 0.0 });
        (same[0].0, relative.sum())
    });
    sums.filter(|&(_, weight)| weight != 0.0).collect()
}

impl LshFamily for SparseHyperplanes {
    type Item = [(u64, f64)];

    fn measure(&self) -> Measure {
        Measure::Cosine
    }

    fn num_functions(&self) -> usize {
        self.planes
    }

    fn keys_into(&self, item: &[(u64, f64)], keys: &mut [u64]) -> Result<()> {
        check_length(keys.len(), self.planes)?;
        bits_to_keys(&self.sign_words(item)?, keys);
        Ok(())
    }

    /// `1 - arccos(cosine) / pi`.
    fn collision_probability(&self, value: f64) -> Result<f64> {
        same_side_probability(value)
    }
}
