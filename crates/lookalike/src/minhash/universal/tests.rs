use proptest::prelude::*;

use super::*;
use crate::minhash::MAX_HASHES;
use crate::statistics::{check_estimator, estimate, pair_of_sets};

/// The formula exactly as in the textbook.
fn textbook(a: u64, b: u64, p: u64, n: u64, x: u64) -> u64 {
    ((u128::from(a) * u128::from(x) + u128::from(b)) % u128::from(p) % u128::from(n)) as u64
}

/// The formula that many tools use, in wrapping arithmetic. It is wrong, and this module does not use it.
fn wrapping(a: u64, b: u64, x: u64) -> u64 {
    (a.wrapping_mul(x).wrapping_add(b) % MERSENNE_61) & 0xffff_ffff
}

/// Inputs with structure: consecutive integers, multiples of a power of two, few distinct bits.
fn structured_inputs() -> Vec<(&'static str, Vec<u64>)> {
    let few_bits = (0..32).flat_map(|i| (i + 1..33).map(move |j| 1u64 << i | 1 << j));
    vec![
        ("consecutive", (0..512).collect()),
        ("consecutive, large", (0..512).map(|i| (1 << 60) + i).collect()),
        ("multiples of 2^20", (0..512).map(|i| i << 20).collect()),
        ("multiples of 2^40", (0..512).map(|i| i << 40).collect()),
        ("two bits set", few_bits.take(512).collect()),
    ]
}

fn random_function(random: &mut SplitMix64, n: u64) -> UniversalFunction {
    let (a, b) = (1 + random.below(MERSENNE_61 - 1), random.below(MERSENNE_61));
    UniversalFunction::new(a, b, MERSENNE_61, n).unwrap()
}

#[test]
fn values_are_uniform_on_structured_input() {
    // Each input is hashed by its own random function. It falls into one of 16 classes by the high bits of its value,
    // and into one of 16 by N = 16. A chi-square statistic of 15 degrees of freedom exceeds 67 with probability below
    // 2e-8. (A single function for all inputs would spread consecutive ones too evenly for this test.)
    for (name, inputs) in structured_inputs() {
        let mut random = SplitMix64::new(11);
        let mut high = [0u32; 16];
        let mut low = [0u32; 16];
        for &x in inputs.iter().cycle().take(16_384) {
            high[(random_function(&mut random, MERSENNE_61).hash(x) >> 57) as usize] += 1;
            low[random_function(&mut random, 16).hash(x) as usize] += 1;
        }
        for (which, counts) in [("high bits", high), ("mod 16", low)] {
            let chi_square: f64 = counts.iter().map(|&n| (f64::from(n) - 1024.0).powi(2) / 1024.0).sum();
            assert!(chi_square < 67.0, "{name}, {which}: {chi_square}");
        }
    }
}

#[test]
fn structured_pairs_collide_as_rarely_as_promised() {
    // Neighbouring inputs under random functions with N = 64 collide with probability 1/64. The count is binomial:
    // 5 standard deviations, a false alarm in two million.
    let trials = 64 * 512;
    let (expected, deviation) = (512.0, (512.0 * 63.0 / 64.0f64).sqrt());
    for (name, inputs) in structured_inputs() {
        let mut random = SplitMix64::new(5);
        let pairs = inputs.windows(2).cycle().take(trials);
        let collisions = pairs
            .filter(|pair| {
                let function = random_function(&mut random, 64);
                function.hash(pair[0]) == function.hash(pair[1])
            })
            .count();
        assert!((collisions as f64 - expected).abs() < 5.0 * deviation, "{name}: {collisions}");
    }
}

