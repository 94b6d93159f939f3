//! Bytes <-> files that appear whole or not at all.

use crate::errors;
use pyo3::prelude::*;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes beside the path, and renames when all is there.
pub(super) fn write(py: Python<'_>, path: &Path, bytes: &[u8]) -> PyResult<()> {
    py.detach(|| write_whole(path, bytes)).map_err(|cause| errors::system("write", path, &cause))
}

/// All bytes of a file.
pub(super) fn read(py: Python<'_>, path: &Path) -> PyResult<Vec<u8>> {
    py.detach(|| fs::read(path)).map_err(|cause| errors::system("read", path, &cause))
}

fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // Threads and processes that write to the same path do not meet before the last one renames.
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let Some(name) = path.file_name() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it does not name a file"));
    };
    let mut aside = OsString::from(".");
    aside.push(name);
    aside.push(format!(".{}-{}.part", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed)));
    let aside = path.with_file_name(aside);
    let written = File::create(&aside)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&aside, path));
    if written.is_err() {
        // What is left of it is of no use; that it could not be removed would hide why it was not written.
        let _ = fs::remove_file(&aside);
    }
    written
}
