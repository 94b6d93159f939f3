//! Decoding any bytes: an error that says where, or a value whose encoding is exactly these bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lookalike::features::DocumentFrequencies;
use lookalike::index::cardinality;
use lookalike::minhash::{BBitSignature, Signature};
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

fn check_all(bytes: &[u8]) {
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

/// Puts the beginning of each format, with a number of entries that fits, over the bytes.
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
                // Up to seven slots less take as many words.
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
    if bytes.len() >= 24 {
        with_headers(bytes).for_each(|bytes| check_all(&bytes));
    }
});
