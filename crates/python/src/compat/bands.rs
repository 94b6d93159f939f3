//! A table of buckets for `MinHashLSH`. Python has the names of documents; the table has their positions.

use std::sync::{Mutex, MutexGuard, PoisonError};

use lookalike::banding::{band_key, band_keys};
use lookalike::compat::BandTable;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyDict, PyList};

use super::slots;
use crate::errors::{Raise, setting};

/// Buckets of positions, by the bands of hash values.
///
/// Threads that use the table at the same time wait for each other. The list of names, which has the key of a
/// document at its position, is changed together with the table. No Python code runs while the table is locked: it
/// could call the table again.
#[pyclass(module = "lookalike._native", frozen)]
pub(crate) struct CompatBandTable {
    table: Mutex<BandTable>,
    bands: usize,
    rows: usize,
    /// The number of hash values of a document.
    length: usize,
}

impl CompatBandTable {
    fn with_table(table: BandTable, rows: usize, length: usize) -> PyResult<Self> {
        let bands = table.bands();
        match bands.checked_mul(rows) {
            Some(used) if rows > 0 && used <= length => {
                Ok(Self { table: Mutex::new(table), bands, rows, length })
            }
            _ => Err(setting(format_args!("{bands} bands of {rows} rows do not fit {length} hash values"))),
        }
    }

    /// Locks the table. The table is consistent after every step, so it can be used even if a thread panicked.
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, BandTable> {
        self.table.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    /// Works on the table without the interpreter.
    fn detached<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut BandTable) -> T + Send) -> T {
        let mut guard = self.lock(py);
        let table = &mut *guard;
        py.detach(|| work(table))
    }

    /// A copy of the table, and the names of the documents in the order of their positions.
    fn snapshot<'py>(&self, names: &Bound<'py, PyList>) -> PyResult<(BandTable, Vec<Bound<'py, PyAny>>)> {
        let table = self.lock(names.py()).clone();
        let in_use = table.positions().map(|position| names.get_item(position as usize));
        let in_use = in_use.collect::<PyResult<_>>()?;
        Ok((table, in_use))
    }

    /// The key of each of the first `bands` bands. A hash value may be several numbers (weighted min-hashing).
    fn keys(&self, hashvalues: &Bound<'_, PyAny>, bands: usize) -> PyResult<Vec<u64>> {
        keys_of_slots(hashvalues, self.length, self.rows, bands.min(self.bands))
    }

    /// Adds a document and its name.
    fn add(&self, keys: &[u64], names: &Bound<'_, PyList>, name: &Bound<'_, PyAny>) -> PyResult<u32> {
        let mut table = self.lock(names.py());
        let inserted = table.insert(keys);
        if let Ok(position) = inserted {
            set_name(names, position, name)?;
        }
        drop(table);
        inserted.or_raise()
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

/// The key of each of the first `bands` bands of `length` hash values.
pub(super) fn keys_of_slots(
    hashvalues: &Bound<'_, PyAny>,
    length: usize,
    rows: usize,
    bands: usize,
) -> PyResult<Vec<u64>> {
    let slots = slots::read(hashvalues, length)?;
    let width = slots.len() / length * rows;
    let mut keys = vec![0; bands];
    band_keys(width, &slots, &mut keys);
    Ok(keys)
}

/// Sets the name of a position that had none.
fn set_name(names: &Bound<'_, PyList>, position: u32, name: &Bound<'_, PyAny>) -> PyResult<()> {
    while names.len() <= position as usize {
        names.append(names.py().None())?;
    }
    names.set_item(position as usize, name)
}

/// Bytes as words, with the number of bytes.
fn words_of_bytes(bytes: &[u8]) -> Vec<u64> {
    let words = bytes.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    });
    words.chain([bytes.len() as u64]).collect()
}

/// The words of the band with these bytes: the values of the band, big-endian, or, if `hashed`, the result of a function
/// of the user. `None` if they are not those of a band.
pub(super) fn words_of_band(bytes: &[u8], rows: usize, hashed: bool) -> Option<Vec<u64>> {
    if hashed {
        return Some(words_of_bytes(bytes));
    }
    if !bytes.len().is_multiple_of(rows) {
        return None;
    }
    Some(match bytes.len() / rows {
        4 => bytes.as_chunks::<4>().0.iter().map(|word| u64::from(u32::from_be_bytes(*word))).collect(),
        _ => bytes.as_chunks::<8>().0.iter().map(|word| u64::from_be_bytes(*word)).collect(),
    })
}

