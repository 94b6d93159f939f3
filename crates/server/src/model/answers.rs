//! Answers of the service.

use super::Object;
use super::config::ConfigOut;
use crate::times;
use index::{Answer, Checked, Kept, Stats};
use serde::Serialize;
use utoipa::ToSchema;

/// The state of the service.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Health {
    /// `ok`
    pub(crate) status: &'static str,
    /// The version of the program.
    pub(crate) version: &'static str,
}

/// A document that looks like the one that was asked about.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Match {
    id: String,
    /// How similar the two are, from 0 to 1.
    similarity: f64,
    /// True if the similarity is exact, false if signatures estimate it.
    exact: bool,
    /// The standard error of an estimated similarity.
    #[serde(skip_serializing_if = "Option::is_none")]
    standard_error: Option<f64>,
    /// The Hamming distance of the fingerprints, with SimHash.
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<u32>,
    /// When the document came.
    #[schema(format = DateTime)]
    added: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<std::collections::BTreeMap<String, serde_json::Value>>)]
    metadata: Option<Object>,
}

impl From<index::Match> for Match {
    fn from(found: index::Match) -> Self {
        let index::Match { id, similarity, exact, standard_error, distance, added, metadata, .. } = found;
        Self { id, similarity, exact, standard_error, distance, added: times::written(added), metadata }
    }
}

/// The answer to a query.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct QueryAnswer {
    /// The similar documents: most similar first, older first among equals.
    matches: Vec<Match>,
    /// The probability that a document whose similarity equals the asked threshold was found.
    found_probability: f64,
    /// True if there were more candidates than the collection looks at.
    truncated: bool,
}

impl From<Answer> for QueryAnswer {
    fn from(answer: Answer) -> Self {
        let Answer { matches, found_probability, truncated, .. } = answer;
        Self { matches: matches.into_iter().map(Match::from).collect(), found_probability, truncated }
    }
}

/// The answer to a check.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CheckAnswer {
    /// True if no document is similar enough.
    new: bool,
    /// The oldest document that is similar enough.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    matched: Option<Match>,
    /// The number of the checked document, if it was added.
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<u64>,
    /// The probability that a document whose similarity equals the threshold was found.
    found_probability: f64,
    /// True if there were more candidates than the collection looks at.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

impl From<Checked> for CheckAnswer {
    fn from(checked: Checked) -> Self {
        let new = checked.is_new();
        let Checked { matched, number, found_probability, truncated, .. } = checked;
        Self { new, matched: matched.map(Match::from), number, found_probability, truncated }
    }
}

/// A document was added or replaced.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PutAnswer {
    /// Its number. Older documents have smaller ones; no number is ever used again.
    pub(crate) number: u64,
    /// True if there was one with its id.
    pub(crate) replaced: bool,
}

/// Documents were removed.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Removed {
    /// How many there were.
    pub(crate) removed: u64,
}

/// A backup was written.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Backed {
    /// The name of the new folder.
    pub(crate) name: String,
}

/// A document of a collection.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DocumentAnswer {
    pub(crate) id: String,
    /// Its number. Older documents have smaller ones.
    pub(crate) number: u64,
    /// When it came.
    #[schema(format = DateTime)]
    added: String,
    /// When it expires; absent if never.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    expires: Option<String>,
    /// The number of its different shingles.
    shingles: u64,
    /// 128 bits of a hash of its normalised text, as hexadecimal digits.
    content_hash: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<std::collections::BTreeMap<String, serde_json::Value>>)]
    metadata: Option<Object>,
    /// Its text, if the collection stores texts. It is not in listings.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

impl From<Kept> for DocumentAnswer {
    fn from(kept: Kept) -> Self {
        let Kept { number, id, added, expires, shingles, content_hash, metadata, text, .. } = kept;
        Self {
            id,
            number,
            added: times::written(added),
            expires: expires.map(times::written),
            shingles,
            content_hash: format!("{content_hash:032x}"),
            metadata,
            text,
        }
    }
}

/// A part of a listing.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DocumentPage {
    /// The documents, oldest first.
    pub(crate) documents: Vec<DocumentAnswer>,
    /// Ask for more with `after_number` and this number. Absent if there are no more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next_number: Option<u64>,
}

/// A collection.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CollectionAnswer {
    name: String,
    /// The documents, with those that have expired but are not removed yet.
    documents: u64,
    /// The plan as a phrase: `21 bands of 6 rows`.
    plan: String,
    /// The probability that a document at the threshold is found.
    found_probability: f64,
    /// True if the collection has lost writes and is read only.
    read_only: bool,
    /// What was fixed when the collection was created.
    config: ConfigOut,
}

impl CollectionAnswer {
    pub(crate) fn new(name: String, stats: Stats) -> Self {
        let Stats { config, plan, found_probability, documents, lost, .. } = stats;
        let config = ConfigOut::new(&config);
        Self { name, documents, plan, found_probability, read_only: lost > 0, config }
    }
}

/// All collections.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CollectionList {
    pub(crate) collections: Vec<CollectionAnswer>,
}

/// Numbers about a collection.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct StatsAnswer {
    /// The documents, with those that have expired but are not removed yet.
    documents: u64,
    /// The documents with different texts: exact copies count once.
    distinct: u64,
    /// The number of the next document.
    next_number: u64,
    /// How many batches were committed.
    batches: u64,
    /// Acknowledged batches that the store has lost. If it is not 0, the collection is read only.
    lost: u64,
    /// The bytes of all files.
    disk_bytes: u64,
}

impl From<Stats> for StatsAnswer {
    fn from(stats: Stats) -> Self {
        let Stats { documents, distinct, next_number, batches, lost, disk_bytes, .. } = stats;
        Self { documents, distinct, next_number, batches, lost, disk_bytes }
    }
}
