//! What a run is asked to do: what identifies a signature, what decides a match, what concerns files. Each default is
//! written here and nowhere else.

mod checks;
mod choices;
pub mod presets;
mod resources;
mod wrong;

pub use choices::{
    BandsAndRows, Case, Clusters, Elements, Form, Keep, Measure, Method, NormalizeSettings, OnBadRecord,
    Punctuation, RemovedFormat, Stored, Verify, Whitespace,
};
pub use resources::{LARGEST_TEXT, MOST_MEMORY, MOST_THREADS, Resources};
pub use wrong::{Choice, SettingName, WrongSetting};

use serde::{Deserialize, Deserializer, Serialize};
use std::path::PathBuf;

/// Groups of settings: the struct of each with its defaults, and for each setting a function of [`Settings`] that sets it.
macro_rules! groups {
    ($($(#[$group_doc:meta])* $group:ident: $type:ident {
        $($(#[$doc:meta])* $with:ident => $name:ident: $of:ty = $default:expr,)+
    })+) => {
        $(
            $(#[$group_doc])*
            #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
            #[serde(rename_all = "kebab-case", default)]
            #[non_exhaustive]
            pub struct $type { $($(#[$doc])* pub $name: $of,)+ }

            impl Default for $type {
                fn default() -> Self {
                    Self { $($name: $default,)+ }
                }
            }
        )+

        impl Settings {
            $($(
                $(#[$doc])*
                #[must_use]
                pub fn $with(mut self, $name: $of) -> Self {
                    self.$group.$name = $name;
                    self
                }
            )+)+
        }
    };
}

/// What decides the answer. It is written into every report and sketch file, as one list. Two runs with equal settings over
/// equal sources end with the same bytes.
///
/// ```
/// use pipeline::{Method, Settings};
///
/// let settings = Settings::default().with_method(Method::Simhash).with_distance(4);
/// assert_eq!(settings.matching.distance, 4);
/// assert_eq!(settings.signature.shingles, "words:5");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Settings {
    /// What identifies a signature.
    #[serde(flatten)]
    pub signature: SignatureSettings,
    /// What decides a match, and which document of a match is kept.
    #[serde(flatten)]
    pub matching: MatchSettings,
    /// What concerns files and records.
    #[serde(flatten)]
    pub files: FileSettings,
}

groups! {
    /// What identifies a signature: signatures of documents can be compared if these are equal.
    signature: SignatureSettings {
        /// What a shingle is: `words:5`, `characters:9`, `stop-words:3`.
        with_shingles => shingles: String = "words:5".into(),
        /// How text is normalised before it is cut into shingles.
        with_normalize => normalize: NormalizeSettings = NormalizeSettings::default(),
        /// Whether repeated shingles count.
        with_elements => elements: Elements = Elements::Set,
        /// A file of token weights, `token<TAB>weight`. A token that is not in the file weighs 1. SimHash only.
        with_weights => weights: Option<PathBuf> = None,
        /// Which sketch finds the candidates.
        with_method => method: Method = Method::Minhash,
        /// Hashes per signature.
        with_hashes => hashes: usize = 128,
        /// The seed from which the hash functions are drawn.
        with_seed => seed: u64 = 1,
    }
    /// What decides a match, and which document of a match is kept.
    matching: MatchSettings {
        /// The similarity that is compared.
        with_measure => measure: Measure = Measure::Jaccard,
        /// The least similarity of a duplicate.
        with_threshold => threshold: f64 = 0.8,
        /// The wanted chance of finding a pair at the threshold.
        with_recall => recall: f64 = 0.99,
        /// Bands and rows, instead of those planned from the recall.
        with_bands => bands: Option<BandsAndRows> = None,
        /// The largest Hamming distance of a duplicate. SimHash only.
        with_distance => distance: u32 = 3,
        /// What is checked before a pair counts.
        with_verify => verify: Verify = Verify::Exact,
        /// What a cluster is.
        with_clusters => clusters: Clusters = Clusters::Stars,
        /// Which document of a cluster is kept.
        with_keep => keep: Keep = Keep::First,
        /// Sources whose documents come first in keep order: globs over source names, the first one first.
        with_prefer => prefer: Vec<String> = Vec::new(),
        /// Compare only documents with equal values of this field.
        with_within => within: Option<String> = None,
        /// Whether documents are compared with those of `against` only.
        with_against_only => against_only: bool = false,
    }
    /// What concerns files and records.
    files: FileSettings {
        /// The field with the text.
        with_text_field => text_field: String = "text".into(),
        /// The field with the id. Without it a document is called `source:line`.
        with_id_field => id_field: Option<String> = None,
        /// What happens to a record that cannot be used.
        with_on_bad_record => on_bad_record: OnBadRecord = OnBadRecord::Fail,
        /// Texts longer than this, in bytes, are compared by content hash only.
        with_max_text => max_text: u64 = 16 << 20,
        /// Whether every record is written, with fields that say what it is.
        with_annotate => annotate: bool = false,
        /// The format of the list of removed documents.
        with_removed_format => removed_format: RemovedFormat = RemovedFormat::Jsonl,
        /// What is stored of a document: its signature, or its shingles too.
        with_store => store: Stored = Stored::Signatures,
    }
}

impl<'de> Deserialize<'de> for Settings {
    /// From one list of all settings. Settings that are not in it have their defaults; a name that is no setting is an error.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error;
        use serde_json::{Map, Value};
        let all = Map::deserialize(deserializer)?;
        let known = serde_json::to_value(Self::default()).map_err(D::Error::custom)?;
        if let Some(name) = all.keys().find(|name| known.get(name).is_none()) {
            return Err(D::Error::custom(format_args!("there is no setting `{name}`")));
        }
        let all = Value::Object(all);
        Ok(Self {
            signature: SignatureSettings::deserialize(&all).map_err(D::Error::custom)?,
            matching: MatchSettings::deserialize(&all).map_err(D::Error::custom)?,
            files: FileSettings::deserialize(&all).map_err(D::Error::custom)?,
        })
    }
}

/// A value that a setting cannot have, and what is allowed.
pub(crate) fn not_allowed(
    setting: SettingName,
    value: impl std::fmt::Display,
    allowed: impl Into<String>,
) -> crate::Error {
    WrongSetting::NotAllowed { choice: Choice::new(setting, value), allowed: allowed.into() }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_one_list_when_written() {
        let settings =
            Settings::default().with_hashes(64).with_threshold(0.5).with_id_field(Some("id".into()));
        let written = serde_json::to_value(&settings).unwrap();
        assert_eq!(written["hashes"], 64);
        assert_eq!(written["threshold"], 0.5);
        assert_eq!(written["id-field"], "id");
        assert_eq!(serde_json::from_value::<Settings>(written).unwrap(), settings);
    }

    #[test]
    fn what_is_not_written_has_its_default_and_unknown_names_are_refused() {
        let read = |json: &str| serde_json::from_str::<Settings>(json);
        assert_eq!(read("{}").unwrap(), Settings::default());
        assert_eq!(read(r#"{"seed": 7}"#).unwrap(), Settings::default().with_seed(7));
        let wrong = read(r#"{"treshold": 0.5}"#).unwrap_err().to_string();
        assert!(wrong.contains("treshold"), "{wrong}");
        assert!(read(r#"{"hashes": "many"}"#).is_err());
    }
}
