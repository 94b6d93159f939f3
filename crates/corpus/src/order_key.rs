//! A value of the field that `--keep max:FIELD` and `min:FIELD` compare -> bytes that sort in the same order as the
//! values.
//!
//! ```text
//! false  true  -inf  negative numbers  0  positive numbers  inf  times  text
//! ```
//!
//! The first byte of a key is the kind of the value. The bytes after it are compared within the kind:
//!
//! - A number is encoded by its exact decimal value `0.ddd x 10^e`: the exponent, then the digits two by two,
//!   then a zero byte.
//!   For a negative number every byte is inverted. Integers of any length and decimals are compared without rounding;
//!   a floating-point number counts as the shortest decimal that is read back as the same number.
//! - A time is a number of nanoseconds since 1970.
//! - Text is compared byte by byte, so dates of ISO 8601 are sorted by time. A zero byte in it is written as `00 ff`,
//!   and its end as `00 01`.
//!
//! No key is a prefix of another key. Therefore the keys with all bytes inverted are in the opposite order, and keys
//! that are cut to a fixed length, or filled with zeros up to it, are never in the wrong order.

use std::collections::BTreeMap;

/// The kind of a value. The kind decides how values are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OrderKind {
    /// `false` before `true`.
    Boolean,
    /// Compared by value. Text that is a number counts as a number.
    Number,
    /// Dates and times of Parquet files and tables.
    Time,
    /// Compared byte by byte.
    Text,
}

impl OrderKind {
    /// All kinds, in their order.
    pub const ALL: [Self; 4] = [Self::Boolean, Self::Number, Self::Time, Self::Text];

    /// The name of values of this kind: `numbers`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Boolean => "booleans",
            Self::Number => "numbers",
            Self::Time => "times",
            Self::Text => "text",
        }
    }
}

/// The number of values of each kind, by the name of the kind.
pub type OrderKinds = BTreeMap<String, u64>;

/// A value in the form in which it is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderKey<'a> {
    /// The kind of the value.
    pub kind: OrderKind,
    /// Smaller bytes for smaller values. They are never a prefix of the bytes of another value.
    pub bytes: &'a [u8],
}

const FALSE: u8 = 0x10;
const TRUE: u8 = 0x11;
const MINUS_INFINITY: u8 = 0x20;
const NEGATIVE: u8 = 0x21;
const ZERO: u8 = 0x22;
const POSITIVE: u8 = 0x23;
const INFINITY: u8 = 0x24;
const TIME: u8 = 0x30;
const TEXT: u8 = 0x40;

/// Exponents between minus this and plus this are encoded in one byte.
const SHORT_EXPONENT: i64 = 100;

/// The key of text: the key of a number if the text is a number, no key if it is empty.
pub(crate) fn of_text(text: &str, key: &mut Vec<u8>) -> Option<OrderKind> {
    if text.trim().is_empty() {
        return None;
    }
    if let Some(kind) = of_number(text, key) {
        return Some(kind);
    }
    key.clear();
    key.push(TEXT);
    let mut pieces = text.as_bytes().split(|&byte| byte == 0);
    key.extend_from_slice(pieces.next().unwrap_or_default());
    for piece in pieces {
        key.extend_from_slice(&[0, 0xff]);
        key.extend_from_slice(piece);
    }
    key.extend_from_slice(&[0, 1]);
    Some(OrderKind::Text)
}

/// Replaces `key` by bytes that are equal for numbers of equal value, and only for these. Returns false if `written` is not a
/// number.
///
/// ```
/// let key = |written: &str| {
///     let mut key = Vec::new();
///     corpus::number_key(written, &mut key).then_some(key)
/// };
/// assert_eq!(key("20"), key("2.0e1"));
/// assert_ne!(key("18446744073709551616"), key("18446744073709551617"));
/// assert_eq!(key("x"), None);
/// ```
pub fn number_key(written: &str, key: &mut Vec<u8>) -> bool {
    of_number(written, key).is_some()
}

