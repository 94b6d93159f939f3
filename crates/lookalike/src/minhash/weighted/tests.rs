use proptest::prelude::*;

use super::*;
use crate::Error;
use crate::minhash::{FastSketch, MinHasher, MultiplyShift};
use crate::shingling::{ShingleBag, ShingleSet};
use crate::similarity::weighted_jaccard;
use crate::statistics::check_estimator;

fn exact(a: &[(u64, f64)], b: &[(u64, f64)]) -> f64 {
    weighted_jaccard(a, b).unwrap()
}

/// The plain version: every dart of every level, from far below the first level to far beyond the last, without the
/// shortcut that saves the logarithm and without stopping early. Heights are scaled again in each level.
fn sketch_reference(hasher: &WeightedMinHash, weights: &[(u64, f64)]) -> Vec<u64> {
    let mut slots = vec![EMPTY_SLOT; hasher.num_hashes];
    let elements = hasher.elements(weights).unwrap();
    let first = first_level(&elements).unwrap();
    for level in first - 10..first + LEVELS_BELOW_ONE_DART + 12 {
        for &(start, weight) in &elements {
            let height = times_power_of_two(weight, level);
            let bits = (level + LEVEL_OFFSET) as u64;
            let mut random = SplitMix64::new(start.wrapping_add(mix64(bits)));
            let mut dart = 0.0;
            loop {
                dart -= ln(1.0 - open_unit(random.next_u64()));
                if dart >= height {
                    break;
                }
                let rank = bits << 52 | random.next_u64() >> 12;
                let slot = random.below(hasher.num_hashes as u64) as usize;
                slots[slot] = slots[slot].min(rank);
            }
        }
    }
    slots
}

/// Two sets over 40 elements with weights over three orders of magnitude, of which some are in one set only.
fn two_sets(random: &mut SplitMix64, scale: f64, change: f64) -> [Vec<(u64, f64)>; 2] {
    let mut sets = [Vec::new(), Vec::new()];
    for element in 0..40 {
        let weight = scale * 10f64.powf(3.0 * random.next_f64() - 1.5);
        sets[0].push((element, weight));
        let other = weight * if random.next_f64() < change { 4.0 * random.next_f64() } else { 1.0 };
        let element = if random.next_f64() < change / 4.0 { element + 1000 } else { element };
        sets[1].push((element, other));
    }
    sets
}

#[test]
fn bias_and_variance_follow_the_formula_at_every_scale() {
    // 8 cells of `check_estimator`: a false alarm in 1 of 100,000 choices of the seed.
    let mut random = SplitMix64::new(2020);
    for scale in [1e-6, 1.0, 1e9, 1e-290] {
        for change in [0.15, 0.9] {
            let mut sets = two_sets(&mut random, scale, change);
            sets[1].sort_by_key(|&(element, _)| element);
            let exact = exact(&sets[0], &sets[1]);
            assert!(exact > 0.1 && exact < 0.97, "a case that can fail: {exact}");
            check_estimator(exact, 64, |seed| {
                let hasher = WeightedMinHash::new(64, seed).unwrap();
                let [a, b] = sets.each_ref().map(|set| hasher.sketch(set).unwrap());
                a.estimate(&b).unwrap().similarity
            });
        }
    }
}

#[test]
fn one_heavy_element_among_many_light_ones() {
    // J = 1000 / 1500: the light elements, 500 of weight 1, are in one set only. 400 seeds of 128 slots are
    // 51,200 independent slots; 5 standard errors (6e-7).
    let a: Vec<_> = (0..=500).map(|e| (e, if e == 0 { 1000.0 } else { 1.0 })).collect();
    let b = [(0, 1000.0)];
    let mut agreeing = 0;
    for seed in 0..400 {
        let hasher = WeightedMinHash::new(128, seed).unwrap();
        agreeing += hasher.sketch(&a).unwrap().agreeing_slots(&hasher.sketch(&b).unwrap()).unwrap();
    }
    let (n, p) = (400.0 * 128.0, 2.0 / 3.0);
    assert!((agreeing as f64 / n - p).abs() < 5.0 * (p * (1.0 - p) / n).sqrt());
}

