//! Collections: listed, created, described and deleted.

use super::Problems;
use super::extract::At;
use crate::json::Body;
use crate::model::{CollectionAnswer, CollectionList, CollectionStats, ConfigIn};
use crate::problem::Result;
use crate::state::State;
use axum::Json;
use axum::extract::State as With;
use axum::http::StatusCode;
use index::Index;
use serde::Serialize;
use utoipa::ToSchema;

/// So many buckets of each band say how large buckets are.
const SAMPLED: usize = 64;

/// All collections, by name.
#[utoipa::path(
    get,
    operation_id = "list_collections",
    path = "/v1/collections",
    tag = "collections",
    responses((status = 200, body = CollectionList), Problems)
)]
pub(super) async fn list(With(state): With<State>) -> Result<Json<CollectionList>> {
    let collections = state
        .blocking(|state| {
            let all = state.collections().all().into_iter();
            all.map(|(name, index)| Ok(CollectionAnswer::new(name, index.stats()?)))
                .collect::<Result<Vec<_>>>()
        })
        .await?;
    Ok(Json(CollectionList { collections }))
}

/// A collection and its configuration.
#[utoipa::path(
    get,
    operation_id = "get_collection",
    path = "/v1/collections/{name}",
    tag = "collections",
    params(("name" = String, Path, description = "The name of the collection")),
    responses((status = 200, body = CollectionAnswer), Problems)
)]
pub(super) async fn get(With(state): With<State>, At(name): At<String>) -> Result<Json<CollectionAnswer>> {
    let stats = state.with_index(&name, |index| Ok(index.stats()?)).await?;
    Ok(Json(CollectionAnswer::new(name, stats)))
}

/// Creates a collection. If there is one with this name, the settings must be those that it has.
#[utoipa::path(
    put,
    operation_id = "create_collection",
    path = "/v1/collections/{name}",
    tag = "collections",
    params(("name" = String, Path, description = "1 to 64 ASCII letters, digits, `-` and `_`")),
    request_body = ConfigIn,
    responses(
        (status = 200, description = "It was there already", body = CollectionAnswer),
        (status = 201, description = "It was created", body = CollectionAnswer),
        Problems
    )
)]
pub(super) async fn put(
    With(state): With<State>,
    At(name): At<String>,
    Body(asked): Body<ConfigIn>,
) -> Result<(StatusCode, Json<CollectionAnswer>)> {
    let config = asked.config()?;
    let answer = state.blocking(move |state| {
        let (index, is_new) =
            state.collections().create(&name, &config, |setting| asked.is_asked(setting))?;
        let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
        Ok((status, Json(CollectionAnswer::new(name, index.stats()?))))
    });
    answer.await
}

/// A collection was deleted.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Deleted {
    /// Its name.
    deleted: String,
}

/// Deletes a collection with all its documents, for good. Only collections that the service has created can be deleted.
#[utoipa::path(
    delete,
    operation_id = "delete_collection",
    path = "/v1/collections/{name}",
    tag = "collections",
    params(("name" = String, Path, description = "The name of the collection")),
    responses((status = 200, body = Deleted), Problems)
)]
pub(super) async fn delete(With(state): With<State>, At(name): At<String>) -> Result<Json<Deleted>> {
    let answer = state.blocking(move |state| {
        state.collections().delete(&name, state.limits().time / 2)?;
        Ok(Json(Deleted { deleted: name }))
    });
    answer.await
}

/// Numbers about a collection.
#[utoipa::path(
    get,
    operation_id = "collection_stats",
    path = "/v1/collections/{name}/stats",
    tag = "collections",
    params(("name" = String, Path, description = "The name of the collection")),
    responses((status = 200, body = CollectionStats), Problems)
)]
pub(super) async fn stats(With(state): With<State>, At(name): At<String>) -> Result<Json<CollectionStats>> {
    let stats = |index: &Index| Ok(CollectionStats::new(&index.stats()?, index.bucket_sizes(SAMPLED)?));
    Ok(Json(state.with_index(&name, stats).await?))
}
