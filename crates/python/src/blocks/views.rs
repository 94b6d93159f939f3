//! Memory of Rust -> NumPy arrays that are views of it, without a copy.

use numpy::ndarray::{ArrayView1, ArrayView2};
use numpy::{PyArray1, PyArray2};
use pyo3::PyClass;
use pyo3::prelude::*;
use pyo3::pyclass::boolean_struct::True;

/// A read-only array that is a view of words of `owner`.
///
/// The array keeps `owner` alive. The class is frozen, so the words are not changed or moved while the array exists.
pub(super) fn words<'py, T: PyClass<Frozen = True> + Sync>(
    owner: &Bound<'py, T>,
    words: impl Fn(&T) -> &[u64],
) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let view = ArrayView1::from(words(owner.get()));
    // SAFETY: the words belong to `owner`, which is the base of the array and therefore outlives it. They are behind
    // a shared reference of a frozen class without interior mutability, and the array is made read-only before it is
    // returned.
    let array = unsafe { PyArray1::borrow_from_array(&view, owner.clone().into_any()) };
    read_only(array.as_any())?;
    Ok(array)
}

/// The same with `columns` words in each row. All rows are complete.
pub(super) fn table<'py, T: PyClass<Frozen = True> + Sync>(
    owner: &Bound<'py, T>,
    columns: usize,
    words: impl Fn(&T) -> &[u64],
) -> PyResult<Bound<'py, PyArray2<u64>>> {
    let words = words(owner.get());
    let view = ArrayView2::from_shape((words.len() / columns.max(1), columns), words)
        .map_err(|error| pyo3::exceptions::PyRuntimeError::new_err(error.to_string()))?;
    // SAFETY: as above.
    let array = unsafe { PyArray2::borrow_from_array(&view, owner.clone().into_any()) };
    read_only(array.as_any())?;
    Ok(array)
}

/// Makes an array read-only. NumPy refuses to make it writeable again, because its base has no writeable memory.
fn read_only(array: &Bound<'_, PyAny>) -> PyResult<()> {
    array.getattr("flags")?.setattr("writeable", false)
}

/// The result of `__array__` of the NumPy protocol, for an existing array.
pub(super) fn as_array<'py>(
    array: Bound<'py, PyAny>,
    dtype: Option<&Bound<'py, PyAny>>,
    copy: Option<bool>,
) -> PyResult<Bound<'py, PyAny>> {
    let array = if copy == Some(true) { array.call_method0("copy")? } else { array };
    let Some(dtype) = dtype else { return Ok(array) };
    let converted = array.call_method1("astype", (dtype,))?;
    if converted.getattr("dtype")?.eq(array.getattr("dtype")?)? {
        return Ok(array);
    }
    if copy == Some(false) {
        return Err(pyo3::exceptions::PyValueError::new_err(format!(
            "an array of {dtype} needs a copy, but copy=False was given"
        )));
    }
    Ok(converted)
}

/// The positions that a Python slice selects.
pub(super) fn positions(slice: &Bound<'_, pyo3::types::PySlice>, len: usize) -> PyResult<Vec<usize>> {
    let indices = slice.indices(isize::try_from(len)?)?;
    Ok((0..indices.slicelength).map(|at| (indices.start + at as isize * indices.step) as usize).collect())
}

/// The position that a Python index selects; negative indexes count from the end.
pub(super) fn position(index: isize, len: usize) -> PyResult<usize> {
    let counted = if index < 0 { index.checked_add_unsigned(len) } else { Some(index) };
    counted.and_then(|at| usize::try_from(at).ok()).filter(|&at| at < len).ok_or_else(|| {
        pyo3::exceptions::PyIndexError::new_err(format!("index {index} is out of range for {len} items"))
    })
}
