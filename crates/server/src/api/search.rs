//! Who looks like this, have we seen it, and what do two texts share?

use super::Problems;
use super::extract::At;
use crate::access::Access;
use crate::json::Body;
use crate::model::{
    Check, CheckAnswer, CheckRequest, CompareAnswer, CompareRequest, QueryAnswer, QueryRequest,
};
use crate::problem::{Problem, Result};
use crate::repeats::applied;
use crate::state::State;
use axum::extract::State as With;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use index::{Change, Changed, Ticket};

/// The documents that look like a text, like a document of the collection, or like a signature.
#[utoipa::path(
    post,
    operation_id = "query",
    path = "/v1/collections/{name}/query",
    tag = "questions",
    params(("name" = String, Path, description = "The name of the collection")),
    request_body = QueryRequest,
    responses((status = 200, body = QueryAnswer), Problems)
)]
pub(super) async fn query(
    With(state): With<State>,
    At(name): At<String>,
    Body(asked): Body<QueryRequest>,
) -> Result<Json<QueryAnswer>> {
    let query = asked.query(&state)?;
    Ok(Json(state.with_index(&name, move |index| Ok(index.query(&query)?)).await?.into()))
}

/// Has something like this been seen? If not, and `add` is true, it is added in the same step: of equal texts that are
/// checked at the same time, exactly one is new.
#[utoipa::path(
    post,
    operation_id = "check",
    path = "/v1/collections/{name}/check",
    tag = "questions",
    params(
        ("name" = String, Path, description = "The name of the collection"),
        ("Idempotency-Key" = Option<String>, Header, description = "The same write with the same key is done once")
    ),
    request_body = CheckRequest,
    responses((status = 200, body = CheckAnswer), Problems)
)]
pub(super) async fn check(
    With(state): With<State>,
    Extension(access): Extension<Access>,
    At(name): At<String>,
    ticket: Option<Extension<Ticket>>,
    Body(asked): Body<CheckRequest>,
) -> Result<Response> {
    let Check { document, add, on_match } = asked.check(&state)?;
    if !add {
        // A reader does it, and waits for no writer.
        let look = move |index: &index::Index| Ok(index.check(&document, false, on_match)?);
        return Ok(Json(CheckAnswer::from(state.with_index(&name, look).await?)).into_response());
    }
    access.require(Access::Write)?;
    let change = Change::Check { document, add, on_match };
    let answer = |mut changed: Vec<Changed>| match changed.pop() {
        Some(Changed::Checked(checked)) => Ok((StatusCode::OK, CheckAnswer::from(checked))),
        _ => Err(Problem::internal("one change has one answer")),
    };
    applied(&state, &name, vec![change], ticket.map(|ticket| ticket.0), answer).await
}

/// How similar two texts are, and which passages they share.
#[utoipa::path(
    post,
    operation_id = "compare",
    path = "/v1/collections/{name}/compare",
    tag = "questions",
    params(("name" = String, Path, description = "The name of the collection")),
    request_body = CompareRequest,
    responses((status = 200, body = CompareAnswer), Problems)
)]
pub(super) async fn compare(
    With(state): With<State>,
    At(name): At<String>,
    Body(asked): Body<CompareRequest>,
) -> Result<Json<CompareAnswer>> {
    let limits = state.clone();
    Ok(Json(state.with_index(&name, move |index| asked.compare(&limits, index)).await?))
}
