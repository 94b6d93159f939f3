//! Damaged parts of a sketch file: a run from it ends with an error, or with the right answer; never with a panic. With checksums that
//! are put right, any answer will do.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lookalike_fuzz::damage::Damage;
use lookalike_fuzz::runs::{Corpus, decide_from};
use std::path::PathBuf;
use std::sync::OnceLock;

/// Bytes of a part before what its checksum covers: a mark and the checksum.
const CHECKSUM: std::ops::Range<usize> = 8..40;

/// Bytes after the last part.
const END: usize = 16;

struct Base {
    corpus: Corpus,
    file: PathBuf,
    bytes: Vec<u8>,
    /// Where the part begins; there is one.
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
