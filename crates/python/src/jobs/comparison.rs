//! Two texts, or two values of another kind -> how similar they are, and what they share.

use super::input::Options;
use crate::errors::{Raise, outside};
use explain::comparison::{Compared, TwoTexts, in_characters, place_name};
use lookalike::passages::Place;
use pyo3::prelude::*;
use pyo3::types::PyDict;

fn compared(a: String, b: String, options: &Options) -> PyResult<Compared> {
    let texts = TwoTexts { names: ["A".into(), "B".into()], texts: [a, b], is_binary: false };
    explain::comparison::compare(texts, &options.settings()?).or_raise()
}

/// The counts of shingles, the estimates, the probability of being found, and the passages with their positions in
/// characters.
#[pyfunction]
pub(crate) fn compare<'py>(
    py: Python<'py>,
    a: String,
    b: String,
    options: Options,
) -> PyResult<Bound<'py, PyDict>> {
    let compared = outside(py, || {
        let mut compared = compared(a, b, &options)?;
        let [a, b] = &compared.of.texts;
        in_characters(&mut compared.comparison, a, b);
        PyResult::Ok(compared)
    })??;
    let counts = compared.comparison.counts;
    let found = PyDict::new(py);
    found.set_item("shingles_a", counts.a)?;
    found.set_item("shingles_b", counts.b)?;
    found.set_item("shared", counts.common)?;
    found.set_item("similarity", compared.similarity)?;
    found.set_item("jaccard", counts.jaccard())?;
    found.set_item("containment_a", counts.containment_of_a())?;
    found.set_item("containment_b", counts.containment_of_b())?;
    found.set_item("threshold", compared.finding.threshold)?;
    found.set_item("chance", compared.finding.probability)?;
    found.set_item("plan", compared.finding.plan)?;
    let estimates: Vec<_> = compared
        .estimates
        .into_iter()
        .map(|estimate| {
            (estimate.sketch, estimate.measure, estimate.value, estimate.standard_error, estimate.exact)
        })
        .collect();
    found.set_item("estimates", estimates)?;
    let passages: Vec<_> = compared
        .comparison
        .passages
        .into_iter()
        .map(|passage| {
            let (a, b) = ((passage.a.start, passage.a.end), (passage.b.start, passage.b.end));
            (a, b, passage.shingles, passage.place != Place::InOrder, place_name(passage.place))
        })
        .collect();
    found.set_item("passages", passages)?;
    Ok(found)
}

/// The comparison as a page of HTML.
#[pyfunction]
pub(crate) fn compare_page(py: Python<'_>, a: String, b: String, options: Options) -> PyResult<String> {
    outside(py, || Ok(compared(a, b, &options)?.page()))?
}

/// Two values of a kind other than text, which are written as JSON: all that is known of the pair, as JSON.
#[pyfunction]
pub(crate) fn compare_values(py: Python<'_>, a: String, b: String, options: Options) -> PyResult<String> {
    outside(py, || {
        let compared = pipeline::compare_values(&options.settings()?, [&a, &b], [&[], &[]]).or_raise()?;
        Ok(compared.listed().to_string())
    })?
}
