//! Requests and lines that were changed at random: each has an answer, and none is a fault of the service.
//!
//! They begin with the seeds of the fuzz targets.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::http::{Method, Request, StatusCode};
use lookalike::hashing::SplitMix64;
use serde_json::Value;
use server::{Options, State, app};
use std::convert::Infallible;
use std::path::PathBuf;
use tower::ServiceExt;

/// Rounds of a run of the tests; `LOOKALIKE_TORTURE_ROUNDS` says another number.
const ROUNDS: u64 = 300;

/// After this many rounds the collection is made anew, so that it stays small.
const MOST: u64 = 1_000;

/// What breaks parsers, and what the requests are made of.
const PIECES: [&[u8]; 20] = [
    b"null",
    b"{}",
    b"[]",
    b"\"",
    b"\\ud800",
    b"\\u0000",
    b"1e999",
    b"-1",
    b"0",
    b"18446744073709551616",
    b"true",
    b"\xff",
    b"\n",
    b"{\"op\":\"check\"}",
    b"\"id\":",
    b"\"text\":",
    b"\"add\":true",
    b"\"lanes\":[1]",
    b",",
    b"}",
];

/// A service with a collection `seen`, without a socket.
struct Service {
    router: Router,
    _folder: tempfile::TempDir,
}

impl Service {
    async fn with_seen() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options = Options::default()
            .with_folder(Some(folder.path().join("collections")))
            .with_backups(Some(folder.path().join("backups")));
        let service = Self { router: app(State::open(&options).unwrap()), _folder: folder };
        let create =
            Request::put("/v1/collections/seen").body(Body::from(r#"{"threshold": 0.5, "store": "text"}"#));
        assert_eq!(service.send(create.unwrap()).await.0, 201);
        service
    }

    async fn send(&self, request: Request<Body>) -> (StatusCode, String) {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let status = response.status();
        let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        (status, String::from_utf8(body.to_vec()).unwrap())
    }
}

fn seeds(target: &str) -> Vec<Vec<u8>> {
    let folder: PathBuf = [env!("CARGO_MANIFEST_DIR"), "../../fuzz/seeds", target].iter().collect();
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    files.iter().map(|file| std::fs::read(file).unwrap()).collect()
}

fn rounds() -> u64 {
    let rounds = std::env::var("LOOKALIKE_TORTURE_ROUNDS").ok().and_then(|rounds| rounds.parse().ok());
    rounds.unwrap_or(ROUNDS)
}

fn change(seed: &[u8], random: &mut SplitMix64) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..random.below(4) {
        let at = random.below(bytes.len() as u64 + 1) as usize;
        let end = (at + random.below(12) as usize).min(bytes.len());
        match random.below(5) {
            0 => bytes.truncate(at),
            1 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            2 => drop(bytes.drain(at..end)),
            3 => bytes.extend_from_within(at..end),
            _ => drop(
                bytes.splice(at..end, PIECES[random.below(PIECES.len() as u64) as usize].iter().copied()),
            ),
        }
    }
    bytes
}

fn check_problem(problem: &Value, what: &str) {
    let status = problem["status"].as_u64().unwrap();
    assert!((400..500).contains(&status), "{problem} for {what}");
    assert!(problem["detail"].as_str().is_some_and(|detail| !detail.is_empty()), "{problem} for {what}");
    assert!(!problem.to_string().contains("/collections/seen/store"), "{problem}");
}

#[tokio::test]
async fn requests_that_were_changed_at_random_are_answered() {
    let seeds = seeds("service_request");
    let mut random = SplitMix64::new(14);
    let mut service = Service::with_seen().await;
    let (mut done, mut refused) = (0, 0);
    for round in 0..rounds() {
        if round % MOST == MOST - 1 {
            service = Service::with_seen().await;
        }
        let seed = &seeds[random.below(seeds.len() as u64) as usize];
        let input = change(seed, &mut random);
        let Some((choice, body)) = input.split_first() else { continue };
        let (method, address) = match choice % 8 {
            0 => (Method::PUT, "/documents/a".to_owned()),
            1 => (Method::POST, "/check".into()),
            2 => (Method::POST, "/query".into()),
            3 => (Method::POST, "/compare".into()),
            4 => (Method::POST, "/remove".into()),
            5 => (Method::POST, "/backup".into()),
            6 => (Method::PUT, String::new()),
            _ => {
                let id: String = body.iter().take(2_000).map(|byte| format!("%{byte:02X}")).collect();
                let is_filter = random.below(2) == 0;
                (
                    Method::GET,
                    if is_filter { format!("/documents?where={id}") } else { format!("/documents/{id}") },
                )
            }
        };
        let request = Request::builder().method(method).uri(format!("/v1/collections/seen{address}"));
        let (status, answer) = service.send(request.body(Body::from(body.to_vec())).unwrap()).await;
        let what = format!("{address} {}", String::from_utf8_lossy(body));
        assert!(!status.is_server_error(), "{status} {answer} for {what}");
        let answer: Value = serde_json::from_str(&answer).unwrap();
        if status.is_success() {
            done += 1;
        } else {
            check_problem(&answer, &what);
            refused += 1;
        }
    }
    assert!(done > 0 && refused > 0, "{done} done, {refused} refused");
}

#[tokio::test]
async fn lines_that_were_changed_at_random_have_one_answer_each() {
    let seeds = seeds("service_bulk");
    let mut random = SplitMix64::new(15);
    let mut service = Service::with_seen().await;
    for round in 0..rounds() / 3 {
        if round % MOST == MOST - 1 {
            service = Service::with_seen().await;
        }
        let seed = &seeds[random.below(seeds.len() as u64) as usize];
        let input = change(seed, &mut random);
        let Some((size, stream)) = input.split_first() else { continue };
        let lines = stream.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).count();
        let pieces: Vec<Result<Bytes, Infallible>> =
            stream.chunks(usize::from(*size) + 1).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
        let body = Body::from_stream(futures_util::stream::iter(pieces));
        let request = Request::post("/v1/collections/seen/bulk").body(body).unwrap();
        let (status, answer) = service.send(request).await;
        let what = String::from_utf8_lossy(stream).into_owned();
        assert_eq!(status, 200, "{answer} for {what}");
        let answers: Vec<Value> = answer.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(answers.len(), lines, "{what}");
        for problem in answers.iter().filter_map(|answer| answer.get("error")) {
            check_problem(problem, &what);
        }
    }
}
