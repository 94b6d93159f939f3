//! Compares every kernel with the sets of the standard library.

use super::intersection_at_least;
use crate::arch::Kernel;
use crate::hashing::SplitMix64;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// The plain definition.
fn shared(a: &[u64], b: &[u64]) -> usize {
    let a: BTreeSet<_> = a.iter().collect();
    let b: BTreeSet<_> = b.iter().collect();
    a.intersection(&b).count()
}

/// `len` different numbers below `universe`, ascending.
fn random_set(random: &mut SplitMix64, len: usize, universe: u64) -> Vec<u64> {
    let mut set = BTreeSet::new();
    while set.len() < len {
        set.insert(random.below(universe));
    }
    set.into_iter().collect()
}

fn assert_every_kernel_equals_the_definition(a: &[u64], b: &[u64]) {
    let expected = shared(a, b);
    for kernel in Kernel::available() {
        for needed in [0, 1, expected.saturating_sub(1), expected, expected + 1, usize::MAX] {
            let answer = (expected >= needed).then_some(expected);
            let context =
                || format!("{}: {} and {} elements, {needed} needed", kernel.name(), a.len(), b.len());
            assert_eq!(intersection_at_least(kernel, a, b, needed), answer, "{}", context());
            assert_eq!(intersection_at_least(kernel, b, a, needed), answer, "{}, swapped", context());
        }
    }
}

#[test]
fn every_kernel_equals_the_definition_for_every_length_and_alignment() {
    let mut random = SplitMix64::new(1);
    for len_a in 0..70 {
        for len_b in 0..70 {
            let universe = 200;
            let (offset_a, offset_b) = (len_b % 8, (len_a + len_b / 8) % 8);
            let a = random_set(&mut random, len_a + offset_a, universe);
            let b = random_set(&mut random, len_b + offset_b, universe);
            assert_every_kernel_equals_the_definition(&a[offset_a..], &b[offset_b..]);
        }
    }
}

#[test]
fn every_kernel_equals_the_definition_for_every_ratio_of_lengths() {
    let mut random = SplitMix64::new(2);
    for len_a in [1, 2, 5, 8, 9, 31, 40] {
        for len_b in [30, 64, 65, 250, 320, 321, 1300, 2000] {
            for universe in [3000, 1 << 40] {
                let a = random_set(&mut random, len_a, universe);
                let mut b = random_set(&mut random, len_b, universe);
                assert_every_kernel_equals_the_definition(&a, &b);
                b.extend(a.iter().step_by(2));
                b.sort_unstable();
                b.dedup();
                assert_every_kernel_equals_the_definition(&a, &b);
            }
        }
    }
}

#[test]
fn every_kernel_equals_the_definition_at_the_ends_of_the_range() {
    let low: Vec<u64> = (0..40).collect();
    let high: Vec<u64> = (0..40).map(|x| u64::MAX - 39 + x).collect();
    let both: Vec<u64> = low.iter().chain(&high).copied().collect();
    assert_every_kernel_equals_the_definition(&low, &high);
    assert_every_kernel_equals_the_definition(&low, &both);
    assert_every_kernel_equals_the_definition(&high, &both);
    assert_every_kernel_equals_the_definition(&both, &both);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn every_kernel_equals_the_definition_on_any_sets(
        a in prop::collection::btree_set(0u64..2000, 0..600),
        b in prop::collection::btree_set(0u64..2000, 0..600),
    ) {
        let a: Vec<u64> = a.into_iter().collect();
        let b: Vec<u64> = b.into_iter().collect();
        assert_every_kernel_equals_the_definition(&a, &b);
    }

    /// Input that is not ascending gives some number and no panic.
    #[test]
    fn every_kernel_survives_slices_that_are_not_sets(
        a in prop::collection::vec(0u64..50, 0..300),
        b in prop::collection::vec(any::<u64>(), 0..300),
    ) {
        for kernel in Kernel::available() {
            let size = |a, b| intersection_at_least(kernel, a, b, 0).unwrap();
            prop_assert!(size(&a, &b) <= a.len() + b.len());
            prop_assert!(size(&a, &a) <= 8 * a.len());
        }
    }
}