#[test]
fn wrapping_arithmetic_is_not_universal() {
    // Inputs 2^40 apart, values of 32 bits: 10,000 functions should give no collision (2e-6 are expected).
    let mut random = SplitMix64::new(3);
    let (mut exact, mut wrapped) = (0, 0);
    for _ in 0..10_000 {
        let (a, b) = (1 + random.below(MERSENNE_61 - 1), random.below(MERSENNE_61));
        let (x, y) = (random.below(1 << 40), (1 << 40) + random.below(1 << 40));
        let function = UniversalFunction::new(a, b, MERSENNE_61, 1 << 32).unwrap();
        exact += u32::from(function.hash(x) == function.hash(x + (1 << 40)));
        exact += u32::from(function.hash(x) == function.hash(y));
        wrapped += u32::from(wrapping(a, b, x) == wrapping(a, b, x + (1 << 40)));
    }
    assert_eq!(exact, 0);
    // One in eight is expected; the bounds are 5 standard deviations of 33.
    assert!((1_085..1_415).contains(&wrapped), "{wrapped}");
}

#[test]
fn estimator_is_unbiased_with_the_variance_of_the_formula() {
    for (shared, own) in [(30, 5), (20, 10), (4, 18)] {
        let (mut a, mut b) = pair_of_sets(0, shared, own);
        // These functions are biased on intervals (see below), so the elements are mixed first.
        a.iter_mut().chain(&mut b).for_each(|element| *element = mix64(*element + 1));
        let sets = (a, b);
        let jaccard = shared as f64 / (shared + 2 * own) as f64;
        for range in [UniversalRange::Prime, UniversalRange::Bits32] {
            check_estimator(jaccard, 64, |seed| {
                estimate(&UniversalHasher::random(64, mix64(seed), range).unwrap(), &sets)
            });
        }
    }
}

#[test]
fn intervals_are_underestimated_as_documented() {
    // J = 0.5, and 4096 functions estimate it within 0.04 (5 standard errors) if they are min-wise independent.
    let hasher = UniversalHasher::random(4096, 1, UniversalRange::Prime).unwrap();
    let estimate_of = |element: fn(u64) -> u64| {
        estimate(&hasher, &((0..60).map(element).collect(), (20..80).map(element).collect()))
    };
    let plain = estimate_of(|x| x);
    assert!((plain - 0.43).abs() < 0.04, "{plain}");
    let mixed = estimate_of(mix64);
    assert!((mixed - 0.5).abs() < 0.04, "{mixed}");
}

#[test]
fn a_function_with_n_equal_to_p_permutes_the_rows() {
    for a in 1..7 {
        let function = UniversalFunction::modular(a, 3, 7).unwrap();
        let mut values: Vec<u64> = (0..7).map(|x| function.hash(x)).collect();
        values.sort_unstable();
        assert_eq!(values, [0, 1, 2, 3, 4, 5, 6]);
    }
}

#[test]
fn parameters_are_taken_mod_p() {
    let function = UniversalFunction::modular(2, 1, 5).unwrap();
    assert_eq!(function, UniversalFunction::modular(7, 6, 5).unwrap());
}

/// Computed from the definition with another program: a before b, function after function.
#[test]
fn random_functions_are_fixed() {
    let sketch = |range| UniversalHasher::random(3, 42, range).unwrap().sketch(&[1, 2, 3]);
    let prime = sketch(UniversalRange::Prime);
    assert_eq!(prime.slots(), [0xc4e_af34_c845_2798, 0x5c2_8300_88ef_3831, 0x1d00_114a_8c19_1fde]);
    let narrow = sketch(UniversalRange::Bits32);
    assert_eq!(narrow.slots(), [0x247_b9c5, 0x88ef_3831, 0x152b_28dc]);
    assert_eq!((prime.seed(), narrow.seed()), (42, 0x3e9_37e4_df4f_4021));
}

