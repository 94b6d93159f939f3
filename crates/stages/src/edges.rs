//! Keys -> which documents are connected.
//!
//! Documents that share a key are candidates for each other. To decide a corpus one set at a time, it is enough to know who
//! is connected with whom, so a key that a million documents share becomes a million edges at most, and not
//! half a billion pairs.

use crate::columns::{bytes, ids, lists};
use crate::{Error, Result};
use arrow_array::builder::{Int64Builder, LargeBinaryBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use lookalike::clustering::connected_components;
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;

/// A key and an id: 8 bytes each, little-endian.
const ENTRY: usize = 16;

/// What [`key_blocks`] returns.
#[must_use]
pub fn key_blocks_schema() -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new("block", DataType::Int64, false),
        Field::new("entries", DataType::LargeBinary, false),
    ]))
}

/// What [`edges`] returns.
#[must_use]
pub fn edges_schema() -> SchemaRef {
    let id = |name: &str| Field::new(name, DataType::Int64, false);
    Arc::new(Schema::new(vec![id("a"), id("b")]))
}

/// The keys of sketches (the columns `id` and `keys`), packed by which of so many blocks they fall into: a row for each block
/// that has some, with its `entries`.
///
/// Most engines pay for rows more than for bytes: of a thousand sketches with 21 keys each this makes as many rows as there
/// are blocks, and not 21,000.
pub fn key_blocks(sketches: &RecordBatch, blocks: NonZeroU32) -> Result<RecordBatch> {
    let (ids, keys) = (ids(sketches, "id")?, lists(sketches, "keys")?);
    let mut packed: BTreeMap<u64, Vec<u8>> = BTreeMap::new();
    for row in (0..sketches.num_rows()).filter(|&row| keys.is_valid(row)) {
        let of_row = keys.value(row);
        if of_row.null_count() > 0 {
            return Err(Error::Batch("the lists of the column `keys` have nulls; leave those out".into()));
        }
        for &key in of_row.as_primitive::<Int64Type>().values() {
            // Keys are hashes, so the highest bits are as good as any.
            let block = (u128::from(key.cast_unsigned()) * u128::from(blocks.get())) >> 64;
            let entries = packed.entry(block as u64).or_default();
            entries.extend_from_slice(&key.to_le_bytes());
            entries.extend_from_slice(&ids.value(row).to_le_bytes());
        }
    }
    let (mut blocks, mut entries) = (Int64Builder::new(), LargeBinaryBuilder::new());
    for (block, of_block) in packed {
        blocks.append_value(block as i64);
        entries.append_value(of_block);
    }
    let columns: Vec<ArrayRef> = vec![Arc::new(blocks.finish()), Arc::new(entries.finish())];
    Ok(RecordBatch::try_new(key_blocks_schema(), columns)?)
}

/// Which documents of a batch are connected by keys that they share: each document but the first of a connected set (`a`)
/// with that first one (`b`), the smallest id.
///
/// The batch has the column `entries`, of all [`key_blocks`] with the same block (or of several blocks, each whole); or the
/// column `ids`, lists of ids that share a key, for engines that group by key themselves. A document is in at most one
/// edge, however many keys it shares.
pub fn edges(batch: &RecordBatch) -> Result<RecordBatch> {
    let mut pairs: Vec<(i64, i64)> = Vec::new();
    if batch.column_by_name("ids").is_some() {
        let lists = lists(batch, "ids")?;
        for row in (0..lists.len()).filter(|&row| lists.is_valid(row)) {
            let list = lists.value(row);
            if list.null_count() > 0 {
                return Err(Error::Batch("the lists of the column `ids` have nulls; leave those out".into()));
            }
            pairs.extend(list.as_primitive::<Int64Type>().values().windows(2).map(|pair| (pair[0], pair[1])));
        }
    } else {
        let mut entries = unpacked(batch)?;
        entries.sort_unstable();
        let same_key = entries.windows(2).filter(|pair| pair[0].0 == pair[1].0);
        pairs.extend(same_key.map(|pair| (pair[0].1, pair[1].1)));
    }
    let mut ids: Vec<i64> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
    ids.sort_unstable();
    ids.dedup();
    let place = |id: i64| ids.partition_point(|&other| other < id);
    let components = connected_components(ids.len(), pairs.iter().map(|&(a, b)| (place(a), place(b))))?;
    let found = components.representatives().iter().enumerate().filter(|&(at, &first)| at != first);
    edge_batch(found.map(|(at, &first)| (ids[at], ids[first])))
}

/// Keys and ids of all blocks of a batch.
fn unpacked(batch: &RecordBatch) -> Result<Vec<(u64, i64)>> {
    let packed = bytes(batch, "entries")?;
    let mut entries = Vec::new();
    for of_block in packed.iter().flatten() {
        let (whole, rest) = of_block.as_chunks::<ENTRY>();
        if !rest.is_empty() {
            return Err(Error::Batch("the column `entries` must be what `key_blocks` returned".into()));
        }
        entries.extend(whole.iter().map(|entry| {
            let both = u128::from_le_bytes(*entry);
            (both as u64, (both >> 64) as i64)
        }));
    }
    Ok(entries)
}

/// A batch of edges.
pub(crate) fn edge_batch(edges: impl Iterator<Item = (i64, i64)>) -> Result<RecordBatch> {
    let (a, b): (Vec<i64>, Vec<i64>) = edges.unzip();
    let columns: Vec<ArrayRef> = vec![Arc::new(Int64Array::from(a)), Arc::new(Int64Array::from(b))];
    Ok(RecordBatch::try_new(edges_schema(), columns)?)
}
