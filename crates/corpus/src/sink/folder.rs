//! Outputs in a local folder: whole or absent, whatever happens and whenever.
//!
//! A file is written aside, synced, renamed into its place, and the folder that names it is synced. A rename within
//! a file system is atomic, so whoever looks sees the whole file or none; the syncs, in this order, make
//! that hold after a power cut too.

use super::names::check_name;
use crate::{Error, Result, name_to_path, path_to_name};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// How files that are being written beside their place end. They are no outputs.
const UNFINISHED: &str = ".lookalike-unfinished";

/// The path of the output `name` below `folder`.
pub(crate) fn path(folder: &Path, name: &str) -> Result<PathBuf> {
    check_name(name)?;
    Ok(folder.join(name_to_path(name)))
}

/// All files below `folder`, by name, bytewise; empty if there is no such folder.
pub(crate) fn list(folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    list_below(folder, "", &mut names)?;
    names.sort_unstable();
    Ok(names)
}

fn list_below(folder: &Path, prefix: &str, names: &mut Vec<String>) -> Result<()> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(cause) => return Err(error("list", folder, cause)),
    };
    for entry in entries {
        let entry = entry.map_err(|cause| error("list", folder, cause))?;
        let name = format!("{prefix}{}", path_to_name(Path::new(&entry.file_name())));
        let kind = entry.file_type().map_err(|cause| error("list", &entry.path(), cause))?;
        if kind.is_dir() {
            list_below(&entry.path(), &format!("{name}/"), names)?;
        } else if !name.ends_with(UNFINISHED) {
            names.push(name);
        }
    }
    Ok(())
}

/// The bytes of the output `name`; `None` if there is none.
pub(crate) fn read(folder: &Path, name: &str) -> Result<Option<Vec<u8>>> {
    let path = path(folder, name)?;
    match fs::read(&path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(cause) if is_absent(&cause) => Ok(None),
        Err(cause) => Err(error("read", &path, cause)),
    }
}

/// Whether there is an output `name`.
pub(crate) fn exists(folder: &Path, name: &str) -> Result<bool> {
    let path = path(folder, name)?;
    match fs::symlink_metadata(&path) {
        Ok(_) => Ok(true),
        Err(cause) if is_absent(&cause) => Ok(false),
        Err(cause) => Err(error("look for", &path, cause)),
    }
}

fn is_absent(cause: &io::Error) -> bool {
    matches!(cause.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Writes the output `name` whole or not at all.
pub(crate) fn write(folder: &Path, name: &str, bytes: &[u8]) -> Result<()> {
    replace(folder, name, |file| file.write_all(bytes))
}

/// Moves the finished `file` to the output `name`.
pub(crate) fn publish(folder: &Path, file: &Path, name: &str) -> Result<()> {
    let place = path(folder, name)?;
    File::open(file).and_then(|file| file.sync_all()).map_err(|cause| error("sync", file, cause))?;
    make_parents(&place)?;
    match fs::rename(file, &place) {
        Ok(()) => sync_folder_of(&place),
        Err(cause) if cause.kind() == io::ErrorKind::CrossesDevices => {
            replace(folder, name, |to| io::copy(&mut File::open(file)?, to).map(|_| ()))?;
            fs::remove_file(file).map_err(|cause| error("remove", file, cause))
        }
        Err(cause) => Err(error("write", &place, cause)),
    }
}

/// Fills a file beside the place of `name` and renames it there.
fn replace(folder: &Path, name: &str, fill: impl FnOnce(&mut File) -> io::Result<()>) -> Result<()> {
    let place = path(folder, name)?;
    make_parents(&place)?;
    let aside = folder.join(name_to_path(&format!("{name}{UNFINISHED}")));
    let filled = File::create(&aside)
        .and_then(|mut file| {
            fill(&mut file)?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&aside, &place));
    if let Err(cause) = filled {
        // What is there of it is of no use; that it cannot be removed says less than why it was not written.
        let _ = fs::remove_file(&aside);
        return Err(error("write", &place, cause));
    }
    sync_folder_of(&place)
}

/// Makes the folders above `path`, and syncs the ones they are made in.
pub(crate) fn make_parents(path: &Path) -> Result<()> {
    let Some(parent) = path.parent() else { return Ok(()) };
    if parent.as_os_str().is_empty() || parent.is_dir() {
        return Ok(());
    }
    make_parents(parent)?;
    match fs::create_dir(parent) {
        Ok(()) => sync_folder_of(parent),
        // Another thread was first.
        Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists && parent.is_dir() => Ok(()),
        Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => Err(Error::Invalid(format!(
            "{} is a file, and a folder of this name is needed; move the file or choose another target",
            parent.display()
        ))),
        Err(cause) => Err(error("make the folder", parent, cause)),
    }
}

/// Makes the name of `path` last.
fn sync_folder_of(path: &Path) -> Result<()> {
    if cfg!(not(unix)) {
        return Ok(()); // Other systems cannot open a folder.
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        // Some network file systems cannot sync a folder.
        Err(cause) if !matches!(cause.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {
            Err(error("sync the folder", folder, cause))
        }
        _ => Ok(()),
    }
}

pub(crate) fn error(action: &'static str, path: &Path, cause: io::Error) -> Error {
    Error::Io { action, name: path.display().to_string(), cause }
}
