//! The stored keys and values of a table of keys, byte for byte: `docs/index-format.md` describes them.

use crate::values::{Bytes, put_number};

const RECORD: u8 = 0x61;
const NUMBERS: u8 = 0x62;

/// The key of a bucket: the band in 2 bytes and the key in 8, the highest first.
pub(super) fn bucket_key(band: usize, key: u64) -> [u8; 10] {
    let band = u16::try_from(band).expect("a table has at most 65,536 bands");
    let mut bytes = [0; 10];
    bytes[..2].copy_from_slice(&band.to_be_bytes());
    bytes[2..].copy_from_slice(&key.to_be_bytes());
    bytes
}

/// The key in the key of a bucket; `None` for the key of a further page.
pub(super) fn bucket_of(stored: &[u8]) -> Option<u64> {
    let bytes: [u8; 10] = stored.try_into().ok()?;
    bytes.last_chunk().map(|key| u64::from_be_bytes(*key))
}

/// An entry: its keys, one for each band, then its name.
pub(super) fn record_value(name: &[u8], keys: &[u64]) -> Vec<u8> {
    let mut bytes = vec![RECORD];
    bytes.extend(keys.iter().flat_map(|key| key.to_le_bytes()));
    bytes.extend_from_slice(name);
    bytes
}

pub(super) fn record_of(value: &[u8], bands: usize) -> Option<(Vec<u8>, Vec<u64>)> {
    let mut bytes = Bytes::new(value);
    bytes.kind(RECORD)?;
    let keys = (0..bands).map(|_| bytes.u64()).collect::<Option<_>>()?;
    let name = bytes.rest();
    (!name.is_empty()).then(|| (name.to_vec(), keys))
}

/// The numbers of the entries of a name, ascending.
pub(super) fn numbers_value(numbers: &[u64]) -> Vec<u8> {
    let mut bytes = vec![NUMBERS];
    numbers.iter().for_each(|&number| put_number(&mut bytes, number));
    bytes
}

pub(super) fn numbers_of(value: &[u8]) -> Option<Vec<u64>> {
    let mut bytes = Bytes::new(value);
    bytes.kind(NUMBERS)?;
    let mut numbers = Vec::new();
    while !bytes.is_empty() {
        numbers.push(bytes.number()?);
    }
    (!numbers.is_empty() && numbers.is_sorted_by(|a, b| a < b)).then_some(numbers)
}
