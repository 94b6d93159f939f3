//! Texts -> sets that are compared, and pairs of them -> exact similarity.
//!
//! A text is shingled once, not once for each pair it is in: either by whoever compares it, or ahead ([`Stages::prepare`]).
//! A set takes 8 bytes for each shingle, which is about as much as the text; so texts are what to send around, unless
//! a document is compared in many places.
//!
//! What decides is hashed with a key (see [`Stages::with_key`]), so a set begins with a value that follows from the key
//! and from what a shingle is. Sets of another key are an error, since they would look different from everything.

use crate::columns::{bytes, ids};
use crate::rows::{id_name, text_of, text_only, visit_rows};
use crate::verification::verdict_schema;
use crate::{Error, Result, Stages};
use arrow_array::builder::LargeBinaryBuilder;
use arrow_array::{ArrayRef, BooleanArray, Float64Array, LargeBinaryArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use corpus::Record;
use pipeline::DocumentBuffers;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// The column of sets.
const SET: &str = "set";

impl Stages {
    /// What [`prepare`](Self::prepare) returns.
    #[must_use]
    pub fn prepare_schema() -> SchemaRef {
        Arc::new(Schema::new(vec![
            Field::new("id", DataType::Int64, false),
            Field::new(SET, DataType::LargeBinary, true),
        ]))
    }

    /// The sets of the documents of a batch with the columns `id` and the text; null where the text is.
    pub fn prepare(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let numbers = ids(batch, id_name(self.documents.settings()))?;
        let check = self.documents.key_check()?;
        let mut sets = LargeBinaryBuilder::new();
        let (mut buffers, mut set, mut written) = (DocumentBuffers::default(), Vec::new(), Vec::new());
        visit_rows(batch, &text_only(self.documents.fields()), |_, record| {
            let Record::Document(document) = record else {
                sets.append_null();
                return Ok(());
            };
            self.documents.set_into(document.text, &mut buffers, &mut set)?;
            written.clear();
            written.extend_from_slice(&check.to_le_bytes());
            written.extend(set.iter().flat_map(|element| element.to_le_bytes()));
            sets.append_value(&written);
            Ok(())
        })?;
        let columns: Vec<ArrayRef> = vec![Arc::new(numbers), Arc::new(sets.finish())];
        Ok(RecordBatch::try_new(Self::prepare_schema(), columns)?)
    }

    /// The exact similarity of `pairs` (the columns `a` and `b`) of these `documents` (the column `id`, and either the text
    /// or the `set` that was [prepared](Self::prepare) of it), and whether it reaches the threshold (`duplicate`). Null
    /// where a text is.
    ///
    /// Every document is shingled once, so an engine sends each text once for a block of pairs, and not twice for
    /// each pair.
    pub fn verify_pairs(&self, documents: &RecordBatch, pairs: &RecordBatch) -> Result<RecordBatch> {
        let numbers = ids(documents, id_name(self.documents.settings()))?;
        let sets = self.sets(documents, numbers.values())?;
        let mut rows = HashMap::with_capacity(documents.num_rows());
        for (row, &id) in numbers.values().iter().enumerate() {
            if rows.insert(id, row).is_some() {
                return Err(crate::copies::twice(id));
            }
        }
        let (a, b) = (ids(pairs, "a")?, ids(pairs, "b")?);
        let set = |id: i64| match rows.get(&id) {
            Some(&row) => Ok(sets.get(row)),
            None => Err(Error::Batch(format!("a pair names the id {id}, which is none of the documents"))),
        };
        let mut similarities = Vec::with_capacity(pairs.num_rows());
        for (&a, &b) in a.values().iter().zip(b.values()) {
            let both = set(a)?.zip(set(b)?);
            similarities.push(both.map(|(a, b)| self.documents.similarity_of_sets(a, b)).transpose()?);
        }
        let verdicts = similarities.iter().map(|it| it.map(|it| self.documents.is_duplicate(it)));
        let duplicate: BooleanArray = verdicts.collect();
        let columns: Vec<ArrayRef> =
            vec![Arc::new(a), Arc::new(b), Arc::new(Float64Array::from(similarities)), Arc::new(duplicate)];
        Ok(RecordBatch::try_new(verdict_schema("duplicate"), columns)?)
    }

    /// The sets of the documents of a batch, whose ids these are: as they were prepared, or else of their texts.
    pub(crate) fn sets(&self, batch: &RecordBatch, ids: &[i64]) -> Result<Sets> {
        let is_prepared =
            batch.column_by_name(SET).is_some() && self.documents.settings().files.text_field != SET;
        if is_prepared { self.prepared(&bytes(batch, SET)?, ids) } else { self.sets_of_texts(batch, ids) }
    }

    fn prepared(&self, column: &LargeBinaryArray, ids: &[i64]) -> Result<Sets> {
        let check = self.documents.key_check()?;
        let mut sets = Sets::default();
        for (row, written) in column.iter().enumerate() {
            let Some(written) = written else {
                sets.push(None);
                continue;
            };
            let (words, rest) = written.as_chunks::<8>();
            let start = sets.elements.len();
            sets.elements.extend(words.iter().map(|&word| u64::from_le_bytes(word)));
            let is_whole = rest.is_empty() && start < sets.elements.len();
            if !is_whole || !sets.elements[start + 1..].is_sorted_by(|a, b| a < b) {
                return Err(Error::Batch(format!(
                    "the set of the document with the id {} is not what `prepare` returned",
                    ids[row]
                )));
            }
            if sets.elements[start] != check {
                return Err(Error::OtherKey { id: ids[row] });
            }
            sets.push(Some(start + 1));
        }
        Ok(sets)
    }

    fn sets_of_texts(&self, batch: &RecordBatch, ids: &[i64]) -> Result<Sets> {
        let mut sets = Sets::default();
        let (mut buffers, mut set) = (DocumentBuffers::default(), Vec::new());
        visit_rows(batch, &text_only(self.documents.fields()), |row, record| {
            if matches!(record, Record::Bad(_)) {
                sets.push(None);
                return Ok(());
            }
            self.documents.set_into(text_of(&record, ids[row])?, &mut buffers, &mut set)?;
            let start = sets.elements.len();
            sets.elements.extend_from_slice(&set);
            sets.push(Some(start));
            Ok(())
        })?;
        Ok(sets)
    }
}

/// The sets of the rows of a batch.
#[derive(Debug, Default)]
pub(crate) struct Sets {
    elements: Vec<u64>,
    rows: Vec<Option<Range<usize>>>,
}

impl Sets {
    /// The next row has the elements from here on; or none, if its text is null.
    fn push(&mut self, start: Option<usize>) {
        self.rows.push(start.map(|start| start..self.elements.len()));
    }

    /// The set of a row, sorted.
    pub(crate) fn get(&self, row: usize) -> Option<&[u64]> {
        self.rows[row].clone().map(|elements| &self.elements[elements])
    }
}
