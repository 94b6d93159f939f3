//! A place that holds named files: the interface that outputs need from their target.

use crate::{Files, Result, name_to_path, parent};
use std::fmt::Debug;
use std::path::{Path, PathBuf};

/// A folder, a prefix of an object store, or anything else that holds files by name (with `/`). The caller has
/// checked the names.
pub trait Place: Debug + Send + Sync {
    /// The folder, if it is a local folder.
    fn folder(&self) -> Option<&Path> {
        None
    }
    /// An error if no file here can have this name.
    fn check(&self, _name: &str) -> Result<()> {
        Ok(())
    }
    /// True if a file of this name exists.
    fn exists(&self, name: &str) -> Result<bool>;
    /// The names of all files, bytewise. Empty if the place does not exist.
    fn list(&self) -> Result<Vec<String>>;
    /// All bytes of a file; `None` if it does not exist.
    fn read(&self, name: &str) -> Result<Option<Vec<u8>>>;
    /// Writes a file completely or not at all.
    fn write(&self, name: &str, bytes: &[u8]) -> Result<()>;
    /// Writes a complete file unless one of this name exists. Returns true if it was written. If two callers do this
    /// at the same time, one of them succeeds.
    fn write_new(&self, name: &str, bytes: &[u8]) -> Result<bool>;
    /// Removes a file if it exists.
    fn remove(&self, name: &str) -> Result<()>;
    /// Moves a finished local file to this place.
    fn publish(&self, file: &Path, name: &str) -> Result<()>;
    /// Copies a finished local file to this place.
    fn copy(&self, file: &Path, name: &str) -> Result<()>;
}

/// A local folder.
#[derive(Debug, Clone)]
pub struct Folder {
    files: Files,
    folder: PathBuf,
}

impl Folder {
    /// A local folder, which need not exist.
    #[must_use]
    pub fn new(files: Files, folder: PathBuf) -> Self {
        Self { files, folder }
    }

    /// The path for a file of this name. The folders above it are created.
    fn place(&self, name: &str) -> Result<PathBuf> {
        let place = self.folder.join(name_to_path(name));
        self.files.make_folder(parent(&place))?;
        Ok(place)
    }
}

impl Place for Folder {
    fn folder(&self) -> Option<&Path> {
        Some(&self.folder)
    }

    fn exists(&self, name: &str) -> Result<bool> {
        self.files.exists(&self.folder.join(name_to_path(name)))
    }

    fn list(&self) -> Result<Vec<String>> {
        self.files.list(&self.folder)
    }

    fn read(&self, name: &str) -> Result<Option<Vec<u8>>> {
        self.files.read(&self.folder.join(name_to_path(name)))
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        self.files.write_whole(&self.place(name)?, bytes)
    }

    fn write_new(&self, name: &str, bytes: &[u8]) -> Result<bool> {
        self.files.write_new(&self.folder.join(name_to_path(name)), bytes)
    }

    fn remove(&self, name: &str) -> Result<()> {
        self.files.remove_file(&self.folder.join(name_to_path(name)))
    }

    fn publish(&self, file: &Path, name: &str) -> Result<()> {
        self.files.publish(file, &self.folder.join(name_to_path(name)))
    }

    fn copy(&self, file: &Path, name: &str) -> Result<()> {
        self.files.copy(file, &self.place(name)?)
    }
}
