use proptest::prelude::*;

use super::*;
use crate::Error;
use crate::hashing::SplitMix64;
use crate::minhash::{EMPTY_SLOT, Family, FastSketch, MAX_HASHES, MinHasher, MultiplyShift, Signature, bbit};
use crate::statistics::{pair_of_sets, sketch};

fn banding(bands: usize, rows: usize) -> Banding {
    Banding::new(bands, rows).unwrap()
}

fn curve(bands: usize, rows: usize) -> SCurve {
    SCurve::new(banding(bands, rows))
}

fn bucketed(bands: usize, rows: usize, buckets: u64) -> SCurve {
    SCurve::new(banding(bands, rows).with_buckets(buckets).unwrap())
}

fn assert_close(left: f64, right: f64, tolerance: f64) {
    assert!((left - right).abs() <= tolerance, "{left} against {right}, tolerance {tolerance}");
}

fn rejected(result: crate::Result<impl std::fmt::Debug>) -> String {
    let error = result.unwrap_err();
    assert!(matches!(error, Error::OutOfRange { .. } | Error::UnreachableRecall { .. }), "{error:?}");
    error.to_string()
}

#[test]
fn impossible_bandings_are_rejected() {
    rejected(Banding::new(0, 5));
    rejected(Banding::new(5, 0));
    rejected(Banding::new(usize::MAX, 2));
    rejected(Banding::new(MAX_HASHES, 2));
    rejected(banding(2, 2).with_buckets(0));
    assert_eq!(banding(64, 64).num_hashes(), MAX_HASHES);
    assert_eq!(banding(21, 6).to_string(), "21 x 6");
    assert_eq!(banding(21, 6).with_buckets(1024).unwrap().to_string(), "21 x 6 in 1024 buckets");
    let signature = Signature::from_slots(Family::MultiplyShift, 1, vec![0; 99]).unwrap();
    let message = rejected(banding(20, 5).band_keys(&signature));
    assert!(message.contains("20 * 5") && message.contains("99"), "{message}");
}

/// The values were computed by an independent program from the definition of [`band_key`].
#[test]
fn band_keys_are_fixed_by_definition() {
    // The bands of figure 5.1 of the notes: 0143 twice, 2130 and 1204.
    assert_eq!(band_key(0, &[0, 1, 4, 3]), 0x8a51_ad54_4861_a9e5);
    assert_eq!(band_key(0, &[2, 1, 3, 0]), 0x2451_f6f2_9487_a5ea);
    assert_eq!(band_key(0, &[1, 2, 0, 4]), 0xebd5_049a_fa45_139f);
    assert_eq!(band_key(1, &[0, 1, 4, 3]), 0x3821_e0ac_aeee_51ef);
    assert_eq!(band_key(20, &[EMPTY_SLOT; 6]), 0xd063_a9cb_1845_c4db);

    let signature = Signature::from_slots(Family::MultiplyShift, 1, vec![0, 1, 4, 3, 0, 1, 4, 3, 7]).unwrap();
    assert_eq!(banding(2, 4).band_keys(&signature).unwrap(), [0x8a51_ad54_4861_a9e5, 0x3821_e0ac_aeee_51ef]);
    assert_eq!(banding(2, 4).with_buckets(1000).unwrap().band_keys(&signature).unwrap(), [540, 219]);
}

