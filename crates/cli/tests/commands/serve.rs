//! `lookalike serve`: it says where it is, answers, and ends in order.

use super::lookalike::Folder;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// A service that is killed when the test is over.
struct Service {
    child: Child,
    address: String,
    /// Kept open, so that the log has a place to go.
    log: BufReader<std::process::ChildStderr>,
}

impl Service {
    fn start(folder: &Folder, arguments: &str) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_lookalike"))
            .args(arguments.split_whitespace())
            .current_dir(folder.path("."))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        log.read_line(&mut line).unwrap();
        let (_, after) = line.split_once("http://").unwrap_or_else(|| panic!("{line}"));
        let address = after.split(';').next().unwrap().to_owned();
        Self { child, address, log }
    }

    /// Ends the service, and returns its log.
    fn log(mut self) -> String {
        self.child.kill().unwrap();
        let mut log = String::new();
        self.log.read_to_string(&mut log).unwrap();
        log
    }

    /// Sends a request, and returns the whole answer.
    fn ask(&self, head: &str, body: &str) -> String {
        self.ask_with("", head, body)
    }

    /// The same with more header lines.
    fn ask_with(&self, lines: &str, head: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let length = body.len();
        write!(
            stream,
            "{head} HTTP/1.1\r\nHost: localhost\r\n{lines}Connection: close\r\nContent-Length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn what_was_answered_is_there_after_the_service_was_stopped() {
    let folder = Folder::new();
    assert_eq!(folder.run("index create seen --store text").code, 0);
    let mut service = Service::start(&folder, "serve seen --listen 127.0.0.1:0");
    let text = "the quick brown fox jumps over the lazy dog and runs away";
    let check = |id: &str| {
        let body = format!("{{\"id\": \"{id}\", \"text\": \"{text}\", \"add\": true}}");
        service.ask("POST /v1/collections/seen/check", &body)
    };
    assert!(check("one").contains("\"new\":true"));
    let again = check("two");
    assert!(again.contains("\"new\":false") && again.contains("\"id\":\"one\""), "{again}");
    assert!(service.ask("GET /", "").contains("<!DOCTYPE html>"));
    // The index is in use, and the message says by whom.
    let refused = folder.run("index stats seen");
    assert_eq!(refused.code, 4);
    assert!(refused.stderr.contains(&format!("in use by process {}", service.child.id())), "{refused}");
    let number = service.child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &number]).status().unwrap().success());
    assert_eq!(service.child.wait().unwrap().code(), Some(0));
    let kept = folder.run("index get seen one");
    assert!(kept.stdout.contains(text), "{kept}");
}

/// Whoever reads the log learns what was done, and nothing of what documents say or who may do what.
#[test]
fn the_log_has_no_texts_ids_or_tokens() {
    const SECRETS: [&str; 5] = ["secrettext", "secretid", "secretmeta", "secrettoken", "secretwithin"];
    for format in ["", "--json-log"] {
        let folder = Folder::new().with("tokens.txt", "secrettoken\n");
        assert_eq!(folder.run("index create seen --store text").code, 0);
        let service = Service::start(
            &folder,
            &format!("serve seen --listen 127.0.0.1:0 --write-tokens tokens.txt {format}"),
        );
        let ask = |head: &str, body: &str| {
            let lines = "Authorization: Bearer secrettoken\r\nX-Request-Id: mine-7\r\n";
            service.ask_with(lines, head, body)
        };
        let document = r#"{"text": "secrettext of some words", "within": "secretwithin", "metadata": {"a": "secretmeta"}}"#;
        let at = "/v1/collections/seen/documents";
        assert!(ask(&format!("PUT {at}/secretid"), document).contains("201 Created"));
        // What fails is not written out either.
        for (head, body, status) in [
            (format!("PUT {at}/secretid"), document, "409 Conflict"),
            (format!("PUT {at}/secretid2"), r#"{"text": "secrettext", "secretid": 1}"#, "422 "),
            (format!("PUT {at}/secretid3"), r#"{"text": "secrettext"#, "400 "),
            (format!("GET {at}/secretid4"), "", "404 "),
            (
                "POST /v1/collections/seen/bulk".into(),
                r#"{"op": "add", "id": "secretid", "text": "secrettext"}"#,
                "200 ",
            ),
            ("POST /v1/collections/secretid/query".into(), r#"{"text": "secrettext"}"#, "404 "),
        ] {
            let answer = ask(&head, body);
            assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{head}: {answer}");
        }
        let wrong = service.ask_with("Authorization: Bearer secrettoken2\r\n", "GET /v1/collections", "");
        assert!(wrong.contains("401"), "{wrong}");
        let log = service.log();
        for secret in SECRETS {
            assert!(!log.contains(secret), "{secret} is in the log {format}:\n{log}");
        }
        let requests: Vec<&str> = log.lines().filter(|line| line.contains("mine-7")).collect();
        assert_eq!(requests.len(), 7, "{log}");
        assert!(requests[0].contains("/v1/collections/{name}/documents/{id}"), "{}", requests[0]);
        if !format.is_empty() {
            let first: serde_json::Value = serde_json::from_str(requests[0]).unwrap();
            assert_eq!((&first["status"], &first["method"]), (&201.into(), &"PUT".into()));
            assert!(first["micros"].is_u64() && first["timestamp"].is_string(), "{first}");
            for line in log.lines().filter(|line| !line.is_empty()) {
                assert!(serde_json::from_str::<serde_json::Value>(line).is_ok(), "{line}");
            }
        }
    }
}

#[test]
fn what_cannot_be_served_is_refused() {
    let folder = Folder::new().with("tokens.txt", "a b\n");
    assert_eq!(folder.run("index create seen").code, 0);
    for (arguments, code, message) in [
        ("serve", 2, "INDEX"),
        ("serve nowhere", 2, "there is no index at"),
        ("serve seen --listen 0.0.0.0:0", 2, "--allow-anyone"),
        ("serve seen --listen nowhere", 2, "--listen"),
        ("serve seen --write-tokens nothing.txt", 2, "nothing.txt"),
        ("serve seen --write-tokens tokens.txt", 2, "visible ASCII"),
        ("serve seen --requests 0", 2, "--requests"),
        ("serve seen --timeout soon", 2, "30d"),
    ] {
        let outcome = folder.run(arguments);
        assert_eq!(outcome.code, code, "{arguments}: {outcome}");
        assert!(outcome.stderr.contains(message), "{arguments}: {outcome}");
    }
}
