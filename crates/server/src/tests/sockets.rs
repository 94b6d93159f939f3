//! The service over a real socket: kept connections, cut bodies, and its end.

use super::service::CAT;
use crate::{Error, Options, Server, State};
use index::ManualClock;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

struct Running {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    task: JoinHandle<Result<(), Error>>,
    folder: tempfile::TempDir,
}

async fn running(change: impl FnOnce(Options) -> Options) -> Running {
    let folder = tempfile::tempdir().unwrap();
    let options = Options::default()
        .with_listen("127.0.0.1:0".parse().unwrap())
        .with_folder(Some(folder.path().join("collections")));
    let server = Server::bind(change(options)).await.unwrap();
    let address = server.address();
    let (stop, stopped) = oneshot::channel();
    let task = tokio::spawn(server.run(async { drop(stopped.await) }));
    Running { address, stop, task, folder }
}

/// Sends one request on a connection of its own, and returns the status and the body.
async fn send(address: SocketAddr, method: &str, path: &str, body: &str) -> Option<(u16, String)> {
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let answer = exchange(address, request.into_bytes()).await?;
    let status = answer.get(9..12)?.parse().ok()?;
    let (_, body) = answer.split_once("\r\n\r\n")?;
    Some((status, body.to_owned()))
}

/// Sends bytes, and returns what comes until the connection is closed.
async fn exchange(address: SocketAddr, sent: Vec<u8>) -> Option<String> {
    let exchange = move || {
        let mut stream = TcpStream::connect(address).ok()?;
        stream.write_all(&sent).ok()?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).ok()?;
        Some(String::from_utf8_lossy(&answer).into_owned())
    };
    tokio::task::spawn_blocking(exchange).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_end_loses_no_acknowledged_write() {
    let server = running(|options| options).await;
    let address = server.address;
    send(address, "PUT", "/v1/collections/seen", "{}").await.unwrap();
    let mut clients = tokio::task::JoinSet::new();
    for client in 0..8 {
        clients.spawn(async move {
            let mut acknowledged = Vec::new();
            for at in 0.. {
                let id = format!("c{client}-{at}");
                let body = json!({"text": format!("{CAT} {id}")}).to_string();
                let path = format!("/v1/collections/seen/documents/{id}");
                match send(address, "PUT", &path, &body).await {
                    Some((201, _)) => acknowledged.push(id),
                    // The service is being stopped.
                    Some((503, _)) | None => break,
                    Some((status, body)) => panic!("{status} {body}"),
                }
            }
            acknowledged
        });
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    server.stop.send(()).unwrap();
    server.task.await.unwrap().unwrap();
    let acknowledged: Vec<String> = clients.join_all().await.concat();
    assert!(!acknowledged.is_empty());
    // The folder is closed: another service can open it.
    let options = Options::default().with_folder(Some(server.folder.path().join("collections")));
    let state = State::open(&options).unwrap();
    let index = state.collections().get("seen").unwrap();
    for id in &acknowledged {
        assert!(index.contains(id).unwrap(), "{id}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kept_connection_does_not_keep_the_service() {
    let server = running(|options| options).await;
    let address = server.address;
    let stream = tokio::task::spawn_blocking(move || {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(b"GET /v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        let mut start = [0; 12];
        stream.read_exact(&mut start).unwrap();
        assert_eq!(&start, b"HTTP/1.1 200");
        stream
    });
    let stream = stream.await.unwrap();
    server.stop.send(()).unwrap();
    server.task.await.unwrap().unwrap();
    drop(stream);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heads_that_do_not_come_and_bodies_that_are_cut_are_forgotten() {
    let server = running(|options| {
        let mut limits = options.limits;
        limits.time = Duration::from_secs(1);
        limits.connections = 2;
        options.with_limits(limits)
    })
    .await;
    let address = server.address;
    // Two connections that say nothing: they are closed, and then there is room for others.
    let idle = [TcpStream::connect(address).unwrap(), TcpStream::connect(address).unwrap()];
    let (status, _) = send(address, "GET", "/v1/health", "").await.unwrap();
    assert_eq!(status, 200);
    drop(idle);
    let head = "PUT /v1/collections/seen HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{\"thre";
    let mut cut = TcpStream::connect(address).unwrap();
    cut.write_all(head.as_bytes()).unwrap();
    drop(cut);
    let answer = exchange(address, b"\x16\x03\x01 this is no HTTP\r\n\r\n".to_vec()).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    let (_, body) = send(address, "GET", "/v1/collections", "").await.unwrap();
    assert_eq!(serde_json::from_str::<Value>(&body).unwrap(), json!({"collections": []}));
    server.stop.send(()).unwrap();
    server.task.await.unwrap().unwrap();
}

/// The only connection is that of a client that asks for much and reads nothing. It is closed, and there is room again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_never_reads_its_answers_is_forgotten() {
    let server = running(|options| {
        let config = index::Config::default().with_store(index::Stored::Text);
        let seen = options.folder.as_ref().unwrap().join("seen");
        let index = index::Index::create(seen, &config, &index::Options::default()).unwrap();
        index.add(&index::Document::new("long", "word ".repeat(1 << 20))).unwrap();
        let mut limits = options.limits;
        limits.time = Duration::from_secs(1);
        limits.connections = 1;
        options.with_limits(limits)
    })
    .await;
    let address = server.address;
    let silent = tokio::task::spawn_blocking(move || {
        let mut stream = TcpStream::connect(address).unwrap();
        // 20 answers of 5 MiB are more than the buffers of two sockets take.
        let ask = format!("GET /v1/collections/seen/documents/long HTTP/1.1\r\nHost: {address}\r\n\r\n");
        stream.write_all(ask.repeat(20).as_bytes()).unwrap();
        stream
    });
    let silent = silent.await.unwrap();
    let (status, _) = send(address, "GET", "/v1/health", "").await.unwrap();
    assert_eq!(status, 200);
    drop(silent);
    server.stop.send(()).unwrap();
    server.task.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_has_expired_is_removed() {
    let clock = Arc::new(ManualClock::at(1_000_000));
    let index = index::Options::default().with_clock(Arc::<ManualClock>::clone(&clock));
    let server =
        running(|options| options.with_index(index).with_expire_every(Duration::from_millis(20))).await;
    let address = server.address;
    send(address, "PUT", "/v1/collections/seen", "{}").await.unwrap();
    let document = json!({"text": CAT, "ttl_seconds": 60}).to_string();
    let (status, _) = send(address, "PUT", "/v1/collections/seen/documents/a", &document).await.unwrap();
    assert_eq!(status, 201);
    clock.set(1_060_001);
    let (status, _) = send(address, "GET", "/v1/collections/seen/documents/a", "").await.unwrap();
    assert_eq!(status, 404);
    loop {
        let (_, body) = send(address, "GET", "/v1/collections/seen/stats", "").await.unwrap();
        if serde_json::from_str::<Value>(&body).unwrap()["documents"] == 0 {
            break;
        }
    }
    server.stop.send(()).unwrap();
    server.task.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_port_that_is_taken_is_an_error() {
    let first = running(|options| options).await;
    let wrong = Server::bind(Options::default().with_listen(first.address)).await.unwrap_err();
    assert!(matches!(wrong, Error::Listen { .. }), "{wrong}");
    assert!(wrong.next().is_some());
}
