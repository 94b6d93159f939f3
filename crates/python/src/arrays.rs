//! Arrays of NumPy -> their values, in the order in which Python iterates over them.
//!
//! An array is memory with strides. It may be in Fortran order, reversed, every other value of a larger array, or not
//! aligned. `as_slice` succeeds for any memory without gaps, even in Fortran order, but then the values are in the
//! wrong order: column by column. Therefore all values are read with the functions of this file, which first copy
//! memory that is not in C order or not aligned.

use numpy::ndarray::Dimension;
use numpy::npyffi::{NPY_ARRAY_ALIGNED, NPY_ARRAY_C_CONTIGUOUS};
use numpy::{Element, PyArray, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;

/// Number types for which any bits are a valid value.
pub(crate) trait Number: Element + Copy {}

impl Number for u8 {}
impl Number for u32 {}
impl Number for u64 {}
impl Number for i64 {}
impl Number for f64 {}

/// True if the values follow each other in memory in the order in which Python iterates over them, and are aligned.
pub(crate) fn is_in_order<T: Number, D: Dimension>(array: &Bound<'_, PyArray<T, D>>) -> bool {
    array.is_c_contiguous() && (array.data() as usize).is_multiple_of(align_of::<T>())
}

/// Calls `read` with the values. `read` must not call Python.
pub(crate) fn read<T: Number, D: Dimension, R>(
    array: &Bound<'_, PyArray<T, D>>,
    read: impl FnOnce(&[T]) -> R,
) -> PyResult<R> {
    let array = if is_in_order(array) {
        array.clone()
    } else {
        array.call_method1(intern!(array.py(), "copy"), (intern!(array.py(), "C"),))?.cast_into()?
    };
    // SAFETY: the memory is in C order and aligned, and holds numbers of this type, as NumPy says. No other code
    // writes to it meanwhile: that would need the interpreter, which is held here, and `read` does not call Python.
    let values = unsafe { array.as_slice() }?;
    Ok(read(values))
}

/// The values of a one-dimensional array, if they can be read without a copy or a conversion. It is fast enough for
/// functions that are called very often.
///
/// The values must not be used after Python has been called.
pub(crate) fn plain<'a, T: Number>(array: &'a Bound<'_, PyAny>) -> Option<&'a [T]> {
    let array = array.cast::<PyUntypedArray>().ok()?;
    // SAFETY: it is an array, and NumPy guarantees this layout of its fields.
    let fields = unsafe { &(*array.as_array_ptr()).fields };
    // NumPy has one description of each native type, so the type of an array is known by the address of its
    // description.
    let is_plain = fields.nd == 1
        && fields.descr.cast() == T::get_dtype(array.py()).as_ptr()
        && fields.flags & PLAIN == PLAIN
        && !fields.data.is_null();
    // SAFETY: the array has one dimension of numbers of this type, one after the other and aligned. No other code
    // writes to it meanwhile: that would need the interpreter, which is held here.
    is_plain.then(|| unsafe { std::slice::from_raw_parts(fields.data.cast(), *fields.dimensions as usize) })
}

/// The flags of an array that is in C order and aligned.
const PLAIN: i32 = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED;

/// A copy of the values of an array of `T` with `D` dimensions. Any other value is a `TypeError`.
pub(crate) fn values<T: Number, D: Dimension>(array: &Bound<'_, PyAny>) -> PyResult<Vec<T>> {
    match array.cast::<PyArray<T, D>>() {
        Ok(array) => read(array, <[T]>::to_vec),
        Err(_) => Err(other_kind::<T, D>(array)),
    }
}

/// The error for a value that is not an array of `T` with `D` dimensions.
pub(crate) fn other_kind<T: Number, D: Dimension>(array: &Bound<'_, PyAny>) -> PyErr {
    let wanted = match D::NDIM {
        Some(1) => "one dimension".to_owned(),
        Some(dimensions) => format!("{dimensions} dimensions"),
        None => "any number of dimensions".to_owned(),
    };
    let dtype = T::get_dtype(array.py());
    let found = match array.cast::<PyUntypedArray>() {
        Ok(array) => format!("one of {} with {} dimensions", array.dtype(), array.ndim()),
        Err(_) => array.get_type().name().map_or_else(|_| "?".to_owned(), |name| name.to_string()),
    };
    PyTypeError::new_err(format!("expected an array of {dtype} with {wanted}, not {found}"))
}
