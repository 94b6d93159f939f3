//! Settings -> what a run with them would find, in numbers and as a picture.

use super::input::Options;
use crate::errors::Raise;
use figures::svg::{Bin, Curve, CurvePlot, Histogram};
use pipeline::{Chances, Measure, PLANNED_SHINGLES};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Steps of the curve.
const STEPS: usize = 200;

/// Bands, rows, recall at the threshold, and the chance of finding a pair by its similarity.
#[pyfunction]
pub(crate) fn plan<'py>(
    py: Python<'py>,
    documents: u64,
    threads: usize,
    options: Options,
) -> PyResult<Bound<'py, PyDict>> {
    let settings = options.settings()?;
    let chances = py.detach(|| Chances::new(&settings)).or_raise()?;
    let plan = chances.plan();
    let found = PyDict::new(py);
    found.set_item("bands", plan.bands)?;
    found.set_item("rows", plan.rows)?;
    found.set_item("recall", plan.recall_at_threshold)?;
    found.set_item("threshold", settings.matching.threshold)?;
    found.set_item("hashes", settings.signature.hashes)?;
    found.set_item("label", chances.label())?;
    found.set_item("disk_bytes", documents.saturating_mul(plan.disk_bytes_per_document))?;
    found.set_item("least_memory", pipeline::least_memory(documents, threads.max(1)))?;
    let curve = (0..=STEPS).map(|step| chances.of(step as f64 / STEPS as f64, PLANNED_SHINGLES));
    found.set_item("curve", curve.collect::<Vec<f64>>())?;
    // Containment is found by sampled shingles, so that a document with few of them is found less often.
    let by_shingles = PyDict::new(py);
    if settings.matching.measure == Measure::Containment {
        for (shingles, chance) in chances.by_shingles(settings.matching.threshold) {
            by_shingles.set_item(shingles, chance)?;
        }
        found.set_item("shingles", PLANNED_SHINGLES)?;
    } else {
        found.set_item("shingles", py.None())?;
    }
    found.set_item("by_shingles", by_shingles)?;
    Ok(found)
}

/// The chance of finding a pair, for each of these similarities; with containment, of a document of so many shingles.
#[pyfunction]
#[pyo3(signature = (options, similarities, shingles=PLANNED_SHINGLES))]
pub(crate) fn chances(options: Options, similarities: Vec<f64>, shingles: u64) -> PyResult<Vec<f64>> {
    let chances = Chances::new(&options.settings()?).or_raise()?;
    Ok(similarities.into_iter().map(|similarity| chances.of(similarity, shingles)).collect())
}

/// The curve as a picture.
#[pyfunction]
pub(crate) fn curve_svg(label: &str, probabilities: Vec<f64>, threshold: Option<f64>) -> String {
    let curve = Curve { label: label.to_owned(), probabilities };
    CurvePlot { threshold, ..CurvePlot::of(curve) }.svg().standalone()
}

/// Similarities as a picture: how many pairs were found in each twentieth.
#[pyfunction]
pub(crate) fn histogram_svg(found: Vec<u64>, threshold: Option<f64>) -> String {
    let bins = found.into_iter().map(|found| Bin { found, missed: 0.0 }).collect();
    Histogram { bins, threshold }.svg().standalone()
}
