//! Texts of pairs -> their exact similarity.

use crate::columns::{Texts, ids};
use crate::{Result, Stages};
use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use pipeline::DocumentBuffers;
use std::sync::Arc;

impl Stages {
    /// The exact similarity of the pairs of a batch with the columns `a`, `b`, `a_text` and `b_text`, and whether it
    /// reaches the threshold (`duplicate`). Null where a text is.
    pub fn verify(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let (a, b) = (ids(batch, "a")?, ids(batch, "b")?);
        let (left, right) = (Texts::of(batch, "a_text")?, Texts::of(batch, "b_text")?);
        let mut buffers = DocumentBuffers::default();
        let mut similarities = Vec::with_capacity(batch.num_rows());
        for row in 0..batch.num_rows() {
            let both = left.get(row).zip(right.get(row));
            similarities.push(both.map(|(a, b)| self.documents.similarity(a, b, &mut buffers)).transpose()?);
        }
        let verdicts = similarities.iter().map(|it| it.map(|it| self.documents.is_duplicate(it)));
        let duplicate: BooleanArray = verdicts.collect();
        let columns: Vec<ArrayRef> =
            vec![Arc::new(a), Arc::new(b), Arc::new(Float64Array::from(similarities)), Arc::new(duplicate)];
        Ok(RecordBatch::try_new(verdict_schema("duplicate"), columns)?)
    }
}

/// Pairs with a similarity and a verdict.
pub(crate) fn verdict_schema(verdict: &str) -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new("a", DataType::Int64, false),
        Field::new("b", DataType::Int64, false),
        Field::new("similarity", DataType::Float64, true),
        Field::new(verdict, DataType::Boolean, true),
    ]))
}
