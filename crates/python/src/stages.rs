//! The stages of a run on Arrow tables, for engines that bring documents with equal keys together themselves.

use crate::errors::{Raise, outside, setting};
use crate::jobs::Options;
use crate::table::ArrowTable;
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use pyo3::prelude::*;
use std::num::NonZeroU32;
use std::sync::Arc;

/// The number of rows that are processed between two checks for signals.
const ROWS: usize = 1 << 10;

/// The stages of a run with given settings.
#[pyclass(frozen, name = "Stages", module = "lookalike._native")]
#[derive(Debug)]
pub(crate) struct NativeStages {
    stages: stages::Stages,
}

impl NativeStages {
    /// Runs a stage on each batch, and checks for signals between batches.
    fn each(
        &self,
        py: Python<'_>,
        table: &ArrowTable,
        stage: impl Fn(&stages::Stages, &RecordBatch) -> stages::Result<RecordBatch> + Sync,
    ) -> PyResult<ArrowTable> {
        let empty = stage(&self.stages, &RecordBatch::new_empty(Arc::clone(&table.schema))).or_raise()?;
        let mut batches = Vec::with_capacity(table.batches.len());
        for batch in &table.batches {
            for from in (0..batch.num_rows()).step_by(ROWS) {
                py.check_signals()?;
                let some = batch.slice(from, ROWS.min(batch.num_rows() - from));
                batches.push(outside(py, || stage(&self.stages, &some))?.or_raise()?);
            }
        }
        Ok(ArrowTable { schema: empty.schema(), batches })
    }
}

#[pymethods]
impl NativeStages {
    #[new]
    fn new(options: Options, key: &str) -> PyResult<Self> {
        Ok(Self { stages: stages::Stages::with_key(&options.settings()?, key).or_raise()? })
    }

    fn sketch(&self, py: Python<'_>, table: &ArrowTable) -> PyResult<ArrowTable> {
        self.each(py, table, stages::Stages::sketch)
    }

    fn bad_records(&self, py: Python<'_>, table: &ArrowTable) -> PyResult<ArrowTable> {
        self.each(py, table, stages::Stages::bad_records)
    }

    fn decide(&self, py: Python<'_>, table: &ArrowTable) -> PyResult<ArrowTable> {
        grouped(py, table, |batch| self.stages.decide(batch))
    }

    fn removed_copies(&self, py: Python<'_>, table: &ArrowTable) -> PyResult<ArrowTable> {
        self.each(py, table, stages::Stages::removed_copies)
    }

    fn signature_similarity(&self, py: Python<'_>, table: &ArrowTable) -> PyResult<ArrowTable> {
        self.each(py, table, stages::Stages::signature_similarity)
    }

    fn verify(&self, py: Python<'_>, table: &ArrowTable) -> PyResult<ArrowTable> {
        self.each(py, table, stages::Stages::verify)
    }

    fn prepare(&self, py: Python<'_>, table: &ArrowTable) -> PyResult<ArrowTable> {
        self.each(py, table, stages::Stages::prepare)
    }

    fn verify_pairs(
        &self,
        py: Python<'_>,
        documents: &ArrowTable,
        pairs: &ArrowTable,
    ) -> PyResult<ArrowTable> {
        let documents = whole(documents)?;
        grouped(py, pairs, |batch| self.stages.verify_pairs(&documents, batch))
    }
}

/// All rows of a table in one batch.
pub(crate) fn whole(table: &ArrowTable) -> PyResult<RecordBatch> {
    arrow_select::concat::concat_batches(&table.schema, &table.batches).map_err(setting)
}

/// Runs a stage on all rows of a table at once.
pub(crate) fn grouped(
    py: Python<'_>,
    table: &ArrowTable,
    stage: impl Fn(&RecordBatch) -> stages::Result<RecordBatch> + Sync,
) -> PyResult<ArrowTable> {
    py.check_signals()?;
    let whole = whole(table)?;
    let made = outside(py, || stage(&whole))?.or_raise()?;
    Ok(ArrowTable { schema: made.schema(), batches: vec![made] })
}

/// A key for all workers of a run.
#[pyfunction]
pub(crate) fn new_key() -> PyResult<String> {
    stages::Stages::new_key().or_raise()
}

/// The exact copies of a table of sketches.
#[pyfunction]
pub(crate) fn copies(py: Python<'_>, table: &ArrowTable) -> PyResult<ArrowTable> {
    grouped(py, table, stages::copies)
}

/// The keys of a table of sketches, packed by block.
#[pyfunction]
pub(crate) fn key_blocks(py: Python<'_>, table: &ArrowTable, blocks: u32) -> PyResult<ArrowTable> {
    let blocks = NonZeroU32::new(blocks).ok_or_else(|| setting("there must be at least one block"))?;
    grouped(py, table, |batch| stages::key_blocks(batch, blocks))
}

/// Which documents of a table are connected.
#[pyfunction]
pub(crate) fn edges(py: Python<'_>, table: &ArrowTable) -> PyResult<ArrowTable> {
    grouped(py, table, stages::edges)
}

/// The first half of a round over edges.
#[pyfunction]
pub(crate) fn large_star(py: Python<'_>, table: &ArrowTable) -> PyResult<ArrowTable> {
    grouped(py, table, stages::large_star)
}

/// The second half of a round over edges.
#[pyfunction]
pub(crate) fn small_star(py: Python<'_>, table: &ArrowTable) -> PyResult<ArrowTable> {
    grouped(py, table, stages::small_star)
}

/// The pairs of ids that share a key, table by table.
#[pyfunction]
pub(crate) fn candidate_pairs(py: Python<'_>, table: &ArrowTable) -> PyResult<ArrowTable> {
    let schema: SchemaRef = stages::CandidatePairs::schema();
    let mut batches = Vec::new();
    // The columns of an empty table are checked too.
    stages::candidate_pairs(&RecordBatch::new_empty(Arc::clone(&table.schema))).or_raise()?;
    for grouped in &table.batches {
        let mut pairs = stages::candidate_pairs(grouped).or_raise()?;
        while let Some(batch) = outside(py, || pairs.next())? {
            py.check_signals()?;
            batches.push(batch.or_raise()?);
        }
    }
    Ok(ArrowTable { schema, batches })
}
