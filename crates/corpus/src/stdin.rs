//! Standard input, whose first bytes are looked at before it is read.

use std::io::{ErrorKind, Read};
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
