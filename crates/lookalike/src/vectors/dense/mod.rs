//! Dense vectors -> all that are near a query, and all near pairs, exactly: none is missed.
//!
//! # Why it works
//!
//! Every vector is compared with every other one, but most of them with 8-bit coordinates. A vector x is rounded to
//! `s * q`, where q has whole numbers from -127 to 127 and s is the largest coordinate divided by 127. The length of
//! what the rounding takes away, `e(x) = |x - s q|`, is computed when the vector is added. By Cauchy and Schwarz
//!
//! ```text
//! |x.y - s(x) s(y) q(x).q(y)|  <=  e(x) |y| + |s(x) q(x)| e(y)
//! ```
//!
//! so the product of whole numbers, which is exact, says of most pairs that they are not near. The others are compared
//! in `f64` ([`Nearness::value`]). The answer is that of comparing all pairs so. For the cosine, vectors are scaled to
//! length 1; the bound is then about 0.02 for most data, whatever the dimension. For the Euclidean distance D, x and y
//! are near if `x.y - |y|^2/2 >= (|x|^2 - D^2)/2`.
//!
//! # Cost
//!
//! Products of bytes are added up for 16 vectors and 8 queries at a time
//! (`Simd::byte_products`): 30,000 vectors of 100 dimensions, 450 million pairs, take about a third of a second on one
//! core with AVX-512. Each vector takes 5 bytes per dimension, and 24 bytes.
//!
//! ```
//! use lookalike::vectors::{DenseVectors, Nearness};
//!
//! let mut vectors = DenseVectors::new(3, Nearness::cosine(0.99)?)?;
//! for vector in [[1.0, 2.0, 3.0], [-1.0, 0.5, 0.2], [1.1, 2.0, 2.9], [3.0, -2.0, 1.0]] {
//!     vectors.push(&vector)?;
//! }
//! let pairs: Vec<_> = vectors.pairs().iter().map(|pair| (pair.a, pair.b)).collect();
//! assert_eq!(pairs, [(0, 2)]);
//! assert_eq!(vectors.near(&[2.0, 4.0, 6.0])?.len(), 2);
//! # Ok::<(), lookalike::Error>(())
//! ```

pub(super) mod rounded;

use std::ops::Range;

use super::Nearness;
use super::nearness::{norm, value_of_norms};
use crate::arch::Kernel;
use crate::error::{Error, Result, check_length};
use crate::pair::Pair;
use rounded::{Asked, Rounded, Rows, factor, screen};

/// The largest dimension of dense vectors that are compared. Products of bytes of more coordinates could overflow.
pub const MAX_DIMENSION: usize = 1 << 16;

/// A collection of vectors of one dimension, which finds all that are near a query.
#[derive(Debug, Clone)]
pub struct DenseVectors {
    nearness: Nearness,
    dimension: usize,
    vectors: Vec<f32>,
    norms: Vec<f64>,
    rows: Rows,
    /// Working memory for the bytes of one vector.
    bytes: Vec<i8>,
}

/// Vectors that are compared with those of a collection.
#[derive(Debug, Clone, Default)]
pub struct Queries<'q> {
    vectors: Vec<&'q [f32]>,
    norms: Vec<f64>,
    asked: Asked,
    bytes: Vec<i8>,
}

/// A vector of a collection that is near a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// The position of the query among the queries.
    pub query: usize,
    /// The position of the vector in the collection.
    pub position: usize,
    /// The cosine, or the distance.
    pub value: f64,
}

impl DenseVectors {
    /// An empty collection of vectors with `dimension` coordinates (1 to [`MAX_DIMENSION`]).
    pub fn new(dimension: usize, nearness: Nearness) -> Result<Self> {
        if dimension == 0 || dimension > MAX_DIMENSION {
            return Err(Error::invalid("dimension", dimension, format!("1 to {MAX_DIMENSION}")));
        }
        let (vectors, norms, rows, bytes) = Default::default();
        Ok(Self { nearness, dimension, vectors, norms, rows, bytes })
    }

    /// When vectors are near.
    #[must_use]
    pub fn nearness(&self) -> Nearness {
        self.nearness
    }

    /// The dimension of the vectors.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.dimension
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

    /// The bytes of memory that a vector takes.
    #[must_use]
    pub fn bytes_per_vector(dimension: usize) -> u64 {
        (4 * dimension + 4 * dimension.div_ceil(4) + 24) as u64
    }

    /// Removes all vectors.
    pub fn clear(&mut self) {
        self.vectors.clear();
        self.norms.clear();
        self.rows.clear();
    }

    /// Adds a vector, and returns its position. A coordinate that is not finite, or a wrong number of them, is an error.
    pub fn push(&mut self, vector: &[f32]) -> Result<usize> {
        self.check(vector)?;
        let position = self.len();
        let norm = norm(vector);
        self.bytes.clear();
        let rounded = Rounded::new(vector, norm, factor(self.nearness, norm), &mut self.bytes);
        self.rows.push(self.nearness, &self.bytes, rounded, norm);
        self.vectors.extend_from_slice(vector);
        self.norms.push(norm);
        Ok(position)
    }

