//! Arrays of hash values -> 64-bit slots.
//!
//! What counts is that equal values have equal slots, so the bytes are read whatever type they are of: four make a
//! slot of a 32-bit value, and every eight make one otherwise. The usual array, of 32-bit values, is read where it is; of
//! others the bytes are copied out (`tobytes`), which takes half the time of borrowing the array with all checks.

use numpy::{PyArray1, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::setting;

/// The slots of `length` hash values; each of them is one number or several.
pub(super) fn read(hashvalues: &Bound<'_, PyAny>, length: usize) -> PyResult<Vec<u64>> {
    let py = hashvalues.py();
    if let Ok(array) = hashvalues.cast::<PyArray1<u32>>()
        && array.len() == length
        && array.is_c_contiguous()
    {
        // SAFETY: the array is contiguous and aligned, as NumPy says, and nobody writes to it meanwhile: that would take
        // the interpreter, which is held here, and the values are copied out before anything else is done.
        let values = unsafe { array.as_slice() };
        if let Ok(values) = values {
            return Ok(values.iter().map(|&value| u64::from(value)).collect());
        }
    }
    let bytes = match hashvalues.call_method0(intern!(py, "tobytes")) {
        Ok(bytes) => bytes,
        Err(_) => {
            let array =
                py.import(intern!(py, "numpy"))?.call_method1(intern!(py, "asarray"), (hashvalues,))?;
            array.call_method1(intern!(py, "astype"), ("int64",))?.call_method0(intern!(py, "tobytes"))?
        }
    };
    let bytes = bytes.cast::<PyBytes>()?.as_bytes();
    let size = bytes.len() / length.max(1);
    if bytes.is_empty() || !bytes.len().is_multiple_of(length.max(1)) || !matches!(size, 4 | 8 | 16) {
        return Err(setting(format_args!(
            "{} bytes are no {length} hash values of 4, 8 or 16 bytes",
            bytes.len()
        )));
    }
    Ok(match size {
        4 => bytes.as_chunks::<4>().0.iter().map(|word| u64::from(u32::from_ne_bytes(*word))).collect(),
        _ => bytes.as_chunks::<8>().0.iter().map(|word| u64::from_ne_bytes(*word)).collect(),
    })
}
