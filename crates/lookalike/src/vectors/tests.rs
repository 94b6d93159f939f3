use std::f64::consts::PI;

use proptest::prelude::*;

use super::matrix::RandomMatrix;
use super::*;
use crate::arch::Kernel;
use crate::error::{Error, Result};
use crate::hashing::{SplitMix64, mix64};
use crate::minhash::{Family, MAX_HASHES, MinHasher, WeightedMinHash};
use crate::statistics::Moments;

/// Five standard errors of a fraction of `n` trials of probability `p`: a false alarm in 1.7 million.
fn five_standard_errors(p: f64, n: usize) -> f64 {
    5.0 * (p * (1.0 - p) / n as f64).sqrt()
}

/// The fraction of functions that collide for two items.
fn observed<F: LshFamily>(family: &F, a: &F::Item, b: &F::Item) -> f64 {
    let (left, right) = (family.keys(a).unwrap(), family.keys(b).unwrap());
    let n = family.keys_per_function();
    let hits = left.chunks(n).zip(right.chunks(n)).filter(|(x, y)| family.collides(x, y)).count();
    hits as f64 / family.num_functions() as f64
}

fn assert_collides_as_computed<F: LshFamily>(family: &F, a: &F::Item, b: &F::Item, value: f64) {
    let p = family.collision_probability(value).unwrap();
    let fraction = observed(family, a, b);
    let allowed = five_standard_errors(p, family.num_functions());
    assert!((fraction - p).abs() <= allowed + 1e-12, "at {value}: observed {fraction}, computed {p}");
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |x: &[f32], y: &[f32]| x.iter().zip(y).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

fn random_vector(random: &mut SplitMix64, dimension: usize) -> Vec<f32> {
    (0..dimension).map(|_| random.next_normal() as f32).collect()
}

/// `a` and a random vector, mixed.
fn near(a: &[f32], noise: f32, random: &mut SplitMix64) -> Vec<f32> {
    a.iter().map(|x| x + noise * random.next_normal() as f32).collect()
}

#[test]
fn hyperplanes_collide_as_computed() {
    let mut random = SplitMix64::new(1);
    let planes = Hyperplanes::new(10, 20_000, 5).unwrap();
    for noise in [0.1, 0.5, 1.0, 10.0] {
        let a = random_vector(&mut random, 10);
        let b = near(&a, noise, &mut random);
        let opposite: Vec<f32> = b.iter().map(|x| -x).collect();
        assert_collides_as_computed(&planes, &a, &b, cosine(&a, &b));
        assert_collides_as_computed(&planes, &a, &opposite, -cosine(&a, &b));
    }
}

#[test]
fn sparse_hyperplanes_collide_as_computed_even_for_two_features() {
    let planes = SparseHyperplanes::new(20_000, 5).unwrap();
    for (a, b, value) in [
        ([(7, 1.0), (8, 0.0)], [(7, 1.0), (8, 1.0)], 0.5f64.sqrt()),
        ([(7, 3.0), (8, 4.0)], [(7, 4.0), (8, 3.0)], 0.96),
        ([(7, 1.0), (8, 0.5)], [(7, -0.5), (8, 1.0)], 0.0),
        ([(7, 1.0), (8, 1.0)], [(9, 1.0), (10, 1.0)], 0.0),
    ] {
        assert_collides_as_computed(&planes, &a, &b, value);
    }
}

#[test]
fn angle_estimate_has_the_stated_bias_and_variance() {
    // 3,000 seeds of 64 planes at 60 degrees: mean within 4.5 standard errors (7e-6), variance within five
    // relative standard errors sqrt(2/n) (6e-7).
    let (a, b) = ([1.0, 0.0, 0.0], [0.5, 0.75f32.sqrt(), 0.0]);
    let (angle, p) = (PI / 3.0, 1.0 / 3.0);
    let variance = PI * PI * p * (1.0 - p) / 64.0;
    let estimates: Vec<_> = (0..3000)
        .map(|seed| {
            let planes = Hyperplanes::new(3, 64, seed).unwrap();
            planes.sign(&a).unwrap().estimate(&planes.sign(&b).unwrap()).unwrap()
        })
        .collect();
    let angles = Moments::of(estimates.iter().map(|e| e.angle));
    let n = angles.count;
    assert!(angles.bias_in_standard_errors(angle, variance).abs() < 4.5, "{angles:?}");
    assert!((angles.variance / variance - 1.0).abs() < 5.0 * (2.0 / n).sqrt(), "{angles:?}");
    // The cosine by the delta method, whose error is of the next order in the variance.
    let cosine_error = angle.sin() * variance.sqrt();
    let expected = angle.cos() * (1.0 - variance / 2.0);
    let cosine = Moments::of(estimates.iter().map(|e| e.cosine)).mean;
    assert!((cosine - expected).abs() < 4.5 * cosine_error / n.sqrt() + variance * variance);
    let reported = Moments::of(estimates.iter().map(|e| e.cosine_standard_error)).mean;
    assert!((reported / cosine_error - 1.0).abs() < 0.05);
}

#[test]
fn dense_planes_are_the_sparse_ones_of_numbered_features() {
    let mut random = SplitMix64::new(8);
    let dense_vector = random_vector(&mut random, 50);
    let sparse_vector: Vec<(u64, f64)> = (0u64..).zip(dense_vector.iter().map(|&x| f64::from(x))).collect();
    let dense = Hyperplanes::new(50, 4096, 2).unwrap().sign(&dense_vector).unwrap();
    let sparse = SparseHyperplanes::new(4096, 2).unwrap().sign(&sparse_vector).unwrap();
    let differing: u32 = dense.words().iter().zip(sparse.words()).map(|(a, b)| (a ^ b).count_ones()).sum();
    assert!(differing <= 1, "only a product within rounding of 0 may differ: {differing}");
    assert!(dense.hamming_distance(&sparse).is_err(), "features named by hashes are not coordinates");
    let fewer = Hyperplanes::new(50, 100, 2).unwrap().sign(&dense_vector).unwrap();
    assert!((0..100).all(|i| fewer.bit(i) == dense.bit(i)), "a prefix");
    assert!(!fewer.bit(100) && !fewer.bit(100_000));
}

#[test]
fn the_order_of_sparse_features_does_not_matter() {
    let planes = SparseHyperplanes::new(256, 1).unwrap();
    let mut random = SplitMix64::new(12);
    for _ in 0..20 {
        // Weights of very different size and features that repeat: sums in another order round differently.
        let mut vector: Vec<(u64, f64)> = (0..30)
            .map(|_| (random.below(12), random.next_normal() * 10f64.powi(random.below(30) as i32)))
            .collect();
        let signs = planes.sign(&vector).unwrap();
        for _ in 0..5 {
            for last in (1..vector.len()).rev() {
                vector.swap(last, random.below(last as u64 + 1) as usize);
            }
            assert_eq!(planes.sign(&vector).unwrap(), signs);
        }
    }
    // Twice the largest number overflows. Twice its half does not.
    let huge = planes.sign(&[(1, f64::MAX), (1, f64::MAX), (2, f64::MAX)]).unwrap();
    assert_eq!(huge, planes.sign(&[(1, 2.0), (2, 1.0)]).unwrap());
    for cancelled in [&[(1, 2.0), (1, -2.0)][..], &[(1, 0.1), (2, 1e300), (1, -0.1), (2, -1e300)]] {
        assert!(is_invalid(planes.sign(cancelled)), "no direction");
    }
    assert_eq!(planes.sign(&[(1, 2.0), (3, 1.0), (1, -2.0)]), planes.sign(&[(3, 1.0)]));
}

#[test]
fn only_the_direction_counts_up_to_the_largest_and_smallest_numbers() {
    let planes = Hyperplanes::new(4, 300, 3).unwrap();
    let signs = |scale: f32| planes.sign(&[1.0, -0.5, 0.25, 1.5].map(|x| x * scale)).unwrap();
    for scale in [2f32.powi(126), 2f32.powi(-120), 2f32.powi(-147), 4.0] {
        assert_eq!(signs(scale), signs(1.0), "{scale}");
    }
    let sparse = SparseHyperplanes::new(300, 3).unwrap();
    let signs = |scale: f64| sparse.sign(&[(1, scale), (2, -0.5 * scale), (3, 0.25 * scale)]).unwrap();
    for scale in [2f64.powi(1023), 2f64.powi(-1060)] {
        assert_eq!(signs(scale), signs(1.0), "{scale}");
    }
}

#[test]
fn known_answer() {
    let signature = Hyperplanes::new(2, 64, 1).unwrap().sign(&[1.0, -2.0]).unwrap();
    // Computed from the definition with another program.
    assert_eq!(signature.words(), [0xbcc2_7430_677e_12c5]);
}

/// All answers were computed from the definitions with another program.
#[test]
fn known_answers_of_sampled_bits_cells_and_combined_keys() {
    let bits = BitSampling::new(100, 8, 1).unwrap();
    assert_eq!(bits.positions(), [72, 62, 53, 89, 65, 58, 8, 16]);
    // Positions 46, 40, 34 and 57, 42, 37: the bits 1, 1, 1 and 0, 1, 1.
    let rows = BitSampling::new(64, 6, 1).unwrap().and(3).unwrap();
    let keys = rows.keys(&[0x0123_4567_89ab_cdef]).unwrap();
    assert_eq!(keys, [0x3846_f495_f849_de1e, 0x40d2_4bda_bafa_2ff2]);
    // No projection is within a tenth of a cell of its border.
    let cells = |stable| -> Vec<i64> {
        let lines = StableProjections::new(stable, 3, 6, 0.25, 1).unwrap();
        lines.keys(&[1.0, -2.5, 4.0]).unwrap().into_iter().map(u64::cast_signed).collect()
    };
    assert_eq!(cells(Stable::Gaussian), [3, -26, 10, -13, 8, -15]);
    assert_eq!(cells(Stable::Cauchy), [64, 177, -54, -14, -240, 14]);
}

#[test]
fn bit_sampling_collides_as_computed() {
    let mut random = SplitMix64::new(4);
    let family = BitSampling::new(100, 20_000, 9).unwrap();
    for d in [0, 1, 10, 60, 100] {
        let a = [random.next_u64(), random.next_u64() & ((1 << 36) - 1)];
        let mut b = a;
        (0..d).for_each(|bit| b[bit / 64] ^= 1 << (bit % 64));
        assert_collides_as_computed(&family, &a, &b, d as f64);
    }
    assert!(family.positions().iter().all(|&position| position < 100));
}

/// The integral that defines the collision probability, by Simpson's rule.
fn stable_probability_reference(stable: Stable, s: f64) -> f64 {
    let density = |t: f64| match stable {
        Stable::Gaussian => 2.0 / (2.0 * PI).sqrt() * (-t * t / 2.0).exp(),
        Stable::Cauchy => 2.0 / (PI * (1.0 + t * t)),
    };
    let steps = 20_000;
    let h = s / f64::from(steps);
    let value = |i: i32| density(f64::from(i) * h) * (1.0 - f64::from(i) * h / s);
    let inner: f64 = (1..steps).map(|i| value(i) * if i % 2 == 1 { 4.0 } else { 2.0 }).sum();
    h / 3.0 * (value(0) + inner + value(steps))
}

#[test]
fn stable_projections_have_the_probability_of_the_integral() {
    for stable in [Stable::Gaussian, Stable::Cauchy] {
        let family = StableProjections::new(stable, 1, 1, 2.0, 1).unwrap();
        let mut last = 1.0;
        for distance in [0.05, 0.2, 1.0, 2.0, 7.0, 100.0, 1e5] {
            let p = family.collision_probability(distance).unwrap();
            let expected = stable_probability_reference(stable, 2.0 / distance);
            assert!((p - expected).abs() < 1e-9 * expected, "{stable:?} {distance}: {p} {expected}");
            assert!(p < last, "it falls with the distance");
            last = p;
        }
        assert_eq!(family.collision_probability(0.0).unwrap(), 1.0);
        assert_eq!(family.collision_probability(f64::INFINITY).unwrap(), 0.0);
        assert!(family.collision_probability(1e-300).unwrap() > 0.999_999);
        assert!(family.collision_probability(1e300).unwrap() >= 0.0);
    }
}

#[test]
fn stable_projections_collide_as_computed() {
    let mut random = SplitMix64::new(6);
    for stable in [Stable::Gaussian, Stable::Cauchy] {
        let family = StableProjections::new(stable, 6, 20_000, 4.0, 3).unwrap();
        for noise in [0.05, 0.5, 2.0, 20.0] {
            let a = random_vector(&mut random, 6);
            let b = near(&a, noise, &mut random);
            let differences = a.iter().zip(&b).map(|(x, y)| f64::from(x - y));
            let distance = match stable {
                Stable::Gaussian => differences.map(|d| d * d).sum::<f64>().sqrt(),
                Stable::Cauchy => differences.map(f64::abs).sum(),
            };
            assert_collides_as_computed(&family, &a, &b, distance);
        }
    }
}

/// Textbook min-hashing, for tests only.
struct PlainMinHash(usize);

impl MinHasher for PlainMinHash {
    fn family(&self) -> Family {
        Family::MultiplyShift
    }
    fn seed(&self) -> u64 {
        0
    }
    fn num_hashes(&self) -> usize {
        self.0
    }
    fn sketch_into(&self, elements: &[u64], slots: &mut [u64]) -> Result<()> {
        for (k, slot) in slots.iter_mut().enumerate() {
            *slot = elements.iter().map(|&e| mix64(e ^ mix64(k as u64))).min().unwrap_or(u64::MAX);
        }
        Ok(())
    }
}

#[test]
fn min_hash_families_collide_as_computed() {
    let (a, b): (Vec<u64>, Vec<u64>) = ((0..30).collect(), (10..40).collect());
    let family = MinHashFamily(PlainMinHash(MAX_HASHES));
    assert_eq!(family.measure(), Measure::Jaccard);
    assert_collides_as_computed(&family, &a, &b, 0.5);
    assert_eq!(observed(&family, &[], &[]), 1.0);
    let weighted = WeightedMinHash::new(MAX_HASHES, 1).unwrap();
    assert_collides_as_computed(&weighted, &[(1, 1.0), (2, 2.0)], &[(1, 2.0), (2, 0.5)], 1.5 / 4.0);
}

#[test]
fn amplified_families_collide_as_computed() {
    // s = 0.8: 20 of 100 bits differ. 65,536 sampled bits make 4,096 functions of 16.
    let family = || BitSampling::new(100, MAX_FUNCTIONS, 2).unwrap();
    let (a, b) = ([0, 0], [(1 << 20) - 1, 0]);
    let and_or = family().and(4).unwrap().or(4).unwrap();
    let or_and = family().or(4).unwrap().and(4).unwrap();
    // The textbook's values for a 4-way AND followed by a 4-way OR, and the other way round.
    assert!((and_or.collision_probability(20.0).unwrap() - 0.8785).abs() < 5e-5);
    assert!((or_and.collision_probability(20.0).unwrap() - 0.9936).abs() < 5e-5);
    assert_collides_as_computed(&and_or, &a, &b, 20.0);
    assert_collides_as_computed(&or_and, &a, &b, 20.0);
    assert_collides_as_computed(&and_or.and(2).unwrap(), &a, &b, 20.0);
    assert_collides_as_computed(&or_and.or(3).unwrap(), &a, &b, 20.0);
}

#[test]
fn bands_of_hyperplanes_follow_the_s_curve() {
    let mut random = SplitMix64::new(10);
    let bands = Hyperplanes::new(8, 50_000, 7).unwrap().and(5).unwrap().or(10).unwrap();
    assert_eq!((bands.num_functions(), bands.keys_per_function(), bands.bands()), (1000, 10, 10));
    for noise in [0.3, 0.8, 1.5, 5.0] {
        let a = random_vector(&mut random, 8);
        let b = near(&a, noise, &mut random);
        assert_collides_as_computed(&bands, &a, &b, cosine(&a, &b));
    }
}

#[test]
fn dice_and_overlap_have_no_family_and_the_error_says_what_to_do() {
    for measure in [Measure::Dice, Measure::Overlap, Measure::Containment] {
        let error = measure.lsh_family().unwrap_err();
        assert!(matches!(error, Error::NoLshFamily { .. }));
        assert!(error.to_string().contains("Jaccard"), "{error}");
    }
    for measure in [Measure::Dice, Measure::Overlap] {
        assert!(measure.lsh_family().unwrap_err().to_string().contains("J = D/(2-D)"));
    }
    // The sets 1, 12 and 2 that break the triangle inequality, in shared / |A| / |B|.
    let dice = |shared: f64, a: f64, b: f64| 2.0 * shared / (a + b);
    assert!(1.0 - dice(0.0, 1.0, 1.0) > 2.0 * (1.0 - dice(1.0, 1.0, 2.0)));
    for (measure, kind) in [
        (Measure::Jaccard, FamilyKind::MinHash),
        (Measure::WeightedJaccard, FamilyKind::WeightedMinHash),
        (Measure::Hamming, FamilyKind::BitSampling),
        (Measure::Euclidean, FamilyKind::GaussianProjections),
        (Measure::Manhattan, FamilyKind::CauchyProjections),
    ] {
        assert_eq!(measure.lsh_family(), Ok(kind));
    }
}

fn is_invalid<T>(result: Result<T>) -> bool {
    matches!(result, Err(Error::OutOfRange { .. }))
}

#[test]
fn impossible_parameters_are_typed_errors() {
    assert!(is_invalid(Hyperplanes::new(0, 8, 1)) && is_invalid(Hyperplanes::new(8, 0, 1)));
    assert!(is_invalid(Hyperplanes::new(8, MAX_FUNCTIONS + 1, 1)));
    assert!(
        is_invalid(Hyperplanes::new(MAX_MATRIX_CELLS, 33, 1))
            && is_invalid(Hyperplanes::new(usize::MAX, 64, 1))
    );
    assert!(
        is_invalid(SparseHyperplanes::new(0, 1)) && is_invalid(SparseHyperplanes::new(MAX_FUNCTIONS + 1, 1))
    );
    assert!(is_invalid(BitSampling::new(0, 1, 1)) && is_invalid(BitSampling::new(1, 0, 1)));
    for width in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(is_invalid(StableProjections::new(Stable::Gaussian, 2, 2, width, 1)), "{width}");
    }
    let bits = || BitSampling::new(64, 10, 1).unwrap();
    assert!(is_invalid(bits().and(0)) && is_invalid(bits().or(0)) && is_invalid(bits().and(11)));
    assert!(is_invalid(bits().and(4).unwrap().or(3)), "4 x 3 functions of 10");
    for bad in [-1.0, 65.0, f64::NAN] {
        assert!(is_invalid(bits().collision_probability(bad)));
    }
    for bad in [-1.1, 1.1, f64::NAN] {
        assert!(is_invalid(SparseHyperplanes::new(8, 1).unwrap().collision_probability(bad)));
        assert!(is_invalid(WeightedMinHash::new(8, 1).unwrap().collision_probability(bad)));
        assert!(is_invalid(jaccard_from_dice(bad)) && is_invalid(dice_from_jaccard(bad)));
    }
    let lines = StableProjections::new(Stable::Cauchy, 2, 2, 1.0, 1).unwrap();
    assert!(
        is_invalid(lines.collision_probability(-1.0)) && is_invalid(lines.collision_probability(f64::NAN))
    );
}

