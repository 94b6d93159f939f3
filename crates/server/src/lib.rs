//! An HTTP service over indexes that stay, with a page for people.
//!
//! ```text
//! GET    /  /docs  /openapi.json  /metrics  /v1/health  /v1/ready
//! GET    /v1/collections          PUT GET DELETE /v1/collections/{name}          GET .../{name}/stats
//! PUT GET DELETE /v1/collections/{name}/documents/{id}        GET .../documents?after=ID&limit=N&where=...
//! POST   /v1/collections/{name}/query | check | compare | bulk | remove | backup
//! ```
//!
//! [`app`] is the service as a value that takes requests, for tests and for those who have a server. [`serve`] listens
//! on an address until it is told to stop. `docs/service.md` is for those who run it.
//!
//! ```
//! # let folder = tempfile::tempdir()?;
//! use axum::body::Body;
//! use axum::http::Request;
//! use server::{Options, State, app};
//! use tower::ServiceExt;
//!
//! # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
//! let state = State::open(&Options::default().with_folder(Some(folder.path().join("collections"))))?;
//! let ask = Request::put("/v1/collections/seen").body(Body::from(r#"{"threshold": 0.7}"#))?;
//! let answer = app(state.clone()).oneshot(ask).await?;
//! assert_eq!(answer.status(), 201);
//! # Ok::<(), Box<dyn std::error::Error>>(()) })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How it works
//!
//! - Calls of an index block. They run on threads that may block, and a request holds a permit until its call is done.
//!   One request more than there are permits is answered with 429.
//! - A write is answered when it is on disk. Writers that wait share one sync, and so do the lines of `bulk`.
//! - Errors are problem documents (RFC 9457). They say what is wrong and, where there is any, what to do.
//! - Logs have the routes of requests, and never their texts, ids or tokens.
//! - When the service is stopped, it takes no new requests, finishes those that it has, and closes the indexes.

mod access;
mod api;
mod collections;
mod connection;
mod error;
mod guard;
mod json;
mod logs;
mod metrics;
mod model;
mod options;
mod page;
mod problem;
mod repeats;
mod serve;
mod state;
#[cfg(test)]
mod tests;
mod times;

pub use api::app;
pub use error::Error;
pub use logs::{LogFormat, write_logs};
pub use options::{Limits, Options, Tokens};
pub use serve::{Server, serve};
pub use state::State;
