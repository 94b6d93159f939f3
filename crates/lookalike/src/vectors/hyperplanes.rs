//! Dense vectors -> bits, for the cosine. Each bit tells on which side of a random hyperplane the vector lies.
//!
//! # Why it works
//!
//! A hyperplane through the origin whose normal is drawn from a Gaussian has all directions with the same
//! probability. It separates two vectors exactly if it passes through the angle between them, with probability p =
//! angle / pi. So the share of differing bits is an unbiased estimate of p. The angle estimated from n planes has
//! variance `pi^2 p (1 - p) / n`. One bit is a locality-sensitive function with collision probability
//! `1 - angle / pi`.
//!
//! # The papers
//!
//! M. X. Goemans and D. P. Williamson, JACM 1995 (the rounding); M. S. Charikar, STOC 2002 (the use as a hash).
//! SimHash is the same with +1 or -1, taken from a hash bit, as a plane's coordinate for a feature.
//!
//! # Cost
//!
//! A vector takes dimension times planes multiplications, in a loop that the compiler vectorises. The bits are the
//! same on every CPU, because each sum is added in the order of the coordinates. The planes are drawn once and take
//! `4 * dimension * planes` bytes, with planes rounded up to a multiple of 64. With the same seed and dimension, the
//! bits of fewer planes are the first bits of more planes.

use super::matrix::{RandomMatrix, normal_coordinates};
use super::sign_signature::{bits_to_keys, same_side_probability, sign_word};
use super::{LshFamily, Measure, SignSignature};
use crate::arch::Kernel;
use crate::error::{Error, Result, check_length};

/// Random hyperplanes for dense vectors of one dimension.
#[derive(Debug, Clone, PartialEq)]
pub struct Hyperplanes {
    seed: u64,
    normals: RandomMatrix,
}

impl Hyperplanes {
    /// Draws `planes` hyperplanes (1 to [`MAX_FUNCTIONS`](super::MAX_FUNCTIONS)) in `dimension` dimensions. The
    /// product of both is at most [`MAX_MATRIX_CELLS`](super::MAX_MATRIX_CELLS). All parameters change the answer.
    pub fn new(dimension: usize, planes: usize, seed: u64) -> Result<Self> {
        let normals = RandomMatrix::new(dimension, ("planes", planes), |i, values| {
            normal_coordinates(seed, i, values);
        })?;
        Ok(Self { seed, normals })
    }

    /// The dimension of the vectors.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.normals.dimension()
    }

    /// The number of hyperplanes.
    #[must_use]
    pub fn planes(&self) -> usize {
        self.normals.functions()
    }

    /// The sides on which `vector` lies. Only its direction matters, not its length. The zero vector has no direction
    /// and gives an error. Coordinates that are not finite, or a wrong number of them, give an error too.
    pub fn sign(&self, vector: &[f32]) -> Result<SignSignature> {
        let words = self.sign_words(vector)?;
        Ok(SignSignature::from_words(self.seed, Some(self.dimension()), self.planes(), words))
    }

    fn sign_words(&self, vector: &[f32]) -> Result<Vec<u64>> {
        self.normals.check(vector)?;
        let largest = vector.iter().fold(0f32, |largest, x| largest.max(x.abs()));
        if largest == 0.0 {
            return Err(Error::invalid("vector", "0", "a vector other than zero: it has no direction"));
        }
        let mut words = Vec::with_capacity(self.planes().div_ceil(64));
        self.normals.project(Kernel::best(), vector, unit_scale(largest), |products: &[f32]| {
            words.push(sign_word(products));
        });
        Ok(words)
    }
}

/// The power of two that scales `largest` to near 1, so that sums neither overflow nor vanish. Scaling by it causes
/// no rounding.
fn unit_scale(largest: f32) -> f32 {
    let exponent = (largest.to_bits() >> 23) as i32 - 127;
    f32::from_bits(((-exponent).clamp(-126, 127) + 127).cast_unsigned() << 23)
}

impl LshFamily for Hyperplanes {
    type Item = [f32];

    fn measure(&self) -> Measure {
        Measure::Cosine
    }

    fn num_functions(&self) -> usize {
        self.planes()
    }

    fn keys_into(&self, item: &[f32], keys: &mut [u64]) -> Result<()> {
        check_length(keys.len(), self.planes())?;
        bits_to_keys(&self.sign_words(item)?, keys);
        Ok(())
    }

    /// `1 - arccos(cosine) / pi`.
    fn collision_probability(&self, value: f64) -> Result<f64> {
        same_side_probability(value)
    }
}
