//! Stored values, byte for byte: `docs/index-format.md` describes them.
//!
//! Every value begins with a byte that says what it is. A value that does not follow the rules is an error that names
//! its keyspace and key; reading never panics.

mod body;
mod document;
mod meta;
mod page;

pub(crate) use body::Body;
pub(crate) use document::{Record, RecordView, lanes_hash};
pub(crate) use meta::{
    BULK_KEY, BulkMarker, COMPACTED_KEY, COUNTERS_KEY, Counters, JOB_PREFIX, JobProgress, RECEIPTS_KEY,
    Receipt, Receipts, receipt_key, receipt_number_key, receipt_number_of, receipt_number_value,
};
pub(crate) use page::{MOST_NUMBERS, PAGE_NUMBERS, Page};

use crate::store::Space;
use crate::{Error, Result};

/// The key of a document in `documents` and `bodies`.
pub(crate) fn number_key(number: u64) -> Vec<u8> {
    number.to_be_bytes().to_vec()
}

/// The number in a key of `documents` or `bodies`.
pub(crate) fn number_of(space: Space, key: &[u8]) -> Result<u64> {
    let bytes = key.try_into().map_err(|_| damaged(space, key, "a key of 8 bytes is expected"))?;
    Ok(u64::from_be_bytes(bytes))
}

/// The key of an entry of `expiry`.
pub(crate) fn expiry_key(expires: u64, number: u64) -> Vec<u8> {
    [expires.to_be_bytes(), number.to_be_bytes()].concat()
}

/// The time and the number in a key of `expiry`.
pub(crate) fn expiry_of(key: &[u8]) -> Result<(u64, u64)> {
    let wrong = || damaged(Space::Expiry, key, "a key of 16 bytes is expected");
    let (time, number) = key.split_at_checked(8).ok_or_else(wrong)?;
    let half = |bytes: &[u8]| bytes.try_into().map(u64::from_be_bytes).map_err(|_| wrong());
    Ok((half(time)?, half(number)?))
}

/// The key of a bucket.
pub(crate) fn bucket_key(band: usize, key: u64) -> [u8; 9] {
    let mut bytes = [0; 9];
    bytes[0] = u8::try_from(band).expect("an index has at most 256 bands");
    bytes[1..].copy_from_slice(&key.to_be_bytes());
    bytes
}

/// The key of the documents with this copy hash.
pub(crate) fn copies_key(copy_hash: u128) -> [u8; 16] {
    copy_hash.to_be_bytes()
}

/// A value of `ids`.
pub(crate) fn id_value(number: u64) -> Vec<u8> {
    let mut bytes = vec![ID_KIND];
    put_number(&mut bytes, number);
    bytes
}

/// The number in a value of `ids`.
pub(crate) fn id_number(id: &[u8], value: &[u8]) -> Result<u64> {
    let mut bytes = Bytes::new(value);
    bytes
        .kind(ID_KIND)
        .and_then(|()| bytes.number())
        .filter(|_| bytes.is_empty())
        .ok_or_else(|| damaged(Space::Ids, id, "it is no number"))
}

const ID_KIND: u8 = 0x21;

/// A stored value that does not follow the rules.
pub(crate) fn damaged(space: Space, key: &[u8], cause: &str) -> Error {
    let key: String = match std::str::from_utf8(key) {
        Ok(text) if matches!(space, Space::Ids | Space::Meta) => format!("{text:?}"),
        _ => key.iter().map(|byte| format!("{byte:02x}")).collect(),
    };
    Error::damaged(format!("the value of {key} in the keyspace {}", space.name()), cause)
}

/// Appends a number in groups of 7 bits, lowest first; the highest bit says that more follow (LEB128).
pub(crate) fn put_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Bytes that are read from the front. Whatever is not there is `None`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bytes<'v> {
    rest: &'v [u8],
}

impl<'v> Bytes<'v> {
    pub(crate) fn new(rest: &'v [u8]) -> Self {
        Self { rest }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn take(&mut self, count: usize) -> Option<&'v [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    pub(crate) fn rest(&mut self) -> &'v [u8] {
        std::mem::take(&mut self.rest)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub(crate) fn kind(&mut self, kind: u8) -> Option<()> {
        (self.byte()? == kind).then_some(())
    }

    /// A number that [`put_number`] wrote. Only the shortest form is accepted.
    pub(crate) fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return None;
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return (byte != 0 || shift == 0).then_some(number);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for number in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX - 1, u64::MAX] {
            let mut bytes = Vec::new();
            put_number(&mut bytes, number);
            let mut read = Bytes::new(&bytes);
            assert_eq!(read.number(), Some(number));
            assert!(read.is_empty());
            for end in 0..bytes.len() {
                assert_eq!(Bytes::new(&bytes[..end]).number(), None);
            }
        }
        // Longer forms of a number, and numbers of more than 64 bits.
        assert_eq!(Bytes::new(&[0x80, 0]).number(), None);
        assert_eq!(Bytes::new(&[0xff; 10]).number(), None);
    }

    #[test]
    fn damage_names_keyspace_and_key() {
        let wrong = id_number(b"page-9", &[ID_KIND]).unwrap_err().to_string();
        assert!(wrong.contains("page-9") && wrong.contains("ids"), "{wrong}");
        assert!(expiry_of(&[0; 15]).is_err() && number_of(Space::Documents, &[0; 9]).is_err());
    }
}
