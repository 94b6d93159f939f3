//! Bytes <-> files. A file is written completely or not at all.

use crate::errors;
use files::Files;
use pyo3::prelude::*;
use std::fs;
use std::path::Path;

/// Writes to a temporary file beside the path, and renames it when it is complete.
pub(super) fn write(py: Python<'_>, path: &Path, bytes: &[u8]) -> PyResult<()> {
    // Threads and processes that write to the same path do not disturb each other: the last one to rename its file
    // wins.
    py.detach(|| Files::default().write_whole(path, bytes))
        .map_err(|error| errors::system("write", path, &error.cause))
}

/// Reads all bytes of a file.
pub(super) fn read(py: Python<'_>, path: &Path) -> PyResult<Vec<u8>> {
    py.detach(|| fs::read(path)).map_err(|cause| errors::system("read", path, &cause))
}
