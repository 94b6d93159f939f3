//! Numbers -> text that people can read.

/// A count with thousands separators: `1,234,567`.
#[must_use]
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A share in percent: `12.3 %`. It has enough digits to differ from `0 %` and from `100 %`.
#[must_use]
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    let from_the_ends = percent.min(100.0 - percent);
    if !percent.is_finite() {
        "unknown".to_owned()
    } else if from_the_ends <= 0.0 {
        format!("{percent:.0} %")
    } else if from_the_ends < 0.001 {
        if percent < 50.0 { "< 0.001 %".to_owned() } else { "> 99.999 %".to_owned() }
    } else if from_the_ends < 0.1 {
        format!("{percent:.3} %")
    } else {
        format!("{percent:.1} %")
    }
}

/// A similarity: `0.8312`, `1`.
#[must_use]
pub fn similarity(value: f64) -> String {
    if value == 1.0 || value == 0.0 { format!("{value:.0}") } else { format!("{value:.4}") }
}

/// An area between 0 and 1: `0.2440`, `< 0.0001`.
#[must_use]
pub fn area(value: f64) -> String {
    if value > 0.0 && value < 0.000_1 { "< 0.0001".to_owned() } else { format!("{:.4}", value.max(0.0)) }
}

/// Bytes in units of 1,000: `1.2 GB`.
#[must_use]
pub fn bytes(number: u64) -> String {
    scaled(number as f64, &["bytes", "kB", "MB", "GB", "TB", "PB"])
}

/// A rate: `1.2 M documents/s`.
pub(crate) fn rate(per_second: f64, unit: &str) -> String {
    if unit == "bytes" {
        return format!("{}/s", scaled(per_second, &["bytes", "kB", "MB", "GB", "TB", "PB"]));
    }
    format!("{}{unit}/s", scaled(per_second, &["", "k ", "M ", "G ", "T "]))
}

fn scaled(mut value: f64, units: &[&str]) -> String {
    let mut at = 0;
    while value >= 999.5 && at + 1 < units.len() {
        value /= 1000.0;
        at += 1;
    }
    let digits = usize::from(at > 0 && value < 99.95);
    format!("{value:.digits$} {}", units[at])
}

/// A time: `0.12 s`, `3 min 20 s`, `2 h 5 min`.
#[must_use]
pub fn seconds(time: f64) -> String {
    if !time.is_finite() || time < 0.0 {
        return "unknown".to_owned();
    }
    let whole = time.round() as u64;
    match whole {
        0..10 => format!("{time:.2} s"),
        10..60 => format!("{time:.1} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

/// Text of at most `most` characters, with an ellipsis where it was cut.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_for_people() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([0.0, 1.0, 0.1234, 0.9996].map(percent), ["0 %", "100 %", "12.3 %", "99.960 %"]);
        assert_eq!([1e-9, 1.0 - 1e-9].map(percent), ["< 0.001 %", "> 99.999 %"]);
        assert_eq!(percent(f64::NAN), "unknown");
        assert_eq!([999, 1_000, 5_250_000].map(bytes), ["999 bytes", "1.0 kB", "5.2 MB"]);
        assert_eq!(rate(1_234_567.0, "documents"), "1.2 M documents/s");
        assert_eq!(rate(12.0, "pairs"), "12 pairs/s");
        assert_eq!(rate(5e8, "bytes"), "500 MB/s");
        assert_eq!(
            [0.123, 12.34, 200.0, 7500.0].map(seconds),
            ["0.12 s", "12.3 s", "3 min 20 s", "2 h 5 min"]
        );
        assert_eq!(shortened("äöü", 2), "äö…");
    }
}
