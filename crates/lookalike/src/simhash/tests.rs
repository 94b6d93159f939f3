//! Laws and statistics of SimHash. Seeds are fixed, so a statistical test that passes keeps passing; the
//! false-alarm rates say how surprising a failure after a change of the hash functions would be.

use std::f64::consts::PI;

use proptest::prelude::*;

use super::*;
use crate::statistics::{Moments, STRUCTURED, pair_of_sets};
proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn weight_one_equals_unweighted_equals_bag(
        features in prop::collection::vec(0u64..40, 0..60),
        seed: u64,
    ) {
        fn check<B: FingerprintBits>(features: &[u64], seed: u64) {
            let hasher = SimHasher::<B>::with_width(seed);
            let weighted: Vec<(u64, f64)> = features.iter().map(|&f| (f, 1.0)).collect();
            let bag = ShingleBag::from_hashes(features.to_vec());
            let fingerprint = hasher.fingerprint(features);
            assert_eq!(hasher.fingerprint_weighted(&weighted).unwrap(), fingerprint);
            assert_eq!(hasher.fingerprint_bag(&bag), fingerprint);
        }
        check::<u16>(&features, seed);
        check::<u32>(&features, seed);
        check::<u64>(&features, seed);
        check::<u128>(&features, seed);
    }

    #[test]
    fn the_order_of_the_features_does_not_matter(
        features in prop::collection::vec((0u64..50, -1e3..1e3f64), 0..60)
            .prop_flat_map(|features| (Just(features.clone()), Just(features).prop_shuffle())),
    ) {
        let hasher = SimHasher::new(3);
        prop_assert_eq!(hasher.fingerprint_weighted(&features.0), hasher.fingerprint_weighted(&features.1));
    }

    #[test]
    fn scaling_by_a_power_of_two_changes_nothing_and_negation_turns_the_bits(
        features in prop::collection::vec((any::<u64>(), 0.1..10.0f64), 1..40),
    ) {
        let hasher = SimHasher::<u128>::with_width(5);
        let times = |factor: f64| features.iter().map(|&(f, w)| (f, w * factor)).collect::<Vec<_>>();
        let fingerprint = hasher.fingerprint_weighted(&features).unwrap().bits();
        prop_assert_eq!(hasher.fingerprint_weighted(&times(0.25)).unwrap().bits(), fingerprint);
        // A sum of exactly 0 gives bit 0 for both signs, so the two have no common bit but need not be complements.
        prop_assert_eq!(hasher.fingerprint_weighted(&times(-1.0)).unwrap().bits() & fingerprint, 0);
    }
}

#[test]
fn narrow_fingerprints_are_the_low_bits_of_wide_ones() {
    let features: Vec<u64> = (0..99).map(mix64).collect();
    let wide = SimHasher::<u128>::with_width(11).fingerprint(&features).bits();
    assert_eq!(SimHasher::<u16>::with_width(11).fingerprint(&features).bits(), wide as u16);
    assert_eq!(SimHasher::<u32>::with_width(11).fingerprint(&features).bits(), wide as u32);
    assert_eq!(SimHasher::new(11).fingerprint(&features).bits(), wide as u64);
}

/// The hash functions are part of the format: these bits must never change within a version.
#[test]
fn known_answers() {
    let hasher = SimHasher::<u128>::with_width(42);
    assert_eq!(hasher.feature_hash(0), KNOWN_HASH);
    assert_eq!(hasher.fingerprint(&(0..101).collect::<Vec<_>>()).bits(), KNOWN_FINGERPRINT);
    assert_eq!(hasher.fingerprint(&[]).bits(), 0);
}
const KNOWN_HASH: u128 = 0x6a82_9aa5_8cbb_5be2_b29e_d950_786f_5ae3;
const KNOWN_FINGERPRINT: u128 = 0xb7d5_ff25_0fd2_fd61_c632_a8f9_7111_0217;

/// Every bit is 1 in half of the hashes, and every two bits agree in half of them, on structured features.
///
/// 128 bits and 8,128 pairs, four inputs of n <= 4,000 hashes: each frequency is normal with sigma 0.5 / sqrt(n).
/// At 5.5 sigma (two-sided 3.8e-8) the false-alarm rate of the whole test is below 0.13 %.
#[test]
fn every_bit_of_a_feature_hash_is_balanced_and_uncorrelated() {
    const HASHES: u64 = 4000;
    for (name, feature) in STRUCTURED {
        let hasher = SimHasher::<u128>::with_width(1);
        // The last input has 2,016 different pairs of bits and 64 single bits.
        let mut features: Vec<u64> = (0..HASHES).map(feature).collect();
        features.sort_unstable();
        features.dedup();
        let hashes: Vec<u128> = features.iter().map(|&f| hasher.feature_hash(f)).collect();
        assert_uncorrelated(name, &hashes, 5.5);
    }
}

/// The same for whole fingerprints: documents of 101 consecutive integers, 0..101, 101..202, ...
/// An odd number of features has no ties, so the bits are balanced. False-alarm rate as above, below 0.04 %.
#[test]
fn every_bit_of_a_fingerprint_is_balanced_and_uncorrelated() {
    let hasher = SimHasher::<u128>::with_width(2);
    let fingerprints: Vec<u128> =
        (0..2000).map(|i| hasher.fingerprint(&(101 * i..101 * (i + 1)).collect::<Vec<_>>()).bits()).collect();
    assert_uncorrelated("fingerprints", &fingerprints, 5.5);
}

