use proptest::prelude::*;

use super::*;
use crate::hashing::SplitMix64;
use crate::minhash::{FastSketch, MinHasher, MultiplyShift};
use crate::statistics::{Moments, pair_of_sets};

/// Two signatures of sets of Jaccard similarity `similarity`: each slot agrees with that probability.
fn signature_pair(similarity: f64, num_hashes: usize, random: &mut SplitMix64) -> (Signature, Signature) {
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for _ in 0..num_hashes {
        left.push(random.next_u64() >> 1);
        right.push(if random.next_f64() < similarity {
            left[left.len() - 1]
        } else {
            random.next_u64() >> 1
        });
    }
    (from(left), from(right))
}

fn from(slots: Vec<u64>) -> Signature {
    Signature::from_slots(Family::FastSketch, 7, slots).unwrap()
}

/// The definition: unpack every slot and compare.
fn agreeing_slots_reference(a: &BBitSignature, b: &BBitSignature) -> usize {
    let slot = |s: &BBitSignature, i: usize| {
        let bit = i * s.bits as usize;
        (s.words[bit / 64] >> (bit % 64)) & low_bits(s.bits)
    };
    (0..a.num_hashes).filter(|&i| slot(a, i) == slot(b, i)).count()
}

#[test]
fn notes_b1_at_one_half_has_three_times_the_variance_in_21_times_less_space() {
    assert_eq!(variance_ratio(0.5, 1).unwrap(), 3.0);
    assert_eq!(equal_accuracy_storage_ratio(0.5, 1, 64).unwrap(), 64.0 / 3.0);
    for percent in 50..=100 {
        assert!(variance_ratio(f64::from(percent) / 100.0, 1).unwrap() <= 3.0);
    }
}

#[test]
fn bias_and_variance_follow_the_formula() {
    // 4,000 estimates per cell, 20 cells. The mean may be off by 4.5 standard errors (7e-6 a cell); the
    // sample variance of n nearly normal values has a relative standard error of sqrt(2/n) = 0.0224, five of
    // them allowed (6e-7 a cell). Together a false alarm in 1 of 6,000 choices of the seed.
    const TRIALS: usize = 4000;
    const K: usize = 64;
    let mut random = SplitMix64::new(2010);
    for bits in BITS_PER_SLOT {
        for similarity in [0.05, 0.3, 0.5, 0.9] {
            let expected = variance(similarity, bits, K).unwrap();
            let sample = Moments::of((0..TRIALS).map(|_| {
                let (a, b) = signature_pair(similarity, K, &mut random);
                let (a, b) = (BBitSignature::new(&a, bits).unwrap(), BBitSignature::new(&b, bits).unwrap());
                a.unbiased_similarity(&b).unwrap()
            }));
            let bias = sample.bias_in_standard_errors(similarity, expected);
            assert!(bias.abs() < 4.5, "bias at b={bits} R={similarity}: {bias} standard errors");
            let ratio = sample.variance / expected;
            assert!(
                (ratio - 1.0).abs() < 5.0 * (2.0 / sample.count).sqrt(),
                "variance at b={bits} R={similarity}: {ratio}"
            );
        }
    }
}

