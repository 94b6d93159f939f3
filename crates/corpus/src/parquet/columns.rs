//! A batch of rows -> the columns of the wanted fields, which may be inside structs.

use crate::FieldPath;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, StructArray};
use arrow_schema::DataType;

/// The array of a field, and the structs that contain it.
pub(crate) fn locate<'a>(
    batch: &'a RecordBatch,
    path: &FieldPath,
) -> Option<(Vec<&'a StructArray>, &'a ArrayRef)> {
    if let Some(array) = batch.column_by_name(&path.written()) {
        return Some((Vec::new(), array));
    }
    let (first, others) = path.names.split_first()?;
    let mut above = Vec::new();
    let mut array = batch.column_by_name(first)?;
    for name in others {
        let inside = array.as_struct_opt()?;
        above.push(inside);
        array = inside.column_by_name(name)?;
    }
    Some((above, array))
}

/// A column of a batch, and the structs that contain it.
#[derive(Debug)]
pub(crate) struct Column<'a> {
    above: Vec<&'a StructArray>,
    array: &'a ArrayRef,
    /// The values of a dictionary, and the number of the value in each row.
    dictionary: Option<(&'a ArrayRef, Vec<usize>)>,
}

impl<'a> Column<'a> {
    /// The column of the field; `None` if there is no such column.
    pub(crate) fn find(batch: &'a RecordBatch, path: &FieldPath) -> Option<Self> {
        locate(batch, path).map(|(above, array)| Self::new(above, array))
    }

    fn new(above: Vec<&'a StructArray>, array: &'a ArrayRef) -> Self {
        let dictionary = array.as_any_dictionary_opt().map(|dictionary| {
            let values = dictionary.values();
            // A dictionary without values contains only nulls, and no key may be looked up.
            let keys = if values.is_empty() { Vec::new() } else { dictionary.normalized_keys() };
            (values, keys)
        });
        Self { above, array, dictionary }
    }

    /// The values of the rows, or the values of the dictionary.
    pub(crate) fn values(&self) -> &'a ArrayRef {
        self.dictionary.as_ref().map_or(self.array, |(values, _)| *values)
    }

    /// The number of the value in a row; `None` if it is null.
    pub(crate) fn value_of(&self, row: usize) -> Option<usize> {
        // A column of the type null has no validity bits.
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
