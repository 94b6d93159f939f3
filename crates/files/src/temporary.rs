//! Temporary folders: private, with names that cannot be guessed, removed when they are dropped.
//!
//! The next run recognises a folder that a killed run left: it has the name of a temporary folder, it belongs to this
//! user alone, and no process holds the lock inside. The lock file gets its final name only after it is locked, so a
//! folder that is just being created is never taken for a leftover.

use crate::error::failed;
use crate::{Access, Files, Lock, OutFile, Result};
use std::path::{Path, PathBuf};

/// The beginning of the names of temporary folders.
const PREFIX: &str = "lookalike-tmp-";
/// The name of the lock file inside.
const LOCK: &str = "lock";
/// The name of the lock file before it is locked.
const NEW_LOCK: &str = "lock-new";

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
        let made = tempfile::Builder::new()
            .prefix(PREFIX)
            .make_in(parent, |path| files.system.make_folder(path, Access::Private))
            .map_err(failed("make a temporary folder in", parent))?;
        let path = made.into_temp_path().keep().map_err(|error| failed("make", parent)(error.error))?;
        let mut folder = Self { files: files.clone(), path, _lock: None };
        let new = folder.path.join(NEW_LOCK);
        folder._lock = files.lock(&new)?;
        let place = folder.path.join(LOCK);
        files.system.rename(&new, &place).map_err(failed("write", &place))?;
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
        let _ = self.files.remove_tree(&self.path);
    }
}

/// Removes the folders that killed runs left in `parent`. A folder that cannot be read or removed is ignored.
pub(crate) fn clear(files: &Files, parent: &Path) {
    let Ok(entries) = files.system.list(parent) else { return };
    for entry in entries {
        let left = entry.is_folder && entry.name.as_encoded_bytes().starts_with(PREFIX.as_bytes());
        let folder = parent.join(&entry.name);
        let lock = folder.join(LOCK);
        if left && is_own(&folder) && lock.is_file() && matches!(files.lock(&lock), Ok(Some(_))) {
            // Another process may be removing it at the same time.
            let _ = files.remove_tree(&folder);
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
