//! Standard input, whose first bytes can be read in advance; and the private copy of standard input or of a pipe.

use crate::stopping::wait_for;
use crate::{Error, Location, Result, Source, Stamp};
use files::{Files, TempFolder};
use std::io::{ErrorKind, Read, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Number of bytes that are copied at once.
const COPIED_AT_ONCE: usize = 128 << 10;

/// Bytes that were read in advance.
static AHEAD: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Standard input, from the first byte on that was not read yet.
pub(crate) struct Stdin;

/// The next bytes of standard input, at most `bytes`. They are returned again by the next read.
pub(crate) fn look_ahead(bytes: usize) -> std::io::Result<Vec<u8>> {
    let mut ahead = AHEAD.lock().unwrap_or_else(PoisonError::into_inner);
    let missing = bytes.saturating_sub(ahead.len()) as u64;
    std::io::stdin().lock().take(missing).read_to_end(&mut ahead)?;
    Ok(ahead.clone())
}

/// A copy of standard input or of a pipe in a private temporary folder. The folder is removed when this value is
/// dropped. If the process ends without dropping it, the next run removes the folder.
#[derive(Debug)]
pub struct TemporaryCopy {
    _folder: TempFolder,
}

impl TemporaryCopy {
    /// The name of the copy in its folder.
    const NAME: &str = "standard-input";

    /// If `source` delivers its bytes only once, copies them to a file in `folder` and makes `source` refer to that
    /// file. The hash of the bytes becomes the stamp of the source, because a pipe has no time of modification.
    pub fn stdin(source: &mut Source, folder: &Path) -> Result<Option<Self>> {
        let mut stream: Box<dyn Read> = match &source.location {
            Location::Stdin => Box::new(Stdin),
            Location::Pipe(pipe) => Box::new(pipe.clone()),
            _ => return Ok(None),
        };
        Self::copy(&mut *stream, source, folder).map(Some)
    }

    /// Holds a folder in which a source was made.
    #[must_use]
    pub fn of(folder: TempFolder) -> Self {
        Self { _folder: folder }
    }

    fn copy(stream: &mut dyn Read, source: &mut Source, folder: &Path) -> Result<Self> {
        let folder = Files::default().temp_folder(folder)?;
        let mut file = folder.create(Self::NAME)?;
        let path = file.path().to_owned();
        let mut content = blake3::Hasher::new();
        source.size = 0;
        let mut piece = vec![0; COPIED_AT_ONCE];
        loop {
            let read = match stream.read(&mut piece) {
                Ok(0) => break,
                Ok(read) => read,
                Err(cause) if cause.kind() == ErrorKind::Interrupted => continue,
                Err(cause) => return Err(Error::Io { action: "read", name: source.name.clone(), cause }),
            };
            content.update(&piece[..read]);
            file.write_all(&piece[..read]).map_err(|cause| Error::Io {
                action: "write",
                name: path.display().to_string(),
                cause,
            })?;
            source.size += read as u64;
        }
        source.stamp = Stamp::Tag(content.finalize().to_hex().to_string());
        source.location = Location::Copy(path);
        Ok(Self { _folder: folder })
    }
}

impl Read for Stdin {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let mut ahead = AHEAD.lock().unwrap_or_else(PoisonError::into_inner);
        if ahead.is_empty() {
            drop(ahead);
            wait_for(&std::io::stdin())?;
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
        let copy = TemporaryCopy::copy(&mut &b"some text"[..], &mut source, folder.path()).unwrap();
        let Location::Copy(path) = &source.location else { panic!("it is a copy") };
        assert_eq!((std::fs::read(path).unwrap(), source.size), (b"some text".to_vec(), 9));
        assert_eq!(std::fs::metadata(path).unwrap().mode() & 0o777, 0o600);
        assert_eq!(std::fs::metadata(path.parent().unwrap()).unwrap().mode() & 0o777, 0o700);
        drop(copy);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
