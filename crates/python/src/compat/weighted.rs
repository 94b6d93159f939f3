//! Weighted vectors, as the rows of a sparse matrix -> slots.

use lookalike::minhash::WeightedMinHash;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::errors::{Raise, setting};

/// The slots of each row: row `i` has `weights[ends[i - 1]..ends[i]]` in the columns of the same places.
#[pyfunction]
pub(crate) fn compat_weighted<'py>(
    py: Python<'py>,
    sample_size: usize,
    seed: u64,
    ends: PyReadonlyArray1<'py, i64>,
    columns: PyReadonlyArray1<'py, i64>,
    weights: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyArray2<u64>>> {
    let hasher = WeightedMinHash::new(sample_size, seed).or_raise()?;
    let elements: Vec<(u64, f64)> = columns
        .as_array()
        .iter()
        .map(|&column| column.cast_unsigned())
        .zip(weights.as_array().iter().copied())
        .collect();
    let ends: Vec<usize> =
        ends.as_array().iter().map(|&end| usize::try_from(end).unwrap_or(usize::MAX)).collect();
    if ends.iter().any(|&end| end > elements.len()) || !ends.is_sorted() {
        return Err(setting("the ends of rows ascend up to the number of weights"));
    }
    let slots = py.detach(|| -> lookalike::Result<Vec<u64>> {
        let mut slots = Vec::with_capacity(ends.len() * sample_size);
        let mut start = 0;
        for &end in &ends {
            slots.extend_from_slice(hasher.sketch(&elements[start..end])?.slots());
            start = end;
        }
        Ok(slots)
    });
    PyArray1::from_vec(py, slots.or_raise()?).reshape([ends.len(), sample_size])
}
