//! Texts -> content hash, number of shingles, signature, keys and rank.

use crate::columns::{Flags, Texts, ids};
use crate::rows::{id_name, visit_rows};
use crate::{Error, Result, Stages};
use arrow_array::builder::{
    BooleanBuilder, Int64Builder, LargeBinaryBuilder, ListBuilder, PrimitiveBuilder, StringBuilder,
};
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use corpus::{Document, Record};
use pipeline::{DocumentBuffers, Documents, OnBadRecord, Origin, Sketch};
use std::sync::Arc;

impl Stages {
    /// What [`sketch`](Self::sketch) returns.
    #[must_use]
    pub fn sketch_schema(&self) -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new("content_hash", DataType::LargeBinary, true),
            Field::new("shingles", DataType::Int64, true),
            Field::new("signature", DataType::LargeBinary, true),
            Field::new("keys", DataType::List(Arc::new(key_field())), false),
            Field::new("rank", DataType::LargeBinary, true),
            Field::new("against", DataType::Boolean, false),
            Field::new("within_hash", DataType::LargeBinary, true),
            Field::new("reason", DataType::Utf8, true),
        ]))
    }

    /// Sketches the documents of a batch.
    ///
    /// The batch has the columns `id` (or as the settings name it) and the text; those that the settings name for
    /// `within` and `keep`; `source`, a name, if sources are preferred; and `against`, true for documents that are never
    /// removed, if there are any.
    ///
    /// | column | what it is |
    /// |---|---|
    /// | `content_hash` | equal for exact copies: equal normalised text, within the same value of `within` |
    /// | `shingles`, `signature` | what is known of the text |
    /// | `keys` | documents that share a key are candidates; none if a text is compared by content hash only |
    /// | `rank` | bytes that compare as documents come in keep order; ids break ties, so number documents in input order |
    /// | `against`, `within_hash` | what else decides |
    /// | `reason` | why a row has no text |
    ///
    /// A document whose text is null is an error, or, unless `on-bad-record` is `fail`, a row with little but the reason.
    pub fn sketch(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let settings = self.documents.settings();
        let numbers = ids(batch, id_name(settings))?;
        let against = Flags::of(batch, "against")?;
        let sources = match settings.matching.prefer.is_empty() {
            true => None,
            false => Some(Texts::of(batch, "source")?),
        };
        let mut rows = Rows::new(&self.documents, numbers.clone());
        visit_rows(batch, self.documents.fields(), |row, record| {
            let source = sources.as_ref().and_then(|sources| sources.get(row)).unwrap_or_default();
            let origin = if against.get(row) { Origin::Against } else { Origin::Source(source) };
            match record {
                Record::Document(document) => rows.push(&document, origin),
                Record::Bad(bad) => rows.push_bad(row, bad.reason, origin),
            }
        })?;
        Ok(RecordBatch::try_new(self.sketch_schema(), rows.finish())?)
    }
}

/// The columns of sketches, as they grow.
struct Rows<'a> {
    documents: &'a Documents,
    ids: Int64Array,
    hashes: LargeBinaryBuilder,
    shingles: Int64Builder,
    signatures: LargeBinaryBuilder,
    keys: ListBuilder<PrimitiveBuilder<Int64Type>>,
    ranks: LargeBinaryBuilder,
    against: BooleanBuilder,
    within: LargeBinaryBuilder,
    reasons: StringBuilder,
    buffers: DocumentBuffers,
    sketch: Sketch,
    bytes: Vec<u8>,
}

impl<'a> Rows<'a> {
    fn new(documents: &'a Documents, ids: Int64Array) -> Self {
        Self {
            documents,
            ids,
            hashes: LargeBinaryBuilder::new(),
            shingles: Int64Builder::new(),
            signatures: LargeBinaryBuilder::new(),
            keys: ListBuilder::new(Int64Builder::new()).with_field(key_field()),
            ranks: LargeBinaryBuilder::new(),
            against: BooleanBuilder::new(),
            within: LargeBinaryBuilder::new(),
            reasons: StringBuilder::new(),
            buffers: DocumentBuffers::default(),
            sketch: Sketch::default(),
            bytes: Vec::new(),
        }
    }

    fn push(&mut self, document: &Document<'_>, origin: Origin<'_>) -> Result<()> {
        let Self { documents, buffers, sketch, bytes, .. } = self;
        let within = document.within.as_deref();
        documents.sketch(document.text, within, buffers, sketch)?;
        self.hashes.append_value(sketch.copy_hash.to_le_bytes());
        self.shingles.append_value(sketch.shingles as i64);
        bytes.clear();
        bytes.extend(sketch.lanes.iter().flat_map(|lane| lane.to_le_bytes()));
        self.signatures.append_value(&bytes);
        self.keys.values().extend(sketch.keys.iter().map(|&key| Some(key.cast_signed())));
        self.keys.append(true);
        let order = document.order.map(|order| order.bytes);
        documents.rank(origin, document.text, sketch.shingles, order, bytes);
        self.ranks.append_value(&bytes);
        self.against.append_value(origin == Origin::Against);
        self.within.append_option(within.map(|value| {
            let halves = Documents::within_hash(value);
            halves.map(u64::to_le_bytes).concat()
        }));
        self.reasons.append_null();
        Ok(())
    }

    fn push_bad(&mut self, row: usize, reason: String, origin: Origin<'_>) -> Result<()> {
        if self.documents.settings().files.on_bad_record == OnBadRecord::Fail {
            return Err(Error::BadRecord { id: self.ids.value(row), reason });
        }
        self.hashes.append_null();
        self.shingles.append_null();
        self.signatures.append_null();
        self.keys.append(true);
        self.ranks.append_null();
        self.against.append_value(origin == Origin::Against);
        self.within.append_null();
        self.reasons.append_value(reason);
        Ok(())
    }

    fn finish(mut self) -> Vec<ArrayRef> {
        vec![
            Arc::new(self.ids),
            Arc::new(self.hashes.finish()),
            Arc::new(self.shingles.finish()),
            Arc::new(self.signatures.finish()),
            Arc::new(self.keys.finish()),
            Arc::new(self.ranks.finish()),
            Arc::new(self.against.finish()),
            Arc::new(self.within.finish()),
            Arc::new(self.reasons.finish()),
        ]
    }
}

fn key_field() -> Field {
    Field::new("item", DataType::Int64, false)
}