#[test]
fn impossible_parameters_are_errors() {
    let message = |a, b, p, n| UniversalFunction::new(a, b, p, n).unwrap_err().to_string();
    for p in [0, 1, 4, 1 << 61, u64::MAX] {
        assert!(message(1, 0, p, 1).contains("p must be a prime number"), "{p}");
    }
    for a in [0, 5, 10] {
        assert!(message(a, 0, 5, 5).contains("not a multiple of p = 5"), "{a}");
    }
    for n in [0, 6, u64::MAX] {
        assert!(message(1, 0, 5, n).contains("1 to p = 5"), "{n}");
    }
    for num_hashes in [0, MAX_HASHES + 1, usize::MAX] {
        assert!(UniversalHasher::random(num_hashes, 0, UniversalRange::Prime).is_err());
    }
    assert!(UniversalHasher::from_functions(vec![]).is_err());
}

#[test]
fn the_identity_tells_hashers_apart() {
    let random = |seed, range| UniversalHasher::random(4, seed, range).unwrap();
    assert_eq!(random(9, UniversalRange::Prime).seed(), 9);
    assert_ne!(random(9, UniversalRange::Bits32).seed(), 9);
    assert_ne!(random(9, UniversalRange::Bits32).seed(), random(8, UniversalRange::Bits32).seed());
    let chosen = |a, b, p| {
        UniversalHasher::from_functions(vec![UniversalFunction::modular(a, b, p).unwrap()]).unwrap().seed()
    };
    assert_eq!(chosen(2, 1, 5), chosen(2, 1, 5));
    let different = [chosen(2, 1, 5), chosen(1, 2, 5), chosen(2, 1, 7), chosen(2, 2, 5)];
    for (i, a) in different.iter().enumerate() {
        assert!(different[..i].iter().all(|b| a != b));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn arithmetic_is_exact_for_every_modulus(
        a: u64, b: u64, x: u64, n: u64,
        p in prop::sample::select(vec![2, 5, 7, 65_537, (1 << 31) - 1, MERSENNE_61, u64::MAX - 58]),
    ) {
        let (a, b, n) = (1 + a % (p - 1), b % p, 1 + n % p);
        prop_assert_eq!(UniversalFunction::new(a, b, p, n).unwrap().hash(x), textbook(a, b, p, n, x));
    }

    #[test]
    fn arithmetic_is_exact_at_the_edges_of_the_mersenne_prime(
        a in 0u64..4, b in 0u64..4, x in 0u64..8, high_a: bool, high_b: bool,
    ) {
        let p = MERSENNE_61;
        let a = if high_a { p - 1 - a } else { a + 1 };
        let b = if high_b { p - 1 - b } else { b };
        let function = UniversalFunction::modular(a, b, p).unwrap();
        for x in [x, p - 4 + x, 2 * p - 4 + x, u64::MAX - x] {
            prop_assert_eq!(function.hash(x), textbook(a, b, p, p, x));
        }
    }

    #[test]
    fn a_sketch_is_the_minimum_of_each_function(
        set in prop::collection::vec(any::<u64>(), 0..20), seed: u64, thirty_two_bits: bool,
    ) {
        let range = if thirty_two_bits { UniversalRange::Bits32 } else { UniversalRange::Prime };
        let hasher = UniversalHasher::random(7, seed, range).unwrap();
        let minimum = |function: &UniversalFunction| set.iter().map(|&x| function.hash(x)).min();
        let expected: Vec<u64> =
            hasher.functions().iter().map(|function| minimum(function).unwrap_or(EMPTY_SLOT)).collect();
        let signature = hasher.sketch(&set);
        prop_assert_eq!(signature.slots(), expected);
    }

    #[test]
    fn merging_gives_the_signature_of_the_union(
        seed: u64,
        a in prop::collection::vec(any::<u64>(), 0..12),
        b in prop::collection::vec(any::<u64>(), 0..12),
    ) {
        let hasher = UniversalHasher::random(16, seed, UniversalRange::Prime).unwrap();
        let mut merged = hasher.sketch(&a);
        merged.merge(&hasher.sketch(&b)).unwrap();
        prop_assert_eq!(merged, hasher.sketch(&[a, b].concat()));
    }
}
