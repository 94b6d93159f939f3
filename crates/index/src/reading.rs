//! An index whose files this process may not write to, on a disk that is read only for example.
//!
//! fjall writes to a store also when it is only read: it replays journals, and notes which tables there are. So it gets a
//! folder of its own, in that of [`Options::temp_dir`](crate::Options::temp_dir) or else in that of the system for
//! temporary files: small files are copied, with up to 64 MiB of journal, and tables, which never change, are links to
//! those of the index. Whatever fjall removes there is a link.

use crate::Result;
use crate::folder::io_error;
use files::{Files, TempFolder};
use std::path::{Path, PathBuf};

/// The folders of tables in a store.
const TABLES: &str = "tables";

/// A copy of a store for reading, which is removed when it is dropped.
#[derive(Debug)]
pub(crate) struct ReadingCopy {
    folder: TempFolder,
}

impl ReadingCopy {
    /// A copy of the store at `store`, which nobody must write to meanwhile, in `temp_dir` or else in the folder of the
    /// system for temporary files.
    pub(crate) fn of(files: &Files, store: &Path, temp_dir: Option<&Path>) -> Result<Self> {
        let folder = files.temp_folder(&temp_dir.map_or_else(std::env::temp_dir, Path::to_owned))?;
        let store = store.canonicalize().map_err(|cause| io_error("read", store, cause))?;
        let copy = Self { folder };
        copy_folder(&store, &copy.store())?;
        Ok(copy)
    }

    /// The folder of the copied store.
    pub(crate) fn store(&self) -> PathBuf {
        self.folder.path().join("store")
    }
}

/// True if an error says that this process may read a file, but may not write to it.
pub(crate) fn is_read_only(cause: &std::io::Error) -> bool {
    use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    matches!(cause.kind(), PermissionDenied | ReadOnlyFilesystem)
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir(to).map_err(|cause| io_error("create", to, cause))?;
    let entries = std::fs::read_dir(from).map_err(|cause| io_error("list", from, cause))?;
    for entry in entries {
        let entry = entry.map_err(|cause| io_error("list", from, cause))?;
        let (own, copy) = (entry.path(), to.join(entry.file_name()));
        if own.is_dir() {
            copy_folder(&own, &copy)?;
        } else if from.ends_with(TABLES) {
            link(&own, &copy).map_err(|cause| io_error("link", &own, cause))?;
        } else {
            copy_file(&own, &copy).map_err(|cause| io_error("copy", &own, cause))?;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn link(own: &Path, copy: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(own, copy)
}

#[cfg(not(unix))]
fn link(own: &Path, copy: &Path) -> std::io::Result<()> {
    std::fs::hard_link(own, copy).or_else(|_| copy_file(own, copy))
}

/// Copies the bytes of a file, and not its permissions: the copy is written to.
fn copy_file(own: &Path, copy: &Path) -> std::io::Result<()> {
    let mut from = std::fs::File::open(own)?;
    std::io::copy(&mut from, &mut std::fs::File::create_new(copy)?).map(|_| ())
}
