//! Two texts -> what they share.

use super::input::Options;
use crate::errors::{Raise, outside, setting};
use figures::{CompareData, Finding, NamedText};
use lookalike::passages::{self, Characters, Comparison, Place};
use pipeline::{Chances, Elements, Measure};
use pyo3::prelude::*;
use pyo3::types::PyDict;

fn compared(a: &str, b: &str, options: &Options) -> PyResult<(Chances, Comparison, String)> {
    let settings = options.settings()?;
    if settings.signature.elements == Elements::Bag {
        return Err(setting("compare compares sets of shingles, not bags; leave out elements"));
    }
    let chances = Chances::new(&settings).or_raise()?;
    let comparison = passages::compare(a, b, chances.shingler()).or_raise()?;
    Ok((chances, comparison, settings.signature.shingles))
}

/// The chance that a run compares the two: by their similarity, or by the part of the smaller one that is in the larger.
fn chance(chances: &Chances, comparison: &Comparison, measure: Measure) -> f64 {
    let counts = comparison.counts;
    let similarity = match measure {
        Measure::Jaccard => counts.jaccard(),
        Measure::Containment => counts.containment_of_a().max(counts.containment_of_b()),
    };
    chances.of(similarity, counts.a.min(counts.b) as u64)
}

/// Counts of shingles, the chance of being found, and the passages with their places in characters.
#[pyfunction]
pub(crate) fn compare<'py>(
    py: Python<'py>,
    a: String,
    b: String,
    options: Options,
) -> PyResult<Bound<'py, PyDict>> {
    let (chances, comparison, _) = outside(py, || compared(&a, &b, &options))??;
    let counts = comparison.counts;
    let found = PyDict::new(py);
    found.set_item("shingles_a", counts.a)?;
    found.set_item("shingles_b", counts.b)?;
    found.set_item("shared", counts.common)?;
    found.set_item("jaccard", counts.jaccard())?;
    found.set_item("containment_a", counts.containment_of_a())?;
    found.set_item("containment_b", counts.containment_of_b())?;
    found.set_item("chance", chance(&chances, &comparison, options.settings()?.matching.measure))?;
    let (in_a, in_b) = (Characters::new(&a), Characters::new(&b));
    let passages: Vec<(usize, usize, usize, usize, usize, bool)> = comparison
        .passages
        .iter()
        .map(|passage| {
            let (a, b) = (in_a.convert(&passage.a), in_b.convert(&passage.b));
            (a.start, a.end, b.start, b.end, passage.shingles, passage.place != Place::InOrder)
        })
        .collect();
    found.set_item("passages", passages)?;
    Ok(found)
}

/// The comparison as a page of HTML.
#[pyfunction]
pub(crate) fn compare_page(py: Python<'_>, a: String, b: String, options: Options) -> PyResult<String> {
    outside(py, || {
        let (chances, comparison, shingles) = compared(&a, &b, &options)?;
        let threshold = options.settings()?.matching.threshold;
        let probability = chance(&chances, &comparison, options.settings()?.matching.measure);
        let finding = Finding { plan: chances.label(), threshold, probability };
        Ok(figures::compare_page(&CompareData {
            a: NamedText { name: "A", text: &a },
            b: NamedText { name: "B", text: &b },
            comparison: &comparison,
            shingles,
            estimates: Vec::new(),
            finding: Some(finding),
            notes: Vec::new(),
        }))
    })?
}
