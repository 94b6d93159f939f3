//! Why the service does not start, or ends.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Why the service does not start, or ends. [`Error::next`] says what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An index cannot be opened or closed.
    #[error("{}: {cause}", path.display())]
    Index {
        /// The folder of the index.
        path: PathBuf,
        /// What is wrong with it.
        cause: Box<index::Error>,
    },
    /// A folder cannot be the name of a collection.
    #[error("{} cannot be a collection: {reason}", path.display())]
    Name {
        /// The folder.
        path: PathBuf,
        /// What is wrong with its name.
        reason: String,
    },
    /// Two folders have the same name.
    #[error("there are two collections with the name {name}")]
    SameName {
        /// The name.
        name: String,
    },
    /// A token is empty, or has characters that a header cannot have.
    #[error("a token has 1 to 1,024 visible ASCII characters")]
    Token,
    /// Other machines could read and write.
    #[error("{listen} can be reached from other machines, and no token is set")]
    Open {
        /// The address.
        listen: SocketAddr,
    },
    /// A folder cannot be read.
    #[error("cannot read {}: {cause}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// The address cannot be listened on.
    #[error("cannot listen on {listen}: {cause}")]
    Listen {
        /// The address.
        listen: SocketAddr,
        /// What the system says.
        cause: io::Error,
    },
    /// Some requests were not finished in the time that is left to them when the service is stopped.
    #[error("{collections} collections were still in use when the time was over")]
    NotClosed {
        /// How many.
        collections: usize,
    },
}

impl Error {
    /// What to do about it, as a sentence; `None` if the message says it all.
    #[must_use]
    pub fn next(&self) -> Option<&'static str> {
        Some(match self {
            Self::Index { cause, .. } => return cause.next(),
            Self::Open { .. } => "set a token, listen on 127.0.0.1, or insist",
            Self::SameName { .. } => "rename one of the folders",
            Self::Name { .. } => "rename the folder",
            Self::Listen { .. } => "choose another port, or stop the program that has it",
            Self::NotClosed { .. } => "nothing that was acknowledged is lost; leave more time to finish",
            Self::Token | Self::Folder { .. } => return None,
        })
    }
}
