//! Compares the index and the join with brute force, for every width, storage, number of blocks and kernel.

use std::ops::ControlFlow;

use proptest::prelude::*;

use super::join::join;
use super::*;
use crate::arch::Kernel;
use crate::hashing::SplitMix64;
use crate::simhash::FingerprintBits;

fn brute_query<B: FingerprintBits>(fingerprints: &[B], query: B, k: u32) -> Vec<Match> {
    let mut matches: Vec<Match> = (0u32..)
        .zip(fingerprints)
        .map(|(position, &f)| Match { distance: f.hamming_distance(query), position })
        .filter(|found| found.distance <= k)
        .collect();
    matches.sort_unstable();
    matches
}

fn brute_pairs<B: FingerprintBits>(fingerprints: &[B], k: u32) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (a, &left) in (0u32..).zip(fingerprints) {
        for (b, &right) in (0u32..).zip(fingerprints).skip(a as usize + 1) {
            let distance = left.hamming_distance(right);
            if distance <= k {
                pairs.push(Pair { a, b, distance });
            }
        }
    }
    pairs
}

/// Kinds of collections that are difficult for prefixes and blocks.
#[derive(Debug, Clone, Copy)]
enum Structure {
    Random,
    AllEqual,
    FewDistinctBits,
    Consecutive,
    SharedPrefix,
    /// Copies of a few fingerprints with some bits flipped.
    Clusters,
    LowWeight,
}

fn structure() -> impl Strategy<Value = Structure> {
    use Structure::*;
    prop::sample::select(vec![
        Random,
        AllEqual,
        FewDistinctBits,
        Consecutive,
        SharedPrefix,
        Clusters,
        LowWeight,
    ])
}

fn collection<B: FingerprintBits>(structure: Structure, count: usize, seed: u64) -> Vec<B> {
    let mut random = SplitMix64::new(seed);
    let mut wide = || u128::from(random.next_u64()) << 64 | u128::from(random.next_u64());
    let base = wide();
    let bit = |random: u128| 1u128 << (random % u128::from(B::BITS));
    (0..count as u128)
        .map(|i| match structure {
            Structure::Random => wide(),
            Structure::AllEqual => base,
            Structure::FewDistinctBits => base ^ (wide() & 0x0101_0001_0001_0003_8000_0001_0000_8421),
            Structure::Consecutive => i,
            Structure::SharedPrefix => (base << (B::BITS / 2)) ^ (wide() & ((1 << (B::BITS / 2)) - 1)),
            Structure::Clusters => {
                let flips = (0..wide() % 4).fold(0, |flips, _| flips ^ bit(wide()));
                base.rotate_left((i % 5) as u32 * 7) ^ flips
            }
            Structure::LowWeight => bit(wide()) | bit(wide()) | bit(wide()),
        })
        .map(B::truncate)
        .collect()
}

