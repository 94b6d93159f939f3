//! The body of a request: checked for its type, read up to a limit, and then typed.

use super::{object, typed};
use crate::problem::{Problem, Result, shown};
use crate::state::State;
use axum::body::Body as Bytestream;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, StatusCode, header};
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::DeserializeOwned;

/// A JSON body of a type.
#[derive(Debug)]
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<State> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &State) -> Result<Self> {
        check_type(request.headers())?;
        let bytes = read(request.into_body(), state.limits().body).await?;
        // Without a body, all fields have their defaults.
        let fields = if bytes.is_empty() { super::Object::new() } else { object(&bytes)? };
        typed(fields).map(Self)
    }
}

/// Refuses a body that says it is no JSON, or that it is compressed. A body without a type is taken, and so is one with
/// the type that `curl --data` sends.
pub(crate) fn check_type(headers: &HeaderMap) -> Result<()> {
    let unsupported =
        |detail: String| Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported-media-type", detail);
    if let Some(encoding) = headers.get(header::CONTENT_ENCODING)
        && encoding != "identity"
    {
        return Err(unsupported("a body must not be compressed".into()).advise("leave out Content-Encoding"));
    }
    let Some(kind) = headers.get(header::CONTENT_TYPE) else { return Ok(()) };
    let kind = kind.to_str().unwrap_or("?");
    let essence = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_known = matches!(
        essence.as_str(),
        "application/json"
            | "application/x-ndjson"
            | "application/ndjson"
            | "application/jsonl"
            | "application/x-www-form-urlencoded"
    );
    if is_known || (essence.starts_with("application/") && essence.ends_with("+json")) {
        return Ok(());
    }
    let detail = format!("a body of the type {} is not taken", shown(kind));
    Err(unsupported(detail).advise("send JSON, with `Content-Type: application/json`"))
}

/// The whole body, up to a limit.
pub(crate) async fn read(body: Bytestream, limit: usize) -> Result<Bytes> {
    match Limited::new(body, limit).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(Problem::too_large("the body", limit)),
        Err(error) => Err(Problem::malformed(format!("the body was cut short: {error}"))),
    }
}