#[test]
fn impossible_vectors_are_typed_errors() {
    let planes = Hyperplanes::new(2, 8, 1).unwrap();
    let lines = StableProjections::new(Stable::Gaussian, 2, 8, 1e-20, 1).unwrap();
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        assert!(is_invalid(planes.sign(&[1.0, bad])) && is_invalid(lines.keys(&[1.0, bad])));
    }
    for bad in [f64::NAN, f64::INFINITY] {
        assert!(is_invalid(SparseHyperplanes::new(8, 1).unwrap().sign(&[(1, 1.0), (2, bad)])));
    }
    assert!(is_invalid(planes.sign(&[0.0, -0.0])), "no direction");
    assert!(is_invalid(SparseHyperplanes::new(8, 1).unwrap().sign(&[])));
    assert!(lines.keys(&[0.0, 0.0]).is_ok());
    assert!(is_invalid(lines.keys(&[1.0, 1.0])), "cell numbers that are not exact");
    let mismatch = |result: Result<Vec<u64>>| matches!(result, Err(Error::LengthMismatch { .. }));
    assert!(mismatch(planes.keys(&[1.0])) && mismatch(lines.keys(&[1.0, 2.0, 3.0])));
    assert!(mismatch(BitSampling::new(65, 4, 1).unwrap().keys(&[1])));
    let mut too_few = [0; 7];
    assert!(matches!(planes.keys_into(&[1.0, 1.0], &mut too_few), Err(Error::LengthMismatch { .. })));
    let other = Hyperplanes::new(2, 8, 2).unwrap().sign(&[1.0, 1.0]).unwrap();
    assert!(matches!(planes.sign(&[1.0, 1.0]).unwrap().estimate(&other), Err(Error::Incompatible { .. })));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn projections_are_plain_sums_bit_for_bit(dimension in 1usize..40, functions in 1usize..200, seed: u64) {
        // The definition: one sum per function, coordinate after coordinate.
        let cell = |i: u64, j: usize| SplitMix64::new(seed ^ i << 32 ^ j as u64).next_normal();
        let matrix = RandomMatrix::new(dimension, ("functions", functions), |i, values| {
            values.iter_mut().enumerate().for_each(|(j, value)| *value = cell(i, j));
        }).unwrap();
        let vector = random_vector(&mut SplitMix64::new(seed), dimension);
        let coordinates = || (0u64..).zip(&vector);
        let singles = (0..functions).map(|j| coordinates().fold(0.0, |sum, (i, x)| sum + cell(i, j) as f32 * x));
        let doubles = (0..functions)
            .map(|j| coordinates().fold(0.0, |sum, (i, x)| sum + f64::from(cell(i, j) as f32) * f64::from(*x)));
        let (singles, doubles): (Vec<u32>, Vec<u64>) = (singles.map(f32::to_bits).collect(), doubles.map(f64::to_bits).collect());
        for kernel in Kernel::available() {
            let mut products = Vec::new();
            matrix.project(kernel, &vector, 1.0, |block: &[f32]| products.extend(block.iter().map(|x| x.to_bits())));
            prop_assert_eq!(&products, &singles, "{}", kernel.name());
            let mut products = Vec::new();
            matrix.project(kernel, &vector, 1.0, |block: &[f64]| products.extend(block.iter().map(|x| x.to_bits())));
            prop_assert_eq!(&products, &doubles, "{}", kernel.name());
        }
    }

    #[test]
    fn dice_and_jaccard_convert_both_ways(shared in 1u32..50, left in 0u32..50, right in 0u32..50) {
        let [shared, left, right] = [shared, left, right].map(f64::from);
        let jaccard = shared / (shared + left + right);
        let dice = 2.0 * shared / (2.0 * shared + left + right);
        prop_assert!((jaccard_from_dice(dice).unwrap() - jaccard).abs() < 1e-12);
        prop_assert!((dice_from_jaccard(jaccard).unwrap() - dice).abs() < 1e-12);
    }

    #[test]
    fn amplified_probabilities_compose(similarity in 0.0f64..=1.0, rows in 1usize..8, bands in 1usize..8) {
        let family = || MinHashFamily(PlainMinHash(64));
        let p = similarity;
        let banded = family().and(rows).unwrap().or(bands).unwrap().collision_probability(p).unwrap();
        let expected = 1.0 - (1.0 - p.powi(rows as i32)).powi(bands as i32);
        prop_assert!((banded - expected).abs() < 1e-12);
        let mirrored = family().or(rows).unwrap().and(bands).unwrap().collision_probability(1.0 - p).unwrap();
        prop_assert!((banded + mirrored - 1.0).abs() < 1e-12, "OR then AND mirrors AND then OR");
    }

    #[test]
    fn equal_items_always_collide(vector in prop::collection::vec(-10f32..10.0, 5), seed: u64) {
        prop_assume!(vector.iter().any(|&x| x != 0.0));
        let bands = Hyperplanes::new(5, 64, seed).unwrap().and(4).unwrap().or(3).unwrap();
        prop_assert_eq!(observed(&bands, &vector, &vector), 1.0);
        let lines = StableProjections::new(Stable::Cauchy, 5, 16, 1.0, seed).unwrap().or(4).unwrap();
        prop_assert_eq!(observed(&lines, &vector, &vector), 1.0);
    }
}
