//! The calls to the system that everything here is made of, so that a test can have each of them fail.

use std::ffi::OsString;
use std::fmt::Debug;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Who may look into what is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Whoever the user's settings (the umask) allow to.
    Shared,
    /// The user alone.
    Private,
}

/// What a folder holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: OsString,
    /// Whether it is a folder; a link is not.
    pub is_folder: bool,
}

/// The calls to the system.
pub trait System: Debug + Send + Sync {
    /// Makes a file that is not there yet, for reading and writing. A link of that name is an error.
    fn create(&self, path: &Path, access: Access) -> io::Result<File>;
    /// Opens a file for reading.
    fn open(&self, path: &Path) -> io::Result<File>;
    /// Writes some bytes at the end of what was written, and says how many.
    fn write(&self, path: &Path, file: &mut File, bytes: &[u8]) -> io::Result<usize>;
    /// Makes what was written to a file last.
    fn sync(&self, path: &Path, file: &File) -> io::Result<()>;
    /// Gives a file another name, in place of what has that name.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Gives a file another name, unless there is one of that name.
    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Makes the names in a folder last.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;
    /// Makes a folder that is not there yet.
    fn make_folder(&self, folder: &Path, access: Access) -> io::Result<()>;
    /// Removes a file or a link.
    fn remove_file(&self, path: &Path) -> io::Result<()>;
    /// Removes an empty folder.
    fn remove_folder(&self, folder: &Path) -> io::Result<()>;
    /// Removes a folder and all that is in it.
    fn remove_tree(&self, folder: &Path) -> io::Result<()>;
    /// What a folder holds, in any order.
    fn list(&self, folder: &Path) -> io::Result<Vec<Entry>>;
}

/// The system that this runs on.
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
            // Some file systems have no second names: two who do this in the same instant may both succeed.
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

/// Says that a call to a system or a store is about to be made, so that a test can end the process there. Whoever calls something other than
/// [`Local`] says it too.
#[cfg(not(feature = "faults"))]
#[inline]
pub fn called() {}

/// Calls that are left until the process ends; 0 if it does not.
#[cfg(feature = "faults")]
static CALLS_LEFT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);

/// The process ends, as if it were killed, before it makes its `call`th call (from 1). For tests of whole programs.
#[cfg(feature = "faults")]
pub fn die_at_call(call: u64) {
    CALLS_LEFT.store(call, std::sync::atomic::Ordering::SeqCst);
}

/// Says that a call to a system or a store is about to be made: the one before which the process is to end is the last.
#[cfg(feature = "faults")]
pub fn called() {
    use std::sync::atomic::Ordering::SeqCst;
    if CALLS_LEFT.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1)) == Ok(1) {
        std::process::abort();
    }
}
