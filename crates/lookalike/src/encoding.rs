//! Values <-> stored bytes: what all formats of this crate have in common.
//!
//! A stored value begins with four bytes that name its format and one byte for the version. Numbers are
//! little-endian. Each value has exactly one encoding. Other bytes are refused, and the error names the position of
//! the difference.

use crate::error::{Error, Result};
use crate::hashing::hash_bytes;

/// The first bytes of a format, and the name of its values in error messages.
pub(crate) struct Format {
    pub(crate) what: &'static str,
    pub(crate) magic: &'static str,
    pub(crate) version: u8,
}

impl Format {
    /// A vector that holds the first bytes of a value, with capacity for `size` bytes in all.
    pub(crate) fn begin(&self, size: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(size);
        bytes.extend_from_slice(self.magic.as_bytes());
        bytes.push(self.version);
        bytes
    }

    /// Checks the first bytes and returns a reader of the bytes after them.
    pub(crate) fn read<'a>(&self, bytes: &'a [u8]) -> Result<Reader<'a>> {
        let mut reader = Reader { what: self.what, rest: bytes, field: 0, next: 0 };
        if reader.bytes::<4>()? != self.magic.as_bytes() {
            return Err(reader.refuse(format!("it does not begin with {}", self.magic)));
        }
        let version = reader.u8()?;
        if version != self.version {
            return Err(reader.refuse(format!("version {version}, expected version {}", self.version)));
        }
        Ok(reader)
    }

    /// The same for bytes that end with a checksum. The checksum is compared before anything after the version is
    /// read.
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

/// Appends a checksum of the bytes so far. A reader then misses a change with probability 2^-64 only.
pub(crate) fn seal(bytes: &mut Vec<u8>) {
    let checksum = hash_bytes(bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
}

/// Reads the fields of a value one after the other.
pub(crate) struct Reader<'a> {
    what: &'static str,
    rest: &'a [u8],
    /// Where the field that was read last begins, and (below) where the next one begins.
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

    /// Reads `N` unused bytes, which must be 0.
    pub(crate) fn zeros<const N: usize>(&mut self) -> Result<()> {
        let zeros = self.bytes::<N>()?;
        if zeros != [0; N] {
            return Err(self.refuse(format!("{zeros:?}, expected {N} zeros")));
        }
        Ok(())
    }

    /// Reads the next `size` bytes.
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

    /// Reads all remaining bytes, of which there must be `size`.
    pub(crate) fn rest(&mut self, size: usize) -> Result<&'a [u8]> {
        self.field = self.next;
        if self.rest.len() != size {
            return Err(self.refuse(format!("{} bytes, expected {size}", self.rest.len())));
        }
        Ok(self.rest)
    }

    /// Reads all remaining bytes, which must be `count` words of 64 bits.
    pub(crate) fn words(&mut self, count: u64) -> Result<impl Iterator<Item = u64> + use<'a>> {
        self.field = self.next;
        let (words, remainder) = self.rest.as_chunks::<8>();
        if words.len() as u64 != count || !remainder.is_empty() {
            return Err(self.refuse(format!("{} bytes, expected 8 times {count}", self.rest.len())));
        }
        Ok(words.iter().map(|word| u64::from_le_bytes(*word)))
    }

    /// The error for the field that was read last, if its value is wrong.
    pub(crate) fn refuse(&self, cause: impl Into<String>) -> Error {
        self.refuse_at(0, cause)
    }

    /// The same for a position that is `offset` bytes after the beginning of the field.
    pub(crate) fn refuse_at(&self, offset: usize, cause: impl Into<String>) -> Error {
        Error::Decode { what: self.what, offset: self.field + offset, cause: cause.into() }
    }
}
