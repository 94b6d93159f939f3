//! A stand-in for S3 on this machine, asked in plain HTTP.

use super::Outputs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;

/// The bucket of these tests.
pub(crate) const BUCKET: &str = "torture";

fn endpoint() -> Option<String> {
    std::env::var("LOOKALIKE_S3").ok()
}

/// Whether there is one. It gets its bucket.
pub(crate) fn is_there() -> bool {
    if endpoint().is_none() {
        return false;
    }
    let (status, body) = ask("PUT", &format!("/{BUCKET}"));
    assert!(status == 200 || status == 409, "{status} {}", String::from_utf8_lossy(&body));
    true
}

/// What a run needs to find it.
pub(crate) fn credentials(command: &mut Command) {
    if let Some(endpoint) = endpoint() {
        command
            .env("AWS_ENDPOINT_URL", endpoint)
            .env("AWS_ALLOW_HTTP", "true")
            .env("AWS_REGION", "us-east-1")
            .env("AWS_ACCESS_KEY_ID", "testing")
            .env("AWS_SECRET_ACCESS_KEY", "testing");
    }
}

/// All objects below an address, by the rest of their names.
pub(crate) fn objects(address: &str) -> Outputs {
    let prefix = prefix_of(address);
    keys(&prefix)
        .into_iter()
        .map(|key| {
            let (status, body) = ask("GET", &format!("/{BUCKET}/{key}"));
            assert_eq!(status, 200, "{key}");
            (key[prefix.len()..].to_owned(), body)
        })
        .collect()
}

/// Removes all objects below an address.
pub(crate) fn remove_all(address: &str) {
    for key in keys(&prefix_of(address)) {
        let (status, _) = ask("DELETE", &format!("/{BUCKET}/{key}"));
        assert!(status == 200 || status == 204, "{key}: {status}");
    }
}

fn prefix_of(address: &str) -> String {
    let rest = address.strip_prefix("s3://").and_then(|rest| rest.strip_prefix(BUCKET)).unwrap();
    format!("{}/", rest.trim_matches('/'))
}

/// All keys with a prefix; there are fewer than a listing holds.
fn keys(prefix: &str) -> Vec<String> {
    let (status, body) = ask("GET", &format!("/{BUCKET}?list-type=2&prefix={prefix}"));
    let body = String::from_utf8(body).unwrap();
    assert!(status == 200 && !body.contains("<IsTruncated>true"), "{status} {body}");
    body.split("<Key>").skip(1).map(|rest| rest.split('<').next().unwrap().to_owned()).collect()
}

fn ask(method: &str, path: &str) -> (u16, Vec<u8>) {
    let endpoint = endpoint().unwrap();
    let host =
        endpoint.strip_prefix("http://").expect("the stand-in speaks plain HTTP").trim_end_matches('/');
    let mut stream = TcpStream::connect(host).unwrap();
    // It wants to see that a request is signed, and does not look at the signature.
    let signed = "Authorization: AWS testing:testing";
    write!(stream, "{method} {path} HTTP/1.0\r\nHost: {host}\r\n{signed}\r\nContent-Length: 0\r\n\r\n")
        .unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let head = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("an answer has a head");
    let status = String::from_utf8_lossy(&answer[..head])
        .split_whitespace()
        .nth(1)
        .and_then(|status| status.parse().ok())
        .expect("an answer has a status");
    (status, answer[head + 4..].to_vec())
}
