//! What a setting can be chosen from.

use serde::{Deserialize, Serialize};

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
