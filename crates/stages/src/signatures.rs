//! Signatures of pairs -> their similarity, by estimate.

use crate::columns::{ids, lanes_of, signatures};
use crate::verification::verdict_schema;
use crate::{Result, Stages};
use arrow_array::{Array, ArrayRef, BooleanArray, Float64Array, RecordBatch};
use std::sync::Arc;

impl Stages {
    /// The estimated similarity of the pairs of a batch with the columns `a`, `b`, `a_signature` and `b_signature`, and
    /// whether a run would compare them (`compared`). Null where a signature is.
    pub fn signature_similarity(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let (a, b) = (ids(batch, "a")?, ids(batch, "b")?);
        let left = signatures(batch, "a_signature", &self.documents)?;
        let right = signatures(batch, "b_signature", &self.documents)?;
        let (mut a_lanes, mut b_lanes) = (Vec::new(), Vec::new());
        let likeness = (0..batch.num_rows()).map(|row| {
            if left.is_null(row) || right.is_null(row) {
                return None;
            }
            lanes_of(left.value(row), &mut a_lanes);
            lanes_of(right.value(row), &mut b_lanes);
            Some(self.documents.likeness(&a_lanes, &b_lanes))
        });
        let likeness: Vec<_> = likeness.collect();
        let similarity: Float64Array = likeness.iter().map(|it| it.map(|it| it.similarity)).collect();
        let compared: BooleanArray = likeness.iter().map(|it| it.map(|it| it.is_compared)).collect();
        let columns: Vec<ArrayRef> = vec![Arc::new(a), Arc::new(b), Arc::new(similarity), Arc::new(compared)];
        Ok(RecordBatch::try_new(verdict_schema("compared"), columns)?)
    }
}
