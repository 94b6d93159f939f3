//! The names of the fields of a type, and which of them is meant by a mistyped one.
//!
//! A type that derives `Deserialize` tells a deserializer the names of its fields. [`names`] is a deserializer that
//! listens, and then stops.

use serde::de::value::Error as Stop;
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::forward_to_deserialize_any;

/// The names of the fields of a struct. Empty for a type that is no struct.
pub(crate) fn names<'de, T: Deserialize<'de>>() -> &'static [&'static str] {
    let mut heard: &'static [&'static str] = &[];
    // It always stops with an error, which says nothing.
    let _ = T::deserialize(Listener(&mut heard));
    heard
}

/// The known name that is nearest to a mistyped one, if any is near.
pub(crate) fn nearest<'n>(typed: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    // A name of a request can have any length; what is that long is not mistyped.
    if typed.len() > 100 {
        return None;
    }
    let near = known.into_iter().map(|name| (strsim::jaro_winkler(typed, name), name));
    near.filter(|(similarity, _)| *similarity > 0.75).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name)
}

struct Listener<'h>(&'h mut &'static [&'static str]);

impl<'de> Deserializer<'de> for Listener<'_> {
    type Error = Stop;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Stop> {
        *self.0 = fields;
        Err(Stop::custom("heard"))
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Stop> {
        Err(Stop::custom("no struct"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    #[expect(dead_code, reason = "only the names of its fields are asked for")]
    struct Some {
        threshold: f64,
        #[serde(rename = "where")]
        filter: Option<String>,
    }

    #[test]
    fn the_names_are_those_of_the_json() {
        assert_eq!(names::<Some>(), ["threshold", "where"]);
        assert!(names::<Vec<u8>>().is_empty());
    }

    #[test]
    fn a_mistyped_name_has_a_nearest_one() {
        let known = ["threshold", "text", "top"];
        assert_eq!(nearest("treshold", known), Some("threshold"));
        assert_eq!(nearest("Text", known), Some("text"));
        assert_eq!(nearest("xyz", known), None);
        assert_eq!(nearest(&"t".repeat(10_000), known), None);
    }
}
