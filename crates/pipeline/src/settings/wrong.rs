//! Errors in settings, as data. The command line and Python turn them into messages with the names that their users
//! know: flags on the command line, arguments in Python.

use super::BandsAndRows;
use std::fmt;

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident = $written:literal,)+) => {
        /// A setting, named as in reports and settings files.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum SettingName { $($(#[$doc])* $name,)+ }

        impl SettingName {
            /// All of them.
            #[cfg(test)]
            const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The name as it is written in reports and settings files: `max-text`.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $written),+ }
            }
        }
    };
}

names! {
    /// The reference documents to compare with.
    Against = "against",
    /// Whether to compare with the reference documents only.
    AgainstOnly = "against-only",
    /// The number of bands and rows.
    Bands = "bands",
    /// Which elements are left out because many documents have them.
    Common = "common",
    /// The largest Hamming distance.
    Distance = "distance",
    /// The bits of a fingerprint.
    Bits = "bits",
    /// Whether upper and lower case differ.
    Case = "case",
    /// Whether repeated shingles count.
    Elements = "elements",
    /// How near vectors are found.
    Find = "find",
    /// The Unicode normalisation form.
    Form = "form",
    /// The number of hashes in a signature.
    Hashes = "hashes",
    /// The field that contains the id.
    IdField = "id-field",
    /// Which document is kept.
    Keep = "keep",
    /// What a document is.
    Kind = "kind",
    /// The length of the longest text that is compared by more than its content hash.
    MaxText = "max-text",
    /// The similarity that is compared.
    Measure = "measure",
    /// The memory limit.
    Memory = "memory",
    /// The kind of sketch that finds candidates.
    Method = "method",
    /// What happens to a record that cannot be used.
    OnBadRecord = "on-bad-record",
    /// The sources whose documents come first in keep order.
    Prefer = "prefer",
    /// Whether punctuation is kept.
    Punctuation = "punctuation",
    /// The wanted probability of finding a pair at the threshold.
    Recall = "recall",
    /// The seed of the hash functions.
    Seed = "seed",
    /// The field that names the set of a row.
    SetOf = "set-of",
    /// What a shingle is.
    Shingles = "shingles",
    /// The field that names the site.
    SiteField = "site-field",
    /// What separates the items of a set that is a string.
    Split = "split",
    /// The folder for temporary files.
    TempDir = "temp-dir",
    /// The field with the text.
    TextField = "text-field",
    /// The number of threads.
    Threads = "threads",
    /// The least similarity of duplicates.
    Threshold = "threshold",
    /// What is checked before a pair counts as similar.
    Verify = "verify",
    /// The field with the weight of a row.
    Weight = "weight",
    /// What weights are multiples of.
    WeightStep = "weight-step",
    /// The file of weights.
    Weights = "weights",
    /// What happens to white space.
    Whitespace = "whitespace",
    /// The field whose value must be equal.
    Within = "within",
    /// The field of dates, and how far they may be apart.
    WithinDays = "within-days",
}

/// A setting with the value that it has, or should have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The setting.
    pub setting: SettingName,
    /// The value of the setting; `None` if the value does not matter.
    pub value: Option<String>,
}

impl Choice {
    /// A setting with this value.
    pub(crate) fn new(setting: SettingName, value: impl fmt::Display) -> Self {
        Self { setting, value: Some(value.to_string()) }
    }

    /// A setting with any value.
    pub(crate) fn any(setting: SettingName) -> Self {
        Self { setting, value: None }
    }
}

