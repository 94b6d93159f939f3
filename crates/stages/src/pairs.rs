//! Ids that share a key -> candidate pairs.

use crate::columns::lists;
use crate::{Error, Result};
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Int64Array, ListArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use std::sync::Arc;

/// Pairs of a batch, at most.
pub const PAIRS_PER_BATCH: usize = 1 << 16;

/// The candidate pairs of a batch with a column `ids`: lists of ids that share a key. Each pair has the smaller id first
/// (`a`, `b`); a pair that shares several keys comes once for each.
///
/// A list of n ids has n (n - 1) / 2 pairs. They come in batches of at most [`PAIRS_PER_BATCH`], so that memory does not
/// grow with the longest list; time does, so exact copies should be taken out before.
pub fn candidate_pairs(grouped: &RecordBatch) -> Result<CandidatePairs> {
    let lists = lists(grouped, "ids")?;
    let has_nulls = |row: usize| lists.is_valid(row) && lists.value(row).null_count() > 0;
    if (0..lists.len()).any(has_nulls) {
        return Err(Error::Batch(
            "the lists of the column `ids` have nulls, and every row needs an id".into(),
        ));
    }
    Ok(CandidatePairs { lists, row: 0, ids: Vec::new(), first: 0, second: 1 })
}

/// Batches of candidate pairs, one after the other.
#[derive(Debug)]
pub struct CandidatePairs {
    lists: ListArray,
    /// The next list.
    row: usize,
    /// The ids of the current one, ascending, each once.
    ids: Vec<i64>,
    /// The next pair of it.
    first: usize,
    second: usize,
}

impl CandidatePairs {
    /// What the batches look like.
    #[must_use]
    pub fn schema() -> SchemaRef {
        let id = |name: &str| Field::new(name, DataType::Int64, false);
        Arc::new(Schema::new(vec![id("a"), id("b")]))
    }

    fn next_pair(&mut self) -> Option<(i64, i64)> {
        while self.second >= self.ids.len() {
            if self.first + 2 < self.ids.len() {
                self.first += 1;
                self.second = self.first + 1;
            } else if self.row < self.lists.len() {
                self.ids.clear();
                if self.lists.is_valid(self.row) {
                    let list = self.lists.value(self.row);
                    self.ids.extend_from_slice(list.as_primitive::<Int64Type>().values());
                    self.ids.sort_unstable();
                    self.ids.dedup();
                }
                self.row += 1;
                (self.first, self.second) = (0, 1);
            } else {
                return None;
            }
        }
        let pair = (self.ids[self.first], self.ids[self.second]);
        self.second += 1;
        Some(pair)
    }
}

impl Iterator for CandidatePairs {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let pairs = std::iter::from_fn(|| self.next_pair()).take(PAIRS_PER_BATCH);
        let (a, b): (Vec<i64>, Vec<i64>) = pairs.unzip();
        if a.is_empty() {
            return None;
        }
        let columns: Vec<ArrayRef> = vec![Arc::new(Int64Array::from(a)), Arc::new(Int64Array::from(b))];
        Some(RecordBatch::try_new(Self::schema(), columns).map_err(Into::into))
    }
}
