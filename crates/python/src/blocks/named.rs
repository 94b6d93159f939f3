//! Results with named fields: the named tuples of `lookalike.estimates`.

use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// The classes of `lookalike.estimates`.
#[derive(Debug, Clone, Copy)]
pub(super) enum Named {
    Estimate,
    Cardinality,
    AngleEstimate,
}

impl Named {
    /// A tuple of this class.
    pub(super) fn of<'py>(self, py: Python<'py>, parts: impl PyCallArgs<'py>) -> PyResult<Bound<'py, PyAny>> {
        static CLASSES: [PyOnceLock<Py<PyAny>>; 3] = [const { PyOnceLock::new() }; 3];
        let name = match self {
            Self::Estimate => "Estimate",
            Self::Cardinality => "Cardinality",
            Self::AngleEstimate => "AngleEstimate",
        };
        let class = CLASSES[self as usize].get_or_try_init(py, || {
            Ok::<_, PyErr>(py.import("lookalike.estimates")?.getattr(name)?.unbind())
        })?;
        class.bind(py).call1(parts)
    }
}
