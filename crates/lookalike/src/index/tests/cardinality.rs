use super::rejected;
use crate::hashing::SplitMix64;
use crate::index::cardinality;
use crate::index::reference::ReferenceMinHasher;
use crate::minhash::{EMPTY_SLOT, Family, Signature};

/// The fast sketch of `n` elements as far as the estimate sees it: round 0 by its definition; what later rounds fill
/// is marked with round 1.
fn fast_sketch(n: u64, bins: usize, random: &mut SplitMix64) -> Signature {
    let mut slots = vec![EMPTY_SLOT; bins];
    for _ in 0..n {
        let bin = random.below(bins as u64) as usize;
        slots[bin] = slots[bin].min(random.next_u64() >> 13);
    }
    if n > 0 {
        for slot in slots.iter_mut().filter(|slot| **slot == EMPTY_SLOT) {
            *slot = (1 << 51) | random.next_u64() >> 13;
        }
    }
    Signature::from_slots(Family::FastSketch, 1, slots)
}

/// The minima of `n` uniform numbers, drawn from their distribution.
fn minima(n: u64, hashes: usize, random: &mut SplitMix64) -> Signature {
    let minimum = |random: &mut SplitMix64| -((-random.next_f64()).ln_1p() / n as f64).exp_m1();
    let slots = (0..hashes).map(|_| (minimum(random) * 2.0_f64.powi(32)) as u64).collect();
    Signature::from_slots(Family::MultiplyShift, 1, slots)
}

/// Mean and variance of `trials` estimates against the truth and the stated standard error.
///
/// The mean may be off by 4.5 of its standard errors (false alarms 7e-6 a cell), the variance by 4.5 of its own
/// (`sqrt(2/trials)`, and half as much again because the estimates have a heavier tail than normal ones).
fn check(n: u64, hashes: usize, trials: usize, make: impl Fn(u64, usize, &mut SplitMix64) -> Signature) {
    let mut random = SplitMix64::new(n ^ (hashes as u64) << 32);
    let estimates: Vec<_> =
        (0..trials).map(|_| cardinality(&make(n, hashes, &mut random)).unwrap()).collect();
    let count = trials as f64;
    let mean = estimates.iter().map(|e| e.count).sum::<f64>() / count;
    let variance = estimates.iter().map(|e| (e.count - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let stated = estimates.iter().map(|e| e.standard_error.powi(2)).sum::<f64>() / count;
    let bound = 4.5 * (stated / count).sqrt() + 1e-3;
    assert!((mean - n as f64).abs() < bound, "n = {n}, {hashes} hashes: mean {mean}, bound {bound}");
    // With fewer than about ten elements the number of collisions is a few or none, and the curvature of the
    // likelihood says little about the spread.
    if n >= 20 {
        let ratio = variance / stated;
        let bound = 4.5 * 1.5 * (2.0 / count).sqrt();
        assert!((ratio - 1.0).abs() < bound, "n = {n}, {hashes} hashes: variance {ratio} of the stated");
    }
}

#[test]
fn fast_sketch_estimates_are_unbiased_with_the_stated_error() {
    for n in [1, 2, 5, 20, 64, 128, 300, 1000, 10_000] {
        check(n, 128, 1000, fast_sketch);
    }
    // With few hashes the correction of the bias is a large part of the estimate.
    for n in [20, 100, 2000] {
        check(n, 24, 2000, fast_sketch);
    }
}

#[test]
fn multiply_shift_estimates_are_unbiased_with_the_stated_error() {
    for n in [1, 2, 5, 20, 300, 10_000, 1_000_000] {
        check(n, 128, 1000, minima);
        check(n, 24, 2000, minima);
    }
}

/// The same with hash values: 5 standard errors, false alarms 6e-7 a set.
#[test]
fn counts_real_sets() {
    let hasher = ReferenceMinHasher::new(128, 4);
    for n in [1, 10, 100, 1000, 10_000] {
        let estimate = cardinality(&hasher.sketch(0..n)).unwrap();
        assert!((estimate.count - n as f64).abs() < 5.0 * estimate.standard_error, "{n}: {estimate:?}");
    }
}

#[test]
fn the_empty_set_has_no_element() {
    for family in [Family::FastSketch, Family::MultiplyShift] {
        let estimate = cardinality(&Signature::from_slots(family, 1, vec![EMPTY_SLOT; 16])).unwrap();
        assert_eq!((estimate.count, estimate.standard_error), (0.0, 0.0));
    }
}

#[test]
fn what_cannot_be_counted_is_rejected() {
    let of = |family, slots: &[u64]| cardinality(&Signature::from_slots(family, 1, slots.to_vec()));
    for family in [Family::Permutation, Family::Universal, Family::Weighted] {
        rejected(of(family, &[1, 2, 3, 4]));
    }
    for family in [Family::FastSketch, Family::MultiplyShift] {
        rejected(of(family, &[]));
        rejected(of(family, &[1, 2]));
        rejected(of(family, &[1, 2, EMPTY_SLOT]));
        assert!(of(family, &[0, 0, 0]).unwrap().count.is_finite());
    }
    rejected(of(Family::MultiplyShift, &[1, 2, 1 << 32]));
    rejected(of(Family::FastSketch, &[1 << 51, 1 << 52, 3 << 51]));
    assert!(of(Family::MultiplyShift, &[u64::from(u32::MAX); 4]).unwrap().count.is_finite());
}
