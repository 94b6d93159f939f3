//! How values are read that are one of a few words, or a number within bounds.

use clap::builder::{PossibleValuesParser, RangedU64ValueParser, TypedValueParser};
use std::str::FromStr;

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

/// Reads a whole number.
pub(crate) fn whole<T: FromStr>(written: &str) -> Result<T, String> {
    written.parse().map_err(|_| "it is not a whole number in the allowed range, as in 128".into())
}

/// Reads the number of answers to show. The limit is a million: nobody reads more, and answers are held in memory.
pub(crate) fn shown_at_most() -> impl TypedValueParser<Value = usize> {
    RangedU64ValueParser::<usize>::new().range(1..=1_000_000)
}
