//! The calls to the system that everything here is built on, so that a test can make each of them fail.

use std::ffi::OsString;
use std::fmt::Debug;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Who can access a new file or folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Everybody that the user's settings (the umask) allow.
    Shared,
    /// Only the user.
    Private,
}

/// An entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The name of the entry.
    pub name: OsString,
    /// True if the entry is a folder. A link is not a folder.
    pub is_folder: bool,
}

/// The calls to the system.
pub trait System: Debug + Send + Sync {
    /// Creates a file that does not exist yet, for reading and writing. A link of that name is an error.
    fn create(&self, path: &Path, access: Access) -> io::Result<File>;
    /// Opens a file for reading.
    fn open(&self, path: &Path) -> io::Result<File>;
    /// Appends some bytes and returns their number.
    fn write(&self, path: &Path, file: &mut File, bytes: &[u8]) -> io::Result<usize>;
    /// Syncs the contents of a file, so that they survive a power cut.
    fn sync(&self, path: &Path, file: &File) -> io::Result<()>;
    /// Renames a file. It replaces an existing file of the new name.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Renames a file. An error if the new name exists.
    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Syncs a folder, so that the names in it survive a power cut.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;
    /// Creates a folder that does not exist yet.
    fn make_folder(&self, folder: &Path, access: Access) -> io::Result<()>;
    /// Removes a file or a link.
    fn remove_file(&self, path: &Path) -> io::Result<()>;
    /// Removes an empty folder.
    fn remove_folder(&self, folder: &Path) -> io::Result<()>;
    /// Removes a folder and everything in it.
    fn remove_tree(&self, folder: &Path) -> io::Result<()>;
    /// The entries of a folder, in any order.
    fn list(&self, folder: &Path) -> io::Result<Vec<Entry>>;
}

/// The real system.
#[derive(Debug, Clone, Copy, Default)]
pub struct Local;

impl System for Local {
    fn create(&self, path: &Path, access: Access) -> io::Result<File> {
        called();
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        if access == Access::Private {
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        let _ = access;
        options.open(path)
    }

    fn open(&self, path: &Path) -> io::Result<File> {
        called();
        File::open(path)
    }

    fn write(&self, _path: &Path, file: &mut File, bytes: &[u8]) -> io::Result<usize> {
        called();
        file.write(bytes)
    }

    fn sync(&self, _path: &Path, file: &File) -> io::Result<()> {
        called();
        file.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        called();
        fs::rename(from, to)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        called();
        match fs::hard_link(from, to) {
            Ok(()) => fs::remove_file(from),
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => Err(cause),
            // Some file systems have no hard links. There, two callers that do this at the same instant may both
            // succeed.
            Err(_) if fs::symlink_metadata(to).is_ok() => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => fs::rename(from, to),
        }
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        called();
        if cfg!(not(unix)) {
            return Ok(()); // Other systems cannot open a folder.
        }
        File::open(folder)?.sync_all()
    }

    fn make_folder(&self, folder: &Path, access: Access) -> io::Result<()> {
        called();
        #[cfg_attr(not(unix), allow(unused_mut, reason = "only Unix has modes"))]
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        if access == Access::Private {
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        }
        let _ = access;
        builder.create(folder)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        called();
        fs::remove_file(path)
    }

    fn remove_folder(&self, folder: &Path) -> io::Result<()> {
        called();
        fs::remove_dir(folder)
    }

    fn remove_tree(&self, folder: &Path) -> io::Result<()> {
        called();
        fs::remove_dir_all(folder)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<Entry>> {
        called();
        fs::read_dir(folder)?
            .map(|entry| {
                let entry = entry?;
                Ok(Entry { name: entry.file_name(), is_folder: entry.file_type()?.is_dir() })
            })
            .collect()
    }
}

/// Announces a call to the system or to a store, so that a test can end the process at this point. Implementations
/// other than [`Local`] must call it too.
#[cfg(not(feature = "faults"))]
#[inline]
pub fn called() {}

/// Number of calls before the process ends; 0 if it does not end.
#[cfg(feature = "faults")]
static CALLS_LEFT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);

/// Ends the process, as if it were killed, before call number `call` (counted from 1). For tests of whole programs.
#[cfg(feature = "faults")]
pub fn die_at_call(call: u64) {
    CALLS_LEFT.store(call, std::sync::atomic::Ordering::SeqCst);
}

/// Announces a call to the system or to a store, and ends the process if this is the chosen call.
#[cfg(feature = "faults")]
pub fn called() {
    use std::sync::atomic::Ordering::SeqCst;
    if CALLS_LEFT.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1)) == Ok(1) {
        std::process::abort();
    }
}
