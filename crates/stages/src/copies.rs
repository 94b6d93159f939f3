//! Content hashes -> exact copies, and what becomes of them.

use crate::columns::{Flags, Texts, bytes, ids, integers, numbers};
use crate::decisions::{Kind, Removed, removed_schema};
use crate::{Error, Result, Stages};
use arrow_array::{Array, ArrayRef, BooleanArray, Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use pipeline::{CopyFate, Method};
use std::sync::Arc;

/// What [`copies`] returns.
#[must_use]
pub fn copies_schema() -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new("id", DataType::Int64, false),
        Field::new("original", DataType::Int64, false),
        Field::new("against", DataType::Boolean, false),
        Field::new("original_against", DataType::Boolean, false),
    ]))
}

/// Of sketches (the columns `content_hash`, `id`, `rank` and `against`): the exact copies, each with the first document in
/// keep order that has the same text, its `original`.
///
/// The rows of one content hash must all be in the batch; a batch may hold many hashes. What is a copy goes no further:
/// its keys must not reach [`key_blocks`](crate::key_blocks).
pub fn copies(sketches: &RecordBatch) -> Result<RecordBatch> {
    let (hashes, ranks) = (bytes(sketches, "content_hash")?, bytes(sketches, "rank")?);
    let (ids, against) = (ids(sketches, "id")?, Flags::of(sketches, "against")?);
    let mut rows: Vec<usize> = (0..sketches.num_rows()).filter(|&row| hashes.is_valid(row)).collect();
    if let Some(&row) = rows.iter().find(|&&row| ranks.is_null(row)) {
        return Err(Error::Batch(format!("the document with the id {} has no rank", ids.value(row))));
    }
    let key = |&row: &usize| (hashes.value(row), ranks.value(row), ids.value(row));
    rows.sort_unstable_by(|a, b| key(a).cmp(&key(b)));
    let mut found: Vec<(usize, usize)> = Vec::new();
    for group in rows.chunk_by(|&a, &b| hashes.value(a) == hashes.value(b)) {
        let original = group[0];
        for pair in group.windows(2) {
            if ids.value(pair[0]) == ids.value(pair[1]) {
                return Err(twice(ids.value(pair[0])));
            }
            found.push((pair[1], original));
        }
    }
    let id = |row: usize| ids.value(row);
    let columns: Vec<ArrayRef> = vec![
        Arc::new(found.iter().map(|&(copy, _)| id(copy)).collect::<Int64Array>()),
        Arc::new(found.iter().map(|&(_, original)| id(original)).collect::<Int64Array>()),
        Arc::new(BooleanArray::from_iter(found.iter().map(|&(copy, _)| Some(against.get(copy))))),
        Arc::new(BooleanArray::from_iter(found.iter().map(|&(_, original)| Some(against.get(original))))),
    ];
    Ok(RecordBatch::try_new(copies_schema(), columns)?)
}

/// A document must come once.
pub(crate) fn twice(id: i64) -> Error {
    Error::Batch(format!(
        "the document with the id {id} comes twice; ids must be unique, and so must joins be"
    ))
}

impl Stages {
    /// Of [copies](copies()), joined with what [`decide`](Self::decide) says of their originals: the copies that are
    /// removed, in the form that `decide` has.
    ///
    /// The join is on `original` = `id` of the removed document, and keeps copies whose original is not removed: their
    /// `kept`, `similarity`, `distance` and `reason` are null.
    pub fn removed_copies(&self, joined: &RecordBatch) -> Result<RecordBatch> {
        let settings = self.documents.settings();
        let (copies, originals) = (ids(joined, "id")?, ids(joined, "original")?);
        let (against, original_against) =
            (Flags::of(joined, "against")?, Flags::of(joined, "original_against")?);
        let (kept, distances) = (integers(joined, "kept")?, integers(joined, "distance")?);
        let (similarities, reasons) = (numbers(joined, "similarity")?, Texts::of(joined, "reason")?);
        let mut removed = Removed::default();
        for row in 0..joined.num_rows() {
            let copy = copies.value(row);
            let is_removed = kept.is_valid(row);
            match CopyFate::of(
                against.get(row),
                is_removed,
                original_against.get(row),
                settings.matching.against_only,
            ) {
                CopyFate::Kept => {}
                CopyFate::Exact => {
                    let distance = (settings.signature.method == Method::Simhash).then_some(0);
                    removed.push(copy, Some(originals.value(row)), Kind::Exact, Some(1.0), distance, None);
                }
                CopyFate::WithOriginal => {
                    let similarity = similarities.is_valid(row).then(|| similarities.value(row));
                    let distance = distances.is_valid(row).then(|| distances.value(row));
                    let reason = reasons.get(row);
                    removed.push(copy, Some(kept.value(row)), Kind::Near, similarity, distance, reason);
                }
            }
        }
        Ok(RecordBatch::try_new(removed_schema(), removed.finish())?)
    }
}
