//! Requests that ask: who looks like this, and have we seen it?

use super::documents::{document, lifetime};
use super::{Object, check_text};
use crate::problem::{Problem, Result};
use crate::state::State;
use index::{Ask, Document, OnMatch, Query};
use serde::Deserialize;
use utoipa::ToSchema;

/// The most documents of an answer, unless the request says otherwise.
const TOP: usize = 10;

/// Asks for the documents that look like a text, a document or a signature.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct QueryRequest {
    /// The text that is asked about. One of `text`, `id` and `lanes` is needed.
    #[schema(example = "A cat sat on the mat in the hall of the old house and watched the rain.")]
    text: Option<String>,
    /// The id of a document of the collection. It is not in the answer.
    id: Option<String>,
    /// The lanes of a signature with the settings of the collection.
    lanes: Option<Vec<u16>>,
    /// The least similarity of an answer, from 0 to 1; that of the collection, unless said otherwise.
    #[schema(minimum = 0, maximum = 1)]
    threshold: Option<f64>,
    /// The most documents of the answer; 10, unless said otherwise.
    #[schema(minimum = 1)]
    top: Option<usize>,
    /// Only documents with this `within` value are looked at.
    within: Option<String>,
    /// Fields of the metadata and the values that they must have.
    #[serde(rename = "where")]
    #[schema(value_type = Option<std::collections::BTreeMap<String, serde_json::Value>>)]
    filter: Option<Object>,
}

impl QueryRequest {
    pub(crate) fn query(self, state: &State) -> Result<Query> {
        let Self { text, id, lanes, threshold, top, within, filter } = self;
        let query = match (text, id, lanes) {
            (Some(text), None, None) => {
                check_text(state, &text)?;
                Query::text(text)
            }
            (None, Some(id), None) => Query::id(id),
            (None, None, Some(lanes)) => Query::lanes(lanes),
            _ => return Err(Problem::invalid("exactly one of `text`, `id` and `lanes` is needed")),
        };
        if within.is_some() && matches!(query.ask, Ask::Id(_)) {
            return Err(Problem::invalid("a document that is asked for by `id` has its own `within` value")
                .advise("leave out `within`"));
        }
        let most = state.limits().documents;
        let top = top.unwrap_or(TOP.min(most));
        if top > most {
            return Err(Problem::invalid(format!("`top` is at most {most}, not {top}")));
        }
        Ok(query
            .with_threshold(threshold)
            .with_top(Some(top))
            .with_within(within)
            .with_filter(filter.unwrap_or_default()))
    }
}

/// Asks whether something like this has been seen, and adds it if not.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CheckRequest {
    /// The id of the document: 1 to 1,024 bytes. It is needed if `add` is true.
    #[schema(example = "page-10")]
    id: Option<String>,
    /// What the document says. One of `text` and `lanes` is needed.
    #[schema(example = "A cat sat on the mat in the hall of the old house and watched the rain come down.")]
    text: Option<String>,
    /// The lanes of a signature with the settings of the collection, which must store signatures only.
    lanes: Option<Vec<u16>>,
    /// True to add the document if it is new. Nothing comes between the looking and the adding.
    #[serde(default)]
    add: bool,
    /// What happens when there is a match, if `add` is true: `skip`, `touch` (the match lives longer), `replace`, or
    /// `add` all the same.
    #[serde(default)]
    on_match: Reaction,
    /// What you want to know about the document later: an object of at most 64 KiB.
    #[schema(value_type = Option<std::collections::BTreeMap<String, serde_json::Value>>)]
    metadata: Option<Object>,
    /// Only documents with an equal value, or all without one, are compared.
    within: Option<String>,
    /// How long the document is kept, in seconds.
    #[schema(minimum = 1)]
    ttl_seconds: Option<u64>,
    /// When the document expires, or `never`.
    expires: Option<String>,
}

/// What happens when there is a match.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Reaction {
    #[default]
    Skip,
    Touch,
    Replace,
    Add,
}

/// A check, ready to be made.
pub(crate) struct Check {
    pub(crate) document: Document,
    pub(crate) add: bool,
    pub(crate) on_match: OnMatch,
}

impl CheckRequest {
    pub(crate) fn check(self, state: &State) -> Result<Check> {
        let Self { id, text, lanes, add, on_match, metadata, within, ttl_seconds, expires } = self;
        let id = match id {
            Some(id) => id,
            // It is not written anywhere.
            None if !add => "-".into(),
            None => return Err(Problem::invalid("`id` is needed if `add` is true")),
        };
        let on_match = match on_match {
            Reaction::Skip => OnMatch::Skip,
            Reaction::Touch => OnMatch::Touch,
            Reaction::Replace => OnMatch::Replace,
            Reaction::Add => OnMatch::Add,
        };
        if !add && on_match != OnMatch::Skip {
            return Err(Problem::invalid("`on_match` changes something, and `add` is false")
                .advise("set `add` to true, or leave out `on_match`"));
        }
        let document = document(state, id, (text, lanes), within)?
            .with_metadata(metadata)
            .with_lifetime(lifetime(ttl_seconds, expires)?);
        Ok(Check { document, add, on_match })
    }
}
