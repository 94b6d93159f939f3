//! What a run is asked to do. Each default is written here and nowhere else.

pub mod presets;
mod wrong;

pub use wrong::{Choice, SettingName, WrongSetting};

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What decides the answer. It is written into every report and sketch file; two runs with equal settings over equal
/// sources end with the same bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Settings {
    /// The field with the text.
    pub text_field: String,
    /// The field with the id; without it a document is called `source:line`.
    pub id_field: Option<String>,
    /// What a shingle is: `words:5`, `characters:9`, `stop-words:3`.
    pub shingles: String,
    /// What happens to the text before.
    pub normalize: NormalizeSettings,
    /// Whether repeated shingles count.
    pub elements: Elements,
    /// A file of token weights, `token<TAB>weight`; what is not in it weighs 1. SimHash only.
    pub weights: Option<PathBuf>,
    /// Which sketch finds the candidates.
    pub method: Method,
    /// Hashes per signature.
    pub hashes: usize,
    /// What the hash functions are drawn from.
    pub seed: u64,
    /// The similarity that is compared.
    pub measure: Measure,
    /// The least similarity of a duplicate.
    pub threshold: f64,
    /// The wanted chance of finding a pair at the threshold.
    pub recall: f64,
    /// Bands and rows, instead of those planned from the recall.
    pub bands: Option<BandsAndRows>,
    /// The largest Hamming distance of a duplicate. SimHash only.
    pub distance: u32,
    /// What is checked before a pair counts.
    pub verify: Verify,
    /// What a cluster is.
    pub clusters: Clusters,
    /// Which document of a cluster stays.
    pub keep: Keep,
    /// Sources whose documents come first in keep order: globs over source names, the first one first.
    pub prefer: Vec<String>,
    /// Compare only documents with equal values of this field.
    pub within: Option<String>,
    /// Whether documents are compared with those of `against` only.
    pub against_only: bool,
    /// What happens to a record that cannot be used.
    pub on_bad_record: OnBadRecord,
    /// Texts of more bytes are compared by content hash only.
    pub max_text: u64,
    /// Whether every record is written, with fields that say what it is.
    pub annotate: bool,
    /// The form of the list of removed documents.
    pub removed_format: RemovedFormat,
    /// Whether the shingles are kept beside the signatures.
    pub store: Stored,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            text_field: "text".into(),
            id_field: None,
            shingles: "words:5".into(),
            normalize: NormalizeSettings::default(),
            elements: Elements::Set,
            weights: None,
            method: Method::Minhash,
            hashes: 128,
            seed: 1,
            measure: Measure::Jaccard,
            threshold: 0.8,
            recall: 0.99,
            bands: None,
            distance: 3,
            verify: Verify::Exact,
            clusters: Clusters::Stars,
            keep: Keep::First,
            prefer: Vec::new(),
            within: None,
            against_only: false,
            on_bad_record: OnBadRecord::Fail,
            max_text: 16 << 20,
            annotate: false,
            removed_format: RemovedFormat::Jsonl,
            store: Stored::Signatures,
        }
    }
}

/// What happens to the text before it is shingled, and what "equal text" means.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct NormalizeSettings {
    /// Upper and lower case.
    pub case: Case,
    /// Unicode normalisation form.
    pub form: Form,
    /// Punctuation.
    pub punctuation: Punctuation,
    /// White space.
    pub whitespace: Whitespace,
}

impl Default for NormalizeSettings {
    fn default() -> Self {
        Self {
            case: Case::Fold,
            form: Form::Nfc,
            punctuation: Punctuation::Keep,
            whitespace: Whitespace::Collapse,
        }
    }
}

macro_rules! choices {
    ($(#[$doc:meta])* $name:ident { $($(#[$choice_doc:meta])* $choice:ident = $written:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        pub enum $name { $($(#[$choice_doc])* #[serde(rename = $written)] $choice,)+ }

        impl $name {
            /// All choices, as they are written.
            pub const WRITTEN: &'static [&'static str] = &[$($written),+];

            /// As it is written.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$choice => $written),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;

            fn from_str(written: &str) -> Result<Self, String> {
                match written {
                    $($written => Ok(Self::$choice),)+
                    _ => Err(format!("`{written}` is not one of {}", Self::WRITTEN.join(", "))),
                }
            }
        }
    };
}

