//! The values that settings with a fixed list of choices can have.

use serde::{Deserialize, Serialize};

/// How text is normalised before it is cut into shingles. Texts that are equal after normalisation are exact copies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct NormalizeSettings {
    /// Whether upper and lower case differ.
    pub case: Case,
    /// The Unicode normalisation form.
    pub form: Form,
    /// Whether punctuation is kept.
    pub punctuation: Punctuation,
    /// What happens to white space.
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
            /// All choices, as they are written in commands and settings files.
            pub const WRITTEN: &'static [&'static str] = &[$($written),+];

            /// The choice as it is written in commands and settings files.
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

choices!(/** Whether upper and lower case differ. */ Case { /** Upper and lower case are equal: full Unicode case folding. */ Fold = "fold", /** Case is unchanged. */ Keep = "keep", });
choices!(/** Unicode normalisation forms. */ Form { /** Composed. */ Nfc = "nfc", /** Decomposed. */ Nfd = "nfd", /** Compatibility, composed. */ Nfkc = "nfkc", /** Compatibility, decomposed. */ Nfkd = "nfkd", /** The text is not converted. */ Keep = "keep", });
choices!(/** Whether punctuation is kept. */ Punctuation { /** Punctuation is kept. */ Keep = "keep", /** Punctuation is removed, and nothing is put in its position. */ Drop = "drop", });
choices!(/** What happens to white space. */ Whitespace { /** Each run of white space becomes one space. */ Collapse = "collapse", /** White space is removed. */ Remove = "remove", /** White space is unchanged. */ Keep = "keep", });
choices!(/** Whether repeated shingles count. */ Elements { /** Each shingle counts once: a document is a set. */ Set = "set", /** Repeated shingles count: a document is a bag. */ Bag = "bag", });
choices!(/** The kind of sketch that finds the candidates. */ Method { /** Min-hash signatures and bands. */ Minhash = "minhash", /** SimHash fingerprints and permuted tables. */ Simhash = "simhash", });
choices!(/** What a document is. */ Kind { /** A text. */ Text = "text", /** A set of items: strings and numbers, or items with weights. */ Sets = "sets", /** A fingerprint that was made elsewhere: 16 to 512 bits. */ Fingerprints = "fingerprints", /** A vector: a list of numbers. */ Vectors = "vectors", /** A record with fields. These have a flow of their own, and none of the pipeline. */ Records = "records", });
choices!(/** The similarity that is compared with the threshold. */ Measure { /** The shared shingles, divided by all shingles of both documents. */ Jaccard = "jaccard", /** The shared shingles, divided by the shingles of the smaller document. */ Containment = "containment", /** Of items with weights: the sum of the smaller weights, divided by the sum of the larger ones. Sets only. */ WeightedJaccard = "weighted-jaccard", /** The cosine of the angle between two vectors. Vectors only. */ Cosine = "cosine", /** The Euclidean distance of two vectors. Vectors only. */ Euclidean = "euclidean", });
choices!(/** How near vectors are found. */ Find { /** By bands if the vectors are so many that this takes at most a third of the time, and otherwise by comparing all. */ Auto = "auto", /** Every vector is compared with every other one. */ All = "all", /** By bands of random functions. */ Bands = "bands", });
choices!(/** What is checked before a pair counts as similar. */ Verify { /** The exact similarity of the texts. */ Exact = "exact", /** The similarity that the signatures estimate. */ Estimate = "estimate", /** Nothing: every candidate pair counts as similar. */ None = "none", });
choices!(/** What a cluster is. */ Clusters { /** A kept document and the documents that are similar to it. */ Stars = "stars", /** All documents that are connected by similar pairs. */ Components = "components", });
choices!(/** What happens to a record that cannot be used. */ OnBadRecord { /** The run stops and names the record. */ Fail = "fail", /** The record is listed as removed, with the reason. */ Skip = "skip", /** The record is written to the output without being compared. */ Keep = "keep", });
choices!(/** The format of the list of removed documents. */ RemovedFormat { /** JSON Lines: `removed.jsonl`. */ Jsonl = "jsonl", /** Parquet: `removed.parquet`. */ Parquet = "parquet", });
choices!(/** What a sketch file holds of each document. */ Stored { /** The signature. */ Signatures = "signatures", /** The signature and the shingles. */ Shingles = "shingles", });

