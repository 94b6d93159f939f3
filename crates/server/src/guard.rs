//! What happens to every request before and after its own work.
//!
//! ```text
//! watch   a request id, the log, the metrics, the headers that keep a browser careful
//!   enter   another site? who is it? too many requests? too slow?
//!     the work
//! ```

use crate::access::{Access, check_site};
use crate::problem::{Problem, Result};
use crate::state::State;
use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use tokio::sync::OwnedSemaphorePermit;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The permission to work on a request, shared with the work that it began.
pub(crate) type Permit = Option<Arc<OwnedSemaphorePermit>>;

tokio::task_local! {
    /// The permission to work on the request of this task. Work on another thread keeps it until it is done, so that
    /// clients that do not wait for their answers cannot begin more than the limit allows.
    pub(crate) static PERMIT: Permit;
}

/// The permission of the request of this task, to be shared.
pub(crate) fn permit() -> Permit {
    PERMIT.try_with(Clone::clone).unwrap_or_default()
}

/// Gives a request its id, and writes the log and the metrics.
pub(crate) async fn watch(
    axum::extract::State(state): axum::extract::State<State>,
    request: Request,
    next: Next,
) -> Response {
    let began = Instant::now();
    let id = request_id(request.headers());
    let method = request.method().clone();
    // The route, and not the address: addresses have the ids of documents.
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str).to_owned();
    let watched = state.metrics().begin();
    let mut response = next.run(request).await;
    drop(watched);
    let status = response.status().as_u16();
    let time = began.elapsed();
    state.metrics().end(&method, &route, status, time);
    let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    if status >= 500 {
        tracing::warn!(request = %id, %method, route, status, micros, "request");
    } else {
        tracing::info!(request = %id, %method, route, status, micros, "request");
    }
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::from_str(&id) {
        headers.insert(REQUEST_ID, id);
    }
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    if !headers.contains_key(header::CONTENT_SECURITY_POLICY) {
        let nothing = HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");
        headers.insert(header::CONTENT_SECURITY_POLICY, nothing);
    }
    if !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

/// The id that a client gave to its request, or a new one.
fn request_id(headers: &HeaderMap) -> String {
    static START: OnceLock<u64> = OnceLock::new();
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let is_usable =
        |id: &&str| (1..=64).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic());
    if let Some(id) = headers.get(REQUEST_ID).and_then(|id| id.to_str().ok()).filter(is_usable) {
        return id.to_owned();
    }
    // Ids of two runs of the service differ.
    let start = START.get_or_init(|| {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or_default()
    });
    format!("{start:x}-{:x}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Requests that take as long as the collection is large.
const LONG: [&str; 7] = ["/bulk", "/export", "/backup", "/compact", "/verify", "/expire", "/merge"];

/// Lets a request in, or refuses it. Its work must be done within the time limit, except for streams and for what concerns a
/// whole collection.
pub(crate) async fn enter(
    axum::extract::State(state): axum::extract::State<State>,
    mut request: Request,
    next: Next,
) -> Response {
    let admitted = admit(&state, &request);
    let (access, permit) = match admitted {
        Ok(admitted) => admitted,
        Err(problem) => return problem.into_response(),
    };
    request.extensions_mut().insert(access);
    let route = request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str);
    let is_long = LONG.iter().any(|end| route.ends_with(end));
    let work = PERMIT.scope(permit, next.run(request));
    if is_long {
        return work.await;
    }
    let limit = state.limits().time;
    match tokio::time::timeout(limit, work).await {
        Ok(response) => response,
        Err(_) => Problem::timed_out(limit.as_secs()).into_response(),
    }
}

fn admit(state: &State, request: &Request) -> Result<(Access, Permit)> {
    check_site(state, request.headers())?;
    let access = state.keys().access(request.headers())?;
    let route = request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str);
    access.require(needed(request.method(), route))?;
    let permit = state.permit()?;
    Ok((access, Some(Arc::new(permit))))
}

/// What a client must be allowed to do, at least. `check` and `bulk` look again, because it depends on what is asked.
fn needed(method: &Method, route: &str) -> Access {
    let reads = ["/query", "/compare", "/check", "/bulk", "/verify"];
    match *method {
        Method::GET | Method::HEAD => Access::Read,
        Method::POST if reads.iter().any(|end| route.ends_with(end)) => Access::Read,
        _ => Access::Write,
    }
}
