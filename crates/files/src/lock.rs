//! A lock: a file that one process at a time holds. The system releases it when the process ends, for whatever
//! reason.

use crate::error::failed;
use crate::{Files, Result};
use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

/// A lock that is held until it is dropped.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    _file: File,
}

impl Lock {
    /// See [`Files::lock`].
    pub(crate) fn take(files: &Files, path: &Path) -> Result<Option<Self>> {
        loop {
            let file = match files.system.create(path, crate::Access::Shared) {
                Ok(file) => file,
                Err(cause) if cause.kind() == std::io::ErrorKind::AlreadyExists => match open(path) {
                    Ok(file) => file,
                    // The process that held the lock has removed it in the meantime.
                    Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => continue,
                    Err(cause) => return Err(failed("lock", path)(cause)),
                },
                Err(cause) => return Err(failed("lock", path)(cause)),
            };
            match file.try_lock() {
                // If the file was removed, and perhaps created again, between the two calls, this is not a valid
                // lock.
                Ok(()) if is_at(&file, path) => return Ok(Some(Self { path: path.to_owned(), _file: file })),
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(cause)) => return Err(failed("lock", path)(cause)),
            }
        }
    }

    /// The path of the lock file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Opens the existing file. If it is a link, another file is locked, which does no harm because nothing is written.
fn open(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let (Ok(open), Ok(there)) = (file.metadata(), std::fs::metadata(path)) else { return false };
    (open.dev(), open.ino()) == (there.dev(), there.ino())
}

#[cfg(not(unix))]
fn is_at(_file: &File, path: &Path) -> bool {
    path.exists()
}
