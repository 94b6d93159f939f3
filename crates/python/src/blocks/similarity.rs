//! `lookalike.similarity`: exact similarities.

use super::arguments::{floats_of, hashes_of, weights_of};
use crate::errors::{Raise, utf8};
use lookalike::shingling::ShingleSet;
use lookalike::similarity::{self, SetMeasure};
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyString};

fn of_sets(py: Python<'_>, measure: SetMeasure, a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<f64> {
    let (a, b) = (hashes_of(a)?, hashes_of(b)?);
    Ok(py.detach(|| measure.similarity(&ShingleSet::from_hashes(a), &ShingleSet::from_hashes(b))))
}

/// The Jaccard similarity of two sets: the shared elements, divided by all elements of both. For two empty sets it is
/// 1.
///
/// A set is a uint64 array of hashes or an iterable of str, bytes and ints.
///
/// >>> from lookalike.similarity import jaccard
/// >>> jaccard({"a", "b", "c"}, {"b", "c", "d"})
/// 0.5
#[pyfunction]
pub(crate) fn jaccard(py: Python<'_>, a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<f64> {
    of_sets(py, SetMeasure::Jaccard, a, b)
}

/// The share of the elements of `a` that are also in `b`. If `a` is empty, it is 1.
///
/// >>> from lookalike.similarity import containment
/// >>> containment(["a", "b"], ["b", "c", "d"])
/// 0.5
#[pyfunction]
pub(crate) fn containment(py: Python<'_>, a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<f64> {
    of_sets(py, SetMeasure::Containment, a, b)
}

/// The share of the elements of the smaller set that are also in the larger set.
///
/// >>> from lookalike.similarity import overlap_coefficient
/// >>> overlap_coefficient(["a", "b", "c", "d"], ["b", "c"])
/// 1.0
#[pyfunction]
pub(crate) fn overlap_coefficient(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
) -> PyResult<f64> {
    of_sets(py, SetMeasure::Overlap, a, b)
}

/// The number of shared elements, divided by the mean size of the two sets.
///
/// >>> from lookalike.similarity import dice
/// >>> dice(["a", "b", "c"], ["b"])
/// 0.5
#[pyfunction]
pub(crate) fn dice(py: Python<'_>, a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<f64> {
    of_sets(py, SetMeasure::Dice, a, b)
}

/// The weighted Jaccard similarity: the sum of the smaller weights, divided by the sum of the larger ones. Weights
/// are a dict, or a pair (elements, weights).
///
/// >>> from lookalike.similarity import weighted_jaccard
/// >>> weighted_jaccard({"a": 0.5, "b": 2.0}, {"b": 1.5, "c": 0.5})
/// 0.5
#[pyfunction]
pub(crate) fn weighted_jaccard(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<f64> {
    let sorted = |weights: &Bound<'_, PyAny>| {
        let mut weights = weights_of(weights)?;
        weights.sort_unstable_by_key(|&(element, _)| element);
        PyResult::Ok(weights)
    };
    similarity::weighted_jaccard(&sorted(a)?, &sorted(b)?).or_raise()
}

/// The cosine of the angle between two vectors of equal length.
///
/// >>> from lookalike.similarity import cosine
/// >>> cosine([1.0, 0.0], [2.0, 0.0])
/// 1.0
#[pyfunction]
pub(crate) fn cosine(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<f64> {
    similarity::cosine(&floats_of(a)?, &floats_of(b)?).or_raise()
}

/// How many characters have to be inserted, deleted or replaced to turn one text into the other.
///
/// >>> from lookalike.similarity import edit_distance
/// >>> edit_distance("kitten", "sitting")
/// 3
#[pyfunction]
pub(crate) fn edit_distance(
    py: Python<'_>,
    a: &Bound<'_, PyString>,
    b: &Bound<'_, PyString>,
) -> PyResult<usize> {
    let (a, b) = (utf8(a, "the first str")?, utf8(b, "the second str")?);
    let text = |bytes| std::str::from_utf8(bytes).expect("the interpreter encodes as UTF-8");
    let (a, b) = (text(a.as_bytes()), text(b.as_bytes()));
    Ok(py.detach(|| similarity::edit_distance(a, b)))
}
