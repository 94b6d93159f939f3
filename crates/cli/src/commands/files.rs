//! Writes files that are either complete or absent, and pages that replace only earlier pages of lookalike.

use crate::failure::{Failure, Result};
use files::{Files, PageError};
use std::path::Path;

/// Writes a file aside and renames it.
pub(super) fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let written = Files::default().write_whole(path, bytes);
    written.map_err(|error| Failure::io("write", path.display(), &error.cause))
}

/// Writes a page or a picture. The path may be a pipe or a device. An existing file is replaced only if it is an
/// earlier page.
pub(super) fn write_page(path: &Path, page: &str) -> Result<()> {
    files::write_page(path, page).map_err(|error| not_written(path, error))
}

/// An error if `path` is a folder, or a file that lookalike did not write.
pub(super) fn check_page(path: &Path) -> Result<()> {
    files::check_page(path).map_err(|error| not_written(path, error))
}

fn not_written(path: &Path, error: PageError) -> Failure {
    match error {
        PageError::Refused(error) => Failure::io("write", path.display(), &error.cause),
        PageError::Occupied { .. } => {
            Failure::usage(error.to_string()).with_advice("name another file for the page")
        }
    }
}
