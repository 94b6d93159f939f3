//! Times as people and programs write them: RFC 3339, in UTC.

use crate::Millis;

const DAY: u64 = 86_400_000;

/// A time as text: `2026-11-15T21:30:00Z`, with milliseconds if there are any. Times after the year 9999 are written
/// as that year's end.
#[must_use]
pub fn written(time: Millis) -> String {
    let time = time.min(LAST);
    let (year, month, day) = date_of(time / DAY);
    let [hour, minute, second] = [3_600_000, 60_000, 1_000].map(|unit| time % DAY / unit);
    let (minute, second) = (minute % 60, second % 60);
    let fraction = match time % 1_000 {
        0 => String::new(),
        millis => format!(".{millis:03}"),
    };
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z")
}

/// The last millisecond of the year 9999.
const LAST: Millis = 253_402_300_799_999;

/// Reads a time in the form `2026-11-15T21:30:00Z`, with or without a fraction of seconds. `None` if it is written in
/// another way, or is before 1970.
#[must_use]
pub fn read(text: &str) -> Option<Millis> {
    let bytes = text.as_bytes();
    let number = |from: usize, to: usize| -> Option<u64> {
        let digits = text.get(from..to)?;
        digits.bytes().all(|digit| digit.is_ascii_digit()).then(|| digits.parse().ok())?
    };
    let separators = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
    if !separators.iter().all(|&(at, separator)| bytes.get(at) == Some(&separator)) {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let fraction = text.get(19..)?.strip_suffix('Z')?;
    let millis = match fraction.strip_prefix('.') {
        None if fraction.is_empty() => 0,
        Some(digits) if (1..=9).contains(&digits.len()) && digits.bytes().all(|it| it.is_ascii_digit()) => {
            format!("{digits:0<3}")[..3].parse().ok()?
        }
        _ => return None,
    };
    let days = days_of(year, month, day)?;
    let in_range = hour < 24 && minute < 60 && second < 60;
    in_range.then(|| days * DAY + hour * 3_600_000 + minute * 60_000 + second * 1_000 + millis)
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn days_in(year: u64, month: u64) -> u64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u64::from(is_leap(year)),
        _ => 31,
    }
}

/// Days from 1970 up to the first of January of a year.
fn days_before(year: u64) -> u64 {
    let leap_years = |before: u64| before / 4 - before / 100 + before / 400;
    365 * (year - 1970) + leap_years(year - 1) - leap_years(1969)
}

/// Days since 1970 of a date; `None` if there is no such date from 1970 on.
fn days_of(year: u64, month: u64, day: u64) -> Option<u64> {
    let exists = year >= 1970 && (1..=12).contains(&month) && (1..=days_in(year, month)).contains(&day);
    exists.then(|| days_before(year) + (1..month).map(|month| days_in(year, month)).sum::<u64>() + day - 1)
}

/// Year, month and day of a number of days since 1970.
fn date_of(days: u64) -> (u64, u64, u64) {
    let mut year = 1970 + days / 366;
    while days_before(year + 1) <= days {
        year += 1;
    }
    let (mut month, mut rest) = (1, days - days_before(year));
    while rest >= days_in(year, month) {
        rest -= days_in(year, month);
        month += 1;
    }
    (year, month, rest + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_times_are_written_and_read() {
        let known = [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400_000, "2000-02-29T00:00:00Z"),
            (1_794_778_200_000, "2026-11-15T21:30:00Z"),
            (1_794_778_200_007, "2026-11-15T21:30:00.007Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00Z"),
            (LAST, "9999-12-31T23:59:59.999Z"),
        ];
        for (time, text) in known {
            assert_eq!(written(time), text);
            assert_eq!(read(text), Some(time), "{text}");
        }
        assert_eq!(written(u64::MAX), "9999-12-31T23:59:59.999Z");
        assert_eq!(read("2026-11-15T21:30:00.1239Z"), Some(1_794_778_200_123));
    }

    #[test]
    fn every_day_of_four_hundred_years_is_read_as_it_is_written() {
        for day in 0..146_097 {
            let time = day * DAY + 12_345_678;
            assert_eq!(read(&written(time)), Some(time));
        }
    }

    #[test]
    fn what_is_no_time_is_not_read() {
        for wrong in [
            "",
            "2026-11-15",
            "2026-11-15T21:30:00",
            "2026-11-15 21:30:00Z",
            "2026-13-01T00:00:00Z",
            "2026-02-29T00:00:00Z",
            "2026-11-15T24:00:00Z",
            "1969-12-31T23:59:59Z",
            "2026-11-15T21:30:00.Z",
            "2026-11-15T21:30:0éZ",
            "+026-11-15T21:30:00Z",
            "2026-11-15T21:30:00+00:00",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