fn every_answer_equals_brute_force<B: FingerprintBits>(
    structure: Structure,
    count: usize,
    seed: u64,
    k: u32,
    more_blocks: usize,
    storage: TableStorage,
) {
    let fingerprints = collection::<B>(structure, count, seed);
    let config = HammingConfig {
        max_distance: k,
        storage,
        blocks: if more_blocks == 3 { Blocks::Auto } else { Blocks::Exactly(k as usize + 1 + more_blocks) },
        max_tables: 100,
        max_bytes: None,
    };
    let index = HammingIndex::build(&fingerprints, &config).unwrap();
    assert_eq!(index.len(), count);
    let mut random = SplitMix64::new(!seed);
    let stored = fingerprints.iter().take(8).copied();
    let near = stored.clone().map(|f| f ^ B::truncate(1u128 << random.below(u64::from(B::BITS))));
    for query in stored.clone().chain(near).chain([B::ZERO, B::ALL]) {
        for smaller in 0..=k {
            let found = index.query(query, smaller).unwrap();
            assert_eq!(found, brute_query(&fingerprints, query, smaller));
            let grouped = index.query_groups(query, smaller).unwrap();
            assert!(grouped.is_sorted());
            let mut expanded: Vec<Match> = grouped
                .iter()
                .flat_map(|g| g.positions.iter().map(|&position| Match { distance: g.distance, position }))
                .collect();
            expanded.sort_unstable();
            assert_eq!(expanded, found);
            #[cfg(feature = "rayon")]
            assert_eq!(index.par_query(query, smaller).unwrap(), found);
        }
    }
    assert!(index.query(B::ZERO, k + 1).is_err());
    let pairs = index.all_pairs(k).unwrap();
    assert_eq!(pairs, brute_pairs(&fingerprints, k));
    #[cfg(feature = "rayon")]
    {
        assert_eq!(index.par_all_pairs(k).unwrap(), pairs);
        let parallel = HammingIndex::par_build(&fingerprints, &config).unwrap();
        let query = fingerprints.first().copied().unwrap_or(B::ZERO);
        assert_eq!(parallel.query(query, k), index.query(query, k));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn nothing_is_missed_and_nothing_invented(
        structure in structure(),
        count in 0usize..250,
        seed: u64,
        k in 0u32..=5,
        more_blocks in 0usize..=3,
        compressed: bool,
    ) {
        let storage = if compressed { TableStorage::Compressed } else { TableStorage::Plain };
        every_answer_equals_brute_force::<u16>(structure, count, seed, k, more_blocks, storage);
        every_answer_equals_brute_force::<u32>(structure, count, seed, k, more_blocks, storage);
        every_answer_equals_brute_force::<u64>(structure, count, seed, k, more_blocks, storage);
        every_answer_equals_brute_force::<u128>(structure, count, seed, k, more_blocks, storage);
    }
}

/// The runs are long enough to be split several times. The small cases above are compared directly.
#[test]
fn long_runs_are_split_without_losing_a_pair() {
    for structure in [
        Structure::Random,
        Structure::FewDistinctBits,
        Structure::Consecutive,
        Structure::SharedPrefix,
        Structure::Clusters,
        Structure::LowWeight,
    ] {
        for k in [0, 1, 3, 6] {
            let fingerprints = collection::<u64>(structure, 3000, 1);
            let pairs = HammingIndex::build(&fingerprints, &HammingConfig::default()).unwrap().all_pairs(k);
            assert_eq!(pairs.unwrap(), brute_pairs(&fingerprints, k), "{structure:?}, k = {k}");
            let fingerprints = collection::<u16>(structure, 2000, 1);
            let groups = FingerprintGroups::new(&fingerprints).unwrap();
            assert_eq!(groups.all_pairs(k).unwrap(), brute_pairs(&fingerprints, k), "{structure:?}, k = {k}");
        }
    }
}

#[test]
fn every_kernel_finds_the_same_pairs_in_the_same_order() {
    let mut values = collection::<u64>(Structure::SharedPrefix, 4000, 2);
    values.sort_unstable();
    values.dedup();
    let pairs_of = |kernel| {
        let mut pairs = Vec::new();
        let flow = join(kernel, &values, 6, |a, b, distance| {
            pairs.push((a, b, distance));
            ControlFlow::Continue(())
        });
        assert!(flow.is_continue());
        pairs
    };
    let portable = pairs_of(Kernel::PORTABLE);
    assert!(portable.len() > 1000);
    for kernel in Kernel::available() {
        assert_eq!(pairs_of(kernel), portable, "{kernel:?}");
    }
}

/// A million equal fingerprints would be half a trillion pairs. Grouped, they are one group, which is found at once.
#[test]
fn a_million_equal_fingerprints_cost_as_much_as_one() {
    let mut fingerprints = vec![0xabcd_u64; 1_000_000];
    fingerprints.extend([0xabcc, 0xffff_0000_abcd]);
    let index = HammingIndex::build(&fingerprints, &HammingConfig::default()).unwrap();
    let found = index.query_groups(0xabcd, 3).unwrap();
    assert_eq!(
        found.iter().map(|g| (g.distance, g.positions.len())).collect::<Vec<_>>(),
        [(0, 1_000_000), (1, 1)]
    );
    let groups = index.groups();
    assert_eq!(groups.equal().map(<[u32]>::len).collect::<Vec<_>>(), [1_000_000]);
    let mut near = Vec::new();
    let flow = groups.visit_group_pairs(3, |pair| {
        near.push((pair.a.len(), pair.b.len(), pair.distance));
        ControlFlow::Continue(())
    });
    assert_eq!((flow.unwrap(), near), (ControlFlow::Continue(()), vec![(1, 1_000_000, 1)]));
    let mut seen = 0;
    let flow = groups.visit_pairs(3, |_| {
        seen += 1;
        if seen == 10 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!((flow.unwrap(), seen), (ControlFlow::Break(()), 10));
}

/// 100,000 different fingerprints that share their first 40 bits: comparing all would be 5,000,000,000 comparisons.
/// Splitting leaves few enough for this test to end at once. A sample is checked for missing pairs.
#[test]
fn a_hot_prefix_is_split_by_its_other_bits() {
    let mut random = SplitMix64::new(8);
    let fingerprints: Vec<u64> = (0..100_000).map(|_| random.next_u64() >> 40).collect();
    let groups = FingerprintGroups::new(&fingerprints).unwrap();
    let pairs = groups.all_pairs(1).unwrap();
    for (a, &left) in (0u32..).zip(&fingerprints).take(50) {
        let expected: Vec<u32> = (0u32..)
            .zip(&fingerprints)
            .filter(|&(b, right)| b != a && left.hamming_distance(*right) <= 1)
            .map(|(b, _)| b)
            .collect();
        let mut found: Vec<u32> = pairs
            .iter()
            .filter(|pair| pair.a == a || pair.b == a)
            .map(|pair| if pair.a == a { pair.b } else { pair.a })
            .collect();
        found.sort_unstable();
        assert_eq!(found, expected);
    }
}

#[test]
fn the_plan_knows_the_memory() {
    let mut random = SplitMix64::new(6);
    let fingerprints: Vec<u64> = (0..100_000).map(|_| random.next_u64()).collect();
    for storage in [TableStorage::Plain, TableStorage::Compressed] {
        let config = HammingConfig { storage, blocks: Blocks::Exactly(5), ..HammingConfig::default() };
        let index = HammingIndex::build(&fingerprints, &config).unwrap();
        let tables = (index.bytes() - index.groups().bytes()) as f64;
        let planned = index.plan().bytes(storage) as f64;
        assert!((tables / planned - 1.0).abs() < 0.01, "{storage:?}: {tables} against {planned}");
    }
}

#[test]
fn impossible_distances_are_errors() {
    let index = HammingIndex::build(&[1u16, 2], &HammingConfig::default()).unwrap();
    assert!(index.query(1, 4).is_err());
    assert!(index.all_pairs(17).is_err());
    assert_eq!(index.all_pairs(16).unwrap(), [Pair { a: 0, b: 1, distance: 2 }]);
    let everything = HammingConfig { max_distance: 16, ..HammingConfig::default() };
    let index = HammingIndex::build(&[0u16, u16::MAX], &everything).unwrap();
    assert_eq!(index.query(0, 16).unwrap().len(), 2);
    assert!(HammingIndex::build(&[1u16], &HammingConfig { max_distance: 17, ..everything }).is_err());
}

#[test]
fn an_empty_index_finds_nothing() {
    for blocks in [Blocks::Auto, Blocks::Exactly(5)] {
        for storage in [TableStorage::Plain, TableStorage::Compressed] {
            let config = HammingConfig { blocks, storage, ..HammingConfig::default() };
            let index = HammingIndex::<u64>::build(&[], &config).unwrap();
            assert!(index.is_empty());
            assert_eq!(index.query(5, 3).unwrap(), []);
            assert_eq!(index.all_pairs(3).unwrap(), []);
        }
    }
}
