//! How values are read that are one of a few words, or a number within bounds.

use clap::builder::{PossibleValuesParser, RangedU64ValueParser, TypedValueParser};
use serde_json::Value;
use std::str::FromStr;
use std::time::Duration;

/// Reads one of the words in `written`. Help texts, errors and completions list these words.
pub(crate) fn one_of<T>(written: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = String> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(written).try_map(|word| word.parse::<T>())
}

/// Reads a share, such as 0.8.
pub(crate) fn share(written: &str) -> Result<f64, String> {
    written.parse().map_err(|_| "it is not a number; for 80 % write 0.8".into())
}

/// Reads a distance: a number of bits, or a length.
pub(crate) fn distance(written: &str) -> Result<f64, String> {
    let number: Option<f64> = written.parse().ok();
    let is_allowed = |number: &f64| number.is_finite() && *number >= 0.0;
    number.filter(is_allowed).ok_or_else(|| "it is not a number of at least 0, as in 3 or 0.5".into())
}

/// Reads what weights are rounded to multiples of.
pub(crate) fn weight_step(written: &str) -> Result<f64, String> {
    let number: Option<f64> = written.parse().ok();
    number
        .filter(|step| step.is_finite() && *step > 0.0)
        .ok_or_else(|| "it is not a number above 0, as in 0.1".into())
}

/// Reads a whole number.
pub(crate) fn whole<T: FromStr>(written: &str) -> Result<T, String> {
    written.parse().map_err(|_| "it is not a whole number in the allowed range, as in 128".into())
}

/// Reads a length of time: a whole number with a unit, such as 30d.
pub(crate) fn duration(written: &str) -> Result<Duration, String> {
    let units = [("s", 1), ("m", 60), ("h", 3_600), ("d", 86_400), ("w", 604_800)];
    let read = units.into_iter().find_map(|(unit, seconds)| {
        let number: u64 = written.strip_suffix(unit)?.trim_end().parse().ok()?;
        number.checked_mul(seconds).filter(|seconds| *seconds <= LONGEST)
    });
    let wrong = || "it is not a length of time; write a whole number with s, m, h, d or w, as in 30d".into();
    read.map(Duration::from_secs).ok_or_else(wrong)
}

/// The longest time that can be asked for: ten thousand years.
const LONGEST: u64 = 10_000 * 366 * 86_400;

/// Reads `FIELD=VALUE`. The value is JSON; what is not JSON, or would be rounded, is a string.
pub(crate) fn field_and_value(written: &str) -> Result<(String, Value), String> {
    match written.split_once('=') {
        Some((field, value)) if !field.is_empty() => {
            let value = corpus::unique_json(value.as_bytes()).unwrap_or_else(|_| Value::String(value.into()));
            Ok((field.into(), value))
        }
        _ => Err("it is not FIELD=VALUE, as in lang=en".into()),
    }
}

/// Reads the number of answers to show. The limit is a million: nobody reads more, and answers are held in memory.
pub(crate) fn shown_at_most() -> impl TypedValueParser<Value = usize> {
    RangedU64ValueParser::<usize>::new().range(1..=1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time_have_units() {
        assert_eq!(duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("30d"), Ok(Duration::from_secs(30 * 86_400)));
        assert_eq!(duration("2 w"), Ok(Duration::from_secs(14 * 86_400)));
        for wrong in ["", "30", "d", "-1d", "1.5h", "99999999999999999999w", "9999999999w"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn values_are_json_or_strings() {
        assert_eq!(field_and_value("lang=en"), Ok(("lang".into(), Value::from("en"))));
        assert_eq!(field_and_value("n=3"), Ok(("n".into(), Value::from(3))));
        assert_eq!(field_and_value("n=\"3\""), Ok(("n".into(), Value::from("3"))));
        assert_eq!(field_and_value("a=b=c"), Ok(("a".into(), Value::from("b=c"))));
        assert!(field_and_value("=en").is_err() && field_and_value("en").is_err());
    }
}
