//! What must be in memory while a table is linked, and how much is left for pairs.
//!
//! Values, keys and counts of records are looked up in any order, so they must fit. Pairs are worked on in their order, and go to
//! files when they do not ([`crate::spill`], [`crate::candidates`]). Matches are the answer, and must fit. `ARCHITECTURE.md` has
//! the table of all of them.

use crate::bands::{Pair, Rows};
use crate::column::Column;
use crate::link::Match;
use crate::table::Table;

/// Samples, and the buffers of a thread.
const FIXED: u64 = 48 << 20;

/// The buffers of a thread: its part of the pairs that are compared.
const PER_THREAD: u64 = 4 << 20;

/// Rare words, sides, numbers, entities and the keys of a band.
const PER_RECORD: u64 = 20 + 3 + 8 + 12 + 16;

/// Entities and shares of a value, and half as much again while they are counted.
const PER_VALUE: u64 = 12;

/// Counts of the values of the field that is being counted.
const PER_VALUE_OF_ONE: u64 = 16;

/// What is left for pairs and matches, at the least: so much, and so much for a record.
const LEAST_LEFT: u64 = 16 << 20;
const LEAST_LEFT_OF_RECORD: u64 = 96;

/// The bytes that are needed whatever the pairs are.
pub(crate) fn resident(table: &Table, columns: &[Column], threads: usize) -> u64 {
    let records = table.len() as u64;
    let values: u64 = columns.iter().map(|column| column.len() as u64).sum();
    let most = columns.iter().map(|column| column.len() as u64).max().unwrap_or(0);
    let of_columns: usize = columns.iter().map(Column::bytes).sum();
    // Whether two tables have copies of their own is seen with keys of its own.
    let of_rows = Rows::bytes(columns) * if table.sides.is_empty() { 1 } else { 2 };
    FIXED
        + PER_THREAD * threads as u64
        + (table.bytes() + of_columns + of_rows) as u64
        + PER_RECORD * records
        + PER_VALUE * values
        + PER_VALUE_OF_ONE * most
}

/// The bytes that must be left for pairs and matches.
pub(crate) fn least_left(records: usize) -> u64 {
    LEAST_LEFT + LEAST_LEFT_OF_RECORD * records as u64
}

/// The bytes of a match, and of how many bands found it.
pub(crate) fn of_match(fields: usize) -> u64 {
    (size_of::<Match>() + 8 * fields + 16 + size_of::<(Pair, u8)>()) as u64
}
