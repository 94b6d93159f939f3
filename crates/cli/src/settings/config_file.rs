//! The settings file: TOML whose keys are the names of the flags.

use crate::arguments::{
    Choices, Keeping, Matching, NormalizeChoices, Reading, Sketching, Storing, Using, Writing,
};
use crate::failure::{Failure, Result};
use crate::output::escaped;
use clap::Args;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::Path;
use toml::de::{DeTable, DeValue};

/// A settings file longer than this, in bytes, is refused.
const LONGEST: u64 = 1 << 20;

/// At most this many characters of a wrong value are shown.
const SHOWN: usize = 60;

/// The table of a settings file that has the choices for normalisation.
const NORMALIZE: &str = "normalize";

/// What was chosen in a settings file, and where.
#[derive(Debug, Default)]
pub(crate) struct ConfigFile {
    pub(crate) choices: Choices,
    name: String,
    /// The line of each key. The keys of the table `normalize` are here without its name.
    lines: BTreeMap<String, usize>,
}

impl ConfigFile {
    /// The choices in the file at `path`.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let mut text = String::new();
        let read = File::open(path).and_then(|file| file.take(LONGEST + 1).read_to_string(&mut text));
        read.map_err(|cause| {
            Failure::usage(format!("cannot read the settings file {}: {cause}", path.display()))
        })?;
        if text.len() as u64 > LONGEST {
            return Err(Failure::usage(format!("{} is too long for a settings file", path.display()))
                .with_advice("name a file of settings with --config, not a corpus"));
        }
        Self::parse(&text, &escaped(&path.display().to_string()))
    }

    /// The choices in `text`. Error messages call the file `name`.
    pub(crate) fn parse(text: &str, name: &str) -> Result<Self> {
        let file = Text { text, name };
        let table = DeTable::parse(text).map_err(|wrong| file.unreadable(&wrong))?;
        let entries = entries(table.get_ref(), &file)?;
        for entry in &entries {
            let possible = entry.flag.get_possible_values();
            let is_one = |word: &str| possible.iter().any(|possible| possible.matches(word, false));
            if entry.word.as_deref().is_some_and(|word| !possible.is_empty() && !is_one(word)) {
                return Err(file.not_allowed(entry));
            }
        }
        // Each group is read from the whole text, so that an error can name its line. A group ignores the keys of
        // other groups.
        let choices = Choices {
            reading: file.group::<Reading>(&entries)?,
            sketching: file.group::<Sketching>(&entries)?,
            matching: file.group::<Matching>(&entries)?,
            keeping: file.group::<Keeping>(&entries)?,
            writing: file.group::<Writing>(&entries)?,
            storing: file.group::<Storing>(&entries)?,
            using: file.group::<Using>(&entries)?,
        };
        let lines = entries.into_iter().filter_map(|entry| Some((entry.flag.get_long()?.into(), entry.line)));
        Ok(Self { choices, name: name.into(), lines: lines.collect() })
    }

    /// The place where the file has a value for this flag: `lookalike.toml, line 3`.
    pub(crate) fn place(&self, flag: &str) -> Option<String> {
        self.lines.get(flag).map(|line| place(&self.name, *line))
    }
}

fn place(name: &str, line: usize) -> String {
    format!("{name}, line {line}")
}

/// One key of a settings file, with its value.
struct Entry {
    /// The key as it is written in messages: `hashes`, `normalize.case`.
    key: String,
    /// The flag of this name, which knows what is allowed.
    flag: clap::Arg,
    line: usize,
    /// Where the value is in the text.
    value: Range<usize>,
    /// The value, if it is a string.
    word: Option<String>,
}

/// The keys of a table that was read, and of the table `normalize` in it. An unknown key is an error.
fn entries(table: &DeTable<'_>, file: &Text<'_>) -> Result<Vec<Entry>> {
    let mut entries = Vec::new();
    let mut collect = |table: &DeTable<'_>, known: Vec<clap::Arg>, prefix: &str| -> Result<()> {
        for (key, value) in table.iter().filter(|(key, _)| key.get_ref() != NORMALIZE || !prefix.is_empty()) {
            let line = file.line(key.span().start);
            let flag = known.iter().find(|flag| flag.get_long() == Some(key.get_ref()));
            let Some(flag) = flag else {
                return Err(unknown(key.get_ref(), &known, prefix, file.name, line));
            };
            let word = value.get_ref().as_str().map(str::to_owned);
            let key = format!("{prefix}{}", key.get_ref());
            entries.push(Entry { key, flag: flag.clone(), line, value: value.span(), word });
        }
        Ok(())
    };
    collect(table, flags_of_settings(), "")?;
    if let Some((key, normalize)) = table.iter().find(|(key, _)| key.get_ref() == NORMALIZE) {
        let DeValue::Table(normalize) = normalize.get_ref() else {
            let place = place(file.name, file.line(key.span().start));
            return Err(Failure::usage(format!("{NORMALIZE} ({place}) is not allowed: it is a table"))
                .with_advice("write [normalize], and below it keys as in case = \"keep\""));
        };
        collect(normalize, flags::<NormalizeChoices>(), &format!("{NORMALIZE}."))?;
    }
    Ok(entries)
}

