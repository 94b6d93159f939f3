//! Arrays of hash values -> 64-bit slots.
//!
//! Equal values must have equal slots; nothing else matters. Therefore the bytes are read without regard to their
//! type: a 32-bit value makes one slot from four bytes, and other values make a slot from every eight bytes. The
//! usual arrays, with contiguous unsigned values, are read without a copy. The bytes of other arrays are copied
//! (`tobytes`), in C order and in the byte order of the machine.

use numpy::{PyArray1, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::arrays;
use crate::errors::setting;

/// The slots of `length` hash values. Each hash value is one number or several.
pub(super) fn read(hashvalues: &Bound<'_, PyAny>, length: usize) -> PyResult<Vec<u64>> {
    if let Ok(array) = hashvalues.cast::<PyArray1<u32>>()
        && array.len() == length
    {
        return arrays::read(array, |values| values.iter().map(|&value| u64::from(value)).collect());
    }
    if let Ok(array) = hashvalues.cast::<PyArray1<u64>>()
        && array.len() == length
    {
        return arrays::read(array, <[u64]>::to_vec);
    }
    let bytes = native_bytes(hashvalues)?;
    let bytes = bytes.as_bytes();
    let size = bytes.len() / length.max(1);
    if bytes.is_empty() || !bytes.len().is_multiple_of(length.max(1)) || !matches!(size, 4 | 8 | 16) {
        return Err(setting(format_args!(
            "{} bytes cannot be {length} hash values of 4, 8 or 16 bytes",
            bytes.len()
        )));
    }
    Ok(match size {
        4 => bytes.as_chunks::<4>().0.iter().map(|word| u64::from(u32::from_ne_bytes(*word))).collect(),
        _ => bytes.as_chunks::<8>().0.iter().map(|word| u64::from_ne_bytes(*word)).collect(),
    })
}

/// The bytes of all numbers, in the byte order of this machine.
fn native_bytes<'py>(hashvalues: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    let py = hashvalues.py();
    let array = py.import(intern!(py, "numpy"))?.call_method1(intern!(py, "asarray"), (hashvalues,))?;
    let dtype = array.cast::<PyUntypedArray>()?.dtype();
    let kind: String = dtype.getattr(intern!(py, "kind"))?.extract()?;
    let native: bool = dtype.getattr(intern!(py, "isnative"))?.extract()?;
    let array = match kind.as_str() {
        "i" | "u" | "f" if native => array,
        "i" | "u" | "f" => {
            let native = dtype.call_method1(intern!(py, "newbyteorder"), ("=",))?;
            array.call_method1(intern!(py, "astype"), (native,))?
        }
        // These are Python objects, whose bytes would be their addresses.
        _ => array.call_method1(intern!(py, "astype"), ("int64",))?,
    };
    Ok(array.call_method0(intern!(py, "tobytes"))?.cast_into()?)
}
