//! Files that are complete or absent, locks, and temporary folders: everything that a run does to a disk, except
//! reading its sources.
//!
//! ```text
//! bytes -> a temporary file -> synced -> renamed to its final name -> its folder synced
//! ```
//!
//! A rename within a file system is atomic, so every reader sees the complete file or no file. The syncs, in this
//! order, guarantee this after a power cut too.
//!
//! [`Files`] is the local disk. It is built on the few calls of [`System`], so that a test can replace them by faulty
//! ones: every call can fail, be cut short, or be the last one before a power cut (the feature `faults`). [`Place`]
//! is the interface that outputs need from their target: a folder or a prefix of an object store.
//!
//! Nothing here follows a link that another user created where a file is about to be written: files are created under
//! names that cannot be guessed, or only if the name does not exist yet.

mod error;
#[cfg(feature = "faults")]
pub mod faulty;
mod lock;
mod page;
mod path_name;
mod place;
mod system;
mod temporary;
mod unfinished;

pub use error::{Error, Result};
pub use lock::Lock;
pub use page::{PageError, check_page, marked_page, write_page};
pub use path_name::{name_to_path, path_to_name};
pub use place::{Folder, Place};
#[cfg(feature = "faults")]
pub use system::die_at_call;
pub use system::{Access, Entry, Local, System, called};
pub use temporary::TempFolder;
pub use unfinished::{OutFile, Unfinished};

use error::failed;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The ending of files that are still being written. These files are not outputs.
pub const UNFINISHED: &str = ".lookalike-unfinished";

/// The local disk.
#[derive(Debug, Clone)]
pub struct Files {
    system: Arc<dyn System>,
}

impl Default for Files {
    fn default() -> Self {
        Self::on(Arc::new(Local))
    }
}

impl Files {
    /// The local disk with another implementation of [`System`].
    #[must_use]
    pub fn on(system: Arc<dyn System>) -> Self {
        Self { system }
    }

    /// Opens a file for reading.
    pub fn open(&self, path: &Path) -> Result<File> {
        self.system.open(path).map_err(failed("read", path))
    }

    /// All bytes of a file; `None` if it does not exist.
    pub fn read(&self, path: &Path) -> Result<Option<Vec<u8>>> {
        let mut bytes = Vec::new();
        match self.system.open(path).and_then(|mut file| file.read_to_end(&mut bytes)) {
            Ok(_) => Ok(Some(bytes)),
            Err(cause) if is_absent(&cause) => Ok(None),
            Err(cause) => Err(failed("read", path)(cause)),
        }
    }

    /// True if something of this name exists. A link is not followed.
    pub fn exists(&self, path: &Path) -> Result<bool> {
        match std::fs::symlink_metadata(path) {
            Ok(_) => Ok(true),
            Err(cause) if is_absent(&cause) => Ok(false),
            Err(cause) => Err(failed("look for", path)(cause)),
        }
    }

    /// The names of all files below `folder`, with `/`, bytewise, without unfinished files. Empty if the folder does
    /// not exist.
    pub fn list(&self, folder: &Path) -> Result<Vec<String>> {
        let mut names = Vec::new();
        self.list_below(folder, "", &mut names)?;
        names.sort_unstable();
        Ok(names)
    }

    fn list_below(&self, folder: &Path, prefix: &str, names: &mut Vec<String>) -> Result<()> {
        let entries = match self.system.list(folder) {
            Ok(entries) => entries,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(cause) => return Err(failed("list", folder)(cause)),
        };
        for entry in entries {
            let name = format!("{prefix}{}", path_to_name(Path::new(&entry.name)));
            if entry.is_folder {
                self.list_below(&folder.join(&entry.name), &format!("{name}/"), names)?;
            } else if !name.ends_with(UNFINISHED) {
                names.push(name);
            }
        }
        Ok(())
    }

