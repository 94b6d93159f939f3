//! The columns of a batch, by name and type.
//!
//! Engines hand back what they were given in types of their own: lists with wider offsets, bytes of no fixed length, text
//! in dictionaries. What can be converted without loss is.

use crate::{Error, Result};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, Int64Array, LargeBinaryArray, ListArray, RecordBatch,
};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType, Field};
use pipeline::Documents;
use std::sync::Arc;

const INTEGERS: &str = "integers of 64 bits";
const LISTS: &str = "lists of integers of 64 bits";

/// A column of text, however it is stored.
#[derive(Debug, Clone)]
pub(crate) struct Texts {
    array: ArrayRef,
}

impl Texts {
    /// The column of this name.
    pub(crate) fn of(batch: &RecordBatch, name: &str) -> Result<Self> {
        let array = column(batch, name)?;
        let array = match array.data_type() {
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Arc::clone(array),
            DataType::Dictionary(..)
            | DataType::Binary
            | DataType::LargeBinary
            | DataType::BinaryView
            | DataType::Null => converted(array, name, &DataType::LargeUtf8, "text")?,
            other => return Err(wrong_type(name, other, "text")),
        };
        Ok(Self { array })
    }

    /// The text of a row; none if it is null.
    pub(crate) fn get(&self, row: usize) -> Option<&str> {
        if self.array.is_null(row) {
            return None;
        }
        Some(match self.array.data_type() {
            DataType::Utf8 => self.array.as_string::<i32>().value(row),
            DataType::Utf8View => self.array.as_string_view().value(row),
            _ => self.array.as_string::<i64>().value(row),
        })
    }
}

/// The column of this name.
fn column<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a ArrayRef> {
    check_name(batch, name)?;
    batch.column_by_name(name).ok_or_else(|| {
        let names: Vec<_> =
            batch.schema_ref().fields().iter().map(|field| format!("`{}`", field.name())).collect();
        Error::Batch(format!("the batch has no column `{name}`; its columns are: {}", names.join(", ")))
    })
}

/// The column of ids of this name, in which nothing is null.
pub(crate) fn ids(batch: &RecordBatch, name: &str) -> Result<Int64Array> {
    let array = column(batch, name)?;
    if !array.data_type().is_integer() {
        return Err(wrong_type(name, array.data_type(), INTEGERS));
    }
    let ids = converted(array, name, &DataType::Int64, INTEGERS)?;
    if ids.null_count() > 0 {
        return Err(Error::Batch(format!("the column `{name}` has nulls, and every row needs an id")));
    }
    Ok(ids.as_primitive::<Int64Type>().clone())
}

/// The column of lists of ids of this name.
pub(crate) fn lists(batch: &RecordBatch, name: &str) -> Result<ListArray> {
    let array = column(batch, name)?;
    let items = match array.data_type() {
        DataType::List(items)
        | DataType::LargeList(items)
        | DataType::FixedSizeList(items, _)
        | DataType::ListView(items)
        | DataType::LargeListView(items) => items,
        other => return Err(wrong_type(name, other, LISTS)),
    };
    if !items.data_type().is_integer() {
        return Err(wrong_type(name, array.data_type(), LISTS));
    }
    let wanted = DataType::List(Arc::new(Field::new("item", DataType::Int64, true)));
    Ok(converted(array, name, &wanted, LISTS)?.as_list::<i32>().clone())
}

/// The column of integers of this name, of which some may be null.
pub(crate) fn integers(batch: &RecordBatch, name: &str) -> Result<Int64Array> {
    let array = column(batch, name)?;
    if !array.data_type().is_integer() && *array.data_type() != DataType::Null {
        return Err(wrong_type(name, array.data_type(), INTEGERS));
    }
    Ok(converted(array, name, &DataType::Int64, INTEGERS)?.as_primitive::<Int64Type>().clone())
}

