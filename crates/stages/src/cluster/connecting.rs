//! Packed keys -> links between documents that share one, and links -> connected sets.

use crate::columns::bytes;
use crate::edges::edge_batch;
use crate::{Error, Result};
use arrow_array::{Array, ArrayRef, Int64Array, LargeBinaryArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use lookalike::clustering::connected_components;
use std::sync::Arc;

/// What [`connect`] returns.
#[must_use]
pub fn connect_schema() -> SchemaRef {
    let bytes = |name: &str| Field::new(name, DataType::LargeBinary, false);
    Arc::new(Schema::new(vec![bytes("links"), bytes("repeated")]))
}

/// What [`members`] returns.
#[must_use]
pub fn members_schema() -> SchemaRef {
    let number = |name: &str| Field::new(name, DataType::Int64, false);
    Arc::new(Schema::new(vec![number("number"), number("component")]))
}

/// Which documents of a batch are connected: one row, with a link from each document but the first of a set to that first one
/// (`links`), and with the numbers that come more than once (`repeated`).
///
/// The batch has any of the columns `entries`, `links` and `numbers`, as packed keys have them, of whole blocks; or only the
/// `links` of earlier calls. However many documents share a key, each has one link at most.
pub fn connect(batch: &RecordBatch) -> Result<RecordBatch> {
    let mut entries: Vec<[u64; 2]> = words(batch, "entries")?;
    entries.sort_unstable();
    let same_key = entries.windows(2).filter(|pair| pair[0][0] == pair[1][0]);
    let mut pairs: Vec<[u64; 2]> = same_key.map(|pair| [pair[0][1], pair[1][1]]).collect();
    drop(entries);
    pairs.extend(words::<2>(batch, "links")?);
    let mut numbers: Vec<[u64; 1]> = words(batch, "numbers")?;
    numbers.sort_unstable();
    let repeated = numbers.windows(2).filter(|pair| pair[0] == pair[1]).flat_map(|pair| pair[0]);
    let mut repeated: Vec<u64> = repeated.collect();
    repeated.dedup();
    let column = |words: Vec<u64>| -> ArrayRef {
        let bytes: Vec<u8> = words.into_iter().flat_map(u64::to_le_bytes).collect();
        Arc::new(LargeBinaryArray::from_vec(vec![&bytes]))
    };
    let links = stars(&pairs)?.into_iter().flatten().map(i64::cast_unsigned).collect();
    Ok(RecordBatch::try_new(connect_schema(), vec![column(links), column(repeated)])?)
}

/// The connected set of each document that has a link, by the smallest number in it. The batch has all `links`, as one call of
/// [`connect`] returned them.
pub fn members(batch: &RecordBatch) -> Result<RecordBatch> {
    let links: Vec<[u64; 2]> = words(batch, "links")?;
    let mut rows: Vec<[i64; 2]> = links.iter().map(|link| link.map(u64::cast_signed)).collect();
    let mut firsts: Vec<i64> = rows.iter().map(|row| row[1]).collect();
    firsts.sort_unstable();
    firsts.dedup();
    rows.extend(firsts.into_iter().map(|first| [first, first]));
    let column = |at: usize| -> ArrayRef { Arc::new(rows.iter().map(|row| row[at]).collect::<Int64Array>()) };
    Ok(RecordBatch::try_new(members_schema(), vec![column(0), column(1)])?)
}

/// Links as edges, a row for each: what [`large_star`](crate::large_star) takes if there are too many links for one worker.
pub fn edges_of_links(batch: &RecordBatch) -> Result<RecordBatch> {
    edge_batch(words::<2>(batch, "links")?.into_iter().map(|[a, b]| (a.cast_signed(), b.cast_signed())))
}

/// Of pairs: each number but the smallest of a connected set, with that one.
fn stars(pairs: &[[u64; 2]]) -> Result<Vec<[i64; 2]>> {
    let mut numbers: Vec<i64> = pairs.iter().flatten().map(|number| number.cast_signed()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let place = |number: u64| numbers.partition_point(|&other| other < number.cast_signed());
    let components = connected_components(numbers.len(), pairs.iter().map(|&[a, b]| (place(a), place(b))))?;
    let firsts = components.representatives().iter().enumerate();
    Ok(firsts.filter(|&(at, &first)| at != first).map(|(at, &first)| [numbers[at], numbers[first]]).collect())
}

/// The words of a column of bytes, by so many; none if there is no such column.
fn words<const N: usize>(batch: &RecordBatch, name: &str) -> Result<Vec<[u64; N]>> {
    let mut all = Vec::new();
    if batch.column_by_name(name).is_none() {
        return Ok(all);
    }
    let column = bytes(batch, name)?;
    all.reserve(column.value_data().len() / (8 * N));
    for row in (0..column.len()).filter(|&row| column.is_valid(row)) {
        let (words, rest) = column.value(row).as_chunks::<8>();
        let (items, left) = words.as_chunks::<N>();
        if !rest.is_empty() || !left.is_empty() {
            return Err(Error::Batch(format!("the column `{name}` is not what an earlier stage returned")));
        }
        all.extend(items.iter().map(|item| item.map(u64::from_le_bytes)));
    }
    Ok(all)
}