    /// Creates a folder and its missing parents, and syncs the folders in which they are created.
    pub fn make_folder(&self, folder: &Path) -> Result<()> {
        if folder.as_os_str().is_empty() || folder.is_dir() {
            return Ok(());
        }
        if let Some(parent) = folder.parent() {
            self.make_folder(parent)?;
        }
        match self.system.make_folder(folder, Access::Shared) {
            Ok(()) => self.sync_folder_of(folder),
            // Another thread created it first.
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => {
                Err(failed("make the folder", folder)(io::Error::new(
                    cause.kind(),
                    "a file of this name exists; move it or choose another target",
                )))
            }
            Err(cause) => Err(failed("make the folder", folder)(cause)),
        }
    }

    /// Creates a folder that only this user can access. If it already exists, it must be such a folder.
    pub fn make_private_folder(&self, folder: &Path) -> Result<()> {
        match self.system.make_folder(folder, Access::Private) {
            Ok(()) => self.sync_folder_of(folder),
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists && temporary::is_own(folder) => Ok(()),
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => {
                Err(failed("use the folder", folder)(io::Error::new(
                    cause.kind(),
                    "it already exists and is not a private folder of this user",
                )))
            }
            Err(cause) => Err(failed("make the folder", folder)(cause)),
        }
    }

    /// Begins a file that appears at `place` when it is finished. Until then it is in the same folder, under a name
    /// that cannot be guessed. The folder must exist.
    pub fn begin(&self, place: &Path) -> Result<Unfinished> {
        Unfinished::begin(self, place)
    }

    /// Writes a file completely or not at all.
    pub fn write_whole(&self, place: &Path, bytes: &[u8]) -> Result<()> {
        let mut file = self.begin(place)?;
        io::Write::write_all(&mut file, bytes).map_err(failed("write", place))?;
        file.finish()
    }

    /// Writes a small file unless one of this name exists. Returns true if it was written.
    pub fn write_new(&self, place: &Path, bytes: &[u8]) -> Result<bool> {
        self.make_folder(parent(place))?;
        let file = match self.system.create(place, Access::Shared) {
            Ok(file) => file,
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
            Err(cause) => return Err(failed("write", place)(cause)),
        };
        let mut out = OutFile::new(self.clone(), place.to_owned(), file);
        let written =
            io::Write::write_all(&mut out, bytes).map_err(failed("write", place)).and_then(|()| out.sync());
        if written.is_err() {
            // An incomplete file would be taken for a complete one. The caller gets the error of the write.
            let _ = self.remove_file(place);
        }
        written.and_then(|()| self.sync_folder_of(place)).map(|()| true)
    }

    /// Creates a file in a folder that belongs to the caller alone. If the name exists, as a link or as a file that a
    /// killed run left, it is removed and never written to.
    pub fn create(&self, path: &Path, access: Access) -> Result<OutFile> {
        match self.system.remove_file(path) {
            Err(cause) if !is_absent(&cause) => return Err(failed("remove", path)(cause)),
            _ => {}
        }
        let file = self.system.create(path, access).map_err(failed("write", path))?;
        Ok(OutFile::new(self.clone(), path.to_owned(), file))
    }

    /// Moves a finished file to `place`. Between file systems it is copied.
    pub fn publish(&self, file: &Path, place: &Path) -> Result<()> {
        let open = self.open(file)?;
        self.system.sync(file, &open).map_err(failed("sync", file))?;
        self.make_folder(parent(place))?;
        match self.system.rename(file, place) {
            Ok(()) => self.sync_folder_of(place),
            Err(cause) if cause.kind() == io::ErrorKind::CrossesDevices => {
                self.copy(file, place)?;
                self.remove_file(file)
            }
            Err(cause) => Err(failed("write", place)(cause)),
        }
    }

    /// Like [`publish`](Self::publish), within one file system, unless a file of this name exists. Returns true if it
    /// was published.
    pub fn publish_new(&self, file: &Path, place: &Path) -> Result<bool> {
        let open = self.open(file)?;
        self.system.sync(file, &open).map_err(failed("sync", file))?;
        match self.system.rename_new(file, place) {
            Ok(()) => self.sync_folder_of(place).map(|()| true),
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(cause) => Err(failed("write", place)(cause)),
        }
    }

