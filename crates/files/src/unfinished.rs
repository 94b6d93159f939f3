//! A file while it is being written.

use crate::error::failed;
use crate::{Access, Files, Result, UNFINISHED, file_name, parent};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file that is being written, under the name with which it was created.
#[derive(Debug)]
pub struct OutFile {
    files: Files,
    path: PathBuf,
    file: File,
    bytes: u64,
}

impl OutFile {
    pub(crate) fn new(files: Files, path: PathBuf, file: File) -> Self {
        Self { files, path, file, bytes: 0 }
    }

    /// The path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The number of bytes that were written.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Syncs the contents, so that they survive a power cut.
    pub fn sync(&self) -> Result<()> {
        self.files.system.sync(&self.path, &self.file).map_err(failed("sync", &self.path))
    }

    /// The file itself, for reading.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }
}

impl Write for OutFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.files.system.write(&self.path, &mut self.file, bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A file that is written beside its final place. If it is dropped before [`finish`](Self::finish), it is removed.
#[derive(Debug)]
pub struct Unfinished {
    out: OutFile,
    place: PathBuf,
    finished: bool,
}

impl Unfinished {
    pub(crate) fn begin(files: &Files, place: &Path) -> Result<Self> {
        let mut prefix = OsString::from(".");
        prefix.push(file_name(place));
        prefix.push(".");
        let made = tempfile::Builder::new()
            .prefix(&prefix)
            .suffix(UNFINISHED)
            .make_in(parent(place), |path| files.system.create(path, Access::Shared))
            .map_err(failed("write", place))?;
        let (file, path) = made.into_parts();
        // From now on this type removes the file, with calls that tests can make fail.
        let path = path.keep().map_err(|error| failed("write", place)(error.error))?;
        Ok(Self { out: OutFile::new(files.clone(), path, file), place: place.to_owned(), finished: false })
    }

    /// The final path.
    #[must_use]
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// Syncs the file, renames it to its final name, and syncs the folder.
    pub fn finish(self) -> Result<()> {
        self.out.sync()?;
        let (files, place) = (self.out.files.clone(), self.place.clone());
        self.finish_unsynced()?;
        files.sync_folder_of(&place)
    }

    /// Renames the file to its final name without syncing. It need not survive a power cut.
    pub fn finish_unsynced(mut self) -> Result<()> {
        let files = self.out.files.clone();
        files.system.rename(&self.out.path, &self.place).map_err(failed("write", &self.place))?;
        self.finished = true;
        Ok(())
    }
}

impl Write for Unfinished {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.finished {
            // The incomplete file is of no use. The error that stopped the writing is more important than a failure
            // to remove it.
            let _ = self.out.files.remove_file(&self.out.path);
        }
    }
}
