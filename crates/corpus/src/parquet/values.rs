//! Values of a column -> strings and numbers.

use crate::{OrderKind, order_key};
use arrow_array::cast::AsArray;
use arrow_array::temporal_conversions::{date32_to_datetime, date64_to_datetime};
use arrow_array::types::*;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, LargeBinaryArray, LargeStringArray, StringArray,
    StringViewArray,
};
use arrow_schema::{DataType, IntervalUnit, TimeUnit};
use std::borrow::Cow;

/// A column of strings, however they are stored.
#[derive(Debug)]
pub(crate) enum Strings<'a> {
    Utf8(&'a StringArray),
    LargeUtf8(&'a LargeStringArray),
    Utf8View(&'a StringViewArray),
    /// Bytes, which are a string if they are UTF-8.
    Binary(&'a BinaryArray),
    LargeBinary(&'a LargeBinaryArray),
    BinaryView(&'a BinaryViewArray),
    /// A column of nulls.
    Null,
}

impl<'a> Strings<'a> {
    /// `None` if the column has another type.
    pub(crate) fn new(array: &'a dyn Array) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Utf8 => Self::Utf8(array.as_string()),
            DataType::LargeUtf8 => Self::LargeUtf8(array.as_string()),
            DataType::Utf8View => Self::Utf8View(array.as_string_view()),
            DataType::Binary => Self::Binary(array.as_binary()),
            DataType::LargeBinary => Self::LargeBinary(array.as_binary()),
            DataType::BinaryView => Self::BinaryView(array.as_binary_view()),
            DataType::Null => Self::Null,
            _ => return None,
        })
    }

    /// The value, which must not be null. If it is not UTF-8, the position of the first bad byte, counted from 1.
    pub(crate) fn get(&self, value: usize) -> Result<&'a str, usize> {
        match self {
            Self::Utf8(array) => Ok(array.value(value)),
            Self::LargeUtf8(array) => Ok(array.value(value)),
            Self::Utf8View(array) => Ok(array.value(value)),
            Self::Binary(array) => utf8(array.value(value)),
            Self::LargeBinary(array) => utf8(array.value(value)),
            Self::BinaryView(array) => utf8(array.value(value)),
            Self::Null => Ok(""),
        }
    }
}

fn utf8(bytes: &[u8]) -> Result<&str, usize> {
    std::str::from_utf8(bytes).map_err(|error| error.valid_up_to() + 1)
}

/// True if values of this type are text, or bytes that may be text.
pub(crate) fn is_text(kind: &DataType) -> bool {
    use DataType::{Binary, BinaryView, LargeBinary, LargeUtf8, Null, Utf8, Utf8View};
    matches!(kind, Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView | Null)
}

/// True if values of this type can be written as text.
pub(crate) fn is_printable(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            true
        }
        DataType::Boolean | DataType::Null => true,
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => true,
        kind => is_number(kind),
    }
}

/// True if values of this type have an order.
pub(crate) fn is_comparable(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Boolean | DataType::Null => true,
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => true,
        kind => is_number(kind),
    }
}

fn is_number(kind: &DataType) -> bool {
    kind.is_integer()
        || kind.is_floating()
        || matches!(kind, DataType::Decimal128(..) | DataType::Decimal256(..))
}

/// True if values of this type are written in JSON without quotes.
pub(crate) fn is_bare(kind: &DataType) -> bool {
    *kind == DataType::Boolean || is_number(kind)
}