/// An error in the settings: a value that is not allowed, or settings that exclude each other.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WrongSetting {
    /// A setting has a value that is not allowed.
    NotAllowed {
        /// The setting and its value.
        choice: Choice,
        /// Which values are allowed: `at most 1024`.
        allowed: String,
    },
    /// One setting needs another.
    Needs {
        /// The setting that was chosen.
        choice: Choice,
        /// The setting that it needs.
        needed: Choice,
        /// A setting that the user may have meant, and its purpose.
        instead: Option<(Choice, &'static str)>,
    },
    /// One setting already determines another one.
    Excludes {
        /// The setting that was chosen.
        choice: Choice,
        /// The setting that cannot be chosen with it.
        other: SettingName,
        /// What the chosen setting always does: `is always verified exactly`.
        meaning: &'static str,
    },
    /// A setting was chosen that has no effect.
    NoEffect {
        /// The setting without effect.
        setting: SettingName,
        /// The other setting that makes it have no effect.
        with: Choice,
    },
    /// A signature has too few hashes for the bands.
    TooFewHashes {
        /// The number of bands and rows.
        bands: BandsAndRows,
        /// The number of hashes that they need.
        needed: usize,
        /// The number of hashes in a signature.
        hashes: usize,
    },
    /// A setting depends on all documents of a run, so it cannot be used where documents come and go.
    OneRunOnly {
        /// The setting.
        choice: Choice,
    },
    /// No record has the field that a setting names.
    NoSuchField {
        /// The setting that names the field.
        choice: Choice,
        /// The name of the field.
        field: String,
        /// The fields that the first records have. Empty if the records are plain text.
        fields: Vec<String>,
        /// The field that the user may have meant.
        nearest: Option<String>,
    },
    /// No source has a name that matches a pattern.
    NoSuchSource {
        /// The setting and the pattern.
        choice: Choice,
    },
}

impl WrongSetting {
    /// The message of the error. `name` writes a setting and its value as the user knows it: `--max-text 5`,
    /// `max_text=5`.
    #[must_use]
    pub fn message(&self, name: &dyn Fn(&Choice) -> String) -> String {
        self.message_with(name, name)
    }

    /// The same. `name` writes a setting that the run has, and can say where the value comes from; `wanted` writes a
    /// setting that the run should have instead.
    #[must_use]
    pub fn message_with(
        &self,
        name: &dyn Fn(&Choice) -> String,
        wanted: &dyn Fn(&Choice) -> String,
    ) -> String {
        let any = |setting| name(&Choice::any(setting));
        match self {
            Self::NotAllowed { choice, allowed } => format!("{} is not allowed: {allowed}", name(choice)),
            Self::Needs { choice, needed, instead } => {
                let said = format!("{} needs {}", name(choice), wanted(needed));
                match instead {
                    Some((instead, purpose)) => format!("{said}; {purpose} use {}", wanted(instead)),
                    None => said,
                }
            }
            Self::Excludes { choice, other, meaning } => {
                format!("{} {meaning}; leave out {}", name(choice), any(*other))
            }
            Self::NoEffect { setting, with } => {
                format!("{} has no effect with {}", any(*setting), name(with))
            }
            Self::TooFewHashes { bands, needed, hashes } => {
                let chosen = name(&Choice::new(SettingName::Bands, bands));
                format!("{chosen} needs {needed} hashes, but {} is {hashes}", any(SettingName::Hashes))
            }
            Self::OneRunOnly { choice } => format!(
                "{} depends on all documents of one run, and cannot be used for sketch files, indexes and other engines",
                name(choice)
            ),
            Self::NoSuchField { choice, field, fields, nearest } => {
                let there_are = match fields.as_slice() {
                    [] => "text files have no fields".to_owned(),
                    some => corpus::fields_there_are(some),
                };
                let advice =
                    nearest.as_ref().map_or(String::new(), |nearest| format!("; did you mean `{nearest}`?"));
                format!("{}: no record has the field `{field}`; {there_are}{advice}", name(choice))
            }
            Self::NoSuchSource { choice } => {
                let needed = "give the name of a source, a folder, or a pattern with *";
                format!("{}: no source matches; {needed}", name(choice))
            }
        }
    }
}

impl fmt::Display for WrongSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = |choice: &Choice| match &choice.value {
            Some(value) => format!("{} {value}", choice.setting.as_str()),
            None => choice.setting.as_str().to_owned(),
        };
        f.write_str(&self.message(&plain))
    }
}

impl std::error::Error for WrongSetting {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_are_written() {
        let written = serde_json::to_value(crate::Settings::default()).unwrap();
        let others = [SettingName::Against, SettingName::Memory, SettingName::TempDir, SettingName::Threads];
        for name in SettingName::ALL {
            let is_written =
                [&written, &written["normalize"]].iter().any(|all| all.get(name.as_str()).is_some())
                    || super::super::UNWRITTEN.contains(&name.as_str());
            assert!(is_written || others.contains(name), "{name:?}");
        }
    }
}
