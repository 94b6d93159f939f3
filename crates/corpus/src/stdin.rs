//! Standard input, whose first bytes are looked at before it is read, and which is put by to be read again.

use crate::stopping::wait_for;
use crate::{Error, Location, Result, Source};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
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

/// What came from standard input, in a file that goes when this does.
#[derive(Debug)]
pub struct PutBy(PathBuf);

impl PutBy {
    /// Puts standard input by in `folder`, if that is where `source` is, and makes the source that file.
    pub fn stdin(source: &mut Source, folder: &Path) -> Result<Option<Self>> {
        if source.location != Location::Stdin {
            return Ok(None);
        }
        let path = folder.join(format!("lookalike-stdin-{}", std::process::id()));
        let io = |cause| Error::Io { action: "write", name: path.display().to_string(), cause };
        let mut file = File::create_new(&path).map_err(io)?;
        let put_by = Self(path.clone());
        source.size = std::io::copy(&mut Stdin, &mut file).map_err(io)?;
        source.location = Location::Local(path.clone());
        Ok(Some(put_by))
    }
}

impl Drop for PutBy {
    fn drop(&mut self) {
        // A file that does not go is in a folder for such files.
        let _ = std::fs::remove_file(&self.0);
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
