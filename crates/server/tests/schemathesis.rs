//! Schemathesis reads the OpenAPI document of the service and sends what it allows, and what it does not: no request is a
//! server error. (It is a program in Python, `schemathesis` of the package index; the test is skipped where it is not
//! installed. `LOOKALIKE_SCHEMATHESIS` is its path, if it is not among the programs of the user.)

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "helpers of tests are tests")]

use axum::body::Body;
use axum::http::Request;
use server::{Options, State, app};
use std::process::Command;
use tower::ServiceExt;

/// Requests of each kind that are tried for each address.
const EXAMPLES: &str = "20";

fn program() -> Option<String> {
    let name = std::env::var("LOOKALIKE_SCHEMATHESIS").unwrap_or_else(|_| "schemathesis".into());
    let said = Command::new(&name).arg("--version").output();
    said.is_ok_and(|said| said.status.success()).then_some(name)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_request_that_the_document_allows_or_refuses_is_a_server_error() {
    let Some(program) = program() else {
        eprintln!("skipped: schemathesis is not installed");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let options = Options::default().with_folder(Some(folder.path().join("collections")));
    let state = State::open(&options).unwrap();
    let service = app(state.clone());
    // Names that it makes up itself are almost never those of a collection.
    for name in ["0", "seen"] {
        let made = Request::put(format!("/v1/collections/{name}")).body(Body::from(r#"{"store": "text"}"#));
        assert_eq!(service.clone().oneshot(made.unwrap()).await.unwrap().status(), 201);
    }
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, service).await });
    let output = tokio::task::spawn_blocking(move || {
        Command::new(program)
            .arg("run")
            .arg(format!("http://{address}/openapi.json"))
            .args(["--checks", "not_a_server_error", "--max-examples", EXAMPLES, "--seed", "1"])
            // It cannot write lines of JSON; the streams of `bulk` have tests of their own.
            .args(["--exclude-path-regex", "bulk$", "--generation-database", "none", "--no-color"])
            .current_dir(folder.path())
            .output()
            .map(|output| (folder, output))
    });
    let (_folder, output) = output.await.unwrap().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    state.close(std::time::Duration::from_secs(10)).ok();
}
