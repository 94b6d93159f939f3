//! Numbers as people read them.

pub(crate) use corpus::readable_size as bytes;

/// `1,234,567`.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `12.3 %`: the share of `part` in `whole`. It is `0.0 %` if `whole` is 0.
pub(crate) fn percent(part: u64, whole: u64) -> String {
    if whole == 0 { "0.0 %".into() } else { share(part as f64 / whole as f64) }
}

/// `12.3 %`. It is never rounded up to 100 % or down to 0 %.
pub(crate) fn share(share: f64) -> String {
    let percent = share * 100.0;
    match percent {
        p if p > 0.0 && p < 0.05 => "<0.1 %".into(),
        p if (99.95..100.0).contains(&p) => ">99.9 %".into(),
        p => format!("{p:.1} %"),
    }
}

/// `850 ms`, `12.3 s`, `4 min 05 s`, `2 h 04 min`.
pub(crate) fn seconds(seconds: f64) -> String {
    if seconds < 1.0 {
        return format!("{:.0} ms", seconds * 1000.0);
    }
    if seconds < 59.95 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round() as u64;
    if whole < 3600 {
        return format!("{} min {:02} s", whole / 60, whole % 60);
    }
    format!("{} h {:02} min", whole / 3600, whole % 3600 / 60)
}

/// `103 MB/s`; `None` if no time has passed.
pub(crate) fn rate(bytes: u64, seconds: f64) -> Option<String> {
    let rate = bytes as f64 / seconds / 1e6;
    (seconds > 0.0 && rate.is_finite())
        .then(|| if rate < 10.0 { format!("{rate:.1} MB/s") } else { format!("{rate:.0} MB/s") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_people_read_them() {
        assert_eq!([count(0), count(999), count(1000), count(1_234_567)], ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(count(u64::MAX), "18,446,744,073,709,551,615");
        assert_eq!([seconds(0.85), seconds(12.34), seconds(59.99)], ["850 ms", "12.3 s", "1 min 00 s"]);
        assert_eq!([seconds(245.0), seconds(7470.0)], ["4 min 05 s", "2 h 04 min"]);
        assert_eq!(rate(1_030_000_000, 10.0).unwrap(), "103 MB/s");
        assert_eq!(rate(1, 0.0), None);
    }

    #[test]
    fn a_share_is_not_rounded_to_all_or_nothing() {
        assert_eq!([share(0.0), share(0.0001), share(0.5)], ["0.0 %", "<0.1 %", "50.0 %"]);
        assert_eq!([share(0.9999), share(1.0)], [">99.9 %", "100.0 %"]);
        assert_eq!(percent(0, 0), "0.0 %");
    }
}