#[test]
fn agrees_with_plain_min_hashing_of_the_written_out_bag() {
    // The same bags, as real weights and as sets of (shingle, occurrence) under textbook min-hashing. Both
    // are unbiased with variance J(1-J)/n over n slots, so their difference has 2J(1-J)/n; 5 standard errors
    // (6e-7).
    let mut random = SplitMix64::new(5);
    let mut bag =
        |shift| ShingleBag::from_hashes((0..150).map(|_| random.below(40) + shift).collect::<Vec<u64>>());
    let bags = [bag(0), bag(8)];
    let weights = bags.each_ref().map(|bag| {
        bag.as_slice().iter().map(|&(shingle, count)| (shingle, f64::from(count))).collect::<Vec<_>>()
    });
    let elements = bags.each_ref().map(|bag| bag_elements(bag).unwrap());
    let plain_slot = |elements: &[u64], k: u64| elements.iter().map(|&e| mix64(e ^ mix64(k))).min();

    let n = 20_000;
    let plain = (0..n).filter(|&k| plain_slot(&elements[0], k) == plain_slot(&elements[1], k)).count();
    let mut darts = 0;
    for seed in 0..n / 100 {
        let hasher = WeightedMinHash::new(100, seed).unwrap();
        let [a, b] = weights.each_ref().map(|w| hasher.sketch(w).unwrap());
        darts += a.agreeing_slots(&b).unwrap();
    }
    let exact = exact(&weights[0], &weights[1]);
    let allowed = 5.0 * (2.0 * exact * (1.0 - exact) / n as f64).sqrt();
    assert!((plain as f64 - darts as f64).abs() / (n as f64) < allowed, "{plain} {darts} {exact}");
    assert!((plain as f64 / n as f64 - exact).abs() < allowed);
}

#[test]
fn extreme_weights_fill_every_slot() {
    let hasher = WeightedMinHash::new(256, 3).unwrap();
    for weights in [
        vec![(1, f64::MAX), (2, f64::MAX), (3, 1.0)],
        vec![(1, f64::MIN_POSITIVE / 4e15), (2, 5e-324)],
        vec![(1, f64::MAX), (2, 5e-324)],
        vec![(u64::MAX, 1.0)],
    ] {
        let signature = hasher.sketch(&weights).unwrap();
        assert!(signature.slots().iter().all(|&slot| slot != EMPTY_SLOT), "{weights:?}");
        assert_eq!(signature.slots(), sketch_reference(&hasher, &weights), "{weights:?}");
    }
}

#[test]
fn nothing_with_weight_is_the_empty_set() {
    let hasher = WeightedMinHash::new(16, 3).unwrap();
    assert!(hasher.sketch(&[]).unwrap().is_empty_set());
    assert!(hasher.sketch(&[(1, 0.0), (2, -0.0)]).unwrap().is_empty_set());
    let with_zero = hasher.sketch(&[(1, 0.0), (2, 3.5)]).unwrap();
    assert_eq!(with_zero, hasher.sketch(&[(2, 3.5)]).unwrap());
}

#[test]
fn bad_weights_and_sizes_are_typed_errors() {
    let hasher = WeightedMinHash::new(16, 3).unwrap();
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, -5e-324] {
        assert!(matches!(hasher.sketch(&[(1, 1.0), (2, bad)]), Err(Error::OutOfRange { .. })), "{bad}");
    }
    assert!(
        WeightedMinHash::new(0, 1).is_err()
            && WeightedMinHash::new(crate::minhash::MAX_HASHES + 1, 1).is_err()
    );
    let other = WeightedMinHash::new(16, 4).unwrap().sketch(&[(1, 1.0)]).unwrap();
    assert!(hasher.sketch(&[(1, 1.0)]).unwrap().estimate(&other).is_err());
}

#[test]
fn known_answer() {
    let signature = WeightedMinHash::new(4, 1).unwrap().sketch(&[(1, 0.5), (2, 3.0), (3, 1e-3)]).unwrap();
    // Computed from the definition with another program.
    let expected =
        [0x7ffb_b1c3_9b71_2b8e, 0x7fe7_840a_4fad_8215, 0x800b_6d94_89c9_60c5, 0x8001_90bb_8079_9d0e];
    assert_eq!(signature.slots(), expected);
}

