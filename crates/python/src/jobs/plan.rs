//! Settings -> which pairs a run would find, in numbers and as a picture.

use super::input::{Documents, Options};
use crate::errors::{Raise, outside};
use crate::watch::watched;
use explain::plan::{MOST_SAMPLED, MeasuredSample, Planned, Sample};
use figures::svg::{Bin, Curve, CurvePlot, Histogram};
use pipeline::{Chances, PLANNED_SHINGLES};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::json;

/// The number of steps of the curve.
const STEPS: usize = 200;

/// The bands, the rows, the recall at the threshold, and the probability of finding a pair as a function of its
/// similarity. Everything else that the command says about a plan is JSON under `explained`.
#[pyfunction]
pub(crate) fn plan<'py>(
    py: Python<'py>,
    documents: u64,
    threads: usize,
    options: Options,
    sample: Option<Documents<'py>>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let settings = options.settings()?;
    let planned = outside(py, || Planned::new(settings.clone(), documents, threads.max(1)))?.or_raise()?;
    let sample =
        sample.map(|inputs| measure(py, &planned, &inputs, &options, progress.as_ref())).transpose()?;
    let chances = py.detach(|| Chances::new(&settings)).or_raise()?;
    let plan = chances.plan();
    let found = PyDict::new(py);
    found.set_item("bands", plan.bands)?;
    found.set_item("rows", plan.rows)?;
    found.set_item("recall", plan.recall_at_threshold)?;
    found.set_item("short_up_to", plan.short_up_to)?;
    found.set_item("threshold", settings.matching.threshold)?;
    found.set_item("hashes", settings.signature.hashes)?;
    found.set_item("label", chances.label())?;
    found.set_item("disk_bytes", planned.disk_bytes)?;
    found.set_item("disk_bytes_with_keys", planned.disk_bytes_with_keys)?;
    found.set_item("least_memory", planned.least_memory)?;
    let suggested = sample.as_ref().and_then(MeasuredSample::suggested_shingles);
    let explained = json!({
        "alternatives": planned.alternatives,
        "tables": planned.tables,
        "sample": sample,
        "suggested_shingles": suggested,
    });
    found.set_item("explained", explained.to_string())?;
    let curve = (0..=STEPS).map(|step| planned.curve.at(step as f64 / STEPS as f64));
    found.set_item("curve", curve.collect::<Vec<f64>>())?;
    // With SimHash the threshold is not on the scale of the curve.
    found.set_item("drawn_threshold", planned.plot().threshold)?;
    let by_shingles = PyDict::new(py);
    for (shingles, chance) in &planned.by_shingles {
        by_shingles.set_item(shingles, chance)?;
    }
    found.set_item("shingles", (!planned.by_shingles.is_empty()).then_some(PLANNED_SHINGLES))?;
    found.set_item("by_shingles", by_shingles)?;
    Ok(found)
}

/// Measures a sample of these documents for a plan.
fn measure(
    py: Python<'_>,
    planned: &Planned,
    inputs: &Documents<'_>,
    options: &Options,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<MeasuredSample> {
    planned.check_sample().or_raise()?;
    let (job, _temporary_copies) = options.job(inputs, None, None)?;
    let (texts, documents) =
        watched(py, progress, |observer| pipeline::sample(&job, MOST_SAMPLED, observer))?;
    outside(py, || planned.measure(Sample { texts: &texts, documents }, &job.settings))?.or_raise()
}

/// The probability of finding a pair, for each of these similarities. With containment, it is for a document of this
/// many shingles. With SimHash, it is the probability that the fingerprints are within the distance.
#[pyfunction]
#[pyo3(signature = (options, similarities, shingles=PLANNED_SHINGLES))]
pub(crate) fn chances(options: Options, similarities: Vec<f64>, shingles: u64) -> PyResult<Vec<f64>> {
    let settings = options.settings_as_given()?;
    let chances = Chances::new(&settings).or_raise()?;
    let chance = |similarity| explain::chance(&chances, &settings, similarity, shingles);
    Ok(similarities.into_iter().map(chance).collect())
}

/// The curve as an SVG picture.
#[pyfunction]
pub(crate) fn curve_svg(label: &str, probabilities: Vec<f64>, threshold: Option<f64>) -> String {
    let curve = Curve { label: label.to_owned(), probabilities };
    CurvePlot { threshold, ..CurvePlot::of(curve) }.svg().standalone()
}

/// The similarities as an SVG picture: how many pairs were found in each range of width 0.05.
#[pyfunction]
pub(crate) fn histogram_svg(found: Vec<u64>, threshold: Option<f64>) -> String {
    let bins = found.into_iter().map(|found| Bin { found, missed: 0.0 }).collect();
    Histogram { bins, threshold }.svg().standalone()
}