/// The values were computed by an independent program from the definition of [`band_key_of_lanes`].
#[test]
fn band_keys_of_lanes_are_fixed_by_definition() {
    let lanes = [0xabc9, 0xc500, 0x6ea0, 0xb29d];
    assert_eq!(band_key_of_lanes(0, &lanes), 0x6365_399c_ef68_d2b1);
    assert_eq!(band_key_of_lanes(1, &lanes), 0xc479_7f39_9b47_6f14);
    assert_eq!(band_key_of_lanes(0, &lanes[..3]), 0x42f7_693d_3368_8e04);
    assert_eq!(band_key_of_lanes(20, &[1, 2, 3, 4, 5, 6]), 0x4a19_9546_7cb3_e719);
    assert_eq!(band_key_of_lanes(13, &[u16::MAX; 8]), 0x0eda_ee96_ebcc_5e59);
    assert_eq!(band_key_of_lanes(0, &[]), 0xe220_a839_7b1d_cdaf);

    let mut keys = vec![1];
    banding(2, 3).band_keys_of_lanes_into(&[1, 2, 3, 4, 5, 6, 7], &mut keys).unwrap();
    assert_eq!(keys, [band_key_of_lanes(0, &[1, 2, 3]), band_key_of_lanes(1, &[4, 5, 6])]);
    rejected(banding(2, 3).band_keys_of_lanes_into(&[0; 5], &mut keys));
}

#[test]
fn keys_of_structured_lanes_do_not_collide_and_fill_the_buckets_evenly() {
    // 16 bands of 5 rows, which differ in few bits: 2 x 16 x 32^3 keys. A fair hash has a collision with
    // probability 3e-8; chi-squared as above.
    let mut keys = Vec::new();
    for shift in [0, 11] {
        for (band, a) in (0..16).flat_map(|band| (0..32).map(move |a| (band, a))) {
            let rows = (0..32).flat_map(|b| (1..33).map(move |c| [a << shift, b << shift, 0, 0, c]));
            keys.extend(rows.map(|rows| band_key_of_lanes(band, &rows)));
        }
    }
    let n = keys.len() as f64;
    for shift in [0, 28, 56] {
        let mut counts = [0_u32; 256];
        for key in &keys {
            counts[(key >> shift) as usize & 255] += 1;
        }
        let expected = n / 256.0;
        let chi_squared: f64 = counts.iter().map(|&c| (f64::from(c) - expected).powi(2) / expected).sum();
        assert_close(chi_squared, 255.0, 5.0 * 22.6);
    }
    keys.sort_unstable();
    keys.dedup();
    // The rows with a = b = 0 are the same for both shifts.
    assert_eq!(keys.len() as f64, n - 16.0 * 32.0);
}

#[test]
fn empty_sets_share_all_keys_and_no_key_with_others() {
    let empty = Signature::from_slots(Family::FastSketch, 1, vec![EMPTY_SLOT; 126]).unwrap();
    let full = sketch(&FastSketch::new(126, 1).unwrap(), 0..10);
    let keys = banding(21, 6).band_keys(&empty).unwrap();
    assert_eq!(keys, banding(21, 6).band_keys(&empty.clone()).unwrap());
    let others = banding(21, 6).band_keys(&full).unwrap();
    assert!(keys.iter().all(|key| !others.contains(key)));
}

#[test]
fn keys_of_structured_slots_do_not_collide_and_fill_the_buckets_evenly() {
    // Rows that differ in a few low bits, or in a few high ones: 2 x 16 x 32 x 32 x 32 keys, 10^6 in all. Any
    // collision of 64-bit keys would be a weakness of the mixing (a fair hash has one with probability 3e-8).
    let mut keys = Vec::new();
    for shift in [0, 45] {
        for (band, a) in (0..16).flat_map(|band| (0..32).map(move |a| (band, a))) {
            let rows = (0..32).flat_map(|b| (1..33).map(move |c| [a << shift, b << shift, c << shift]));
            keys.extend(rows.map(|rows| band_key(band, &rows)));
        }
    }
    let n = keys.len() as f64;
    // Chi-squared with 255 degrees of freedom has standard deviation 22.6: five of them, false alarms 1e-6.
    for shift in [0, 28, 56] {
        let mut counts = [0_u32; 256];
        for key in &keys {
            counts[(key >> shift) as usize & 255] += 1;
        }
        let expected = n / 256.0;
        let chi_squared: f64 = counts.iter().map(|&c| (f64::from(c) - expected).powi(2) / expected).sum();
        assert_close(chi_squared, 255.0, 5.0 * 22.6);
    }
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len() as f64, n);
}