fn assert_uncorrelated(name: &str, words: &[u128], sigmas: f64) {
    let ones_in = |words: &mut dyn Iterator<Item = u128>| {
        let mut counter = BitSlicedCounter::new();
        counter.add_all(words);
        counter
    };
    let n = words.len() as f64;
    let bound = sigmas * 0.5 / n.sqrt();
    let single = ones_in(&mut words.iter().copied());
    for bit in 0..128 {
        let frequency = single.count(bit) as f64 / n;
        assert!((frequency - 0.5).abs() < bound, "{name}: bit {bit} is 1 in {frequency} of {n}");
    }
    for apart in 1..128u32 {
        // Bit i of this word is the xor of bits i and i + apart.
        let pairs = ones_in(&mut words.iter().map(|&w| w ^ w.rotate_right(apart)));
        for bit in 0..128 {
            let differ = pairs.count(bit) as f64 / n;
            assert!((differ - 0.5).abs() < bound, "{name}: bits {bit}, +{apart} differ in {differ} of {n}");
        }
    }
}

/// Mean and variance of the Hamming distance against Binomial(f, theta / pi), and the mean of the cosine against
/// its exact expectation Re (1 - p + p e^(i pi / f))^f, over 1,500 seeds and sets of 301 features.
///
/// Bounds are 4.5 standard errors plus 0.003 f for the normal approximation at 301 features: 6 angles and 3
/// statistics give a false-alarm rate below 0.013 %. The variance of a sample variance is taken as
/// 2 sigma^4 / (n - 1), that of a normal distribution, plus 5 % for its excess.
#[test]
fn distance_angle_and_cosine_follow_the_theory() {
    const SEEDS: u64 = 1500;
    const SIZE: usize = 301;
    let f = 64.0;
    for shared in [0, 75, 150, 226, 271, 296] {
        let (a, b) = pair_of_sets(0, shared as u64, (SIZE - shared) as u64);
        let p = (shared as f64 / SIZE as f64).acos() / PI;
        let estimates: Vec<AngleEstimate> = (0..SEEDS)
            .map(|seed| {
                let hasher = SimHasher::new(seed);
                hasher.fingerprint(&a).estimate(hasher.fingerprint(&b)).unwrap()
            })
            .collect();
        let Moments { count: n, mean: distance, variance } =
            Moments::of(estimates.iter().map(|e| f64::from(e.distance)));
        let cosine = Moments::of(estimates.iter().map(|e| e.cosine)).mean;
        let sigma2 = f * p * (1.0 - p);
        assert!((distance - f * p).abs() < 4.5 * (sigma2 / n).sqrt() + 0.003 * f, "{shared}: {distance}");
        assert!(
            (variance - sigma2).abs() < 4.5 * sigma2 * 1.05 * (2.0 / (n - 1.0)).sqrt() + 0.003 * f,
            "{shared}: variance {variance} against {sigma2}"
        );
        let expected = expected_cosine(p, f);
        let cosine_sigma = (PI * p).sin() * PI * (p * (1.0 - p) / f).sqrt() + PI * PI / (2.0 * f);
        assert!(
            (cosine - expected).abs() < 4.5 * cosine_sigma / n.sqrt() + 0.003 * PI,
            "{shared}: cosine {cosine} against {expected}"
        );
    }
}

fn expected_cosine(p: f64, f: f64) -> f64 {
    let (re, im) = (1.0 - p + p * (PI / f).cos(), p * (PI / f).sin());
    (re * re + im * im).powf(f / 2.0) * (f * im.atan2(re)).cos()
}

#[test]
fn the_bias_of_the_cosine_is_as_documented() {
    for step in 0..=50 {
        let p = f64::from(step) / 100.0;
        let bias = expected_cosine(p, 64.0) - (PI * p).cos();
        assert!((-0.011..=1e-12).contains(&bias), "{bias} at {p}");
    }
}

/// How far +1/-1 hyperplanes are from theta / pi for few features: exact, by counting all sign patterns.
///
/// With s shared features and r private ones on each side, the sums are X + Y and X + Z where X, Y, Z are sums of
/// s, r, r random signs.
#[test]
fn few_features_are_off_by_what_the_docs_say() {
    fn sign_sum(n: usize) -> Vec<(i32, f64)> {
        let mut chances = vec![1.0];
        for _ in 0..n {
            let mut next = vec![0.0; chances.len() + 1];
            for (i, p) in chances.iter().enumerate() {
                next[i] += p / 2.0;
                next[i + 1] += p / 2.0;
            }
            chances = next;
        }
        chances.into_iter().enumerate().map(|(ones, p)| (2 * ones as i32 - n as i32, p)).collect()
    }
    let worst = |size: usize| {
        (0..=size)
            .map(|shared| {
                let private = sign_sum(size - shared);
                let differ: f64 = sign_sum(shared)
                    .iter()
                    .map(|&(x, chance)| {
                        let one: f64 = private.iter().filter(|&&(y, _)| x + y > 0).map(|&(_, p)| p).sum();
                        chance * 2.0 * one * (1.0 - one)
                    })
                    .sum();
                (differ - (shared as f64 / size as f64).acos() / PI).abs()
            })
            .fold(0.0, f64::max)
    };
    let (three, eleven, many, tied) = (worst(3), worst(11), worst(301), worst(100));
    assert!(three < 0.018 && eleven < 0.014 && many < 0.003, "{three} {eleven} {many}");
    assert!(tied < 0.0053, "{tied}");
}
