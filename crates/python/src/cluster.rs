//! The stages of a whole job on a cluster: `stages::cluster`.

use crate::errors::{Raise, damaged, outside, setting};
use crate::jobs::Options;
use crate::stages::{grouped, whole};
use crate::table::ArrowTable;
use pipeline::Tally;
use pyo3::prelude::*;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// The stages of a job with given settings.
#[pyclass(frozen, name = "ClusterRun", module = "lookalike._native")]
#[derive(Debug)]
pub(crate) struct NativeClusterRun {
    run: stages::ClusterRun,
}

#[pymethods]
impl NativeClusterRun {
    #[new]
    fn new(options: Options, key: &str) -> PyResult<Self> {
        Ok(Self { run: stages::ClusterRun::new(&options.settings()?, key).or_raise()? })
    }

    /// All settings, as JSON.
    fn settings(&self) -> PyResult<String> {
        serde_json::to_string(self.run.settings()).map_err(setting)
    }

    /// The packed keys of a table of documents, and what was counted, as JSON.
    fn pack_keys(&self, py: Python<'_>, table: &ArrowTable, blocks: u32) -> PyResult<(ArrowTable, String)> {
        let blocks = NonZeroU32::new(blocks).ok_or_else(|| setting("there must be at least one block"))?;
        let whole = whole(table)?;
        let (packed, tally) = outside(py, || self.run.pack_keys(&whole, blocks))?.or_raise()?;
        Ok((ArrowTable { schema: packed.schema(), batches: vec![packed] }, written(&tally)?))
    }

    /// An error if a pattern of `prefer` names none of these sources.
    fn check_sources(&self, names: Vec<String>) -> PyResult<()> {
        self.run.check_sources(names.iter().map(String::as_str)).or_raise()
    }

    /// The report of a run that counted this, as JSON.
    fn report(&self, tally: &str) -> PyResult<String> {
        serde_json::to_string(&self.run.report(&read(tally)?)).map_err(setting)
    }
}

/// Documents of connected sets, which are decided together.
#[pyclass(frozen, name = "Deciding", module = "lookalike._native")]
#[derive(Debug)]
pub(crate) struct NativeDeciding {
    run: Py<NativeClusterRun>,
    deciding: Mutex<stages::Deciding>,
}

#[pymethods]
impl NativeDeciding {
    /// Of the sets of documents, so many bytes may be in memory at once. Others are in a file in a folder, or in that of the
    /// system for temporary files. A large set is decided on so many threads.
    #[new]
    #[pyo3(signature = (run, limit, folder = None, threads = 1))]
    fn new(run: Py<NativeClusterRun>, limit: usize, folder: Option<PathBuf>, threads: usize) -> Self {
        let deciding = stages::Deciding::new(limit).in_folder(folder).on_threads(threads);
        Self { run, deciding: Mutex::new(deciding) }
    }

    /// Adds documents.
    fn add(&self, py: Python<'_>, table: &ArrowTable) -> PyResult<()> {
        let run = self.run.get();
        for batch in &table.batches {
            py.check_signals()?;
            outside(py, || {
                let mut deciding = self.deciding.lock().unwrap_or_else(PoisonError::into_inner);
                run.run.add(&mut deciding, batch)
            })?
            .or_raise()?;
        }
        Ok(())
    }

    /// About how many bytes the documents take.
    fn bytes(&self) -> usize {
        self.deciding.lock().unwrap_or_else(PoisonError::into_inner).bytes()
    }

    /// The removed documents, and what was counted, as JSON.
    fn decide(&self, py: Python<'_>, positions: Vec<i64>) -> PyResult<(ArrowTable, String)> {
        let run = self.run.get();
        let (removed, tally) = outside(py, || {
            let mut deciding = self.deciding.lock().unwrap_or_else(PoisonError::into_inner);
            run.run.decide(&mut deciding, &positions)
        })?
        .or_raise()?;
        Ok((ArrowTable { schema: removed.schema(), batches: vec![removed] }, written(&tally)?))
    }
}

/// Which documents of a table of packed keys or links are connected.
#[pyfunction]
pub(crate) fn connect(py: Python<'_>, table: &ArrowTable) -> PyResult<ArrowTable> {
    grouped(py, table, stages::cluster::connect)
}

/// The connected set of each document that has a link.
#[pyfunction]
pub(crate) fn members(py: Python<'_>, table: &ArrowTable) -> PyResult<ArrowTable> {
    grouped(py, table, stages::cluster::members)
}

/// Links as edges.
#[pyfunction]
pub(crate) fn edges_of_links(py: Python<'_>, table: &ArrowTable) -> PyResult<ArrowTable> {
    grouped(py, table, stages::cluster::edges_of_links)
}

/// The sum of what parts of a run counted.
#[pyfunction]
pub(crate) fn add_tallies(tallies: Vec<String>) -> PyResult<String> {
    let mut all = Tally::default();
    for tally in tallies {
        all.add(&read(&tally)?);
    }
    written(&all)
}

fn read(tally: &str) -> PyResult<Tally> {
    serde_json::from_str(tally)
        .map_err(|cause| damaged(format!("the counts of a task cannot be read: {cause}")))
}

fn written(tally: &Tally) -> PyResult<String> {
    serde_json::to_string(tally).map_err(setting)
}
