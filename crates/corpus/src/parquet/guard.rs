//! Calls of the Parquet crate -> an error if the crate panics, or before it takes too much memory.
//!
//! The crate checks most of a file, but not everything: some damaged files make it panic. This is reported as damage,
//! with the name of the file. The crate also reads and decompresses a whole page, whatever length its header states.
//! The header is therefore read before the crate sees it, and a page that is too large for the memory limit is
//! refused.

use super::input::damaged;
use super::page_header::PageHeader;
use crate::{Error, Result};
use parquet::errors::Result as ParquetResult;
use std::cell::Cell;
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError};

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
    /// Is told whether the page has a checksum, if its body need not be read as a whole.
    divided: Option<Arc<Divided>>,
}

/// What is known about the last page of a column whose long pages are divided.
#[derive(Debug, Default)]
pub(super) struct Divided {
    /// True if the body can be read in parts: its header was understood, and it has no checksum.
    can_be_divided: AtomicBool,
    /// The body, if only its beginning was read.
    rest: Mutex<Option<Body>>,
}

/// The body of a page: where it begins and ends in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Body {
    pub(super) begin: u64,
    pub(super) end: u64,
}

impl Body {
    pub(super) fn bytes(self) -> u64 {
        self.end.saturating_sub(self.begin)
    }
}

impl Divided {
    pub(super) fn can_be_divided(&self) -> bool {
        self.can_be_divided.load(Ordering::Relaxed)
    }

    /// Notes that only the beginning of a body was read, or returns what was noted last.
    pub(super) fn replace_rest(&self, rest: Option<Body>) -> Option<Body> {
        // The note is one value, which is whole even if a thread ended while it held the lock.
        let mut noted = self.rest.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *noted, rest)
    }
}

impl<R: Read> Pages<R> {
    pub(super) fn new(inner: R, most: u64, refused: Arc<AtomicU64>) -> Self {
        Self { inner, looked_at: Vec::new(), handed_out: 0, most, refused, divided: None }
    }

    /// Lets pages of any size through that can be divided, and notes which can.
    pub(super) fn dividing(mut self, divided: Option<Arc<Divided>>) -> Self {
        self.divided = divided;
        self
    }
}

impl<R: Read> Read for Pages<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.looked_at.is_empty() {
            let page = PageHeader::read(&mut self.inner, &mut self.looked_at)?;
            let can_be_divided = page.is_some_and(|page| !page.has_checksum);
            if let Some(divided) = &self.divided {
                divided.can_be_divided.store(can_be_divided, Ordering::Relaxed);
            }
            if let Some(page) = page {
                page.check_values()?;
                if page.bytes() > self.most && !(can_be_divided && self.divided.is_some()) {
                    self.refused.store(page.bytes(), Ordering::Relaxed);
                    return Err(io::Error::other(format!("a page of {} bytes is too large", page.bytes())));
                }
            }
        }
        if self.handed_out == self.looked_at.len() {
            return match self.inner.read(into)? {
                0 if !into.is_empty() => {
                    Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file ends within a page"))
                }
                read => Ok(read),
            };
        }
        let read = (&self.looked_at[self.handed_out..]).read(into)?;
        self.handed_out += read;
        Ok(read)
    }
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
    fn pages_that_are_too_large_are_refused() {
        // Type 0, 300 bytes, 5 bytes, and the header of a data page.
        let header = [0x15, 0, 0x15, 0xd8, 0x04, 0x15, 10, 0x2c, 0, 0];
        let (mut read, refused) = (Vec::new(), Arc::new(AtomicU64::new(0)));
        read.resize(header.len(), 0);
        let mut pages = Pages::new(&header[..], 305, Arc::clone(&refused));
        pages.read_exact(&mut read).unwrap();
        // The crate skips what it does not know, as many values as the header says, and does not look for its end.
        assert_eq!(pages.read(&mut [0]).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        assert_eq!((read.as_slice(), refused.load(Ordering::Relaxed)), (&header[..], 0));
        assert!(Pages::new(&header[..], 304, Arc::clone(&refused)).read_to_end(&mut read).is_err());
        assert_eq!(refused.load(Ordering::Relaxed), 305);
    }

    #[test]
    fn a_dictionary_of_more_values_than_bytes_is_refused_before_there_is_room_for_them() {
        // Type 2, 300 bytes, 5 bytes, with and without a checksum, then 301 values.
        for between in [&[0x15, 1, 0x3c][..], &[0x4c]] {
            let header = |values: &[u8]| {
                [&[0x15, 4, 0x15, 0xd8, 0x04, 0x15, 10], between, &[0x15], values, &[0, 0]].concat()
            };
            let read = |values: &[u8]| {
                let mut bytes = vec![0; header(values).len()];
                let refused = Arc::new(AtomicU64::new(0));
                Pages::new(&header(values)[..], 1 << 20, refused).read_exact(&mut bytes)
            };
            assert!(read(&[0xda, 0x04]).is_err());
            assert!(read(&[0xd8, 0x04]).is_ok());
        }
    }
}
