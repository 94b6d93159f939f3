//! `SCurve`: bands and rows -> the probability that a pair is found.

use super::arguments::{size, whole};
use crate::arrays;
use crate::errors::{self, Raise};
use figures::svg::{Curve, CurvePlot};
use lookalike::banding::{self, Banding, plan};
use numpy::{IntoPyArray, PyArray1, PyArrayDyn, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt, PyType};

/// The S-curve of `bands` bands of `rows` rows: the probability `1 - (1 - s^rows)^bands` that a pair of similarity `s`
/// shares a band, and therefore becomes a candidate.
///
/// A notebook shows it as a plot.
///
/// >>> from lookalike import SCurve
/// >>> curve = SCurve(20, 5)
/// >>> round(curve.probability(0.8), 4), round(curve.probability(0.3), 4)
/// (0.9996, 0.0475)
/// >>> SCurve.for_recall(128, threshold=0.8, recall=0.99)
/// SCurve(bands=21, rows=6)
#[pyclass(module = "lookalike", frozen, eq, hash)]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct SCurve {
    banding: Banding,
}

/// An array of numbers.
type Numbers<'py> = Bound<'py, PyArray1<f64>>;

impl SCurve {
    pub(super) fn of(banding: Banding) -> Self {
        Self { banding }
    }

    fn curve(&self) -> banding::SCurve {
        banding::SCurve::new(self.banding)
    }

    fn planned(plan: lookalike::Result<plan::Plan>) -> PyResult<Self> {
        Ok(Self { banding: plan.or_raise()?.banding })
    }
}

#[pymethods]
impl SCurve {
    #[new]
    fn new(
        #[pyo3(from_py_with = size)] bands: usize,
        #[pyo3(from_py_with = size)] rows: usize,
    ) -> PyResult<Self> {
        Ok(Self { banding: Banding::new(bands, rows).or_raise()? })
    }

    /// The curve that finds a pair of similarity `threshold` with probability `recall` or more. It uses as many bands as
    /// the hashes allow, and has the fewest candidates among such curves.
    #[classmethod]
    #[pyo3(signature = (num_hashes=128, threshold=0.8, recall=0.99))]
    fn for_recall(
        _: &Bound<'_, PyType>,
        #[pyo3(from_py_with = size)] num_hashes: usize,
        threshold: f64,
        recall: f64,
    ) -> PyResult<Self> {
        Self::planned(plan::by_recall(num_hashes, threshold, recall))
    }

    /// The curve of at most `num_hashes` hashes with the smallest weighted sum of the two error areas: false
    /// positives left of the threshold, and false negatives right of it. It misses many pairs just above the
    /// threshold.
    #[classmethod]
    #[pyo3(signature = (num_hashes=128, threshold=0.8, false_positive_weight=0.5, false_negative_weight=0.5))]
    fn by_areas(
        class: &Bound<'_, PyType>,
        #[pyo3(from_py_with = size)] num_hashes: usize,
        threshold: f64,
        false_positive_weight: f64,
        false_negative_weight: f64,
    ) -> PyResult<Self> {
        let weights = (false_positive_weight, false_negative_weight);
        Self::planned(class.py().detach(|| plan::by_areas(num_hashes, threshold, weights.0, weights.1)))
    }

    /// The textbook rule: the number of bands divides `num_hashes`, and the curve rises at `(1/bands)^(1/rows)`, as
    /// near to the threshold as possible. It misses more than a third of the pairs at the threshold.
    #[classmethod]
    #[pyo3(signature = (num_hashes=128, threshold=0.8))]
    fn by_notes_rule(
        _: &Bound<'_, PyType>,
        #[pyo3(from_py_with = size)] num_hashes: usize,
        threshold: f64,
    ) -> PyResult<Self> {
        Self::planned(plan::by_notes_rule(num_hashes, threshold))
    }

    /// The number of bands.
    #[getter]
    fn bands(&self) -> usize {
        self.banding.bands()
    }

    /// The number of rows in each band.
    #[getter]
    fn rows(&self) -> usize {
        self.banding.rows()
    }

    /// The number of hashes that the bands use: bands times rows.
    #[getter]
    fn num_hashes(&self) -> usize {
        self.banding.num_hashes()
    }

    /// The similarity at which the curve rises, approximately: `(1/bands)^(1/rows)`. About 63 % of the pairs with
    /// this similarity are found.
    #[getter]
    fn threshold(&self) -> f64 {
        self.curve().approximate_threshold()
    }

    /// The probability that a pair of this similarity becomes a candidate. For an array of similarities, an array of
    /// probabilities. A similarity below 0 counts as 0, one above 1 counts as 1, and NaN gives NaN.
    fn probability<'py>(
        &self,
        py: Python<'py>,
        similarity: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let curve = self.curve();
        if similarity.is_instance_of::<PyFloat>() || similarity.is_instance_of::<PyInt>() {
            return Ok(PyFloat::new(py, curve.probability(similarity.extract()?)).into_any());
        }
        if similarity.is_none() {
            return Err(pyo3::exceptions::PyTypeError::new_err(
                "a similarity must be a number or an array, not None",
            ));
        }
        let array = py.import("numpy")?.call_method1("asarray", (similarity, "float64"))?;
        let similarities = array.cast::<PyArrayDyn<f64>>()?;
        let chances: Vec<f64> =
            arrays::read(similarities, |all| all.iter().map(|&s| curve.probability(s)).collect())?;
        Ok(chances.into_pyarray(py).reshape(similarities.dims())?.into_any())
    }

    /// The smallest similarity at which a pair is found with at least this probability.
    fn similarity_at(&self, probability: f64) -> PyResult<f64> {
        self.curve().similarity_at(probability).or_raise()
    }

    /// The area below the curve, left of the threshold: pairs that are compared in vain.
    fn false_positive_area(&self, threshold: f64) -> PyResult<f64> {
        self.curve().false_positive_area(threshold).or_raise()
    }

    /// The area above the curve, right of the threshold: pairs that are missed.
    fn false_negative_area(&self, threshold: f64) -> PyResult<f64> {
        self.curve().false_negative_area(threshold).or_raise()
    }

    /// Points of the curve for plotting: `count` evenly spaced similarities from 0 to 1, and their probabilities.
    #[pyo3(signature = (count=101))]
    fn points<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = whole)] count: u64,
    ) -> PyResult<(Numbers<'py>, Numbers<'py>)> {
        if !(2..=1 << 24).contains(&count) {
            return Err(errors::setting(format_args!("count = {} is not allowed: from 2 to 2^24", count)));
        }
        let (curve, last) = (self.curve(), (count - 1) as f64);
        let similarities: Vec<f64> = (0..count).map(|at| at as f64 / last).collect();
        let probabilities: Vec<f64> = similarities.iter().map(|&s| curve.probability(s)).collect();
        Ok((similarities.into_pyarray(py), probabilities.into_pyarray(py)))
    }

    /// Draws the curve with matplotlib (`pip install lookalike[plot]`) on `ax`, or on new axes, and returns the axes.
    #[pyo3(signature = (ax=None))]
    fn plot<'py>(slf: &Bound<'py, Self>, ax: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("lookalike._plots")?.call_method1("plot_curve", (slf, ax))
    }

    fn _repr_html_(&self) -> String {
        let curve = self.curve();
        CurvePlot::of(Curve::sample(self.banding.to_string(), |s| curve.probability(s))).svg().standalone()
    }

    fn __repr__(&self) -> String {
        format!("SCurve(bands={}, rows={})", self.bands(), self.rows())
    }

    fn __getnewargs__(&self) -> (usize, usize) {
        (self.bands(), self.rows())
    }
}