/// The key of each band, from the bytes that a function of the user made of it.
pub(super) fn keys_of_bytes(bands: &Bound<'_, PyList>) -> PyResult<Vec<u64>> {
    let key = |(band, bytes): (usize, Bound<'_, PyAny>)| {
        Ok(band_key(band, &words_of_bytes(bytes.cast::<PyBytes>()?.as_bytes())))
    };
    bands.iter().enumerate().map(key).collect()
}

#[pymethods]
impl CompatBandTable {
    #[new]
    fn new(bands: usize, rows: usize, length: usize) -> PyResult<Self> {
        Self::with_table(BandTable::new(bands).or_raise()?, rows, length)
    }

    /// Adds a document with these hash values, and returns its position.
    fn insert(
        &self,
        hashvalues: &Bound<'_, PyAny>,
        names: &Bound<'_, PyList>,
        name: &Bound<'_, PyAny>,
    ) -> PyResult<u32> {
        self.add(&self.keys(hashvalues, self.bands)?, names, name)
    }

    /// Adds a document with these bytes of its bands, and returns its position.
    fn insert_bytes(
        &self,
        bands: &Bound<'_, PyList>,
        names: &Bound<'_, PyList>,
        name: &Bound<'_, PyAny>,
    ) -> PyResult<u32> {
        self.add(&keys_of_bytes(bands)?, names, name)
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

    /// Removes a document and its name.
    fn remove(&self, position: u32, names: &Bound<'_, PyList>) -> PyResult<bool> {
        // The name is dropped after the lock is released, because dropping it can run Python code.
        let name = names.get_item(position as usize);
        let mut table = self.lock(names.py());
        let removed = table.remove(position);
        if removed {
            names.set_item(position as usize, names.py().None())?;
        }
        drop(table);
        drop(name);
        Ok(removed)
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

    /// The positions in the bucket of the band with these bytes. The bytes are the values of the band, big-endian,
    /// or, if `hashed`, the result of a function of the user.
    fn bucket_of_band(&self, py: Python<'_>, band: usize, bytes: &[u8], hashed: bool) -> Vec<u32> {
        let Some(words) = words_of_band(bytes, self.rows, hashed) else { return Vec::new() };
        self.lock(py).bucket(band, band_key(band, &words))
    }

    /// A dict from the key of every bucket of a band to the number of positions in it.
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

    /// Adds all documents of another table and their names. Returns each name with its position in this table.
    fn merge<'py>(
        &self,
        other: &Self,
        names: &Bound<'py, PyList>,
        other_names: &Bound<'py, PyList>,
    ) -> PyResult<Vec<(Bound<'py, PyAny>, u32)>> {
        let py = names.py();
        // The other table is copied, so that no thread ever locks one table while it waits for another.
        let (other, other_names) = other.snapshot(other_names)?;
        let mut guard = self.lock(py);
        let table = &mut *guard;
        let merged = py.detach(|| table.merge(&other));
        if let Ok(positions) = &merged {
            for (&position, name) in positions.iter().zip(&other_names) {
                set_name(names, position, name)?;
            }
        }
        drop(guard);
        Ok(other_names.into_iter().zip(merged.or_raise()?).collect())
    }

    /// The table as bytes, and the names of its documents in the order of their positions.
    fn to_bytes<'py>(
        &self,
        names: &Bound<'py, PyList>,
    ) -> PyResult<(Bound<'py, PyBytes>, Vec<Bound<'py, PyAny>>)> {
        let (table, names_in_use) = self.snapshot(names)?;
        let bytes = names.py().detach(|| table.to_bytes());
        Ok((PyBytes::new(names.py(), &bytes), names_in_use))
    }

    /// Reads a table from bytes. Positions get new numbers, in ascending order.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8], rows: usize, length: usize) -> PyResult<Self> {
        Self::with_table(py.detach(|| BandTable::from_bytes(bytes)).or_raise()?, rows, length)
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.lock(py).len()
    }
}
