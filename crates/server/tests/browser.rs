//! The page in a real browser, where there is one.
//!
//! The script of the page is served with a second one behind it, which does what a person would do and writes what it
//! saw into the page. So the security policy of the page is the real one.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "helpers of tests are tests")]

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::header;
use axum::routing::get;
use server::{Options, State, app};
use std::net::SocketAddr;
use std::process::Command;
use tower::ServiceExt;

const PERSON: &str = include_str!("person.js");

/// What Chromium makes of a page: the document after all scripts ran.
fn in_chromium(url: &str) -> Option<String> {
    let name = ["chromium", "chromium-browser", "google-chrome"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok_and(|said| said.status.success()))?;
    let profile = tempfile::tempdir().unwrap();
    let output = Command::new(name)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=60000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(url)
        .output()
        .unwrap();
    let dom = String::from_utf8_lossy(&output.stdout).into_owned();
    // A browser that does not start in this environment shows nothing.
    (!dom.is_empty()).then_some(dom)
}

/// Serves the page with the person behind its script, and returns the address.
async fn serve(state: State) -> SocketAddr {
    let service = app(state);
    let inner = service.clone();
    let script = get(move || async move {
        let request = Request::get("/page.js").body(Body::empty()).unwrap();
        let response = inner.oneshot(request).await.unwrap();
        let script = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap();
        let script = format!("{}\n{PERSON}", String::from_utf8_lossy(&script));
        ([(header::CONTENT_TYPE, "text/javascript")], script)
    });
    let router = Router::new().route("/page.js", script).fallback_service(service);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_clicks_through_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options::default().with_folder(Some(folder.path().join("collections")));
    let state = State::open(&options).unwrap();
    let request = Request::put("/v1/collections/seen").body(Body::from(r#"{"store": "text"}"#)).unwrap();
    assert_eq!(app(state.clone()).oneshot(request).await.unwrap().status(), 201);
    let address = serve(state.clone()).await;
    let dom = tokio::task::spawn_blocking(move || in_chromium(&format!("http://{address}/"))).await.unwrap();
    state.close(std::time::Duration::from_secs(10)).ok();
    let Some(dom) = dom else {
        eprintln!("skipped: no Chromium that starts");
        return;
    };
    let seen = dom.split("<p id=\"seen\">").nth(1).and_then(|rest| rest.split("</p>").next());
    assert_eq!(seen, Some("all done"), "{}", &dom[dom.len().saturating_sub(3_000)..]);
    // What was typed is text.
    assert!(!dom.contains("<img") && !dom.contains("<b>bold"), "{dom}");
}
