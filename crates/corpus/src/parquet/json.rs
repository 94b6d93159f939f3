//! A value of a column -> JSON.

use super::values::{bytes, hexadecimal, printed};
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use serde_json::{Map, Number, Value};
use std::collections::HashSet;
use std::fmt::Write as _;

/// The value of a row; `None` if it is null, or has no place in JSON: see [`odd`]. Numbers, booleans, lists and structs
/// keep their type; maps become objects; dates and times become text, and so do bytes: their characters if they are UTF-8,
/// and hexadecimal digits otherwise.
pub(crate) fn json(array: &ArrayRef, row: usize) -> Option<Value> {
    value(array, row, BytesAs::Text)
}

/// The same for values that are kept, where text must not be taken for digits: bytes are always hexadecimal digits.
pub(crate) fn kept(array: &ArrayRef, row: usize) -> Option<Value> {
    value(array, row, BytesAs::Digits)
}

/// What bytes become.
#[derive(Debug, Clone, Copy, PartialEq)]
enum BytesAs {
    Text,
    Digits,
}

fn value(array: &ArrayRef, row: usize, form: BytesAs) -> Option<Value> {
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
            let member = |(field, column): (&arrow_schema::FieldRef, &ArrayRef)| {
                Some((field.name().clone(), value(column, row, form)?))
            };
            Some(Value::Object(fields.iter().zip(columns).filter_map(member).collect::<Map<_, _>>()))
        }
        DataType::List(_) => Some(items(&array.as_list::<i32>().value(row), form)),
        DataType::LargeList(_) => Some(items(&array.as_list::<i64>().value(row), form)),
        DataType::FixedSizeList(..) => Some(items(&array.as_fixed_size_list().value(row), form)),
        DataType::Map(..) => {
            let entries = array.as_map().value(row);
            let mut object = Map::new();
            for (entry, name) in names(&entries).into_iter().enumerate() {
                let value = value(entries.column(1), entry, form).unwrap_or(Value::Null);
                object.insert(name, value);
            }
            Some(Value::Object(object))
        }
        DataType::Dictionary(..) => {
            // Keys are looked up for this row only.
            let one = array.slice(row, 1);
            let dictionary = one.as_any_dictionary();
            value(dictionary.values(), *dictionary.normalized_keys().first()?, form)
        }
        _ if form == BytesAs::Digits && bytes(array, row).is_some() => {
            bytes(array, row).map(|bytes| Value::String(hexadecimal(bytes)))
        }
        _ => printed(array, row).map(|text| Value::String(text.into_owned())),
    }
}

/// Why the value of a row has no place in JSON, as the end of a sentence: "it has an infinite number, which JSON has not".
/// `None` if it has one. Null and NaN, with which tables write that a number is missing, are no values.
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
        DataType::Map(..) => {
            let entries = array.as_map().value(row);
            return entries.columns().iter().find_map(in_items).or_else(|| twice(&entries));
        }
        DataType::Dictionary(..) => {
            let one = array.slice(row, 1);
            let dictionary = one.as_any_dictionary();
            return odd(dictionary.values(), *dictionary.normalized_keys().first()?);
        }
        DataType::Float16 => array.as_primitive::<Float16Type>().value(row).is_infinite(),
        DataType::Float32 => array.as_primitive::<Float32Type>().value(row).is_infinite(),
        DataType::Float64 => array.as_primitive::<Float64Type>().value(row).is_infinite(),
        kind if json(array, row).is_none() => {
            return Some(format!("it has a value of the type {kind}, which JSON has not"));
        }
        _ => false,
    };
    is_infinite.then(|| "it has an infinite number, which JSON has not".into())
}

/// What is wrong with a map that has a key twice: of an object, one of the values would be lost.
fn twice(entries: &arrow_array::StructArray) -> Option<String> {
    let mut seen = HashSet::new();
    let again = names(entries).into_iter().find(|name| !seen.insert(name.clone()))?;
    let shown: String = again.chars().take(SHOWN).collect();
    Some(format!("it has a map with the key {shown:?} twice"))
}

/// So many characters of a key are shown.
const SHOWN: usize = 100;

