//! Standard input, whose first bytes are looked at before it is read; and the copy of it, or of a pipe, that is read again.

use crate::{Error, Location, Result, Source, Stamp};
use std::io::{ErrorKind, Read, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Bytes copied at once.
const COPIED_AT_ONCE: usize = 128 << 10;

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

/// What came from standard input or a pipe, in a file of this user's alone that goes when this does.
#[derive(Debug)]
pub struct PutBy {
    _file: tempfile::NamedTempFile,
}

impl PutBy {
    /// Copies what gives its bytes only once to a file in `folder`, if `source` is such a one, and makes the source that
    /// file. What it holds is what tells it from another one: a pipe has no time of modification.
    pub fn stdin(source: &mut Source, folder: &Path) -> Result<Option<Self>> {
        let mut stream: Box<dyn Read> = match &source.location {
            Location::Stdin => Box::new(Stdin),
            Location::Pipe(pipe) => Box::new(pipe.clone()),
            _ => return Ok(None),
        };
        let mut file =
            tempfile::Builder::new().prefix("lookalike-stdin-").tempfile_in(folder).map_err(|cause| {
                Error::Io {
                    action: "copy standard input to a file in",
                    name: folder.display().to_string(),
                    cause,
                }
            })?;
        let mut content = blake3::Hasher::new();
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
                name: file.path().display().to_string(),
                cause,
            })?;
            source.size += read as u64;
        }
        source.stamp = Stamp::Tag(content.finalize().to_hex().to_string());
        source.location = Location::Copy(file.path().to_owned());
        Ok(Some(Self { _file: file }))
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
