//! Temporary folders: private, under names that cannot be guessed, gone when they are dropped.
//!
//! A folder that a killed run left is recognised by the next one: it has the name that such folders have, belongs to this user alone,
//! and nobody holds the lock inside. A lock gets its name only when it is held, so a folder that is just being made is
//! never taken for one that was left.

use crate::error::failed;
use crate::{Access, Files, Lock, OutFile, Result};
use std::path::{Path, PathBuf};

/// What the names of temporary folders begin with.
const PREFIX: &str = "lookalike-tmp-";
/// The lock inside.
const LOCK: &str = "lock";
/// The lock before it is held.
const NEW_LOCK: &str = "lock-new";

/// A private folder, which goes with all that is in it when this is dropped.
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

    /// Whether a path has the name of a temporary folder.
    #[must_use]
    pub fn is_one(path: &Path) -> bool {
        path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(PREFIX.as_bytes()))
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes a file in it, for the user alone.
    pub fn create(&self, name: &str) -> Result<OutFile> {
        self.files.create(&self.path.join(name), Access::Private)
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        // Nothing depends on a folder that does not go, and the next run removes it.
        let _ = self.files.remove_tree(&self.path);
    }
}

/// Removes what killed runs left in `parent`. What cannot be removed, or looked at, is left alone.
pub(crate) fn clear(files: &Files, parent: &Path) {
    let Ok(entries) = files.system.list(parent) else { return };
    for entry in entries {
        let left = entry.is_folder && entry.name.as_encoded_bytes().starts_with(PREFIX.as_bytes());
        let folder = parent.join(&entry.name);
        let lock = folder.join(LOCK);
        if left && is_own(&folder) && lock.is_file() && matches!(files.lock(&lock), Ok(Some(_))) {
            // Somebody else may be at the same.
            let _ = files.remove_tree(&folder);
        }
    }
}

/// Whether it is a folder, no link, that belongs to this user alone.
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