/// The keys of a map as names of JSON: strings as they are, others as their JSON.
fn names(entries: &arrow_array::StructArray) -> Vec<String> {
    let keys = entries.column(0);
    let name = |entry: usize| match value(keys, entry, BytesAs::Digits) {
        Some(Value::String(name)) => name,
        Some(other) => other.to_string(),
        None => "null".into(),
    };
    (0..entries.len()).map(name).collect()
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
fn items(list: &ArrayRef, form: BytesAs) -> Value {
    Value::Array((0..list.len()).map(|item| value(list, item, form).unwrap_or(Value::Null)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::builder::{
        BinaryBuilder, Float64Builder, Int64Builder, ListBuilder, MapBuilder, StringBuilder,
    };
    use arrow_array::{
        BinaryArray, Date32Array, DurationSecondArray, FixedSizeBinaryArray, Float32Array, Float64Array,
        Int64Array, IntervalMonthDayNanoArray, IntervalYearMonthArray, StringArray, StructArray,
        Time32SecondArray, Time64MicrosecondArray, Time64NanosecondArray, UInt64Array, UnionArray,
    };
    use arrow_schema::{Field, UnionFields};
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
        assert_eq!(odd(&floats, 0).unwrap(), "it has an infinite number, which JSON has not");
        let fields = UnionFields::from_fields([Field::new("n", DataType::Int64, true)]);
        let number: ArrayRef = Arc::new(Int64Array::from(vec![7]));
        let either = UnionArray::try_new(fields, vec![0].into(), None, vec![number]).unwrap();
        let either: ArrayRef = Arc::new(either);
        assert_eq!((json(&either, 0), kept(&either, 0)), (None, None));
        let inner = Arc::new(Field::new("u", either.data_type().clone(), true));
        let nested: ArrayRef = Arc::new(StructArray::from(vec![(inner, either)]));
        assert!(odd(&nested, 0).unwrap().contains("Union"), "{:?}", odd(&nested, 0));
    }

    #[test]
    fn times_of_day_and_lengths_of_time_are_text() {
        let both = |array: ArrayRef| {
            (0..array.len())
                .map(|row| {
                    assert_eq!((json(&array, row), odd(&array, row)), (kept(&array, row), None));
                    kept(&array, row).map_or("null".into(), |value| value.as_str().unwrap().to_owned())
                })
                .collect::<Vec<_>>()
        };
        let seconds = Time32SecondArray::from(vec![Some(0), Some(86_399), None]);
        assert_eq!(both(Arc::new(seconds)), ["00:00:00", "23:59:59", "null"]);
        let parts = Time64MicrosecondArray::from(vec![3_723_000_001, 3_723_500_000]);
        assert_eq!(both(Arc::new(parts)), ["01:02:03.000001", "01:02:03.500"]);
        assert_eq!(both(Arc::new(Time64NanosecondArray::from(vec![1]))), ["00:00:00.000000001"]);
        let lengths = DurationSecondArray::from(vec![Some(0), Some(90), Some(-i64::MAX), None]);
        assert_eq!(both(Arc::new(lengths)), ["PT0S", "PT90S", "PT-9223372036854775807S", "null"]);
        let months = IntervalYearMonthArray::from(vec![14, -1]);
        assert_eq!(both(Arc::new(months)), ["P14M", "P-1M"]);
        let all = IntervalMonthDayNanoType::make_value(1, -2, -1_500_000_000);
        let all = IntervalMonthDayNanoArray::from(vec![all, IntervalMonthDayNanoType::make_value(0, 0, 0)]);
        assert_eq!(both(Arc::new(all)), ["P1M-2DT-1.500S", "PT0S"]);
    }

    #[test]
    fn bytes_that_are_kept_are_digits_whatever_they_are() {
        let some: [&[u8]; 3] = [b"ab", b"\xab", b""];
        let bytes: ArrayRef = Arc::new(BinaryArray::from_iter_values(some));
        let kept_all: Vec<_> = (0..3).map(|row| kept(&bytes, row).unwrap()).collect();
        assert_eq!(kept_all, [written!("6162"), written!("ab"), written!("")]);
        // A cell of a table is read by people: bytes that are text are shown as such.
        assert_eq!((json(&bytes, 0), json(&bytes, 1)), (Some(written!("ab")), Some(written!("ab"))));
        let fixed: ArrayRef = Arc::new(FixedSizeBinaryArray::try_from_iter([b"ab"].into_iter()).unwrap());
        assert_eq!((json(&fixed, 0), kept(&fixed, 0)), (Some(written!("6162")), Some(written!("6162"))));
        let mut lists = ListBuilder::new(BinaryBuilder::new());
        lists.append_value([Some(b"ab"), None]);
        let lists: ArrayRef = Arc::new(lists.finish());
        assert_eq!(kept(&lists, 0), Some(written!(["6162", null])));
    }

    #[test]
    fn a_map_with_a_key_twice_is_refused() {
        let mut maps = MapBuilder::new(None, Int64Builder::new(), Float64Builder::new());
        for keys in [&[1, 2][..], &[3, 4, 3]] {
            for &key in keys {
                maps.keys().append_value(key);
                maps.values().append_value(if key == 2 { f64::NAN } else { 0.5 });
            }
            maps.append(true).unwrap();
        }
        let maps: ArrayRef = Arc::new(maps.finish());
        assert_eq!((kept(&maps, 0), odd(&maps, 0)), (Some(written!({"1": 0.5, "2": null})), None));
        assert_eq!(odd(&maps, 1).unwrap(), "it has a map with the key \"3\" twice");
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
