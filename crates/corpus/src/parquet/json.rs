//! A value of a column -> JSON.

use super::values::printed;
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use serde_json::{Map, Number, Value};

/// The value of a row; `None` if it is null, or has no place in JSON. Numbers, booleans, lists and structs keep their type;
/// dates, times and bytes become text.
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
        DataType::Dictionary(..) => {
            // Keys are looked up for this row only.
            let one = array.slice(row, 1);
            let dictionary = one.as_any_dictionary();
            json(dictionary.values(), *dictionary.normalized_keys().first()?)
        }
        _ => printed(array, row).map(|text| Value::String(text.into_owned())),
    }
}

/// A list keeps its nulls: the place of a value may mean something.
fn items(list: &ArrayRef) -> Value {
    Value::Array((0..list.len()).map(|item| json(list, item).unwrap_or(Value::Null)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::builder::{Int64Builder, ListBuilder};
    use arrow_array::{Date32Array, Float32Array, Int64Array, StringArray, StructArray, UInt64Array};
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
    }
}
