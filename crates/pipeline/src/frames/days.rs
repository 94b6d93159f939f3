//! Dates -> seconds, for `within-days`: only documents that appeared within so many days of each other are compared.
//!
//! The time of a document is a part of what `within` stores: the lowest [`TIME_BITS`] bits of the second half. Two documents
//! that differ in them only are compared if they are not too far apart. They are exact copies only if the times are equal too, since
//! only then is whatever is near the one near the other.

use crate::store::entries::Within;

/// A time takes so many bits: seconds of ten thousand years.
const TIME_BITS: u32 = 40;

/// The value of `within` with a time.
pub(crate) fn with_time(within: Within, seconds: u64) -> Within {
    [within[0], within[1] << TIME_BITS | seconds]
}

/// True if two values of `within` with times are equal, and the times at most `window` seconds apart.
pub(crate) fn are_near(a: Within, b: Within, window: u64) -> bool {
    let time = |within: Within| within[1] & ((1 << TIME_BITS) - 1);
    a[0] == b[0] && a[1] >> TIME_BITS == b[1] >> TIME_BITS && time(a).abs_diff(time(b)) <= window
}

/// The seconds from the first day of the year 0 to a date in an ISO form; `None` if it is none: `2024-02-29`, `20240229`,
/// `2024-02-29T13:05`, with seconds, fractions and a zone or without. A date without a time is its midnight, and a time without
/// a zone is in UTC.
pub(crate) fn seconds_of(written: &str) -> Option<u64> {
    let written = written.trim().as_bytes();
    if !written.is_ascii() {
        return None;
    }
    let at = written.iter().position(|byte| matches!(byte, b'T' | b't' | b' ')).unwrap_or(written.len());
    let (date, rest) = written.split_at(at);
    let (year, month, day) = match date {
        [y @ .., b'-', m1, m2, b'-', d1, d2] if y.len() == 4 => {
            (number(y)?, number(&[*m1, *m2])?, number(&[*d1, *d2])?)
        }
        all if all.len() == 8 => (number(&all[..4])?, number(&all[4..6])?, number(&all[6..])?),
        _ => return None,
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = [31, 28 + u64::from(is_leap), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let in_month = *days.get(usize::try_from(month.checked_sub(1)?).ok()?)?;
    if day == 0 || day > in_month {
        return None;
    }
    let before = year.div_ceil(4) - year.div_ceil(100) + year.div_ceil(400);
    let day = 365 * year + before + days[..month as usize - 1].iter().sum::<u64>() + day - 1;
    let (seconds, zone) = if rest.is_empty() { (0, 0) } else { time_of(&rest[1..])? };
    // A day more, so that no zone leads below 0.
    let utc = i64::try_from((day + 1) * 86_400 + seconds).ok()? - zone;
    u64::try_from(utc).ok()
}

/// The seconds since midnight, and how far the zone is ahead of UTC.
fn time_of(written: &[u8]) -> Option<(u64, i64)> {
    let at =
        written.iter().position(|byte| matches!(byte, b'Z' | b'z' | b'+' | b'-')).unwrap_or(written.len());
    let (time, zone) = written.split_at(at);
    let time = time.trim_ascii();
    let at = time.iter().position(|byte| matches!(byte, b'.' | b',')).unwrap_or(time.len());
    let (time, fraction) = time.split_at(at);
    if fraction.len() == 1 || !fraction.iter().skip(1).all(u8::is_ascii_digit) {
        return None;
    }
    let (hour, minute, second) = match time {
        [h1, h2, b':', m1, m2] => (number(&[*h1, *h2])?, number(&[*m1, *m2])?, 0),
        [h1, h2, b':', m1, m2, b':', s1, s2] => {
            (number(&[*h1, *h2])?, number(&[*m1, *m2])?, number(&[*s1, *s2])?)
        }
        [h1, h2, m1, m2, s1, s2] => (number(&[*h1, *h2])?, number(&[*m1, *m2])?, number(&[*s1, *s2])?),
        [h1, h2, m1, m2] => (number(&[*h1, *h2])?, number(&[*m1, *m2])?, 0),
        _ => return None,
    };
    // A leap second is a second.
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let zone = match zone {
        [] | [b'Z' | b'z'] => 0,
        [sign, rest @ ..] => {
            let (hours, minutes) = match rest {
                [h1, h2] => (number(&[*h1, *h2])?, 0),
                [h1, h2, m1, m2] | [h1, h2, b':', m1, m2] => (number(&[*h1, *h2])?, number(&[*m1, *m2])?),
                _ => return None,
            };
            if hours > 23 || minutes > 59 {
                return None;
            }
            let ahead = (hours * 3_600 + minutes * 60) as i64;
            match sign {
                b'+' => ahead,
                b'-' => -ahead,
                _ => return None,
            }
        }
    };
    Some((hour * 3_600 + minute * 60 + second, zone))
}

fn number(digits: &[u8]) -> Option<u64> {
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(digits.iter().fold(0, |number, digit| number * 10 + u64::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u64 = 86_400;

    #[test]
    fn dates_are_counted_in_seconds() {
        let of = |written: &str| seconds_of(written).unwrap_or_else(|| panic!("{written}"));
        assert_eq!(of("2024-03-01") - of("2024-02-28"), 2 * DAY);
        assert_eq!(of("2023-03-01") - of("2023-02-28"), DAY);
        assert_eq!(of("2000-03-01") - of("2000-02-28"), 2 * DAY);
        assert_eq!(of("1900-03-01") - of("1900-02-28"), DAY);
        assert_eq!(of("2024-01-01") - of("2023-01-01"), 365 * DAY);
        assert_eq!(of("2025-01-01") - of("2024-01-01"), 366 * DAY);
        // 1970 began 719,528 days after the year 0 did; here everything is a day later.
        assert_eq!(of("1970-01-01"), 719_529 * DAY);
        assert_eq!(of("20240229"), of("2024-02-29"));
        assert_eq!(of("2024-02-29T13:05:07.25Z"), of("2024-02-29") + 13 * 3_600 + 5 * 60 + 7);
        assert_eq!(of("2024-02-29 01:00+02:00"), of("2024-02-28T23:00"));
        assert_eq!(of("2024-02-29T01:00:00-0530"), of("2024-02-29T06:30Z"));
        assert!(of("9999-12-31T23:59:59-23:59") < 1 << TIME_BITS);
        for wrong in [
            "",
            "2024",
            "2024-2-9",
            "2024-13-01",
            "2023-02-29",
            "2024-00-10",
            "2024-01-00",
            "yesterday",
            "2024-01-01T",
            "2024-01-01T25:00",
            "2024-01-01T10:00+",
            "2024-01-01T10:00:00.",
            "１２３４-01-01",
            "0000-00-00",
            "20240230",
        ] {
            assert_eq!(seconds_of(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn times_and_values_of_within_are_compared_separately() {
        let (a, b) = ([3, 5], [3, 6]);
        assert!(are_near(with_time(a, 100), with_time(a, 400), 300));
        assert!(!are_near(with_time(a, 100), with_time(a, 401), 300));
        assert!(!are_near(with_time(a, 100), with_time(b, 100), 300));
        assert!(are_near(with_time([0; 2], 0), with_time([0; 2], 0), 0));
    }
}