/// Notes 000 and 001: b = 20, r = 5.
#[test]
fn the_notes_table() {
    let curve = curve(20, 5);
    let table = [(0.2, 0.006), (0.3, 0.047), (0.4, 0.186), (0.5, 0.470), (0.6, 0.802), (0.7, 0.975)];
    for (s, p) in table {
        assert_close(curve.probability(s), p, 0.0005);
    }
    assert_close(curve.probability(0.8), 0.9996, 0.00005);
    assert_close(self::curve(1, 5).probability(0.8), 0.328, 0.0005);
    assert_close(curve.miss_probability(0.8), 0.00035, 0.00001);
    assert_close(self::curve(1, 5).probability(0.3), 0.00243, 1e-12);
    assert_close(curve.probability(0.3), 0.0474, 0.0001);
}

/// Note 001: "if we had only 15 bands of 5 rows, the number of false positives would go down, but the number of
/// false negatives would go up".
#[test]
fn fewer_bands_trade_false_positives_for_false_negatives() {
    let (twenty, fifteen) = (curve(20, 5), curve(15, 5));
    assert!(fifteen.false_positive_area(0.8).unwrap() < twenty.false_positive_area(0.8).unwrap());
    assert!(fifteen.false_negative_area(0.8).unwrap() > twenty.false_negative_area(0.8).unwrap());
    assert!(fifteen.probability(0.3) < twenty.probability(0.3));
    assert!(fifteen.miss_probability(0.8) > twenty.miss_probability(0.8));
}

#[test]
fn the_curve_keeps_its_digits_at_both_ends() {
    let relative = |got: f64, want: f64| assert_close(got / want, 1.0, 1e-12);
    relative(curve(20, 5).probability(1e-6), 2e-29);
    relative(curve(21, 6).miss_probability(0.8), 0.001_688_122_181_868_039_7);
    // The answer is (1 - 0.999999^5)^20. The input itself is off by half a unit in its last place.
    assert_close(curve(20, 5).miss_probability(0.999_999) / 9.536_361_701_965_23e-107, 1.0, 1e-8);
    relative(bucketed(20, 5, 1000).probability(0.1), 0.020_007_154_320_960_16);
    for bands in [1, 7, 4096] {
        let curve = SCurve::new(banding(bands, 4096 / bands));
        assert_eq!((curve.probability(0.0), curve.probability(1.0)), (0.0, 1.0));
        assert_eq!((curve.miss_probability(0.0), curve.miss_probability(1.0)), (1.0, 0.0));
        assert!(curve.probability(f64::NAN).is_nan());
        assert_eq!((curve.probability(-3.0), curve.probability(f64::INFINITY)), (0.0, 1.0));
    }
}

#[test]
fn buckets_add_their_collisions_to_the_curve() {
    assert_eq!(bucketed(20, 5, 1).probability(0.0), 1.0);
    let few = bucketed(20, 5, 100);
    assert_close(few.probability(0.0), 1.0 - 0.99_f64.powi(20), 1e-12);
    assert!(few.false_positive_area(0.8).unwrap() > curve(20, 5).false_positive_area(0.8).unwrap());
    // Every pair is found with at least the probability of a collision.
    assert_eq!(few.similarity_at(0.1).unwrap(), 0.0);
    assert_close(few.probability(few.similarity_at(0.7).unwrap()), 0.7, 1e-12);
}

#[test]
fn other_families_have_their_own_row_probability() {
    // Hyperplanes: a row agrees with probability 1 - angle / pi.
    let cosine = |s: f64| 1.0 - s.acos() / std::f64::consts::PI;
    let hyperplanes = SCurve::with_row_probability(banding(20, 5), cosine);
    assert_close(hyperplanes.probability(0.0), curve(20, 5).probability(0.5), 1e-12);
    let s = hyperplanes.similarity_at(0.9).unwrap();
    assert_close(hyperplanes.probability(s), 0.9, 1e-12);
    // A family in which no row agrees with certainty cannot reach every probability.
    let weak = SCurve::with_row_probability(banding(2, 2), |s| s / 2.0);
    let message = rejected(weak.similarity_at(0.9));
    assert!(message.contains("0.4375"), "{message}");
    // 1-bit signatures need more rows than whole slots for the same recall and few candidates.
    let one_bit = plan::by_recall_with(1024, 0.8, 0.99, |s| (1.0 + s) / 2.0).unwrap();
    assert!(one_bit.recall >= 0.99);
    assert!(one_bit.banding.rows() > plan::by_recall(1024, 0.8, 0.99).unwrap().banding.rows());
}

