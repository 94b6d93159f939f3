//! Records, by fields: each distinct value of a field is kept once.

use crate::texts::Strings;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A hash that is used as it is.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// A map whose keys are hashes.
pub(crate) type ByHash<V> = HashMap<u64, V, BuildHasherDefault<AsItIs>>;

/// The values of a field as they were read.
#[derive(Debug, Clone, Default)]
pub(crate) struct RawColumn {
    pub(crate) strings: Strings,
    /// The number of the value of each record.
    pub(crate) of: Vec<u32>,
}

/// Records, by fields. A value that is empty is missing.
///
/// ```
/// let mut table = records::Table::new(["name", "town"]);
/// table.push(["anna berg", "oslo"]);
/// table.push(["carl holm", ""]);
/// assert_eq!((table.len(), table.value(1, 0)), (2, "carl holm"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Table {
    names: Vec<String>,
    pub(crate) columns: Vec<RawColumn>,
    count: usize,
    /// The table of each record, 0 or 1, if two tables are linked; empty for one table.
    pub(crate) sides: Vec<u8>,
}

impl Table {
    /// A table without records.
    pub fn new(fields: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let names: Vec<String> = fields.into_iter().map(Into::into).collect();
        let columns = names.iter().map(|_| RawColumn::default()).collect();
        Self { names, columns, count: 0, sides: Vec::new() }
    }

    /// Adds a record: a value for each field; those that are not given are missing.
    pub fn push<V: AsRef<str>>(&mut self, values: impl IntoIterator<Item = V>) {
        let mut values = values.into_iter();
        for column in &mut self.columns {
            let number = match values.next() {
                Some(value) => column.strings.number(value.as_ref().trim()),
                None => column.strings.number(""),
            };
            column.of.push(number);
        }
        self.count += 1;
    }

    /// Adds a record of one of two tables, which are linked.
    pub fn push_to<V: AsRef<str>>(&mut self, side: Side, values: impl IntoIterator<Item = V>) {
        self.push(values);
        self.sides.push(side as u8);
    }

    /// The names of the fields.
    #[must_use]
    pub fn fields(&self) -> &[String] {
        &self.names
    }

    /// The number of records.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// True if there are no records.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The value of a record in a field, by their numbers; empty if it is missing.
    #[must_use]
    pub fn value(&self, record: usize, field: usize) -> &str {
        let column = &self.columns[field];
        column.strings.get(column.of[record])
    }

    /// Gives back the memory that is only needed to add records; they can still be added.
    pub(crate) fn settle(&mut self) {
        for column in &mut self.columns {
            column.strings.settle();
            column.of.shrink_to_fit();
        }
    }

    /// How many fields of a record have a value.
    #[must_use]
    pub fn filled(&self, record: usize) -> usize {
        (0..self.names.len()).filter(|&field| !self.value(record, field).is_empty()).count()
    }

    /// About how many bytes of memory it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.columns.iter().map(|column| column.strings.bytes() + 4 * column.of.capacity()).sum()
    }
}

/// One of two tables that are linked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The table that is compared with (`--against`).
    First = 0,
    /// The table of the inputs.
    Second = 1,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_record_lacks_its_last_values() {
        let mut table = Table::new(["a", "b"]);
        table.push(["x"]);
        table.push([" y ", "z"]);
        assert_eq!((table.value(0, 1), table.value(1, 0)), ("", "y"));
        assert_eq!((table.filled(0), table.filled(1)), (1, 2));
    }
}
