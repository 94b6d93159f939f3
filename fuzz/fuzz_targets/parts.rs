//! Damaged parts of a sketch file. A run from it must end with an error or with the right answer, never with a panic.
//! If the checksums are made valid again, any answer is accepted.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lookalike_fuzz::damage::Damage;
use lookalike_fuzz::runs::{Corpus, decide_from};
use std::path::PathBuf;
use std::sync::OnceLock;

/// The position of the checksum in a part: it follows the magic bytes, and covers everything after itself.
const CHECKSUM: std::ops::Range<usize> = 8..40;

/// Number of bytes after the last part.
const END: usize = 16;

struct Base {
    corpus: Corpus,
    file: PathBuf,
    bytes: Vec<u8>,
    /// Where the only part begins.
    part: usize,
    answer: Vec<String>,
}

fn base() -> &'static Base {
    static BASE: OnceLock<Base> = OnceLock::new();
    BASE.get_or_init(|| {
        let corpus = Corpus::new("parts");
        let file = corpus.sketch();
        let bytes = std::fs::read(&file).expect("it was made");
        let head = u64::from_le_bytes(bytes[8..16].try_into().expect("8 bytes"));
        let answer = decide_from(&file, corpus.resources()).expect("it is whole");
        Base { corpus, file, bytes, part: 16 + head as usize, answer }
    })
}

fuzz_target!(|input: (bool, Damage)| {
    let (seal, damage) = input;
    let base = base();
    let (head, rest) = base.bytes.split_at(base.part);
    let (part, end) = rest.split_at(rest.len() - END);
    let mut part = damage.apply(part);
    if seal && part.len() > CHECKSUM.end + 8 {
        let length = part.len() as u64;
        part[CHECKSUM.end..CHECKSUM.end + 8].copy_from_slice(&length.to_le_bytes());
        let checksum = blake3::hash(&part[CHECKSUM.end..]);
        part[CHECKSUM].copy_from_slice(checksum.as_bytes());
    }
    std::fs::write(&base.file, [head, &part, end].concat()).expect("the folder is ours");
    let answer = decide_from(&base.file, base.corpus.resources());
    if let (false, Ok(answer)) = (seal, answer) {
        assert_eq!(answer, base.answer);
    }
});
