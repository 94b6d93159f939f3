//! Pages and pictures, which replace nothing but pages.

use crate::error::failed;
use crate::{Error, Files};
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

/// How every page and picture begins, so that one can be told from what a user would miss.
const MARK: &str = "<!-- made by lookalike -->\n";

/// Why a page is not written.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// Something else is there.
    #[error("{name} is {what}")]
    Occupied {
        /// The file or folder.
        name: String,
        /// What it is.
        what: &'static str,
    },
    /// The system refused it.
    #[error(transparent)]
    Refused(#[from] Error),
}

/// The bytes of a page or a picture: with the mark by which a later page may replace it.
#[must_use]
pub fn marked_page(page: &str) -> String {
    [MARK, page].concat()
}

/// Writes a page or a picture. A pipe or a device gets its bytes; of files only an earlier page is replaced.
pub fn write_page(path: &Path, page: &str) -> Result<(), PageError> {
    check_page(path)?;
    let page = marked_page(page);
    let write = || failed("write", path);
    match path.metadata() {
        Ok(found) if !found.is_file() => {
            let file = File::options().write(true).open(path);
            file.and_then(|mut file| file.write_all(page.as_bytes())).map_err(write())?;
        }
        // What a link leads to is replaced, not the link.
        Ok(_) => {
            let path = path.canonicalize().map_err(write())?;
            Files::default().write_whole(&path, page.as_bytes())?;
        }
        Err(_) => Files::default().write_whole(path, page.as_bytes())?,
    }
    Ok(())
}

/// An error if a page cannot be written to `path` because something else is there.
pub fn check_page(path: &Path) -> Result<(), PageError> {
    let Ok(found) = path.metadata() else { return Ok(()) };
    let occupied = |what| Err(PageError::Occupied { name: path.display().to_string(), what });
    if found.is_dir() {
        return occupied("a folder");
    }
    if !found.is_file() {
        return Ok(());
    }
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MARK.len() as u64).read_to_end(&mut head));
    // A page that was cut off may have lost a part of the mark.
    match read {
        Ok(_) if MARK.as_bytes().starts_with(&head) => Ok(()),
        _ => occupied("a file already, and not a page of lookalike"),
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
        for cut in [0, 5, MARK.len(), MARK.len() + 1] {
            std::fs::write(path("new.html"), &format!("{MARK}two")[..cut]).unwrap();
            write_page(&path("new.html"), "two").unwrap();
            assert_eq!(std::fs::read_to_string(path("new.html")).unwrap(), format!("{MARK}two"));
        }
        std::fs::write(path("corpus.html"), "<!DOCTYPE html>").unwrap();
        let refused = write_page(&path("corpus.html"), "page").unwrap_err();
        assert!(refused.to_string().contains("a file already, and not a page"), "{refused}");
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
