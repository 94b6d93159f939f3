//! All documents of a collection -> a stream of lines.
//!
//! The documents are those that are there when the export begins. Few lines are in memory: a client that does not read them
//! is waited for, up to the limit of a connection.

use super::Problems;
use super::extract::{At, Fields};
use crate::guard;
use crate::model::{DocumentAnswer, ShowQuery};
use crate::problem::{Problem, Result};
use crate::state::State;
use axum::body::Body;
use axum::extract::State as With;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use index::{Index, Kept};
use serde_json::json;
use std::convert::Infallible;
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// Lines are sent when they have this many bytes.
const PIECE: usize = 64 << 10;

/// All documents of a collection that have not expired, as they are now, one JSON object per line, the oldest first; with
/// their texts, if these are stored. If something goes wrong in the middle, the last line is `{"error": ...}`.
#[utoipa::path(
    get,
    operation_id = "export_documents",
    path = "/v1/collections/{name}/export",
    tag = "documents",
    params(("name" = String, Path, description = "The name of the collection"), ShowQuery),
    responses((status = 200, body = String, content_type = "application/x-ndjson"), Problems)
)]
pub(super) async fn export(
    With(state): With<State>,
    At(name): At<String>,
    Fields(asked): Fields<ShowQuery>,
) -> Result<Response> {
    let index = state.collections().get(&name)?;
    let (sender, receiver) = channel(1);
    let work = async move {
        let written = move |state: &State| {
            write(state, &index, asked.lanes, &sender);
            Ok(())
        };
        // A panic is in the log; the stream ends early then.
        let _ = state.blocking(written).await;
    };
    tokio::spawn(guard::PERMIT.scope(guard::permit(), work));
    let lines = futures_util::stream::unfold(receiver, next);
    Ok(([(header::CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(lines)).into_response())
}

async fn next(
    mut receiver: Receiver<Bytes>,
) -> Option<(std::result::Result<Bytes, Infallible>, Receiver<Bytes>)> {
    receiver.recv().await.map(|lines| (Ok(lines), receiver))
}

/// Writes all documents, until nobody reads them any more.
fn write(state: &State, index: &Index, lanes: bool, sender: &Sender<Bytes>) {
    let mut lines: Vec<u8> = Vec::new();
    let outcome = index.export(|kept: Kept| -> Result<bool> {
        if state.is_stopping() {
            return Err(Problem::stopping());
        }
        let document = if lanes { DocumentAnswer::with_lanes(kept) } else { kept.into() };
        // Writing to memory does not fail, and all answers can be written as JSON.
        let _ = serde_json::to_writer(&mut lines, &document);
        lines.push(b'\n');
        let is_full = lines.len() >= PIECE;
        Ok(!is_full || sender.blocking_send(std::mem::take(&mut lines).into()).is_ok())
    });
    if let Err(error) = outcome {
        lines.extend(format!("{}\n", json!({"error": error})).into_bytes());
    }
    if !lines.is_empty() {
        // If nobody reads it, nobody can be told.
        let _ = sender.blocking_send(lines.into());
    }
}
