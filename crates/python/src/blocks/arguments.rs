//! Python values -> arguments of the library: texts, elements, weights, whole numbers.

use crate::{arrays, errors};
use lookalike::hashing::hash_bytes;
use numpy::{PyArray1, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyInt, PyMapping, PyMemoryView, PyString, PyTuple};

/// The result of `__reduce__`: a function that makes the object again, and its arguments.
pub(super) type Reduced<'py, T> = (Bound<'py, PyAny>, T);

/// Two documents and a value for the pair.
pub(super) type Pair<Id, T> = (Id, Id, T);

/// A whole number from 0 to 2^64 - 1.
#[derive(Debug, Clone, Copy)]
pub(super) struct Whole(pub(super) u64);

impl Whole {
    /// The number as a `usize`. A number that does not fit becomes the largest one, which the library refuses.
    pub(super) fn size(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }

    /// The number as a `u32`. A number that does not fit becomes the largest one, which the library refuses.
    pub(super) fn narrow(self) -> u32 {
        u32::try_from(self.0).unwrap_or(u32::MAX)
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Whole {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        value.extract().map(Self).map_err(|error| {
            if error.is_instance_of::<PyOverflowError>(value.py()) {
                errors::setting(format_args!("{} is not a whole number from 0 to 2^64 - 1", &*value))
            } else {
                error
            }
        })
    }
}

/// A whole number, as an argument.
pub(super) fn whole(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    value.extract().map(|Whole(number)| number)
}

/// A whole number as a `usize`, as an argument.
pub(super) fn size(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    value.extract().map(Whole::size)
}

/// A whole number as a `u32`, as an argument.
pub(super) fn narrow(value: &Bound<'_, PyAny>) -> PyResult<u32> {
    value.extract().map(Whole::narrow)
}

/// A text that can be read without the interpreter.
pub(super) enum Text {
    Str(PyBackedStr),
    Bytes(PyBackedBytes),
}

impl Text {
    /// The value as a text, if it is a str or bytes. `what` names the value in an error.
    fn of(value: &Bound<'_, PyAny>, what: impl std::fmt::Display) -> PyResult<Option<Self>> {
        if let Ok(text) = value.cast::<PyString>() {
            return match text.clone().try_into() {
                Ok(text) => Ok(Some(Self::Str(text))),
                Err(_) => errors::utf8(text, what).map(|bytes| Some(Self::Bytes(bytes.into()))),
            };
        }
        Ok(value.cast::<PyBytes>().ok().map(|bytes| Self::Bytes(bytes.clone().into())))
    }

    /// The text at the position `place` of several texts.
    pub(super) fn at(place: usize, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::of(value, format_args!("texts[{place}]"))?.ok_or_else(|| {
            PyTypeError::new_err(format!("texts[{place}] is of type {}, not str or bytes", type_name(value)))
        })
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Text {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        Self::of(&value, "the str")?.ok_or_else(|| {
            PyTypeError::new_err(format!("a text must be a str or bytes, not {}", type_name(&value)))
        })
    }
}

impl AsRef<[u8]> for Text {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Str(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }
}

/// The elements of a set.
pub(super) enum Elements {
    /// A text that has to be cut into shingles.
    Text(Text),
    /// Hashes in any order. They may repeat.
    Hashes(Vec<u64>),
}

impl Elements {
    /// The approximate amount of work, in bytes.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Text(text) => text.as_ref().len(),
            Self::Hashes(hashes) => 8 * hashes.len(),
        }
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Elements {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match Text::of(&value, "the str")? {
            Some(text) => Ok(Self::Text(text)),
            None => hashes_of(&value).map(Self::Hashes),
        }
    }
}

/// The elements of an array of hashes or of an iterable. A text is an error.
pub(super) fn hashes_of(value: &Bound<'_, PyAny>) -> PyResult<Vec<u64>> {
    if let Some(hashes) = uint64_array(value)? {
        return Ok(hashes);
    }
    if value.is_instance_of::<PyString>()
        || value.is_instance_of::<PyBytes>()
        || value.is_instance_of::<PyByteArray>()
        || value.is_instance_of::<PyMemoryView>()
    {
        return Err(PyTypeError::new_err(
            "expected elements, not a text; use a Shingler to turn the text into elements",
        ));
    }
    let items = value.try_iter().map_err(|_| {
        PyTypeError::new_err(format!(
            "elements must be an array of uint64 or an iterable, not {}",
            type_name(value)
        ))
    })?;
    items.map(|item| hash_of(&item?)).collect()
}

/// The elements of an array of 64-bit hashes. An array of other numbers is refused: only the caller knows whether
/// they are hashes, or how to convert them.
fn uint64_array(value: &Bound<'_, PyAny>) -> PyResult<Option<Vec<u64>>> {
    let Ok(array) = value.cast::<PyUntypedArray>() else { return Ok(None) };
    if let Ok(hashes) = value.cast::<PyArray1<u64>>() {
        return arrays::read(hashes, <[u64]>::to_vec).map(Some);
    }
    let kind: String = array.dtype().getattr("kind")?.extract()?;
    if array.ndim() == 1 && matches!(kind.as_str(), "O" | "U" | "S" | "T") {
        return Ok(None);
    }
    Err(PyTypeError::new_err(format!(
        "an array of elements must be one-dimensional and of uint64, not {} with {} dimensions; astype(numpy.uint64) converts it",
        array.dtype(),
        array.ndim()
    )))
}

/// The element for a value: the hash of a string or of bytes, or a whole number itself.
pub(super) fn hash_of(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(hash_bytes(errors::utf8(text, format_args!("the element {}", text.repr()?))?.as_bytes()));
    }
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(hash_bytes(bytes.as_bytes()));
    }
    if value.is_instance_of::<PyInt>() || value.hasattr("__index__")? {
        return value.extract().map(|Whole(hash)| hash);
    }
    Err(PyTypeError::new_err(format!("an element must be a str, bytes or an int, not {}", type_name(value))))
}

