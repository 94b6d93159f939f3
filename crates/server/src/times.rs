//! Times as they are written in JSON: `2026-11-15T21:30:00Z`.

use crate::problem::{Problem, Result, shown};
use chrono::DateTime;
use index::Millis;
pub(crate) use index::time::written;

/// A time as a part of a name: `20261115-213000`.
pub(crate) fn compact(time: Millis) -> String {
    written(time / 1_000 * 1_000).replace(['-', ':', 'Z'], "").replace('T', "-")
}

/// A time as it was written, with any offset from UTC.
pub(crate) fn read(field: &str, written: &str) -> Result<Millis> {
    let time = DateTime::parse_from_rfc3339(written).ok();
    time.and_then(|time| u64::try_from(time.timestamp_millis()).ok()).ok_or_else(|| {
        Problem::invalid(format!("`{field}` must be a time since 1970, not {}", shown(written)))
            .advise("write it as 2026-11-15T21:30:00Z")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_they_are_written() {
        for time in [0, 1, 999, 1_763_242_200_000, 1_763_242_200_123, 253_402_300_799_999] {
            assert_eq!(read("added", &written(time)).unwrap(), time);
        }
        assert_eq!(written(1_763_242_200_000), "2025-11-15T21:30:00Z");
        assert_eq!(compact(1_763_242_200_123), "20251115-213000");
        assert_eq!(read("added", "1970-01-01T01:00:00+01:00").unwrap(), 0);
        for wrong in ["", "now", "2026-11-15", "1969-12-31T23:59:59Z", "2026-13-01T00:00:00Z"] {
            assert!(read("added", wrong).is_err(), "{wrong}");
        }
        assert_eq!(written(u64::MAX), "9999-12-31T23:59:59.999Z");
    }
}
