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
    _log: BufReader<std::process::ChildStderr>,
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
        Self { child, address, _log: log }
    }

    /// Sends a request, and returns the whole answer.
    fn ask(&self, head: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let length = body.len();
        write!(
            stream,
            "{head} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
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