/// The keep order. Of each cluster, the document that comes first in this order is kept; input order breaks ties.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Keep {
    /// Input order.
    First,
    /// The document with the longest text comes first. The length is counted in bytes, before normalisation.
    Longest,
    /// The document with the largest value in this field comes first; documents without a value come last. Numbers
    /// are compared by value and text byte by byte. Numbers come before text.
    Max(String),
    /// The document with the smallest value in this field comes first; documents without a value come last.
    Min(String),
    /// The record with the most values comes first: for records only.
    Fullest,
}

impl std::str::FromStr for Keep {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, String> {
        match written.split_once(':') {
            None if written == "first" => Ok(Self::First),
            None if written == "longest" => Ok(Self::Longest),
            None if written == "fullest" => Ok(Self::Fullest),
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
            Self::Fullest => f.write_str("fullest"),
            Self::Max(field) => write!(f, "max:{field}"),
            Self::Min(field) => write!(f, "min:{field}"),
        }
    }
}

/// The number of bands and the rows per band, written `21x6`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct BandsAndRows {
    /// The number of bands. With more bands, more pairs become candidates.
    pub bands: usize,
    /// The rows of each band. With more rows, fewer pairs become candidates.
    pub rows: usize,
}

impl std::str::FromStr for BandsAndRows {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, String> {
        let wrong = || format!("`{written}` is not a number of bands and rows, as in 21x6");
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

/// Which elements are common: they are left out of the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "CommonForm", into = "CommonForm")]
pub enum Common {
    /// Elements of more than so many documents; the number follows from how many documents have which elements.
    Auto,
    /// Elements of more than this many documents.
    MoreThan(u64),
}

impl Find {
    /// True if the number of vectors decides.
    pub(crate) fn is_auto(&self) -> bool {
        *self == Self::Auto
    }
}

impl Kind {
    /// True for texts, which is what documents are unless something else is said.
    pub(crate) fn is_text(&self) -> bool {
        *self == Self::Text
    }
}

/// How [`Common`] is written: a number, or a word.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum CommonForm {
    Number(u64),
    Word(String),
}

impl std::str::FromStr for Common {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, String> {
        match written {
            "auto" => Ok(Self::Auto),
            number => number
                .parse()
                .ok()
                .filter(|&number| number > 0)
                .map(Self::MoreThan)
                .ok_or_else(|| format!("`{written}` is neither a number from 1 nor auto")),
        }
    }
}

impl TryFrom<CommonForm> for Common {
    type Error = String;

    fn try_from(form: CommonForm) -> Result<Self, String> {
        match form {
            CommonForm::Number(number) => number.to_string().parse(),
            CommonForm::Word(word) => word.parse(),
        }
    }
}

impl From<Common> for CommonForm {
    fn from(common: Common) -> Self {
        match common {
            Common::Auto => Self::Word("auto".into()),
            Common::MoreThan(number) => Self::Number(number),
        }
    }
}

impl std::fmt::Display for Common {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::MoreThan(number) => number.fmt(f),
        }
    }
}

/// A field of dates, and how many days documents may be apart to be compared, written `date:3`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct WithinDays {
    /// The field that holds the date.
    pub field: String,
    /// The largest number of days between two documents that are compared.
    pub days: u32,
}

impl WithinDays {
    /// The window in seconds.
    pub(crate) fn seconds(&self) -> u64 {
        u64::from(self.days) * 24 * 60 * 60
    }
}

impl std::str::FromStr for WithinDays {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, String> {
        let wrong = || format!("`{written}` is not a field and a number of days, as in date:3");
        let (field, days) = written.rsplit_once(':').ok_or_else(wrong)?;
        let days = days.parse().map_err(|_| wrong())?;
        if field.is_empty() { Err(wrong()) } else { Ok(Self { field: field.into(), days }) }
    }
}

impl TryFrom<String> for WithinDays {
    type Error = String;

    fn try_from(written: String) -> Result<Self, String> {
        written.parse()
    }
}

impl From<WithinDays> for String {
    fn from(near: WithinDays) -> Self {
        near.to_string()
    }
}

impl std::fmt::Display for WithinDays {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.field, self.days)
    }
}
