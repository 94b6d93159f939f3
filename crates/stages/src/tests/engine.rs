//! A plain engine: tables are batches in any order, and all it can do is group rows and join them.

use super::batch;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, RecordBatch, UInt64Array};
use arrow_select::concat::concat_batches;
use arrow_select::take::{take, take_record_batch};
use lookalike::hashing::{SplitMix64, hash_bytes};
use std::collections::{BTreeMap, HashMap};

/// Rows of one schema, in batches.
pub(super) type Table = Vec<RecordBatch>;

pub(super) struct Engine {
    random: SplitMix64,
}

impl Engine {
    pub(super) fn new(seed: u64) -> Self {
        Self { random: SplitMix64::new(seed) }
    }

    pub(super) fn below(&mut self, count: usize) -> usize {
        self.random.below(count as u64) as usize
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }

    /// The same rows in other batches, in another order.
    pub(super) fn scatter(&mut self, table: &Table) -> Table {
        let whole = whole(table);
        let mut rows: Vec<u64> = (0..whole.num_rows() as u64).collect();
        self.shuffle(&mut rows);
        let mut batches: Table = rows.chunks(1 + rows.len() / 4).map(|rows| taken(&whole, rows)).collect();
        batches.push(whole.slice(0, 0));
        batches
    }

    /// Batches in which all rows of an equal key are together; rows without a key are left out.
    pub(super) fn group(
        &mut self,
        table: &Table,
        key: impl Fn(&RecordBatch, usize) -> Option<Vec<u8>>,
    ) -> Table {
        let whole = whole(table);
        let mut partitions: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        for row in 0..whole.num_rows() {
            if let Some(key) = key(&whole, row) {
                partitions.entry(hash_bytes(&key) % 3).or_default().push(row as u64);
            }
        }
        let mut batches: Table = Vec::new();
        for mut rows in partitions.into_values() {
            self.shuffle(&mut rows);
            batches.push(taken(&whole, &rows));
        }
        self.shuffle(&mut batches);
        batches.push(whole.slice(0, 0));
        batches
    }

    /// Batches in which all rows of an equal integer are together.
    pub(super) fn group_by(&mut self, table: &Table, name: &str) -> Table {
        self.group(table, |batch, row| Some(integer(batch, name, row).to_le_bytes().to_vec()))
    }

    /// Batches in which all rows of equal bytes are together.
    pub(super) fn group_by_bytes(&mut self, table: &Table, name: &str) -> Table {
        self.group(table, |batch, row| {
            let column = batch[name].as_binary::<i64>();
            column.is_valid(row).then(|| column.value(row).to_vec())
        })
    }
}

/// All rows in one batch.
pub(super) fn whole(table: &Table) -> RecordBatch {
    concat_batches(&table[0].schema(), table).unwrap()
}

pub(super) fn integer(batch: &RecordBatch, name: &str, row: usize) -> i64 {
    batch[name].as_primitive::<Int64Type>().value(row)
}

pub(super) fn integers(table: &Table, name: &str) -> Vec<i64> {
    table.iter().flat_map(|batch| batch[name].as_primitive::<Int64Type>().values().to_vec()).collect()
}

pub(super) fn taken(whole: &RecordBatch, rows: &[u64]) -> RecordBatch {
    take_record_batch(whole, &UInt64Array::from(rows.to_vec())).unwrap()
}

/// Whether rows without a partner stay, with nulls, go, or are the ones that stay.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Join {
    Inner,
    Left,
    Anti,
}

/// The rows of `left` with the other columns of the row of `right` whose `right_on` is their `left_on`.
pub(super) fn join(left: &Table, left_on: &str, right: &Table, right_on: &str, how: Join) -> Table {
    let (left, right) = (whole(left), whole(right));
    let partners: HashMap<i64, u64> =
        (0..right.num_rows()).map(|row| (integer(&right, right_on, row), row as u64)).collect();
    let mut rows: Vec<(u64, Option<u64>)> = (0..left.num_rows())
        .map(|row| (row as u64, partners.get(&integer(&left, left_on, row)).copied()))
        .collect();
    match how {
        Join::Inner => rows.retain(|(_, partner)| partner.is_some()),
        Join::Anti => rows.retain(|(_, partner)| partner.is_none()),
        Join::Left => {}
    }
    let kept = taken(&left, &rows.iter().map(|(row, _)| *row).collect::<Vec<_>>());
    let schema = right.schema();
    let mut columns: Vec<(&str, ArrayRef)> = kept
        .schema_ref()
        .fields()
        .iter()
        .map(|field| field.name().as_str())
        .zip(kept.columns().to_vec())
        .collect();
    if how != Join::Anti {
        let partners: UInt64Array = rows.iter().map(|(_, partner)| *partner).collect();
        for (field, column) in schema.fields().iter().zip(right.columns()) {
            if field.name() != right_on && kept.column_by_name(field.name()).is_none() {
                columns.push((field.name(), take(column, &partners, None).unwrap()));
            }
        }
    }
    vec![batch(columns)]
}