    /// Prepares vectors for [`visit_near`](Self::visit_near).
    pub fn queries<'q>(&self, vectors: impl IntoIterator<Item = &'q [f32]>) -> Result<Queries<'q>> {
        let mut queries = Queries::default();
        for vector in vectors {
            self.check(vector)?;
            let norm = norm(vector);
            self.add_query(&mut queries, vector, norm);
        }
        Ok(queries)
    }

    /// Hands out the vectors at `positions` that are near a query: those of the first vectors before those of later ones.
    pub fn visit_near(&self, queries: &Queries<'_>, positions: Range<usize>, mut visit: impl FnMut(Near)) {
        let mut hits = Vec::new();
        self.screen(Kernel::best(), queries, positions, |query, position| hits.push((query, position)));
        for (query, position) in hits {
            if let Some(value) = self.value_to(queries.vectors[query], queries.norms[query], position) {
                visit(Near { query, position, value });
            }
        }
    }

    /// All vectors near a vector, in their order.
    pub fn near(&self, vector: &[f32]) -> Result<Vec<Near>> {
        let mut found = Vec::new();
        self.visit_near(&self.queries([vector])?, 0..self.len(), |near| found.push(near));
        Ok(found)
    }

    /// All near pairs of the collection, by the first vector and then by the second. The similarity of a pair is its
    /// cosine or its distance.
    #[must_use]
    pub fn pairs(&self) -> Vec<Pair> {
        let mut pairs = Vec::new();
        let mut at = 0;
        while at < self.len() {
            let end = (at + 128).min(self.len());
            self.visit_pairs(at..end, |pair| pairs.push(pair));
            at = end;
        }
        pairs.sort_unstable_by_key(Pair::ids);
        pairs
    }

    /// Hands out the near pairs whose second vector is at one of `positions`, in any order. The first vector of a pair
    /// comes before the second.
    pub fn visit_pairs(&self, positions: Range<usize>, mut visit: impl FnMut(Pair)) {
        self.visit_near_of(self, positions.clone(), 0..positions.end, |near| {
            let second = positions.start + near.query;
            if near.position < second {
                visit(Pair { a: near.position, b: second, similarity: near.value });
            }
        });
    }

    /// Hands out the vectors at `positions` that are near one of the vectors `of` another collection, which has the same
    /// dimension and the same nearness.
    pub fn visit_near_of(
        &self,
        other: &Self,
        of: Range<usize>,
        positions: Range<usize>,
        visit: impl FnMut(Near),
    ) {
        let mut queries = Queries::default();
        for position in of {
            self.add_query(&mut queries, other.vector(position), other.norms[position]);
        }
        self.visit_near(&queries, positions, visit);
    }

    /// The value of two vectors of the collection, if they are near.
    #[must_use]
    pub fn value_of(&self, a: usize, b: usize) -> Option<f64> {
        self.value_to(self.vector(a), self.norms[a], b)
    }

    fn value_to(&self, vector: &[f32], norm: f64, position: usize) -> Option<f64> {
        let norms = (norm, self.norms[position]);
        let value = value_of_norms(self.nearness, vector, self.vector(position), norms);
        self.nearness.is_near(value).then_some(value)
    }

    fn check(&self, vector: &[f32]) -> Result<()> {
        check_length(vector.len(), self.dimension)?;
        match vector.iter().find(|x| !x.is_finite()) {
            Some(bad) => Err(Error::invalid("coordinate", bad, "a finite number")),
            None => Ok(()),
        }
    }

    fn add_query<'q>(&self, queries: &mut Queries<'q>, vector: &'q [f32], norm: f64) {
        queries.bytes.clear();
        let rounded = Rounded::new(vector, norm, factor(self.nearness, norm), &mut queries.bytes);
        queries.asked.push(self.nearness, &queries.bytes, rounded, norm);
        queries.vectors.push(vector);
        queries.norms.push(norm);
    }

    /// Calls `hit` with the query and the position of every pair that the bytes do not rule out.
    fn screen(
        &self,
        kernel: Kernel,
        queries: &Queries<'_>,
        positions: Range<usize>,
        hit: impl FnMut(usize, usize),
    ) {
        screen(kernel, &self.rows, &queries.asked, positions, hit);
    }
}

