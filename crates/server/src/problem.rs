//! What went wrong, as an answer: a problem document (RFC 9457) with a status, a reason and, if there is any, advice.
//!
//! An error that is about the machine of the service (a disk, a path) is written to the log in full. The answer says
//! only what a client can act on.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use std::borrow::Cow;
use utoipa::ToSchema;

/// The media type of a problem document.
pub(crate) const MEDIA_TYPE: &str = "application/problem+json";

/// How long a client should wait before it asks again, in seconds, if the service is busy.
const RETRY_AFTER: u64 = 1;

/// What is wrong with a request, or with the service.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct Problem {
    /// The kind of problem: `/problems/` and a name that does not change.
    #[serde(rename = "type")]
    #[schema(example = "/problems/unknown-collection")]
    kind: Cow<'static, str>,
    /// The kind of problem in words.
    #[schema(example = "unknown collection")]
    title: Cow<'static, str>,
    /// The status of the answer.
    #[schema(minimum = 400, maximum = 599)]
    status: u16,
    /// What is wrong this time.
    #[schema(example = "there is no collection `sene`; the nearest name is `seen`")]
    detail: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Cow<'static, str>>,
    #[serde(skip)]
    retry: bool,
}

/// The result of what is asked of the service.
pub(crate) type Result<T> = std::result::Result<T, Problem>;

impl Problem {
    /// A problem of a kind. Its name is written with hyphens.
    pub(crate) fn new(status: StatusCode, name: &'static str, detail: impl Into<String>) -> Self {
        Self {
            kind: format!("/problems/{name}").into(),
            title: name.replace('-', " ").into(),
            status: status.as_u16(),
            detail: detail.into(),
            next: None,
            retry: false,
        }
    }

    /// The problem with advice.
    #[must_use]
    pub(crate) fn advise(mut self, next: impl Into<Cow<'static, str>>) -> Self {
        self.next = Some(next.into());
        self
    }

    /// The problem with the header `Retry-After`.
    #[must_use]
    pub(crate) fn retry(mut self) -> Self {
        self.retry = true;
        self
    }

    /// The body cannot be read as what it should be.
    pub(crate) fn malformed(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "malformed-request", detail)
    }

    /// The request can be read, but asks for something that is not allowed.
    pub(crate) fn invalid(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid-request", detail)
    }

    /// Something is larger than its limit.
    pub(crate) fn too_large(what: &str, limit: usize) -> Self {
        let detail = format!("{what} is larger than {limit} bytes");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", detail)
            .advise("send less, or ask the operator to raise the limit")
    }

    /// More is asked for at once than the service takes.
    pub(crate) fn too_many(limit: usize) -> Self {
        let detail = format!("the service works on {limit} requests already");
        Self::new(StatusCode::TOO_MANY_REQUESTS, "too-many-requests", detail)
            .advise("ask again later")
            .retry()
    }

    /// The service ends.
    pub(crate) fn stopping() -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "stopping", "the service is being stopped").retry()
    }

    /// The time is over. What was begun may still be done.
    pub(crate) fn timed_out(seconds: u64) -> Self {
        let detail =
            format!("there was no answer after {seconds} seconds; a write may have been done all the same");
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "timed-out", detail)
            .advise("ask again; with an Idempotency-Key, a write that was done is not done twice")
            .retry()
    }

    /// A fault of the service itself.
    pub(crate) fn internal(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal-error", detail)
    }

    /// No document has this id.
    pub(crate) fn no_document(id: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "unknown-document", format!("no document has the id {}", shown(id)))
    }

    /// The status of the answer.
    pub(crate) fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

/// A name from a request as it is shown in a problem: at most 100 characters, in backticks.
pub(crate) fn shown(name: &str) -> String {
    let mut start: String = name.chars().take(100).collect();
    if start.len() < name.len() {
        start.push('…');
    }
    format!("`{start}`")
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let (status, retry) = (self.status(), self.retry);
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let mut response = (status, [(header::CONTENT_TYPE, MEDIA_TYPE)], body).into_response();
        if retry {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(RETRY_AFTER));
        }
        if status == StatusCode::UNAUTHORIZED {
            let asked = HeaderValue::from_static("Bearer realm=\"lookalike\"");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, asked);
        }
        response
    }
}

impl From<index::Error> for Problem {
    fn from(error: index::Error) -> Self {
        use index::Error::{
            Contradiction, Damaged, DifferentKeys, DuplicateId, Exists, ExpiresInThePast, Failed, Foreign,
            Id, InUse, Lanes, Lost, MetadataSize, Newer, NoDocument, NoIndex, NotStored, ReadOnly, Settings,
            Threshold, Unsuitable, WouldLose, Zero,
        };
        let (status, name) = match &error {
            NoDocument { id } => return Self::no_document(id),
            DuplicateId { id } => {
                let detail = format!("there is a document with the id {} already", shown(id));
                return Self::new(StatusCode::CONFLICT, "duplicate-id", detail)
                    .advise("set `update` to true to replace that document");
            }
            Contradiction { .. } | DifferentKeys => (StatusCode::CONFLICT, "contradiction"),
            Unsuitable { .. } | Settings(_) => (StatusCode::UNPROCESSABLE_ENTITY, "unsuitable-setting"),
            Id { .. } | MetadataSize { .. } | ExpiresInThePast { .. } | Threshold { .. } | Zero { .. } => {
                (StatusCode::UNPROCESSABLE_ENTITY, "invalid-request")
            }
            Lanes { .. } => (StatusCode::UNPROCESSABLE_ENTITY, "foreign-signature"),
            NotStored { .. } => (StatusCode::UNPROCESSABLE_ENTITY, "not-stored"),
            // The messages of these have a path of the machine, or what its disk says.
            NoIndex { .. } | Foreign { .. } | Exists { .. } => {
                return broken(
                    &error,
                    StatusCode::CONFLICT,
                    "folder-not-usable",
                    "its folder cannot be used",
                );
            }
            Lost { .. } => return unavailable(&error, "the collection has lost writes and is read only"),
            ReadOnly { .. } => {
                return unavailable(&error, "the files of the collection cannot be written to");
            }
            Failed { .. } => {
                return unavailable(&error, "an earlier write failed, and the collection is read only");
            }
            Damaged { .. } | WouldLose { .. } => return unavailable(&error, "the collection is damaged"),
            InUse { .. } | Newer { .. } => return unavailable(&error, "the collection cannot be opened"),
            _ => return unavailable(&error, "the collection cannot be read or written"),
        };
        let problem = Self::new(status, name, error.to_string());
        match error.next() {
            Some(next) => problem.advise(next),
            None => problem,
        }
    }
}

fn unavailable(error: &index::Error, detail: &str) -> Problem {
    broken(error, StatusCode::SERVICE_UNAVAILABLE, "collection-unavailable", detail)
}

fn broken(error: &index::Error, status: StatusCode, name: &'static str, detail: &str) -> Problem {
    tracing::error!(%error, next = error.next(), "{detail}");
    Problem::new(status, name, detail).advise("ask the operator: the log of the service has the details")
}