/// Signatures of real sets, small ones included. Cutting a slot adds chance agreements, independent of everything
/// else, to the agreements of the full signature: `Var = Var(full) + C (1 - R) / (K (1 - C))`. If slots are
/// independent, this is the documented formula. The bins of the fast sketch are not independent: they share few
/// elements, so `Var(full)` is below `R (1 - R) / K`, and far below it for sets with fewer elements than slots.
fn check_real_signatures<M: MinHasher>(hasher: impl Fn(u64) -> M, slots_are_independent: bool) {
    // 2,000 estimates in each of 6 cells. 5 standard errors each: of the mean with at most the variance of the
    // formula, and of the sample variance of nearly normal values, relative sqrt(2/n). A false alarm in 50,000.
    const TRIALS: u64 = 2000;
    let allowed = 5.0 * (2.0 / TRIALS as f64).sqrt();
    for (shared, own) in [(20, 20), (36, 4), (300, 100)] {
        let jaccard = shared as f64 / (shared + 2 * own) as f64;
        let pairs: Vec<(Signature, Signature)> = (0..TRIALS)
            .map(|seed| {
                let ((a, b), hasher) = (pair_of_sets(seed, shared, own), hasher(seed));
                (hasher.sketch(&a), hasher.sketch(&b))
            })
            .collect();
        let full = Moments::of(pairs.iter().map(|(a, b)| a.estimate(b).unwrap().similarity));
        let num_hashes = pairs[0].0.num_hashes();
        for bits in [1, 4] {
            let formula = variance(jaccard, bits, num_hashes).unwrap();
            let sample = Moments::of(pairs.iter().map(|(a, b)| {
                let (a, b) = (BBitSignature::new(a, bits).unwrap(), BBitSignature::new(b, bits).unwrap());
                a.unbiased_similarity(&b).unwrap()
            }));
            let cell = format!("b={bits} R={jaccard} {} elements", shared + own);
            let bias = sample.bias_in_standard_errors(jaccard, formula);
            assert!(bias.abs() < 5.0, "{cell}: bias of {bias} standard errors");

            let c = chance(bits);
            let expected = full.variance + c * (1.0 - jaccard) / (num_hashes as f64 * (1.0 - c));
            let ratio = sample.variance / expected;
            assert!((ratio - 1.0).abs() < allowed, "{cell}: variance {ratio} of that of the full and chance");
            let ratio = sample.variance / formula;
            assert!(ratio < 1.0 + allowed, "{cell}: variance {ratio} of the formula");
            assert!(
                !slots_are_independent || ratio > 1.0 - allowed,
                "{cell}: variance {ratio} of the formula"
            );
        }
    }
}

#[test]
fn multiply_shift_signatures_have_the_bias_and_variance_of_the_formula() {
    check_real_signatures(|seed| MultiplyShift::new(64, seed).unwrap(), true);
}

#[test]
fn fast_sketch_signatures_have_no_bias_and_at_most_the_variance_of_the_formula() {
    check_real_signatures(|seed| FastSketch::new(64, seed).unwrap(), false);
}

#[test]
fn reported_standard_error_is_that_of_the_formula_at_the_estimate() {
    let mut random = SplitMix64::new(3);
    let (a, b) = signature_pair(0.6, 1024, &mut random);
    let (a, b) = (BBitSignature::new(&a, 4).unwrap(), BBitSignature::new(&b, 4).unwrap());
    let estimate = a.estimate(&b).unwrap();
    let expected = variance(estimate.similarity, 4, 1024).unwrap().sqrt();
    assert!((estimate.standard_error - expected).abs() < 1e-12);
}

#[test]
fn slots_with_few_distinct_values_still_agree_by_chance_only() {
    // Slots from 0..7, all pairs of values different. The share of positions that agree must be 2^-b. If the position
    // were not mixed in, all positions or none would agree. 4,096 slots, 5 standard errors (6e-7 a pair).
    for bits in [1, 2, 4] {
        for other in 1..7 {
            let a = BBitSignature::new(&from(vec![0; 4096]), bits).unwrap();
            let b = BBitSignature::new(&from(vec![other; 4096]), bits).unwrap();
            let p = chance(bits);
            let fraction = a.agreeing_slots(&b).unwrap() as f64 / 4096.0;
            assert!((fraction - p).abs() < 5.0 * (p * (1.0 - p) / 4096.0).sqrt(), "{bits} bits, {other}");
        }
    }
}

