//! The columns of a batch, by name and type.

use crate::{Error, Result};
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Int64Array, LargeStringArray, RecordBatch, StringArray, StringViewArray};
use arrow_schema::DataType;

/// A column of text, however it is stored.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Texts<'a> {
    Utf8(&'a StringArray),
    LargeUtf8(&'a LargeStringArray),
    Utf8View(&'a StringViewArray),
}

impl<'a> Texts<'a> {
    /// The column of this name.
    pub(crate) fn of(batch: &'a RecordBatch, name: &str) -> Result<Self> {
        let array = column(batch, name)?;
        Ok(match array.data_type() {
            DataType::Utf8 => Self::Utf8(array.as_string()),
            DataType::LargeUtf8 => Self::LargeUtf8(array.as_string()),
            DataType::Utf8View => Self::Utf8View(array.as_string_view()),
            other => return Err(wrong_type(name, other, "text")),
        })
    }

    /// The text of a row; none if it is null.
    pub(crate) fn get(self, row: usize) -> Option<&'a str> {
        match self {
            Self::Utf8(array) => array.is_valid(row).then(|| array.value(row)),
            Self::LargeUtf8(array) => array.is_valid(row).then(|| array.value(row)),
            Self::Utf8View(array) => array.is_valid(row).then(|| array.value(row)),
        }
    }
}

/// The column of this name.
pub(crate) fn column<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a ArrayRef> {
    batch.column_by_name(name).ok_or_else(|| {
        let names: Vec<_> =
            batch.schema_ref().fields().iter().map(|field| format!("`{}`", field.name())).collect();
        Error::Batch(format!("the batch has no column `{name}`; its columns are: {}", names.join(", ")))
    })
}

/// The column of ids of this name, in which nothing is null.
pub(crate) fn ids<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a Int64Array> {
    let array = column(batch, name)?;
    let ids = array
        .as_primitive_opt::<Int64Type>()
        .ok_or_else(|| wrong_type(name, array.data_type(), "signed integers of 64 bits"))?;
    if ids.null_count() > 0 {
        return Err(Error::Batch(format!("the column `{name}` has nulls, and every row needs an id")));
    }
    Ok(ids)
}

pub(crate) fn wrong_type(name: &str, found: &DataType, wanted: &str) -> Error {
    Error::Batch(format!("the column `{name}` has the type {found}, and must be {wanted}"))
}
