//! Hamming search: all pairs within distance 3, and single queries.
#![allow(clippy::print_stdout, reason = "a benchmark prints its result")]

use benchmarks::{least_cpu_seconds, random_numbers, verdict};
use lookalike::hamming::{FingerprintGroups, HammingConfig, HammingIndex};
use std::time::Instant;

const DISTANCE: u32 = 3;
const PLANTED: usize = 1_000;

/// Random fingerprints. The last of them are near-copies of the first.
fn fingerprints(count: usize) -> Vec<u64> {
    let mut all = random_numbers(count, 5);
    for i in 0..PLANTED {
        all[count - 1 - i] = all[i] ^ 1 << (i % 64) ^ 1 << (i * 7 % 64) ^ 1 << (i * 29 % 64);
    }
    all
}

fn main() {
    let all = fingerprints(1_000_000);
    let mut found = 0;
    let seconds = least_cpu_seconds(3, || {
        let pairs = FingerprintGroups::new(&all).and_then(|groups| groups.all_pairs(DISTANCE));
        found = pairs.expect("64-bit fingerprints and a distance of 3").len();
    });
    println!(
        "all pairs within distance {DISTANCE} of 1,000,000 64-bit fingerprints: {seconds:.3} s of CPU {}",
        verdict(seconds, 0.4)
    );
    println!("quality: {found} pairs for {PLANTED} planted ones");
    assert!(found >= PLANTED, "a pair within the distance was missed");

    let all = fingerprints(10_000_000);
    let config = HammingConfig::default().with_max_distance(DISTANCE);
    let index = HammingIndex::build(&all, &config).expect("64-bit fingerprints and a distance of 3");
    let (mut times, mut hits) = (Vec::new(), 0);
    for i in 0..20_000 {
        let (query, is_planted) = if i < PLANTED {
            (all[all.len() - 1 - i], true)
        } else {
            (random_numbers(1, i as u64)[0], false)
        };
        let start = Instant::now();
        let matches = index.query(query, DISTANCE).expect("the distance the index was built for");
        times.push(start.elapsed());
        hits += usize::from(is_planted && matches.len() >= 2);
    }
    times.sort_unstable();
    println!("{}", verdict(times[times.len() / 2].as_secs_f64() * 1e6, 5.0));
    println!(
        "query among 10,000,000: median {:.2} us, 99 % {:.2} us (wall clock), {:.0} MB",
        times[times.len() / 2].as_secs_f64() * 1e6,
        times[times.len() * 99 / 100].as_secs_f64() * 1e6,
        index.bytes() as f64 / 1e6
    );
    println!("quality: {hits} of {PLANTED} planted neighbours found");
    assert_eq!(hits, PLANTED, "a neighbour was missed");
}
