//! Code that the benchmarks share: CPU time, corpora and the parse-only pass.
//!
//! Speeds are compared as ratios within one run. Times are CPU seconds of this process. The smallest of several
//! repetitions is used, because a noisy machine disturbs it least.

pub mod child;
pub mod dedup;
pub mod peers;
pub mod quality;
pub mod redis;
pub mod scratch;
pub mod times;

use std::hint::black_box;
use std::path::PathBuf;

/// CPU seconds that this process has used.
#[must_use]
pub fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// The smallest CPU time of `repetitions` runs of `work`, in seconds.
pub fn least_cpu_seconds<T>(repetitions: usize, mut work: impl FnMut() -> T) -> f64 {
    (0..repetitions.max(1))
        .map(|_| {
            let start = cpu_seconds();
            black_box(work());
            cpu_seconds() - start
        })
        .fold(f64::INFINITY, f64::min)
}

/// Compares a measured value with a target: `(target: at most 4, met)`.
#[must_use]
pub fn verdict(measured: f64, at_most: f64) -> String {
    format!("(target: at most {at_most}, {})", if measured <= at_most { "met" } else { "MISSED" })
}

/// Compares a measured value with a target: `(target: at least 1.7, met)`.
#[must_use]
pub fn verdict_at_least(measured: f64, at_least: f64) -> String {
    format!("(target: at least {at_least}, {})", if measured >= at_least { "met" } else { "MISSED" })
}

/// True if the benchmark was asked to do only a tenth of its work: with `--quick`, or with `LOOKALIKE_QUICK` set to
/// any value.
#[must_use]
pub fn is_quick() -> bool {
    std::env::args().any(|argument| argument == "--quick") || std::env::var_os("LOOKALIKE_QUICK").is_some()
}

/// `full`, or a tenth of it if [`is_quick`] is true.
#[must_use]
pub fn sized(full: usize) -> usize {
    if is_quick() { full / 10 } else { full }
}

/// `count` random numbers.
#[must_use]
pub fn random_numbers(count: usize, seed: u64) -> Vec<u64> {
    let mut random = lookalike::hashing::SplitMix64::new(seed);
    (0..count).map(|_| random.next_u64()).collect()
}

/// The square root of the mean square.
#[must_use]
pub fn root_mean_square(values: &[f64]) -> f64 {
    (values.iter().map(|value| value * value).sum::<f64>() / values.len().max(1) as f64).sqrt()
}

/// The folder with the real corpora, if it exists: `LOOKALIKE_DATA`, or `shared/data` beside the checkout.
#[must_use]
pub fn data_folder() -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data");
    let folder = std::env::var_os("LOOKALIKE_DATA").map_or_else(|| PathBuf::from(beside), PathBuf::from);
    folder.is_dir().then_some(folder)
}

/// JSON Lines of long prose: the eLife articles if they are available, otherwise generated prose.
#[must_use]
pub fn prose() -> (String, Vec<u8>) {
    let file = data_folder().map(|folder| folder.join("elife-bench/docs.jsonl.zst"));
    if let Some(lines) =
        file.and_then(|file| std::fs::File::open(file).ok()).and_then(|f| zstd::decode_all(f).ok())
    {
        return ("elife-bench".into(), lines);
    }
    ("generated prose".into(), generated_prose(400, 8_000))
}

/// JSON Lines of `documents` texts of `words` words each, from a vocabulary with natural frequencies (Zipf).
#[must_use]
pub fn generated_prose(documents: usize, words: usize) -> Vec<u8> {
    let mut random = lookalike::hashing::SplitMix64::new(1);
    let vocabulary: Vec<String> = (0..20_000)
        .map(|_| {
            let len = 2 + random.below(9) as usize;
            (0..len).map(|_| char::from(b"etaoinshrdlucmfwypvbgkjqxz"[random.below(26) as usize])).collect()
        })
        .collect();
    let mut lines = Vec::new();
    for document in 0..documents {
        lines.extend_from_slice(format!("{{\"id\": \"doc-{document}\", \"text\": \"").as_bytes());
        for _ in 0..words {
            let rank = (20_000f64.powf(random.next_f64()) as usize).min(vocabulary.len()) - 1;
            lines.extend_from_slice(vocabulary[rank].as_bytes());
            lines.push(b' ');
        }
        lines.extend_from_slice(b"\"}\n");
    }
    lines
}

/// Parses every line with the fastest available parser, and passes the field `text` to `visit`.
pub fn parse_only(lines: &[u8], mut visit: impl FnMut(&str)) {
    let mut buffers = simd_json::Buffers::default();
    let mut line_buffer = Vec::new();
    let mut rest = lines;
    while !rest.is_empty() {
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let line = &rest[..end];
        rest = rest.get(end + 1..).unwrap_or_default();
        line_buffer.clear();
        line_buffer.extend_from_slice(line);
        let mut tape = simd_json::Tape::null();
        if simd_json::fill_tape(&mut line_buffer, &mut buffers, &mut tape).is_err() {
            continue;
        }
        let nodes = &tape.0;
        for pair in nodes.windows(2) {
            if let [simd_json::Node::String("text"), simd_json::Node::String(text)] = pair {
                visit(text);
                break;
            }
        }
    }
}
