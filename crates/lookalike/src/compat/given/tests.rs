use proptest::prelude::*;

use super::*;
use crate::hashing::SplitMix64;

/// Parameters and hash values with all bits in use, and the ends of the range.
fn words<W>(count: usize, seed: u64, from: impl Fn(u64) -> W) -> Vec<W> {
    let mut random = SplitMix64::new(seed);
    (0..count)
        .map(|i| match i % 11 {
            3 => from(0),
            7 => from(u64::MAX),
            _ => from(random.next_u64()),
        })
        .collect()
}

fn every_kernel_equals_the_definition<S: Scheme>(
    permutations: usize,
    elements: usize,
    from: fn(u64) -> S::Word,
) {
    let (a, b) = (words(permutations, 1, from), words(permutations, 2, from));
    let hashes = words(elements, 3, from);
    let family = GivenPermutations::<S>::new(&a, &b).unwrap();
    let mut expected = family.empty();
    family.update_plainly(&hashes, &mut expected).unwrap();
    for kernel in Kernel::available() {
        let family = family.with_kernel(kernel);
        let mut minima = family.empty();
        // In two steps, so that minima that were computed before are taken into account.
        let (first, second) = hashes.split_at(elements / 3);
        family.update(first, &mut minima).unwrap();
        family.update(second, &mut minima).unwrap();
        assert_eq!(minima, expected, "{} {permutations} x {elements}", kernel.name());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn minima_equal_the_definition(permutations in 1usize..140, elements in 0usize..600) {
        every_kernel_equals_the_definition::<Affine32>(permutations, elements, |x| x as u32);
        every_kernel_equals_the_definition::<Affine64>(permutations, elements, |x| x);
        every_kernel_equals_the_definition::<Mersenne>(permutations, elements, |x| x);
    }

    #[test]
    fn the_fold_is_the_remainder(a: u64, b: u64, x: u64) {
        let sum = a.wrapping_mul(x).wrapping_add(b);
        prop_assert_eq!(Mersenne::permute(a, b, x), (sum % ((1 << 61) - 1)) & 0xffff_ffff);
    }
}

/// The finalisers of MurmurHash3, by their published values for 1.
#[test]
fn known_answers() {
    let mut minima = [u32::MAX; 1];
    GivenPermutations::<Affine32>::new(&[1], &[0]).unwrap().update(&[1], &mut minima).unwrap();
    assert_eq!(minima, [0x514e_28b7]); // fmix32(1)
    let mut minima = [u64::MAX; 1];
    GivenPermutations::<Affine64>::new(&[1], &[0]).unwrap().update(&[1], &mut minima).unwrap();
    assert_eq!(minima, [0xb456_bcfc_34c2_cb2c]); // fmix64(1)
}

#[test]
fn lengths_must_agree() {
    assert!(GivenPermutations::<Affine32>::new(&[1, 3], &[1]).is_err());
    assert!(GivenPermutations::<Affine32>::new(&[], &[]).is_err());
    let family = GivenPermutations::<Affine32>::new(&[1, 3], &[1, 2]).unwrap();
    assert!(family.update(&[1], &mut [0]).is_err());
    assert!(family.update_plainly(&[1], &mut [0; 3]).is_err());
}
