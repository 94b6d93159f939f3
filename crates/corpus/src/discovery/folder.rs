//! A folder -> the files below it.

use crate::{Error, Result};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The files below `folder`, as paths from there, bytewise. What begins with a dot is passed over. Links are followed,
/// but never into a folder that is being walked already.
pub(super) fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut above = BTreeSet::new();
    walk(folder, Path::new(""), &mut above, &mut files)?;
    files.sort_by(|a, b| a.as_os_str().as_encoded_bytes().cmp(b.as_os_str().as_encoded_bytes()));
    Ok(files)
}

fn walk(folder: &Path, below: &Path, above: &mut BTreeSet<PathBuf>, files: &mut Vec<PathBuf>) -> Result<()> {
    let failure = |cause| Error::Io { action: "read", name: folder.display().to_string(), cause };
    // The system limits how long a path is, and so how deep this goes.
    let real = folder.canonicalize().map_err(failure)?;
    if !above.insert(real.clone()) {
        return Ok(());
    }
    for entry in std::fs::read_dir(folder).map_err(failure)? {
        let entry = entry.map_err(failure)?;
        let name = entry.file_name();
        if name.as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let path = entry.path();
        let metadata = std::fs::metadata(&path).map_err(|cause| Error::Io {
            action: "read",
            name: path.display().to_string(),
            cause,
        })?;
        if metadata.is_dir() {
            walk(&path, &below.join(name), above, files)?;
        } else if metadata.is_file() {
            files.push(below.join(name));
        }
    }
    above.remove(&real);
    Ok(())
}
