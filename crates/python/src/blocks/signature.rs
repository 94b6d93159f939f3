//! `Signature`: the min-hash signature of a set.

use super::arguments::{Reduced, narrow, whole};
use super::bbit_min_hash::BBitMinHash;
use super::named::Named;
use super::shingling::Shingling;
use super::{family, views};
use crate::errors::Raise;
use lookalike::{index, minhash};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};

/// The min-hash signature of a set: one 64-bit slot per hash function. It is immutable.
///
/// Two signatures can be compared if the family, the seed, the number of hashes and, for texts, the shingling are
/// equal. Otherwise comparing them is an `IncompatibleError`. A signature of elements that you give yourself can be
/// compared with any shingling: only you know whether this makes sense.
///
/// >>> from lookalike import MinHash
/// >>> hasher = MinHash(num_hashes=256)
/// >>> a, b = hasher.sketch(["a", "b", "c", "d"]), hasher.sketch(["b", "c", "d", "e"])
/// >>> a.jaccard(b)  # the similarity of the sets is 3/5
/// 0.58203125
/// >>> (a | b) == hasher.sketch(["a", "b", "c", "d", "e"])
/// True
/// >>> a.slots.shape, a.slots.dtype
/// ((256,), dtype('uint64'))
#[pyclass(module = "lookalike", frozen, eq, hash)]
#[derive(Clone)]
pub(crate) struct Signature {
    pub(super) inner: minhash::Signature,
    pub(super) shingling: Shingling,
}

/// Two signatures are equal if family, seed and slots are equal. So the signatures of a text and of its shingles are
/// equal.
impl PartialEq for Signature {
    fn eq(&self, other: &Self) -> bool {
        self.inner == other.inner
    }
}

impl Eq for Signature {}

impl std::hash::Hash for Signature {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.inner.hash(state);
    }
}

impl Signature {
    /// The signature itself.
    pub(crate) fn inner(&self) -> &minhash::Signature {
        &self.inner
    }

    /// How the text was cut, if that is known.
    pub(crate) fn shingling_written(&self) -> Option<&str> {
        self.shingling.written()
    }

    fn compared(&self, other: &Self) -> PyResult<minhash::Estimate> {
        self.shingling.check(&other.shingling)?;
        self.inner.estimate(&other.inner).or_raise()
    }
}

#[pymethods]
impl Signature {
    /// Makes a signature from slots that were stored elsewhere. If it is the signature of a text, `shingling` says
    /// how the text was cut: a `Shingler`, or a str such as `"words:5"`.
    #[classmethod]
    #[pyo3(signature = (slots, seed=1, family="fast-sketch", shingling=None))]
    fn from_slots(
        _: &Bound<'_, PyType>,
        slots: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = whole)] seed: u64,
        family: &str,
        shingling: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let slots = super::arguments::hashes_of(slots)?;
        let inner = minhash::Signature::from_slots(family::named(family)?, seed, slots).or_raise()?;
        Ok(Self { inner, shingling: Shingling::from_argument(shingling)? })
    }

    /// Reads bytes that `to_bytes` wrote. Bytes that are incomplete or have a wrong header are a `DamagedError`.
    /// There is no checksum, so other damage is not noticed.
    #[classmethod]
    fn from_bytes(_: &Bound<'_, PyType>, data: &[u8]) -> PyResult<Self> {
        let (shingling, data) = Shingling::taken_off(data)?;
        Ok(Self { inner: minhash::Signature::from_bytes(data).or_raise()?, shingling })
    }

    /// The signature as bytes, with the shingling. The bytes have a version, and are the same on every machine.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.shingling.around(self.inner.to_bytes())?))
    }

    /// The slots. It is a read-only view, without a copy.
    #[getter]
    fn slots<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        views::words(slf, |signature| signature.inner.slots())
    }

    /// The family of hash functions.
    #[getter]
    fn family(&self) -> &'static str {
        family::name(self.inner.family())
    }

    /// The seed of the hash functions.
    #[getter]
    fn seed(&self) -> u64 {
        self.inner.seed()
    }

    /// The number of hash functions.
    #[getter]
    fn num_hashes(&self) -> usize {
        self.inner.num_hashes()
    }

    /// How the texts were normalised and cut into shingles; `None` if the elements were given directly.
    #[getter]
    fn shingling(&self) -> Option<&str> {
        self.shingling.written()
    }

    /// True if it is the signature of the empty set.
    #[getter]
    fn is_empty_set(&self) -> bool {
        self.inner.is_empty_set()
    }

    /// The estimated Jaccard similarity of the two sets, with its standard error.
    fn estimate<'py>(&self, py: Python<'py>, other: &Self) -> PyResult<Bound<'py, PyAny>> {
        let estimate = self.compared(other)?;
        Named::Estimate.of(py, (estimate.similarity, estimate.standard_error))
    }

    /// The estimated Jaccard similarity of the two sets (weighted Jaccard for weighted signatures).
    fn jaccard(&self, other: &Self) -> PyResult<f64> {
        Ok(self.compared(other)?.similarity)
    }

    /// The signature of the union of the two sets, also written `a | b`.
    fn union(&self, other: &Self) -> PyResult<Self> {
        self.shingling.check(&other.shingling)?;
        let mut inner = self.inner.clone();
        inner.merge(&other.inner).or_raise()?;
        Ok(Self { inner, shingling: self.shingling.or(&other.shingling) })
    }

    fn __or__(&self, other: &Self) -> PyResult<Self> {
        self.union(other)
    }

    /// The estimated number of distinct elements of the set, with its standard error.
    ///
    /// It needs a signature of the family `fast-sketch` or `multiply-shift` with at least 3 hashes.
    fn cardinality<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let cardinality = index::cardinality(&self.inner).or_raise()?;
        Named::Cardinality.of(py, (cardinality.count, cardinality.standard_error))
    }

    /// The signature reduced to `bits` bits (1, 2, 4, 8 or 16) per slot.
    #[pyo3(signature = (bits=1))]
    fn bbit(&self, #[pyo3(from_py_with = narrow)] bits: u32) -> PyResult<BBitMinHash> {
        BBitMinHash::of(self, bits)
    }

    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        slf: &Bound<'py, Self>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        views::as_array(Self::slots(slf)?.into_any(), dtype, copy)
    }

    fn __len__(&self) -> usize {
        self.inner.num_hashes()
    }

    fn __repr__(&self) -> String {
        let Self { inner, .. } = self;
        let empty = if inner.is_empty_set() { ", empty set" } else { "" };
        format!(
            "<Signature {}, {} hashes, seed {}{empty}>",
            family::name(inner.family()),
            inner.num_hashes(),
            inner.seed()
        )
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py, (Bound<'py, PyBytes>,)>> {
        Ok((slf.get_type().getattr("from_bytes")?, (slf.get().to_bytes(slf.py())?,)))
    }
}
