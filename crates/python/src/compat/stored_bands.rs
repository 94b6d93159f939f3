//! The table of `MinHashLSH` on disk. It is a table of given keys; Python has the way in which names are written.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use index::{Entry, KeyTable, KeyTableConfig};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use super::bands::{keys_of_bytes, keys_of_slots, words_of_band};
use crate::errors::{self, Raise, outside};
use lookalike::banding::band_key;

/// The most names that are read at a time.
const PAGE: usize = 10_000;

/// Buckets of names, by the bands of hash values, in a folder.
#[pyclass(module = "lookalike._native", frozen)]
pub(crate) struct CompatStoredTable {
    open: RwLock<Option<Arc<KeyTable>>>,
    bands: usize,
    rows: usize,
    /// The number of hash values of a document.
    length: usize,
}

impl CompatStoredTable {
    fn table(&self) -> PyResult<Arc<KeyTable>> {
        let open = self.open.read().unwrap_or_else(PoisonError::into_inner).clone();
        open.ok_or_else(|| errors::setting("the index is closed; open it again"))
    }

    /// Works on the table without the interpreter.
    fn ask<T: Send>(
        &self,
        py: Python<'_>,
        question: impl FnOnce(&KeyTable) -> index::Result<T> + Send,
    ) -> PyResult<T> {
        let table = self.table()?;
        outside(py, || question(&table))?.or_raise()
    }
}

fn as_bytes<'py>(py: Python<'py>, names: &[Vec<u8>]) -> Vec<Bound<'py, PyBytes>> {
    names.iter().map(|name| PyBytes::new(py, name)).collect()
}

#[pymethods]
impl CompatStoredTable {
    /// Opens a table, or creates it. `note` says how keys are made. With `accept_loss`, a table that has lost
    /// acknowledged batches goes on without them.
    #[new]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        bands: usize,
        rows: usize,
        length: usize,
        note: &str,
        accept_loss: bool,
    ) -> PyResult<Self> {
        let config = KeyTableConfig::new(bands, note);
        let opened = outside(py, || {
            let table = KeyTable::open_or_create(&path, &config)?;
            if table.lost() == 0 || !accept_loss {
                return Ok(table);
            }
            table.accept_loss()?;
            KeyTable::open_or_create(&path, &config)
        })?;
        let open = RwLock::new(Some(Arc::new(opened.or_raise()?)));
        Ok(Self { open, bands, rows, length })
    }

    /// Closes the table. Calls that are under way finish first, in their threads.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        outside(py, || {
            let taken = self.open.write().unwrap_or_else(PoisonError::into_inner).take();
            drop(taken);
        })
    }

    #[getter]
    fn closed(&self) -> bool {
        self.open.read().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    /// What the first insertion said.
    fn label(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.ask(py, KeyTable::label)
    }

    /// The key of each of the first `bands` bands of hash values.
    fn keys(&self, hashvalues: &Bound<'_, PyAny>, bands: usize) -> PyResult<Vec<u64>> {
        keys_of_slots(hashvalues, self.length, self.rows, bands.min(self.bands))
    }

    /// The key of each band that was hashed to bytes.
    #[staticmethod]
    fn keys_of_bytes(bands: &Bound<'_, PyList>) -> PyResult<Vec<u64>> {
        keys_of_bytes(bands)
    }

    /// Adds entries, all or none.
    fn insert(
        &self,
        py: Python<'_>,
        entries: Vec<(Vec<u8>, Vec<u64>)>,
        repeat: bool,
        label: Option<String>,
    ) -> PyResult<()> {
        let entries: Vec<Entry> = entries.into_iter().map(|(name, keys)| Entry { name, keys }).collect();
        self.ask(py, |table| table.insert(&entries, repeat, label.as_deref()))
    }

    /// Removes names, and returns how many were there.
    fn remove(&self, py: Python<'_>, names: Vec<Vec<u8>>) -> PyResult<u64> {
        self.ask(py, |table| table.remove(&names))
    }

    fn contains(&self, py: Python<'_>, name: &[u8]) -> PyResult<bool> {
        self.ask(py, |table| table.contains(name))
    }

    /// The names that share one of these keys.
    fn query<'py>(&self, py: Python<'py>, keys: Vec<u64>) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        Ok(as_bytes(py, &self.ask(py, |table| table.query(&keys))?))
    }

    /// The keys of the buckets of a name, one for each band.
    fn keys_of<'py>(&self, py: Python<'py>, name: &[u8]) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let keys = self.ask(py, |table| table.keys_of(name))?;
        Ok(keys.iter().map(|key| PyBytes::new(py, &key.to_be_bytes())).collect())
    }

    /// The names in one bucket.
    fn bucket<'py>(&self, py: Python<'py>, band: usize, key: &[u8]) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let Ok(key) = <[u8; 8]>::try_from(key) else { return Ok(Vec::new()) };
        let key = u64::from_be_bytes(key);
        Ok(as_bytes(py, &self.ask(py, |table| table.bucket(band, key))?))
    }

    /// The names in the bucket of the band with these bytes: see `CompatBandTable.bucket_of_band`.
    fn bucket_of_band<'py>(
        &self,
        py: Python<'py>,
        band: usize,
        bytes: &[u8],
        hashed: bool,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let Some(words) = words_of_band(bytes, self.rows, hashed) else { return Ok(Vec::new()) };
        let key = band_key(band, &words);
        Ok(as_bytes(py, &self.ask(py, |table| table.bucket(band, key))?))
    }

    /// A dict from the key of every bucket of a band to the number of names in it.
    fn bucket_sizes<'py>(&self, py: Python<'py>, band: usize) -> PyResult<Bound<'py, PyDict>> {
        let sizes = self.ask(py, |table| {
            let mut sizes = Vec::new();
            table.for_each_bucket(band, |key, size| {
                sizes.push((key, size));
                Ok(true)
            })?;
            Ok(sizes)
        })?;
        let counts = PyDict::new(py);
        for (key, size) in sizes {
            counts.set_item(PyBytes::new(py, &key.to_be_bytes()), size)?;
        }
        Ok(counts)
    }

    /// The next names after one, in the order of their bytes; none if there are no more.
    fn names_after<'py>(&self, py: Python<'py>, after: &[u8]) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        Ok(as_bytes(py, &self.ask(py, |table| table.names_after(after, PAGE))?))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.ask(py, KeyTable::len)? as usize)
    }
}
