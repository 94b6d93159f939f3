//! Many documents removed at once, and copies of a collection.

use super::Problems;
use super::extract::At;
use crate::collections::check_name;
use crate::json::Body;
use crate::model::{Backed, BackupRequest, RemoveRequest, Removed};
use crate::problem::{Problem, Result};
use crate::state::State;
use crate::times;
use axum::Json;
use axum::extract::State as With;
use axum::http::StatusCode;
use index::{Clock, SystemClock};

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
    Body(asked): Body<RemoveRequest>,
) -> Result<Json<Removed>> {
    let most = state.limits().documents;
    let removed = match asked {
        RemoveRequest { ids: Some(ids), filter: None } if ids.len() > most => {
            return Err(Problem::invalid(format!(
                "{} ids are too many; at most {most} are allowed",
                ids.len()
            ))
            .advise("send several requests, or use `bulk`"));
        }
        RemoveRequest { ids: Some(ids), filter: None } => {
            state.with_index(&name, move |index| Ok(index.remove(&ids)?)).await?
        }
        RemoveRequest { ids: None, filter: Some(filter) } => {
            state.with_index(&name, move |index| Ok(index.remove_where(&filter)?)).await?
        }
        _ => return Err(Problem::invalid("exactly one of `ids` and `where` is needed")),
    };
    Ok(Json(Removed { removed }))
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