fn weighted_set() -> impl Strategy<Value = Vec<(u64, f64)>> {
    prop::collection::btree_map(0u64..30, 0.01f64..50.0, 1..20).prop_map(|map| map.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn equals_the_plain_version(
        weights in weighted_set(), num_hashes in 1usize..80, seed: u64, exponent in -60i32..60,
    ) {
        let scaled: Vec<_> = weights.iter().map(|&(e, w)| (e, w * 10f64.powi(exponent))).collect();
        let hasher = WeightedMinHash::new(num_hashes, seed).unwrap();
        let signature = hasher.sketch(&scaled).unwrap();
        prop_assert_eq!(signature.slots(), sketch_reference(&hasher, &scaled));
    }

    #[test]
    fn order_does_not_matter(weights in weighted_set(), seed: u64) {
        let hasher = WeightedMinHash::new(32, seed).unwrap();
        let reversed: Vec<_> = weights.iter().rev().copied().collect();
        prop_assert_eq!(hasher.sketch(&weights).unwrap(), hasher.sketch(&reversed).unwrap());
    }

    #[test]
    fn merged_signatures_are_those_of_the_maxima(a in weighted_set(), b in weighted_set(), seed: u64) {
        let hasher = WeightedMinHash::new(32, seed).unwrap();
        let mut merged = hasher.sketch(&a).unwrap();
        merged.merge(&hasher.sketch(&b).unwrap()).unwrap();
        let both: Vec<_> = a.iter().chain(&b).copied().collect(); // repeats count with the larger weight
        prop_assert_eq!(merged, hasher.sketch(&both).unwrap());
    }

    #[test]
    fn written_out_bags_have_the_bags_jaccard(
        a in prop::collection::vec(0u64..12, 1..60), b in prop::collection::vec(0u64..12, 1..60),
    ) {
        let (a, b) = (ShingleBag::from_hashes(a), ShingleBag::from_hashes(b));
        let count = |bag: &ShingleBag, s| bag.as_slice().iter().find(|p| p.0 == s).map_or(0, |p| p.1);
        let minima: u32 = (0..12).map(|s| count(&a, s).min(count(&b, s))).sum();
        let maxima: u32 = (0..12).map(|s| count(&a, s).max(count(&b, s))).sum();
        let (left, right) = (bag_elements(&a).unwrap(), bag_elements(&b).unwrap());
        let set: ShingleSet = left.iter().copied().collect();
        prop_assert_eq!(set.len() as u64, a.total(), "no element twice");
        let union: ShingleSet = left.iter().chain(&right).copied().collect();
        let shared = left.len() + right.len() - union.len();
        prop_assert_eq!((shared as u32, union.len() as u32), (minima, maxima));
    }
}

#[test]
fn every_family_sketches_bags() {
    let bag = ShingleBag::from_hashes(vec![7, 7, 9]);
    let families: [Box<dyn MinHasher>; 2] =
        [Box::new(FastSketch::new(64, 1).unwrap()), Box::new(MultiplyShift::new(64, 1).unwrap())];
    for hasher in families {
        assert_eq!(hasher.sketch_bag(&bag).unwrap(), hasher.sketch(&bag_elements(&bag).unwrap()));
        assert_ne!(hasher.sketch_bag(&bag).unwrap(), hasher.sketch(&bag.to_set()));
    }
}

#[test]
fn a_bag_too_large_to_write_out_is_refused_and_its_weights_are_not() {
    let shingles = MAX_BAG_ELEMENTS as usize + 1;
    let bag = ShingleBag::from_hashes(vec![7; shingles]);
    assert!(matches!(bag_elements(&bag), Err(Error::OutOfRange { .. })));
    assert!(FastSketch::new(16, 1).unwrap().sketch_bag(&bag).is_err());
    let weights: Vec<_> = bag.as_slice().iter().map(|&(s, n)| (s, f64::from(n))).collect();
    assert!(WeightedMinHash::new(16, 1).unwrap().sketch(&weights).is_ok());
}
