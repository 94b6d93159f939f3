//! Texts -> content hash, number of shingles, signature and keys.

use crate::columns::{Texts, ids};
use crate::{Error, Result, Stages};
use arrow_array::builder::{
    FixedSizeBinaryBuilder, Int64Builder, ListBuilder, PrimitiveBuilder, StringBuilder,
};
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use pipeline::{DocumentBuffers, OnBadRecord, Sketch};
use std::sync::Arc;

impl Stages {
    /// What [`sketch`](Self::sketch) returns.
    #[must_use]
    pub fn sketch_schema(&self) -> SchemaRef {
        let signature = DataType::FixedSizeBinary(2 * self.documents.lanes() as i32);
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("content_hash", DataType::FixedSizeBinary(16), true),
            Field::new("shingles", DataType::Int64, true),
            Field::new("signature", signature, true),
            Field::new("keys", DataType::List(Arc::new(key_field())), false),
            Field::new("reason", DataType::Utf8, true),
        ]))
    }

    /// Sketches the documents of a batch with the columns `id` (or as the settings name it) and the text; if the settings
    /// name a column for `within`, also that.
    ///
    /// A document whose text is null is an error, or, unless `on-bad-record` is `fail`, a row without anything but the
    /// reason. A document that is compared by content hash only has no keys.
    pub fn sketch(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let settings = self.documents.settings();
        let numbers = ids(batch, settings.files.id_field.as_deref().unwrap_or("id"))?;
        let texts = Texts::of(batch, &settings.files.text_field)?;
        let within = settings.matching.within.as_deref().map(|name| Texts::of(batch, name)).transpose()?;
        let rows = batch.num_rows();
        let lanes = self.documents.lanes();
        let mut hashes = FixedSizeBinaryBuilder::with_capacity(rows, 16);
        let mut shingles = Int64Builder::with_capacity(rows);
        let mut signatures = FixedSizeBinaryBuilder::with_capacity(rows, 2 * lanes as i32);
        let mut keys: ListBuilder<PrimitiveBuilder<Int64Type>> =
            ListBuilder::new(Int64Builder::new()).with_field(key_field());
        let mut reasons = StringBuilder::new();
        let (mut buffers, mut sketch) = (DocumentBuffers::default(), Sketch::default());
        let mut bytes = Vec::with_capacity(2 * lanes);
        for row in 0..rows {
            let Some(text) = texts.get(row) else {
                let reason = format!("the column `{}` is null", settings.files.text_field);
                if settings.files.on_bad_record == OnBadRecord::Fail {
                    return Err(Error::BadRecord { id: numbers.value(row), reason });
                }
                hashes.append_null();
                shingles.append_null();
                signatures.append_null();
                keys.append(true);
                reasons.append_value(reason);
                continue;
            };
            let within = within.as_ref().and_then(|within| within.get(row));
            self.documents.sketch(text, within, &mut buffers, &mut sketch)?;
            hashes.append_value(sketch.content_hash.to_le_bytes())?;
            shingles.append_value(sketch.shingles as i64);
            bytes.clear();
            bytes.extend(sketch.lanes.iter().flat_map(|lane| lane.to_le_bytes()));
            signatures.append_value(&bytes)?;
            keys.values().extend(sketch.keys.iter().map(|&key| Some(key.cast_signed())));
            keys.append(true);
            reasons.append_null();
        }
        let columns: Vec<ArrayRef> = vec![
            Arc::new(numbers),
            Arc::new(hashes.finish()),
            Arc::new(shingles.finish()),
            Arc::new(signatures.finish()),
            Arc::new(keys.finish()),
            Arc::new(reasons.finish()),
        ];
        Ok(RecordBatch::try_new(self.sketch_schema(), columns)?)
    }
}

fn key_field() -> Field {
    Field::new("item", DataType::Int64, false)
}
