//! The settings file: TOML whose keys are the names of the flags.

use crate::arguments::{
    Choices, Keeping, Matching, NormalizeChoices, Reading, Sketching, Storing, Using, Writing,
};
use crate::failure::{Failure, Result};
use clap::Args;
use serde::de::DeserializeOwned;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// A settings file longer than this, in bytes, is refused.
const LONGEST: u64 = 1 << 20;

/// The choices in the file at `path`.
pub(crate) fn read(path: &Path) -> Result<Choices> {
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(LONGEST + 1).read_to_string(&mut text));
    read.map_err(|cause| {
        Failure::usage(format!("cannot read the settings file {}: {cause}", path.display()))
    })?;
    if text.len() as u64 > LONGEST {
        return Err(Failure::usage(format!("{} is too long for a settings file", path.display()))
            .with_advice("name a file of settings with --config, not a corpus"));
    }
    parse(&text, &path.display().to_string())
}

/// The choices in `text`. Error messages call the file `name`.
pub(crate) fn parse(text: &str, name: &str) -> Result<Choices> {
    let table: toml::Table = group(text, name)?;
    let known = keys_of_settings();
    check_keys(&table, &known, name, "")?;
    if let Some(toml::Value::Table(normalize)) = table.get("normalize") {
        check_keys(normalize, &keys::<NormalizeChoices>(), name, "normalize.")?;
    }
    // Each group is read from the whole text, so that an error can name its line. A group ignores the keys of other
    // groups.
    Ok(Choices {
        reading: group::<Reading>(text, name)?,
        sketching: group::<Sketching>(text, name)?,
        matching: group::<Matching>(text, name)?,
        keeping: group::<Keeping>(text, name)?,
        writing: group::<Writing>(text, name)?,
        storing: group::<Storing>(text, name)?,
        using: group::<Using>(text, name)?,
    })
}

fn group<T: DeserializeOwned>(text: &str, name: &str) -> Result<T> {
    toml::from_str(text).map_err(|wrong| {
        Failure::usage(format!("the settings file {name} cannot be used: {}", wrong.to_string().trim_end()))
    })
}

/// An error if the table has an unknown key. The error names the most similar known key.
fn check_keys(table: &toml::Table, known: &[String], name: &str, prefix: &str) -> Result<()> {
    let Some(unknown) = table.keys().find(|key| !known.contains(key)) else {
        return Ok(());
    };
    let failure = Failure::usage(format!("the settings file {name} has an unknown key: {prefix}{unknown}"));
    if prefix.is_empty() && keys::<NormalizeChoices>().contains(unknown) {
        return Err(failure.with_advice(format!("write it below [normalize]: normalize.{unknown}")));
    }
    let nearest = nearest(unknown, known);
    Err(match nearest {
        Some(nearest) => failure.with_advice(format!("did you mean {prefix}{nearest}?")),
        None => failure.with_advice(format!("known keys: {}", known.join(", "))),
    })
}

/// The known name that is most similar to `name`, if one is similar enough.
fn nearest<'k>(name: &str, known: &'k [String]) -> Option<&'k str> {
    let (likeness, nearest) = known
        .iter()
        .map(|known| (strsim::jaro_winkler(&name.replace('_', "-"), known), known.as_str()))
        .max_by(|a, b| a.0.total_cmp(&b.0))?;
    (likeness > 0.75).then_some(nearest)
}

/// All keys that a settings file may have.
fn keys_of_settings() -> Vec<String> {
    let normalize = keys::<NormalizeChoices>();
    let mut known: Vec<String> = [
        keys::<Reading>(),
        keys::<Sketching>(),
        keys::<Matching>(),
        keys::<Keeping>(),
        keys::<Writing>(),
        keys::<Storing>(),
        keys::<Using>(),
    ]
    .concat();
    // A settings file cannot name another settings file.
    known.retain(|key| key != "config" && !normalize.contains(key));
    known.push("normalize".into());
    known.sort();
    known
}

/// The names of the flags of a group, which are also its keys.
fn keys<T: Args>() -> Vec<String> {
    let command = T::augment_args(clap::Command::new("keys"));
    command.get_arguments().filter_map(|argument| argument.get_long().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(text: &str) -> String {
        parse(text, "lookalike.toml").unwrap_err().to_string()
    }

    #[test]
    fn every_key_can_be_given() {
        let text = r#"
            text-field = "body"
            id-field = "doc.id"
            format = "jsonl"
            on-bad-record = "skip"
            max-text = "1MiB"
            within = "lang"
            shingles = "words:3"
            elements = "bag"
            weights = "weights.tsv"
            method = "simhash"
            hashes = 64
            seed = 7
            threshold = 0.5
            measure = "containment"
            recall = 0.9
            bands = "8x8"
            distance = 2
            verify = "none"
            against = ["old.jsonl"]
            against-only = true
            clusters = "components"
            keep = "max:stars"
            prefer = ["a*", "b*"]
            annotate = true
            removed-format = "parquet"
            store = "shingles"
            memory = 268435456
            threads = 2
            temp-dir = "spill"
            preset = "fineweb"
            [normalize]
            case = "keep"
            form = "nfkc"
            punctuation = "drop"
            whitespace = "remove"
        "#;
        let table: toml::Table = toml::from_str(text).unwrap();
        let mut written: Vec<&String> = table.keys().collect();
        written.sort();
        assert_eq!(written, keys_of_settings().iter().collect::<Vec<_>>(), "the test names every key");
        let choices = parse(text, "lookalike.toml").unwrap();
        // A key that serde does not know would be ignored, and its field would still be `None`.
        let shown = format!("{choices:?}").replace("config: None", "");
        assert!(!shown.contains(": None") && !shown.contains(": []"), "{shown}");
    }

    #[test]
    fn unknown_keys_are_refused_with_the_nearest_name() {
        assert!(failure("treshold = 0.5").contains("did you mean threshold?"));
        assert!(failure("text_field = 'a'").contains("did you mean text-field?"));
        assert!(failure("[normalize]\ncasing = 'keep'").contains("did you mean normalize.case?"));
        assert!(failure("case = 'keep'").contains("normalize.case"));
        assert!(failure("zzz = 1").contains("known keys: against"));
        assert!(failure("config = 'other.toml'").contains("unknown key"));
    }

    #[test]
    fn wrong_values_are_refused_with_their_line() {
        assert!(failure("seed = 1\nhashes = 'many'").contains("line 2"));
        assert!(failure("verify = 'perhaps'").contains("perhaps"));
        assert!(failure("memory = 'much'").contains("as in 2GiB"));
        assert!(failure("bands = '21-6'").contains("as in 21x6"));
        assert!(failure("threshold = ").contains("line 1"));
    }
}
