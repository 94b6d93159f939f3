//! Lists of bytes, or arrays of hash values -> minima under given permutations.
//!
//! Bytes are copied from the list while the interpreter is held, because another thread may change the list. They are
//! hashed (SHA-1) without the interpreter.

use lookalike::compat::given::{Affine32, Affine64, GivenPermutations, Mersenne, Scheme};
use lookalike::compat::sha1;
use numpy::ndarray::{Ix1, Ix2};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};

use crate::arrays::{self, Number};
use crate::errors::{Raise, setting};

/// At most this many bytes are hashed at a time without the interpreter. Larger inputs are processed in parts.
const PART: usize = 1 << 20;
/// Up to this many elements, hashing is faster than releasing the interpreter and taking it back.
const FEW: usize = 16;

/// A scheme whose words are a NumPy type.
pub(super) trait ArrayScheme: Scheme<Word: Number> {
    /// The hash of an element, from 64 bits of its SHA-1 if `wide`, otherwise from 32.
    fn word(sha1: u64, wide: bool) -> Self::Word;
}

impl ArrayScheme for Affine32 {
    fn word(sha1: u64, _wide: bool) -> u32 {
        sha1 as u32
    }
}

impl ArrayScheme for Affine64 {
    fn word(sha1: u64, wide: bool) -> u64 {
        if wide { sha1 } else { sha1 & u64::from(u32::MAX) }
    }
}

impl ArrayScheme for Mersenne {
    fn word(sha1: u64, wide: bool) -> u64 {
        Affine64::word(sha1, wide)
    }
}

