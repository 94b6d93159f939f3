//! Documents -> their keys, packed by which block of all keys they fall into.

use super::{AGAINST, ClusterRun, SOURCE};
use crate::columns::{Flags, Texts, ids};
use crate::rows::visit_rows;
use crate::{Error, Result};
use arrow_array::builder::{Int64Builder, LargeBinaryBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use corpus::Record;
use pipeline::{DocumentBuffers, OnBadRecord, Sketch, Tally};
use std::num::NonZeroU32;
use std::sync::Arc;

/// What [`pack_keys`](ClusterRun::pack_keys) returns.
#[must_use]
pub fn packed_keys_schema() -> SchemaRef {
    let bytes = |name: &str| Field::new(name, DataType::LargeBinary, false);
    Arc::new(Schema::new(vec![
        Field::new("block", DataType::Int64, false),
        bytes("entries"),
        bytes("links"),
        bytes("numbers"),
    ]))
}

/// What goes to one block.
#[derive(Debug, Clone, Default)]
struct Packed {
    /// A key, and the number of the first document of the batch that has it: 8 bytes each.
    entries: Vec<u8>,
    /// The numbers of two documents of the batch that share a key.
    links: Vec<u8>,
    /// The numbers of all documents.
    numbers: Vec<u8>,
}

impl ClusterRun {
    /// The keys of the documents of a batch, in so many blocks; and what was counted.
    ///
    /// The batch has the columns `_number` and the text; those that the settings name for `within` and `keep`; if there are
    /// any, `_source` and `_against`. (Names that no column of a user has.) Of documents of the batch that share a key, the first one is sent on and the others are
    /// linked with it. So a key that all documents have makes one entry for each batch.
    pub fn pack_keys(&self, batch: &RecordBatch, blocks: NonZeroU32) -> Result<(RecordBatch, Tally)> {
        let numbers = ids(batch, "_number")?;
        let against = Flags::of(batch, "_against")?;
        let sources = batch.column_by_name("_source").map(|_| Texts::of(batch, "_source")).transpose()?;
        let fail = self.documents.settings().files.on_bad_record == OnBadRecord::Fail;
        let mut tally = Tally::default();
        let mut entries: Vec<(u64, i64)> = Vec::new();
        let (mut buffers, mut sketch) = (DocumentBuffers::default(), Sketch::default());
        visit_rows(batch, &self.fields, |row, record| {
            let is_against = against.get(row);
            let unnamed = if is_against { AGAINST } else { SOURCE };
            let source = sources.as_ref().and_then(|sources| sources.get(row)).unwrap_or(unnamed);
            let number = numbers.value(row);
            let document = match record {
                Record::Document(document) => document,
                Record::Bad(bad) if fail => {
                    return Err(Error::BadRecord { id: number, reason: bad.reason });
                }
                Record::Bad(bad) => {
                    self.documents.count_bad(&bad, source, is_against, &mut tally);
                    return Ok(());
                }
            };
            let within = document.within.as_deref();
            self.documents.sketch_to_meet(document.text, within, &mut buffers, &mut sketch)?;
            self.documents.count(&document, &self.fields, source, is_against, &sketch, &mut tally);
            entries.push((sketch.fingerprint, number));
            entries.extend(sketch.keys.iter().map(|&key| (key, number)));
            Ok(())
        })?;
        let mut packed = vec![Packed::default(); blocks.get() as usize];
        let block = |hash: u64| ((u128::from(hash) * u128::from(blocks.get())) >> 64) as usize;
        for &number in numbers.values() {
            // Numbers are hashes, as keys are.
            packed[block(number.cast_unsigned())].numbers.extend_from_slice(&number.to_le_bytes());
        }
        entries.sort_unstable();
        for same_key in entries.chunk_by(|a, b| a.0 == b.0) {
            let (key, first) = same_key[0];
            let to = &mut packed[block(key)];
            to.entries.extend_from_slice(&key.to_le_bytes());
            to.entries.extend_from_slice(&first.to_le_bytes());
            for &(_, number) in same_key.iter().filter(|entry| entry.1 != first) {
                to.links.extend_from_slice(&number.to_le_bytes());
                to.links.extend_from_slice(&first.to_le_bytes());
            }
        }
        Ok((written(&packed)?, tally))
    }
}

/// A row for each block that has something.
fn written(packed: &[Packed]) -> Result<RecordBatch> {
    let (mut blocks, mut entries) = (Int64Builder::new(), LargeBinaryBuilder::new());
    let (mut links, mut numbers) = (LargeBinaryBuilder::new(), LargeBinaryBuilder::new());
    for (block, of_block) in packed.iter().enumerate() {
        if !of_block.numbers.is_empty() || !of_block.entries.is_empty() {
            blocks.append_value(block as i64);
            entries.append_value(&of_block.entries);
            links.append_value(&of_block.links);
            numbers.append_value(&of_block.numbers);
        }
    }
    let columns: Vec<ArrayRef> = vec![
        Arc::new(blocks.finish()),
        Arc::new(entries.finish()),
        Arc::new(links.finish()),
        Arc::new(numbers.finish()),
    ];
    Ok(RecordBatch::try_new(packed_keys_schema(), columns)?)
}
