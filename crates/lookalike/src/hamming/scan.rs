//! A fingerprint, candidates -> the candidates at most k bits away: the comparison loop of the search and of the
//! join.
//!
//! The code is plain Rust and is compiled once per kernel. Without `popcnt`, counting the bits of a word takes about
//! twelve instructions; with AVX-512 `vpopcntdq`, one instruction counts eight words. The kernel is chosen once for a
//! whole run of comparisons.

use std::ops::Range;

use crate::arch::{Kernel, dispatch, task};
use crate::simhash::FingerprintBits;

/// Appends the positions of the `candidates` at most `k` bits from `query`, ascending.
pub(super) fn near<B: FingerprintBits>(
    kernel: Kernel,
    query: B,
    candidates: &[B],
    k: u32,
    hits: &mut Vec<u32>,
) {
    dispatch(kernel, Near { query, candidates, k, hits });
}

/// Appends the positions `(i, j)` of the pairs of `run` at most `k` bits apart, ascending, with i in `rows` and i <
/// j.
pub(super) fn near_pairs<B: FingerprintBits>(
    kernel: Kernel,
    run: &[B],
    rows: Range<usize>,
    k: u32,
    hits: &mut Vec<(u32, u32)>,
) {
    dispatch(kernel, NearPairs { run, rows, k, hits });
}

struct Near<'a, B> {
    query: B,
    candidates: &'a [B],
    k: u32,
    hits: &'a mut Vec<u32>,
}

task! {
    impl['a, B: FingerprintBits] Near<'a, B> => (), |task, _: S| {
        scan(task.query, task.candidates, task.k, |place| task.hits.push(place));
    }
}

struct NearPairs<'a, B> {
    run: &'a [B],
    rows: Range<usize>,
    k: u32,
    hits: &'a mut Vec<(u32, u32)>,
}

task! {
    impl['a, B: FingerprintBits] NearPairs<'a, B> => (), |task, _: S| {
        for i in task.rows {
            let after = i + 1;
            scan(task.run[i], &task.run[after..], task.k, |place| {
                task.hits.push((i as u32, after as u32 + place));
            });
        }
    }
}

/// Calls `hit` with the position of every candidate at most `k` bits from `query`, ascending.
#[inline(always)]
fn scan<B: FingerprintBits>(query: B, candidates: &[B], k: u32, mut hit: impl FnMut(u32)) {
    // Long scans use long blocks. Most runs of a join are shorter than a long block.
    let scanned = scan_blocks::<B, 32>(query, candidates, 0, k, &mut hit);
    let scanned = scan_blocks::<B, 8>(query, candidates, scanned, k, &mut hit);
    for (place, &candidate) in candidates.iter().enumerate().skip(scanned) {
        if query.hamming_distance(candidate) <= k {
            hit(place as u32);
        }
    }
}

/// Scans whole blocks of `N` candidates from `start` on, and returns the position where it stopped.
///
/// Hits are rare. So this first tests without a branch per candidate whether a block has any hit, and only then looks
/// for the candidates.
#[inline(always)]
fn scan_blocks<B: FingerprintBits, const N: usize>(
    query: B,
    candidates: &[B],
    mut start: usize,
    k: u32,
    hit: &mut impl FnMut(u32),
) -> usize {
    let (blocks, _) = candidates[start..].as_chunks::<N>();
    for block in blocks {
        let mut least = u32::MAX;
        for &candidate in block {
            least = least.min(query.hamming_distance(candidate));
        }
        if least <= k {
            for (lane, &candidate) in block.iter().enumerate() {
                if query.hamming_distance(candidate) <= k {
                    hit((start + lane) as u32);
                }
            }
        }
        start += N;
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hashing::SplitMix64;

    /// Compares every kernel, every length from 0 to 70 and every alignment with counting bits one by one.
    fn equals_the_definition<B: FingerprintBits>() {
        fn bits_apart<B: FingerprintBits>(a: B, b: B) -> u32 {
            let (a, b) = (a.widen(), b.widen());
            (0..128).filter(|bit| (a >> bit) & 1 != (b >> bit) & 1).count() as u32
        }
        let mut random = SplitMix64::new(9);
        // Few set bits, so that all small distances occur.
        let mut word = || B::truncate((0..3).fold(0, |w, _| w | 1u128 << random.below(u64::from(B::BITS))));
        let words: Vec<B> = (0..78).map(|_| word()).collect();
        for length in 0..70 {
            for start in 0..8 {
                let run = &words[start..start + length];
                for k in [0, 2, 4] {
                    let expected: Vec<u32> =
                        (0..length as u32).filter(|&i| bits_apart(words[77], run[i as usize]) <= k).collect();
                    let rows = length / 3..length - length / 4;
                    let expected_pairs: Vec<(u32, u32)> = rows
                        .clone()
                        .flat_map(|i| (i + 1..length).map(move |j| (i, j)))
                        .filter(|&(i, j)| bits_apart(run[i], run[j]) <= k)
                        .map(|(i, j)| (i as u32, j as u32))
                        .collect();
                    for kernel in Kernel::available() {
                        let mut hits = Vec::new();
                        near(kernel, words[77], run, k, &mut hits);
                        assert_eq!(hits, expected, "{kernel:?}, length {length}, k {k}");
                        let mut hits = Vec::new();
                        near_pairs(kernel, run, rows.clone(), k, &mut hits);
                        assert_eq!(hits, expected_pairs, "{kernel:?}, length {length}, k {k}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_kernel_equals_the_definition_for_every_width() {
        equals_the_definition::<u16>();
        equals_the_definition::<u32>();
        equals_the_definition::<u64>();
        equals_the_definition::<u128>();
    }
}
