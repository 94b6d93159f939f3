//! `WeightedMinHash`: weighted sets -> signatures.

use super::arguments::{size, weights_of, whole};
use super::shingling::Shingling;
use super::signature::Signature;
use crate::errors::Raise;
use lookalike::minhash;
use pyo3::prelude::*;

/// Makes signatures of weighted sets. They estimate the weighted Jaccard similarity: the sum of the smaller weights,
/// divided by the sum of the larger ones. Weights must be finite and not negative; their scale does not matter.
///
/// >>> from lookalike import WeightedMinHash
/// >>> hasher = WeightedMinHash(num_hashes=1024)
/// >>> a = hasher.sketch({"tea": 2.0, "milk": 0.5, "sugar": 1.0})
/// >>> b = hasher.sketch({"tea": 1.0, "milk": 0.5, "lemon": 0.5})
/// >>> round(a.jaccard(b), 2)  # exactly: 0.375
/// 0.37
#[pyclass(module = "lookalike", frozen, eq)]
#[derive(PartialEq, Eq)]
pub(crate) struct WeightedMinHash {
    inner: minhash::WeightedMinHash,
}

#[pymethods]
impl WeightedMinHash {
    #[new]
    #[pyo3(signature = (num_hashes=128, seed=1))]
    fn new(
        #[pyo3(from_py_with = size)] num_hashes: usize,
        #[pyo3(from_py_with = whole)] seed: u64,
    ) -> PyResult<Self> {
        Ok(Self { inner: minhash::WeightedMinHash::new(num_hashes, seed).or_raise()? })
    }

    /// The signature of a weighted set: a dict of weights by str, bytes or int, or a pair of arrays (hashes, weights).
    ///
    /// An element of weight 0 counts as absent. If an element is given twice, the larger weight counts.
    fn sketch(&self, py: Python<'_>, weights: &Bound<'_, PyAny>) -> PyResult<Signature> {
        let weights = weights_of(weights)?;
        let inner = py.detach(|| self.inner.sketch(&weights)).or_raise()?;
        Ok(Signature { inner, shingling: Shingling::default() })
    }

    /// The number of hash functions.
    #[getter]
    fn num_hashes(&self) -> usize {
        self.inner.num_hashes()
    }

    /// The seed of the hash functions.
    #[getter]
    fn seed(&self) -> u64 {
        self.inner.seed()
    }

    fn __hash__(&self) -> u64 {
        lookalike::hashing::mix64(self.seed() ^ self.num_hashes() as u64)
    }

    fn __repr__(&self) -> String {
        format!("WeightedMinHash(num_hashes={}, seed={})", self.num_hashes(), self.seed())
    }

    fn __getnewargs__(&self) -> (usize, u64) {
        (self.num_hashes(), self.seed())
    }
}
