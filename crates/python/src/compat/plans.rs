//! Thresholds -> bands and rows, sizes -> partitions.

use lookalike::banding::{containment, plan};
use lookalike::compat::partitions::least_false_positives;
use pyo3::prelude::*;

use crate::errors::Raise;

/// The bands and rows with the smallest weighted error areas.
#[pyfunction]
pub(crate) fn compat_bands(
    py: Python<'_>,
    threshold: f64,
    num_perm: usize,
    false_positive_weight: f64,
    false_negative_weight: f64,
) -> PyResult<(usize, usize)> {
    let plan = py
        .detach(|| plan::by_areas(num_perm, threshold, false_positive_weight, false_negative_weight))
        .or_raise()?;
    Ok((plan.banding.bands(), plan.banding.rows()))
}

/// The same for a threshold of containment in documents `ratio` times as large as the query.
#[pyfunction]
pub(crate) fn compat_containment_bands(
    py: Python<'_>,
    threshold: f64,
    num_perm: usize,
    max_rows: usize,
    ratio: f64,
    weights: (f64, f64),
) -> PyResult<(usize, usize)> {
    let planned = py
        .detach(|| containment::by_areas(num_perm, max_rows, threshold, ratio, weights.0, weights.1))
        .or_raise()?;
    Ok((planned.bands(), planned.rows()))
}

/// The ranges of sizes with the fewest expected false positives.
#[pyfunction]
pub(crate) fn compat_partitions(
    py: Python<'_>,
    sizes: Vec<f64>,
    counts: Vec<u64>,
    partitions: usize,
) -> PyResult<Vec<(f64, f64)>> {
    py.detach(|| least_false_positives(&sizes, &counts, partitions)).or_raise()
}
