//! Runs -> pages of HTML, and pages -> files.

use super::input::Options;
use crate::errors::{Raise, outside, setting};
use explain::examples::Examples;
use explain::report::{Page, of_run, page};
use pipeline::{FinishedRun, Report};
use pyo3::prelude::*;
use std::path::{Path, PathBuf};

/// A page, and a note about what it does not show.
type PageAndNote = (String, Option<String>);

fn answer(Page { html, note }: Page) -> PageAndNote {
    (html, note)
}

/// The page of the run in a folder.
#[pyfunction]
pub(crate) fn page_of_folder(py: Python<'_>, folder: &str, options: Options) -> PyResult<PageAndNote> {
    let resources = options.resources()?;
    outside(py, || {
        let run = FinishedRun::open(Path::new(folder), resources).or_raise()?;
        of_run(&run).or_raise().map(answer)
    })?
}

/// The page of a run in memory. It is made from the report, and from the examples that were chosen when the run
/// ended.
#[pyfunction]
pub(crate) fn page_of_memory(
    py: Python<'_>,
    title: &str,
    report: &str,
    examples: &str,
) -> PyResult<PageAndNote> {
    outside(py, || {
        let report: Report = serde_json::from_str(report).map_err(setting)?;
        let examples: Examples = serde_json::from_str(examples).map_err(setting)?;
        page(title, &report, &report.settings, &examples).or_raise().map(answer)
    })?
}

/// Writes a page to a file. An existing file is replaced only if it is such a page.
#[pyfunction]
pub(crate) fn write_page(py: Python<'_>, path: PathBuf, page: &str) -> PyResult<()> {
    outside(py, || files::write_page(&path, page).or_raise())?
}
