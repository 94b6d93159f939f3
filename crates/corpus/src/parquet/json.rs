//! A value of a column -> JSON.

use super::values::{bytes, printed};
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use serde_json::{Map, Number, Value};
use std::fmt::Write as _;

/// The value of a row; `None` if it is null, or has no place in JSON: see [`odd`]. Numbers, booleans, lists and structs
/// keep their type; maps become objects; dates, times and bytes become text.
pub(crate) fn json(array: &ArrayRef, row: usize) -> Option<Value> {
    macro_rules! whole {
        ($kind:ty) => {
            Some(Value::Number(array.as_primitive::<$kind>().value(row).into()))
        };
    }
    if array.is_null(row) {
        return None;
    }
    match array.data_type() {
        DataType::Null => None,
        DataType::Boolean => Some(Value::Bool(array.as_boolean().value(row))),
        DataType::Int8 => whole!(Int8Type),
        DataType::Int16 => whole!(Int16Type),
        DataType::Int32 => whole!(Int32Type),
        DataType::Int64 => whole!(Int64Type),
        DataType::UInt8 => whole!(UInt8Type),
        DataType::UInt16 => whole!(UInt16Type),
        DataType::UInt32 => whole!(UInt32Type),
        DataType::UInt64 => whole!(UInt64Type),
        // The shortest digits that stand for it, as everywhere else.
        DataType::Float16 | DataType::Float32 => {
            printed(array, row)?.parse().ok().and_then(Number::from_f64).map(Value::Number)
        }
        DataType::Float64 => {
            Number::from_f64(array.as_primitive::<Float64Type>().value(row)).map(Value::Number)
        }
        DataType::Struct(fields) => {
            let columns = array.as_struct().columns();
            let value = |(field, column): (&arrow_schema::FieldRef, &ArrayRef)| {
                Some((field.name().clone(), json(column, row)?))
            };
            Some(Value::Object(fields.iter().zip(columns).filter_map(value).collect::<Map<_, _>>()))
        }
        DataType::List(_) => Some(items(&array.as_list::<i32>().value(row))),
        DataType::LargeList(_) => Some(items(&array.as_list::<i64>().value(row))),
        DataType::FixedSizeList(..) => Some(items(&array.as_fixed_size_list().value(row))),
        DataType::Map(..) => {
            let mut written = String::new();
            write_entries(&array.as_map().value(row), &mut written);
            serde_json::from_str(&written).ok()
        }
        DataType::Dictionary(..) => {
            // Keys are looked up for this row only.
            let one = array.slice(row, 1);
            let dictionary = one.as_any_dictionary();
            json(dictionary.values(), *dictionary.normalized_keys().first()?)
        }
        _ => printed(array, row).map(|text| Value::String(text.into_owned())),
    }
}

/// What has no place in JSON in the value of a row, as the end of a sentence: "it has an infinite number". `None` if there is
/// nothing. Null and NaN, with which tables write that a number is missing, are no values.
pub(crate) fn odd(array: &ArrayRef, row: usize) -> Option<String> {
    let in_items = |list: &ArrayRef| (0..list.len()).find_map(|item| odd(list, item));
    if array.is_null(row) {
        return None;
    }
    let is_infinite = match array.data_type() {
        DataType::Null => return None,
        DataType::Struct(_) => return array.as_struct().columns().iter().find_map(|column| odd(column, row)),
        DataType::List(_) => return in_items(&array.as_list::<i32>().value(row)),
        DataType::LargeList(_) => return in_items(&array.as_list::<i64>().value(row)),
        DataType::FixedSizeList(..) => return in_items(&array.as_fixed_size_list().value(row)),
        DataType::Map(..) => return array.as_map().value(row).columns().iter().find_map(in_items),
        DataType::Dictionary(..) => {
            let one = array.slice(row, 1);
            let dictionary = one.as_any_dictionary();
            return odd(dictionary.values(), *dictionary.normalized_keys().first()?);
        }
        DataType::Float16 => array.as_primitive::<Float16Type>().value(row).is_infinite(),
        DataType::Float32 => array.as_primitive::<Float32Type>().value(row).is_infinite(),
        DataType::Float64 => array.as_primitive::<Float64Type>().value(row).is_infinite(),
        kind if json(array, row).is_none() => return Some(format!("it has a value of the type {kind}")),
        _ => false,
    };
    is_infinite.then(|| "it has an infinite number".into())
}

const DIGITS: [u8; 16] = *b"0123456789abcdef";

