//! Many dense vectors -> near pairs, by bands of random functions. Every pair is compared exactly; a pair that shares no band is
//! missed.
//!
//! # Why it works
//!
//! Two vectors lie on the same side of a random hyperplane with probability `1 - angle/pi`, and on all of r of them
//! with the r-th power of that. So vectors whose r sides are equal are more often near than others, and b such bands find nearly all near
//! pairs ([`NearBands`]). For the Euclidean distance, cells on random lines take the place of sides (Datar et al. 2004).
//!
//! The vectors of a bucket are copied to one place, and compared in blocks with 8-bit coordinates, as
//! [`DenseVectors`](super::DenseVectors) does. So a candidate costs about a nanosecond, and bands can have few rows. A pair that shares several bands is
//! handed out once, in the first of them.
//!
//! If buckets are so large that comparing all pairs is cheaper, all are compared, and pairs that share no band are left out. The answer is
//! the same: it follows from the vectors, the bands and the seed alone.
//!
//! # Cost
//!
//! `bands * rows` products of bytes for each vector, and a copy of it for each band. A vector takes 5 bytes per dimension, 2
//! per band, and 24.
//!
//! ```
//! use lookalike::vectors::{BandFunctions, BandedVectors, NearBands, Nearness};
//!
//! let bands = NearBands::planned(Nearness::cosine(0.95)?, 0.99)?;
//! let functions = BandFunctions::new(bands, 3, 1);
//! let mut vectors = BandedVectors::new(bands, 3)?;
//! for vector in [[1.0, 2.0, 3.0], [-1.0, 0.5, 0.2], [1.0, 2.0, 2.99], [3.0, -2.0, 1.0]] {
//!     vectors.push(&vector)?;
//! }
//! vectors.add_keys(&functions);
//! let pairs: Vec<_> = vectors.pairs().iter().map(|pair| (pair.a, pair.b)).collect();
//! assert_eq!(pairs, [(0, 2)]);
//! # Ok::<(), lookalike::Error>(())
//! ```

mod functions;
mod join;
mod plan;
#[cfg(test)]
mod tests;

pub use functions::BandFunctions;
pub use join::{Join, JoinBuffers, NearPair};
pub use plan::{MAX_BANDS, MAX_ROWS, NearBands};

use super::MAX_DIMENSION;
use super::dense::rounded::{Rounded, factor};
use super::nearness::{norm, value_of_norms};
use crate::arch::Kernel;
use crate::error::{Error, Result, check_length};
use crate::pair::Pair;
use std::ops::Range;

/// Vectors of one dimension, with the keys of their bands.
#[derive(Debug, Clone)]
pub struct BandedVectors {
    bands: NearBands,
    dimension: usize,
    vectors: Vec<f32>,
    norms: Vec<f64>,
    bytes: Vec<i8>,
    rounded: Vec<Rounding>,
    keys: Vec<u16>,
}

/// What is known of the bytes of a vector.
#[derive(Debug, Clone, Copy)]
struct Rounding {
    scale: f32,
    /// The error, rounded up.
    error: f32,
}

impl BandedVectors {
    /// An empty collection of vectors with `dimension` coordinates (1 to [`MAX_DIMENSION`]).
    pub fn new(bands: NearBands, dimension: usize) -> Result<Self> {
        if dimension == 0 || dimension > MAX_DIMENSION {
            return Err(Error::invalid("dimension", dimension, format!("1 to {MAX_DIMENSION}")));
        }
        let (vectors, norms, bytes, rounded, keys) = Default::default();
        Ok(Self { bands, dimension, vectors, norms, bytes, rounded, keys })
    }

    /// The bytes of memory that a vector takes.
    #[must_use]
    pub fn bytes_per_vector(bands: NearBands, dimension: usize) -> u64 {
        (5 * dimension + 2 * bands.bands + 16) as u64
    }

    /// The bands.
    #[must_use]
    pub fn bands(&self) -> NearBands {
        self.bands
    }

    /// The number of vectors.
    #[must_use]
    pub fn len(&self) -> usize {
        self.norms.len()
    }

