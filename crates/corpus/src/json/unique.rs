//! JSON -> a value that has lost nothing: no object in it has the same name twice, and no whole number is rounded.
//!
//! RFC 8259 says that names should be unique, and parsers differ in what they do otherwise. Most keep the last value, and
//! the others are lost without a word. Here this is an error, which names the name.

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;

/// Reads one value. It is an error if an object in it has two members with the same name, or if a whole number in it has more
/// than 64 bits.
///
/// ```
/// let value = corpus::unique_json(br#"{"a": {"b": 1}, "b": 2}"#)?;
/// assert_eq!(value["a"]["b"], 1);
/// assert!(corpus::unique_json(br#"{"a": {"b": 1, "b": 2}}"#).is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn unique_json(bytes: &[u8]) -> serde_json::Result<Value> {
    let Unique(value) = serde_json::from_slice(bytes)?;
    match rounded_integer(bytes) {
        None => Ok(value),
        Some(digits) => Err(Error::custom(format_args!(
            "the number {digits} has more than 64 bits and would be rounded; write it as a string"
        ))),
    }
}

/// The first digits of a whole number that a value cannot hold, in valid JSON.
fn rounded_integer(json: &[u8]) -> Option<String> {
    let mut rest = json;
    while let Some(&byte) = rest.first() {
        let length = match byte {
            b'"' => string_length(rest),
            b'-' | b'0'..=b'9' => {
                let length = rest.iter().take_while(|byte| b"+-.0123456789eE".contains(byte)).count();
                let number = String::from_utf8_lossy(&rest[..length]);
                let is_whole = !number.contains(['.', 'e', 'E']);
                if is_whole && number.parse::<u64>().is_err() && number.parse::<i64>().is_err() {
                    return Some(number.chars().take(SHOWN).collect());
                }
                length
            }
            _ => 1,
        };
        rest = &rest[length.min(rest.len())..];
    }
    None
}

/// The length of the string at the beginning of valid JSON, with its quotes.
fn string_length(json: &[u8]) -> usize {
    let mut at = 1;
    while let Some(&byte) = json.get(at) {
        at += match byte {
            b'"' => return at + 1,
            b'\\' => 2,
            _ => 1,
        };
    }
    at
}

/// A value in which names of objects are unique.
struct Unique(Value);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Seed.deserialize(deserializer).map(Self)
    }
}

struct Seed;

impl<'de> DeserializeSeed<'de> for Seed {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(item) = items.next_element_seed(Seed)? {
            array.push(item);
        }
        Ok(array.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            if object.contains_key(&name) {
                let name: String = name.chars().take(SHOWN).collect();
                return Err(A::Error::custom(format_args!("the name {name:?} is there twice in an object")));
            }
            let value = members.next_value_seed(Seed)?;
            object.insert(name, value);
        }
        Ok(object.into())
    }
}

/// So many characters of a name are shown.
const SHOWN: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_name_that_is_there_twice_is_named() {
        for (written, name) in [
            (r#"{"a": 1, "a": 1}"#, "a"),
            (r#"[{"b": {"x y": [], "c": 1, "x\u0020y": null}}]"#, "x y"),
            (r#"{"": 1, "b": 2, "": 3}"#, ""),
        ] {
            let said = unique_json(written.as_bytes()).unwrap_err().to_string();
            assert!(said.contains(&format!("the name {name:?} is there twice")), "{said}");
        }
        let long = format!("{{{0}: 1, {0}: 2}}", format_args!("\"{}\"", "n".repeat(100_000)));
        assert!(unique_json(long.as_bytes()).unwrap_err().to_string().len() < 300);
        let deep = "[".repeat(100_000);
        assert!(unique_json(deep.as_bytes()).is_err());
    }

    #[test]
    fn whole_numbers_are_not_rounded() {
        for kept in [
            "18446744073709551615",
            "-9223372036854775808",
            "[1e300, 1.5, 123456789012345678901234567890.0, -0]",
            r#"{"18446744073709551616": "\"18446744073709551616", "a": 0}"#,
        ] {
            assert!(unique_json(kept.as_bytes()).is_ok(), "{kept}");
        }
        for rounded in
            ["18446744073709551616", "-9223372036854775809", r#"{"a\\": [0, 99999999999999999999]}"#]
        {
            let said = unique_json(rounded.as_bytes()).unwrap_err().to_string();
            assert!(said.contains("more than 64 bits"), "{said}");
        }
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".{0,4}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec(("[abc]{0,2}", inner), 0..5)
                    .prop_map(|members| members.into_iter().collect::<Map<_, _>>().into()),
            ]
        })
    }

    proptest! {
        #[test]
        fn whatever_has_no_name_twice_is_what_a_parser_reads(value in value()) {
            let written = value.to_string();
            prop_assert_eq!(unique_json(written.as_bytes()).unwrap(), value);
        }
    }
}
