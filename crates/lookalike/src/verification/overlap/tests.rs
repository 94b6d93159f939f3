use super::*;
use crate::hashing::SplitMix64;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn plainly(a: &[u64], b: &[u64]) -> (usize, usize) {
    let [a, b] = [a, b].map(|elements| elements.iter().copied().collect::<BTreeSet<u64>>());
    (b.len(), a.intersection(&b).count())
}

fn check(table: &mut OverlapTable, a: &[u64], others: &[&[u64]]) {
    table.build(a);
    assert_eq!(table.distinct(), plainly(&[], a).0);
    // Run twice, so that the second run fails if the first leaves something behind.
    for _ in 0..2 {
        for b in others {
            let (distinct, common) = plainly(a, b);
            assert_eq!(table.overlap(b), (distinct, common));
            for most in [0, 1, (distinct - common).saturating_sub(1), distinct - common, distinct] {
                let expected = (distinct - common <= most).then_some((distinct, common));
                assert_eq!(table.overlap_if_like(b, most), expected, "{most}");
            }
        }
    }
}

#[test]
fn empty_sequences_and_tables_that_were_never_built() {
    assert_eq!(OverlapTable::default().overlap(&[]), (0, 0));
    assert_eq!(OverlapTable::default().overlap(&[1, 1, 2]), (2, 0));
    let mut table = OverlapTable::default();
    check(&mut table, &[], &[&[], &[1, 1], &[0, u64::MAX]]);
    check(&mut table, &[5; 100], &[&[], &[5; 3], &[6; 300], &[5, 6, 5]]);
}

#[test]
fn near_duplicates_repeats_and_reorderings() {
    let mut random = SplitMix64::new(1);
    let mut table = OverlapTable::default();
    for len in [1u64, 2, 10, 100, 3000] {
        let a: Vec<u64> = (0..len).map(|_| random.next_u64()).collect();
        let mut edited = a.clone();
        for _ in 0..len.div_ceil(20) {
            let at = random.below(len) as usize;
            edited[at] = random.next_u64();
        }
        let reversed: Vec<u64> = a.iter().rev().copied().collect();
        let twice = a.repeat(2);
        let moved = [&a[a.len() / 2..], &a[..a.len() / 2]].concat();
        let stutter: Vec<u64> = edited.iter().flat_map(|&x| [x, x]).collect();
        // Many more elements that only B has than the table has room for.
        let other: Vec<u64> = (0..10 * len).map(|_| random.next_u64()).collect();
        let mixed = [&other, &a, &other[..], &twice].concat();
        let all: [&[u64]; 9] =
            [&a, &edited, &reversed, &twice, &moved, &stutter, &other, &mixed, &a[a.len() / 3..]];
        for a in all {
            check(&mut table, a, &all);
        }
    }
}

/// Elements that all begin their search in the same slot, whatever the number of slots.
fn crowding(count: u64) -> Vec<u64> {
    // The inverse of the factor modulo 2^64, by Newton's iteration.
    let factor = 0x9e37_79b9_7f4a_7c15_u64;
    let inverse = (0..6).fold(factor, |x, _| x.wrapping_mul(2u64.wrapping_sub(factor.wrapping_mul(x))));
    assert_eq!(factor.wrapping_mul(inverse), 1);
    (0..count).map(|i| i.wrapping_mul(inverse)).collect()
}

#[test]
fn elements_that_crowd_are_sorted_and_the_count_is_the_same() {
    let (a, even) = (crowding(5000), (0..5000).map(|x| x << 40).collect::<Vec<u64>>());
    let mut table = OverlapTable::default();
    table.build(&a);
    assert!(table.slots.is_empty(), "the table was given up");
    check(&mut table, &a, &[&a, &a[2000..], &even, &[a[0], a[0]]]);
    check(&mut table, &even, &[&a, &even, &a[..100]]);
    assert!(!table.slots.is_empty());
}

#[test]
fn the_number_of_comparisons_may_run_over() {
    let mut table = OverlapTable::default();
    table.build(&[1, 2, 3]);
    assert_eq!(table.overlap(&[1, 2]), (2, 2));
    table.comparison = u32::MAX;
    assert_eq!(table.overlap(&[1, 2]), (2, 2));
    assert_eq!(table.overlap(&[3, 2, 4]), (3, 2));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn equals_the_intersection_of_sets(
        a in prop::collection::vec(0u64..60, 0..150),
        others in prop::collection::vec(prop::collection::vec(0u64..80, 0..200), 0..4),
        shift in 0u32..58,
    ) {
        let a: Vec<u64> = a.into_iter().map(|x| x << shift).collect();
        let others: Vec<Vec<u64>> =
            others.into_iter().map(|b| b.into_iter().map(|x| x << shift).collect()).collect();
        let others: Vec<&[u64]> = others.iter().map(Vec::as_slice).collect();
        check(&mut OverlapTable::default(), &a, &others);
    }
}
