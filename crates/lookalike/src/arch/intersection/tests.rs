//! Every kernel against the set of the standard library.

use super::Kernel;
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

fn assert_equals_definition(kernel: Kernel, a: &[u64], b: &[u64]) {
    let expected = shared(a, b);
    let context = || format!("{} on {} and {} elements", kernel.name(), a.len(), b.len());
    assert_eq!(kernel.intersection_size(a, b), expected, "{}", context());
    assert_eq!(kernel.intersection_size(b, a), expected, "{}", context());
    for needed in [0, 1, expected.saturating_sub(1), expected, expected + 1, usize::MAX] {
        let answer = (expected >= needed).then_some(expected);
        assert_eq!(kernel.intersection_at_least(a, b, needed), answer, "{}, needed {needed}", context());
    }
}

/// The same properties for every kernel; one that this CPU cannot run passes without having been tested.
macro_rules! kernel_tests {
    ($name:ident, $kernel:expr) => {
        mod $name {
            use super::*;

            #[test]
            fn equals_the_definition_for_every_length_and_alignment() {
                let Some(kernel) = $kernel else { return };
                let mut random = SplitMix64::new(1);
                for len_a in 0..70 {
                    for len_b in 0..70 {
                        let universe = 200;
                        let (offset_a, offset_b) = (len_b % 8, (len_a + len_b / 8) % 8);
                        let a = random_set(&mut random, len_a + offset_a, universe);
                        let b = random_set(&mut random, len_b + offset_b, universe);
                        assert_equals_definition(kernel, &a[offset_a..], &b[offset_b..]);
                    }
                }
            }

            #[test]
            fn equals_the_definition_for_every_ratio_of_lengths() {
                let Some(kernel) = $kernel else { return };
                let mut random = SplitMix64::new(2);
                for len_a in [1, 2, 5, 8, 9, 31, 40] {
                    for len_b in [30, 64, 65, 250, 320, 321, 1300, 2000] {
                        for universe in [3000, 1 << 40] {
                            let a = random_set(&mut random, len_a, universe);
                            let mut b = random_set(&mut random, len_b, universe);
                            assert_equals_definition(kernel, &a, &b);
                            b.extend(a.iter().step_by(2));
                            b.sort_unstable();
                            b.dedup();
                            assert_equals_definition(kernel, &a, &b);
                        }
                    }
                }
            }

            #[test]
            fn equals_the_definition_at_the_ends_of_the_range() {
                let Some(kernel) = $kernel else { return };
                let low: Vec<u64> = (0..40).collect();
                let high: Vec<u64> = (0..40).map(|x| u64::MAX - 39 + x).collect();
                let both: Vec<u64> = low.iter().chain(&high).copied().collect();
                assert_equals_definition(kernel, &low, &high);
                assert_equals_definition(kernel, &low, &both);
                assert_equals_definition(kernel, &high, &both);
                assert_equals_definition(kernel, &both, &both);
            }

            proptest! {
                #![proptest_config(ProptestConfig::with_cases(128))]
                #[test]
                fn equals_the_definition_on_any_sets(
                    a in prop::collection::btree_set(0u64..2000, 0..600),
                    b in prop::collection::btree_set(0u64..2000, 0..600),
                ) {
                    if let Some(kernel) = $kernel {
                        let a: Vec<u64> = a.into_iter().collect();
                        let b: Vec<u64> = b.into_iter().collect();
                        assert_equals_definition(kernel, &a, &b);
                    }
                }

                /// The promise for input that is not ascending: a number, and no panic or stray read.
                #[test]
                fn survives_slices_that_are_not_sets(
                    a in prop::collection::vec(0u64..50, 0..300),
                    b in prop::collection::vec(any::<u64>(), 0..300),
                ) {
                    if let Some(kernel) = $kernel {
                        prop_assert!(kernel.intersection_size(&a, &b) <= a.len() + b.len());
                        prop_assert!(kernel.intersection_size(&a, &a) <= 8 * a.len());
                    }
                }
            }
        }
    };
}

kernel_tests!(scalar, Some(Kernel::scalar()));
kernel_tests!(avx2, Kernel::avx2());
kernel_tests!(avx512, Kernel::avx512());

#[test]
fn the_best_kernel_is_the_last_available_one() {
    assert_eq!(Kernel::available().last(), Some(Kernel::best()));
    assert_eq!(Kernel::available().next(), Some(Kernel::scalar()));
}
