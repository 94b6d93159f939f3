//! Inputs that deliver their bytes only once: a named pipe, `<(command)`, a device that ends.
//!
//! The first bytes are read to recognise the format, and are kept until the pipe is read. A pipe is opened only once:
//! the program that writes to a named pipe would take a second opening for a second reader.

use crate::stopping::wait_for;
use std::fs::File;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

/// An open pipe. Reading continues at the first byte that was not read yet.
#[derive(Clone)]
pub struct Pipe(Arc<Mutex<Open>>);

struct Open {
    /// Bytes that were read in advance.
    ahead: Vec<u8>,
    file: File,
}

impl Pipe {
    /// Opens a pipe and reads its first bytes, at most `bytes`, in advance.
    pub(crate) fn open(mut file: File, bytes: u64) -> io::Result<(Self, Vec<u8>)> {
        let mut ahead = Vec::new();
        (&mut file).take(bytes).read_to_end(&mut ahead)?;
        let head = ahead.clone();
        Ok((Self(Arc::new(Mutex::new(Open { ahead, file }))), head))
    }
}

impl Read for Pipe {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if open.ahead.is_empty() {
            wait_for(&open.file)?;
            return open.file.read(into);
        }
        let read = open.ahead.len().min(into.len());
        into[..read].copy_from_slice(&open.ahead[..read]);
        open.ahead.drain(..read);
        Ok(read)
    }
}

/// Two pipes are equal if they are the same open file.
impl PartialEq for Pipe {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Pipe {}

impl std::fmt::Debug for Pipe {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Pipe").finish_non_exhaustive()
    }
}