#[test]
fn the_curve_rises_at_the_threshold_and_is_steepest_where_it_says() {
    assert_close(curve(20, 5).approximate_threshold(), 0.05_f64.powf(0.2), 1e-15);
    assert_close(curve(20, 5).approximate_threshold(), 0.549, 0.0005);
    for (bands, rows) in [(20, 5), (16, 8), (1, 3), (50, 2)] {
        let curve = curve(bands, rows);
        let steepest = curve.steepest();
        let slope = |s: f64| (curve.probability(s + 5e-5) - curve.probability(s - 5e-5)) / 1e-4;
        for step in 1..1000 {
            let s = f64::from(step) / 1000.0;
            assert!(slope(s) <= slope(steepest.min(0.9999)) + 1e-3, "{bands} x {rows}: steeper at {s}");
        }
    }
    assert_eq!(curve(10, 1).steepest(), 0.0);
    assert_eq!(curve(1, 4).steepest(), 1.0);
}

/// The integral of `(1 - s^r)^b` over the whole interval is the product of `k / (k + 1/r)`, k from 1 to b.
#[test]
fn areas_equal_the_closed_form() {
    for bands in [1, 2, 3, 5, 8, 20, 64, 128, 500, 1000, 4096] {
        for rows in [1, 2, 3, 5, 8, 20, 64, 128, 500, 1000, 4096] {
            let Ok(banding) = Banding::new(bands, rows) else { continue };
            let curve = SCurve::new(banding);
            let exact: f64 = (1..=bands).map(|k| k as f64 / (k as f64 + 1.0 / rows as f64)).product();
            assert_close(curve.false_negative_area(0.0).unwrap(), exact, 1e-10);
            assert_close(curve.false_positive_area(1.0).unwrap(), 1.0 - exact, 1e-10);
        }
    }
}

/// Compared with integrals to thirty digits by an independent program.
#[test]
fn areas_on_both_sides_of_a_threshold() {
    let cases = [
        (0.8, 21, 6, 0.244_048_830_870_481, 2.634_708_124_487_05e-5),
        (0.5, 20, 5, 0.044_634_893_484_525_7, 0.045_984_727_820_050_3),
        (0.9, 1, 4096, 0.0, 0.099_755_918_965_096_4),
        (0.001, 4096, 1, 0.000_759_967_886_047_243, 4.048_920_950_831_33e-6),
        (0.8, 4, 1000, 0.0, 0.197_919_545_232_255),
        (0.7, 64, 64, 8.406_964_575_429_44e-11, 0.228_740_508_554_466),
    ];
    for (threshold, bands, rows, false_positives, false_negatives) in cases {
        let curve = curve(bands, rows);
        assert_close(curve.false_positive_area(threshold).unwrap(), false_positives, 1e-10);
        assert_close(curve.false_negative_area(threshold).unwrap(), false_negatives, 1e-10);
    }
    assert_close(curve(21, 6).expected_candidates(plan::prior) / 9.031_966_259_965_55e-5, 1.0, 1e-9);
    rejected(curve(2, 2).false_positive_area(f64::NAN));
    rejected(curve(2, 2).false_negative_area(1.1));
    rejected(curve(2, 2).similarity_at(-0.1));
}

