use super::*;
use crate::hashing::SplitMix64;
use crate::minhash::{EMPTY_SLOT, FastSketch, MinHasher};
use crate::statistics::{Moments, pair_of_sets};
use proptest::prelude::*;

fn lanes_of(slots: &[u64]) -> Vec<u16> {
    let mut lanes = vec![0; slots.len()];
    lanes_into(slots, &mut lanes);
    lanes
}

/// Computed by a second program from the [format](crate::format).
#[test]
fn lanes_are_fixed() {
    let slots = FastSketch::new(4, 42).unwrap().sketch(&[1, 2, 3]).slots().to_vec();
    assert_eq!(lanes_of(&slots), [0xabc9, 0xc500, 0x6ea0, 0xb29d]);
    assert_eq!((lane(EMPTY_SLOT, 0), lane(EMPTY_SLOT, 1)), (0x60c4, 0x67ff));
}

#[test]
fn lanes_are_the_bits_of_a_b_bit_signature() {
    let signature = FastSketch::new(130, 3).unwrap().sketch(&[5, 6, 7]);
    let words = super::super::BBitSignature::new(&signature, 16).unwrap().words().to_vec();
    let packed = words.iter().flat_map(|word| (0..4).map(move |at| (word >> (16 * at)) as u16));
    assert_eq!(packed.take(130).collect::<Vec<_>>(), lanes_of(signature.slots()));
}

