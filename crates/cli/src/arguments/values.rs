//! Values that are one of a few words.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::str::FromStr;

/// Reads one of the words `written`, which help, errors and completions list.
pub(crate) fn one_of<T>(written: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = String> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(written).try_map(|word| word.parse::<T>())
}
