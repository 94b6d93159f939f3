//! Tuning b and r (the same numbers are in note 001).

use crate::{assert_rounds_to, s_curve};

/// Slide "Tuning b and r": the four steps, for the numbers of the slides that follow.
#[test]
fn the_s_curve_follows_from_rows_and_bands() {
    for (similarity, bands, rows) in [(0.8f64, 20, 5), (0.3, 20, 5), (0.8, 15, 5), (0.63, 10, 5)] {
        let one_band_agrees = similarity.powi(rows);
        let no_band_agrees = (1.0 - one_band_agrees).powi(bands);
        let curve = s_curve(bands as usize, rows as usize);
        assert!((s_curve(1, rows as usize).probability(similarity) - one_band_agrees).abs() < 1e-12);
        assert!((curve.miss_probability(similarity) - no_band_agrees).abs() < 1e-12);
        assert!((curve.probability(similarity) - (1.0 - no_band_agrees)).abs() < 1e-12);
    }
}

/// Slide "Example", 80 % (also note 001, "C1, C2 are 80% Similar"). Where the slide says "0.035% of the documents" it
/// means 0.035 % of the *pairs* that are 80 % similar; note 001 says so, and calls it about 1/3000 (1/2800 is
/// nearer).
#[test]
fn of_pairs_of_similarity_80_percent_20_bands_of_5_miss_0_035_percent() {
    assert_rounds_to(s_curve(1, 5).probability(0.8), 0.328, 3);
    let missed = s_curve(20, 5).miss_probability(0.8);
    // The slide goes on from the rounded 0.328 and gets 0.00035; from 0.32768 it is 0.000356.
    assert_rounds_to((1.0f64 - 0.328).powi(20), 0.00035, 5);
    assert_rounds_to(missed, 0.000356, 6);
    assert!((2_800.0..3_000.0).contains(&(1.0 / missed)));
    assert_rounds_to(100.0 * (1.0 - (1.0f64 - 0.328).powi(20)), 99.965, 3);
    assert_rounds_to(100.0 * s_curve(20, 5).probability(0.8), 99.964, 3);
}

/// Slide "Example", 30 % (also note 001, "C1, C2 are 30% Similar", which writes "docs with similarity 0.3%": it is
/// 0.3, or 30 %. At 0.3 % there would be no candidates).
#[test]
fn of_pairs_of_similarity_30_percent_20_bands_of_5_propose_4_74_percent() {
    assert_rounds_to(s_curve(1, 5).probability(0.3), 0.00243, 5);
    // Cut, not rounded: it is 0.047494.
    let proposed = s_curve(20, 5).probability(0.3);
    assert_eq!((proposed * 10_000.0).floor(), 474.0);
    assert!(s_curve(20, 5).probability(0.003) < 1e-11);
}

/// Slide "S-curve for LSH": the threshold t = (1/b)^(1/r) is said to be "where the probability is 1/2, where the
/// curve is steepest". Those are three points. At t one band agrees with probability 1/b, so the pair is found with
/// probability `1 - (1 - 1/b)^b`, which falls towards `1 - 1/e = 0.632` as b grows and is never 1/2. Probability 1/2
/// comes earlier, and so does the steepest point.
#[test]
fn at_the_approximate_threshold_the_probability_is_nearer_to_0_63_than_to_one_half() {
    let limit = 1.0 - (-1.0f64).exp();
    for (bands, rows) in [(2, 3), (10, 5), (20, 5), (50, 4), (1000, 4)] {
        let curve = s_curve(bands, rows);
        let threshold = curve.approximate_threshold();
        assert!((threshold - (1.0 / bands as f64).powf(1.0 / rows as f64)).abs() < 1e-12);
        let there = curve.probability(threshold);
        assert!(there > limit && there - limit < 0.25 / bands as f64, "{bands} x {rows}: {there}");
    }

    let curve = s_curve(20, 5);
    assert_rounds_to(curve.approximate_threshold(), 0.549, 3);
    assert_rounds_to(curve.probability(curve.approximate_threshold()), 0.642, 3);
    assert_rounds_to(curve.similarity_at(0.5).unwrap(), 0.509, 3);
    assert_rounds_to(curve.steepest(), 0.526, 3);
    assert_rounds_to(curve.probability(curve.steepest()), 0.562, 3);
    let slope = |s: f64| (curve.probability(s + 1e-4) - curve.probability(s - 1e-4)) / 2e-4;
    assert!((1..100).all(|percent| slope(f64::from(percent) / 100.0) <= slope(curve.steepest())));
}
