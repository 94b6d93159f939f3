//! Registers and tables of datasketch's `HyperLogLog`.

use lookalike::compat::{hyperloglog, sha1};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Counts bytes in the registers, by the first `bits` (32 or 64) bits of their SHA-1. Returns false, and changes
/// nothing, if these registers or this value need the slow way: then Python goes it, with its own errors.
#[pyfunction]
pub(crate) fn compat_hyperloglog_update(
    registers: &Bound<'_, PyAny>,
    value: &Bound<'_, PyAny>,
    precision: u32,
    bits: u32,
) -> bool {
    let (Ok(registers), Ok(value)) = (registers.cast::<PyArray1<i8>>(), value.cast_exact::<PyBytes>()) else {
        return false;
    };
    let (4..=16, 32 | 64, Ok(mut registers)) = (precision, bits, registers.try_readwrite()) else {
        return false;
    };
    let hash = sha1::hash(value.as_bytes());
    let hash = if bits == 32 { hash & u64::from(u32::MAX) } else { hash };
    let (register, rank) = hyperloglog::register_and_rank(hash, bits, precision);
    match registers.as_array_mut().get_mut(register) {
        Some(register) => {
            // A rank is at most 61.
            *register = (*register).max(rank as i8);
            true
        }
        None => false,
    }
}

type Table<'py> = (f64, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

/// For the precisions from 4 to 18: the threshold of linear counting, the raw estimates and their biases.
#[pyfunction]
pub(crate) fn compat_hyperloglog_tables(py: Python<'_>) -> Vec<Table<'_>> {
    let array = |values: &[f64]| PyArray1::from_slice(py, values);
    hyperloglog::tables().map(|(threshold, raw, bias)| (threshold, array(raw), array(bias))).collect()
}
