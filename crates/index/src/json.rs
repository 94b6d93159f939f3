//! Answers as JSON: one form for the service, the command and Python.
//!
//! A type per answer, which is made `From` the answer of the index. What is not there is left out. With the feature
//! `schema`, the types describe themselves in an OpenAPI document.

use crate::time::written;
use crate::{Metadata, Millis};
use serde::{Serialize, Serializer};
#[cfg(feature = "schema")]
use utoipa::ToSchema;

/// A time as it is written: `2026-11-15T21:30:00Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Time(pub Millis);

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&written(self.0))
    }
}

/// A document that looks like the one that was asked about.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Match {
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
    #[cfg_attr(feature = "schema", schema(value_type = String, format = DateTime))]
    added: Time,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<std::collections::BTreeMap<String, serde_json::Value>>))]
    metadata: Option<Metadata>,
}

impl From<crate::Match> for Match {
    fn from(found: crate::Match) -> Self {
        let crate::Match { id, similarity, exact, standard_error, distance, added, metadata, .. } = found;
        Self { id, similarity, exact, standard_error, distance, added: Time(added), metadata }
    }
}

/// The answer to a query.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct QueryAnswer {
    /// The similar documents: most similar first, older first among equals.
    matches: Vec<Match>,
    /// The probability that a document whose similarity equals the asked threshold was found.
    found_probability: f64,
    /// True if there were more candidates than the collection looks at.
    truncated: bool,
}

impl From<crate::Answer> for QueryAnswer {
    fn from(answer: crate::Answer) -> Self {
        let crate::Answer { matches, found_probability, truncated } = answer;
        Self { matches: matches.into_iter().map(Match::from).collect(), found_probability, truncated }
    }
}

/// The answer to a check.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct CheckAnswer {
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

impl From<crate::Checked> for CheckAnswer {
    fn from(checked: crate::Checked) -> Self {
        let new = checked.is_new();
        let crate::Checked { matched, number, found_probability, truncated } = checked;
        Self { new, matched: matched.map(Match::from), number, found_probability, truncated }
    }
}

/// A document.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct DocumentAnswer {
    id: String,
    /// Its number. Older documents have smaller ones.
    number: u64,
    /// When it came.
    #[cfg_attr(feature = "schema", schema(value_type = String, format = DateTime))]
    added: Time,
    /// When it expires; absent if never.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>, format = DateTime))]
    expires: Option<Time>,
    /// The number of its different shingles.
    shingles: u64,
    /// 128 bits of a hash of its normalised text, as hexadecimal digits.
    content_hash: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<std::collections::BTreeMap<String, serde_json::Value>>))]
    metadata: Option<Metadata>,
    /// Its text, if texts are stored. It is not in listings.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The lanes of its signature, if they are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    lanes: Option<Vec<u16>>,
}

impl DocumentAnswer {
    /// The document with the lanes of its signature.
    #[must_use]
    pub fn with_lanes(mut kept: crate::Kept) -> Self {
        let lanes = std::mem::take(&mut kept.lanes);
        Self { lanes: Some(lanes), ..kept.into() }
    }
}

impl From<crate::Kept> for DocumentAnswer {
    fn from(kept: crate::Kept) -> Self {
        let crate::Kept { number, id, added, expires, shingles, content_hash, metadata, text, .. } = kept;
        Self {
            id,
            number,
            added: Time(added),
            expires: expires.map(Time),
            shingles,
            content_hash: format!("{content_hash:032x}"),
            metadata,
            text,
            lanes: None,
        }
    }
}

/// Numbers about an index.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct StatsAnswer {
    /// The documents, with those that have expired but are not removed yet.
    documents: u64,
    /// The documents with different texts: exact copies count once.
    distinct: u64,
    /// The number of the next document.
    next_number: u64,
    /// How many batches were committed.
    batches: u64,
    /// Acknowledged batches that the store has lost. If it is not 0, nothing can be written.
    lost: u64,
    /// True if nothing can be written: something is lost or damaged, a write has failed, or the files cannot be written to.
    read_only: bool,
    /// The bytes of all files.
    disk_bytes: u64,
}

impl From<&crate::Stats> for StatsAnswer {
    fn from(stats: &crate::Stats) -> Self {
        let crate::Stats { documents, distinct, next_number, batches, lost, read_only, disk_bytes, .. } =
            *stats;
        Self { documents, distinct, next_number, batches, lost, read_only, disk_bytes }
    }
}

/// What a verification has found.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct VerifyAnswer {
    /// True if nothing is wrong.
    clean: bool,
    #[serde(flatten)]
    verified: crate::Verified,
}

impl From<crate::Verified> for VerifyAnswer {
    fn from(verified: crate::Verified) -> Self {
        Self { clean: verified.is_clean(), verified }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, Document, Index, ManualClock, Query, Stored};
    use std::sync::Arc;

    fn json(answer: &impl Serialize) -> String {
        serde_json::to_string(answer).unwrap()
    }

    #[test]
    fn answers_are_written_as_documented() {
        let folder = tempfile::tempdir().unwrap();
        let options = crate::Options::default().with_clock(Arc::new(ManualClock::at(1_763_242_200_000)));
        let config = Config::default().with_threshold(0.5).with_store(Stored::Text);
        let index = Index::create(folder.path().join("index"), &config, &options).unwrap();
        let text = "the quick brown fox jumps over the lazy dog near the river";
        let metadata = serde_json::json!({"source": "news"}).as_object().cloned();
        let document = Document::new("a", text).with_metadata(metadata);
        let checked = index.check(&document, true, crate::OnMatch::Skip).unwrap();
        let chance = checked.found_probability;
        assert_eq!(
            json(&CheckAnswer::from(checked)),
            format!(r#"{{"new":true,"number":1,"found_probability":{chance:?}}}"#)
        );
        let found = r#"{"id":"a","similarity":1.0,"exact":true,"added":"2025-11-15T21:30:00Z","metadata":{"source":"news"}}"#;
        let checked = index.check(&Document::new("b", text), true, crate::OnMatch::Skip).unwrap();
        assert_eq!(
            json(&CheckAnswer::from(checked)),
            format!(r#"{{"new":false,"match":{found},"found_probability":{chance:?}}}"#)
        );
        assert_eq!(
            json(&QueryAnswer::from(index.query(&Query::text(text)).unwrap())),
            format!(r#"{{"matches":[{found}],"found_probability":{chance:?},"truncated":false}}"#)
        );
        let kept = index.get("a").unwrap().unwrap();
        let hash = format!("{:032x}", kept.content_hash);
        assert_eq!(
            json(&DocumentAnswer::from(kept)),
            format!(
                r#"{{"id":"a","number":1,"added":"2025-11-15T21:30:00Z","shingles":8,"content_hash":"{hash}","metadata":{{"source":"news"}},"text":"{text}"}}"#
            )
        );
        let stats = index.stats().unwrap();
        let bytes = stats.disk_bytes;
        assert_eq!(
            json(&StatsAnswer::from(&stats)),
            format!(
                r#"{{"documents":1,"distinct":1,"next_number":2,"batches":1,"lost":0,"read_only":false,"disk_bytes":{bytes}}}"#
            )
        );
        let verified = index.verify().unwrap();
        let entries = verified.entries;
        assert_eq!(
            json(&VerifyAnswer::from(verified)),
            format!(
                r#"{{"clean":true,"documents":1,"unreadable":0,"entries":{entries},"missing":0,"extra":0,"counters_agree":true,"largest_bucket":1,"lost":0}}"#
            )
        );
    }
}
