//! A pattern -> the files that match it, with the rules of a shell.
//!
//! The pattern is followed one name at a time, so that only folders that can contain a match are read. A name that is
//! not UTF-8 is compared in the form in which it is displayed.

use crate::{Error, Result};
use glob::{MatchOptions, Pattern};
use std::path::{Path, PathBuf};

/// A wildcard matches neither a slash, nor a dot at the beginning of a name.
const RULES: MatchOptions =
    MatchOptions { case_sensitive: true, require_literal_separator: true, require_literal_leading_dot: true };

/// The wildcard for any number of folders.
const ANY_FOLDERS: &str = "**";

pub(super) fn has_wildcards(argument: &str) -> bool {
    argument.contains(['*', '?', '['])
}

/// Finds the files that match `pattern`. They are not sorted, and a file may be listed several times.
pub(super) fn matching_files(pattern: &str) -> Result<Vec<PathBuf>> {
    let invalid = |cause| {
        Error::Invalid(format!("there is no file {pattern}, and it is not a pattern either: {cause}"))
    };
    Pattern::new(pattern).map_err(invalid)?;
    let root = if pattern.starts_with('/') { PathBuf::from("/") } else { PathBuf::new() };
    let mut found = vec![root];
    for name in pattern.split('/').filter(|name| !name.is_empty()) {
        let mut next = Vec::new();
        if name == ANY_FOLDERS {
            found.iter().try_for_each(|folder| folders_below(folder, &mut next))?;
        } else if has_wildcards(name) {
            let name = Pattern::new(name).map_err(invalid)?;
            for folder in &found {
                let entries = entries(folder)?;
                next.extend(entries.into_iter().filter(|path| name.matches_with(&file_name(path), RULES)));
            }
        } else {
            next.extend(found.iter().map(|folder| folder.join(name)).filter(|path| path.exists()));
        }
        found = next;
    }
    found.retain(|path| path.is_file());
    Ok(found)
}

/// A folder and all folders below it. Hidden folders are left out, and links are not followed.
fn folders_below(folder: &Path, into: &mut Vec<PathBuf>) -> Result<()> {
    into.push(folder.to_owned());
    for entry in entries(folder)? {
        if entry.is_dir() && !entry.is_symlink() && !file_name(&entry).starts_with('.') {
            folders_below(&entry, into)?;
        }
    }
    Ok(())
}

/// The entries of a folder. Empty if `folder` is not a folder.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    if !here.is_dir() {
        return Ok(Vec::new());
    }
    let failure = |cause| Error::Io { action: "read", name: here.display().to_string(), cause };
    let entries = std::fs::read_dir(here).map_err(failure)?;
    entries.map(|entry| Ok(folder.join(entry.map_err(failure)?.file_name()))).collect()
}

fn file_name(path: &Path) -> std::borrow::Cow<'_, str> {
    path.file_name().unwrap_or_default().to_string_lossy()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_a_shell() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().display().to_string();
        for name in ["a.jsonl", "b.jsonl", ".c.jsonl", "x/a.jsonl", "x/y/a.jsonl", "x/.z/a.jsonl", "[1].txt"]
        {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let files = |pattern: &str| {
            let mut found: Vec<String> = matching_files(&format!("{root}/{pattern}"))
                .unwrap()
                .iter()
                .map(|path| path.strip_prefix(&root).unwrap().display().to_string())
                .collect();
            found.sort();
            found.dedup();
            found
        };
        assert_eq!(files("*.jsonl"), ["a.jsonl", "b.jsonl"]);
        assert_eq!(files("[ab].jsonl"), ["a.jsonl", "b.jsonl"]);
        assert_eq!(files("?.jsonl"), ["a.jsonl", "b.jsonl"]);
        assert_eq!(files(".*.jsonl"), [".c.jsonl"]);
        assert_eq!(files("*/a.jsonl"), ["x/a.jsonl"]);
        assert_eq!(files("**/a.jsonl"), ["a.jsonl", "x/a.jsonl", "x/y/a.jsonl"]);
        assert_eq!(files("x/**/*.jsonl"), ["x/a.jsonl", "x/y/a.jsonl"]);
        assert_eq!(files("[[]1].txt"), ["[1].txt"]);
        assert!(files("*").len() == 3 && files("none*").is_empty() && files("a.jsonl/*").is_empty());
        assert!(matching_files(&format!("{root}/a**")).is_err());
        assert!(matching_files(&format!("{root}/[")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_not_utf_8_do_no_harm() {
        use std::os::unix::ffi::OsStrExt;
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(std::ffi::OsStr::from_bytes(b"\xff.jsonl")), "").unwrap();
        std::fs::write(folder.path().join("a.jsonl"), "").unwrap();
        let found =
            |name: &str| matching_files(&format!("{}/{name}", folder.path().display())).unwrap().len();
        assert_eq!((found("a*"), found("*.jsonl"), found("**/*.jsonl")), (1, 2, 2));
    }
}
