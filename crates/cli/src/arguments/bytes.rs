//! Amounts of bytes, as people write them: `2GiB`, `500MB`, `65536`.

use serde::{Deserialize, Deserializer, de};
use std::fmt;
use std::str::FromStr;

/// An amount of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bytes(pub(crate) u64);

impl FromStr for Bytes {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, String> {
        corpus::parse_size(written).map(Self)
    }
}

impl fmt::Display for Bytes {
    /// Writes the number with the largest unit that divides it exactly.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&corpus::written_size(self.0))
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl de::Visitor<'_> for Visitor {
            type Value = Bytes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an amount of bytes, as in \"2GiB\" or 65536")
            }

            fn visit_str<E: de::Error>(self, written: &str) -> Result<Bytes, E> {
                written.parse().map_err(E::custom)
            }

            fn visit_u64<E: de::Error>(self, bytes: u64) -> Result<Bytes, E> {
                Ok(Bytes(bytes))
            }

            fn visit_i64<E: de::Error>(self, bytes: i64) -> Result<Bytes, E> {
                u64::try_from(bytes)
                    .map(Bytes)
                    .map_err(|_| E::invalid_value(de::Unexpected::Signed(bytes), &self))
            }
        }

        deserializer.deserialize_any(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_what_it_reads() {
        for bytes in [0, 1, 1_000, 1 << 10, 3 << 20, 16 << 20, (1 << 30) + 1, 5 << 40] {
            assert_eq!(Bytes(bytes).to_string().parse(), Ok(Bytes(bytes)));
        }
        assert_eq!(Bytes(16 << 20).to_string(), "16MiB");
    }
}
