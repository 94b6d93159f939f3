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

/// The bytes of a page header that are looked at: its type, its two lengths, its checksum, and how many values it has. Each is
/// a number of up to 5 bytes, after up to 4 bytes that name the field.
const LOOKED_AT: u64 = 48;

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
            self.inner.by_ref().take(LOOKED_AT).read_to_end(&mut self.looked_at)?;
            let page = PageHeader::read(&self.looked_at);
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

/// What a page header says that decides how much memory the crate takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct PageHeader {
    decompressed: u64,
    stored: u64,
    /// How many values a dictionary has. The crate makes room for so many before it reads them.
    dictionary_values: u64,
    has_checksum: bool,
}

impl PageHeader {
    /// Reads the beginning of a page header in the compact protocol of Thrift. `None` if the bytes are not a page header.
    ///
    /// A field begins with a byte: the kind of its value, and how much larger its number is than that of the field before (0: the
    /// number follows). The fields are 1 the type, 2 and 3 the lengths, 4 a checksum, and 7 the header of a dictionary, which begins
    /// with its number of values.
    fn read(header: &[u8]) -> Option<Self> {
        const NUMBER: u8 = 5;
        const STRUCTURE: u8 = 12;
        let (mut rest, mut page, mut last) = (header, Self::default(), 0);
        loop {
            let (kind, field) = field(&mut rest, last)?;
            match (kind, field) {
                (NUMBER, 1) => drop(number(&mut rest)?),
                (NUMBER, 2) => page.decompressed = length(&mut rest)?,
                (NUMBER, 3) => page.stored = length(&mut rest)?,
                (NUMBER, 4) => {
                    number(&mut rest)?;
                    page.has_checksum = true;
                }
                (STRUCTURE, 7) => {
                    if let Some((NUMBER, 1)) = self::field(&mut rest, 0) {
                        page.dictionary_values = length(&mut rest)?;
                    }
                    return Some(page);
                }
                // The headers of other pages come last.
                (STRUCTURE, _) if last >= 3 => return Some(page),
                _ => return None,
            }
            last = field;
        }
    }

    fn bytes(self) -> u64 {
        self.decompressed + self.stored
    }

    /// An error if a dictionary has more values than bytes.
    fn check_values(self) -> io::Result<()> {
        if self.dictionary_values <= self.decompressed {
            return Ok(());
        }
        let (values, bytes) = (self.dictionary_values, self.decompressed);
        Err(io::Error::other(format!("a dictionary of {values} values has only {bytes} bytes")))
    }
}

/// The kind of the next field, and its number.
fn field(rest: &mut &[u8], last: i64) -> Option<(u8, i64)> {
    let byte = *rest.split_off_first()?;
    let number = match byte >> 4 {
        0 => number(rest)?,
        more => last + i64::from(more),
    };
    Some((byte & 0xf, number))
}

/// A number that is not negative.
fn length(rest: &mut &[u8]) -> Option<u64> {
    u64::try_from(number(rest)?).ok()
}

/// A number of up to 32 bits: seven bits at a time, with the sign in the lowest bit.
fn number(rest: &mut &[u8]) -> Option<i64> {
    let (mut value, mut shift) = (0i64, 0);
    loop {
        let byte = *rest.split_off_first()?;
        value |= i64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 {
            return Some((value >> 1) ^ -(value & 1));
        }
        if shift > 28 {
            return None;
        }
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
    fn lengths_of_page_headers() {
        // Type 0, 300 bytes, 5 bytes, and the header of a data page.
        let header = [0x15, 0, 0x15, 0xd8, 0x04, 0x15, 10, 0x2c];
        let page = PageHeader { decompressed: 300, stored: 5, ..PageHeader::default() };
        assert_eq!(PageHeader::read(&header), Some(page));
        assert_eq!(PageHeader::read(&header[..5]), None);
        assert_eq!(PageHeader::read(b"PAR1"), None);
        // A field may have its number written out.
        let long = [0x15, 0, 0x05, 4, 0xd8, 0x04, 0x15, 10, 0x2c];
        assert_eq!(PageHeader::read(&long), Some(page));
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
        for (between, has_checksum) in [(&[0x15, 1, 0x3c][..], true), (&[0x4c], false)] {
            let header =
                |values: &[u8]| [&[0x15, 4, 0x15, 0xd8, 0x04, 0x15, 10], between, &[0x15], values].concat();
            let page = PageHeader::read(&header(&[0xda, 0x04])).unwrap();
            assert_eq!(
                page,
                PageHeader { decompressed: 300, stored: 5, dictionary_values: 301, has_checksum }
            );
            assert!(page.check_values().is_err());
            assert!(PageHeader::read(&header(&[0xd8, 0x04])).unwrap().check_values().is_ok());
            let (mut read, refused) = (Vec::new(), Arc::new(AtomicU64::new(0)));
            assert!(Pages::new(&header(&[0xda, 0x04])[..], 1 << 20, refused).read_to_end(&mut read).is_err());
        }
    }
}