/// A value, which must not be null, as text: the content of strings, numbers as in JSON, dates, times and lengths of time as
/// ISO 8601, other bytes in hexadecimal.
pub(crate) fn printed(array: &ArrayRef, row: usize) -> Option<Cow<'_, str>> {
    macro_rules! number {
        ($kind:ty) => {
            Some(array.as_primitive::<$kind>().value(row).to_string().into())
        };
    }
    if let Some(strings) = Strings::new(array.as_ref()) {
        return match strings.get(row) {
            Ok(text) => Some(Cow::Borrowed(text)),
            Err(_) => bytes(array, row).map(|bytes| hexadecimal(bytes).into()),
        };
    }
    match array.data_type() {
        DataType::Boolean => Some(array.as_boolean().value(row).to_string().into()),
        DataType::Int8 => number!(Int8Type),
        DataType::Int16 => number!(Int16Type),
        DataType::Int32 => number!(Int32Type),
        DataType::Int64 => number!(Int64Type),
        DataType::UInt8 => number!(UInt8Type),
        DataType::UInt16 => number!(UInt16Type),
        DataType::UInt32 => number!(UInt32Type),
        DataType::UInt64 => number!(UInt64Type),
        DataType::Float16 => number!(Float16Type),
        DataType::Float32 => Some(format!("{:?}", array.as_primitive::<Float32Type>().value(row)).into()),
        DataType::Float64 => Some(format!("{:?}", array.as_primitive::<Float64Type>().value(row)).into()),
        DataType::Decimal128(..) => Some(array.as_primitive::<Decimal128Type>().value_as_string(row).into()),
        DataType::Decimal256(..) => Some(array.as_primitive::<Decimal256Type>().value_as_string(row).into()),
        DataType::Date32 => {
            Some(date32_to_datetime(array.as_primitive::<Date32Type>().value(row))?.date().to_string().into())
        }
        DataType::Date64 => {
            Some(date64_to_datetime(array.as_primitive::<Date64Type>().value(row))?.date().to_string().into())
        }
        DataType::Timestamp(unit, _) => {
            let time = match unit {
                TimeUnit::Second => array.as_primitive::<TimestampSecondType>().value_as_datetime(row),
                TimeUnit::Millisecond => {
                    array.as_primitive::<TimestampMillisecondType>().value_as_datetime(row)
                }
                TimeUnit::Microsecond => {
                    array.as_primitive::<TimestampMicrosecondType>().value_as_datetime(row)
                }
                TimeUnit::Nanosecond => {
                    array.as_primitive::<TimestampNanosecondType>().value_as_datetime(row)
                }
            };
            Some(time?.format("%Y-%m-%dT%H:%M:%S%.f").to_string().into())
        }
        DataType::Time32(_) | DataType::Time64(_) => {
            let nanoseconds = u64::try_from(nanoseconds(array, row)?).ok()?;
            let (seconds, rest) = (nanoseconds / SECOND as u64, nanoseconds % SECOND as u64);
            let clock = format!("{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60);
            Some((clock + &fraction(rest)).into())
        }
        DataType::Duration(_) => Some(span(0, 0, nanoseconds(array, row)?).into()),
        DataType::Interval(unit) => Some(
            match unit {
                IntervalUnit::YearMonth => {
                    span(array.as_primitive::<IntervalYearMonthType>().value(row).into(), 0, 0)
                }
                IntervalUnit::DayTime => {
                    let it = array.as_primitive::<IntervalDayTimeType>().value(row);
                    span(0, it.days.into(), i128::from(it.milliseconds) * (SECOND / 1_000))
                }
                IntervalUnit::MonthDayNano => {
                    let it = array.as_primitive::<IntervalMonthDayNanoType>().value(row);
                    span(it.months.into(), it.days.into(), it.nanoseconds.into())
                }
            }
            .into(),
        ),
        _ => bytes(array, row).map(|bytes| hexadecimal(bytes).into()),
    }
}

/// The nanoseconds of a second.
const SECOND: i128 = 1_000_000_000;

/// The nanoseconds since midnight of a time of day, or those of a length of time.
fn nanoseconds(array: &ArrayRef, row: usize) -> Option<i128> {
    macro_rules! of {
        ($kind:ty, $unit:expr) => {
            i128::from(array.as_primitive::<$kind>().value(row)) * $unit
        };
    }
    Some(match array.data_type() {
        DataType::Time32(TimeUnit::Second) => of!(Time32SecondType, SECOND),
        DataType::Time32(TimeUnit::Millisecond) => of!(Time32MillisecondType, SECOND / 1_000),
        DataType::Time64(TimeUnit::Microsecond) => of!(Time64MicrosecondType, 1_000),
        DataType::Time64(TimeUnit::Nanosecond) => of!(Time64NanosecondType, 1),
        DataType::Duration(TimeUnit::Second) => of!(DurationSecondType, SECOND),
        DataType::Duration(TimeUnit::Millisecond) => of!(DurationMillisecondType, SECOND / 1_000),
        DataType::Duration(TimeUnit::Microsecond) => of!(DurationMicrosecondType, 1_000),
        DataType::Duration(TimeUnit::Nanosecond) => of!(DurationNanosecondType, 1),
        _ => return None,
    })
}

