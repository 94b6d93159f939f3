//! Requests that add and remove documents.

use super::{Object, check_text};
use crate::problem::{Problem, Result};
use crate::state::State;
use crate::times;
use index::{Change, Content, Document, Imported, Lifetime};
use serde::Deserialize;
use std::time::Duration;
use utoipa::{IntoParams, ToSchema};

/// A document without its id, which is in the address.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PutDocument {
    /// What the document says. One of `text` and `lanes` is needed.
    #[schema(example = "A cat sat on the mat in the hall of the old house and watched the rain come down.")]
    text: Option<String>,
    /// The lanes of a signature with the settings of the collection, which must store signatures only.
    lanes: Option<Vec<u16>>,
    /// What you want to know about it later: an object of at most 64 KiB.
    #[schema(value_type = Option<std::collections::BTreeMap<String, serde_json::Value>>)]
    metadata: Option<Object>,
    /// Only documents with an equal value, or all without one, are compared.
    within: Option<String>,
    /// When the document came; now, unless said otherwise.
    #[schema(format = DateTime)]
    added: Option<String>,
    /// How long the document is kept, in seconds. Without it, as long as the collection says.
    #[schema(minimum = 1)]
    ttl_seconds: Option<u64>,
    /// When the document expires, or `never`.
    #[schema(example = "never")]
    expires: Option<String>,
    /// True to replace a document with the same id. Otherwise such a document is a conflict.
    #[serde(default)]
    update: bool,
}

impl PutDocument {
    pub(crate) fn change(self, state: &State, id: String) -> Result<Change> {
        let Self { text, lanes, metadata, within, added, ttl_seconds, expires, update } = self;
        let mut document = document(state, id, (text, lanes), within)?
            .with_metadata(metadata)
            .with_lifetime(lifetime(ttl_seconds, expires)?);
        if let Some(added) = added {
            document = document.with_added(times::read("added", &added)?);
        }
        Ok(if update { Change::Update(document) } else { Change::Add(document) })
    }
}

/// A line of `bulk` that adds a document.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AddLine {
    /// The id of the document: 1 to 1,024 bytes.
    id: String,
    /// What the document says.
    text: Option<String>,
    /// The lanes of a signature.
    lanes: Option<Vec<u16>>,
    /// What you want to know about it later: an object of at most 64 KiB.
    metadata: Option<Object>,
    /// Only documents with an equal value, or all without one, are compared.
    within: Option<String>,
    /// When the document came; now, unless said otherwise.
    added: Option<String>,
    /// How long the document is kept, in seconds.
    ttl_seconds: Option<u64>,
    /// When the document expires, or `never`.
    expires: Option<String>,
    /// True to replace a document with the same id.
    #[serde(default)]
    update: bool,
}

impl AddLine {
    /// The id, and what is to be done.
    pub(crate) fn change(self, state: &State) -> Result<Change> {
        let Self { id, text, lanes, metadata, within, added, ttl_seconds, expires, update } = self;
        PutDocument { text, lanes, metadata, within, added, ttl_seconds, expires, update }.change(state, id)
    }
}

/// A line of `bulk` that removes a document.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RemoveLine {
    /// The id of the document.
    pub(crate) id: String,
}

/// Which documents are removed: those with these ids, or those with these metadata.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RemoveRequest {
    /// The ids of the documents. Unknown ids are no error.
    #[schema(example = json!(["page-9", "page-10"]))]
    pub(crate) ids: Option<Vec<String>>,
    /// Fields of the metadata and the values that they must have.
    #[serde(rename = "where")]
    #[schema(value_type = Option<std::collections::BTreeMap<String, serde_json::Value>>, example = json!({"source": "old"}))]
    pub(crate) filter: Option<Object>,
}

/// Where a backup is written.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BackupRequest {
    /// The name of the new folder, below the folder for backups. Without it, the name of the collection and the time.
    #[schema(example = "seen-before-the-move")]
    pub(crate) name: Option<String>,
}

/// A part of a listing.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListQuery {
    /// The id after which the listing goes on. It must still be there.
    pub(crate) after: Option<String>,
    /// The number after which the listing goes on: `next_number` of the answer before.
    pub(crate) after_number: Option<u64>,
    /// The most documents of the answer; 100, unless said otherwise.
    #[param(minimum = 1, maximum = 1000)]
    pub(crate) limit: Option<usize>,
    /// A JSON object: fields of the metadata and the values that they must have.
    #[serde(rename = "where")]
    #[param(example = "{\"source\": \"old\"}")]
    pub(crate) filter: Option<String>,
}

/// How a document is shown.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ShowQuery {
    /// True to show the lanes of the signature too, with which `query`, `check` and adding can be asked elsewhere.
    #[serde(default)]
    pub(crate) lanes: bool,
}

/// Which documents are added to a collection.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MergeRequest {
    /// The name of the collection whose documents are added. It stays as it is.
    #[schema(example = "seen-part-2")]
    pub(crate) from: String,
    /// True to leave out documents whose id is there already. Otherwise such an id is a conflict, and nothing is added.
    #[serde(default)]
    pub(crate) skip_present: bool,
}

/// A document with a text that is not too large, or with a signature.
pub(super) fn document(
    state: &State,
    id: String,
    content: (Option<String>, Option<Vec<u16>>),
    within: Option<String>,
) -> Result<Document> {
    match content {
        (Some(text), None) => {
            check_text(state, &text)?;
            Ok(Document::new(id, text).with_within(within))
        }
        (None, Some(lanes)) => {
            let imported = Imported::new(lanes).with_within(within.as_deref());
            Ok(Document::of(id, Content::Imported(Box::new(imported))))
        }
        _ => Err(Problem::invalid("exactly one of `text` and `lanes` is needed")),
    }
}

/// How long a document is kept.
pub(super) fn lifetime(ttl_seconds: Option<u64>, expires: Option<String>) -> Result<Lifetime> {
    match (ttl_seconds, expires.as_deref()) {
        (Some(_), Some(_)) => Err(Problem::invalid("`ttl_seconds` and `expires` say the same in two ways")
            .advise("leave one of them out")),
        (Some(0), None) => Err(Problem::invalid("`ttl_seconds` must be at least 1")),
        (Some(seconds), None) => Ok(Lifetime::For(Duration::from_secs(seconds))),
        (None, Some("never")) => Ok(Lifetime::Forever),
        (None, Some(time)) => Ok(Lifetime::Until(times::read("expires", time)?)),
        (None, None) => Ok(Lifetime::Usual),
    }
}