/// The error for an unknown key. It names the most similar known key.
fn unknown(key: &str, known: &[clap::Arg], prefix: &str, file: &str, line: usize) -> Failure {
    let failure =
        Failure::usage(format!("the settings file {file} has an unknown key in line {line}: {prefix}{key}"));
    if prefix.is_empty() && flags::<NormalizeChoices>().iter().any(|flag| flag.get_long() == Some(key)) {
        return failure.with_advice(format!("write it below [{NORMALIZE}]: {NORMALIZE}.{key}"));
    }
    let mut names: Vec<&str> = known.iter().filter_map(clap::Arg::get_long).collect();
    if prefix.is_empty() {
        names.push(NORMALIZE);
    }
    names.sort_unstable();
    failure.with_advice(match nearest(key, &names) {
        Some(nearest) => format!("did you mean {prefix}{nearest}?"),
        None => format!("known keys: {}", names.join(", ")),
    })
}

/// The known name that is most similar to `name`, if one is similar enough.
fn nearest<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    let (likeness, nearest) = known
        .iter()
        .map(|known| (strsim::jaro_winkler(&name.replace('_', "-"), known), *known))
        .max_by(|a, b| a.0.total_cmp(&b.0))?;
    (likeness > 0.75).then_some(nearest)
}

/// The text of a settings file, and what error messages call the file.
struct Text<'t> {
    text: &'t str,
    name: &'t str,
}

impl Text<'_> {
    /// The number of the line, counted from 1, that has the byte at `offset`.
    fn line(&self, offset: usize) -> usize {
        1 + self.text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
    }

    /// The error for a text that is not TOML.
    fn unreadable(&self, wrong: &toml::de::Error) -> Failure {
        let at = wrong.span().map_or(0, |span| span.start);
        let line = self.line(at);
        let written = self.text.lines().nth(line - 1).unwrap_or_default().trim();
        Failure::usage(format!(
            "the settings file {} cannot be read: line {line} is `{}`, and TOML says: {}",
            self.name,
            cut(written),
            wrong.message().trim_end()
        ))
        .with_advice("write each setting in a line of its own, as in threshold = 0.8 or keep = \"longest\"")
    }

    /// The error for a value that a setting cannot have.
    fn not_allowed(&self, entry: &Entry) -> Failure {
        let written = self.text.get(entry.value.clone()).unwrap_or_default();
        Failure::usage(format!(
            "{} = {} ({}) is not allowed: it is {}",
            entry.key,
            cut(written.lines().next().unwrap_or_default()),
            place(self.name, entry.line),
            allowed(&entry.flag)
        ))
    }

    /// A group of choices.
    fn group<T: DeserializeOwned>(&self, entries: &[Entry]) -> Result<T> {
        toml::from_str(self.text).map_err(|wrong| {
            let at = wrong.span().map(|span| span.start);
            match entries.iter().find(|entry| at.is_some_and(|at| entry.value.contains(&at))) {
                Some(entry) => self.not_allowed(entry),
                None => self.unreadable(&wrong),
            }
        })
    }
}

/// The beginning of a long text.
fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// What a key of a settings file can be.
fn allowed(flag: &clap::Arg) -> String {
    let name = flag.get_long().unwrap_or_default();
    let kind = flag.get_value_names().and_then(|names| names.first()).map_or("", |kind| kind.as_str());
    match (name, kind) {
        (_, "BOOL") => "true or false".into(),
        (_, "SIMILARITY" | "CHANCE") => "a number, as in 0.8".into(),
        ("hashes" | "threads", _) => "a whole number, 1 or more".into(),
        (_, "N" | "BITS") => "a whole number, 0 or more".into(),
        (_, "SIZE") => "an amount of bytes, as in \"2GiB\" or 65536".into(),
        (_, "BxR") => "a number of bands and rows, as in \"21x6\"".into(),
        ("keep", _) => "\"first\", \"longest\", \"max:FIELD\" or \"min:FIELD\"".into(),
        ("against" | "prefer", _) => "a list of texts, as in [\"a.jsonl\", \"b.jsonl\"]".into(),
        _ => match flag.get_possible_values().as_slice() {
            [] => "a text in quotes".into(),
            words => {
                let words: Vec<_> = words.iter().map(|word| format!("\"{}\"", word.get_name())).collect();
                format!("one of {}", words.join(", "))
            }
        },
    }
}

