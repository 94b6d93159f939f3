//! A file while it is written.

use crate::error::failed;
use crate::{Access, Files, Result, UNFINISHED, file_name, parent};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file that is being written, under the name that it was made with.
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

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes that were written.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Makes what was written last.
    pub fn sync(&self) -> Result<()> {
        self.files.system.sync(&self.path, &self.file).map_err(failed("sync", &self.path))
    }

    /// The file itself, to be read.
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

/// A file that is written beside its place. If it is dropped before [`finish`](Self::finish), nothing is left of it.
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
        // From here on this type removes it, by the calls that tests can have fail.
        let path = path.keep().map_err(|error| failed("write", place)(error.error))?;
        Ok(Self { out: OutFile::new(files.clone(), path, file), place: place.to_owned(), finished: false })
    }

    /// Where it will be.
    #[must_use]
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// Syncs it and gives it its name, which lasts.
    pub fn finish(self) -> Result<()> {
        self.out.sync()?;
        let (files, place) = (self.out.files.clone(), self.place.clone());
        self.finish_unsynced()?;
        files.sync_folder_of(&place)
    }

    /// Gives it its name. It need not outlive the process.
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
            // What is there of it is of no use; that it cannot be removed says less than why it was not finished.
            let _ = self.out.files.remove_file(&self.out.path);
        }
    }
}
