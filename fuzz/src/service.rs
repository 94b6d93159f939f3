//! The service without a socket, for the targets that send requests to it.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{Request, StatusCode};
use serde_json::Value;
use server::{Options, State, app};
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::runtime::Runtime;
use tower::ServiceExt;

/// After this many requests, the collection is made anew, so that it stays small.
const MOST_REQUESTS: u64 = 2_000;

/// A service with a collection `seen`.
pub struct Service {
    runtime: Runtime,
    router: Router,
    folder: PathBuf,
    requests: AtomicU64,
}

/// The service of this process.
pub fn service() -> &'static Service {
    static SERVICE: OnceLock<Service> = OnceLock::new();
    SERVICE.get_or_init(Service::new)
}

impl Service {
    fn new() -> Self {
        // In memory, where there is such a folder: writes are synced.
        let shared = Path::new("/dev/shm");
        let parent = if shared.is_dir() { shared.to_owned() } else { std::env::temp_dir() };
        let folder = parent.join(format!("lookalike-fuzz-service-{}", std::process::id()));
        // A process with the same number may have been killed and have left this folder.
        let _ = std::fs::remove_dir_all(&folder);
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().expect("it needs little");
        let options = Options::default()
            .with_folder(Some(folder.join("collections")))
            .with_backups(Some(folder.join("backups")));
        let state = State::open(&options).expect("the folder is ours");
        let service = Self { runtime, router: app(state), folder, requests: AtomicU64::new(0) };
        service.create();
        service
    }

    fn create(&self) {
        let (status, _) =
            self.send("PUT", "/v1/collections/seen", Body::from(r#"{"threshold": 0.5, "store": "text"}"#));
        assert_eq!(status, StatusCode::CREATED);
    }

    /// Makes the collection anew every now and then.
    fn renew(&self) {
        if self.requests.fetch_add(1, Ordering::Relaxed) % MOST_REQUESTS == MOST_REQUESTS - 1 {
            let (status, _) = self.send("DELETE", "/v1/collections/seen", Body::empty());
            assert_eq!(status, StatusCode::OK);
            self.create();
            let _ = std::fs::remove_dir_all(self.folder.join("backups"));
        }
    }

    fn send(&self, method: &str, address: &str, body: Body) -> (StatusCode, Bytes) {
        let request =
            Request::builder().method(method).uri(address).body(body).expect("the address is escaped");
        self.runtime.block_on(async {
            let response = self.router.clone().oneshot(request).await.expect("it has no errors of its own");
            let status = response.status();
            (status, axum::body::to_bytes(response.into_body(), usize::MAX).await.expect("it is in memory"))
        })
    }

    /// Sends a request, and checks that it has an answer that a client can use.
    pub fn ask(&self, method: &str, address: &str, body: Vec<u8>) -> (StatusCode, Value) {
        self.renew();
        let (status, answer) = self.send(method, address, Body::from(body));
        let answer: Value = serde_json::from_slice(&answer).expect("every answer is JSON");
        assert!(!status.is_server_error(), "{status} {answer}");
        if !status.is_success() {
            self.check_problem(&answer, status);
        }
        (status, answer)
    }

    /// Sends a stream of operations in pieces of this size, and returns the answers.
    pub fn bulk(&self, stream: &[u8], size: usize) -> Vec<Value> {
        self.renew();
        let pieces: Vec<Result<Bytes, Infallible>> =
            stream.chunks(size).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
        let body = Body::from_stream(futures_util::stream::iter(pieces));
        let (status, answers) = self.send("POST", "/v1/collections/seen/bulk", body);
        assert_eq!(status, StatusCode::OK);
        let lines = answers.split_inclusive(|&byte| byte == b'\n');
        let answers = lines.map(|line| serde_json::from_slice(line).expect("every answer is JSON"));
        answers.inspect(|answer: &Value| self.check_line(answer)).collect()
    }

    fn check_line(&self, answer: &Value) {
        if let Some(problem) = answer.get("error") {
            let status = problem["status"].as_u64().and_then(|status| u16::try_from(status).ok());
            let status =
                status.and_then(|status| StatusCode::from_u16(status).ok()).expect("it has a status");
            assert!(!status.is_server_error(), "{answer}");
            self.check_problem(problem, status);
        }
    }

    fn check_problem(&self, problem: &Value, status: StatusCode) {
        assert_eq!(problem["status"], status.as_u16());
        assert!(problem["detail"].as_str().is_some_and(|detail| !detail.is_empty()), "{problem}");
        // Nothing about the machine of the service.
        assert!(!problem.to_string().contains("lookalike-fuzz-service"), "{problem}");
    }
}
