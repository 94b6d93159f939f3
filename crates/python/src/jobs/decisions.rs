//! Decisions -> columns, from which the Python side makes its answer.

use super::examples::examples;
use super::input::{Documents, OpenIndexes, Options};
use crate::errors::{Raise, outside, setting, system};
use crate::watch::watched;
use corpus::{RemovedRow, Target};
use numpy::IntoPyArray;
use pipeline::{Outcome, Report};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};

/// Removed documents, as columns.
#[derive(Debug, Default)]
struct Removed {
    rows: Vec<RemovedRow>,
}

impl Removed {
    /// The columns: numbers as arrays, the others as lists. Names are included only if `named`.
    fn columns<'py>(self, py: Python<'py>, named: bool) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        let rows = &self.rows;
        let numbers: Vec<i64> = rows.iter().map(|row| row.line as i64).collect();
        columns.set_item("line", numbers.into_pyarray(py))?;
        let numbers: Vec<i64> = rows.iter().map(|row| row.kept_line.map_or(0, |line| line as i64)).collect();
        columns.set_item("kept_line", numbers.into_pyarray(py))?;
        let numbers: Vec<f64> = rows.iter().map(|row| row.similarity.unwrap_or(f64::NAN)).collect();
        columns.set_item("similarity", numbers.into_pyarray(py))?;
        let numbers: Vec<i64> = rows.iter().map(|row| row.distance.map_or(-1, i64::from)).collect();
        columns.set_item("distance", numbers.into_pyarray(py))?;
        // The same few strings are used for all rows.
        let kinds = ["exact", "near", "bad"].map(|kind| (kind, PyString::intern(py, kind)));
        let kind = |row: &RemovedRow| kinds.iter().find(|(kind, _)| *kind == row.kind).map(|(_, name)| name);
        columns.set_item("kind", PyList::new(py, rows.iter().map(kind))?)?;
        columns.set_item("reason", PyList::new(py, rows.iter().map(|row| &row.reason))?)?;
        columns.set_item("kept_source", PyList::new(py, rows.iter().map(|row| &row.kept_source))?)?;
        if named {
            columns.set_item("id", PyList::new(py, rows.iter().map(|row| &row.id))?)?;
            columns.set_item("source", PyList::new(py, rows.iter().map(|row| &row.source))?)?;
            columns.set_item("kept_id", PyList::new(py, rows.iter().map(|row| &row.kept_id))?)?;
        }
        Ok(columns)
    }
}

/// The report as JSON.
pub(super) fn json(report: &Report) -> PyResult<String> {
    serde_json::to_string(report).map_err(setting)
}

/// The documents that would be removed, the report, and the examples for its page. No file is written.
#[pyfunction]
pub(crate) fn decide<'py>(
    py: Python<'py>,
    documents: Documents<'py>,
    against: Option<Documents<'py>>,
    indexes: OpenIndexes<'py>,
    options: Options,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<(Bound<'py, PyDict>, String, String)> {
    let (job, _temporary_copies) = options.job_with_indexes(&documents, against.as_ref(), None, &indexes)?;
    let is_paths = |documents: &Documents<'_>| matches!(documents, Documents::Paths(_));
    let is_asked = job.indexes.against.is_some();
    let named = is_asked || is_paths(&documents) || against.as_ref().is_some_and(is_paths);
    let mut removed = Removed::default();
    let report = watched(py, progress.as_ref(), |observer| {
        pipeline::decide(&job, observer, &mut |row| {
            removed.rows.push(row);
            Ok(())
        })
    })?;
    let examples = outside(py, || examples(&job, &removed.rows))?.or_raise()?;
    let examples = serde_json::to_string(&examples).map_err(setting)?;
    let columns = removed.columns(py, named)?;
    let own: Vec<&str> = job.sources.iter().map(|source| source.name.as_str()).collect();
    columns.set_item("own_sources", own)?;
    Ok((columns, json(&report)?, examples))
}

/// Runs dedup into a folder, and returns the report.
#[pyfunction]
pub(crate) fn dedup<'py>(
    py: Python<'py>,
    documents: Documents<'py>,
    against: Option<Documents<'py>>,
    indexes: OpenIndexes<'py>,
    output: &str,
    options: Options,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<String> {
    let (job, _temporary_copies) =
        options.job_with_indexes(&documents, against.as_ref(), Some(output), &indexes)?;
    let target = Target::new(output).or_raise()?;
    let outcome = watched(py, progress.as_ref(), |observer| pipeline::dedup(&job, &target, false, observer))?;
    match outcome {
        Outcome::Finished(report) | Outcome::AlreadyFinished(report) => json(&report),
    }
}

/// The content of an output file of a finished run.
#[pyfunction]
pub(crate) fn read_output<'py>(py: Python<'py>, output: &str, name: &str) -> PyResult<Bound<'py, PyBytes>> {
    let target = Target::new(output).or_raise()?;
    let bytes = py.detach(|| target.read(name)).or_raise()?;
    let missing = std::io::Error::from(std::io::ErrorKind::NotFound);
    let path = std::path::Path::new(output).join(name);
    let bytes = bytes.ok_or_else(|| system("read", &path, &missing))?;
    Ok(PyBytes::new(py, &bytes))
}