impl Queries<'_> {
    /// The number of queries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.vectors.len()
    }

    /// True if there is no query.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.vectors.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hashing::SplitMix64;

    /// Vectors around a few centres, of very different lengths, with some copies and zero vectors.
    fn some_vectors(count: usize, dimension: usize, seed: u64) -> Vec<Vec<f32>> {
        let mut random = SplitMix64::new(seed);
        let mut normal = move || random.next_normal_pair().0 as f32;
        let centres: Vec<Vec<f32>> = (0..7).map(|_| (0..dimension).map(|_| normal()).collect()).collect();
        (0..count)
            .map(|i| {
                if i % 41 == 40 {
                    return vec![0.0; dimension];
                }
                let spread = [0.0, 0.05, 0.3, 0.6, 2.0][i % 5];
                let length = [1.0, 1.0, 3.0, 0.01][i % 4];
                centres[i % 7].iter().map(|x| (x + spread * normal()) * length).collect()
            })
            .collect()
    }

    fn brute_force(vectors: &[Vec<f32>], nearness: Nearness) -> Vec<Pair> {
        let mut pairs = Vec::new();
        for b in 0..vectors.len() {
            for a in 0..b {
                let similarity = nearness.value(&vectors[a], &vectors[b]);
                if nearness.is_near(similarity) {
                    pairs.push(Pair { a, b, similarity });
                }
            }
        }
        pairs.sort_unstable_by_key(Pair::ids);
        pairs
    }

    #[test]
    fn pairs_are_those_of_brute_force_for_every_measure_and_dimension() {
        for (dimension, count) in [(1, 50), (3, 150), (4, 97), (17, 200), (100, 333), (130, 64)] {
            let vectors = some_vectors(count, dimension, dimension as u64);
            let mut nearnesses: Vec<_> =
                [0.3, 0.8, 0.95, 1.0].map(|threshold| Nearness::cosine(threshold).unwrap()).into();
            nearnesses.extend([0.0, 0.5, 3.0, 9.0].map(|distance| Nearness::euclidean(distance).unwrap()));
            for nearness in nearnesses {
                let mut all = DenseVectors::new(dimension, nearness).unwrap();
                for (i, vector) in vectors.iter().enumerate() {
                    assert_eq!(all.push(vector), Ok(i));
                }
                let expected = brute_force(&vectors, nearness);
                assert_eq!(all.pairs(), expected, "{dimension} {nearness:?}");
                let query = &vectors[count / 2];
                let near: Vec<usize> = all.near(query).unwrap().iter().map(|near| near.position).collect();
                let plain = (0..count).filter(|&i| nearness.is_near(nearness.value(query, &vectors[i])));
                assert_eq!(near, plain.collect::<Vec<_>>(), "{dimension} {nearness:?}");
            }
        }
    }

    #[test]
    fn every_kernel_screens_alike_and_most_pairs_are_ruled_out() {
        let vectors = some_vectors(200, 50, 5);
        let mut all = DenseVectors::new(50, Nearness::cosine(0.8).unwrap()).unwrap();
        vectors.iter().for_each(|vector| drop(all.push(vector)));
        let queries = all.queries(vectors.iter().map(Vec::as_slice)).unwrap();
        let screened = |kernel| {
            let mut hits = Vec::new();
            all.screen(kernel, &queries, 3..180, |query, position| hits.push((query, position)));
            hits
        };
        let expected = screened(Kernel::PORTABLE);
        for kernel in Kernel::available() {
            assert_eq!(screened(kernel), expected, "{}", kernel.name());
        }
        let zeros = (3..180).filter(|i| i % 41 == 40).count();
        let near: usize = vectors.iter().map(|vector| all.near(vector).unwrap().len()).sum();
        assert!(expected.len() < near + zeros * 200 + 300, "{} {near}", expected.len());
        assert!(expected.iter().all(|(_, position)| (3..180).contains(position)));
    }

    #[test]
    fn extreme_lengths_are_compared() {
        for size in [1e-44f32, 1e-30, 1e-19, 1.0, 1e18, 1e30, 3e38] {
            for nearness in
                [Nearness::cosine(0.9).unwrap(), Nearness::euclidean(f64::from(size) * 0.2).unwrap()]
            {
                let mut all = DenseVectors::new(2, nearness).unwrap();
                for vector in [[size, size / 2.0], [size, size * 0.55], [size / 4.0, -size], [-size, -size]] {
                    all.push(&vector).unwrap();
                }
                let ids: Vec<_> = all.pairs().iter().map(Pair::ids).collect();
                if size > 1e-40 || nearness.is_cosine() {
                    assert_eq!(ids, [(0, 1)], "{size:e} {nearness:?}");
                }
            }
        }
    }

    #[test]
    fn wrong_vectors_are_refused() {
        let near = Nearness::cosine(0.5).unwrap();
        assert!(DenseVectors::new(0, near).is_err());
        assert!(DenseVectors::new(MAX_DIMENSION + 1, near).is_err());
        let mut all = DenseVectors::new(2, near).unwrap();
        assert_eq!(all.push(&[1.0]), Err(Error::LengthMismatch { left: 1, right: 2 }));
        assert!(all.push(&[1.0, f32::NAN]).is_err());
        assert!(all.near(&[1.0, f32::INFINITY]).is_err());
        assert!(all.is_empty() && all.pairs().is_empty());
    }
}