#[test]
fn theorem_1_predicts_the_lowest_bits_of_real_permutations() {
    // Universe 2,000: sets 0..800 and 400..1000, similarity 0.4. 6,000 permutations, drawn as random ranks of
    // the union's minimum: the smallest ranks decide, so they are drawn directly without building a
    // permutation. 5 standard errors plus 2/D for the theorem's own limit.
    const D: u64 = 2000;
    let (f1, f2, both) = (800u64, 600u64, 400u64);
    let similarity = both as f64 / (f1 + f2 - both) as f64;
    let mut random = SplitMix64::new(11);
    let mut positions: Vec<u32> = (0..D as u32).collect();
    let trials = 6000;
    let mut agree = [0u32; 17];
    for _ in 0..trials {
        // A Fisher-Yates shuffle, only as far as both minima need it.
        let (mut first, mut second) = (None, None);
        let mut rank = 0;
        while first.is_none() || second.is_none() {
            let pick = rank + random.below(D - rank as u64) as usize;
            positions.swap(rank, pick);
            let element = u64::from(positions[rank]);
            if element < f1 {
                first.get_or_insert(rank);
            }
            if (f1 - both..f1 - both + f2).contains(&element) {
                second.get_or_insert(rank);
            }
            rank += 1;
        }
        for bits in [1, 2, 4] {
            let low = (1 << bits) - 1;
            agree[bits] += u32::from(first.map(|x| x & low) == second.map(|x| x & low));
        }
    }
    for bits in [1u32, 2, 4] {
        let theorem = LowestBits::new(f1, f2, D, bits).unwrap();
        let p = theorem.collision_probability(similarity).unwrap();
        let observed = f64::from(agree[bits as usize]) / f64::from(trials);
        let allowed = 5.0 * (p * (1.0 - p) / f64::from(trials)).sqrt() + 2.0 / D as f64;
        assert!((observed - p).abs() < allowed, "b={bits}: {observed} against {p}");
        // The simple constant would be visibly wrong here, so the test can tell them apart.
        assert!((theorem.similarity(p).unwrap() - similarity).abs() < 1e-12);
        let simple = collision_probability(similarity, bits).unwrap();
        assert!(bits > 1 || (simple - p).abs() > allowed, "b={bits}");
    }
}

#[test]
fn theorem_1_goes_to_the_simple_form_in_large_universes() {
    for bits in BITS_PER_SLOT {
        let general = LowestBits::new(1000, 3000, 1 << 60, bits).unwrap();
        assert!((general.c1 / chance(bits) - 1.0).abs() < 1e-6, "{general:?}");
        assert!((general.c2 / chance(bits) - 1.0).abs() < 1e-6);
        let simple = variance(0.3, bits, 100).unwrap();
        assert!((general.variance(0.3, 100).unwrap() / simple - 1.0).abs() < 1e-6);
    }
    assert_eq!(LowestBits::new(0, 0, 10, 2).unwrap(), LowestBits { c1: 0.25, c2: 0.25 });
    assert_eq!(LowestBits::new(10, 10, 10, 2).unwrap(), LowestBits { c1: 0.0, c2: 0.0 });
}

#[test]
fn the_empty_set_is_equal_to_itself_only() {
    let empty = BBitSignature::new(&from(vec![u64::MAX; 64]), 1).unwrap();
    let other = BBitSignature::new(&from((0..64).collect()), 1).unwrap();
    assert_eq!(empty.estimate(&empty).unwrap().similarity, 1.0);
    assert_eq!(empty.estimate(&other).unwrap().similarity, 0.0);
    assert_eq!(empty.unbiased_similarity(&other).unwrap(), 0.0);
    assert_eq!(BBitSignature::from_bytes(&empty.to_bytes()).unwrap(), empty);
}

#[test]
fn what_cannot_be_done_is_a_typed_error() {
    let full = from((0..64).collect());
    for bits in [0, 3, 5, 17, 64] {
        assert!(matches!(BBitSignature::new(&full, bits), Err(Error::OutOfRange { .. })));
        assert!(collision_probability(0.5, bits).is_err());
    }
    for bad in [-0.1, 1.1, f64::NAN] {
        assert!(collision_probability(bad, 1).is_err() && variance(bad, 1, 8).is_err());
    }
    assert!(variance(0.5, 1, 0).is_err() && variance_ratio(0.0, 1).is_err());
    assert!(LowestBits::new(11, 1, 10, 1).is_err() && LowestBits::new(0, 0, 0, 1).is_err());

    let one = BBitSignature::new(&full, 1).unwrap();
    let others = [
        BBitSignature::new(&full, 2).unwrap(),
        BBitSignature::new(&from((0..63).collect()), 1).unwrap(),
        BBitSignature::new(&Signature::from_slots(Family::FastSketch, 8, (0..64).collect()).unwrap(), 1)
            .unwrap(),
        BBitSignature::new(&Signature::from_slots(Family::Weighted, 7, (0..64).collect()).unwrap(), 1)
            .unwrap(),
    ];
    for other in &others {
        assert!(matches!(one.estimate(other), Err(Error::Incompatible { .. })), "{other:?}");
    }
}

