//! Hamming search and all pairs, with plain and with compressed tables, compared with brute force.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use lookalike::hamming::{Blocks, HammingConfig, HammingIndex, Match, Pair, TableStorage};
use lookalike::simhash::FingerprintBits;

#[derive(Debug, Arbitrary)]
struct Input {
    /// First value, step and number of evenly spaced fingerprints: equal ones, consecutive ones, shared prefixes.
    runs: Vec<(u128, u128, u8)>,
    /// Copies of earlier fingerprints with some bits flipped.
    copies: Vec<(u16, u128)>,
    width: u8,
    max_distance: u8,
    blocks: Option<u8>,
    max_tables: u8,
    max_bytes: Option<u16>,
    /// Another distance for all pairs, which may exceed the distance that the index was built for.
    pair_distance: u8,
    queries: Vec<(u16, u128)>,
}

/// The largest number of fingerprints that are compared by brute force.
const MOST: usize = 600;

fn check<B: FingerprintBits>(input: &Input) {
    let mut fingerprints: Vec<B> = Vec::new();
    for &(first, step, count) in &input.runs {
        let run = (0..u128::from(count)).map(|i| first.wrapping_add(i.wrapping_mul(step)));
        fingerprints.extend(run.map(B::truncate));
    }
    for &(which, flipped) in &input.copies {
        let original = fingerprints.get(usize::from(which) % fingerprints.len().max(1)).copied();
        fingerprints.push(original.unwrap_or(B::ZERO) ^ B::truncate(flipped));
    }
    fingerprints.truncate(MOST);

    let k = u32::from(input.max_distance) % 9;
    let near = |query: B, k: u32| {
        let mut matches: Vec<Match> = (0..)
            .zip(&fingerprints)
            .map(|(position, &other)| Match { distance: (query ^ other).count_ones(), position })
            .filter(|found| found.distance <= k)
            .collect();
        matches.sort_unstable();
        matches
    };
    let stored = fingerprints.iter().copied().take(4);
    let queries = input.queries.iter().take(8).map(|&(which, flipped)| {
        let original = fingerprints.get(usize::from(which) % fingerprints.len().max(1)).copied();
        original.unwrap_or(B::ZERO) ^ B::truncate(flipped)
    });
    let queries: Vec<B> = stored.chain(queries).chain([B::ZERO, B::ALL]).collect();

    for storage in [TableStorage::Plain, TableStorage::Compressed] {
        let config = HammingConfig::default()
            .with_max_distance(k)
            .with_storage(storage)
            .with_blocks(input.blocks.map_or(Blocks::Auto, |blocks| Blocks::Exactly(blocks.into())))
            .with_max_tables(usize::from(input.max_tables))
            .with_max_bytes(input.max_bytes.map(u64::from));
        let Ok(index) = HammingIndex::build(&fingerprints, &config) else {
            assert!(input.blocks.is_some(), "a plan without demands is always possible");
            continue;
        };
        assert!(index.query(B::ZERO, k + 1).is_err());
        for &query in &queries {
            for k in [0, k / 2, k] {
                assert_eq!(index.query(query, k).as_ref(), Ok(&near(query, k)));
            }
        }
        for k in [k, u32::from(input.pair_distance) % (B::BITS + 1)] {
            let mut pairs = Vec::new();
            for (a, &fingerprint) in (0..).zip(&fingerprints) {
                let later = near(fingerprint, k).into_iter().filter(|found| found.position > a);
                pairs.extend(later.map(|found| Pair { a, b: found.position, distance: found.distance }));
            }
            pairs.sort_unstable();
            assert_eq!(index.all_pairs(k), Ok(pairs));
        }
    }
}

fuzz_target!(|input: Input| {
    match input.width % 4 {
        0 => check::<u16>(&input),
        1 => check::<u32>(&input),
        2 => check::<u64>(&input),
        _ => check::<u128>(&input),
    }
});
