//! Standard input, whose first bytes are looked at before it is read, and which is copied to a private file to be read again.

use crate::{Error, Location, Result, Source};
use files::{Files, TempFolder};
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Bytes that were looked at and not yet read.
static AHEAD: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Standard input from its first byte on that nobody has read.
pub(crate) struct Stdin;

/// The next bytes of standard input, up to `bytes` of them; they will be read again.
pub(crate) fn look_ahead(bytes: usize) -> std::io::Result<Vec<u8>> {
    let mut ahead = AHEAD.lock().unwrap_or_else(PoisonError::into_inner);
    let missing = bytes.saturating_sub(ahead.len()) as u64;
    std::io::stdin().lock().take(missing).read_to_end(&mut ahead)?;
    Ok(ahead.clone())
}

/// What came from standard input, in a file of a private folder that goes when this does, or when the next run finds that its
/// process is gone.
#[derive(Debug)]
pub struct PutBy(TempFolder);

impl PutBy {
    /// The name of the copy in its folder.
    const NAME: &str = "standard-input";

    /// Copies standard input to a temporary folder in `folder`, if that is where `source` is, and makes the source that copy.
    pub fn stdin(source: &mut Source, folder: &Path) -> Result<Option<Self>> {
        if source.location != Location::Stdin {
            return Ok(None);
        }
        Self::copy(&mut Stdin, source, folder).map(Some)
    }

    /// Copies what gives its bytes only once to a temporary folder in `folder`, and makes the source that copy.
    pub fn copy(from: &mut dyn Read, source: &mut Source, folder: &Path) -> Result<Self> {
        let put_by = Self(Files::default().temp_folder(folder)?);
        let mut file = put_by.0.create(Self::NAME)?;
        let name = file.path().display().to_string();
        let copied = std::io::copy(from, &mut file);
        source.size = copied.map_err(|cause| Error::Io { action: "write", name, cause })?;
        source.location = Location::Local(file.path().to_owned());
        Ok(put_by)
    }

    /// Whether a path is that of such a copy: it is gone when its process is.
    #[must_use]
    pub fn is_copy(path: &Path) -> bool {
        path.file_name().is_some_and(|name| name == Self::NAME)
            && path.parent().is_some_and(TempFolder::is_one)
    }
}

impl Read for Stdin {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let mut ahead = AHEAD.lock().unwrap_or_else(PoisonError::into_inner);
        if ahead.is_empty() {
            drop(ahead);
            return match std::io::stdin().lock().read(into) {
                Err(cause) if cause.kind() == ErrorKind::Interrupted => self.read(into),
                answer => answer,
            };
        }
        let read = ahead.len().min(into.len());
        into[..read].copy_from_slice(&ahead[..read]);
        ahead.drain(..read);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn a_copy_is_private_and_goes() {
        let folder = tempfile::tempdir().unwrap();
        let mut source =
            crate::discover(&[file!().replace("crates/corpus/", "")], &Default::default()).unwrap().remove(0);
        let copy = PutBy::copy(&mut &b"some text"[..], &mut source, folder.path()).unwrap();
        let Location::Local(path) = &source.location else { panic!("it is a file") };
        assert!(PutBy::is_copy(path) && !PutBy::is_copy(Path::new("standard-input")));
        assert_eq!((std::fs::read(path).unwrap(), source.size), (b"some text".to_vec(), 9));
        assert_eq!(std::fs::metadata(path).unwrap().mode() & 0o777, 0o600);
        assert_eq!(std::fs::metadata(path.parent().unwrap()).unwrap().mode() & 0o777, 0o700);
        drop(copy);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
