//! Writes files that are either complete or absent, and pages that replace only earlier pages of lookalike.

use crate::failure::{Failure, Result};
use files::Files;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

/// The first line of every page and picture. It tells them from files of the user, which must not be overwritten.
const MARK: &str = "<!-- made by lookalike -->\n";

/// Writes to a temporary file and renames it.
pub(super) fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let written = Files::default().write_whole(path, bytes);
    written.map_err(|error| Failure::io("write", path.display(), &error.cause))
}

/// Writes a page or a picture. The path may be a pipe or a device. An existing file is replaced only if it is an
/// earlier page.
pub(super) fn write_page(path: &Path, page: &str) -> Result<()> {
    check_page(path)?;
    let page = [MARK, page].concat();
    let failed = |cause| Failure::io("write", path.display(), &cause);
    match path.metadata() {
        Ok(found) if !found.is_file() => {
            let file = File::options().write(true).open(path);
            file.and_then(|mut file| file.write_all(page.as_bytes())).map_err(failed)
        }
        // A link is followed: its target is replaced, not the link.
        Ok(_) => write_whole(&path.canonicalize().map_err(failed)?, page.as_bytes()),
        Err(_) => write_whole(path, page.as_bytes()),
    }
}

/// An error if `path` is a folder, or a file that lookalike did not write.
pub(super) fn check_page(path: &Path) -> Result<()> {
    let Ok(found) = path.metadata() else { return Ok(()) };
    let refused = |what: &str| {
        Err(Failure::usage(format!("{} is {what}", path.display()))
            .with_advice("name another file for the page"))
    };
    if found.is_dir() {
        return refused("a folder");
    }
    if !found.is_file() || found.len() == 0 {
        return Ok(());
    }
    let mut head = [0; MARK.len()];
    match File::open(path).and_then(|mut file| file.read_exact(&mut head)) {
        Ok(()) if head == *MARK.as_bytes() => Ok(()),
        _ => refused("an existing file that is not a page of lookalike"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_replaces_pages_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        write_page(&path("new.html"), "one").unwrap();
        write_page(&path("new.html"), "two").unwrap();
        assert_eq!(std::fs::read_to_string(path("new.html")).unwrap(), format!("{MARK}two"));
        std::fs::write(path("corpus.html"), "<!DOCTYPE html>").unwrap();
        let refused = write_page(&path("corpus.html"), "page").unwrap_err();
        assert!(refused.to_string().contains("an existing file that is not a page"), "{refused}");
        assert!(write_page(folder.path(), "page").unwrap_err().to_string().contains("is a folder"));
        assert_eq!(std::fs::read_to_string(path("corpus.html")).unwrap(), "<!DOCTYPE html>");
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(path("new.html"), path("link.html")).unwrap();
            write_page(&path("link.html"), "three").unwrap();
            assert!(path("link.html").is_symlink());
            assert_eq!(std::fs::read_to_string(path("new.html")).unwrap(), format!("{MARK}three"));
            write_page(Path::new("/dev/null"), "page").unwrap();
            assert!(!Path::new("/dev/null").metadata().unwrap().is_file());
        }
    }
}
