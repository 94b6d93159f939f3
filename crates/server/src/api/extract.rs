//! Parts of an address, with problems that say what is wrong with them.

use crate::json;
use crate::problem::{Problem, Result};
use axum::extract::{FromRequestParts, Path, Query};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

/// Parts of the path.
#[derive(Debug)]
pub(super) struct At<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for At<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let Path(path) = Path::<T>::from_request_parts(parts, state).await.map_err(|wrong| {
            Problem::malformed(format!("the address cannot be read: {}", wrong.body_text()))
        })?;
        Ok(Self(path))
    }
}

/// Fields of the query string. All must be known.
#[derive(Debug)]
pub(super) struct Fields<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Fields<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self> {
        let wrong = |wrong: axum::extract::rejection::QueryRejection| Problem::malformed(wrong.body_text());
        let Query(pairs) = Query::<Vec<(String, String)>>::try_from_uri(&parts.uri).map_err(wrong)?;
        let names = pairs.iter().map(|(name, _)| name.as_str());
        json::check_names::<T>("parameter", names)?;
        let Query(fields) = Query::<T>::try_from_uri(&parts.uri).map_err(wrong)?;
        Ok(Self(fields))
    }
}