/// The column of numbers of this name.
pub(crate) fn numbers(batch: &RecordBatch, name: &str) -> Result<Float64Array> {
    let array = column(batch, name)?;
    if !array.data_type().is_floating() && *array.data_type() != DataType::Null {
        return Err(wrong_type(name, array.data_type(), "numbers of 64 bits"));
    }
    Ok(converted(array, name, &DataType::Float64, "numbers of 64 bits")?
        .as_primitive::<Float64Type>()
        .clone())
}

/// The column of bytes of this name.
pub(crate) fn bytes(batch: &RecordBatch, name: &str) -> Result<LargeBinaryArray> {
    let array = column(batch, name)?;
    match array.data_type() {
        DataType::FixedSizeBinary(_)
        | DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::Null => {}
        other => return Err(wrong_type(name, other, "bytes")),
    }
    Ok(converted(array, name, &DataType::LargeBinary, "bytes")?.as_binary::<i64>().clone())
}

/// A column of flags: null is false, and so is everything if there is no such column.
#[derive(Debug)]
pub(crate) struct Flags {
    array: Option<BooleanArray>,
}

impl Flags {
    /// The column of this name.
    pub(crate) fn of(batch: &RecordBatch, name: &str) -> Result<Self> {
        if batch.column_by_name(name).is_none() {
            return Ok(Self { array: None });
        }
        let array = column(batch, name)?;
        match array.data_type() {
            DataType::Boolean | DataType::Null => {
                let array = converted(array, name, &DataType::Boolean, "booleans")?;
                Ok(Self { array: Some(array.as_boolean().clone()) })
            }
            other => Err(wrong_type(name, other, "booleans")),
        }
    }

    /// The flag of a row.
    pub(crate) fn get(&self, row: usize) -> bool {
        self.array.as_ref().is_some_and(|array| array.is_valid(row) && array.value(row))
    }
}

/// The column of signatures of this name, each of `width` bytes where it is not null.
pub(crate) fn signatures(batch: &RecordBatch, name: &str, documents: &Documents) -> Result<LargeBinaryArray> {
    let wrong = || {
        let wanted = format!("{} bytes or more: a signature with these settings", 2 * documents.lanes());
        column(batch, name).map_or_else(|error| error, |array| wrong_type(name, array.data_type(), &wanted))
    };
    let signatures = bytes(batch, name).map_err(|_| wrong())?;
    let mut lanes = Vec::new();
    let fits = |row: usize| {
        lanes_of(signatures.value(row), &mut lanes);
        signatures.is_null(row)
            || signatures.value(row).len() == 2 * lanes.len() && documents.is_sketch(&lanes)
    };
    if (0..signatures.len()).all(fits) { Ok(signatures) } else { Err(wrong()) }
}

/// Writes the lanes that bytes stand for over `lanes`.
pub(crate) fn lanes_of(bytes: &[u8], lanes: &mut Vec<u16>) {
    lanes.clear();
    let (pairs, _) = bytes.as_chunks::<2>();
    lanes.extend(pairs.iter().map(|&pair| u16::from_le_bytes(pair)));
}

/// An error if several columns have this name.
pub(crate) fn check_name(batch: &RecordBatch, name: &str) -> Result<()> {
    let named = batch.schema_ref().fields().iter().filter(|field| field.name() == name).count();
    if named > 1 {
        return Err(Error::Batch(format!("the batch has {named} columns `{name}`; rename all but one")));
    }
    Ok(())
}

/// The column as another type, if nothing is lost.
fn converted(array: &ArrayRef, name: &str, to: &DataType, wanted: &str) -> Result<ArrayRef> {
    if array.data_type() == to {
        return Ok(Arc::clone(array));
    }
    let options = CastOptions { safe: false, ..CastOptions::default() };
    cast_with_options(array, to, &options)
        .map_err(|cause| Error::Batch(format!("the column `{name}` must be {wanted}: {cause}")))
}

fn wrong_type(name: &str, found: &DataType, wanted: &str) -> Error {
    Error::Batch(format!("the column `{name}` has the type {found}, and must be {wanted}"))
}