#[test]
fn the_notes_rule() {
    let shape = |n, t| {
        let plan = plan::by_notes_rule(n, t).unwrap();
        (plan.banding.bands(), plan.banding.rows())
    };
    assert_eq!(shape(100, 0.55), (20, 5));
    assert_eq!(shape(50, 0.63), (10, 5));
    assert_eq!(shape(128, 0.8), (8, 16));
    assert_eq!(shape(100, 1.0), (1, 100));
    assert_eq!(shape(100, 0.0), (100, 1));
    assert_eq!(shape(97, 0.3), (97, 1)); // a prime number of hashes: one band or one row
    assert_eq!(shape(1, 0.3), (1, 1));
    // (1/2)^(2/4) for 2 x 2 and (1/4)^(4/4) for 4 x 1: at the middle the smaller b wins the tie.
    let (two, four) = (0.5_f64.sqrt(), 0.25);
    assert_eq!(shape(4, (two + four) / 2.0 + 1e-9), (2, 2));
    assert_eq!(shape(4, (two + four) / 2.0 - 1e-9), (4, 1));
}

/// The choices of datasketch for the same question.
#[test]
fn the_areas_rule() {
    let shape = |n, t, wp, wn| {
        let plan = plan::by_areas(n, t, wp, wn).unwrap();
        (plan.banding.bands(), plan.banding.rows())
    };
    assert_eq!(shape(128, 0.5, 0.5, 0.5), (25, 5));
    assert_eq!(shape(128, 0.8, 0.5, 0.5), (9, 13));
    assert_eq!(shape(128, 0.9, 0.5, 0.5), (5, 25));
    assert_eq!(shape(128, 0.8, 0.1, 0.9), (14, 9));
    // Only one error matters. The loosest banding misses least, and the strictest has the fewest false positives.
    assert_eq!(shape(16, 0.5, 0.0, 1.0), (16, 1));
    assert_eq!(shape(16, 0.5, 1.0, 0.0), (1, 16));
}

/// The table in the documentation of [`plan`], and its claim about 9 x 13.
#[test]
fn the_recall_rules() {
    let shape = |plan: plan::Plan| (plan.banding.bands(), plan.banding.rows());
    let plan = plan::by_recall(128, 0.8, 0.99).unwrap();
    assert_eq!(shape(plan), (21, 6));
    assert_close(plan.recall, 0.9983, 0.00005);
    assert_close(plan.candidate_share, 9.03e-5, 1e-7);
    assert_eq!(shape(plan::by_recall_leanest(128, 0.8, 0.99).unwrap()), (16, 6));
    assert_close(plan::by_recall_leanest(128, 0.8, 0.99).unwrap().recall, 0.9923, 0.00005);
    assert_close(curve(9, 13).probability(0.8), 0.40, 0.005);
    assert_close(curve(16, 8).probability(0.8), 0.947, 0.0005);
    assert_eq!(shape(plan::by_recall(128, 1.0, 0.999).unwrap()), (1, 128));
    assert_eq!(plan::hashes_for_recall(6, 0.8, 0.99).unwrap(), 96);
}

#[test]
fn a_recall_out_of_reach_names_the_best() {
    let best = 1.0 - 0.9_f64.powi(16);
    for result in [plan::by_recall(16, 0.1, 0.99), plan::by_recall_leanest(16, 0.1, 0.99)] {
        let message = rejected(result);
        assert!(message.contains(&format!("{best:.6}")), "{message}");
    }
    rejected(plan::hashes_for_recall(64, 0.1, 0.99));
}

