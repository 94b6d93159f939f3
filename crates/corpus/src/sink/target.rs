//! Where outputs go.

use super::folder;
use super::stdout::Stdout;
use crate::Result;
use crate::object::Prefix;
use std::path::{Path, PathBuf};

/// Where outputs go: a folder, an object store's prefix, or standard output.
#[derive(Debug, Clone)]
pub struct Target {
    name: String,
    pub(crate) place: Place,
}

#[derive(Debug, Clone)]
pub(crate) enum Place {
    Folder(PathBuf),
    Prefix(Prefix),
    Stdout(Stdout),
}

impl Target {
    /// The folder, prefix or `-` that the user named; nothing is made yet.
    ///
    /// `s3://`, `gs://`, `az://` and `abfs://` are prefixes of object stores, and so is whatever else has `://`, except
    /// `file://`, which is a folder. To standard output go the kept records alone, one source after the other, never
    /// compressed: there is nothing else that it could hold, and nothing that is there already.
    pub fn new(argument: &str) -> Result<Self> {
        let place = if argument == "-" {
            Place::Stdout(Stdout::default())
        } else if let Some(path) = argument.strip_prefix("file://") {
            Place::Folder(path.into())
        } else if argument.contains("://") {
            Place::Prefix(Prefix::new(argument)?)
        } else {
            Place::Folder(argument.into())
        };
        Ok(Self { name: argument.into(), place })
    }

    /// As the user named it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The folder, if it is a local one.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        match &self.place {
            Place::Folder(folder) => Some(folder),
            Place::Prefix(_) | Place::Stdout(_) => None,
        }
    }

    /// Whether it is standard output.
    #[must_use]
    pub fn is_stdout(&self) -> bool {
        matches!(self.place, Place::Stdout(_))
    }

    /// An error if there can be no output of this name: it leads elsewhere, or a store cannot have it.
    pub fn check(&self, name: &str) -> Result<()> {
        match &self.place {
            Place::Folder(folder) => folder::path(folder, name).map(drop),
            Place::Prefix(prefix) => prefix.check(name),
            Place::Stdout(_) => Ok(()),
        }
    }

    /// Whether there is an output of this name (a path below the target, with `/`).
    pub fn exists(&self, name: &str) -> Result<bool> {
        match &self.place {
            Place::Folder(folder) => folder::exists(folder, name),
            Place::Prefix(prefix) => prefix.exists(name),
            Place::Stdout(_) => Ok(false),
        }
    }

    /// All outputs there are, by name, bytewise. Empty if the target does not exist.
    pub fn list(&self) -> Result<Vec<String>> {
        match &self.place {
            Place::Folder(folder) => folder::list(folder),
            Place::Prefix(prefix) => prefix.list(),
            Place::Stdout(_) => Ok(Vec::new()),
        }
    }

    /// Reads an output whole; `None` if there is none.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>> {
        match &self.place {
            Place::Folder(folder) => folder::read(folder, name),
            Place::Prefix(prefix) => prefix.read(name),
            Place::Stdout(_) => Ok(None),
        }
    }

    /// Writes an output whole or not at all: aside, synced, renamed. (To standard output: nothing.)
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        match &self.place {
            Place::Folder(folder) => folder::write(folder, name, bytes),
            Place::Prefix(prefix) => prefix.write(name, bytes),
            Place::Stdout(_) => Ok(()),
        }
    }

    /// Moves a finished local file to its place: renamed, or uploaded. (With standard output it stays where it is.)
    pub fn publish(&self, file: &Path, name: &str) -> Result<()> {
        match &self.place {
            Place::Folder(folder) => folder::publish(folder, file, name),
            Place::Prefix(prefix) => prefix.publish(file, name),
            Place::Stdout(_) => Ok(()),
        }
    }
}
