//! Sizes in the form in which people read and write them.

/// `12 bytes`, `1.5 GiB`.
#[must_use]
pub fn readable_size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if bytes < 1024 {
        return format!("{bytes} bytes");
    }
    let (mut amount, mut unit) = (bytes as f64 / 1024.0, 0);
    while amount >= 1023.95 && unit + 1 < UNITS.len() {
        amount /= 1024.0;
        unit += 1;
    }
    format!("{amount:.1} {}", UNITS[unit])
}

/// The shortest exact way to write an amount of bytes so that [`parse_size`] reads it: `64MiB`.
#[must_use]
pub fn written_size(bytes: u64) -> String {
    let units = [("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    match units.into_iter().find(|(_, unit)| bytes >= *unit && bytes.is_multiple_of(*unit)) {
        Some((name, unit)) => format!("{}{name}", bytes / unit),
        None => bytes.to_string(),
    }
}

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

/// The number of bytes that `2GiB`, `500MB` or `65536` means. An error says what is wrong.
pub fn parse_size(written: &str) -> Result<u64, String> {
    let wrong = || format!("`{written}` is not an amount of bytes, as in 2GiB, 500MB or 65536");
    let lower = written.trim().to_ascii_lowercase();
    let unit = UNITS.iter().find_map(|(unit, bytes)| Some((lower.strip_suffix(unit)?, *bytes)));
    let (number, unit) = unit.unwrap_or((&lower, 1));
    let number = number.trim();
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return Err(wrong());
    }
    if let Ok(whole) = number.parse::<u64>() {
        return whole.checked_mul(unit).ok_or_else(wrong);
    }
    let bytes = number.parse::<f64>().map_err(|_| wrong())? * unit as f64;
    if bytes < u64::MAX as f64 { Ok(bytes.round() as u64) } else { Err(wrong()) }
}

#[cfg(test)]
mod tests {
    use super::{parse_size, readable_size};

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
            assert_eq!(parse_size(written), Ok(bytes), "{written}");
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
            assert!(parse_size(written).is_err(), "{written}");
        }
    }

    #[test]
    fn sizes_are_written_as_people_read_them() {
        assert_eq!(
            [12, 1024, 3 << 29, (1 << 30) - 1, u64::MAX].map(readable_size),
            ["12 bytes", "1.0 KiB", "1.5 GiB", "1.0 GiB", "16384.0 PiB"]
        );
    }
}