    /// Copies a file to `place`, completely or not at all.
    pub fn copy(&self, file: &Path, place: &Path) -> Result<()> {
        let mut from = self.open(file)?;
        let mut to = self.begin(place)?;
        io::copy(&mut from, &mut to).map_err(failed("write", place))?;
        to.finish()
    }

    /// Removes a file if it exists.
    pub fn remove_file(&self, path: &Path) -> Result<()> {
        match self.system.remove_file(path) {
            Err(cause) if !is_absent(&cause) => Err(failed("remove", path)(cause)),
            _ => Ok(()),
        }
    }

    /// Removes a folder and everything in it, if it exists. Links in it are removed, not followed.
    pub fn remove_tree(&self, folder: &Path) -> Result<()> {
        match self.system.remove_tree(folder) {
            Err(cause) if !is_absent(&cause) => Err(failed("remove", folder)(cause)),
            _ => Ok(()),
        }
    }

    /// Removes a folder in which this process holds the lock file `lock`. The lock is removed last, so that no other
    /// process uses files that are not removed yet.
    pub fn remove_locked_tree(&self, folder: &Path, lock: &str) -> Result<()> {
        let entries = match self.system.list(folder) {
            Ok(entries) => entries,
            Err(cause) if is_absent(&cause) => return Ok(()),
            Err(cause) => return Err(failed("list", folder)(cause)),
        };
        for entry in entries.iter().filter(|entry| entry.name != lock) {
            let path = folder.join(&entry.name);
            if entry.is_folder { self.remove_tree(&path)? } else { self.remove_file(&path)? }
        }
        self.remove_file(&folder.join(lock))?;
        // Another process may have locked it again.
        self.remove_if_empty(folder);
        Ok(())
    }

    /// Removes a folder if it exists and is empty. Returns true if the folder no longer exists.
    pub fn remove_if_empty(&self, folder: &Path) -> bool {
        self.system.remove_folder(folder).is_ok()
    }

    /// Removes unfinished files that a killed run left in `folder` (not in its subfolders). The caller must hold the
    /// lock of the folder.
    pub fn remove_unfinished(&self, folder: &Path) -> Result<()> {
        let entries = match self.system.list(folder) {
            Ok(entries) => entries,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(cause) => return Err(failed("list", folder)(cause)),
        };
        for entry in entries.iter().filter(|entry| !entry.is_folder) {
            if entry.name.as_encoded_bytes().ends_with(UNFINISHED.as_bytes()) {
                self.remove_file(&folder.join(&entry.name))?;
            }
        }
        Ok(())
    }

    /// Locks the file at `path`, which is created if it does not exist. `None` if another process holds the lock.
    pub fn lock(&self, path: &Path) -> Result<Option<Lock>> {
        Lock::take(self, path)
    }

    /// Creates a private folder in `parent`, which is removed when the value is dropped. Folders that killed runs of
    /// the same user left in `parent` are removed first.
    pub fn temp_folder(&self, parent: &Path) -> Result<TempFolder> {
        TempFolder::new(self, parent)
    }

    /// Removes the temporary folders that killed runs of the same user left in `parent`. A folder that cannot be
    /// removed is ignored.
    pub fn remove_left_folders(&self, parent: &Path) {
        temporary::clear(self, parent);
    }

    /// Syncs the folder of `path`, so that the name of `path` survives a power cut.
    pub(crate) fn sync_folder_of(&self, path: &Path) -> Result<()> {
        let folder = parent(path);
        match self.system.sync_folder(folder) {
            // Some network file systems cannot sync a folder.
            Err(cause)
                if !matches!(cause.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) =>
            {
                Err(failed("sync the folder", folder)(cause))
            }
            _ => Ok(()),
        }
    }
}

/// The folder that contains a path.
fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn is_absent(cause: &io::Error) -> bool {
    matches!(cause.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The last name of a path, for use in another name.
fn file_name(path: &Path) -> PathBuf {
    path.file_name().map_or_else(|| "file".into(), PathBuf::from)
}

#[cfg(test)]
mod tests;