/// Elements with weights: a dict, or a pair of arrays.
pub(super) fn weights_of(value: &Bound<'_, PyAny>) -> PyResult<Vec<(u64, f64)>> {
    if let Ok(weights) = value.cast::<PyDict>() {
        return weights.iter().map(|(element, weight)| Ok((hash_of(&element)?, weight.extract()?))).collect();
    }
    if let Ok(weights) = value.cast::<PyMapping>() {
        let weighed = |item: Bound<'_, PyAny>| {
            let (element, weight): (Bound<'_, PyAny>, f64) = item.extract()?;
            Ok((hash_of(&element)?, weight))
        };
        return weights.items()?.iter().map(weighed).collect();
    }
    let Ok(pair) = value.cast::<PyTuple>() else {
        return Err(PyTypeError::new_err(format!(
            "weights must be a dict or a pair (elements, weights), not {}",
            type_name(value)
        )));
    };
    let (elements, weights): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
    let (elements, weights) = (hashes_of(&elements)?, floats_of(&weights)?);
    if elements.len() != weights.len() {
        return Err(errors::setting(format_args!(
            "there are {} elements, but {} weights; give one weight for each element",
            elements.len(),
            weights.len()
        )));
    }
    Ok(elements.into_iter().zip(weights).collect())
}

/// Numbers, from any value that NumPy can convert to an array of floats.
pub(super) fn floats_of(value: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let array = value.py().import("numpy")?.call_method1("asarray", (value, "float64"))?;
    match array.cast::<PyArray1<f64>>() {
        Ok(numbers) => arrays::read(numbers, <[f64]>::to_vec),
        Err(_) => Err(errors::setting("expected numbers in one dimension")),
    }
}

/// At most this many items are converted before they are processed without the interpreter.
const CHUNK_ITEMS: usize = 4096;
/// A chunk also ends after this many bytes, so that signals are checked about a hundred times a second.
const CHUNK_BYTES: usize = 4 << 20;

/// Processes `values` in chunks. `convert` turns each value into an item, with the interpreter. `work` processes a
/// chunk of items, without the interpreter. Between chunks Ctrl-C is checked.
pub(super) fn in_chunks<T: Send + Sync>(
    values: &Bound<'_, PyAny>,
    mut convert: impl FnMut(usize, &Bound<'_, PyAny>) -> PyResult<T>,
    size: impl Fn(&T) -> usize,
    mut work: impl FnMut(&[T]) + Send,
) -> PyResult<()> {
    if value_is_text(values) {
        return Err(PyTypeError::new_err("expected several texts, for example a list, not one text"));
    }
    let (py, mut place) = (values.py(), 0);
    let (mut chunk, mut bytes) = (Vec::new(), 0);
    // Iterating over a PyArrow column gives PyArrow values; `to_pylist` gives Python values.
    let listed = values.getattr_opt("to_pylist")?.map(|list| list.call0()).transpose()?;
    for value in listed.as_ref().unwrap_or(values).try_iter()? {
        let item = convert(place, &value?)?;
        place += 1;
        bytes += size(&item);
        chunk.push(item);
        if chunk.len() == CHUNK_ITEMS || bytes >= CHUNK_BYTES {
            errors::outside(py, || work(&chunk))?;
            chunk.clear();
            bytes = 0;
            py.check_signals()?;
        }
    }
    errors::outside(py, || work(&chunk))?;
    Ok(())
}

/// The number of items; 0 if it is not known.
pub(super) fn length_hint(values: &Bound<'_, PyAny>) -> usize {
    values.len().unwrap_or(0)
}

fn value_is_text(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PyString>() || value.is_instance_of::<PyBytes>()
}

/// The name of a value's type, for errors.
pub(super) fn type_name(value: &Bound<'_, PyAny>) -> String {
    value.get_type().name().map_or_else(|_| "an unknown type".to_owned(), |name| name.to_string())
}
