//! Weighted vectors, as the rows of a sparse matrix -> slots.

use lookalike::minhash::WeightedMinHash;
use numpy::ndarray::Ix1;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

use crate::arrays;
use crate::errors::{Raise, setting};

/// The slots of each row. Row `i` has the weights `weights[ends[i - 1]..ends[i]]`, in the columns at the same
/// positions of `columns`.
#[pyfunction]
pub(crate) fn compat_weighted<'py>(
    py: Python<'py>,
    sample_size: usize,
    seed: u64,
    ends: &Bound<'py, PyAny>,
    columns: &Bound<'py, PyAny>,
    weights: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray2<u64>>> {
    let hasher = WeightedMinHash::new(sample_size, seed).or_raise()?;
    let (columns, weights) = (arrays::values::<i64, Ix1>(columns)?, arrays::values::<f64, Ix1>(weights)?);
    if columns.len() != weights.len() {
        return Err(setting(format_args!("{} columns, but {} weights", columns.len(), weights.len())));
    }
    let elements: Vec<(u64, f64)> = columns.into_iter().map(i64::cast_unsigned).zip(weights).collect();
    let ends = arrays::values::<i64, Ix1>(ends)?;
    let ends: Vec<usize> = ends.into_iter().map(|end| usize::try_from(end).unwrap_or(usize::MAX)).collect();
    if ends.iter().any(|&end| end > elements.len()) || !ends.is_sorted() {
        return Err(setting("the ends of rows must ascend, and the last one must be the number of weights"));
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
