//! Many documents removed at once, and copies of a collection.

use super::Problems;
use super::extract::At;
use crate::collections::check_name;
use crate::json::Body;
use crate::model::{Backed, BackupRequest, RemoveRequest, Removed};
use crate::problem::{Problem, Result};
use crate::repeats::applied;
use crate::state::State;
use crate::times;
use axum::extract::State as With;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use index::{Change, Changed, Clock, SystemClock, Ticket};

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
        let path = folder.join(&backup);
        if path.exists() {
            let detail = format!("there is a backup `{backup}` already");
            return Err(
                Problem::new(StatusCode::CONFLICT, "backup-exists", detail).advise("choose another name")
            );
        }
        index.backup(path)?;
        Ok((StatusCode::CREATED, Json(Backed { name: backup })))
    });
    answer.await
}
