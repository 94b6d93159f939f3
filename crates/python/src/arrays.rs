//! Arrays of NumPy -> their values, in the order in which Python counts them.
//!
//! An array is memory with strides. It may be in Fortran order, reversed, every other value of a larger one, or not aligned.
//! `as_slice` succeeds for any memory without gaps, also for Fortran order, and then the values come column by column.
//! So values are read through here only: memory that is not in C order and aligned is copied first.

use numpy::ndarray::Dimension;
use numpy::npyffi::{NPY_ARRAY_ALIGNED, NPY_ARRAY_C_CONTIGUOUS};
use numpy::{Element, PyArray, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;

/// Numbers that any bits are a value of.
pub(crate) trait Number: Element + Copy {}

impl Number for u8 {}
impl Number for u32 {}
impl Number for u64 {}
impl Number for i64 {}
impl Number for f64 {}

/// Whether the values lie one after the other, as Python counts them, and where the CPU can read them.
pub(crate) fn is_in_order<T: Number, D: Dimension>(array: &Bound<'_, PyArray<T, D>>) -> bool {
    array.is_c_contiguous() && (array.data() as usize).is_multiple_of(align_of::<T>())
}

/// Has `read` look at the values, which must not call Python.
pub(crate) fn read<T: Number, D: Dimension, R>(
    array: &Bound<'_, PyArray<T, D>>,
    read: impl FnOnce(&[T]) -> R,
) -> PyResult<R> {
    let array = if is_in_order(array) {
        array.clone()
    } else {
        array.call_method1(intern!(array.py(), "copy"), (intern!(array.py(), "C"),))?.cast_into()?
    };
    // SAFETY: the memory is in C order and aligned, and holds numbers of this type, as NumPy says. Nobody writes to it
    // meanwhile: that would take the interpreter, which is held here, and `read` does not call Python.
    let values = unsafe { array.as_slice() }?;
    Ok(read(values))
}

/// The values of an array of one dimension, if that takes no more than a look at it: for what is called very often.
///
/// They must not be kept while Python is called.
pub(crate) fn plain<'a, T: Number>(array: &'a Bound<'_, PyAny>) -> Option<&'a [T]> {
    let array = array.cast::<PyUntypedArray>().ok()?;
    // SAFETY: it is an array, whose fields NumPy keeps as they are laid out here.
    let fields = unsafe { &(*array.as_array_ptr()).fields };
    // Whoever makes an array of a native type takes NumPy's one description of it, by whose address it is known.
    let is_plain = fields.nd == 1
        && fields.descr.cast() == T::get_dtype(array.py()).as_ptr()
        && fields.flags & PLAIN == PLAIN
        && !fields.data.is_null();
    // SAFETY: the array has one dimension of numbers of this type, one after the other and aligned. Nobody writes to it
    // meanwhile: that would take the interpreter, which is held here.
    is_plain.then(|| unsafe { std::slice::from_raw_parts(fields.data.cast(), *fields.dimensions as usize) })
}

/// In C order, aligned.
const PLAIN: i32 = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED;

/// A copy of the values of an array of `T` with `D` dimensions; of another kind it is a `TypeError`.
pub(crate) fn values<T: Number, D: Dimension>(array: &Bound<'_, PyAny>) -> PyResult<Vec<T>> {
    match array.cast::<PyArray<T, D>>() {
        Ok(array) => read(array, <[T]>::to_vec),
        Err(_) => Err(other_kind::<T, D>(array)),
    }
}

/// What is said of an array that is none of `T` with `D` dimensions.
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
    PyTypeError::new_err(format!("an array of {dtype} with {wanted} is wanted, not {found}"))
}
