//! A table of buckets for `MinHashLSH`: the names of documents stay in Python, positions are here.

use lookalike::banding::band_key;
use lookalike::index::BandTable;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use super::slots;
use crate::errors::{Raise, setting};

/// Buckets of positions, by the bands of hash values.
#[pyclass(module = "lookalike._native")]
pub(crate) struct CompatBandTable {
    table: BandTable,
    /// Of the hash values of a document.
    length: usize,
    rows: usize,
    slots: Vec<u64>,
    keys: Vec<u64>,
}

impl CompatBandTable {
    fn with_table(table: BandTable, rows: usize, length: usize) -> PyResult<Self> {
        match table.bands().checked_mul(rows) {
            Some(used) if rows > 0 && used <= length => {
                Ok(Self { table, length, rows, slots: Vec::new(), keys: Vec::new() })
            }
            _ => Err(setting(format_args!("{} bands of {rows} rows of {length} values", table.bands()))),
        }
    }

    /// The key of each of the first `bands` bands. A hash value may be several numbers (weighted min-hashing).
    fn key(&mut self, hashvalues: &Bound<'_, PyAny>, bands: usize) -> PyResult<()> {
        slots::read(hashvalues, self.length, &mut self.slots)?;
        let width = self.slots.len() / self.length * self.rows;
        let bands = self.slots.chunks_exact(width).enumerate().take(bands);
        self.keys.clear();
        self.keys.extend(bands.map(|(band, rows)| band_key(band, rows)));
        Ok(())
    }

    /// The key of each band that was hashed to bytes by a function of the user.
    fn key_of_bytes(&mut self, bands: &Bound<'_, PyList>) -> PyResult<()> {
        self.keys.clear();
        for (band, bytes) in bands.iter().enumerate() {
            let bytes = bytes.cast::<PyBytes>()?.as_bytes();
            let words = bytes.chunks(8).map(|chunk| {
                let mut word = [0; 8];
                word[..chunk.len()].copy_from_slice(chunk);
                u64::from_le_bytes(word)
            });
            let words: Vec<u64> = words.chain([bytes.len() as u64]).collect();
            self.keys.push(band_key(band, &words));
        }
        Ok(())
    }

    fn named<'py>(&self, names: &Bound<'py, PyList>) -> PyResult<Bound<'py, PyList>> {
        let positions = self.table.candidates(&self.keys).or_raise()?;
        let found: Vec<_> = positions
            .into_iter()
            .map(|position| names.get_item(position as usize))
            .collect::<PyResult<_>>()?;
        PyList::new(names.py(), found)
    }
}

#[pymethods]
impl CompatBandTable {
    #[new]
    fn new(bands: usize, rows: usize, length: usize) -> PyResult<Self> {
        Self::with_table(BandTable::new(bands).or_raise()?, rows, length)
    }

    /// Adds a document by its hash values; returns its position.
    fn insert(&mut self, hashvalues: &Bound<'_, PyAny>) -> PyResult<u32> {
        self.key(hashvalues, self.table.bands())?;
        self.table.insert(&self.keys).or_raise()
    }

    /// Adds a document by the bytes of its bands; returns its position.
    fn insert_bytes(&mut self, bands: &Bound<'_, PyList>) -> PyResult<u32> {
        self.key_of_bytes(bands)?;
        self.table.insert(&self.keys).or_raise()
    }

    /// The names of the documents that share one of the first `bands` bands.
    fn query<'py>(
        &mut self,
        hashvalues: &Bound<'py, PyAny>,
        names: &Bound<'py, PyList>,
        bands: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        self.key(hashvalues, bands)?;
        self.named(names)
    }

    /// The names of the documents that share one of the bands that were hashed to bytes.
    fn query_bytes<'py>(
        &mut self,
        bands: &Bound<'py, PyList>,
        names: &Bound<'py, PyList>,
    ) -> PyResult<Bound<'py, PyList>> {
        self.key_of_bytes(bands)?;
        self.named(names)
    }

    fn remove(&mut self, position: u32) -> bool {
        self.table.remove(position)
    }

    /// The keys of the buckets of a document, one for each band.
    fn keys_at<'py>(&self, py: Python<'py>, position: u32) -> Vec<Bound<'py, PyBytes>> {
        let keys = self.table.keys_at(position).unwrap_or_default();
        keys.iter().map(|key| PyBytes::new(py, &key.to_be_bytes())).collect()
    }

    /// The positions in one bucket.
    fn bucket(&self, band: usize, key: &[u8]) -> Vec<u32> {
        <[u8; 8]>::try_from(key)
            .map_or_else(|_| Vec::new(), |key| self.table.bucket(band, u64::from_be_bytes(key)))
    }

    /// The key of every bucket of a band -> how many positions are in it.
    fn bucket_sizes<'py>(&self, py: Python<'py>, band: usize) -> PyResult<Bound<'py, PyDict>> {
        let sizes = PyDict::new(py);
        for (key, size) in py.detach(|| self.table.bucket_sizes(band)) {
            sizes.set_item(PyBytes::new(py, &key.to_be_bytes()), size)?;
        }
        Ok(sizes)
    }

    fn bucket_count(&self, band: usize) -> usize {
        self.table.bucket_count(band)
    }

    /// Adds all documents of another table; returns their positions here.
    fn merge(&mut self, py: Python<'_>, other: &Self) -> PyResult<Vec<u32>> {
        let (table, other) = (&mut self.table, &other.table);
        py.detach(|| table.merge(other)).or_raise()
    }

    fn positions(&self) -> Vec<u32> {
        self.table.positions().collect()
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &py.detach(|| self.table.to_bytes()))
    }

    /// Positions are numbered anew, in ascending order.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8], rows: usize, length: usize) -> PyResult<Self> {
        Self::with_table(py.detach(|| BandTable::from_bytes(bytes)).or_raise()?, rows, length)
    }

    fn __len__(&self) -> usize {
        self.table.len()
    }
}
