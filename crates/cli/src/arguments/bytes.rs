//! Amounts of bytes, as people write them: `2GiB`, `500MB`, `65536`.

use serde::{Deserialize, Deserializer, de};
use std::fmt;
use std::str::FromStr;

/// An amount of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bytes(pub(crate) u64);

/// Units, the binary ones by name (`KiB` or `K`), the decimal ones as in `KB`.
const UNITS: [(&str, u64); 13] = [
    ("tib", 1 << 40),
    ("gib", 1 << 30),
    ("mib", 1 << 20),
    ("kib", 1 << 10),
    ("tb", 1_000_000_000_000),
    ("gb", 1_000_000_000),
    ("mb", 1_000_000),
    ("kb", 1_000),
    ("t", 1 << 40),
    ("g", 1 << 30),
    ("m", 1 << 20),
    ("k", 1 << 10),
    ("b", 1),
];

impl FromStr for Bytes {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, String> {
        let wrong = || format!("`{written}` is not an amount of bytes, as in 2GiB, 500MB or 65536");
        let lower = written.trim().to_ascii_lowercase();
        let unit = UNITS.iter().find_map(|(unit, bytes)| Some((lower.strip_suffix(unit)?, *bytes)));
        let (number, unit) = unit.unwrap_or((&lower, 1));
        let number = number.trim();
        if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
            return Err(wrong());
        }
        if let Ok(whole) = number.parse::<u64>() {
            return whole.checked_mul(unit).map(Self).ok_or_else(wrong);
        }
        let bytes = number.parse::<f64>().map_err(|_| wrong())? * unit as f64;
        if bytes < u64::MAX as f64 { Ok(Self(bytes.round() as u64)) } else { Err(wrong()) }
    }
}

impl fmt::Display for Bytes {
    /// The shortest exact way to write it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, unit) in [("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)] {
            if self.0 >= unit && self.0.is_multiple_of(unit) {
                return write!(f, "{}{name}", self.0 / unit);
            }
        }
        write!(f, "{}", self.0)
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
    fn reads_what_people_write() {
        for (written, bytes) in [
            ("0", 0),
            ("65536", 65_536),
            ("2GiB", 2 << 30),
            ("2 gib", 2 << 30),
            ("2G", 2 << 30),
            ("500MB", 500_000_000),
            ("1.5GiB", 3 << 29),
            ("12b", 12),
        ] {
            assert_eq!(written.parse(), Ok(Bytes(bytes)), "{written}");
        }
    }

    #[test]
    fn refuses_what_is_no_amount() {
        for written in [
            "",
            "GiB",
            "-1",
            "1e9",
            "2 GiB more",
            "nan",
            "inf",
            "1.2.3",
            "99999999999TiB",
            "18446744073709551616",
        ] {
            assert!(written.parse::<Bytes>().is_err(), "{written}");
        }
    }

    #[test]
    fn writes_what_it_reads() {
        for bytes in [0, 1, 1_000, 1 << 10, 3 << 20, 16 << 20, (1 << 30) + 1, 5 << 40] {
            assert_eq!(Bytes(bytes).to_string().parse(), Ok(Bytes(bytes)));
        }
        assert_eq!(Bytes(16 << 20).to_string(), "16MiB");
    }
}
