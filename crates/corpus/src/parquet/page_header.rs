//! The bytes of a page header -> what it says that decides how much memory the Parquet crate takes.
//!
//! A header is a structure in the compact protocol of Thrift. A field begins with a byte: the kind of its value, and how
//! much larger its number is than that of the field before (0: the number follows). Of a field that is there twice, the
//! crate believes the last one. So the whole header is read, and one that repeats a field, which no program writes, is
//! refused.

use std::io::{self, Read};

/// What a page header says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct PageHeader {
    pub(super) decompressed: u64,
    pub(super) stored: u64,
    /// How many values a dictionary has. The crate makes room for so many before it reads them.
    pub(super) dictionary_values: u64,
    pub(super) has_checksum: bool,
}

/// A header is refused if it is longer than this: the least and the greatest value of a page may be long, but not so long.
const LONGEST: usize = 64 << 20;

/// Structures and lists within each other, at most.
const DEEPEST: usize = 16;

/// Bytes that are read at a time.
const READ: u64 = 48;

/// Kinds of values.
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const NUMBERS: std::ops::RangeInclusive<u8> = 4..=6;
const DOUBLE: u8 = 7;
const BYTES: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const STRUCTURE: u8 = 12;

/// The numbers of the fields of a page header, and of the first field of the header of a dictionary.
const DECOMPRESSED: i64 = 2;
const STORED: i64 = 3;
const CHECKSUM: i64 = 4;
const DICTIONARY: i64 = 7;
const VALUES: i64 = 1;

impl PageHeader {
    /// Reads a page header. All bytes that were read for that, which may be more than it has, are in `bytes`. `None` if
    /// they end before it.
    pub(super) fn read(inner: impl Read, bytes: &mut Vec<u8>) -> io::Result<Option<Self>> {
        let mut page = Self::default();
        let mut parser = Parser { inner, bytes, at: 0 };
        match parser.page(&mut page) {
            Ok(()) => Ok(Some(page)),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The bytes that a page takes.
    pub(super) fn bytes(self) -> u64 {
        self.decompressed.saturating_add(self.stored)
    }

    /// An error if a dictionary has more values than bytes.
    pub(super) fn check_values(self) -> io::Result<()> {
        if self.dictionary_values <= self.decompressed {
            return Ok(());
        }
        let (values, bytes) = (self.dictionary_values, self.decompressed);
        Err(io::Error::new(
            io::ErrorKind::InvalidData,
            format!("a dictionary of {values} values has only {bytes} bytes"),
        ))
    }
}

struct Parser<'b, R> {
    inner: R,
    bytes: &'b mut Vec<u8>,
    at: usize,
}

impl<R: Read> Parser<'_, R> {
    fn page(&mut self, page: &mut PageHeader) -> io::Result<()> {
        let mut last = 0;
        while let Some((kind, field)) = self.field(&mut last)? {
            match field {
                DECOMPRESSED if NUMBERS.contains(&kind) => page.decompressed = self.length()?,
                STORED if NUMBERS.contains(&kind) => page.stored = self.length()?,
                DICTIONARY if kind == STRUCTURE => page.dictionary_values = self.dictionary()?,
                _ => {
                    page.has_checksum |= field == CHECKSUM;
                    self.skip(kind, DEEPEST)?;
                }
            }
        }
        Ok(())
    }

    /// The number of values of a dictionary.
    fn dictionary(&mut self) -> io::Result<u64> {
        let (mut values, mut last) = (0, 0);
        while let Some((kind, field)) = self.field(&mut last)? {
            match field {
                VALUES if NUMBERS.contains(&kind) => values = self.length()?,
                _ => self.skip(kind, DEEPEST)?,
            }
        }
        Ok(values)
    }

    /// The kind of the next field of a structure, and its number; `None` at the end of the structure. `last` is the number
    /// of the field before.
    fn field(&mut self, last: &mut i64) -> io::Result<Option<(u8, i64)>> {
        let byte = self.byte()?;
        if byte == 0 {
            return Ok(None);
        }
        let number = match byte >> 4 {
            0 => self.number()?,
            more => *last + i64::from(more),
        };
        if number <= *last || number > i64::from(i16::MAX) {
            return Err(wrong("its fields are not in order"));
        }
        *last = number;
        Ok(Some((byte & 0xf, number)))
    }

    fn skip(&mut self, kind: u8, depth: usize) -> io::Result<()> {
        let Some(below) = depth.checked_sub(1) else { return Err(wrong("it is nested too deeply")) };
        match kind {
            TRUE | FALSE => Ok(()),
            BYTE => self.byte().map(drop),
            kind if NUMBERS.contains(&kind) => self.number().map(drop),
            DOUBLE => self.skip_bytes(8),
            BYTES => {
                let length = self.unsigned()?;
                self.skip_bytes(length)
            }
            LIST | SET => {
                let head = self.byte()?;
                let length = if head >> 4 == 0xf { self.unsigned()? } else { u64::from(head >> 4) };
                // In a list, a yes or no takes a byte.
                let kind = if matches!(head & 0xf, TRUE | FALSE) { BYTE } else { head & 0xf };
                (0..length).try_for_each(|_| self.skip(kind, below))
            }
            STRUCTURE => {
                let mut last = 0;
                while let Some((kind, _)) = self.field(&mut last)? {
                    self.skip(kind, below)?;
                }
                Ok(())
            }
            _ => Err(wrong("it has a field of an unknown kind")),
        }
    }

