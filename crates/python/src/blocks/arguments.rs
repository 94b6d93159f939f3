//! Python values -> what the library takes: texts, elements, weights, whole numbers.

use crate::{arrays, errors};
use lookalike::hashing::hash_bytes;
use numpy::{PyArray1, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyInt, PyMapping, PyMemoryView, PyString, PyTuple};

/// What `__reduce__` answers: what makes it again, and the arguments of that.
pub(super) type Reduced<'py, T> = (Bound<'py, PyAny>, T);

/// Two documents and what is said of them.
pub(super) type Pair<Id, T> = (Id, Id, T);

/// A whole number of 0 to 2^64 - 1.
#[derive(Debug, Clone, Copy)]
pub(super) struct Whole(pub(super) u64);

impl Whole {
    /// The number as a size; what does not fit is refused by the library as too large.
    pub(super) fn size(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }

    /// The number as 32 bits; what does not fit is refused by the library as too large.
    pub(super) fn narrow(self) -> u32 {
        u32::try_from(self.0).unwrap_or(u32::MAX)
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Whole {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        value.extract().map(Self).map_err(|error| {
            if error.is_instance_of::<PyOverflowError>(value.py()) {
                errors::setting(format_args!("{} is not a whole number of 0 to 2^64 - 1", &*value))
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

/// The same as a size.
pub(super) fn size(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    value.extract().map(Whole::size)
}

/// The same as 32 bits.
pub(super) fn narrow(value: &Bound<'_, PyAny>) -> PyResult<u32> {
    value.extract().map(Whole::narrow)
}

/// A text, readable without the interpreter.
pub(super) enum Text {
    Str(PyBackedStr),
    Bytes(PyBackedBytes),
}

impl Text {
    /// The text that a value is, if it is one; `what` is its name in an error.
    fn of(value: &Bound<'_, PyAny>, what: impl std::fmt::Display) -> PyResult<Option<Self>> {
        if let Ok(text) = value.cast::<PyString>() {
            return match text.clone().try_into() {
                Ok(text) => Ok(Some(Self::Str(text))),
                Err(_) => errors::utf8(text, what).map(|bytes| Some(Self::Bytes(bytes.into()))),
            };
        }
        Ok(value.cast::<PyBytes>().ok().map(|bytes| Self::Bytes(bytes.clone().into())))
    }

    /// The text at `place` of several.
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
            PyTypeError::new_err(format!("a text is a str or bytes, not {}", type_name(&value)))
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

/// What a set is made from.
pub(super) enum Elements {
    /// A text, still to be cut into shingles.
    Text(Text),
    /// Hashes, any order, repeats allowed.
    Hashes(Vec<u64>),
}

impl Elements {
    /// How much work it is, roughly in bytes.
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

/// The elements of an array of hashes or an iterable; not of a text.
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
            "elements are wanted here, not a text; a Shingler makes them of it",
        ));
    }
    let items = value.try_iter().map_err(|_| {
        PyTypeError::new_err(format!(
            "elements are an array of uint64 or an iterable, not {}",
            type_name(value)
        ))
    })?;
    items.map(|item| hash_of(&item?)).collect()
}

/// The elements of an array of 64-bit hashes. An array of other numbers is refused: whether they stand for hashes
/// or are to be converted is the caller's to say.
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
        "an array of elements is one-dimensional and of uint64, not {} of {} dimensions; astype(numpy.uint64) converts it",
        array.dtype(),
        array.ndim()
    )))
}

/// The element that a value stands for: strings and bytes by their hash, a whole number as itself.
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
    Err(PyTypeError::new_err(format!("an element is a str, bytes or an int, not {}", type_name(value))))
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
            "weights are a dict or a pair (elements, weights), not {}",
            type_name(value)
        )));
    };
    let (elements, weights): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
    let (elements, weights) = (hashes_of(&elements)?, floats_of(&weights)?);
    if elements.len() != weights.len() {
        return Err(errors::setting(format_args!(
            "{} elements and {} weights: there is one weight for each element",
            elements.len(),
            weights.len()
        )));
    }
    Ok(elements.into_iter().zip(weights).collect())
}

/// Numbers, from whatever NumPy makes an array of floats of.
pub(super) fn floats_of(value: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let array = value.py().import("numpy")?.call_method1("asarray", (value, "float64"))?;
    match array.cast::<PyArray1<f64>>() {
        Ok(numbers) => arrays::read(numbers, <[f64]>::to_vec),
        Err(_) => Err(errors::setting("numbers in one dimension are wanted here")),
    }
}

/// Items that are converted before the work goes on without the interpreter.
const CHUNK_ITEMS: usize = 4096;
/// Bytes after which a chunk is full: signals are looked at some hundred times a second.
const CHUNK_BYTES: usize = 4 << 20;

/// Goes through `values` chunk by chunk: `convert` makes an item of each with the interpreter, `work` takes the chunk
/// without it. Between chunks Ctrl-C is heard.
pub(super) fn in_chunks<T: Send + Sync>(
    values: &Bound<'_, PyAny>,
    mut convert: impl FnMut(usize, &Bound<'_, PyAny>) -> PyResult<T>,
    size: impl Fn(&T) -> usize,
    mut work: impl FnMut(&[T]) + Send,
) -> PyResult<()> {
    if value_is_text(values) {
        return Err(PyTypeError::new_err("several texts are wanted here, as in a list, not one"));
    }
    let (py, mut place) = (values.py(), 0);
    let (mut chunk, mut bytes) = (Vec::new(), 0);
    // Columns of PyArrow hand out values of their own kind, not of Python's, unless they are asked so.
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

/// How many items there will be, as far as is known.
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