choices!(/** Upper and lower case. */ Case { /** Full Unicode case folding. */ Fold = "fold", /** As it is. */ Keep = "keep", });
choices!(/** Unicode normalisation forms. */ Form { /** Composed. */ Nfc = "nfc", /** Decomposed. */ Nfd = "nfd", /** Compatibility, composed. */ Nfkc = "nfkc", /** Compatibility, decomposed. */ Nfkd = "nfkd", /** As it is. */ Keep = "keep", });
choices!(/** Punctuation. */ Punctuation { /** As it is. */ Keep = "keep", /** Taken out, with nothing in its place. */ Drop = "drop", });
choices!(/** White space. */ Whitespace { /** Runs become one space. */ Collapse = "collapse", /** Taken out. */ Remove = "remove", /** As it is. */ Keep = "keep", });
choices!(/** Whether repeated shingles count. */ Elements { /** They do not: a document is a set. */ Set = "set", /** They do: a document is a bag. */ Bag = "bag", });
choices!(/** Which sketch finds the candidates. */ Method { /** Min-hash signatures and bands. */ Minhash = "minhash", /** SimHash fingerprints and permuted tables. */ Simhash = "simhash", });
choices!(/** The similarity that is compared. */ Measure { /** Shared shingles over all shingles of both. */ Jaccard = "jaccard", /** Shared shingles over those of the smaller document. */ Containment = "containment", });
choices!(/** What is checked before a pair counts. */ Verify { /** The exact similarity. */ Exact = "exact", /** The estimate of the signatures. */ Estimate = "estimate", /** Nothing: every candidate counts. */ None = "none", });
choices!(/** What a cluster is. */ Clusters { /** A kept document and what is similar to it. */ Stars = "stars", /** All that is connected by similar pairs. */ Components = "components", });
choices!(/** What happens to a record that cannot be used. */ OnBadRecord { /** The run stops and names it. */ Fail = "fail", /** It is listed as removed, with the reason. */ Skip = "skip", /** It is written, uncompared. */ Keep = "keep", });
choices!(/** The form of the list of removed documents. */ RemovedFormat { /** `removed.jsonl`. */ Jsonl = "jsonl", /** `removed.parquet`. */ Parquet = "parquet", });
choices!(/** What a sketch file holds. */ Stored { /** Signatures. */ Signatures = "signatures", /** Signatures and shingles. */ Shingles = "shingles", });

/// Which document of a cluster stays: the first in this order; input order breaks ties.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Keep {
    /// Input order.
    First,
    /// The longest raw text first, in bytes.
    Longest,
    /// The largest value in this field first; without one last. Numbers by value, text byte by byte, numbers before text.
    Max(String),
    /// The smallest value in this field first; without one last.
    Min(String),
}

impl std::str::FromStr for Keep {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, String> {
        match written.split_once(':') {
            None if written == "first" => Ok(Self::First),
            None if written == "longest" => Ok(Self::Longest),
            Some(("max", field)) if !field.is_empty() => Ok(Self::Max(field.into())),
            Some(("min", field)) if !field.is_empty() => Ok(Self::Min(field.into())),
            _ => Err(format!("`{written}` is not one of first, longest, max:FIELD, min:FIELD")),
        }
    }
}

impl TryFrom<String> for Keep {
    type Error = String;

    fn try_from(written: String) -> Result<Self, String> {
        written.parse()
    }
}

impl From<Keep> for String {
    fn from(keep: Keep) -> Self {
        keep.to_string()
    }
}

impl std::fmt::Display for Keep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::First => f.write_str("first"),
            Self::Longest => f.write_str("longest"),
            Self::Max(field) => write!(f, "max:{field}"),
            Self::Min(field) => write!(f, "min:{field}"),
        }
    }
}

/// Bands and rows, written `21x6`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct BandsAndRows {
    /// Bands: more of them catch more.
    pub bands: usize,
    /// Rows per band: more of them catch less.
    pub rows: usize,
}

impl std::str::FromStr for BandsAndRows {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, String> {
        let wrong = || format!("`{written}` is not bands and rows, as in 21x6");
        let (bands, rows) = written.split_once('x').ok_or_else(wrong)?;
        let number = |digits: &str| digits.trim().parse().ok().filter(|&n| n > 0).ok_or_else(wrong);
        Ok(Self { bands: number(bands)?, rows: number(rows)? })
    }
}

impl TryFrom<String> for BandsAndRows {
    type Error = String;

    fn try_from(written: String) -> Result<Self, String> {
        written.parse()
    }
}

impl From<BandsAndRows> for String {
    fn from(plan: BandsAndRows) -> Self {
        plan.to_string()
    }
}

impl std::fmt::Display for BandsAndRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{}", self.bands, self.rows)
    }
}

/// More threads than this are a mistake: each takes memory of its own, and no machine has so many processors.
pub const MOST_THREADS: usize = 1_024;

/// More memory than this cannot be had: processors address 48 bits.
pub const MOST_MEMORY: u64 = 1 << 48;

/// The largest value of `max_text`: shingles of a document are counted in 32 bits.
pub const LARGEST_TEXT: u64 = 2 << 30;

/// What a run may use. None of it changes the answer, but for `max_pairs`.
#[derive(Debug, Clone)]
pub struct Resources {
    /// Bytes of memory, at most.
    pub memory: u64,
    /// Threads.
    pub threads: usize,
    /// Where to spill; the target's own work folder if not given.
    pub temp_dir: Option<PathBuf>,
    /// Pairs that are handed out, at most: the first ones, of all that there are. How many were left out is in the report.
    pub max_pairs: Option<u64>,
}

impl Resources {
    /// Half of the memory and all processors.
    #[must_use]
    pub fn of_this_machine() -> Self {
        Self {
            memory: (crate::available_memory() / 2).max(crate::LEAST_MEMORY),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            temp_dir: None,
            max_pairs: None,
        }
    }

    /// An error if there cannot be so much.
    pub fn check(&self) -> crate::Result<()> {
        let Self { memory, threads, .. } = *self;
        if threads > MOST_THREADS {
            return Err(not_allowed(SettingName::Threads, threads, format!("at most {MOST_THREADS}")));
        }
        if memory > MOST_MEMORY {
            let most = corpus::readable_size(MOST_MEMORY);
            return Err(not_allowed(SettingName::Memory, memory, format!("no machine has more than {most}")));
        }
        Ok(())
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
