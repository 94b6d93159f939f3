use super::{Estimator, HyperLogLog, MAX_PRECISION, MIN_PRECISION, register_and_rank};
use crate::error::Error;
use crate::hashing::{GOLDEN, mix64};
use crate::statistics::{Moments, STRUCTURED};
use proptest::prelude::*;

fn sketch(precision: u32, elements: impl IntoIterator<Item = u64>) -> HyperLogLog {
    let mut sketch = HyperLogLog::new(precision).unwrap();
    sketch.extend(elements);
    sketch
}

/// The definition, with the bits of the hash written out.
fn registers_plainly(precision: u32, elements: &[u64]) -> Vec<u8> {
    let mut registers = vec![0; 1 << precision];
    for &element in elements {
        let bits = format!("{:064b}", mix64(element.wrapping_add(GOLDEN)));
        let (rest, register) = bits.split_at(64 - precision as usize);
        let register = usize::from_str_radix(register, 2).unwrap();
        let rank = rest.find('1').unwrap_or(rest.len()) as u8 + 1;
        registers[register] = std::cmp::max(registers[register], rank);
    }
    registers
}

proptest! {
    #[test]
    fn registers_are_those_of_the_definition(
        precision in MIN_PRECISION..=MAX_PRECISION,
        elements in prop::collection::vec(any::<u64>(), 0..200),
    ) {
        let fast = sketch(precision, elements.iter().copied());
        prop_assert_eq!(fast.registers(), registers_plainly(precision, &elements));
        prop_assert_eq!(fast.is_empty(), elements.is_empty());
    }

    /// Merging is the union: any order, any grouping, any repetition.
    #[test]
    fn merging_is_the_union(
        parts in prop::collection::vec(prop::collection::vec(0..500_u64, 0..100), 3),
        precision in 4..10_u32,
    ) {
        let whole = sketch(precision, parts.concat());
        let [a, b, c] = [0, 1, 2].map(|part: usize| sketch(precision, parts[part].iter().copied()));
        let merged = |a: &HyperLogLog, b: &HyperLogLog| {
            let mut merged = a.clone();
            merged.merge(b).unwrap();
            merged
        };
        prop_assert_eq!(&merged(&merged(&a, &b), &c), &whole);
        prop_assert_eq!(&merged(&c, &merged(&b, &a)), &whole);
        prop_assert_eq!(&merged(&whole, &b), &whole);
        prop_assert_eq!(&merged(&HyperLogLog::new(precision).unwrap(), &whole), &whole);
    }

    #[test]
    fn bytes_are_the_sketch(precision in 4..10_u32, elements in prop::collection::vec(any::<u64>(), 0..100)) {
        let sketch = sketch(precision, elements);
        let bytes = sketch.to_bytes();
        prop_assert_eq!(HyperLogLog::from_bytes(&bytes).unwrap(), sketch);
        for shorter in 0..bytes.len() {
            prop_assert!(HyperLogLog::from_bytes(&bytes[..shorter]).is_err());
        }
    }
}

#[test]
fn the_rank_of_zeros_is_one_more_than_the_number_of_bits() {
    assert_eq!(register_and_rank(0, 64, 4), (0, 61));
    assert_eq!(register_and_rank(0, 32, 4), (0, 29));
    assert_eq!(register_and_rank(u64::MAX, 64, 4), (15, 1));
    assert_eq!(register_and_rank(0xffff_ffff, 32, 16), (0xffff, 1));
    assert_eq!(register_and_rank(1 << 4, 64, 4), (0, 60));
}

/// The answers were computed by `tests/known_answers.py`.
#[test]
fn bytes_have_known_answers() {
    let mut expected = b"LKHL\x01\x04\0\0".to_vec();
    expected.extend(KNOWN_REGISTERS);
    assert_eq!(sketch(4, 0..100).to_bytes(), expected);
}

const KNOWN_REGISTERS: [u8; 16] = [1, 3, 4, 6, 1, 5, 1, 6, 4, 4, 6, 2, 5, 4, 2, 2];

#[test]
fn other_bytes_are_refused() {
    let good = sketch(4, 0..100).to_bytes();
    for (at, value) in [(0, b'X'), (4, 2), (5, 3), (5, 5), (5, 19), (6, 1), (7, 1), (8, 62), (23, 255)] {
        let mut bytes = good.clone();
        bytes[at] = value;
        assert!(matches!(HyperLogLog::from_bytes(&bytes), Err(Error::Decode { .. })), "{value} at {at}");
    }
    assert!(HyperLogLog::from_bytes(&[good, vec![0]].concat()).is_err());
}

#[test]
fn precisions_are_checked() {
    for precision in [0, 3, 19, 64, u32::MAX] {
        assert!(matches!(HyperLogLog::new(precision), Err(Error::OutOfRange { name: "precision", .. })));
    }
    let mut four = HyperLogLog::new(4).unwrap();
    let error = four.merge(&HyperLogLog::new(5).unwrap());
    assert!(matches!(error, Err(Error::Incompatible { what: "precision", .. })));
}

#[test]
fn nothing_is_counted_as_nothing() {
    for precision in MIN_PRECISION..=MAX_PRECISION {
        let mut sketch = sketch(precision, []);
        for estimator in [Estimator::Original, Estimator::PlusPlus] {
            let estimate = sketch.cardinality_by(estimator);
            assert_eq!((estimate.count, estimate.standard_error), (0.0, 0.0));
        }
        sketch.insert(7);
        assert!(!sketch.is_empty());
        assert!((sketch.cardinality().count - 1.0).abs() < 0.1);
        sketch.clear();
        assert!(sketch.is_empty());
    }
}