/// Appends a value as JSON text: what [`json`] gives, except that bytes are hexadecimal digits, maps are objects, and what has
/// no place in JSON is null. Returns false if the value is null. Numbers and strings of lists are written without a tree.
pub(crate) fn write_json(array: &ArrayRef, row: usize, to: &mut String) -> bool {
    macro_rules! number {
        ($kind:ty) => {{
            let _ = write!(to, "{}", array.as_primitive::<$kind>().value(row));
        }};
    }
    macro_rules! float {
        ($kind:ty) => {{
            let value = array.as_primitive::<$kind>().value(row);
            if value.is_finite() {
                let _ = write!(to, "{value:?}");
            } else {
                // JSON has no such number. Whoever reads it says what is wrong.
                to.push_str(if value.is_nan() { "\"NaN\"" } else { "\"infinite\"" });
            }
        }};
    }
    if array.is_null(row) || *array.data_type() == DataType::Null {
        return false;
    }
    match array.data_type() {
        DataType::Int8 => number!(Int8Type),
        DataType::Int16 => number!(Int16Type),
        DataType::Int32 => number!(Int32Type),
        DataType::Int64 => number!(Int64Type),
        DataType::UInt8 => number!(UInt8Type),
        DataType::UInt16 => number!(UInt16Type),
        DataType::UInt32 => number!(UInt32Type),
        DataType::UInt64 => number!(UInt64Type),
        DataType::Float32 => float!(Float32Type),
        DataType::Float64 => float!(Float64Type),
        DataType::List(_) => write_items(&array.as_list::<i32>().value(row), to),
        DataType::LargeList(_) => write_items(&array.as_list::<i64>().value(row), to),
        DataType::FixedSizeList(..) => write_items(&array.as_fixed_size_list().value(row), to),
        DataType::Map(..) => write_entries(&array.as_map().value(row), to),
        DataType::Dictionary(..) => {
            let one = array.slice(row, 1);
            let dictionary = one.as_any_dictionary();
            return match dictionary.normalized_keys().first() {
                Some(&key) if key < dictionary.values().len() => write_json(dictionary.values(), key, to),
                _ => false,
            };
        }
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            to.push('"');
            for byte in bytes(array, row).into_iter().flatten() {
                to.extend([byte >> 4, byte & 15].map(|digit| char::from(DIGITS[usize::from(digit)])));
            }
            to.push('"');
        }
        _ => match json(array, row) {
            Some(value) => {
                let _ = write!(to, "{value}");
            }
            None => return false,
        },
    }
    true
}

fn write_items(list: &ArrayRef, to: &mut String) {
    to.push('[');
    for item in 0..list.len() {
        if item > 0 {
            to.push(',');
        }
        if !write_json(list, item, to) {
            to.push_str("null");
        }
    }
    to.push(']');
}

/// The entries of a map. A name of JSON is a string, and so keys that are not are written as their JSON in quotes.
fn write_entries(entries: &arrow_array::StructArray, to: &mut String) {
    let (keys, values) = (entries.column(0), entries.column(1));
    to.push('{');
    for entry in 0..entries.len() {
        if entry > 0 {
            to.push(',');
        }
        let begin = to.len();
        if !write_json(keys, entry, to) {
            to.push_str("null");
        }
        if !to[begin..].starts_with('"') {
            to.insert(begin, '"');
            to.push('"');
        }
        to.push(':');
        if !write_json(values, entry, to) {
            to.push_str("null");
        }
    }
    to.push('}');
}

/// A list keeps its nulls: the place of a value may mean something.
fn items(list: &ArrayRef) -> Value {
    Value::Array((0..list.len()).map(|item| json(list, item).unwrap_or(Value::Null)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::builder::{Int64Builder, ListBuilder, MapBuilder, StringBuilder};
    use arrow_array::{
        Date32Array, DurationSecondArray, Float32Array, Float64Array, Int64Array, StringArray, StructArray,
        UInt64Array,
    };
    use arrow_schema::Field;
    use serde_json::json as written;
    use std::sync::Arc;

    #[test]
    fn values_keep_their_types() {
        let numbers: ArrayRef = Arc::new(Int64Array::from(vec![Some(-7), None]));
        assert_eq!((json(&numbers, 0), json(&numbers, 1)), (Some(written!(-7)), None));
        let large: ArrayRef = Arc::new(UInt64Array::from(vec![u64::MAX]));
        assert_eq!(json(&large, 0), Some(written!(u64::MAX)));
        let floats: ArrayRef = Arc::new(Float32Array::from(vec![0.1, f32::NAN]));
        assert_eq!((json(&floats, 0), json(&floats, 1)), (Some(written!(0.1)), None));
        let dates: ArrayRef = Arc::new(Date32Array::from(vec![1]));
        assert_eq!(json(&dates, 0), Some(written!("1970-01-02")));
        let mut lists = ListBuilder::new(Int64Builder::new());
        lists.append_value([Some(1), None]);
        let list: ArrayRef = Arc::new(lists.finish());
        let text: ArrayRef = Arc::new(StringArray::from(vec!["x"]));
        let fields = |column: &ArrayRef, name: &str| {
            (Arc::new(Field::new(name, column.data_type().clone(), true)), Arc::clone(column))
        };
        let both: ArrayRef = Arc::new(StructArray::from(vec![fields(&list, "l"), fields(&text, "t")]));
        assert_eq!(json(&both, 0), Some(written!({"l": [1, null], "t": "x"})));
        for (array, row) in [(&numbers, 0), (&numbers, 1), (&large, 0), (&floats, 1), (&dates, 0), (&both, 0)]
        {
            assert_eq!(odd(array, row), None);
        }
    }

    #[test]
    fn what_has_no_place_in_json_is_named() {
        let floats: ArrayRef = Arc::new(Float64Array::from(vec![f64::NEG_INFINITY]));
        assert_eq!(odd(&floats, 0).unwrap(), "it has an infinite number");
        let times: ArrayRef = Arc::new(DurationSecondArray::from(vec![Some(1), None]));
        assert_eq!((json(&times, 0), odd(&times, 1)), (None, None));
        let inner = Arc::new(Field::new("d", times.data_type().clone(), true));
        let nested: ArrayRef = Arc::new(StructArray::from(vec![(inner, times)]));
        assert!(odd(&nested, 0).unwrap().contains("Duration"), "{:?}", odd(&nested, 0));
    }

    #[test]
    fn maps_become_objects() {
        let mut maps = MapBuilder::new(None, StringBuilder::new(), Int64Builder::new());
        maps.keys().append_value("a");
        maps.values().append_value(1);
        maps.append(true).unwrap();
        let maps: ArrayRef = Arc::new(maps.finish());
        assert_eq!((json(&maps, 0), odd(&maps, 0)), (Some(written!({"a": 1})), None));
    }
}
