//! How the service is run. Each default is written here and nowhere else.

use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

/// How the service is run. Nothing here changes an answer.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// The address to listen on. Only this machine can reach the default.
    pub listen: SocketAddr,
    /// Folders of indexes. A collection has the name of its folder.
    pub collections: Vec<PathBuf>,
    /// The folder below which collections are created and deleted. Without it, there are no others than the above.
    pub folder: Option<PathBuf>,
    /// The folder below which backups are written. Without it, there are none.
    pub backups: Option<PathBuf>,
    /// Who may read and write.
    pub tokens: Tokens,
    /// True to listen on an address that other machines can reach, although no token is set.
    pub allow_anyone: bool,
    /// What the service refuses.
    pub limits: Limits,
    /// How often documents that have expired are removed. They are in no answer before that either.
    pub expire_every: Duration,
    /// How indexes are opened.
    pub index: index::Options,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 7171)),
            collections: Vec::new(),
            folder: None,
            backups: None,
            tokens: Tokens::default(),
            allow_anyone: false,
            limits: Limits::default(),
            expire_every: Duration::from_secs(60),
            index: index::Options::default(),
        }
    }
}

impl Options {
    /// The address to listen on.
    #[must_use]
    pub fn with_listen(mut self, listen: SocketAddr) -> Self {
        self.listen = listen;
        self
    }

    /// Folders of indexes.
    #[must_use]
    pub fn with_collections(mut self, folders: Vec<PathBuf>) -> Self {
        self.collections = folders;
        self
    }

    /// The folder below which collections are created and deleted.
    #[must_use]
    pub fn with_folder(mut self, folder: Option<PathBuf>) -> Self {
        self.folder = folder;
        self
    }

    /// The folder below which backups are written.
    #[must_use]
    pub fn with_backups(mut self, folder: Option<PathBuf>) -> Self {
        self.backups = folder;
        self
    }

    /// Who may read and write.
    #[must_use]
    pub fn with_tokens(mut self, tokens: Tokens) -> Self {
        self.tokens = tokens;
        self
    }

    /// True to listen on an address that other machines can reach, although no token is set.
    #[must_use]
    pub fn with_allow_anyone(mut self, allow: bool) -> Self {
        self.allow_anyone = allow;
        self
    }

    /// What the service refuses.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// How often documents that have expired are removed.
    #[must_use]
    pub fn with_expire_every(mut self, time: Duration) -> Self {
        self.expire_every = time;
        self
    }

    /// How indexes are opened.
    #[must_use]
    pub fn with_index(mut self, index: index::Options) -> Self {
        self.index = index;
        self
    }
}

/// The tokens that a client sends as `Authorization: Bearer TOKEN`. If there are none, everyone who can reach the
/// service may read and write.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Who has one of these may read.
    pub read: Vec<String>,
    /// Who has one of these may read and write.
    pub write: Vec<String>,
}

impl Tokens {
    /// True if no token is set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.read.is_empty() && self.write.is_empty()
    }
}

impl fmt::Debug for Tokens {
    /// Tokens must not appear in a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to read, {} to write", self.read.len(), self.write.len())
    }
}

/// What the service refuses because it is too large, too much or too slow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes of a request body, except for `bulk`, which is a stream.
    pub body: usize,
    /// The most bytes of a text.
    pub text: usize,
    /// The most bytes of a line of `bulk`.
    pub line: usize,
    /// The most lines of `bulk` that are worked on together, and share a sync.
    pub batch: usize,
    /// The most ids of a request to remove documents, and the most documents of an answer.
    pub documents: usize,
    /// The most requests at the same time. One more is answered with 429.
    pub requests: usize,
    /// The most open connections. Others wait.
    pub connections: usize,
    /// The time for a request, and for the next bytes of a stream.
    pub time: Duration,
    /// The time that is left to requests when the service is stopped.
    pub grace: Duration,
    /// The most answers that are kept for repeated writes (`Idempotency-Key`).
    pub repeats: usize,
    /// How long such an answer is kept.
    pub repeats_time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 32 << 20,
            text: 16 << 20,
            line: 32 << 20,
            batch: 256,
            documents: 1_000,
            requests: 256,
            connections: 1_024,
            time: Duration::from_secs(30),
            grace: Duration::from_secs(30),
            repeats: 10_000,
            repeats_time: Duration::from_secs(24 * 60 * 60),
        }
    }
}
