//! A batch of rows -> the columns that fields are in, through structs.

use crate::FieldPath;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, StructArray};
use arrow_schema::DataType;

/// A column of a batch, and the structs that it is in.
#[derive(Debug)]
pub(crate) struct Column<'a> {
    above: Vec<&'a StructArray>,
    array: &'a ArrayRef,
    /// The values of a dictionary, and which of them each row has.
    dictionary: Option<(&'a ArrayRef, Vec<usize>)>,
}

impl<'a> Column<'a> {
    /// The column of the field; `None` if there is none.
    pub(crate) fn find(batch: &'a RecordBatch, path: &FieldPath) -> Option<Self> {
        if let Some(array) = batch.column_by_name(&path.written()) {
            return Some(Self::new(Vec::new(), array));
        }
        let (first, others) = path.names.split_first()?;
        let mut above = Vec::new();
        let mut array = batch.column_by_name(first)?;
        for name in others {
            let inside = array.as_struct_opt()?;
            above.push(inside);
            array = inside.column_by_name(name)?;
        }
        Some(Self::new(above, array))
    }

    fn new(above: Vec<&'a StructArray>, array: &'a ArrayRef) -> Self {
        let dictionary = array.as_any_dictionary_opt().map(|dictionary| {
            let values = dictionary.values();
            // Without values there are nulls only, and no key to look at.
            let keys = if values.is_empty() { Vec::new() } else { dictionary.normalized_keys() };
            (values, keys)
        });
        Self { above, array, dictionary }
    }

    /// The values: those of the rows, or of the dictionary.
    pub(crate) fn values(&self) -> &'a ArrayRef {
        self.dictionary.as_ref().map_or(self.array, |(values, _)| *values)
    }

    /// Which value the row has; `None` if it is null.
    pub(crate) fn value_of(&self, row: usize) -> Option<usize> {
        // A column of nulls has no bits that say so.
        let is_null = self.array.is_null(row) || *self.array.data_type() == DataType::Null;
        if is_null || self.above.iter().any(|above| above.is_null(row)) {
            return None;
        }
        match &self.dictionary {
            None => Some(row),
            Some((values, keys)) => keys.get(row).copied().filter(|&key| !values.is_null(key)),
        }
    }
}
