//! Arrays of hash values -> 64-bit slots.

use numpy::{PyArrayDyn, PyArrayMethods};
use pyo3::prelude::*;

/// The values of an array of any shape, row after row; anything that can be an array of 64-bit integers will do.
pub(super) fn read(array: &Bound<'_, PyAny>, slots: &mut Vec<u64>) -> PyResult<()> {
    slots.clear();
    if let Ok(array) = array.cast::<PyArrayDyn<u32>>() {
        let array = array.try_readonly()?;
        match array.as_slice() {
            Ok(values) => slots.extend(values.iter().map(|&value| u64::from(value))),
            Err(_) => slots.extend(array.as_array().iter().map(|&value| u64::from(value))),
        }
    } else if let Ok(array) = array.cast::<PyArrayDyn<u64>>() {
        let array = array.try_readonly()?;
        match array.as_slice() {
            Ok(values) => slots.extend_from_slice(values),
            Err(_) => slots.extend(array.as_array().iter()),
        }
    } else if let Ok(array) = array.cast::<PyArrayDyn<i64>>() {
        slots.extend(array.try_readonly()?.as_array().iter().map(|&value| value.cast_unsigned()));
    } else {
        let numpy = array.py().import("numpy")?;
        let array = numpy.call_method1("asarray", (array,))?.call_method1("astype", ("int64",))?;
        let array = array.cast::<PyArrayDyn<i64>>()?.try_readonly()?;
        slots.extend(array.as_array().iter().map(|&value| value.cast_unsigned()));
    }
    Ok(())
}
