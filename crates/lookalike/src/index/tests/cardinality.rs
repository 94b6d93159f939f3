use super::rejected;
use crate::index::cardinality;
use crate::minhash::{EMPTY_SLOT, Family, FastSketch, MinHasher, MultiplyShift, Signature};
use crate::statistics::{Moments, sketch};

/// Compares mean and variance of the estimates for `n` elements, over `trials` seeds, with the truth and the stated
/// standard error.
///
/// The mean may be off by 4.5 of its standard errors (false alarms 7e-6 a cell), the variance by 4.5 of its own
/// (`sqrt(2/trials)`, and half as much again because the estimates have a heavier tail than normal ones; in the fast
/// sketch of a few elements the variance comes from the collisions, `n (n - 1) / 2K` in a trial, and
/// is as uncertain as their number).
fn check<M: MinHasher>(n: u64, trials: u64, hasher: impl Fn(u64) -> M) {
    let estimates: Vec<_> =
        (0..trials).map(|seed| cardinality(&sketch(&hasher(seed), 0..n)).unwrap()).collect();
    let counts = Moments::of(estimates.iter().map(|e| e.count));
    let stated = Moments::of(estimates.iter().map(|e| e.standard_error.powi(2))).mean;
    let collisions = (trials * n * (n - 1)) as f64 / (2 * hasher(0).num_hashes()) as f64;
    let bound = 4.5 * (stated / counts.count).sqrt() + 1e-3;
    assert!((counts.mean - n as f64).abs() < bound, "n = {n}: mean {}, bound {bound}", counts.mean);
    let ratio = counts.variance / stated;
    let bound = 4.5 * (1.5 * 1.5 * 2.0 / counts.count + 1.0 / collisions).sqrt();
    assert!((ratio - 1.0).abs() < bound, "n = {n}: variance {ratio} of the stated");
}

#[test]
fn fast_sketch_estimates_are_unbiased_with_the_stated_error() {
    for n in [5, 20, 64, 128, 300, 1000, 10_000] {
        check(n, 1000, |seed| FastSketch::new(128, seed).unwrap());
    }
    // With few hashes the correction of the bias is a large part of the estimate.
    for n in [20, 100, 2000] {
        check(n, 2000, |seed| FastSketch::new(24, seed).unwrap());
    }
    for n in [2, 3, 5] {
        check(n, 20_000, |seed| FastSketch::new(24, seed).unwrap());
    }
    check(300_000, 50, |seed| FastSketch::new(128, seed).unwrap());
}

/// One element never collides. Only its position in its bin makes the estimate uncertain, by `1 / sqrt(12) K`. The
/// stated error is at most `1 / K`.
#[test]
fn the_fast_sketch_of_one_element_is_nearly_certain() {
    for hashes in [3, 24, 128, 4096] {
        for seed in 0..200 {
            let estimate = cardinality(&FastSketch::new(hashes, seed).unwrap().sketch(&[seed])).unwrap();
            let step = 1.1 / (hashes - 1) as f64;
            assert!((estimate.count - 1.0).abs() < step && estimate.standard_error < step, "{estimate:?}");
        }
    }
}

#[test]
fn multiply_shift_estimates_are_unbiased_with_the_stated_error() {
    for n in [2, 5, 20, 300, 3000] {
        check(n, 1000, |seed| MultiplyShift::new(128, seed).unwrap());
        check(n, 2000, |seed| MultiplyShift::new(24, seed).unwrap());
    }
    check(300_000, 50, |seed| MultiplyShift::new(24, seed).unwrap());
}

#[test]
fn the_empty_set_has_no_element() {
    for signature in
        [FastSketch::new(16, 1).unwrap().sketch(&[]), MultiplyShift::new(16, 1).unwrap().sketch(&[])]
    {
        let estimate = cardinality(&signature).unwrap();
        assert_eq!((estimate.count, estimate.standard_error), (0.0, 0.0));
    }
}

#[test]
fn what_cannot_be_counted_is_rejected() {
    let of = |family, slots: &[u64]| cardinality(&Signature::from_slots(family, 1, slots.to_vec()).unwrap());
    for family in [Family::Permutation, Family::Universal, Family::Weighted] {
        rejected(of(family, &[1, 2, 3, 4]));
    }
    for family in [Family::FastSketch, Family::MultiplyShift] {
        rejected(of(family, &[1, 2]));
        rejected(of(family, &[1, 2, EMPTY_SLOT]));
        assert!(of(family, &[0, 0, 0]).unwrap().count.is_finite());
    }
    rejected(of(Family::MultiplyShift, &[1, 2, 1 << 32]));
    rejected(of(Family::FastSketch, &[1 << 51, 1 << 52, 3 << 51]));
    assert!(of(Family::MultiplyShift, &[u64::from(u32::MAX); 4]).unwrap().count.is_finite());
}
