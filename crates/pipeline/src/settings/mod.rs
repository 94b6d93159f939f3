//! The settings of a run, in three groups: those that determine a signature, those that decide a match, and those
//! that concern files. Each default is written here and nowhere else.

mod checks;
mod choices;
mod limit;
pub mod presets;
mod resources;
mod wrong;

pub use choices::{
    BandsAndRows, Case, Clusters, Common, Elements, Find, Form, Keep, Kind, Measure, Method,
    NormalizeSettings, OnBadRecord, Punctuation, RemovedFormat, Stored, Verify, Whitespace, WithinDays,
};
pub use limit::Limit;
pub use resources::{LARGEST_TEXT, MOST_MEMORY, MOST_THREADS, Resources};
pub use wrong::{Choice, SettingName, WrongSetting};

use serde::{Deserialize, Deserializer, Serialize};
use std::path::PathBuf;

/// Defines groups of settings: a struct with defaults for each group, and a function of [`Settings`] for each
/// setting.
macro_rules! groups {
    ($($(#[$group_doc:meta])* $group:ident: $type:ident {
        $($(#[$doc:meta])* $with:ident => $name:ident: $of:ty = $default:expr $(; unless $skip:literal)?,)+
    })+) => {
        $(
            $(#[$group_doc])*
            #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
            #[serde(rename_all = "kebab-case", default)]
            #[non_exhaustive]
            pub struct $type {
                $($(#[$doc])* $(#[serde(skip_serializing_if = $skip)])? pub $name: $of,)+
            }

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

/// All settings that can change the answer. They are written into every report and sketch file, as one list. Two runs
/// with equal settings over equal sources write the same bytes.
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
    /// The settings that determine a signature.
    #[serde(flatten)]
    pub signature: SignatureSettings,
    /// The settings that decide which documents match, and which document of a match is kept.
    #[serde(flatten)]
    pub matching: MatchSettings,
    /// The settings that concern files and records.
    #[serde(flatten)]
    pub files: FileSettings,
}

groups! {
    /// The settings that determine a signature. Two signatures can be compared only if these settings are equal.
    signature: SignatureSettings {
        /// What a document is.
        with_kind => kind: Kind = Kind::Text; unless "Kind::is_text",
        /// If a set is a string, its items are separated by this. Sets only.
        with_split => split: Option<String> = None; unless "Option::is_none",
        /// Weights of items are rounded to multiples of this. Without it they are whole numbers. With weighted Jaccard only.
        with_weight_step => weight_step: Option<f64> = None; unless "Option::is_none",
        /// The bits of a fingerprint. Without this setting, the first fingerprint says how many. Fingerprints only.
        with_bits => bits: Option<u32> = None; unless "Option::is_none",
        /// What a shingle is: `words:5` (five words in a row), `characters:9`, `stop-words:3`, `stop-words-german:3`.
        with_shingles => shingles: String = "words:5".into(),
        /// How text is normalised before it is cut into shingles.
        with_normalize => normalize: NormalizeSettings = NormalizeSettings::default(),
        /// Whether repeated shingles count.
        with_elements => elements: Elements = Elements::Set,
        /// A file of weights, one `shingle<TAB>weight` per line. A shingle that is not in the file weighs 1. SimHash
        /// only.
        with_weights => weights: Option<PathBuf> = None,
        /// The kind of sketch that finds the candidates.
        with_method => method: Method = Method::Minhash,
        /// The similarity that is compared with the threshold.
        with_measure => measure: Measure = Measure::Jaccard,
        /// The number of hashes in a signature.
        with_hashes => hashes: usize = 128,
        /// The seed from which the hash functions are drawn.
        with_seed => seed: u64 = 1,
    }
    /// The settings that decide which documents match, and which document of a match is kept.
    matching: MatchSettings {
        /// Two documents are duplicates if their similarity is at least this.
        with_threshold => threshold: f64 = 0.8,
        /// The wanted probability that a pair whose similarity equals the threshold is found.
        with_recall => recall: f64 = 0.99,
        /// The number of bands and rows. Without it they are planned from the recall.
        with_bands => bands: Option<BandsAndRows> = None,
        /// How near vectors are found. Vectors only.
        with_find => find: Find = Find::Auto; unless "Find::is_auto",
        /// Two documents can be duplicates if the Hamming distance of their fingerprints is at most this. SimHash
        /// only.
        with_distance => distance: u32 = 3,
        /// Two vectors are duplicates if their Euclidean distance is at most this. With the measure `euclidean` only.
        with_radius => radius: Option<f64> = None; unless "Option::is_none",
        /// What is checked before a pair counts as similar.
        with_verify => verify: Verify = Verify::Exact,
        /// What a cluster is.
        with_clusters => clusters: Clusters = Clusters::Stars,
        /// Which document of a cluster is kept.
        with_keep => keep: Keep = Keep::First,
        /// Sources whose documents come first in keep order. Each item is a glob that is matched with source names;
        /// sources of an earlier item come before those of a later one.
        with_prefer => prefer: Vec<String> = Vec::new(),
        /// Only documents that have the same value in this field are compared.
        with_within => within: Option<String> = None,
        /// Only documents whose dates in a field are at most so many days apart are compared.
        with_within_days => within_days: Option<WithinDays> = None; unless "Option::is_none",
        /// Elements that more than so many documents have are left out of the comparison.
        with_common => common: Option<Common> = None; unless "Option::is_none",
        /// The field that names the site of a document. Elements that several documents of one site have are the frame of
        /// that site, and are left out of the comparison.
        with_site_field => site_field: Option<String> = None; unless "Option::is_none",
        /// True if documents are compared with the documents of `against` only, and not with each other.
        with_against_only => against_only: bool = false,
    }
    /// The settings that concern files and records.
    files: FileSettings {
        /// The field that contains the text, or what else is compared.
        with_text_field => text_field: String = "text".into(),
        /// If records are rows of (set, item): the field that names the set. Sets only.
        with_set_of => set_of: Option<String> = None; unless "Option::is_none",
        /// If records are rows of (set, item): the field with the weight of the item. Sets only.
        with_weight => weight: Option<String> = None; unless "Option::is_none",
        /// The field that contains the id. Without this setting the id of a document is `source:line`.
        with_id_field => id_field: Option<String> = None,
        /// What happens to a record that cannot be used.
        with_on_bad_record => on_bad_record: OnBadRecord = OnBadRecord::Fail,
        /// Texts longer than this, in bytes, are compared by content hash only.
        with_max_text => max_text: u64 = 16 << 20,
        /// True if duplicates are marked, not removed: every document is written, with added fields that say whether
        /// it is a duplicate, and of which document.
        with_annotate => annotate: bool = false,
        /// The format of the list of removed documents.
        with_removed_format => removed_format: RemovedFormat = RemovedFormat::Jsonl,
        /// What a sketch file holds of each document: the signature, or also the shingles.
        with_store => store: Stored = Stored::Signatures,
    }
}

/// The settings that are not written unless they are chosen. They came later than the others: what was written without them, by
/// runs, in sketch files and in indexes, is what would be written today.
const UNWRITTEN: [&str; 11] = [
    "bits",
    "common",
    "find",
    "kind",
    "radius",
    "set-of",
    "site-field",
    "split",
    "weight",
    "weight-step",
    "within-days",
];

impl Settings {
    /// All settings as one list, also those that are not written unless they are chosen.
    #[must_use]
    pub fn listed(&self) -> serde_json::Value {
        let mut all = serde_json::to_value(self).expect("settings are plain values");
        for name in UNWRITTEN {
            all[name] = all[name].take();
        }
        all["kind"] = self.signature.kind.as_str().into();
        all["find"] = self.matching.find.as_str().into();
        all
    }
}

impl<'de> Deserialize<'de> for Settings {
    /// Reads one list of all settings. A setting that is not in the list has its default. An unknown name is an
    /// error.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error;
        use serde_json::{Map, Value};
        let all = Map::deserialize(deserializer)?;
        let known = serde_json::to_value(Self::default()).map_err(D::Error::custom)?;
        let is_known = |name: &str| known.get(name).is_some() || UNWRITTEN.contains(&name);
        if let Some(name) = all.keys().find(|name| !is_known(name)) {
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

/// The error for a value that a setting cannot have; `allowed` says which values it can have.
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