/// Registers that no elements could have given have a finite estimate too.
#[test]
fn full_registers_have_an_estimate() {
    for precision in MIN_PRECISION..=MAX_PRECISION {
        let mut bytes = HyperLogLog::new(precision).unwrap().to_bytes();
        bytes[8..].fill(64 - precision as u8 + 1);
        let full = HyperLogLog::from_bytes(&bytes).unwrap();
        assert!(full.cardinality().count.is_finite() && full.cardinality().count > 1e18);
    }
}

/// The estimates of `n` elements over `trials` disjoint sets.
fn estimates(estimator: Estimator, precision: u32, n: u64, trials: u64) -> Moments {
    Moments::of(
        (0..trials)
            .map(|trial| sketch(precision, (0..n).map(|x| trial << 32 | x)).cardinality_by(estimator).count),
    )
}

/// Mean and variance against theory, where there is one: linear counting, and the harmonic mean of many elements.
///
/// The bounds are 5 standard errors: of T = 2,000 estimates the mean has `sqrt(variance / T)`, the sample variance,
/// relative to the variance, at most `sqrt(3 / T)` (estimates have a slightly heavier tail than normal ones, whose factor
/// is 2). A false alarm has the probability 6e-7 a check for fresh elements, 2e-5 for all of them. Linear counting has a
/// bias of `(e^t - 1) / 2` elements, up to terms in `1/m`, for which 0.05 are allowed; the harmonic mean may be off by
/// 0.3 % (its `alpha` is rounded to 3 digits for few registers). The formulas for the variance are asymptotic too: 15 %
/// and 5 % are allowed for what they leave out.
#[test]
fn estimates_have_the_mean_and_variance_of_theory() {
    const TRIALS: u64 = 2_000;
    for (precision, load) in
        [(4, 0.25), (6, 0.5), (8, 0.1), (8, 0.5), (10, 0.25), (6, 30.0), (8, 10.0), (8, 30.0)]
    {
        for estimator in [Estimator::Original, Estimator::PlusPlus] {
            let m = f64::from(1_u32 << precision);
            let n = (m * load) as u64;
            let sample = estimates(estimator, precision, n, TRIALS);
            let (variance, expected, left_out) = if load < 1.0 {
                (m * (load.exp() - load - 1.0), n as f64 + (load.exp() - 1.0) / 2.0, 0.05)
            } else {
                let factor = if precision == 6 { 1.054 } else { 1.039 };
                ((factor * n as f64).powi(2) / m, n as f64, 0.003 * n as f64)
            };
            let what = format!("{estimator:?}, precision {precision}, {n} elements");
            let bias = (sample.mean - expected).abs();
            let allowed = left_out + 5.0 * (variance / sample.count).sqrt();
            assert!(bias < allowed, "{what}: bias {bias}, allowed {allowed}");
            let ratio = sample.variance / variance;
            let allowed = 5.0 * (3.0 / sample.count).sqrt() + if load < 1.0 { 0.15 } else { 0.05 };
            assert!((ratio - 1.0).abs() < allowed, "{what}: variance {ratio} of the formula");
        }
    }
}

/// Between the two ranges there is no formula, but HyperLogLog++ promises no bias and no larger error; the original
/// estimator has a bias there, which the test sees.
///
/// Bounds on the mean are 5 standard errors of 1,000 estimates (6e-7 a check) and 1 % of the count, because the
/// published biases are measured means themselves.
#[test]
fn plus_plus_has_no_bias_in_between() {
    let mut worst_original = 0.0_f64;
    for precision in [5, 8, 10] {
        let m = f64::from(1_u32 << precision);
        for load in [0.7, 0.9, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0] {
            let n = (m * load) as u64;
            let stated = 1.07 / m.sqrt();
            let sample = estimates(Estimator::PlusPlus, precision, n, 1_000);
            let bias = sample.mean / n as f64 - 1.0;
            let allowed = 0.01 + 5.0 * stated / sample.count.sqrt();
            assert!(
                bias.abs() < allowed,
                "precision {precision}, {n} elements: bias {bias}, allowed {allowed}"
            );
            let error = sample.variance.sqrt() / n as f64;
            assert!(
                error < 1.25 * stated,
                "precision {precision}, {n} elements: error {error}, stated {stated}"
            );
            let original = estimates(Estimator::Original, precision, n, 1_000);
            worst_original = worst_original.max((original.mean / n as f64 - 1.0).abs());
        }
    }
    assert!(worst_original > 0.02, "the original estimator has a bias of {worst_original} at most");
}

/// Elements are mixed, so that structure in them does not matter. The bound is 5 stated errors.
#[test]
fn structured_elements_are_counted_as_well() {
    for (name, element) in STRUCTURED {
        let elements: std::collections::BTreeSet<u64> = (0..3000).map(element).collect();
        let estimate = sketch(12, elements.iter().copied()).cardinality();
        let off = (estimate.count - elements.len() as f64).abs();
        assert!(off < 5.0 * estimate.standard_error + 1.0, "{name}: {estimate:?} of {}", elements.len());
    }
}