/// Computed by a second program, with exact fractions.
#[test]
fn cutoffs_are_those_of_the_binomial_tail() {
    for (num_hashes, threshold, miss, cutoff) in [
        (128, 0.8, 1e-6, 79),
        (128, 0.8, 0.01, 91),
        (256, 0.5, 1e-3, 103),
        (64, 0.9, 1e-4, 47),
        (128, 0.95, 1e-9, 103),
        (128, 0.0, 0.5, 0),
        (1, 0.5, 0.4, 0),
        (1, 0.5, 0.6, 1),
        (128, 0.8, 0.0, 0),
        (128, 1.0, 0.0, 128),
        (128, 0.8, 1.0, 128),
    ] {
        assert_eq!(
            estimate_cutoff(num_hashes, threshold, miss),
            Ok(cutoff),
            "{num_hashes} {threshold} {miss}"
        );
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    assert!(estimate_cutoff(0, 0.5, 0.1).is_err());
    assert!(estimate_cutoff(128, f64::NAN, 0.1).is_err());
    assert!(estimate_cutoff(128, 0.5, 1.1).is_err());
    assert!(estimate_of_lanes(129, 128).is_err());
    assert!(estimate_of_lanes(0, 0).is_err());
}

#[test]
fn lists_of_different_length_are_compared_as_far_as_both_go() {
    assert_eq!(matching_lanes(&[1, 2, 3], &[1, 2]), 2);
    assert_eq!(matching_lanes(&[], &[1]), 0);
    let mut lanes = [7; 2];
    lanes_into(&[1], &mut lanes);
    assert_eq!(lanes, [lane(1, 0), 7]);
}

#[test]
fn rows_beyond_the_table_agree_in_nothing() {
    let mut near = Vec::new();
    near_rows(Kernel::best(), &[1, 2], &[1, 2, 1], &[0, 1, 2, u32::MAX], 0, &mut near);
    assert_eq!(near, [(0, 2), (1, 0), (2, 0), (u32::MAX, 0)]);
}

#[test]
fn the_estimate_has_the_bias_and_variance_of_16_bits() {
    // 2,000 pairs each. The mean may be off by 5 standard errors, of at most sqrt(p (1 - p) / K / 2,000) each. That
    // is a false alarm in a million, or fewer, since the sketch has a smaller variance. 1.16 is 5 standard errors
    // above the formula for the variance.
    for (shared, own) in [(0, 400), (200, 300), (700, 100)] {
        let similarity = shared as f64 / (shared + 2 * own) as f64;
        let sample = Moments::of((0..2_000).map(|seed| {
            let hasher = FastSketch::new(64, seed).unwrap();
            let (a, b) = pair_of_sets(seed, shared, own);
            let matching =
                matching_lanes(&lanes_of(hasher.sketch(&a).slots()), &lanes_of(hasher.sketch(&b).slots()));
            matching as f64 / 64.0
        }));
        let p = bbit::collision_probability(similarity, LANE_BITS).unwrap();
        let variance = p * (1.0 - p) / 64.0;
        assert!(sample.bias_in_standard_errors(p, variance).abs() < 5.0, "{similarity}: {sample:?}");
        // Chance agreements alone are too rare for a bound by the normal distribution.
        assert!(shared == 0 || sample.variance < 1.16 * variance, "{similarity}: {sample:?}");
    }
}

#[test]
fn different_slots_agree_in_one_of_65536_lanes() {
    // Consecutive numbers, the hardest input: 2^22 pairs, 64 agreements expected, Poisson. 25 to 110 leaves 5
    // standard deviations: false alarms in a million.
    let lanes = lanes_of(&(0..1 << 22).collect::<Vec<u64>>());
    let agreeing = matching_lanes(&lanes, &lanes[1..]);
    assert!((25..110).contains(&agreeing), "{agreeing}");
}

#[test]
fn a_cutoff_loses_no_more_than_it_says() {
    // 4,000 pairs at J = 0.8 of the fast sketch, with K = 64: at 5 % the binomial loses at most 200 of them, and the
    // sketch, of smaller variance, no more. 270 is 5 standard deviations above.
    let cutoff = estimate_cutoff(64, 0.8, 0.05).unwrap();
    let mut random = SplitMix64::new(5);
    let lost = (0..4_000).filter(|_| {
        let number = random.next_u64();
        let hasher = FastSketch::new(64, number).unwrap();
        let (a, b) = pair_of_sets(number >> 32, 160, 20);
        matching_lanes(&lanes_of(hasher.sketch(&a).slots()), &lanes_of(hasher.sketch(&b).slots())) < cutoff
    });
    let lost = lost.count();
    assert!(lost < 270, "{lost}");
    // The cutoff is not so low that it drops nothing: unrelated pairs, and pairs of half the similarity, are dropped.
    assert!(cutoff > 40, "{cutoff}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn every_kernel_equals_comparing_one_by_one(
        slots in prop::collection::vec((0u64..4, any::<u64>()), 0..300), start in 0usize..9, cut in 0usize..9,
    ) {
        let [a, b] = [1, 2].map(|salt| {
            lanes_of(&slots.iter().map(|&(kind, x)| if kind == 0 { x ^ salt } else { x }).collect::<Vec<_>>())
        });
        let salted = slots.iter().map(|&(kind, x)| if kind == 0 { x ^ 1 } else { x }).enumerate();
        let plain: Vec<u16> = salted.map(|(position, slot)| lane(slot, position)).collect();
        prop_assert_eq!(&a, &plain);
        let (a, b) = (&a[start.min(a.len())..], &b[start.min(b.len())..]);
        let b = &b[..b.len().saturating_sub(cut)];
        let expected = a.iter().zip(b).filter(|(a, b)| a == b).count();
        for kernel in Kernel::available() {
            prop_assert_eq!(matching_lanes_with(kernel, a, b), expected, "{}", kernel.name());
            let mut near = Vec::new();
            near_rows(kernel, b, a, &[0], expected, &mut near);
            prop_assert_eq!(&near, &[(0, expected as u32)]);
            near_rows(kernel, b, a, &[0], expected + 1, &mut near);
            prop_assert_eq!(near.len(), 1);
        }
    }

    #[test]
    fn the_cutoff_is_the_largest_that_loses_no_more(
        num_hashes in 1usize..400, threshold in 0.0f64..1.0, miss in 0.0f64..1.0,
    ) {
        // Logarithms are a second way to compute the same tail, up to rounding.
        let p = threshold + (1.0 - threshold) / 65536.0;
        let mut ln_choose = 0.0;
        let mut fewer = 0.0;
        let cutoff = estimate_cutoff(num_hashes, threshold, miss).unwrap();
        for k in 0..num_hashes {
            if k == cutoff {
                prop_assert!(fewer <= miss + 1e-9, "{} of {}", fewer, miss);
            }
            if k == cutoff + 1 {
                prop_assert!(fewer >= miss - 1e-9, "{} of {}", fewer, miss);
            }
            fewer += (ln_choose + k as f64 * p.ln() + (num_hashes - k) as f64 * (1.0 - p).ln()).exp();
            ln_choose += ((num_hashes - k) as f64 / (k + 1) as f64).ln();
        }
    }
}
