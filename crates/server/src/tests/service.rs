//! A service in a temporary folder, and requests to it.

use crate::{Limits, Options, State, Tokens, app};
use axum::Router;
use axum::body::Body;
use axum::http::{Method, Request, StatusCode, header};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;

/// A text that has enough words.
pub(super) const CAT: &str = "A cat sat on the mat in the hall of the old house and watched the rain come down all day long until night.";

/// A service without a socket.
pub(super) struct Service {
    pub(super) state: State,
    router: Router,
    // The indexes are closed before their folder is removed.
    pub(super) folder: tempfile::TempDir,
}

/// An answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: axum::http::HeaderMap,
    pub(super) body: Vec<u8>,
}

impl Answer {
    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("{}", self.text()))
    }

    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(super) fn lines(&self) -> Vec<Value> {
        self.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Checks that it is a problem document with this status, and returns its detail and its advice.
    #[track_caller]
    pub(super) fn problem(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{}", self.text());
        assert_eq!(self.headers[header::CONTENT_TYPE], "application/problem+json");
        let problem = self.json();
        assert_eq!(problem["status"], status);
        assert!(problem["type"].as_str().unwrap().starts_with("/problems/"));
        assert!(!problem["title"].as_str().unwrap().is_empty());
        let retry = matches!(status, 429);
        assert!(!retry || self.headers.contains_key(header::RETRY_AFTER));
        format!("{} {}", problem["detail"].as_str().unwrap(), problem["next"].as_str().unwrap_or_default())
    }

    /// Checks that it is a success.
    #[track_caller]
    pub(super) fn ok(self) -> Value {
        assert!(self.status.is_success(), "{} {}", self.status, self.text());
        self.json()
    }
}

impl Service {
    pub(super) fn new() -> Self {
        Self::with(|options| options)
    }

    pub(super) fn with_limits(change: impl FnOnce(&mut Limits)) -> Self {
        Self::with(|options| {
            let mut limits = options.limits;
            change(&mut limits);
            options.with_limits(limits)
        })
    }

    pub(super) fn with_tokens() -> Self {
        let tokens = Tokens { read: vec!["reader".into()], write: vec!["writer".into()] };
        Self::with(|options| options.with_tokens(tokens))
    }

    pub(super) fn with(change: impl FnOnce(Options) -> Options) -> Self {
        Self::in_folder(tempfile::tempdir().unwrap(), change)
    }

    fn in_folder(folder: tempfile::TempDir, change: impl FnOnce(Options) -> Options) -> Self {
        let options = Options::default()
            .with_folder(Some(folder.path().join("collections")))
            .with_backups(Some(folder.path().join("backups")));
        let state = State::open(&change(options)).unwrap();
        Self { folder, router: app(state.clone()), state }
    }

    /// Another service with the same collections. Nothing in memory is left of this one.
    pub(super) fn restarted(self) -> Self {
        self.state.close(std::time::Duration::from_secs(60)).unwrap();
        let Self { state, router, folder } = self;
        drop((state, router));
        Self::in_folder(folder, |options| options)
    }

    /// A service with a collection `seen` that stores texts.
    pub(super) async fn with_seen() -> Self {
        let service = Self::new();
        service.put("/v1/collections/seen", json!({"threshold": 0.5, "store": "text"})).await.ok();
        service
    }

    pub(super) async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (head, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes().to_vec();
        Answer { status: head.status, headers: head.headers, body }
    }

    pub(super) async fn ask(&self, method: Method, uri: &str, body: impl Into<Body>) -> Answer {
        self.send(Request::builder().method(method).uri(uri).body(body.into()).unwrap()).await
    }

    pub(super) async fn get(&self, uri: &str) -> Answer {
        self.ask(Method::GET, uri, Body::empty()).await
    }

    pub(super) async fn delete(&self, uri: &str) -> Answer {
        self.ask(Method::DELETE, uri, Body::empty()).await
    }

    pub(super) async fn put(&self, uri: &str, body: Value) -> Answer {
        self.ask(Method::PUT, uri, body.to_string()).await
    }

    pub(super) async fn post(&self, uri: &str, body: Value) -> Answer {
        self.ask(Method::POST, uri, body.to_string()).await
    }

    /// Sends with a token.
    pub(super) async fn as_user(&self, token: &str, method: Method, uri: &str, body: Value) -> Answer {
        let request = Request::builder().method(method).uri(uri);
        let request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        self.send(request.body(Body::from(body.to_string())).unwrap()).await
    }
}
