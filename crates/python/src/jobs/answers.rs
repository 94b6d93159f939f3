//! Pairs, clusters and matches -> columns.

use super::decisions::json;
use super::input::{Documents, Options};
use crate::watch::watched;
use numpy::IntoPyArray;
use pipeline::{Match, Member, Pair, Reference};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::ops::ControlFlow;

/// The names of documents as columns: `line`, and also `id` and `source` if the documents have names.
fn documents<'py>(
    py: Python<'py>,
    columns: &Bound<'py, PyDict>,
    prefix: &str,
    documents: &[Reference],
    named: bool,
) -> PyResult<()> {
    let lines: Vec<i64> = documents.iter().map(|document| document.line as i64).collect();
    columns.set_item(format!("{prefix}line"), lines.into_pyarray(py))?;
    if named {
        let ids = PyList::new(py, documents.iter().map(|document| &document.id))?;
        columns.set_item(format!("{prefix}id"), ids)?;
        let sources = PyList::new(py, documents.iter().map(|document| &document.source))?;
        columns.set_item(format!("{prefix}source"), sources)?;
    }
    Ok(())
}

/// True for documents in files. The rows of a table are named by the Python side, which has the table.
fn is_named(documents: &Documents<'_>) -> bool {
    matches!(documents, Documents::Paths(_))
}

fn similarities(found: impl Iterator<Item = Option<f64>>) -> Vec<f64> {
    found.map(|similarity| similarity.unwrap_or(f64::NAN)).collect()
}

/// All verified pairs, and the report.
#[pyfunction]
pub(crate) fn pairs<'py>(
    py: Python<'py>,
    inputs: Documents<'py>,
    options: Options,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<(Bound<'py, PyDict>, String)> {
    let (job, _temporary_copies) = options.job(&inputs, None, None)?;
    let mut found: Vec<Pair> = Vec::new();
    let report = watched(py, progress.as_ref(), |observer| {
        pipeline::pairs(&job, observer, &mut |pair| {
            found.push(pair);
            Ok(ControlFlow::Continue(()))
        })
    })?;
    let columns = PyDict::new(py);
    let named = is_named(&inputs);
    columns
        .set_item("similarity", similarities(found.iter().map(|pair| pair.similarity)).into_pyarray(py))?;
    let distances: Vec<i64> = found.iter().map(|pair| pair.distance.map_or(-1, i64::from)).collect();
    columns.set_item("distance", distances.into_pyarray(py))?;
    let (a, b): (Vec<_>, Vec<_>) = found.into_iter().map(|pair| (pair.a, pair.b)).unzip();
    documents(py, &columns, "a_", &a, named)?;
    documents(py, &columns, "b_", &b, named)?;
    Ok((columns, json(&report)?))
}

/// All clusters of at least two documents, and the report. The members of all clusters follow each other, and a list
/// says where each cluster ends.
#[pyfunction]
pub(crate) fn clusters<'py>(
    py: Python<'py>,
    inputs: Documents<'py>,
    options: Options,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<(Bound<'py, PyDict>, String)> {
    let (job, _temporary_copies) = options.job(&inputs, None, None)?;
    let mut members: Vec<Reference> = Vec::new();
    let mut similar: Vec<f64> = Vec::new();
    let mut ends: Vec<i64> = Vec::new();
    let report = watched(py, progress.as_ref(), |observer| {
        pipeline::clusters(&job, observer, &mut |member: Member| {
            if member.is_kept && !members.is_empty() {
                ends.push(members.len() as i64);
            }
            members.push(member.document);
            similar.push(member.similarity.unwrap_or(f64::NAN));
            Ok(())
        })
    })?;
    if !members.is_empty() {
        ends.push(members.len() as i64);
    }
    let columns = PyDict::new(py);
    documents(py, &columns, "", &members, is_named(&inputs))?;
    columns.set_item("similarity", similar.into_pyarray(py))?;
    columns.set_item("end", ends.into_pyarray(py))?;
    Ok((columns, json(&report)?))
}

/// The documents most similar to `text`.
#[pyfunction]
pub(crate) fn query<'py>(
    py: Python<'py>,
    inputs: Documents<'py>,
    text: String,
    top: usize,
    options: Options,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let (job, _temporary_copies) = options.job(&inputs, None, None)?;
    let found: Vec<Match> =
        watched(py, progress.as_ref(), |observer| pipeline::query(&job, &text, top, observer))?;
    let columns = PyDict::new(py);
    let similar: Vec<f64> = found.iter().map(|found| found.similarity).collect();
    columns.set_item("similarity", similar.into_pyarray(py))?;
    let found: Vec<Reference> = found.into_iter().map(|found| found.document).collect();
    documents(py, &columns, "", &found, is_named(&inputs))?;
    Ok(columns)
}
