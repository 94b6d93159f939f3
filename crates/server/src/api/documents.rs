//! Documents: put, got, deleted and listed.

use super::Problems;
use super::extract::{At, Fields};
use crate::json::{self, Body};
use crate::model::{
    DocumentAnswer, DocumentPage, ListQuery, Object, PutAnswer, PutDocument, Removed, ShowQuery,
};
use crate::problem::{Problem, Result};
use crate::repeats::applied;
use crate::state::State;
use axum::extract::State as With;
use axum::http::StatusCode;
use axum::response::Response;
use axum::{Extension, Json};
use index::{Change, Changed, Index, Ticket};

/// The most documents of a listing, unless the request says otherwise.
const LISTED: usize = 100;

/// A listing with a filter looks at no more documents than this. The next request goes on where it ended.
const MOST_SCANNED: usize = 20_000;

/// A listing reads this many documents at a time.
const PAGE: usize = 1_000;

/// A document by its id.
#[utoipa::path(
    get,
    operation_id = "get_document",
    path = "/v1/collections/{name}/documents/{id}",
    tag = "documents",
    params(
        ("name" = String, Path, description = "The name of the collection"),
        ("id" = String, Path, description = "The id of the document; `/` is written as %2F"),
        ShowQuery
    ),
    responses((status = 200, body = DocumentAnswer), Problems)
)]
pub(super) async fn get(
    With(state): With<State>,
    At((name, id)): At<(String, String)>,
    Fields(asked): Fields<ShowQuery>,
) -> Result<Json<DocumentAnswer>> {
    let found = move |index: &Index| index.get(&id)?.ok_or_else(|| Problem::no_document(&id));
    let found = state.with_index(&name, found).await?;
    Ok(Json(if asked.lanes { DocumentAnswer::with_lanes(found) } else { found.into() }))
}

/// Adds a document. When the answer comes, the document is on disk.
#[utoipa::path(
    put,
    operation_id = "put_document",
    path = "/v1/collections/{name}/documents/{id}",
    tag = "documents",
    params(
        ("name" = String, Path, description = "The name of the collection"),
        ("id" = String, Path, description = "The id of the document: 1 to 1,024 bytes; `/` is written as %2F"),
        ("Idempotency-Key" = Option<String>, Header, description = "The same write with the same key is done once")
    ),
    request_body = PutDocument,
    responses(
        (status = 200, description = "It was replaced", body = PutAnswer),
        (status = 201, description = "It was added", body = PutAnswer),
        Problems
    )
)]
pub(super) async fn put(
    With(state): With<State>,
    At((name, id)): At<(String, String)>,
    ticket: Option<Extension<Ticket>>,
    Body(document): Body<PutDocument>,
) -> Result<Response> {
    let change = document.change(&state, id)?;
    let answer = |changed: Vec<Changed>| match changed[..] {
        [Changed::Put { number, replaced }] => {
            let status = if replaced { StatusCode::OK } else { StatusCode::CREATED };
            Ok((status, PutAnswer { number, replaced }))
        }
        _ => Err(Problem::internal("one change has one answer")),
    };
    applied(&state, &name, vec![change], ticket.map(|ticket| ticket.0), answer).await
}

/// Removes a document.
#[utoipa::path(
    delete,
    operation_id = "delete_document",
    path = "/v1/collections/{name}/documents/{id}",
    tag = "documents",
    params(
        ("name" = String, Path, description = "The name of the collection"),
        ("id" = String, Path, description = "The id of the document; `/` is written as %2F"),
        ("Idempotency-Key" = Option<String>, Header, description = "The same write with the same key is done once")
    ),
    responses((status = 200, body = Removed), Problems)
)]
pub(super) async fn delete(
    With(state): With<State>,
    At((name, id)): At<(String, String)>,
    ticket: Option<Extension<Ticket>>,
) -> Result<Response> {
    let change = Change::Remove(id.clone());
    let answer = move |changed: Vec<Changed>| match changed[..] {
        [Changed::Removed(true)] => Ok((StatusCode::OK, Removed { removed: 1 })),
        _ => Err(Problem::no_document(&id)),
    };
    applied(&state, &name, vec![change], ticket.map(|ticket| ticket.0), answer).await
}

/// Documents without their texts, oldest first.
#[utoipa::path(
    get,
    operation_id = "list_documents",
    path = "/v1/collections/{name}/documents",
    tag = "documents",
    params(("name" = String, Path, description = "The name of the collection"), ListQuery),
    responses((status = 200, body = DocumentPage), Problems)
)]
pub(super) async fn list(
    With(state): With<State>,
    At(name): At<String>,
    Fields(asked): Fields<ListQuery>,
) -> Result<Json<DocumentPage>> {
    let ListQuery { after, after_number, limit, filter } = asked;
    let most = state.limits().documents;
    let limit = limit.unwrap_or(LISTED.min(most));
    if !(1..=most).contains(&limit) {
        return Err(Problem::invalid(format!("`limit` is from 1 to {most}, not {limit}")));
    }
    let filter = filter.map(|filter| json::object(filter.as_bytes())).transpose()?.unwrap_or_default();
    if after.is_some() && after_number.is_some() {
        return Err(Problem::invalid("only one of `after` and `after_number` is allowed"));
    }
    let answer = state.with_index(&name, move |index| {
        let after = match &after {
            Some(id) => {
                let found = index.get(id)?.ok_or_else(|| Problem::no_document(id));
                found
                    .map_err(|problem| {
                        problem.advise("use `after_number` and the `next_number` of the answer before")
                    })?
                    .number
            }
            None => after_number.unwrap_or(0),
        };
        page(index, after, limit, &filter).map(Json)
    });
    answer.await
}

fn page(index: &Index, mut after: u64, limit: usize, filter: &Object) -> Result<DocumentPage> {
    let mut documents: Vec<DocumentAnswer> = Vec::new();
    let mut scanned = 0;
    loop {
        let asked = if filter.is_empty() { limit - documents.len() } else { PAGE };
        let read = index.list(after, asked)?;
        let is_last = read.len() < asked;
        for kept in read {
            after = kept.number;
            scanned += 1;
            let fits = filter.iter().all(|(field, value)| {
                kept.metadata.as_ref().and_then(|metadata| metadata.get(field)) == Some(value)
            });
            if fits {
                documents.push(kept.into());
                if documents.len() == limit {
                    return Ok(DocumentPage { documents, next_number: Some(after) });
                }
            }
        }
        if is_last || scanned >= MOST_SCANNED {
            return Ok(DocumentPage { documents, next_number: (!is_last).then_some(after) });
        }
    }
}