    /// True if there is no vector.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.norms.is_empty()
    }

    /// The vector at a position, below [`len`](Self::len).
    #[must_use]
    pub fn vector(&self, position: usize) -> &[f32] {
        &self.vectors[position * self.dimension..][..self.dimension]
    }

    /// Adds a vector, and returns its position. A coordinate that is not finite, or a wrong number of them, is an error. It has no
    /// keys yet.
    pub fn push(&mut self, vector: &[f32]) -> Result<usize> {
        check_length(vector.len(), self.dimension)?;
        if let Some(bad) = vector.iter().find(|x| !x.is_finite()) {
            return Err(Error::invalid("coordinate", bad, "a finite number"));
        }
        let position = self.len();
        let norm = norm(vector);
        let by = factor(self.bands.nearness, norm);
        let Rounded { scale, error, .. } = Rounded::new(vector, norm, by, &mut self.bytes);
        self.rounded.push(Rounding { scale, error: (error as f32).next_up() });
        self.vectors.extend_from_slice(vector);
        self.norms.push(norm);
        Ok(position)
    }

    /// Adds a vector of another collection, with its keys.
    pub fn push_of(&mut self, other: &Self, position: usize) {
        let (dimension, bands) = (self.dimension, self.bands.bands);
        self.bytes.extend_from_slice(&other.bytes[position * dimension..][..dimension]);
        self.rounded.push(other.rounded[position]);
        self.vectors.extend_from_slice(other.vector(position));
        self.norms.push(other.norms[position]);
        self.keys.extend_from_slice(&other.keys[position * bands..][..bands]);
    }

    /// The keys of the vectors at some positions, which [`set_keys`](Self::set_keys) takes. The functions have the bands of the collection.
    pub fn keys_of(&self, functions: &BandFunctions, positions: Range<usize>, keys: &mut [u16]) {
        let vectors = &self.vectors[positions.start * self.dimension..positions.end * self.dimension];
        functions.keys_into(Kernel::best(), vectors, &self.norms[positions], keys);
    }

    /// Takes the keys of all vectors: those of the first, then those of the next.
    pub fn set_keys(&mut self, keys: Vec<u16>) {
        debug_assert_eq!(keys.len(), self.len() * self.bands.bands);
        self.keys = keys;
    }

    /// Computes the keys of all vectors.
    pub fn add_keys(&mut self, functions: &BandFunctions) {
        let mut keys = vec![0; self.len() * self.bands.bands];
        self.keys_of(functions, 0..self.len(), &mut keys);
        self.set_keys(keys);
    }

    /// All near pairs that share a band, by the first vector and then by the second. The similarity of a pair is its cosine or
    /// its distance.
    #[must_use]
    pub fn pairs(&self) -> Vec<Pair> {
        let positions: Vec<u32> = (0..self.len() as u32).collect();
        let join = Join::within(self, &positions);
        let (mut pairs, mut buffers) = (Vec::new(), JoinBuffers::default());
        for part in 0..join.parts() {
            join.visit(
                part,
                &mut buffers,
                |_, _| true,
                |NearPair { a, b, value, .. }| {
                    pairs.push(Pair { a: a as usize, b: b as usize, similarity: value });
                },
            );
        }
        pairs.sort_unstable_by_key(Pair::ids);
        pairs
    }

    fn keys_at(&self, position: u32) -> &[u16] {
        let bands = self.bands.bands;
        &self.keys[position as usize * bands..][..bands]
    }

    /// The bytes of a vector, with what they say.
    fn rounded_at(&self, position: u32) -> (&[i8], Rounded, f64) {
        let (at, dimension) = (position as usize, self.dimension);
        let Rounding { scale, error } = self.rounded[at];
        let norm = self.norms[at];
        let rounded = Rounded { scale, error: error.into(), norm: norm * factor(self.bands.nearness, norm) };
        (&self.bytes[at * dimension..][..dimension], rounded, norm)
    }

    /// The cosine or the distance of two vectors.
    fn value(&self, a: u32, other: &Self, b: u32) -> f64 {
        let (a, b) = (a as usize, b as usize);
        let norms = (self.norms[a], other.norms[b]);
        value_of_norms(self.bands.nearness, self.vector(a), other.vector(b), norms)
    }
}