#[test]
fn known_answer() {
    let signature = BBitSignature::new(&from((0..10).collect()), 4).unwrap();
    let bytes = signature.to_bytes();
    assert_eq!(bytes[..20], *b"LKBB\x01\x04\x04\x00\x07\0\0\0\0\0\0\0\x0a\0\0\0");
    // Computed from the definition with another program.
    assert_eq!(signature.words(), [0x3c_e669_fd7f]);
}

#[test]
fn every_damaged_byte_of_the_header_is_noticed_or_means_another_signature() {
    let bytes = BBitSignature::new(&from((0..10).collect()), 4).unwrap().to_bytes();
    for cut in 0..bytes.len() {
        assert!(matches!(BBitSignature::from_bytes(&bytes[..cut]), Err(Error::Decode { .. })), "{cut}");
    }
    for (position, value) in
        [(0, b'X'), (4, 2), (5, 0), (5, 6), (6, 3), (7, 2), (7, 1), (17, 0xff), (27, 0x80)]
    {
        let mut damaged = bytes.clone();
        damaged[position] = value;
        assert!(matches!(BBitSignature::from_bytes(&damaged), Err(Error::Decode { .. })), "{position}");
    }
}

fn any_bits() -> impl Strategy<Value = u32> {
    prop::sample::select(BITS_PER_SLOT.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn word_parallel_count_equals_the_definition(
        // Few distinct slot values, so that many agree.
        pairs in prop::collection::vec((0u64..4, 0u64..4), 1..600), bits in any_bits(),
    ) {
        let (left, right): (Vec<u64>, Vec<u64>) = pairs.into_iter().unzip();
        let a = BBitSignature::new(&from(left), bits).unwrap();
        let b = BBitSignature::new(&from(right), bits).unwrap();
        prop_assert_eq!(a.agreeing_slots(&b).unwrap(), agreeing_slots_reference(&a, &b));
        prop_assert_eq!(a.agreeing_slots(&b).unwrap(), b.agreeing_slots(&a).unwrap());
        for kernel in Kernel::available() {
            let differing = differing_lanes(kernel, bits, &a.words, &b.words) as usize;
            prop_assert_eq!(a.num_hashes - differing, agreeing_slots_reference(&a, &b), "{}", kernel.name());
        }
        prop_assert_eq!(a.estimate(&a).unwrap().similarity, 1.0);
    }

    #[test]
    fn slots_that_agree_still_agree_when_cut(
        pairs in prop::collection::vec((any::<u64>(), any::<bool>()), 1..200), bits in any_bits(),
    ) {
        let a = from(pairs.iter().map(|p| p.0).collect());
        let b = from(pairs.iter().map(|p| p.0 ^ u64::from(p.1)).collect());
        let full = a.agreeing_slots(&b).unwrap();
        let cut = BBitSignature::new(&a, bits).unwrap().agreeing_slots(&BBitSignature::new(&b, bits).unwrap());
        prop_assert!(cut.unwrap() >= full);
    }

    #[test]
    fn bytes_round_trip(slots in prop::collection::vec(any::<u64>(), 1..300), bits in any_bits()) {
        let signature = BBitSignature::new(&from(slots), bits).unwrap();
        prop_assert_eq!(BBitSignature::from_bytes(&signature.to_bytes()).unwrap(), signature);
    }

    #[test]
    fn decoding_never_panics_and_accepts_only_its_own_encoding(
        mut bytes in prop::collection::vec(any::<u8>(), 0..80), valid_start in any::<bool>(),
    ) {
        if valid_start && bytes.len() >= 20 {
            bytes[..8].copy_from_slice(b"LKBB\x01\x04\x02\x00");
            let hashes = (bytes.len() - 20) / 8 * 32;
            bytes[16..20].copy_from_slice(&(hashes as u32).to_le_bytes());
        }
        if let Ok(signature) = BBitSignature::from_bytes(&bytes) {
            prop_assert_eq!(signature.to_bytes(), bytes);
        }
    }
}