/// The flags whose names are keys of a settings file, except those in the table `normalize`.
fn flags_of_settings() -> Vec<clap::Arg> {
    let mut all = [
        flags::<Reading>(),
        flags::<Sketching>(),
        flags::<Matching>(),
        flags::<Keeping>(),
        flags::<Writing>(),
        flags::<Storing>(),
        flags::<Using>(),
    ]
    .concat();
    let normalize = flags::<NormalizeChoices>();
    // A settings file cannot name another settings file.
    all.retain(|flag| {
        flag.get_long() != Some("config")
            && !normalize.iter().any(|other| other.get_long() == flag.get_long())
    });
    all
}

/// The flags of a group. Their names are also its keys.
fn flags<T: Args>() -> Vec<clap::Arg> {
    let command = T::augment_args(clap::Command::new("keys"));
    command.get_arguments().filter(|argument| argument.get_long().is_some()).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(text: &str) -> String {
        ConfigFile::parse(text, "lookalike.toml").unwrap_err().to_string()
    }

    #[test]
    fn every_key_can_be_given() {
        let text = r#"
            kind = "sets"
            split = ","
            bits = 256
            set-of = "basket"
            weight = "count"
            weight-step = 0.5
            ids = "ids.txt"
            text-field = "body"
            id-field = "doc.id"
            format = "jsonl"
            on-bad-record = "skip"
            max-text = "1MiB"
            within = "lang"
            within-days = "date:3"
            site-field = "site"
            common = 8
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
            find = "bands"
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
        let file = ConfigFile::parse(text, "lookalike.toml").unwrap();
        for flag in flags_of_settings().iter().chain(&flags::<NormalizeChoices>()) {
            let name = flag.get_long().unwrap();
            assert!(file.place(name).is_some(), "the test names every key, also {name}");
            assert!(file.choices.has(name), "{name}");
            assert!(!Choices::default().has(name), "{name}");
        }
        let choices = file.choices;
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
    fn wrong_values_are_refused_with_their_key_their_line_and_what_is_allowed() {
        let cases = [
            ("seed = 1\nhashes = 'many'", "hashes = 'many'", 2, "a whole number, 1 or more"),
            ("threads = 0", "threads = 0", 1, "a whole number, 1 or more"),
            ("seed = -1", "seed = -1", 1, "a whole number, 0 or more"),
            ("threshold = 'high'", "threshold = 'high'", 1, "a number, as in 0.8"),
            ("annotate = 'yes'", "annotate = 'yes'", 1, "true or false"),
            ("verify = 'perhaps'", "verify = 'perhaps'", 1, "one of \"exact\", \"estimate\", \"none\""),
            ("verify = 3", "verify = 3", 1, "one of \"exact\", \"estimate\", \"none\""),
            ("format = 'xml'", "format = 'xml'", 1, "one of \"jsonl\", \"csv\""),
            ("preset = 'fine-web'", "preset = 'fine-web'", 1, "one of \"data-juicer\""),
            ("text-field = 3", "text-field = 3", 1, "a text in quotes"),
            ("memory = 'much'", "memory = 'much'", 1, "as in \"2GiB\" or 65536"),
            ("memory = -1", "memory = -1", 1, "as in \"2GiB\" or 65536"),
            ("bands = '21-6'", "bands = '21-6'", 1, "as in \"21x6\""),
            ("keep = 'shortest'", "keep = 'shortest'", 1, "\"max:FIELD\""),
            ("against = 'a'", "against = 'a'", 1, "a list of texts"),
            ("\nprefer = ['a',\n 3]", "prefer = ['a',", 2, "a list of texts"),
            ("[normalize]\ncase = 'lower'", "normalize.case = 'lower'", 2, "one of \"fold\", \"keep\""),
            ("normalize.form = 2", "normalize.form = 2", 1, "one of \"nfc\""),
        ];
        for (text, written, line, allowed) in cases {
            let said = failure(text);
            let expected = format!("{written} (lookalike.toml, line {line}) is not allowed: it is ");
            assert!(said.starts_with(&expected) && said.contains(allowed), "{said}");
        }
        assert!(failure("normalize = 3").contains("normalize (lookalike.toml, line 1)"));
        let long = failure(&format!("text-field = [{}]", "1, ".repeat(1_000)));
        assert!(long.len() < 200, "{long}");
    }

    #[test]
    fn what_is_not_toml_is_refused_with_its_line() {
        for (text, line) in [("threshold = ", 1), ("seed = 1\nhashes 3", 2), ("seed = 1\nseed = 2", 2)] {
            let said = failure(text);
            assert!(said.contains(&format!("cannot be read: line {line} is")), "{said}");
        }
    }
}
