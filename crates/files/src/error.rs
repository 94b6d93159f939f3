//! What the system refused, and where.

use std::io;
use std::path::Path;

/// The result of what is done to files.
pub type Result<T> = std::result::Result<T, Error>;

/// What the system refused.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {name}: {cause}")]
pub struct Error {
    /// What was tried, as in "write".
    pub action: &'static str,
    /// The file or folder.
    pub name: String,
    /// What the system said.
    pub cause: io::Error,
}

/// An error about a path.
pub(crate) fn failed(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
    let name = path.display().to_string();
    move |cause| Error { action, name, cause }
}
