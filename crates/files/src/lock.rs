//! A lock: a file that one process at a time holds. The system lets go of it when the process ends, however it ends.

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
                    // Whoever held it removed it meanwhile.
                    Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => continue,
                    Err(cause) => return Err(failed("lock", path)(cause)),
                },
                Err(cause) => return Err(failed("lock", path)(cause)),
            };
            match file.try_lock() {
                // A lock on a file that was removed, and perhaps made again, between the two calls is none.
                Ok(()) if is_at(&file, path) => return Ok(Some(Self { path: path.to_owned(), _file: file })),
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(cause)) => return Err(failed("lock", path)(cause)),
            }
        }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Opens what is there. A link to another file would have that file locked, which harms nobody: nothing is written.
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
