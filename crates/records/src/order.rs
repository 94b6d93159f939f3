//! The order in which records are worked on: by what they say, not by where they stand.
//!
//! Samples are drawn, and ties are decided, by the number of a record. So records are numbered by a hash of their values, and the
//! same records in another order have the same matches. Equal records are in the order of the table.

use crate::column::{Column, MISSING};
use crate::threads::{Stopped, Work};
use lookalike::hashing::{hash_bytes, mix64};

/// Numbers records anew.
#[derive(Debug)]
pub(crate) struct Order {
    /// The place in the table of each record.
    of_table: Vec<u32>,
}

impl Order {
    /// The order by values. It does not depend on the order of the columns.
    pub(crate) fn new(columns: &[Column], records: usize, work: Work<'_>) -> Result<Self, Stopped> {
        let mut hashes: Vec<(u64, u32)> = (0..records as u32).map(|record| (0, record)).collect();
        for column in columns {
            work.go_on()?;
            let of_column = mix64(hash_bytes(column.name.as_bytes()));
            let of_values: Vec<u64> =
                column.texts().map(|value| mix64(of_column ^ hash_bytes(value.as_bytes()))).collect();
            for ((hash, _), &value) in hashes.iter_mut().zip(&column.of) {
                let of_value = if value == MISSING { of_column } else { of_values[value as usize] };
                *hash = hash.wrapping_add(of_value);
            }
        }
        hashes.sort_unstable();
        Ok(Self { of_table: hashes.into_iter().map(|(_, record)| record).collect() })
    }

    /// The place in the table of a record.
    pub(crate) fn in_table(&self, record: u32) -> usize {
        self.of_table[record as usize] as usize
    }

    /// What there is of each record of the table, in this order.
    pub(crate) fn sorted<T: Copy>(&self, of_table: &[T]) -> Vec<T> {
        self.of_table.iter().map(|&at| of_table[at as usize]).collect()
    }

    /// The number of each record of the table.
    pub(crate) fn numbers(&self) -> Vec<u32> {
        let mut numbers = vec![0; self.of_table.len()];
        for (number, &at) in (0..).zip(&self.of_table) {
            numbers[at as usize] = number;
        }
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::Kind;

    #[test]
    fn the_order_follows_from_the_values() {
        let rows = [("anna", "oslo"), ("carl", ""), ("", "moss"), ("anna", "oslo"), ("dora", "oslo")];
        let order = |rows: &[(&str, &str)]| {
            let columns = [
                Column::of_values("name", Kind::Name, rows.iter().map(|row| row.0)),
                Column::of_values("town", Kind::Place, rows.iter().map(|row| row.1)),
            ];
            Order::new(&columns, rows.len(), Work::unstopped()).unwrap()
        };
        let one = order(&rows);
        let turned: Vec<_> = rows.iter().rev().copied().collect();
        assert_eq!(one.sorted(&rows), order(&turned).sorted(&turned));
        for (at, &number) in one.numbers().iter().enumerate() {
            assert_eq!(one.in_table(number), at);
        }
        let equal = [one.numbers()[0], one.numbers()[3]];
        assert_eq!(equal[0] + 1, equal[1], "equal records are in the order of the table");
    }
}
