//! Two vectors of equal length -> cosine, angle, Euclidean and Manhattan distance.
//!
//! Values may be `f32` or `f64`; sums are in `f64`. Values are first scaled by a power of two if they are so large or
//! small that their squares would overflow or vanish. This changes no digit of the answer. A value that is not finite
//! gives an error.

use super::hamming::check_lengths;
use crate::error::{Error, Result};
use crate::math::{acos, powi};

/// Cosine of the angle between two vectors, from -1 to 1. It is 1 if both vectors are zero, and 0 if one is.
///
/// ```
/// use lookalike::similarity::cosine;
///
/// assert_eq!(cosine(&[3.0, 4.0], &[4.0, 3.0])?, 24.0 / 25.0);
/// # Ok::<(), lookalike::Error>(())
/// ```
pub fn cosine<T: Copy + Into<f64>>(a: &[T], b: &[T]) -> Result<f64> {
    check_lengths(a, b)?;
    cosine_of_sums(a, b, |scale_a, scale_b| sum(a, b, |x, y| (x * scale_a) * (y * scale_b)))
}

/// The angle between two vectors divided by pi: a metric from 0 (same direction) to 1 (opposite direction). Two
/// vectors are on the same side of a random hyperplane with probability 1 minus this distance.
pub fn angular_distance<T: Copy + Into<f64>>(a: &[T], b: &[T]) -> Result<f64> {
    Ok(acos(cosine(a, b)?) / std::f64::consts::PI)
}

/// Euclidean distance. It is infinite if it is beyond the range of `f64`.
///
/// ```
/// use lookalike::similarity::euclidean;
///
/// assert_eq!(euclidean(&[1.0f32, 2.0], &[4.0, 6.0])?, 5.0);
/// # Ok::<(), lookalike::Error>(())
/// ```
pub fn euclidean<T: Copy + Into<f64>>(a: &[T], b: &[T]) -> Result<f64> {
    check_lengths(a, b)?;
    let squares = sum(a, b, |x, y| (x - y) * (x - y));
    if SAFE_SQUARES.contains(&squares) {
        return Ok(squares.sqrt());
    }
    largest(a)?;
    largest(b)?;
    // The difference of two values of opposite sign near the largest number overflows; that of their quarters does
    // not.
    for shrink in [1.0, 0.25] {
        let difference = |x: f64, y: f64| x * shrink - y * shrink;
        let largest =
            a.iter().zip(b).fold(0.0f64, |max, (&x, &y)| max.max(difference(x.into(), y.into()).abs()));
        if largest.is_finite() {
            let scale = power_of_two_below(largest);
            let squares = sum(a, b, |x, y| powi(difference(x, y) * (1.0 / scale), 2));
            return Ok(squares.sqrt() * scale / shrink);
        }
    }
    Ok(f64::INFINITY)
}

/// Manhattan (L1) distance: the sum of the absolute differences. It is infinite if it is beyond the range of `f64`.
pub fn manhattan<T: Copy + Into<f64>>(a: &[T], b: &[T]) -> Result<f64> {
    check_lengths(a, b)?;
    let total = sum(a, b, |x, y| (x - y).abs());
    if !total.is_finite() {
        largest(a)?;
        largest(b)?;
    }
    Ok(total)
}

/// A sum of squares in this range did not overflow and lost no digits to values too small for `f64`.
const SAFE_SQUARES: std::ops::Range<f64> = 1e-200..1e200;

/// The cosine, given a function that computes the dot product of the vectors multiplied by two scales.
pub(super) fn cosine_of_sums<T: Copy + Into<f64>>(
    a: &[T],
    b: &[T],
    dot: impl Fn(f64, f64) -> f64,
) -> Result<f64> {
    let (squares_a, squares_b) = (sum(a, a, |x, y| x * y), sum(b, b, |x, y| x * y));
    let cosine = if SAFE_SQUARES.contains(&squares_a) && SAFE_SQUARES.contains(&squares_b) {
        dot(1.0, 1.0) / (squares_a.sqrt() * squares_b.sqrt())
    } else {
        let (largest_a, largest_b) = (largest(a)?, largest(b)?);
        if largest_a == 0.0 || largest_b == 0.0 {
            return Ok(if largest_a == largest_b { 1.0 } else { 0.0 });
        }
        let (scale_a, scale_b) = (1.0 / power_of_two_below(largest_a), 1.0 / power_of_two_below(largest_b));
        let norm = |vector: &[T], scale: f64| sum(vector, vector, |x, y| (x * scale) * (y * scale)).sqrt();
        dot(scale_a, scale_b) / (norm(a, scale_a) * norm(b, scale_b))
    };
    Ok(cosine.clamp(-1.0, 1.0))
}

fn sum<T: Copy + Into<f64>>(a: &[T], b: &[T], term: impl Fn(f64, f64) -> f64) -> f64 {
    // Start from 0.0, because the sum of an empty iterator is -0.0.
    a.iter().zip(b).fold(0.0, |sum, (&x, &y)| sum + term(x.into(), y.into()))
}

/// The largest magnitude, or an error if some value is not a finite number.
fn largest<T: Copy + Into<f64>>(vector: &[T]) -> Result<f64> {
    vector.iter().try_fold(0.0f64, |largest, &value| {
        let value: f64 = value.into();
        if value.is_finite() {
            Ok(largest.max(value.abs()))
        } else {
            Err(Error::invalid("value", value, "values of a vector must be finite"))
        }
    })
}