/// The key of a number in decimal digits. No key if `written` is not a number (`inf` and `nan` are not).
pub(crate) fn of_number(written: &str, key: &mut Vec<u8>) -> Option<OrderKind> {
    let written = written.trim().as_bytes();
    let (negative, unsigned) = match written {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let (mantissa, exponent) = match unsigned.iter().position(|byte| matches!(byte, b'e' | b'E')) {
        Some(at) => (&unsigned[..at], exponent(&unsigned[at + 1..])?),
        None => (unsigned, 0),
    };
    let point = mantissa.iter().position(|&byte| byte == b'.');
    let (whole, fraction) = match point {
        Some(at) => (&mantissa[..at], &mantissa[at + 1..]),
        None => (mantissa, &[][..]),
    };
    let is_digits = |bytes: &[u8]| bytes.iter().all(u8::is_ascii_digit);
    if whole.len() + fraction.len() == 0 || !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    let digits = || whole.iter().chain(fraction);
    let leading = digits().take_while(|&&digit| digit == b'0').count();
    let trailing = digits().rev().take_while(|&&digit| digit == b'0').count();
    key.clear();
    if leading == whole.len() + fraction.len() {
        key.push(ZERO);
        return Some(OrderKind::Number);
    }
    let significant = whole.len() + fraction.len() - leading - trailing;
    // The value is 0.d1d2d3... times ten to the power of this.
    let exponent = exponent.saturating_add(whole.len() as i64).saturating_sub(leading as i64);
    key.push(if negative { NEGATIVE } else { POSITIVE });
    if exponent.unsigned_abs() <= SHORT_EXPONENT.unsigned_abs() {
        key.push((exponent + 128) as u8);
    } else {
        key.push(if exponent > 0 { 0xf0 } else { 0x0f });
        key.extend_from_slice(&(exponent as u64 ^ 1 << 63).to_be_bytes());
    }
    let mut digits = digits().skip(leading).take(significant).map(|digit| digit - b'0');
    while let Some(first) = digits.next() {
        key.push(1 + 10 * first + digits.next().unwrap_or(0));
    }
    key.push(0);
    if negative {
        key[1..].iter_mut().for_each(|byte| *byte = !*byte);
    }
    Some(OrderKind::Number)
}

/// The exponent after the `e` of a number. An exponent that is too large for the type becomes the largest one.
fn exponent(written: &[u8]) -> Option<i64> {
    let (negative, digits) = match written {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let magnitude = digits
        .iter()
        .fold(0i64, |number, digit| number.saturating_mul(10).saturating_add(i64::from(digit - b'0')));
    Some(if negative { -magnitude } else { magnitude })
}

/// The key of a boolean.
pub(crate) fn of_bool(value: bool, key: &mut Vec<u8>) -> OrderKind {
    key.clear();
    key.push(if value { TRUE } else { FALSE });
    OrderKind::Boolean
}

/// The key of a floating-point number. No key for NaN.
#[cfg(feature = "parquet")]
pub(crate) fn of_float(value: f64, key: &mut Vec<u8>) -> Option<OrderKind> {
    if value.is_nan() {
        return None;
    }
    if value.is_infinite() {
        key.clear();
        key.push(if value > 0.0 { INFINITY } else { MINUS_INFINITY });
        return Some(OrderKind::Number);
    }
    // From 2^53 on these are whole numbers, and the shortest decimal is not the exact value.
    if value.abs() >= 9_007_199_254_740_992.0 {
        return of_number(&format!("{value:.0}"), key);
    }
    of_number(&format!("{value:e}"), key)
}

/// The key of a time, in nanoseconds since 1970.
#[cfg(feature = "parquet")]
pub(crate) fn of_time(nanoseconds: i128, key: &mut Vec<u8>) -> OrderKind {
    key.clear();
    key.push(TIME);
    key.extend_from_slice(&(nanoseconds as u128 ^ 1 << 127).to_be_bytes());
    OrderKind::Time
}

#[cfg(test)]
mod tests;
