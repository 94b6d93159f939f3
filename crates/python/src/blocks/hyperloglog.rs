//! `HyperLogLog`: how many different elements there were.

use super::arguments::{Reduced, hashes_of, narrow};
use super::named::Named;
use crate::errors::{self, Raise};
use lookalike::hyperloglog;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyType};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Counts the different elements of a stream of any length in `2 ** precision` bytes, with a standard error of about
/// `1.04 / 2 ** (precision / 2)`.
///
/// Elements are str, bytes or whole numbers, or an array of uint64. An element that comes again changes nothing.
/// Sketches of the same precision can be merged: the result is the sketch of the union. Threads can use one sketch.
///
/// >>> from lookalike import HyperLogLog
/// >>> seen = HyperLogLog(precision=12)
/// >>> seen.update(["to", "be", "or", "not", "to", "be"])
/// >>> round(seen.cardinality().size)
/// 4
/// >>> other = HyperLogLog(precision=12)
/// >>> other.update(["not", "what"])
/// >>> round((seen | other).cardinality().size)
/// 5
#[pyclass(module = "lookalike", frozen)]
pub(crate) struct HyperLogLog {
    inner: Mutex<hyperloglog::HyperLogLog>,
}

impl HyperLogLog {
    fn of(inner: hyperloglog::HyperLogLog) -> Self {
        Self { inner: Mutex::new(inner) }
    }

    /// Locks the sketch. A thread that waits has released the interpreter. A sketch is valid after every step, so it
    /// can be used even if a thread panicked.
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, hyperloglog::HyperLogLog> {
        self.inner.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    fn snapshot(&self, py: Python<'_>) -> hyperloglog::HyperLogLog {
        self.lock(py).clone()
    }
}

#[pymethods]
impl HyperLogLog {
    #[new]
    #[pyo3(signature = (precision=14))]
    fn new(#[pyo3(from_py_with = narrow)] precision: u32) -> PyResult<Self> {
        Ok(Self::of(hyperloglog::HyperLogLog::new(precision).or_raise()?))
    }

    /// Reads bytes that `to_bytes` wrote. Other bytes are a `DamagedError`. There is no checksum, so not all damage is
    /// noticed.
    #[classmethod]
    fn from_bytes(_: &Bound<'_, PyType>, data: &[u8]) -> PyResult<Self> {
        Ok(Self::of(hyperloglog::HyperLogLog::from_bytes(data).or_raise()?))
    }

    /// The sketch as bytes. The bytes have a version, and are the same on every machine.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.lock(py).to_bytes())
    }

    /// Counts elements: an array of uint64, or an iterable of str, bytes or whole numbers. After an error, none of
    /// them is counted. To count the shingles of a text, give what a `Shingler` makes of it.
    fn update(&self, elements: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, elements) = (elements.py(), hashes_of(elements)?);
        let mut guard = self.lock(py);
        let sketch = &mut *guard;
        errors::outside(py, || sketch.extend(elements))
    }

    /// Adds what another sketch of the same precision has counted; another precision is an `IncompatibleError`.
    fn merge(&self, py: Python<'_>, other: &Self) -> PyResult<()> {
        // The other sketch is copied, so that no thread locks one while it waits for another.
        let other = other.snapshot(py);
        self.lock(py).merge(&other).or_raise()
    }

    /// A sketch of the union of what both have counted, also written `a | b`.
    fn union(&self, py: Python<'_>, other: &Self) -> PyResult<Self> {
        let union = Self::of(self.snapshot(py));
        union.merge(py, other)?;
        Ok(union)
    }

    fn __or__(&self, py: Python<'_>, other: &Self) -> PyResult<Self> {
        self.union(py, other)
    }

    /// An independent copy.
    fn copy(&self, py: Python<'_>) -> Self {
        Self::of(self.snapshot(py))
    }

    /// Forgets all elements.
    fn clear(&self, py: Python<'_>) {
        self.lock(py).clear();
    }

    /// The estimated number of different elements, with its standard error (HyperLogLog++).
    fn cardinality<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let cardinality = self.lock(py).cardinality();
        Named::Cardinality.of(py, (cardinality.count, cardinality.standard_error))
    }

    /// The logarithm of the number of registers.
    #[getter]
    fn precision(&self, py: Python<'_>) -> u32 {
        self.lock(py).precision()
    }

    /// True if no element was counted.
    #[getter]
    fn is_empty(&self, py: Python<'_>) -> bool {
        self.lock(py).is_empty()
    }

    /// The size of the registers, in bytes.
    #[getter]
    fn nbytes(&self, py: Python<'_>) -> usize {
        self.lock(py).registers().len()
    }

    /// A copy of the registers: for each the largest rank of its elements.
    #[getter]
    fn registers<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u8>> {
        PyArray1::from_slice(py, self.lock(py).registers())
    }

    fn __eq__(&self, py: Python<'_>, other: &Self) -> bool {
        let other = other.snapshot(py);
        *self.lock(py) == other
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let sketch = self.lock(py);
        format!(
            "<HyperLogLog of precision {}, about {:.0} elements>",
            sketch.precision(),
            sketch.cardinality().count
        )
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py, (Bound<'py, PyBytes>,)>> {
        Ok((slf.get_type().getattr("from_bytes")?, (slf.get().to_bytes(slf.py()),)))
    }
}
