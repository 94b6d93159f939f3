//! Bytes <-> files that appear whole or not at all.

use crate::errors;
use files::Files;
use pyo3::prelude::*;
use std::fs;
use std::path::Path;

/// Writes beside the path, and renames when all is there.
pub(super) fn write(py: Python<'_>, path: &Path, bytes: &[u8]) -> PyResult<()> {
    // Threads and processes that write to the same path do not meet before the last one renames.
    py.detach(|| Files::default().write_whole(path, bytes))
        .map_err(|error| errors::system("write", path, &error.cause))
}

/// All bytes of a file.
pub(super) fn read(py: Python<'_>, path: &Path) -> PyResult<Vec<u8>> {
    py.detach(|| fs::read(path)).map_err(|cause| errors::system("read", path, &cause))
}
