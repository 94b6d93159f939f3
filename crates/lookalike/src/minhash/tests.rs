//! Sketchers against their definitions and against the theory.

use super::*;
use crate::arch::Kernel;
use crate::hashing::SplitMix64;
use proptest::prelude::*;

fn random_elements(count: usize, seed: u64) -> Vec<u64> {
    let mut random = SplitMix64::new(seed);
    (0..count).map(|_| random.next_u64()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn fast_sketch_equals_its_definition(
        num_hashes in prop_oneof![1usize..300, Just(512), Just(1000)],
        elements in prop_oneof![
            prop::collection::vec(any::<u64>(), 0..40),
            (0usize..3000, any::<u64>()).prop_map(|(n, seed)| random_elements(n, seed)),
            (0u64..2000).prop_map(|n| (0..n).collect())
        ],
        seed in any::<u64>(),
    ) {
        for kernel in Kernel::available() {
            let hasher = FastSketch::new(num_hashes, seed).unwrap().with_kernel(kernel);
            prop_assert_eq!(hasher.sketch(&elements).slots().to_vec(), hasher.sketch_plainly(&elements), "{}", kernel.name());
        }
    }

    #[test]
    fn multiply_shift_equals_its_definition(
        num_hashes in 1usize..300,
        elements in prop::collection::vec(any::<u64>(), 0..600),
        seed in any::<u64>(),
    ) {
        for kernel in Kernel::available() {
            let hasher = MultiplyShift::new(num_hashes, seed).unwrap().with_kernel(kernel);
            prop_assert_eq!(hasher.sketch(&elements).slots().to_vec(), hasher.sketch_plainly(&elements), "{}", kernel.name());
        }
    }
}
