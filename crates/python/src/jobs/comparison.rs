//! Two texts -> what they share.

use super::input::Options;
use crate::errors::{Raise, setting};
use figures::{CompareData, Finding, NamedText};
use lookalike::passages::{self, Characters, Comparison, Place};
use pipeline::{Chances, Elements};
use pyo3::prelude::*;
use pyo3::types::PyDict;

fn compared(a: &str, b: &str, options: &Options) -> PyResult<(Chances, Comparison, String)> {
    let settings = options.settings()?;
    if settings.elements == Elements::Bag {
        return Err(setting("compare compares sets of shingles, not bags; leave out elements"));
    }
    let chances = Chances::new(&settings).or_raise()?;
    let comparison = passages::compare(a, b, chances.shingler()).or_raise()?;
    Ok((chances, comparison, settings.shingles))
}

/// Counts of shingles, the chance of being found, and the passages with their places in characters.
#[pyfunction]
pub(crate) fn compare<'py>(
    py: Python<'py>,
    a: String,
    b: String,
    options: Options,
) -> PyResult<Bound<'py, PyDict>> {
    let (chances, comparison, _) = py.detach(|| compared(&a, &b, &options))?;
    let counts = comparison.counts;
    let found = PyDict::new(py);
    found.set_item("shingles_a", counts.a)?;
    found.set_item("shingles_b", counts.b)?;
    found.set_item("shared", counts.common)?;
    found.set_item("jaccard", counts.jaccard())?;
    found.set_item("containment_a", counts.containment_of_a())?;
    found.set_item("containment_b", counts.containment_of_b())?;
    found.set_item("chance", chances.of(counts.jaccard(), counts.a.min(counts.b) as u64))?;
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
    py.detach(|| {
        let (chances, comparison, shingles) = compared(&a, &b, &options)?;
        let threshold = options.settings()?.threshold;
        let counts = comparison.counts;
        let probability = chances.of(counts.jaccard(), counts.a.min(counts.b) as u64);
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
    })
}
