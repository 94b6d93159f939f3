//! Who may do what: tokens, and where a request comes from.
//!
//! Tokens are kept and compared as hashes. The comparison of BLAKE3 hashes takes the same time whether they differ
//! early or late, and nothing about the length of a token can be learned from it.
//!
//! A service without tokens on a loopback address is still in reach of the pages that its user opens in a browser. So a
//! request that a browser sends on behalf of another site is refused (`Origin`), and so is one for a name that is not
//! of this machine (`Host`), which another site may have pointed here.

use crate::error::Error;
use crate::options::Tokens;
use crate::problem::{Problem, Result};
use crate::state::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use std::net::IpAddr;

/// The most bytes of a token.
const MOST_TOKEN_BYTES: usize = 1_024;

/// What a client may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Access {
    /// Nothing that concerns documents.
    None,
    Read,
    Write,
}

/// The tokens, as hashes.
#[derive(Debug)]
pub(crate) struct Keys {
    read: Vec<blake3::Hash>,
    write: Vec<blake3::Hash>,
}

impl Keys {
    pub(crate) fn new(tokens: &Tokens) -> std::result::Result<Self, Error> {
        let is_usable = |token: &String| {
            (1..=MOST_TOKEN_BYTES).contains(&token.len()) && token.bytes().all(|byte| byte.is_ascii_graphic())
        };
        if !tokens.read.iter().chain(&tokens.write).all(is_usable) {
            return Err(Error::Token);
        }
        let hashes = |tokens: &[String]| tokens.iter().map(|token| blake3::hash(token.as_bytes())).collect();
        Ok(Self { read: hashes(&tokens.read), write: hashes(&tokens.write) })
    }

    /// True if there are no tokens.
    pub(crate) fn is_empty(&self) -> bool {
        self.read.is_empty() && self.write.is_empty()
    }

    /// What the sender of these headers may do. A wrong token is a problem, also where none is needed.
    pub(crate) fn access(&self, headers: &HeaderMap) -> Result<Access> {
        if self.is_empty() {
            return Ok(Access::Write);
        }
        let Some(sent) = headers.get(header::AUTHORIZATION) else { return Ok(Access::None) };
        let wrong = || Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", "the token is not known");
        let token = bearer(sent).ok_or_else(wrong)?;
        let hash = blake3::hash(token);
        // All are compared, so that the time does not say which one it is.
        let is_in =
            |known: &[blake3::Hash]| known.iter().fold(false, |is_in, known| is_in | (*known == hash));
        match (is_in(&self.write), is_in(&self.read)) {
            (true, _) => Ok(Access::Write),
            (false, true) => Ok(Access::Read),
            (false, false) => Err(wrong()),
        }
    }
}

fn bearer(sent: &HeaderValue) -> Option<&[u8]> {
    let (scheme, token) = sent.as_bytes().split_at_checked(7)?;
    scheme.eq_ignore_ascii_case(b"Bearer ").then(|| token.trim_ascii())
}

impl Access {
    /// Refuses a client that may do less than this.
    pub(crate) fn require(self, needed: Self) -> Result<()> {
        if self >= needed {
            return Ok(());
        }
        Err(match self {
            Self::None => Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", "a token is needed")
                .advise("send `Authorization: Bearer TOKEN`"),
            _ => Problem::new(StatusCode::FORBIDDEN, "read-only-token", "this token may read only")
                .advise("use a token that may write"),
        })
    }
}

/// Refuses what a browser sends on behalf of another site.
pub(crate) fn check_site(state: &State, headers: &HeaderMap) -> Result<()> {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let host = text(header::HOST);
    let foreign = |detail: &str| Err(Problem::new(StatusCode::FORBIDDEN, "foreign-site", detail));
    if let Some(origin) = headers.get(header::ORIGIN) {
        let authority =
            origin.to_str().ok().and_then(|origin| origin.split_once("://")).map(|(_, rest)| rest);
        if authority.is_none() || authority != host {
            return foreign("the request comes from the page of another site");
        }
    }
    if state.is_local() && state.keys().is_empty() && host.is_some_and(|host| !is_this_machine(host)) {
        return foreign("the request is for another machine").map_err(|problem: Problem| {
            problem.advise("use 127.0.0.1 or localhost as the name, or set tokens")
        });
    }
    Ok(())
}

/// True if a `Host` header names this machine.
fn is_this_machine(host: &str) -> bool {
    let without_port = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let name = without_port.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_a_few_names() {
        for host in ["localhost", "LOCALHOST:7171", "127.0.0.1:80", "127.8.9.1", "[::1]:7171", "[::1]"] {
            assert!(is_this_machine(host), "{host}");
        }
        for host in
            ["example.org", "localhost.example.org", "10.0.0.1:7171", "", ":80", "127.0.0.1.example.org"]
        {
            assert!(!is_this_machine(host), "{host}");
        }
    }

    #[test]
    fn tokens_are_told_apart() {
        let tokens = Tokens { read: vec!["r".into()], write: vec!["w".into()] };
        let keys = Keys::new(&tokens).unwrap();
        let access = |sent: Option<&str>| {
            let mut headers = HeaderMap::new();
            if let Some(sent) = sent {
                headers.insert(header::AUTHORIZATION, sent.parse().unwrap());
            }
            keys.access(&headers).ok()
        };
        assert_eq!(access(None), Some(Access::None));
        assert_eq!(access(Some("Bearer r")), Some(Access::Read));
        assert_eq!(access(Some("bearer  w ")), Some(Access::Write));
        for wrong in ["Bearer x", "Bearer ", "Bearer", "w", "Basic w", "Bearer rr", "Bearer W"] {
            assert_eq!(access(Some(wrong)), None, "{wrong}");
        }
        assert!(Keys::new(&Tokens { read: vec![String::new()], write: vec![] }).is_err());
        assert!(Keys::new(&Tokens { read: vec!["a b".into()], write: vec![] }).is_err());
    }
}