#[test]
fn impossible_plans_are_rejected() {
    for hashes in [0, MAX_HASHES + 1] {
        rejected(plan::by_notes_rule(hashes, 0.5));
        rejected(plan::by_areas(hashes, 0.5, 0.5, 0.5));
        rejected(plan::by_recall(hashes, 0.5, 0.5));
        rejected(plan::by_recall_leanest(hashes, 0.5, 0.5));
    }
    for threshold in [f64::NAN, -0.1, 1.1, f64::INFINITY] {
        rejected(plan::by_notes_rule(16, threshold));
        rejected(plan::by_areas(16, threshold, 0.5, 0.5));
        rejected(plan::by_recall(16, threshold, 0.5));
        rejected(plan::by_recall_leanest(16, threshold, 0.5));
        rejected(plan::hashes_for_recall(4, threshold, 0.5));
    }
    for weight in [f64::NAN, -1.0, f64::INFINITY] {
        rejected(plan::by_areas(16, 0.5, weight, 0.5));
        rejected(plan::by_areas(16, 0.5, 0.5, weight));
    }
    for recall in [f64::NAN, -0.1, 0.0, 1.0, 2.0] {
        rejected(plan::by_recall(16, 0.5, recall));
        rejected(plan::by_recall_leanest(16, 0.5, recall));
        rejected(plan::hashes_for_recall(4, 0.5, recall));
    }
    rejected(plan::by_recall(16, 0.0, 0.5));
    rejected(plan::hashes_for_recall(0, 0.5, 0.5));
}

/// The planners work with the largest number of hashes.
#[test]
fn the_largest_signature_can_be_planned() {
    let plan = plan::by_recall(MAX_HASHES, 0.5, 0.9999).unwrap();
    assert!(plan.recall >= 0.9999 && plan.banding.num_hashes() <= MAX_HASHES);
    assert!(plan::by_recall_leanest(MAX_HASHES, 0.9, 0.99).unwrap().recall >= 0.99);
}

/// For ten similarities: the computed probability, and how far the share of 1,500 pairs of sets that share a band key
/// is from it, in standard errors (at most 0.013 each). A set has about `size` elements.
fn observed_curve(hasher: &impl MinHasher, size: u64) -> Vec<(f64, f64)> {
    const PAIRS: u64 = 1500;
    let banding = banding(12, 4);
    let cell = |number: u64| {
        let shared = size * number / 11;
        let own = (size * 11 / 10 - shared) / 2;
        let p = SCurve::new(banding).probability(shared as f64 / (shared + 2 * own) as f64);
        let found = (0..PAIRS)
            .filter(|pair| {
                let (a, b) = pair_of_sets(number * PAIRS + pair, shared, own);
                let [a, b] = [a, b].map(|set| banding.band_keys(&hasher.sketch(&set)).unwrap());
                a.iter().zip(&b).any(|(a, b)| a == b)
            })
            .count();
        let error = (p * (1.0 - p) / PAIRS as f64).sqrt() + 1.0 / PAIRS as f64;
        (p, (found as f64 / PAIRS as f64 - p) / error)
    };
    (1..=10).map(cell).collect()
}

/// Independent slots, and those of the fast sketch for sets that fill its bins in one round: 4.5 standard errors, so
/// a false alarm in any of 20 cells has a chance of 1.4e-4.
#[test]
fn the_observed_curve_is_the_computed_one() {
    for (name, cells) in [
        ("multiply-shift", observed_curve(&MultiplyShift::new(48, 7).unwrap(), 40)),
        ("fast sketch", observed_curve(&FastSketch::new(48, 7).unwrap(), 800)),
    ] {
        assert!(cells.iter().all(|(_, deviation)| deviation.abs() < 4.5), "{name}: {cells:?}");
    }
}

/// The slots of the fast sketch of a small set are drawn almost without replacement, so its curve is steeper than
/// the formula: above it where pairs are mostly found, below it where they are mostly missed.
#[test]
fn the_fast_sketch_of_small_sets_has_a_steeper_curve() {
    let cells = observed_curve(&FastSketch::new(48, 7).unwrap(), 40);
    // Under the formula the deviations of the nine cells are independent with standard deviation 1, so this sum has 3.
    let outward: f64 = cells
        .iter()
        .map(|&(p, deviation)| match p {
            0.7.. => deviation,
            ..0.3 => -deviation,
            _ => 0.0,
        })
        .sum();
    assert!(outward > 9.0, "{outward}: {cells:?}");
}

