//! Calls of the Parquet crate -> an error if the crate panics, or before it takes too much memory.
//!
//! The crate checks most of a file, but not everything: some damaged files make it panic. This is reported as damage,
//! with the name of the file. The crate also reads and decompresses a whole page, whatever length its header states.
//! The header is therefore read before the crate sees it, and a page that is too large for the memory limit is
//! refused.

use super::input::damaged;
use crate::{Error, Result};
use parquet::errors::Result as ParquetResult;
use std::cell::Cell;
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Once};

thread_local! {
    /// True while a panic on this thread is expected and need not be printed.
    static EXPECTED: Cell<bool> = const { Cell::new(false) };
}

/// Calls the crate for the source `name`. An error if the crate reports one or panics.
pub(crate) fn guarded<T>(name: &str, call: impl FnOnce() -> ParquetResult<T>) -> Result<T> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let print = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !EXPECTED.get() {
                print(panic);
            }
        }));
    });
    let before = EXPECTED.replace(true);
    // The state that the crate leaves behind is not used again: every caller stops with the error.
    let answer = catch_unwind(AssertUnwindSafe(call));
    EXPECTED.set(before);
    match answer {
        Ok(answer) => answer.map_err(|cause| damaged(name, cause)),
        Err(panic) => {
            let said = panic.downcast_ref::<String>().map(String::as_str);
            let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
            let cause = format!("it cannot be read as Parquet (its reader stopped: {said})");
            Err(Error::Damaged { name: name.to_owned(), cause })
        }
    }
}

/// Reads a page header, and refuses the page before the crate sees the header if the page is too large.
pub(super) struct Pages<R> {
    inner: R,
    /// The bytes that were read in advance, and how many of them were passed on.
    looked_at: Vec<u8>,
    handed_out: usize,
    most: u64,
    /// Set to the size of a page that is refused.
    refused: Arc<AtomicU64>,
}

/// A page header begins with its type and its two lengths: three fields, each with one byte for the field and up to 5
/// bytes for the number.
const LENGTHS: u64 = 18;

impl<R: Read> Pages<R> {
    pub(super) fn new(inner: R, most: u64, refused: Arc<AtomicU64>) -> Self {
        Self { inner, looked_at: Vec::new(), handed_out: 0, most, refused }
    }
}

impl<R: Read> Read for Pages<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.looked_at.is_empty() {
            self.inner.by_ref().take(LENGTHS).read_to_end(&mut self.looked_at)?;
            if let Some(bytes) = page_bytes(&self.looked_at).filter(|bytes| *bytes > self.most) {
                self.refused.store(bytes, Ordering::Relaxed);
                return Err(io::Error::other(format!("a page of {bytes} bytes is too large")));
            }
        }
        if self.handed_out == self.looked_at.len() {
            return self.inner.read(into);
        }
        let read = (&self.looked_at[self.handed_out..]).read(into)?;
        self.handed_out += read;
        Ok(read)
    }
}

/// The sum of the two lengths in a page header, decompressed and stored. `None` if the bytes are not a page header.
///
/// In the compact protocol of Thrift, the next field is the byte `15` (an `i32`) followed by its value, seven bits at
/// a time, with the sign in the lowest bit.
fn page_bytes(header: &[u8]) -> Option<u64> {
    let mut rest = header.iter();
    let mut field = || {
        if *rest.next()? != 0x15 {
            return None;
        }
        let (mut value, mut shift) = (0u64, 0);
        loop {
            let byte = *rest.next()?;
            value |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return (value & 1 == 0).then_some(value >> 1);
            }
            if shift > 28 {
                return None;
            }
        }
    };
    let _kind = field()?;
    Some(field()? + field()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_damage_and_the_next_call_works() {
        let error =
            guarded::<()>("a.parquet", || panic!("index out of {}", "bounds")).unwrap_err().to_string();
        assert_eq!(
            error,
            "a.parquet is damaged: it cannot be read as Parquet (its reader stopped: index out of bounds)"
        );
        assert_eq!(guarded("a.parquet", || Ok(3)).unwrap(), 3);
    }

    #[test]
    fn lengths_of_page_headers() {
        // Type 0, 300 bytes, 5 bytes.
        let header = [0x15, 0, 0x15, 0xd8, 0x04, 0x15, 10, 0x2c];
        assert_eq!(page_bytes(&header), Some(305));
        assert_eq!(page_bytes(&header[..5]), None);
        assert_eq!(page_bytes(b"PAR1"), None);
        let (mut read, refused) = (Vec::new(), Arc::new(AtomicU64::new(0)));
        Pages::new(&header[..], 305, Arc::clone(&refused)).read_to_end(&mut read).unwrap();
        assert_eq!((read.as_slice(), refused.load(Ordering::Relaxed)), (&header[..], 0));
        assert!(Pages::new(&header[..], 304, Arc::clone(&refused)).read_to_end(&mut read).is_err());
        assert_eq!(refused.load(Ordering::Relaxed), 305);
    }
}