/// A length of time in the words of ISO 8601: `P1M2DT3.5S`. Each part has its own sign, as tables have it.
fn span(months: i64, days: i64, nanoseconds: i128) -> String {
    let mut written = String::from("P");
    for (number, unit) in [(months, 'M'), (days, 'D')] {
        if number != 0 {
            written.push_str(&format!("{number}{unit}"));
        }
    }
    if nanoseconds != 0 || written.len() == 1 {
        let (sign, size) = (if nanoseconds < 0 { "-" } else { "" }, nanoseconds.unsigned_abs());
        let (seconds, rest) = (size / SECOND.unsigned_abs(), (size % SECOND.unsigned_abs()) as u64);
        written.push_str(&format!("T{sign}{seconds}{}S", fraction(rest)));
    }
    written
}

/// A part of a second, in nanoseconds, after a point: nothing, or 3, 6 or 9 digits.
fn fraction(nanoseconds: u64) -> String {
    match nanoseconds {
        0 => String::new(),
        _ if nanoseconds.is_multiple_of(1_000_000) => format!(".{:03}", nanoseconds / 1_000_000),
        _ if nanoseconds.is_multiple_of(1_000) => format!(".{:06}", nanoseconds / 1_000),
        _ => format!(".{nanoseconds:09}"),
    }
}

/// The bytes of a value of a column of bytes.
pub(super) fn bytes(array: &ArrayRef, row: usize) -> Option<&[u8]> {
    Some(match array.data_type() {
        DataType::Binary => array.as_binary::<i32>().value(row),
        DataType::LargeBinary => array.as_binary::<i64>().value(row),
        DataType::BinaryView => array.as_binary_view().value(row),
        DataType::FixedSizeBinary(_) => array.as_fixed_size_binary().value(row),
        _ => return None,
    })
}

pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Replaces `key` by the order key of a value, which must not be null. `None` if the value cannot be ordered.
pub(crate) fn order_kind(array: &ArrayRef, row: usize, key: &mut Vec<u8>) -> Option<OrderKind> {
    macro_rules! time {
        ($kind:ty, $nanoseconds:expr) => {
            Some(order_key::of_time(i128::from(array.as_primitive::<$kind>().value(row)) * $nanoseconds, key))
        };
    }
    match array.data_type() {
        DataType::Boolean => Some(order_key::of_bool(array.as_boolean().value(row), key)),
        DataType::Float32 => {
            // The shortest decimal of the 32-bit number is used, as it is printed.
            let value = array.as_primitive::<Float32Type>().value(row);
            let is_plain = value.is_finite() && value.abs() < 16_777_216.0;
            if is_plain {
                order_key::of_number(&format!("{value:e}"), key)
            } else {
                order_key::of_float(value.into(), key)
            }
        }
        DataType::Float64 => order_key::of_float(array.as_primitive::<Float64Type>().value(row), key),
        DataType::Float16 => order_key::of_float(array.as_primitive::<Float16Type>().value(row).into(), key),
        DataType::Date32 => time!(Date32Type, 86_400_000_000_000),
        DataType::Date64 => time!(Date64Type, 1_000_000),
        DataType::Timestamp(TimeUnit::Second, _) => time!(TimestampSecondType, 1_000_000_000),
        DataType::Timestamp(TimeUnit::Millisecond, _) => time!(TimestampMillisecondType, 1_000_000),
        DataType::Timestamp(TimeUnit::Microsecond, _) => time!(TimestampMicrosecondType, 1_000),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => time!(TimestampNanosecondType, 1),
        kind if is_number(kind) => order_key::of_number(&printed(array, row)?, key),
        _ => order_key::of_text(&printed(array, row)?, key),
    }
}