/// With few buckets, unrelated pairs share a bucket as often as the analysis says: 2,000 pairs, standard error 0.010,
/// the bound is 4.5 standard errors (false alarms 7e-6).
#[test]
fn observed_bucket_collisions_are_the_computed_ones() {
    let banding = banding(12, 4).with_buckets(40).unwrap();
    let hasher = MultiplyShift::new(48, 3).unwrap();
    let keys: Vec<_> = (0..4000_u64)
        .map(|i| banding.band_keys(&sketch(&hasher, (i << 20)..(i << 20) + 5)).unwrap())
        .collect();
    let met = keys.chunks(2).filter(|pair| pair[0].iter().zip(&pair[1]).any(|(a, b)| a == b)).count();
    let p = SCurve::new(banding).probability(0.0);
    assert_close(met as f64 / 2000.0, p, 4.5 * (p * (1.0 - p) / 2000.0).sqrt());
}

/// Computed with 60 digits by another program. If one of these plans changes, the bands of stored indexes no longer
/// agree with new ones.
#[test]
fn plans_of_usual_configurations_are_fixed() {
    const HASHES: [usize; 5] = [64, 128, 256, 512, 1024];
    for (threshold, recall, plans) in [
        (0.5, 0.95, [(32, 2), (42, 3), (64, 4), (102, 5), (204, 5)]),
        (0.5, 0.99, [(32, 2), (42, 3), (85, 3), (128, 4), (204, 5)]),
        (0.7, 0.95, [(16, 4), (25, 5), (36, 7), (64, 8), (113, 9)]),
        (0.7, 0.99, [(21, 3), (32, 4), (42, 6), (73, 7), (113, 9)]),
        (0.8, 0.95, [(10, 6), (18, 7), (28, 9), (46, 11), (73, 14)]),
        (0.8, 0.99, [(12, 5), (21, 6), (32, 8), (51, 10), (85, 12)]),
        (0.9, 0.95, [(7, 9), (10, 12), (16, 16), (25, 20), (42, 24)]),
        (0.9, 0.99, [(9, 7), (12, 10), (18, 14), (30, 17), (46, 22)]),
    ] {
        for (hashes, (bands, rows)) in HASHES.into_iter().zip(plans) {
            let plan = plan::by_recall(hashes, threshold, recall).unwrap();
            assert_eq!(plan.banding, banding(bands, rows), "{hashes} hashes, {threshold}, {recall}");
            // No decision is near a tie: the distance is 0.4 % of the allowed misses, and rounding errors are 1e-14.
            for rows in 1..=rows + 1 {
                let misses = curve(hashes / rows, rows).miss_probability(threshold) / (1.0 - recall);
                assert!(
                    (misses - 1.0).abs() > 0.004,
                    "{hashes} hashes, {threshold}, {recall}, {rows} rows: {misses}"
                );
            }
        }
    }
}

#[test]
fn nothing_is_found_with_probability_plus_zero() {
    let curves = [curve(1, 1), curve(16, 8), curve(64, 64)];
    assert!(
        curves.iter().all(|curve| curve.probability(0.0) == 0.0 && curve.probability(0.0).is_sign_positive())
    );
    assert!(curve(16, 8).probability(f64::NAN).is_nan());
    let error = rejected(plan::by_recall(16, 0.0, 0.5));
    assert!(error.contains("at most 0.000000"), "{error}");
    assert!(!error.contains("-0.0"), "{error}");
}

