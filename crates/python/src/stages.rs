//! The stages of a run on Arrow tables, for engines that bring documents with equal keys together themselves.

use crate::errors::{Raise, outside};
use crate::jobs::Options;
use crate::table::ArrowTable;
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use pyo3::prelude::*;
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
    fn new(options: Options) -> PyResult<Self> {
        Ok(Self { stages: stages::Stages::new(&options.settings()?).or_raise()? })
    }

    fn sketch(&self, py: Python<'_>, table: &ArrowTable) -> PyResult<ArrowTable> {
        self.each(py, table, stages::Stages::sketch)
    }

    fn signature_similarity(&self, py: Python<'_>, table: &ArrowTable) -> PyResult<ArrowTable> {
        self.each(py, table, stages::Stages::signature_similarity)
    }

    fn verify(&self, py: Python<'_>, table: &ArrowTable) -> PyResult<ArrowTable> {
        self.each(py, table, stages::Stages::verify)
    }
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
