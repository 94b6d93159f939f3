//! A damaged file of decisions in the folder of a finished run. A query about the run must end with an error or with
//! the right answer, never with a panic. If the checksum is made valid again, any answer is accepted.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lookalike_fuzz::damage::Damage;
use lookalike_fuzz::runs::Corpus;
use pipeline::FinishedRun;
use std::path::PathBuf;
use std::sync::OnceLock;

/// Length of the checksum at the end of the file.
const CHECKSUM: usize = 32;

struct Base {
    corpus: Corpus,
    out: PathBuf,
    bytes: Vec<u8>,
    answer: String,
}

fn base() -> &'static Base {
    static BASE: OnceLock<Base> = OnceLock::new();
    BASE.get_or_init(|| {
        let corpus = Corpus::new("decisions");
        let out = corpus.dedup();
        let bytes = std::fs::read(out.join("_lookalike/decisions")).expect("the run is finished");
        let run = FinishedRun::open(&out, corpus.resources()).expect("it is whole");
        let answer = ask(&run).expect("it is whole");
        Base { corpus, out, bytes, answer }
    })
}

/// All queries that do not read the sources.
fn ask(run: &FinishedRun) -> pipeline::Result<String> {
    let removed = run.removed().collect::<pipeline::Result<Vec<_>>>()?;
    let numbers: Vec<u64> =
        removed.iter().chain(run.near_misses()).flat_map(|pair| [pair.kept, pair.other]).collect();
    let mut fates = Vec::new();
    for &number in &numbers {
        fates.push(run.fate(number, 3)?);
    }
    let (references, clusters) = (run.references(&numbers)?, run.clusters(5, 5)?);
    let (least, by_similarity) = (run.least_similar(3)?, run.by_similarity()?);
    Ok(format!("{removed:?} {fates:?} {references:?} {clusters:?} {least:?} {by_similarity:?}"))
}

fuzz_target!(|input: (bool, Damage)| {
    let (seal, damage) = input;
    let base = base();
    let mut bytes = damage.apply(&base.bytes);
    if seal && bytes.len() >= CHECKSUM {
        bytes.truncate(bytes.len() - CHECKSUM);
        let checksum = blake3::hash(&bytes);
        bytes.extend_from_slice(checksum.as_bytes());
    }
    std::fs::write(base.out.join("_lookalike/decisions"), &bytes).expect("the folder is ours");
    let answer = FinishedRun::open(&base.out, base.corpus.resources()).and_then(|run| ask(&run));
    if let (false, Ok(answer)) = (seal, answer) {
        assert_eq!(answer, base.answer);
    }
});