#[test]
fn plans_for_b_bit_signatures_take_their_row_probability() {
    for bits in [1, 2, 4, 8, 16] {
        let row_probability = bbit::row_probability(bits).unwrap();
        let signature = Signature::from_slots(Family::FastSketch, 1, vec![0; 8]).unwrap();
        let cut = bbit::BBitSignature::new(&signature, bits).unwrap();
        for s in [0.0, 0.3, 1.0] {
            assert_eq!(row_probability(s), cut.collision_probability(s).unwrap());
        }
        let plan = plan::by_recall_with(256, 0.8, 0.95, row_probability).unwrap();
        let full = plan::by_recall(256, 0.8, 0.95).unwrap();
        assert!(plan.recall >= 0.95 && plan.banding.rows() >= full.banding.rows(), "{bits} bits");
    }
    rejected(bbit::row_probability(3).map(|_| ()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn the_inverse_inverts(bands in 1_usize..200, rows in 1_usize..20, s in 0.0..=1.0_f64) {
        let curve = curve(bands, rows);
        let p = curve.probability(s);
        let back = curve.similarity_at(p).unwrap();
        // Where the curve is flat, many similarities have the same probability. So probabilities are compared.
        prop_assert!((curve.probability(back) - p).abs() <= 1e-12);
        prop_assert!(p > 1.0 - 1e-6 || back <= s + 1e-9);
    }

    #[test]
    fn more_bands_catch_more_and_more_rows_catch_less(
        bands in 1_usize..100, rows in 1_usize..20, s in 0.0..=1.0_f64, buckets in 1_u64..10_000,
    ) {
        let p = curve(bands, rows).probability(s);
        prop_assert!((0.0..=1.0).contains(&p));
        prop_assert!(curve(bands + 1, rows).probability(s) >= p);
        prop_assert!(curve(bands, rows + 1).probability(s) <= p);
        prop_assert!(bucketed(bands, rows, buckets).probability(s) >= p);
        prop_assert!((p + curve(bands, rows).miss_probability(s) - 1.0).abs() < 1e-15);
    }

    /// Compares the planners with trying all bandings.
    #[test]
    fn recall_plans_are_the_best_of_all(hashes in 1_usize..40, t in 0.3..=1.0_f64, recall in 0.05..0.95_f64) {
        let all = (1..=hashes).flat_map(|rows| (1..=hashes / rows).map(move |bands| curve(bands, rows)));
        let reaching: Vec<_> = all.filter(|c| c.miss_probability(t) <= 1.0 - recall).collect();
        let candidates = |c: &SCurve| c.expected_candidates(plan::prior);
        let fewest = |curves: &mut dyn Iterator<Item = &SCurve>| curves.map(candidates).fold(f64::INFINITY, f64::min);
        match plan::by_recall_leanest(hashes, t, recall) {
            Ok(plan) => prop_assert_eq!(plan.candidate_share, fewest(&mut reaching.iter())),
            Err(_) => prop_assert!(reaching.is_empty()),
        }
        let mut full = reaching.iter().filter(|c| c.banding().bands() == hashes / c.banding().rows());
        match plan::by_recall(hashes, t, recall) {
            Ok(plan) => prop_assert!(plan.candidate_share <= fewest(&mut full)),
            Err(_) => prop_assert!(reaching.is_empty()),
        }
    }

    #[test]
    fn equal_bands_and_only_they_share_keys(
        a in prop::collection::vec(0_u64..3, 12), b in prop::collection::vec(0_u64..3, 12),
        rows in 1_usize..=4,
    ) {
        let banding = banding(12 / rows, rows);
        let (mut left, mut right) = (Vec::new(), vec![99]);
        banding.band_keys_into(&a, &mut left).unwrap();
        banding.band_keys_into(&b, &mut right).unwrap();
        prop_assert_eq!(left.len(), 12 / rows);
        for band in 0..12 / rows {
            let range = band * rows..(band + 1) * rows;
            prop_assert_eq!(left[band] == right[band], a[range.clone()] == b[range]);
        }
    }
}

#[test]
fn bands_side_by_side_have_the_keys_of_one_after_the_other() {
    let mut random = SplitMix64::new(1);
    let slots: Vec<u64> = (0..200).map(|_| random.next_u64()).collect();
    for rows in [1, 2, 5, 13, 25, 200, 201] {
        for room in [0, 1, 3, 4, 5, 8, 40, 300] {
            let mut keys = vec![7; room];
            let count = band_keys(rows, &slots, &mut keys);
            let expected: Vec<u64> = slots
                .chunks_exact(rows)
                .enumerate()
                .take(room)
                .map(|(band, rows)| band_key(band, rows))
                .collect();
            assert_eq!(keys[..count], expected, "{rows} rows, {room} keys");
            assert!(keys[count..].iter().all(|&key| key == 7));
        }
    }
}
