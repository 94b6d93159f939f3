//! `LSH` <-> bytes: for files and for pickles.
//!
//! The bytes are those of the library's index. Its note has the threshold (8 bytes) and the number of hashes (4
//! bytes), so that an empty index has them too, and the shingling in UTF-8, if it is known. In a file, the id of a
//! document is its key: one byte for the type, and then
//!
//! - `s`: a str, in UTF-8;
//! - `b`: bytes;
//! - `i`: an int, little-endian in two's complement, in as few bytes as hold it.
//!
//! In a pickle, the id is the position in the list of keys, which pickle writes itself.

use super::super::arguments::type_name;
use super::super::shingling::Shingling;
use super::keys::Keys;
use super::{Lsh, State};
use crate::errors::{self, Raise};
use lookalike::index::LshIndex;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBytes, PyDict, PyInt, PyString};
use std::collections::BTreeMap;
use std::sync::RwLock;

/// The number of bytes of the note before the shingling.
const NOTE: usize = 12;

impl Lsh {
    /// The bytes for a file.
    pub(crate) fn file_bytes(&self, py: Python<'_>) -> PyResult<Vec<u8>> {
        Ok(self.bytes(py, |_, key| written(key))?.0)
    }

    /// Restores an index from the bytes of a file.
    pub(super) fn from_file_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        let mut keys = Vec::new();
        let read = |id: &[u8]| {
            keys.push(StoredKey::read(id)?);
            Ok(keys.len() as u64 - 1)
        };
        let (index, note) = py.detach(|| LshIndex::from_bytes_with(bytes, read)).or_raise()?;
        let keys = keys.into_iter().map(|key| key.to_python(py)).collect::<PyResult<_>>()?;
        Self::restored(py, index, note, keys)
    }

    /// The bytes for a pickle, and the keys.
    pub(super) fn pickle_bytes(&self, py: Python<'_>) -> PyResult<(Vec<u8>, Vec<Py<PyAny>>)> {
        self.bytes(py, |place, _| Ok(place.to_le_bytes().to_vec()))
    }

    /// Restores an index from the bytes and keys of a pickle.
    pub(super) fn from_pickle_bytes(
        py: Python<'_>,
        bytes: &[u8],
        keys: Vec<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let mut next = 0;
        let read = |id: &[u8]| {
            next += 1;
            if id == u64::to_le_bytes(next - 1) { Ok(next - 1) } else { Err("ids out of order".to_owned()) }
        };
        let (index, note) = py.detach(|| LshIndex::from_bytes_with(bytes, read)).or_raise()?;
        Self::restored(py, index, note, keys)
    }

    /// The bytes and the keys. `write` makes the id of a document from the position among all keys and the key.
    fn bytes(
        &self,
        py: Python<'_>,
        write: impl Fn(u64, &Bound<'_, PyAny>) -> PyResult<Vec<u8>>,
    ) -> PyResult<(Vec<u8>, Vec<Py<PyAny>>)> {
        let mut note = self.threshold.to_le_bytes().to_vec();
        note.extend_from_slice(&(self.num_hashes as u32).to_le_bytes());
        loop {
            let (changes, numbers, shingling) = py.detach(|| {
                let state = self.read();
                (state.changes, state.keys.numbers().collect::<Vec<u64>>(), state.shingling.clone())
            });
            note.truncate(NOTE);
            note.extend_from_slice(shingling.written().unwrap_or_default().as_bytes());
            let keys: Vec<_> = self.keys_of(py, numbers.iter().copied()).into_iter().flatten().collect();
            let ids = (0..).zip(&keys).map(|(place, key)| write(place, key.bind(py)));
            let ids: BTreeMap<u64, Vec<u8>> =
                numbers.into_iter().zip(ids.collect::<PyResult<Vec<_>>>()?).collect();
            // Writing keys needs the interpreter, so other threads may have changed the index meanwhile.
            let bytes = py.detach(|| {
                let state = self.read();
                let write_id =
                    |number: &u64, bytes: &mut Vec<u8>| bytes.extend(ids.get(number).into_iter().flatten());
                (state.changes == changes).then(|| state.index.to_bytes_with(&note, write_id))
            });
            if let Some(bytes) = bytes {
                return Ok((bytes.or_raise()?, keys));
            }
            py.check_signals()?;
        }
    }

    /// An index whose documents have the numbers of their positions in the list of keys.
    fn restored(
        py: Python<'_>,
        index: LshIndex<u64>,
        note: &[u8],
        keys: Vec<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let damaged = |cause: &str| {
            let cause = cause.to_owned();
            lookalike::Result::Err(lookalike::Error::Decode { what: "LSH index", offset: 0, cause })
                .or_raise()
        };
        let (Some((threshold, rest)), documents) = (note.split_first_chunk::<8>(), index.len()) else {
            return damaged("its note is too short");
        };
        let (threshold, Some((num_hashes, shingling))) =
            (f64::from_le_bytes(*threshold), rest.split_first_chunk::<4>())
        else {
            return damaged("its note is not a threshold and a number of hashes");
        };
        let Ok(shingling) = std::str::from_utf8(shingling) else {
            return damaged("its note has a shingling that is not UTF-8");
        };
        let shingling = Shingling::stored(shingling);
        let (num_hashes, banding) = (u32::from_le_bytes(*num_hashes) as usize, index.banding());
        if !(0.0..=1.0).contains(&threshold) || num_hashes < banding.num_hashes() || keys.len() != documents {
            return damaged("its threshold, number of hashes or keys are not valid");
        }
        let numbers = PyDict::new(py);
        for (number, key) in keys.iter().enumerate() {
            numbers.set_item(key, number)?;
        }
        if numbers.len() != documents {
            return damaged("two documents have the same key");
        }
        let mut stored = Keys::default();
        for (number, key) in (0..).zip(keys) {
            stored.insert(number, key.unbind());
        }
        let state = State { index, next: documents as u64, keys: stored, changes: 0, shingling };
        Ok(Self { threshold, num_hashes, banding, numbers: numbers.unbind(), state: RwLock::new(state) })
    }
}

