//! Values <-> stored bytes: what all formats of this crate have in common.
//!
//! A stored value begins with four bytes that name its format and one for the version; numbers are little-endian.
//! There is one encoding per value. Anything else is refused, with the position where it differs.

use crate::error::{Error, Result};
use crate::hashing::hash_bytes;

/// How the bytes of a format begin, and what its values are called in errors.
pub(crate) struct Format {
    pub(crate) what: &'static str,
    pub(crate) magic: &'static str,
    pub(crate) version: u8,
}

impl Format {
    /// The beginning of a value, with room for `size` bytes in all.
    pub(crate) fn begin(&self, size: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(size);
        bytes.extend_from_slice(self.magic.as_bytes());
        bytes.push(self.version);
        bytes
    }

    /// A reader behind the beginning.
    pub(crate) fn read<'a>(&self, bytes: &'a [u8]) -> Result<Reader<'a>> {
        let mut reader = Reader { what: self.what, rest: bytes, field: 0, next: 0 };
        if reader.bytes::<4>()? != self.magic.as_bytes() {
            return Err(reader.refuse(format!("it does not begin with {}", self.magic)));
        }
        let version = reader.u8()?;
        if version != self.version {
            return Err(reader.refuse(format!("version {version}, this program reads {}", self.version)));
        }
        Ok(reader)
    }

    /// The same for bytes that end with a checksum, which is compared before anything behind the version is read.
    pub(crate) fn read_sealed<'a>(&self, bytes: &'a [u8]) -> Result<Reader<'a>> {
        let mut reader = self.read(bytes)?;
        let Some((rest, checksum)) = reader.rest.split_last_chunk() else {
            return Err(reader.refuse(format!("{} bytes, too few to have a checksum", bytes.len())));
        };
        let sealed = &bytes[..bytes.len() - checksum.len()];
        if u64::from_le_bytes(*checksum) != hash_bytes(sealed) {
            reader.field = sealed.len();
            return Err(reader.refuse("the checksum does not match: the bytes are damaged or cut short"));
        }
        reader.rest = rest;
        Ok(reader)
    }
}

/// Appends the checksum of what is there: a change anywhere is then noticed, but for one in 2^64.
pub(crate) fn seal(bytes: &mut Vec<u8>) {
    let checksum = hash_bytes(bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
}

/// Reads one field after the other.
pub(crate) struct Reader<'a> {
    what: &'static str,
    rest: &'a [u8],
    /// Where the field begins that was read last, and where the next one does.
    field: usize,
    next: usize,
}

impl<'a> Reader<'a> {
    fn bytes<const N: usize>(&mut self) -> Result<[u8; N]> {
        self.field = self.next;
        let Some((field, rest)) = self.rest.split_first_chunk() else {
            return Err(self.refuse(format!("{} bytes left, expected {N} or more", self.rest.len())));
        };
        self.rest = rest;
        self.next += N;
        Ok(*field)
    }

    pub(crate) fn u8(&mut self) -> Result<u8> {
        self.bytes().map(u8::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32> {
        self.bytes().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64> {
        self.bytes().map(u64::from_le_bytes)
    }

    /// `N` bytes that mean nothing and are 0.
    pub(crate) fn zeros<const N: usize>(&mut self) -> Result<()> {
        let zeros = self.bytes::<N>()?;
        if zeros != [0; N] {
            return Err(self.refuse(format!("{zeros:?}, expected {N} zeros")));
        }
        Ok(())
    }

    /// The next `size` bytes.
    pub(crate) fn slice(&mut self, size: u64) -> Result<&'a [u8]> {
        self.field = self.next;
        let split = usize::try_from(size).ok().and_then(|size| self.rest.split_at_checked(size));
        let Some((field, rest)) = split else {
            return Err(self.refuse(format!("{} bytes left, expected {size} or more", self.rest.len())));
        };
        self.rest = rest;
        self.next += field.len();
        Ok(field)
    }

    /// A reader of the next `size` bytes alone.
    pub(crate) fn part(&mut self, size: u64) -> Result<Self> {
        let rest = self.slice(size)?;
        Ok(Self { what: self.what, rest, field: self.field, next: self.field })
    }

    /// All the rest, which is `size` bytes.
    pub(crate) fn rest(&mut self, size: usize) -> Result<&'a [u8]> {
        self.field = self.next;
        if self.rest.len() != size {
            return Err(self.refuse(format!("{} bytes, expected {size}", self.rest.len())));
        }
        Ok(self.rest)
    }

    /// All the rest, which is `count` words of 64 bits.
    pub(crate) fn words(&mut self, count: u64) -> Result<impl Iterator<Item = u64> + use<'a>> {
        self.field = self.next;
        let (words, remainder) = self.rest.as_chunks::<8>();
        if words.len() as u64 != count || !remainder.is_empty() {
            return Err(self.refuse(format!("{} bytes, expected {count} times 8", self.rest.len())));
        }
        Ok(words.iter().map(|word| u64::from_le_bytes(*word)))
    }

    /// The error for a field that was read and is not right.
    pub(crate) fn refuse(&self, cause: impl Into<String>) -> Error {
        self.refuse_at(0, cause)
    }

    /// The same for a position so many bytes into the field.
    pub(crate) fn refuse_at(&self, offset: usize, cause: impl Into<String>) -> Error {
        Error::Decode { what: self.what, offset: self.field + offset, cause: cause.into() }
    }
}
