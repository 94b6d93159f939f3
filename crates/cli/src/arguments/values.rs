//! Values that are one of a few words, or numbers within bounds.

use clap::builder::{PossibleValuesParser, RangedU64ValueParser, TypedValueParser};
use std::str::FromStr;

/// Reads one of the words `written`, which help, errors and completions list.
pub(crate) fn one_of<T>(written: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = String> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(written).try_map(|word| word.parse::<T>())
}

/// Reads how many answers are shown: more than a million are no answer for people, and are held in memory.
pub(crate) fn shown_at_most() -> impl TypedValueParser<Value = usize> {
    RangedU64ValueParser::<usize>::new().range(1..=1_000_000)
}