/// A key as bytes.
fn written(key: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    if let Ok(text) = key.cast_exact::<PyString>() {
        let text = errors::utf8(text, format_args!("the key {}", text.repr()?))?;
        return Ok([b"s", text.as_bytes()].concat());
    }
    if let Ok(bytes) = key.cast_exact::<PyBytes>() {
        return Ok([b"b", bytes.as_bytes()].concat());
    }
    if let Ok(number) = key.cast_exact::<PyInt>() {
        let bits: usize = number.call_method0("bit_length")?.extract()?;
        let signed = [("signed", true)].into_py_dict(key.py())?;
        let bytes = number.call_method("to_bytes", (bits / 8 + 1, "little"), Some(&signed))?;
        return Ok([b"i", bytes.cast::<PyBytes>()?.as_bytes()].concat());
    }
    Err(PyTypeError::new_err(format!(
        "an index can be saved only with keys of str, int or bytes, not {}: {}",
        type_name(key),
        key.repr()?
    )))
}

/// A key, as it is stored in a file.
enum StoredKey {
    Text(String),
    Bytes(Vec<u8>),
    Integer(Vec<u8>),
}

impl StoredKey {
    fn read(id: &[u8]) -> Result<Self, String> {
        match id.split_first() {
            Some((b's', text)) => match String::from_utf8(text.to_vec()) {
                Ok(text) => Ok(Self::Text(text)),
                Err(error) => Err(format!("a key that is not UTF-8: {error}")),
            },
            Some((b'b', bytes)) => Ok(Self::Bytes(bytes.to_vec())),
            Some((b'i', bytes)) => Ok(Self::Integer(bytes.to_vec())),
            Some((other, _)) => Err(format!("a key of an unknown kind, {other}")),
            None => Err("a key without a kind".to_owned()),
        }
    }

    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(match self {
            Self::Text(text) => PyString::new(py, text).into_any(),
            Self::Bytes(bytes) => PyBytes::new(py, bytes).into_any(),
            Self::Integer(bytes) => {
                let signed = [("signed", true)].into_py_dict(py)?;
                let bytes = PyBytes::new(py, bytes);
                py.get_type::<PyInt>().call_method("from_bytes", (bytes, "little"), Some(&signed))?
            }
        })
    }
}