/// Byte strings, stored one after the other.
#[derive(Default)]
struct Gathered {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Gathered {
    /// Copies the elements of a list or tuple. Returns false if one of them is not bytes.
    fn extend(&mut self, items: &Bound<'_, PyAny>) -> PyResult<bool> {
        if let Ok(list) = items.cast::<PyList>() {
            for item in list {
                if !self.push(&item) {
                    return Ok(false);
                }
            }
        } else {
            for item in items.cast::<PyTuple>()? {
                if !self.push(&item) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    #[inline]
    fn push(&mut self, item: &Bound<'_, PyAny>) -> bool {
        let Ok(bytes) = item.cast::<PyBytes>() else { return false };
        self.bytes.extend_from_slice(bytes.as_bytes());
        self.ends.push(self.bytes.len());
        true
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// The hashes of all elements.
    fn hashes<S: ArrayScheme>(&self, wide: bool, hashes: &mut Vec<S::Word>) -> lookalike::Result<()> {
        let mut digests = Vec::new();
        sha1::hashes(&self.bytes, &self.ends, &mut digests)?;
        hashes.clear();
        hashes.extend(digests.into_iter().map(|digest| S::word(digest, wide)));
        Ok(())
    }
}

/// All multipliers, followed by all offsets.
fn parameters<W: Number>(permutations: &Bound<'_, PyAny>) -> PyResult<Vec<W>> {
    let parameters = arrays::values::<W, Ix2>(permutations)?;
    if permutations.len()? != 2 {
        return Err(setting("permutations must have two rows: the multipliers and the offsets"));
    }
    Ok(parameters)
}

fn values<W: Number>(array: &Bound<'_, PyAny>) -> PyResult<Vec<W>> {
    arrays::values::<W, Ix1>(array)
}

fn update_bytes<'py, S: ArrayScheme>(
    wide: bool,
    permutations: &Bound<'py, PyAny>,
    hashvalues: &Bound<'py, PyAny>,
    items: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = items.py();
    let parameters = parameters::<S::Word>(permutations)?;
    let mut minima = values::<S::Word>(hashvalues)?;
    let mut gathered = Gathered::default();
    if !gathered.extend(items)? {
        return Ok(None);
    }
    let mut work = || {
        let mut hashes = Vec::new();
        gathered.hashes::<S>(wide, &mut hashes)?;
        let (a, b) = parameters.split_at(parameters.len() / 2);
        GivenPermutations::<S>::new(a, b)?.update(&hashes, &mut minima)
    };
    if gathered.ends.len() <= FEW { work() } else { py.detach(work) }.or_raise()?;
    Ok(Some(PyArray1::from_vec(py, minima).into_any()))
}

fn bulk<'py, S: ArrayScheme>(
    wide: bool,
    permutations: &Bound<'py, PyAny>,
    documents: &Bound<'py, PyList>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = documents.py();
    let parameters = parameters::<S::Word>(permutations)?;
    let (a, b) = parameters.split_at(parameters.len() / 2);
    let permutations = GivenPermutations::<S>::new(a, b).or_raise()?;
    let mut minima = Vec::with_capacity(documents.len() * a.len());
    let (mut gathered, mut document_ends, mut hashes) = (Gathered::default(), Vec::new(), Vec::new());
    let mut documents = documents.iter().peekable();
    while let Some(document) = documents.next() {
        if !gathered.extend(&document)? {
            return Ok(None);
        }
        document_ends.push(gathered.ends.len());
        if gathered.bytes.len() + 8 * gathered.ends.len() >= PART || documents.peek().is_none() {
            let result = py.detach(|| -> lookalike::Result<()> {
                gathered.hashes::<S>(wide, &mut hashes)?;
                let mut start = 0;
                for end in document_ends.drain(..) {
                    let row = minima.len();
                    minima.resize(row + permutations.num_hashes(), S::EMPTY);
                    permutations.update(&hashes[start..end], &mut minima[row..])?;
                    start = end;
                }
                Ok(())
            });
            result.or_raise()?;
            gathered.clear();
            py.check_signals()?;
        }
    }
    let rows = minima.len() / a.len();
    Ok(Some(PyArray1::from_vec(py, minima).reshape([rows, a.len()])?.into_any()))
}

fn update_hashes<'py, S: ArrayScheme>(
    permutations: &Bound<'py, PyAny>,
    hashvalues: &Bound<'py, PyAny>,
    hashes: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = hashes.py();
    let parameters = parameters::<S::Word>(permutations)?;
    let mut minima = values::<S::Word>(hashvalues)?;
    let hashes = values::<S::Word>(hashes)?;
    py.detach(|| {
        let (a, b) = parameters.split_at(parameters.len() / 2);
        GivenPermutations::<S>::new(a, b)?.update(&hashes, &mut minima)
    })
    .or_raise()?;
    Ok(PyArray1::from_vec(py, minima).into_any())
}

pub(super) fn unknown(scheme: &str) -> PyErr {
    setting(format_args!("scheme = {scheme} is not one of affine32, affine64, legacy"))
}

/// The minima of `hashvalues` and of the SHA-1 hashes of the elements of `items`, a list or tuple. `None` if one of
/// the elements is not bytes. With `wide`, 64 bits of the digest are used instead of 32.
#[pyfunction]
pub(crate) fn compat_update_bytes<'py>(
    scheme: &str,
    wide: bool,
    permutations: &Bound<'py, PyAny>,
    hashvalues: &Bound<'py, PyAny>,
    items: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    match scheme {
        "affine32" => update_bytes::<Affine32>(wide, permutations, hashvalues, items),
        "affine64" => update_bytes::<Affine64>(wide, permutations, hashvalues, items),
        "legacy" => update_bytes::<Mersenne>(wide, permutations, hashvalues, items),
        _ => Err(unknown(scheme)),
    }
}

/// The same for many new documents at once. Each is a list or tuple, and makes one row of the array.
#[pyfunction]
pub(crate) fn compat_bulk<'py>(
    scheme: &str,
    wide: bool,
    permutations: &Bound<'py, PyAny>,
    documents: &Bound<'py, PyList>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    match scheme {
        "affine32" => bulk::<Affine32>(wide, permutations, documents),
        "affine64" => bulk::<Affine64>(wide, permutations, documents),
        "legacy" => bulk::<Mersenne>(wide, permutations, documents),
        _ => Err(unknown(scheme)),
    }
}

/// The minima of `hashvalues` and of elements with these hash values.
#[pyfunction]
pub(crate) fn compat_update_hashes<'py>(
    scheme: &str,
    permutations: &Bound<'py, PyAny>,
    hashvalues: &Bound<'py, PyAny>,
    hashes: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    match scheme {
        "affine32" => update_hashes::<Affine32>(permutations, hashvalues, hashes),
        "affine64" => update_hashes::<Affine64>(permutations, hashvalues, hashes),
        "legacy" => update_hashes::<Mersenne>(permutations, hashvalues, hashes),
        _ => Err(unknown(scheme)),
    }
}
