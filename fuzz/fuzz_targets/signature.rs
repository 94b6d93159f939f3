//! Decoding of any bytes. The result must be an error with a position, or a value whose encoding is exactly these
//! bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lookalike::features::DocumentFrequencies;
use lookalike::hashing::hash_bytes;
use lookalike::index::{LshIndex, cardinality};
use lookalike::minhash::{BBitSignature, Signature, of_text, to_bytes_of_text};
use lookalike::simhash::{Fingerprint, FingerprintBits};
use lookalike::{Error, Result};

fn check<T>(bytes: &[u8], decode: fn(&[u8]) -> Result<T>, encode: fn(&T) -> Vec<u8>) -> Option<T> {
    match decode(bytes) {
        Ok(value) => {
            assert_eq!(encode(&value), bytes);
            Some(value)
        }
        Err(Error::Decode { offset, .. }) => {
            assert!(offset <= bytes.len());
            None
        }
        Err(other) => panic!("not an error of decoding: {other}"),
    }
}

fn check_fingerprint<B: FingerprintBits>(bytes: &[u8]) {
    if let Some(fingerprint) =
        check(bytes, Fingerprint::<B>::from_bytes, |fingerprint| fingerprint.to_bytes())
    {
        assert_eq!(fingerprint.hamming_distance(fingerprint), Ok(0));
    }
}

fn check_index(bytes: &[u8]) {
    let decode = |bytes: &[u8]| {
        let read = |id: &[u8]| id.try_into().map(u64::from_le_bytes).map_err(|_| "not 8 bytes".to_owned());
        LshIndex::from_bytes_with(bytes, read).map(|(index, note)| (index, note.to_vec()))
    };
    let encode = |(index, note): &(LshIndex<u64>, Vec<u8>)| {
        index
            .to_bytes_with(note, |id, bytes| bytes.extend_from_slice(&id.to_le_bytes()))
            .expect("it was short")
    };
    // The first version, with whole slots, is read but not written.
    let current = match decode(bytes) {
        Ok(index) if bytes.get(4) == Some(&1) => encode(&index),
        _ => bytes.to_vec(),
    };
    if let Some((index, _)) = check(&current, decode, encode) {
        assert_eq!(index.stats().documents, index.len());
    }
}

/// Puts the header of an index of a version, matching sizes and a checksum over the bytes.
fn as_index(bytes: &[u8], version: u8) -> Vec<u8> {
    let signature = if version == 1 { 16 } else { 4 };
    let documents = bytes.len() / (12 + signature);
    let mut index =
        b"LKLI\0\x04\0\0\x03\0\0\0\0\0\0\0\x02\0\0\0\x01\0\0\0\x02\0\0\0\0\0\0\0\0\0\0\0".to_vec();
    index[4] = version;
    index.extend_from_slice(&(documents as u64).to_le_bytes());
    index.extend_from_slice(&[0; 4]);
    index.extend_from_slice(&(12 * documents as u64).to_le_bytes());
    let (ids, signatures) = bytes[..(12 + signature) * documents].split_at(12 * documents);
    for id in ids.chunks_exact(12) {
        index.extend_from_slice(&[8 - u8::from(id[0] == 7), 0, 0, 0]);
        index.extend_from_slice(&id[4..]);
    }
    index.extend_from_slice(signatures);
    // One field of the header then gets an arbitrary value.
    if let Some(&at) = bytes.last() {
        index[5 + usize::from(at) % 51] ^= bytes[0] & 0x0f;
    }
    let checksum = hash_bytes(&index);
    index.extend_from_slice(&checksum.to_le_bytes());
    index
}

fn check_all(bytes: &[u8]) {
    if let Ok(Some((shingling, signature))) = of_text(bytes) {
        assert_eq!(to_bytes_of_text(shingling, signature).as_deref(), Ok(bytes));
    }
    check_index(bytes);
    check_fingerprint::<u16>(bytes);
    check_fingerprint::<u32>(bytes);
    check_fingerprint::<u64>(bytes);
    check_fingerprint::<u128>(bytes);
    if let Some(signature) = check(bytes, Signature::from_bytes, Signature::to_bytes) {
        assert_eq!(signature.estimate(&signature).map(|estimate| estimate.similarity), Ok(1.0));
        let mut merged = signature.clone();
        assert_eq!((merged.merge(&signature), &merged), (Ok(()), &signature));
        if let Ok(elements) = cardinality(&signature) {
            assert!(elements.count >= 0.0 && elements.standard_error >= 0.0);
        }
        for bits in [1, 2, 4, 8, 16] {
            let cut = BBitSignature::new(&signature, bits).expect("any signature can be cut");
            assert_eq!(BBitSignature::from_bytes(&cut.to_bytes()), Ok(cut));
        }
    }
    if let Some(signature) = check(bytes, BBitSignature::from_bytes, BBitSignature::to_bytes) {
        assert_eq!(signature.estimate(&signature).map(|estimate| estimate.similarity), Ok(1.0));
    }
    if let Some(frequencies) = check(bytes, DocumentFrequencies::from_bytes, DocumentFrequencies::to_bytes) {
        let mut twice = frequencies.clone();
        twice.merge(&frequencies);
        assert_eq!(twice.terms(), frequencies.terms());
    }
}

/// Puts the header of each format, with a matching number of entries, over the bytes.
fn with_headers(bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    [*b"LKMH", *b"LKBB", *b"LKDF", *b"LKSH"].into_iter().map(|magic| {
        let mut bytes = bytes.to_vec();
        bytes[..4].copy_from_slice(&magic);
        bytes[4] = 1;
        match &magic {
            b"LKMH" => {
                bytes[6..8].fill(0);
                let slots = ((bytes.len() - 20) / 8) as u32;
                bytes[16..20].copy_from_slice(&slots.to_le_bytes());
            }
            b"LKBB" => {
                bytes[6] = 1 << (bytes[6] % 5);
                bytes[7] %= 2;
                let slots = (bytes.len() - 20) / 8 * 64 / usize::from(bytes[6]);
                // Up to seven slots fewer take the same number of words.
                let slots = slots.saturating_sub(usize::from(bytes[16] % 8)) as u32;
                bytes[16..20].copy_from_slice(&slots.to_le_bytes());
            }
            b"LKSH" => {
                let width = 2 << (bytes[5] % 4);
                bytes[5..8].copy_from_slice(&[width, 0, 0]);
                bytes.truncate(16 + usize::from(width));
            }
            _ => {
                bytes[5..8].fill(0);
                let terms = ((bytes.len() - 24) / 16) as u64;
                bytes[16..24].copy_from_slice(&terms.to_le_bytes());
            }
        }
        bytes
    })
}

fuzz_target!(|bytes: &[u8]| {
    check_all(bytes);
    check_index(&as_index(bytes, 1));
    check_index(&as_index(bytes, 2));
    if bytes.len() >= 24 {
        with_headers(bytes).for_each(|bytes| check_all(&bytes));
    }
});
