//! Schemathesis reads the OpenAPI document of the service and sends what it allows, and what it does not: no request is a
//! server error. (It is a program in Python, `schemathesis` of the package index; the test is skipped where it is not
//! installed. `LOOKALIKE_SCHEMATHESIS` is its path, if it is not among the programs of the user. `cargo xtask test` installs
//! it.) It asks twice: a service without tokens, and one with them, as somebody who may read only.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "helpers of tests are tests")]

use axum::body::Body;
use axum::http::Request;
use server::{Options, State, Tokens, app};
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
    for is_open in [true, false] {
        ask(program.clone(), is_open).await;
    }
}

/// Asks a service that is open to all, or one with tokens.
async fn ask(program: String, is_open: bool) {
    let folder = tempfile::tempdir().unwrap();
    let (collections, backups) = (folder.path().join("collections"), folder.path().join("backups"));
    let options = Options::default().with_folder(Some(collections)).with_backups(Some(backups));
    let tokens = Tokens { read: vec!["reader".into()], write: vec!["writer".into()] };
    let options = if is_open { options } else { options.with_tokens(tokens) };
    let state = State::open(&options).unwrap();
    let service = app(state.clone());
    // Names that it makes up itself are almost never those of a collection.
    for name in ["0", "seen"] {
        let made = Request::put(format!("/v1/collections/{name}")).header("authorization", "Bearer writer");
        let made = made.body(Body::from(r#"{"store": "text"}"#));
        assert_eq!(service.clone().oneshot(made.unwrap()).await.unwrap().status(), 201);
    }
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, service).await });
    let output = tokio::task::spawn_blocking(move || {
        let mut command = Command::new(program);
        command
            .arg("run")
            .arg(format!("http://{address}/openapi.json"))
            .args(["--checks", "not_a_server_error", "--max-examples", EXAMPLES, "--seed", "1"])
            .args(["--generation-database", "none", "--no-color"]);
        // It cannot write lines of JSON; the streams of `bulk` have tests of their own.
        command.args(["--exclude-path-regex", "bulk$"]);
        if !is_open {
            command.args(["--header", "Authorization: Bearer reader"]);
        }
        command.current_dir(folder.path()).output().map(|output| (folder, output))
    });
    let (_folder, output) = output.await.unwrap().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    state.close(std::time::Duration::from_secs(10)).ok();
}