/// A power of two near `magnitude` whose reciprocal is a normal number too.
fn power_of_two_below(magnitude: f64) -> f64 {
    f64::from_bits(magnitude.clamp(f64::MIN_POSITIVE * 4.0, f64::MAX / 4.0).to_bits() & (0x7ff << 52))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(found: f64, expected: f64) -> bool {
        (found - expected).abs() <= 1e-12 * expected.abs().max(1.0)
    }

    #[test]
    fn the_zero_vector_is_defined() {
        assert_eq!(cosine::<f64>(&[], &[]), Ok(1.0));
        assert_eq!(cosine(&[0.0, 0.0], &[0.0, -0.0]), Ok(1.0));
        assert_eq!(cosine(&[0.0, 0.0], &[0.0, 3.0]), Ok(0.0));
        assert_eq!(angular_distance(&[0.0], &[1.0]), Ok(0.5));
        assert_eq!(euclidean(&[0.0f32], &[0.0]), Ok(0.0));
        assert_eq!(manhattan::<f64>(&[], &[]), Ok(0.0));
        // -0.0 would compare equal but print as -0.
        for distance in [manhattan::<f64>(&[], &[]), euclidean::<f64>(&[], &[]), cosine(&[0.0], &[3.0])] {
            assert!(distance.unwrap().is_sign_positive());
        }
    }

    #[test]
    fn impossible_vectors_are_refused() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for (a, b) in [([1.0, bad], [1.0, 2.0]), ([1.0, 2.0], [bad, 1.0]), ([bad, 1.0], [bad, 0.0])] {
                assert!(matches!(cosine(&a, &b), Err(Error::OutOfRange { .. })), "{a:?} {b:?}");
                assert!(matches!(euclidean(&a, &b), Err(Error::OutOfRange { .. })), "{a:?} {b:?}");
                assert!(matches!(manhattan(&a, &b), Err(Error::OutOfRange { .. })), "{a:?} {b:?}");
            }
        }
        assert_eq!(cosine(&[1.0], &[1.0, 2.0]), Err(Error::LengthMismatch { left: 1, right: 2 }));
        assert_eq!(euclidean(&[1.0f32], &[]), Err(Error::LengthMismatch { left: 1, right: 0 }));
        assert_eq!(manhattan(&[1.0f32], &[]), Err(Error::LengthMismatch { left: 1, right: 0 }));
    }

    #[test]
    fn extreme_values_are_scaled() {
        for size in [f64::MAX, 1e300, 1e150, 1e-150, 1e-300, f64::MIN_POSITIVE, f64::from_bits(4096)] {
            let (a, b) = ([3.0 / 4.0 * size, size], [size, 3.0 / 4.0 * size]);
            assert!(close(cosine(&a, &b).unwrap(), 24.0 / 25.0), "{size:e}");
            assert!(close(cosine(&a, &[1.0, 0.0]).unwrap(), 0.6), "{size:e}");
            let distance = euclidean(&a, &b).unwrap() / (size / 4.0);
            assert!(
                close(distance, 2.0f64.sqrt()) || size < 1e-310 && (distance - 1.414).abs() < 1e-3,
                "{size:e}"
            );
        }
        assert_eq!(euclidean(&[f64::MAX], &[f64::MIN]), Ok(f64::INFINITY));
        assert_eq!(euclidean(&[f64::MAX], &[0.0]), Ok(f64::MAX));
        assert!(close(euclidean(&[1.0, 1e-170], &[1.0, 3e-170]).unwrap() / 2e-170, 1.0));
        assert_eq!(manhattan(&[f64::MAX], &[f64::MIN]), Ok(f64::INFINITY));
        assert_eq!(cosine(&[f64::MAX, f64::MAX], &[f64::MIN, f64::MIN]), Ok(-1.0));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn equal_the_definitions(pairs in prop::collection::vec((-100i16..100, -100i16..100), 1..40)) {
            let a: Vec<f32> = pairs.iter().map(|&(x, _)| f32::from(x)).collect();
            let b: Vec<f32> = pairs.iter().map(|&(_, y)| f32::from(y)).collect();
            let of = |term: fn(i64, i64) -> i64| pairs.iter().map(|&(x, y)| term(x.into(), y.into())).sum::<i64>() as f64;
            prop_assert_eq!(euclidean(&a, &b).unwrap(), of(|x, y| (x - y) * (x - y)).sqrt());
            prop_assert_eq!(manhattan(&a, &b).unwrap(), of(|x, y| (x - y).abs()));
            let norms = of(|x, _| x * x).sqrt() * of(|_, y| y * y).sqrt();
            prop_assume!(norms > 0.0);
            let expected = of(|x, y| x * y) / norms;
            prop_assert!(close(cosine(&a, &b).unwrap(), expected));
            prop_assert!(close(angular_distance(&a, &b).unwrap(), expected.clamp(-1.0, 1.0).acos() / std::f64::consts::PI));
        }

        #[test]
        fn any_finite_values_give_a_number_in_range(
            pairs in prop::collection::vec((any::<f64>(), any::<f64>()), 0..6),
        ) {
            prop_assume!(pairs.iter().all(|(x, y)| x.is_finite() && y.is_finite()));
            let (a, b): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
            let similarity = cosine(&a, &b).unwrap();
            prop_assert!((-1.0..=1.0).contains(&similarity));
            prop_assert!(euclidean(&a, &b).unwrap() >= 0.0);
            prop_assert!(manhattan(&a, &b).unwrap() >= 0.0);
        }
    }
}
