//! Settings that make no sense, as data. Whoever asked puts them into words with the names that it uses itself: flags on a
//! command line, arguments in Python.

use super::BandsAndRows;
use std::fmt;

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident = $written:literal,)+) => {
        /// A setting, by the name that it has in reports and settings files.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum SettingName { $($(#[$doc])* $name,)+ }

        impl SettingName {
            /// As it is written: `max-text`.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $written),+ }
            }
        }
    };
}

names! {
    /// What to compare with.
    Against = "against",
    /// Whether to compare with that only.
    AgainstOnly = "against-only",
    /// Bands and rows.
    Bands = "bands",
    /// The largest Hamming distance.
    Distance = "distance",
    /// Whether repeated shingles count.
    Elements = "elements",
    /// Hashes per signature.
    Hashes = "hashes",
    /// The field with the id.
    IdField = "id-field",
    /// Which document is kept.
    Keep = "keep",
    /// The longest text that is compared.
    MaxText = "max-text",
    /// The similarity that is compared.
    Measure = "measure",
    /// Bytes of memory.
    Memory = "memory",
    /// Which sketch finds candidates.
    Method = "method",
    /// Sources that come first.
    Prefer = "prefer",
    /// The wanted chance of finding a pair.
    Recall = "recall",
    /// What a shingle is.
    Shingles = "shingles",
    /// Threads.
    Threads = "threads",
    /// The least similarity of a duplicate.
    Threshold = "threshold",
    /// What is checked.
    Verify = "verify",
    /// The file of weights.
    Weights = "weights",
    /// The field that must be equal.
    Within = "within",
}

/// A setting, and the value that it has or should have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Which.
    pub setting: SettingName,
    /// Its value, where that matters.
    pub value: Option<String>,
}

impl Choice {
    /// A setting with this value.
    pub(crate) fn new(setting: SettingName, value: impl fmt::Display) -> Self {
        Self { setting, value: Some(value.to_string()) }
    }

    /// A setting, whatever its value is.
    pub(crate) fn any(setting: SettingName) -> Self {
        Self { setting, value: None }
    }
}

/// A setting that makes no sense, or several that exclude each other.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WrongSetting {
    /// A value that is not allowed.
    NotAllowed {
        /// The setting and its value.
        choice: Choice,
        /// What is allowed, after a colon: `at most 1024`.
        allowed: String,
    },
    /// One setting needs another.
    Needs {
        /// What was chosen.
        choice: Choice,
        /// What it needs.
        needed: Choice,
        /// What may have been meant, and what for.
        instead: Option<(Choice, &'static str)>,
    },
    /// One setting leaves no choice for another.
    Settles {
        /// What was chosen.
        choice: Choice,
        /// What cannot be chosen with it.
        other: SettingName,
        /// What it means for that one: `always verifies exactly`.
        meaning: &'static str,
    },
    /// A setting was chosen that has no effect.
    NoEffect {
        /// The setting.
        setting: SettingName,
        /// What takes its effect.
        with: Choice,
    },
    /// A signature has too few hashes for the bands.
    TooFewHashes {
        /// The bands and rows.
        bands: BandsAndRows,
        /// How many hashes they need.
        needed: usize,
        /// How many there are.
        hashes: usize,
    },
    /// No record has the field that a setting names.
    NoSuchField {
        /// The setting.
        choice: Choice,
        /// The field.
        field: String,
        /// The fields that the first records have; none where records are texts.
        fields: Vec<String>,
        /// The one that may have been meant.
        nearest: Option<String>,
    },
    /// No source fits a pattern.
    NoSuchSource {
        /// The setting and the pattern.
        choice: Choice,
    },
}

impl WrongSetting {
    /// The error in words; `name` writes a setting and its value as the user does: `--max-text 5`, `max_text=5`.
    #[must_use]
    pub fn worded(&self, name: &dyn Fn(&Choice) -> String) -> String {
        let any = |setting| name(&Choice::any(setting));
        match self {
            Self::NotAllowed { choice, allowed } => format!("{} is not allowed: {allowed}", name(choice)),
            Self::Needs { choice, needed, instead } => {
                let said = format!("{} needs {}", name(choice), name(needed));
                match instead {
                    Some((instead, purpose)) => format!("{said}; {purpose} use {}", name(instead)),
                    None => said,
                }
            }
            Self::Settles { choice, other, meaning } => {
                format!("{} {meaning}; leave out {}", name(choice), any(*other))
            }
            Self::NoEffect { setting, with } => {
                format!("{} has no effect with {}", any(*setting), name(with))
            }
            Self::TooFewHashes { bands, needed, hashes } => {
                let chosen = name(&Choice::new(SettingName::Bands, bands));
                format!("{chosen} needs {needed} hashes, and {} is {hashes}", any(SettingName::Hashes))
            }
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
                let needed = "a name, a folder or a pattern with * is needed";
                format!("{}: no source has this name; {needed}", name(choice))
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
        f.write_str(&self.worded(&plain))
    }
}

impl std::error::Error for WrongSetting {}
