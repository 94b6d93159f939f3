//! Where outputs go.

use super::names::check_name;
use super::stdout::Stdout;
use crate::Result;
use crate::object::Prefix;
use files::{Files, Folder};
use std::path::Path;
use std::sync::Arc;

/// Where outputs go: a folder, an object store's prefix, or standard output.
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
    /// The folder, prefix or `-` that the user named; nothing is made yet.
    ///
    /// `s3://`, `gs://`, `az://` and `abfs://` are prefixes of object stores, and so is whatever else has `://`, except
    /// `file://`, which is a folder. To standard output go the kept records alone, one source after the other, never
    /// compressed: there is nothing else that it could hold, and nothing that is there already.
    pub fn new(argument: &str) -> Result<Self> {
        Self::on(argument, Files::default())
    }

    /// The same on a local disk of the caller's, which may be a faulty one.
    pub fn on(argument: &str, files: Files) -> Result<Self> {
        let folder = |path: &str| TargetKind::Named(Arc::new(Folder::new(files.clone(), path.into())));
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

    /// With another place in place of the one that it has: what `change` makes of it.
    #[must_use]
    pub fn with_place(mut self, change: impl FnOnce(Arc<dyn files::Place>) -> Arc<dyn files::Place>) -> Self {
        if let TargetKind::Named(place) = self.kind {
            self.kind = TargetKind::Named(change(place));
        }
        self
    }

    /// As the user named it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The local disk, where outputs are while they are written.
    #[must_use]
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// The folder, if it is a local one.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        self.named().and_then(files::Place::folder)
    }

    /// Whether it is standard output.
    #[must_use]
    pub fn is_stdout(&self) -> bool {
        matches!(self.kind, TargetKind::Stdout(_))
    }

    /// An error if there can be no output of this name: it leads elsewhere, or a store cannot have it.
    pub fn check(&self, name: &str) -> Result<()> {
        Ok(self.place_of(name)?.map_or(Ok(()), |place| place.check(name))?)
    }

    /// The place; none for standard output, which holds nothing.
    fn named(&self) -> Option<&dyn files::Place> {
        match &self.kind {
            TargetKind::Named(place) => Some(&**place),
            TargetKind::Stdout(_) => None,
        }
    }

    /// The place of an output of this name (a path below the target, with `/`).
    fn place_of(&self, name: &str) -> Result<Option<&dyn files::Place>> {
        check_name(name)?;
        Ok(self.named())
    }

    /// Whether there is an output of this name.
    pub fn exists(&self, name: &str) -> Result<bool> {
        Ok(self.place_of(name)?.map_or(Ok(false), |place| place.exists(name))?)
    }

    /// All outputs there are, by name, bytewise. Empty if the target does not exist.
    pub fn list(&self) -> Result<Vec<String>> {
        Ok(self.named().map_or(Ok(Vec::new()), files::Place::list)?)
    }

    /// Reads an output whole; `None` if there is none.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>> {
        Ok(self.place_of(name)?.map_or(Ok(None), |place| place.read(name))?)
    }

    /// Writes an output whole or not at all: aside, synced, renamed. (To standard output: nothing.)
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        Ok(self.place_of(name)?.map_or(Ok(()), |place| place.write(name, bytes))?)
    }

    /// Writes an output unless there is one of this name; whether it was written.
    pub fn write_new(&self, name: &str, bytes: &[u8]) -> Result<bool> {
        Ok(self.place_of(name)?.map_or(Ok(true), |place| place.write_new(name, bytes))?)
    }

    /// Removes an output, if it is there.
    pub fn remove(&self, name: &str) -> Result<()> {
        Ok(self.place_of(name)?.map_or(Ok(()), |place| place.remove(name))?)
    }

    /// Moves a finished local file to its place: renamed, or uploaded. (With standard output it stays where it is.)
    pub fn publish(&self, file: &Path, name: &str) -> Result<()> {
        Ok(self.place_of(name)?.map_or(Ok(()), |place| place.publish(file, name))?)
    }

    /// Copies a finished local file to its place.
    pub fn copy(&self, file: &Path, name: &str) -> Result<()> {
        Ok(self.place_of(name)?.map_or(Ok(()), |place| place.copy(file, name))?)
    }
}
