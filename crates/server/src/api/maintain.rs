//! Many documents removed at once, and what concerns a collection as a whole.

use super::Problems;
use super::extract::At;
use crate::collections::check_name;
use crate::json::Body;
use crate::model::{
    Backed, BackupRequest, Compacted, MergeRequest, Merged, RemoveRequest, Removed, VerifyAnswer,
};
use crate::problem::{Problem, Result};
use crate::repeats::applied;
use crate::state::State;
use crate::times;
use axum::extract::State as With;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use index::{Change, Changed, Clock, Index, SystemClock, Ticket};
use std::sync::Arc;

/// So many expired documents are looked for at a time.
const BATCH: usize = 10_000;

/// Removes documents by their ids, with one commit, or by their metadata, in several.
#[utoipa::path(
    post,
    operation_id = "remove_documents",
    path = "/v1/collections/{name}/remove",
    tag = "documents",
    params(
        ("name" = String, Path, description = "The name of the collection"),
        ("Idempotency-Key" = Option<String>, Header, description = "The same write with the same key is done once")
    ),
    request_body = RemoveRequest,
    responses((status = 200, body = Removed), Problems)
)]
pub(super) async fn remove(
    With(state): With<State>,
    At(name): At<String>,
    ticket: Option<Extension<Ticket>>,
    Body(asked): Body<RemoveRequest>,
) -> Result<Response> {
    let most = state.limits().documents;
    match asked {
        RemoveRequest { ids: Some(ids), filter: None } if ids.len() > most => {
            let detail = format!("{} ids are too many; at most {most} are allowed", ids.len());
            Err(Problem::invalid(detail).advise("send several requests, or use `bulk`"))
        }
        RemoveRequest { ids: Some(ids), filter: None } => {
            let changes = ids.into_iter().map(Change::Remove).collect();
            let answer = |changed: Vec<Changed>| {
                let removed =
                    changed.iter().filter(|changed| matches!(changed, Changed::Removed(true))).count();
                Ok((StatusCode::OK, Removed { removed: removed as u64 }))
            };
            applied(&state, &name, changes, ticket.map(|ticket| ticket.0), answer).await
        }
        RemoveRequest { ids: None, filter: Some(filter) } => {
            let removed = state.with_index(&name, move |index| Ok(index.remove_where(&filter)?)).await?;
            Ok(Json(Removed { removed }).into_response())
        }
        _ => Err(Problem::invalid("exactly one of `ids` and `where` is needed")),
    }
}

/// Writes a consistent copy of a collection to a new folder below the folder for backups. Requests go on meanwhile.
#[utoipa::path(
    post,
    operation_id = "backup_collection",
    path = "/v1/collections/{name}/backup",
    tag = "collections",
    params(("name" = String, Path, description = "The name of the collection")),
    request_body = BackupRequest,
    responses((status = 201, body = Backed), Problems)
)]
pub(super) async fn backup(
    With(state): With<State>,
    At(name): At<String>,
    Body(asked): Body<BackupRequest>,
) -> Result<(StatusCode, Json<Backed>)> {
    let index = state.collections().get(&name)?;
    let Some(folder) = state.backups().cloned() else {
        let detail = "this service has no folder for backups";
        return Err(Problem::new(StatusCode::FORBIDDEN, "no-folder", detail)
            .advise("ask the operator to start the service with a folder for backups"));
    };
    let backup = asked.name.unwrap_or_else(|| format!("{name}-{}", times::compact(SystemClock.now())));
    check_name(&backup).map_err(Problem::invalid)?;
    let answer = state.blocking(move |_| {
        match index.backup(folder.join(&backup)) {
            Ok(()) => Ok((StatusCode::CREATED, Json(Backed { name: backup }))),
            // What a killed backup has left is no backup, and is written over.
            Err(index::Error::Exists { .. } | index::Error::Foreign { .. } | index::Error::InUse { .. }) => {
                let detail = format!("there is a backup `{backup}` already");
                let problem = Problem::new(StatusCode::CONFLICT, "backup-exists", detail);
                Err(problem.advise("choose another name"))
            }
            Err(error) => Err(error.into()),
        }
    });
    answer.await
}

/// Merges the tables of a collection on disk, and frees the space of what was removed. Requests go on meanwhile.
#[utoipa::path(
    post,
    operation_id = "compact_collection",
    path = "/v1/collections/{name}/compact",
    tag = "collections",
    params(("name" = String, Path, description = "The name of the collection")),
    responses((status = 200, body = Compacted), Problems)
)]
pub(super) async fn compact(With(state): With<State>, At(name): At<String>) -> Result<Json<Compacted>> {
    let answer = state.with_index(&name, |index| {
        let disk_bytes_before = index.stats()?.disk_bytes;
        index.compact()?;
        Ok(Json(Compacted { disk_bytes_before, disk_bytes: index.stats()?.disk_bytes }))
    });
    answer.await
}

/// Checks every entry of a collection. Requests go on meanwhile.
#[utoipa::path(
    post,
    operation_id = "verify_collection",
    path = "/v1/collections/{name}/verify",
    tag = "collections",
    params(("name" = String, Path, description = "The name of the collection")),
    responses((status = 200, body = VerifyAnswer), Problems)
)]
pub(super) async fn verify(With(state): With<State>, At(name): At<String>) -> Result<Json<VerifyAnswer>> {
    Ok(Json(state.with_index(&name, |index| Ok(index.verify()?)).await?.into()))
}

/// Removes the documents whose time is over. They are in no answer already; this frees their space. The service does it by
/// itself every now and then.
#[utoipa::path(
    post,
    operation_id = "expire_documents",
    path = "/v1/collections/{name}/expire",
    tag = "collections",
    params(("name" = String, Path, description = "The name of the collection")),
    responses((status = 200, body = Removed), Problems)
)]
pub(super) async fn expire(With(state): With<State>, At(name): At<String>) -> Result<Json<Removed>> {
    let index = state.collections().get(&name)?;
    let answer = state.blocking(move |state| {
        let now = state.collections().clock().now();
        let mut removed = 0;
        loop {
            match index.expire(now, BATCH)? {
                0 => return Ok(Json(Removed { removed })),
                some => removed += some,
            }
            if state.is_stopping() {
                return Err(Problem::stopping());
            }
        }
    });
    answer.await
}

/// Adds all documents of another collection of the same configuration. They become the younger ones, in their order.
#[utoipa::path(
    post,
    operation_id = "merge_collections",
    path = "/v1/collections/{name}/merge",
    tag = "collections",
    params(("name" = String, Path, description = "The name of the collection that grows")),
    request_body = MergeRequest,
    responses((status = 200, body = Merged), Problems)
)]
pub(super) async fn merge(
    With(state): With<State>,
    At(name): At<String>,
    Body(asked): Body<MergeRequest>,
) -> Result<Json<Merged>> {
    let other: Arc<Index> = state.collections().get(&asked.from)?;
    let added = state.with_index(&name, move |index| Ok(index.merge(&other, asked.skip_present)?));
    Ok(Json(Merged { added: added.await? }))
}
