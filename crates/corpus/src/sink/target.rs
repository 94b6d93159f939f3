//! The target: where outputs are written.

use super::names::check_name;
use super::stdout::Stdout;
use crate::object::Prefix;
use crate::{Error, Result};
use files::{Files, Folder};
use std::path::Path;
use std::sync::Arc;

/// The target of outputs: a folder, a prefix in an object store, or standard output.
#[derive(Debug, Clone)]
pub struct Target {
    name: String,
    files: Files,
    pub(crate) kind: TargetKind,
}

#[derive(Debug, Clone)]
pub(crate) enum TargetKind {
    /// A folder or a prefix.
    Named(Arc<dyn files::Place>),
    Stdout(Stdout),
}

impl Target {
    /// The folder, prefix or `-` that the user named. Nothing is created yet.
    ///
    /// `s3://`, `gs://`, `az://` and `abfs://` are prefixes of object stores. Every other argument with `://` is
    /// treated as a prefix too, except `file://`, which is a folder. Standard output receives only the kept records,
    /// one source after the other, never compressed.
    pub fn new(argument: &str) -> Result<Self> {
        Self::on(argument, Files::default())
    }

    /// Like [`new`](Self::new), with local files of the caller's choice, which may inject faults.
    pub fn on(argument: &str, files: Files) -> Result<Self> {
        let folder = |path: &str| TargetKind::Named(Arc::new(Folder::new(files.clone(), path.into())));
        if argument.is_empty() {
            return Err(Error::Invalid("the target has no name; name a folder".into()));
        }
        let kind = if argument == "-" {
            TargetKind::Stdout(Stdout::default())
        } else if let Some(path) = argument.strip_prefix("file://") {
            folder(path)
        } else if argument.contains("://") {
            TargetKind::Named(Arc::new(Prefix::new(argument)?))
        } else {
            folder(argument)
        };
        Ok(Self { name: argument.into(), files, kind })
    }

    /// Replaces the place of this target by the result of `change`.
    #[must_use]
    pub fn with_place(mut self, change: impl FnOnce(Arc<dyn files::Place>) -> Arc<dyn files::Place>) -> Self {
        if let TargetKind::Named(place) = self.kind {
            self.kind = TargetKind::Named(change(place));
        }
        self
    }

    /// The target as the user named it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The local files, which hold outputs while they are written.
    #[must_use]
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// The folder, if the target is a local folder.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        self.named().and_then(files::Place::folder)
    }

    /// True if the target is standard output.
    #[must_use]
    pub fn is_stdout(&self) -> bool {
        matches!(self.kind, TargetKind::Stdout(_))
    }

    /// An error if no output can have this name: it leads out of the target, or the store does not allow it.
    pub fn check(&self, name: &str) -> Result<()> {
        Ok(self.place_of(name)?.map_or(Ok(()), |place| place.check(name))?)
    }

    /// The folder or prefix. `None` for standard output, which stores nothing.
    fn named(&self) -> Option<&dyn files::Place> {
        match &self.kind {
            TargetKind::Named(place) => Some(&**place),
            TargetKind::Stdout(_) => None,
        }
    }

    /// The folder or prefix for an output of this name (a path below the target, with `/`).
    fn place_of(&self, name: &str) -> Result<Option<&dyn files::Place>> {
        check_name(name)?;
        Ok(self.named())
    }

    /// True if an output of this name exists.
    pub fn exists(&self, name: &str) -> Result<bool> {
        Ok(self.place_of(name)?.map_or(Ok(false), |place| place.exists(name))?)
    }

    /// The names of all existing outputs, bytewise. Empty if the target does not exist.
    pub fn list(&self) -> Result<Vec<String>> {
        Ok(self.named().map_or(Ok(Vec::new()), files::Place::list)?)
    }

    /// Reads an output completely. `None` if it does not exist.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>> {
        Ok(self.place_of(name)?.map_or(Ok(None), |place| place.read(name))?)
    }

    /// Writes an output completely or not at all: to a temporary file, which is synced and renamed. Does nothing for
    /// standard output.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        Ok(self.place_of(name)?.map_or(Ok(()), |place| place.write(name, bytes))?)
    }

    /// Writes an output unless one of this name exists. Returns true if it was written.
    pub fn write_new(&self, name: &str, bytes: &[u8]) -> Result<bool> {
        Ok(self.place_of(name)?.map_or(Ok(true), |place| place.write_new(name, bytes))?)
    }

    /// Removes an output if it exists.
    pub fn remove(&self, name: &str) -> Result<()> {
        Ok(self.place_of(name)?.map_or(Ok(()), |place| place.remove(name))?)
    }

    /// Moves a finished local file to its place in the target: renames or uploads it. With standard output the file
    /// is not moved.
    pub fn publish(&self, file: &Path, name: &str) -> Result<()> {
        Ok(self.place_of(name)?.map_or(Ok(()), |place| place.publish(file, name))?)
    }

    /// Copies a finished local file to its place in the target.
    pub fn copy(&self, file: &Path, name: &str) -> Result<()> {
        Ok(self.place_of(name)?.map_or(Ok(()), |place| place.copy(file, name))?)
    }
}
