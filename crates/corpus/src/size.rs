//! Sizes as people read them.

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

#[cfg(test)]
mod tests {
    use super::readable_size;

    #[test]
    fn sizes_are_written_as_people_read_them() {
        assert_eq!(
            [12, 1024, 3 << 29, (1 << 30) - 1, u64::MAX].map(readable_size),
            ["12 bytes", "1.0 KiB", "1.5 GiB", "1.0 GiB", "16384.0 PiB"]
        );
    }
}