    fn skip_bytes(&mut self, count: u64) -> io::Result<()> {
        let end = usize::try_from(count).ok().and_then(|count| self.at.checked_add(count));
        match end {
            Some(end) if end <= LONGEST => {
                self.read_up_to(end)?;
                self.at = end;
                Ok(())
            }
            _ => Err(wrong("it is too long")),
        }
    }

    /// A number that is not negative.
    fn length(&mut self) -> io::Result<u64> {
        u64::try_from(self.number()?).map_err(|_| wrong("it has a negative length"))
    }

    /// A number with the sign in the lowest bit.
    fn number(&mut self) -> io::Result<i64> {
        let value = self.unsigned()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// A number without a sign: seven bits at a time.
    fn unsigned(&mut self) -> io::Result<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(wrong("it has a number that is too long"))
    }

    fn byte(&mut self) -> io::Result<u8> {
        self.read_up_to(self.at + 1)?;
        self.at += 1;
        Ok(self.bytes[self.at - 1])
    }

    /// Reads until there are at least so many bytes.
    fn read_up_to(&mut self, end: usize) -> io::Result<()> {
        if end > LONGEST {
            return Err(wrong("it is too long"));
        }
        while self.bytes.len() < end {
            let more = READ.max((end - self.bytes.len()) as u64);
            if self.inner.by_ref().take(more).read_to_end(self.bytes)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(())
    }
}

fn wrong(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("a page header cannot be read: {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(header: &[u8]) -> io::Result<Option<PageHeader>> {
        PageHeader::read(header, &mut Vec::new())
    }

    /// The head of a data page of 300 bytes, stored as 5.
    const HEADER: [u8; 10] = [0x15, 0, 0x15, 0xd8, 0x04, 0x15, 10, 0x2c, 0, 0];

    #[test]
    fn lengths_are_read_and_what_follows_is_kept() {
        let page = PageHeader { decompressed: 300, stored: 5, ..PageHeader::default() };
        let mut bytes = Vec::new();
        let all = [&HEADER[..], b"the body of the page"].concat();
        assert_eq!(PageHeader::read(&all[..], &mut bytes).unwrap(), Some(page));
        assert_eq!(bytes, all);
        for end in 0..HEADER.len() {
            assert_eq!(read(&HEADER[..end]).unwrap(), None, "{end}");
        }
        assert!(read(b"PAR1").is_err());
        // A field may have its number written out.
        assert_eq!(read(&[0x15, 0, 0x05, 4, 0xd8, 0x04, 0x15, 10, 0]).unwrap(), Some(page));
    }

    #[test]
    fn everything_else_is_skipped() {
        // Numbers, a structure with strings, lists of numbers and of yes and no, a double, a byte.
        let nested = [
            0x15, 2, 0x1c, 0x18, 3, b'a', b'b', b'c', 0x11, 0x12, 0, 0x19, 0x35, 2, 4, 6, 0x19, 0x21, 1, 2,
            0x17, 1, 2, 3, 4, 5, 6, 7, 8, 0x13, 9, 0,
        ];
        let header = [&HEADER[..8], &nested, &[0]].concat();
        assert_eq!(read(&header).unwrap().unwrap().decompressed, 300);
        // A string that is longer than what is read at once.
        let long = [&HEADER[..8], &[0x18, 0x80, 0x04], &[b'x'; 512][..], &[0, 0]].concat();
        assert_eq!(read(&long).unwrap().unwrap().stored, 5);
    }

    #[test]
    fn a_field_that_comes_again_is_refused() {
        // The crate would believe the second one.
        let twice = [&HEADER[..9], &[0x05, 4, 0xfe, 0xff, 0xff, 0x0f, 0]].concat();
        assert!(read(&twice).is_err());
        // The same in the header of a dictionary: 1 value, and then many.
        let dictionary =
            |more: &[u8]| [&[0x15, 4, 0x15, 40, 0x15, 40, 0x4c, 0x15, 2], more, &[0, 0]].concat();
        assert_eq!(read(&dictionary(&[])).unwrap().unwrap().dictionary_values, 1);
        assert!(read(&dictionary(&[0x05, 2, 0xfe, 0xff, 0xff, 0x0f])).is_err());
        assert!(read(&dictionary(&[0x05, 1, 0x0f])).is_err(), "a number below that of the field before");
    }

    #[test]
    fn what_is_too_deep_or_too_long_is_refused() {
        assert!(read(&[0x1c; 100]).is_err());
        assert!(read(&[0x18, 0xff, 0xff, 0xff, 0xff, 0x0f]).is_err());
        assert!(read(&[0x16, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]).is_err());
        // A list of a billion numbers that are not there.
        assert_eq!(read(&[0x19, 0xf5, 0xff, 0xff, 0xff, 0xff, 3]).unwrap(), None);
    }
}
