//! `BBitMinHash`: a signature in a few bits per slot.

use super::arguments::{Reduced, narrow};
use super::named::Named;
use super::shingling::Shingling;
use super::signature::Signature;
use super::{family, views};
use crate::errors::Raise;
use lookalike::minhash::{self, BBitSignature};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};

/// A signature that keeps 1, 2, 4, 8 or 16 bits of each slot. It needs less memory for the same number of hashes.
///
/// The estimate is corrected for slots that are equal by chance. Two such signatures cannot be merged; merge the full
/// signatures first.
///
/// >>> from lookalike import BBitMinHash, MinHash
/// >>> hasher = MinHash(num_hashes=1024)
/// >>> a, b = hasher.sketch(range(0, 100)), hasher.sketch(range(25, 125))
/// >>> BBitMinHash(a, bits=1).nbytes
/// 128
/// >>> round(BBitMinHash(a, bits=1).jaccard(BBitMinHash(b, bits=1)), 2)  # the similarity is 0.6
/// 0.57
#[pyclass(module = "lookalike", frozen, eq, hash)]
pub(crate) struct BBitMinHash {
    pub(super) inner: BBitSignature,
    pub(super) shingling: Shingling,
}

/// Two values are equal if their slots and the parameters of their hash functions are equal; the shingling does not
/// count.
impl PartialEq for BBitMinHash {
    fn eq(&self, other: &Self) -> bool {
        self.inner == other.inner
    }
}

impl Eq for BBitMinHash {}

impl std::hash::Hash for BBitMinHash {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.inner.hash(state);
    }
}

impl BBitMinHash {
    pub(super) fn of(signature: &Signature, bits: u32) -> PyResult<Self> {
        let inner = BBitSignature::new(&signature.inner, bits).or_raise()?;
        Ok(Self { inner, shingling: signature.shingling.clone() })
    }

    fn compared(&self, other: &Self) -> PyResult<minhash::Estimate> {
        self.shingling.check(&other.shingling)?;
        self.inner.estimate(&other.inner).or_raise()
    }
}

#[pymethods]
impl BBitMinHash {
    #[new]
    #[pyo3(signature = (signature, bits=1))]
    fn new(signature: &Signature, #[pyo3(from_py_with = narrow)] bits: u32) -> PyResult<Self> {
        Self::of(signature, bits)
    }

    /// Reads bytes that `to_bytes` wrote. Bytes that are incomplete or have a wrong header are a `DamagedError`.
    /// There is no checksum, so other damage is not noticed.
    #[classmethod]
    fn from_bytes(_: &Bound<'_, PyType>, data: &[u8]) -> PyResult<Self> {
        let (shingling, data) = Shingling::taken_off(data)?;
        Ok(Self { inner: BBitSignature::from_bytes(data).or_raise()?, shingling })
    }

    /// The signature as bytes, with the shingling. The bytes have a version, and are the same on every machine.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.shingling.around(self.inner.to_bytes())?))
    }

    /// The number of bits per slot.
    #[getter]
    fn bits(&self) -> u32 {
        self.inner.bits_per_slot()
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

    /// The size of the packed slots, in bytes.
    #[getter]
    fn nbytes(&self) -> usize {
        self.inner.size_in_bytes()
    }

    /// The packed slots, lowest bits first. It is a read-only view, without a copy.
    #[getter]
    fn words<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        views::words(slf, |signature| signature.inner.words())
    }

    /// The estimated Jaccard similarity of the two sets, with its standard error.
    fn estimate<'py>(&self, py: Python<'py>, other: &Self) -> PyResult<Bound<'py, PyAny>> {
        let estimate = self.compared(other)?;
        Named::Estimate.of(py, (estimate.similarity, estimate.standard_error))
    }

    /// The estimated Jaccard similarity of the two sets.
    fn jaccard(&self, other: &Self) -> PyResult<f64> {
        Ok(self.compared(other)?.similarity)
    }

    fn __len__(&self) -> usize {
        self.inner.num_hashes()
    }

    fn __repr__(&self) -> String {
        let Self { inner, .. } = self;
        let bits = if self.bits() == 1 { "1 bit" } else { &format!("{} bits", self.bits()) };
        format!(
            "<BBitMinHash {bits} of {}, {} hashes, seed {}>",
            family::name(inner.family()),
            inner.num_hashes(),
            inner.seed()
        )
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py, (Bound<'py, PyBytes>,)>> {
        Ok((slf.get_type().getattr("from_bytes")?, (slf.get().to_bytes(slf.py())?,)))
    }
}
