//! Is the service there, is it ready, and what has it done?

use super::Problems;
use crate::model::{Health, Ready};
use crate::problem::{Problem, Result};
use crate::state::State;
use axum::Json;
use axum::extract::State as With;
use axum::http::header;
use axum::response::IntoResponse;

/// The service is there.
#[utoipa::path(get, path = "/v1/health", tag = "service", responses((status = 200, body = Health)))]
pub(super) async fn health() -> Json<Health> {
    Json(Health { status: "ok", version: env!("CARGO_PKG_VERSION") })
}

/// The service takes requests. It does not any more while it is being stopped. Collections that are read only are counted:
/// they answer questions, and writes to them are refused.
#[utoipa::path(
    get,
    path = "/v1/ready",
    tag = "service",
    responses(
        (status = 200, body = Ready),
        (status = 503, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn ready(With(state): With<State>) -> Result<Json<Ready>> {
    if state.is_stopping() {
        return Err(Problem::stopping());
    }
    let Json(Health { status, version }) = health().await;
    let read_only = state.collections().all().iter().filter(|(_, index)| index.is_read_only()).count();
    Ok(Json(Ready { status, version, read_only }))
}

/// Numbers about the service and its collections, as Prometheus reads them.
#[utoipa::path(
    get,
    path = "/metrics",
    tag = "service",
    responses((status = 200, body = String, content_type = "application/openmetrics-text"), Problems)
)]
pub(super) async fn metrics(With(state): With<State>) -> Result<impl IntoResponse> {
    let text = state
        .blocking(|state| {
            let stats = |(name, index): (String, std::sync::Arc<index::Index>)| Ok((name, index.stats()?));
            let all = state.collections().all().into_iter().map(stats).collect::<Result<Vec<_>>>()?;
            Ok(state.metrics().text(&all))
        })
        .await?;
    Ok(([(header::CONTENT_TYPE, "application/openmetrics-text; version=1.0.0; charset=utf-8")], text))
}
