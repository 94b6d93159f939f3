//! An error of the system, and the file or folder where it happened.

use std::io;
use std::path::Path;

/// The result of an operation on files.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of the system.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {name}: {cause}")]
pub struct Error {
    /// The action that failed, as in "write".
    pub action: &'static str,
    /// The file or folder.
    pub name: String,
    /// The error that the system reported.
    pub cause: io::Error,
}

/// An error about a path.
pub(crate) fn failed(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
    let name = path.display().to_string();
    move |cause| Error { action, name, cause }
}
