//! A table of buckets for `MinHashLSH`: the names of documents stay in Python, positions are here.

use std::sync::{Mutex, MutexGuard, PoisonError};

use lookalike::banding::band_key;
use lookalike::index::BandTable;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyDict, PyList};

use super::slots;
use crate::errors::{Raise, setting};

/// Buckets of positions, by the bands of hash values.
///
/// Threads that come at the same time wait for each other. Nothing of Python is called or made while the table is
/// locked: that could lead back here.
#[pyclass(module = "lookalike._native", frozen)]
pub(crate) struct CompatBandTable {
    table: Mutex<BandTable>,
    bands: usize,
    rows: usize,
    /// Of the hash values of a document.
    length: usize,
}

impl CompatBandTable {
    fn with_table(table: BandTable, rows: usize, length: usize) -> PyResult<Self> {
        let bands = table.bands();
        match bands.checked_mul(rows) {
            Some(used) if rows > 0 && used <= length => {
                Ok(Self { table: Mutex::new(table), bands, rows, length })
            }
            _ => Err(setting(format_args!("{bands} bands of {rows} rows of {length} values"))),
        }
    }

    /// The table is whole after every step, so a thread that died has left nothing half done.
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, BandTable> {
        self.table.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    /// Works on the table without the interpreter.
    fn detached<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut BandTable) -> T + Send) -> T {
        let mut guard = self.lock(py);
        let table = &mut *guard;
        py.detach(|| work(table))
    }

    /// The key of each of the first `bands` bands. A hash value may be several numbers (weighted min-hashing).
    fn keys(&self, hashvalues: &Bound<'_, PyAny>, bands: usize) -> PyResult<Vec<u64>> {
        let slots = slots::read(hashvalues, self.length)?;
        let width = slots.len() / self.length * self.rows;
        let bands = slots.chunks_exact(width).enumerate().take(bands.min(self.bands));
        Ok(bands.map(|(band, rows)| band_key(band, rows)).collect())
    }

    fn named<'py>(&self, keys: &[u64], names: &Bound<'py, PyList>) -> PyResult<Bound<'py, PyList>> {
        let positions = self.lock(names.py()).candidates(keys).or_raise()?;
        let found: Vec<_> = positions
            .into_iter()
            .map(|position| names.get_item(position as usize))
            .collect::<PyResult<_>>()?;
        PyList::new(names.py(), found)
    }
}

/// The key of each band that was hashed to bytes by a function of the user.
fn keys_of_bytes(bands: &Bound<'_, PyList>) -> PyResult<Vec<u64>> {
    let key = |(band, bytes): (usize, Bound<'_, PyAny>)| {
        let bytes = bytes.cast::<PyBytes>()?.as_bytes();
        let words = bytes.chunks(8).map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(word)
        });
        let words: Vec<u64> = words.chain([bytes.len() as u64]).collect();
        Ok(band_key(band, &words))
    };
    bands.iter().enumerate().map(key).collect()
}

#[pymethods]
impl CompatBandTable {
    #[new]
    fn new(bands: usize, rows: usize, length: usize) -> PyResult<Self> {
        Self::with_table(BandTable::new(bands).or_raise()?, rows, length)
    }

    /// Adds a document by its hash values; returns its position.
    fn insert(&self, hashvalues: &Bound<'_, PyAny>) -> PyResult<u32> {
        let keys = self.keys(hashvalues, self.bands)?;
        self.lock(hashvalues.py()).insert(&keys).or_raise()
    }

    /// Adds a document by the bytes of its bands; returns its position.
    fn insert_bytes(&self, bands: &Bound<'_, PyList>) -> PyResult<u32> {
        let keys = keys_of_bytes(bands)?;
        self.lock(bands.py()).insert(&keys).or_raise()
    }

    /// The names of the documents that share one of the first `bands` bands.
    fn query<'py>(
        &self,
        hashvalues: &Bound<'py, PyAny>,
        names: &Bound<'py, PyList>,
        bands: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        self.named(&self.keys(hashvalues, bands)?, names)
    }

    /// The names of the documents that share one of the bands that were hashed to bytes.
    fn query_bytes<'py>(
        &self,
        bands: &Bound<'py, PyList>,
        names: &Bound<'py, PyList>,
    ) -> PyResult<Bound<'py, PyList>> {
        self.named(&keys_of_bytes(bands)?, names)
    }

    fn remove(&self, py: Python<'_>, position: u32) -> bool {
        self.lock(py).remove(position)
    }

    /// The keys of the buckets of a document, one for each band.
    fn keys_at<'py>(&self, py: Python<'py>, position: u32) -> Vec<Bound<'py, PyBytes>> {
        let keys = self.lock(py).keys_at(position).unwrap_or_default().to_vec();
        keys.iter().map(|key| PyBytes::new(py, &key.to_be_bytes())).collect()
    }

    /// The positions in one bucket.
    fn bucket(&self, py: Python<'_>, band: usize, key: &[u8]) -> Vec<u32> {
        let Ok(key) = <[u8; 8]>::try_from(key) else { return Vec::new() };
        self.lock(py).bucket(band, u64::from_be_bytes(key))
    }

    /// The key of every bucket of a band -> how many positions are in it.
    fn bucket_sizes<'py>(&self, py: Python<'py>, band: usize) -> PyResult<Bound<'py, PyDict>> {
        let sizes = self.detached(py, |table| table.bucket_sizes(band));
        let counts = PyDict::new(py);
        for (key, size) in sizes {
            counts.set_item(PyBytes::new(py, &key.to_be_bytes()), size)?;
        }
        Ok(counts)
    }

    fn bucket_count(&self, py: Python<'_>, band: usize) -> usize {
        self.lock(py).bucket_count(band)
    }

    /// Adds all documents of another table; returns their positions here.
    fn merge(&self, py: Python<'_>, other: &Self) -> PyResult<Vec<u32>> {
        // A copy, so that no thread ever holds one table while it waits for another.
        let other = other.detached(py, |table| table.clone());
        self.detached(py, |table| table.merge(&other)).or_raise()
    }

    fn positions(&self, py: Python<'_>) -> Vec<u32> {
        self.lock(py).positions().collect()
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let bytes = self.detached(py, |table| table.to_bytes());
        PyBytes::new(py, &bytes)
    }

    /// Positions are numbered anew, in ascending order.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8], rows: usize, length: usize) -> PyResult<Self> {
        Self::with_table(py.detach(|| BandTable::from_bytes(bytes)).or_raise()?, rows, length)
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.lock(py).len()
    }
}
