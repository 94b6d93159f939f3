//! A place that holds named files: what outputs need of where they go.

use crate::{Files, Result, name_to_path, parent};
use std::fmt::Debug;
use std::path::{Path, PathBuf};

/// A folder, a prefix of an object store, or whatever else holds files by name (with `/`). Whoever calls has checked the names.
pub trait Place: Debug + Send + Sync {
    /// The folder, if it is a local one.
    fn folder(&self) -> Option<&Path> {
        None
    }
    /// An error if there can be no file of this name here.
    fn check(&self, _name: &str) -> Result<()> {
        Ok(())
    }
    /// Whether there is a file of this name.
    fn exists(&self, name: &str) -> Result<bool>;
    /// All files, by name, bytewise; empty if the place does not exist.
    fn list(&self) -> Result<Vec<String>>;
    /// All bytes of a file; `None` if there is none.
    fn read(&self, name: &str) -> Result<Option<Vec<u8>>>;
    /// Writes a file whole or not at all.
    fn write(&self, name: &str, bytes: &[u8]) -> Result<()>;
    /// Writes a file whole unless there is one of this name; whether it was written. Of two who do this at once one succeeds.
    fn write_new(&self, name: &str, bytes: &[u8]) -> Result<bool>;
    /// Removes a file, if it is there.
    fn remove(&self, name: &str) -> Result<()>;
    /// Moves a finished local file here.
    fn publish(&self, file: &Path, name: &str) -> Result<()>;
    /// Copies a finished local file here.
    fn copy(&self, file: &Path, name: &str) -> Result<()>;
}

/// A local folder.
#[derive(Debug, Clone)]
pub struct Folder {
    files: Files,
    folder: PathBuf,
}

impl Folder {
    /// A folder, which need not be there.
    #[must_use]
    pub fn new(files: Files, folder: PathBuf) -> Self {
        Self { files, folder }
    }

    /// Where a file of this name goes; the folders above it are made.
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
