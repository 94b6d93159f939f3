//! Requests and answers as JSON. The types are also the descriptions in the OpenAPI document.

mod answers;
mod compare;
mod config;
mod documents;
mod questions;

pub(crate) use answers::{
    Backed, CollectionAnswer, CollectionList, CollectionStats, Compacted, DocumentPage, Health, Merged,
    PutAnswer, Ready, Removed,
};
pub(crate) use compare::{CompareAnswer, CompareRequest};
pub(crate) use config::ConfigIn;
pub(crate) use documents::{
    AddLine, BackupRequest, ListQuery, MergeRequest, PutDocument, RemoveLine, RemoveRequest, ShowQuery,
};
pub(crate) use index::json::{CheckAnswer, DocumentAnswer, QueryAnswer, VerifyAnswer};
pub(crate) use questions::{Check, CheckRequest, QueryRequest};

use crate::problem::{Problem, Result};
use crate::state::State;
use serde_json::{Map, Value};

/// A JSON object.
pub(crate) type Object = Map<String, Value>;

/// Refuses a text that is larger than the limit.
fn check_text(state: &State, text: &str) -> Result<()> {
    let limit = state.limits().text;
    if text.len() > limit { Err(Problem::too_large("the text", limit)) } else { Ok(()) }
}
