//! Temporary folders: private, with names that cannot be guessed, removed when they are dropped.
//!
//! The next run recognises a folder that a killed run left: it has the name of a temporary folder, it belongs to this
//! user alone, and no process holds the lock inside, or it is empty. A folder that is just being created may look the
//! same. Its creator notices that it was removed, and creates another.

use crate::error::failed;
use crate::{Access, Files, Lock, OutFile, Result};
use std::io;
use std::path::{Path, PathBuf};

/// The beginning of the names of temporary folders.
const PREFIX: &str = "lookalike-tmp-";
/// The name of the lock file inside.
const LOCK: &str = "lock";

/// A private folder. It is removed with everything in it when this value is dropped.
#[derive(Debug)]
pub struct TempFolder {
    files: Files,
    path: PathBuf,
    _lock: Option<Lock>,
}

impl TempFolder {
    /// See [`Files::temp_folder`].
    pub(crate) fn new(files: &Files, parent: &Path) -> Result<Self> {
        let mut lock = None;
        let made = tempfile::Builder::new().prefix(PREFIX).make_in(parent, |path| {
            lock = Some(make_locked(files, path)?);
            Ok(())
        });
        let made = made.map_err(failed("make a temporary folder in", parent))?;
        let path = made.into_temp_path().keep().map_err(|error| failed("make", parent)(error.error))?;
        let folder = Self { files: files.clone(), path, _lock: lock };
        clear(files, parent);
        Ok(folder)
    }

    /// True if a path has the name of a temporary folder.
    #[must_use]
    pub fn is_one(path: &Path) -> bool {
        path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(PREFIX.as_bytes()))
    }

    /// The path of the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Creates a file in the folder, which only the user can access.
    pub fn create(&self, name: &str) -> Result<OutFile> {
        self.files.create(&self.path.join(name), Access::Private)
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        // Nothing depends on the removal, and the next run removes the folder.
        let _ = self.files.remove_locked_tree(&self.path, LOCK);
    }
}

/// Makes a folder and locks it. If a process that removes what killed runs left was quicker, the error says that the
/// name is taken, and another one is tried.
fn make_locked(files: &Files, path: &Path) -> io::Result<Lock> {
    files.system.make_folder(path, Access::Private)?;
    match files.lock(&path.join(LOCK)) {
        Ok(Some(lock)) => Ok(lock),
        Ok(None) => Err(io::ErrorKind::AlreadyExists.into()),
        Err(error) if error.cause.kind() == io::ErrorKind::NotFound => {
            Err(io::ErrorKind::AlreadyExists.into())
        }
        Err(error) => {
            // The first error is more important than a failure to remove the folder.
            files.remove_if_empty(path);
            Err(error.cause)
        }
    }
}

/// Removes the folders that killed runs left in `parent`. A folder that cannot be read or removed is ignored.
pub(crate) fn clear(files: &Files, parent: &Path) {
    let Ok(entries) = files.system.list(parent) else { return };
    for entry in entries {
        let folder = parent.join(&entry.name);
        if !entry.is_folder || !TempFolder::is_one(&folder) || !is_own(&folder) {
            continue;
        }
        let lock = folder.join(LOCK);
        if !lock.is_file() {
            // It was killed before it could lock the folder.
            files.remove_if_empty(&folder);
        } else if let Ok(Some(_held)) = files.lock(&lock) {
            // What cannot be removed now is removed by a later run.
            let _ = files.remove_locked_tree(&folder, LOCK);
        }
    }
}

/// True if the path is a folder (not a link) that belongs to this user alone.
#[cfg(unix)]
pub(crate) fn is_own(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let user = rustix::process::geteuid().as_raw();
    std::fs::symlink_metadata(folder)
        .is_ok_and(|found| found.is_dir() && found.uid() == user && found.mode() & 0o077 == 0)
}

#[cfg(not(unix))]
pub(crate) fn is_own(folder: &Path) -> bool {
    std::fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir())
}
