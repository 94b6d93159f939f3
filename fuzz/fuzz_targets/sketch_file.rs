//! A sketch file whose head is damaged and whose parts are linked to the new head. The settings and sources in it are
//! arbitrary, but there must be no panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lookalike_fuzz::damage::Damage;
use lookalike_fuzz::runs::{Corpus, decide_from};
use std::path::PathBuf;
use std::sync::OnceLock;

/// Number of bytes before the head: the magic bytes and the length of the head.
const FIRST: usize = 16;

struct Base {
    corpus: Corpus,
    file: PathBuf,
    head: Vec<u8>,
    rest: Vec<u8>,
}

fn base() -> &'static Base {
    static BASE: OnceLock<Base> = OnceLock::new();
    BASE.get_or_init(|| {
        let corpus = Corpus::new("sketch-file");
        let file = corpus.sketch();
        let bytes = std::fs::read(&file).expect("it was made");
        let length = u64::from_le_bytes(bytes[8..FIRST].try_into().expect("8 bytes")) as usize;
        let (head, rest) = bytes[FIRST..].split_at(length);
        Base { corpus, file, head: head.to_vec(), rest: rest.to_vec() }
    })
}

/// The part, as if it had been written after this head.
fn linked(rest: &[u8], before: &[u8], head: &[u8]) -> Vec<u8> {
    let name = |bytes: &[u8]| blake3::hash(bytes).to_hex();
    let (old, new) = (name(before), name(head));
    let at = rest.windows(old.len()).position(|bytes| bytes == old.as_bytes()).expect("parts are a chain");
    let mut rest = rest.to_vec();
    rest[at..at + new.len()].copy_from_slice(new.as_bytes());
    let end = rest.len() - 16;
    let checksum = blake3::hash(&rest[40..end]);
    rest[8..40].copy_from_slice(checksum.as_bytes());
    rest
}

fuzz_target!(|input: (bool, Damage)| {
    let (whole, damage) = input;
    let base = base();
    let bytes = if whole {
        let length = (base.head.len() as u64).to_le_bytes();
        damage.apply(&[&b"LKASKETC"[..], &length, &base.head, &base.rest].concat())
    } else {
        let head = damage.apply(&base.head);
        let length = (head.len() as u64).to_le_bytes();
        [&b"LKASKETC"[..], &length, &head, &linked(&base.rest, &base.head, &head)].concat()
    };
    std::fs::write(&base.file, bytes).expect("the folder is ours");
    // An error or the answer to another question: both are accepted.
    let _ = decide_from(&base.file, base.corpus.resources());
});
