//! When two vectors are near: by their cosine, or by their Euclidean distance.

use super::measure::check_distance;
use crate::arch::{Kernel, dispatch, task};
use crate::error::{Error, Result};

/// When two vectors are near.
///
/// ```
/// use lookalike::vectors::Nearness;
///
/// let alike = Nearness::cosine(0.9)?;
/// assert!(alike.is_near(alike.value(&[1.0, 2.0], &[2.0, 4.1])));
/// assert!(!alike.is_near(alike.value(&[1.0, 2.0], &[2.0, 1.0])));
///
/// let close = Nearness::euclidean(0.5)?;
/// assert_eq!(close.value(&[1.0, 2.0], &[1.25, 2.0]), 0.25);
/// # Ok::<(), lookalike::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearness(Kind);

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Cosine(f64),
    Euclidean(f64),
}

impl Nearness {
    /// Near if the cosine of the angle between the vectors is at least `threshold`, which is above 0 and at most 1.
    pub fn cosine(threshold: f64) -> Result<Self> {
        if !(threshold > 0.0 && threshold <= 1.0) {
            return Err(Error::invalid("threshold", threshold, "above 0, and at most 1"));
        }
        Ok(Self(Kind::Cosine(threshold)))
    }

    /// Near if the Euclidean distance is at most `distance`, a finite number of at least 0.
    pub fn euclidean(distance: f64) -> Result<Self> {
        check_distance(distance)?;
        if !distance.is_finite() {
            return Err(Error::invalid("distance", distance, "a finite number of at least 0"));
        }
        Ok(Self(Kind::Euclidean(distance)))
    }

    /// True if vectors are compared by their cosine, false if by their distance.
    #[must_use]
    pub const fn is_cosine(self) -> bool {
        matches!(self.0, Kind::Cosine(_))
    }

    /// The least cosine, or the largest distance.
    #[must_use]
    pub const fn threshold(self) -> f64 {
        match self.0 {
            Kind::Cosine(threshold) | Kind::Euclidean(threshold) => threshold,
        }
    }

    /// True if a cosine, or a distance, is that of near vectors.
    #[must_use]
    pub fn is_near(self, value: f64) -> bool {
        match self.0 {
            Kind::Cosine(threshold) => value >= threshold,
            Kind::Euclidean(threshold) => value <= threshold,
        }
    }

    /// True if `a` is the value of nearer vectors than `b` is.
    #[must_use]
    pub fn is_nearer(self, a: f64, b: f64) -> bool {
        if self.is_cosine() { a > b } else { a < b }
    }

    /// The cosine or the distance of two vectors of equal length with finite coordinates. (Beyond the shorter length,
    /// coordinates are ignored.) The cosine is 1 if both vectors are zero, and 0 if one of them is.
    ///
    /// Sums are in `f64`, and their order is the same on every CPU. The error is below `dimension * 2^-52` for the
    /// cosine, and as much of the distance.
    #[must_use]
    pub fn value(self, a: &[f32], b: &[f32]) -> f64 {
        match self.0 {
            Kind::Cosine(_) => cosine_of(inner_product(a, b), norm(a), norm(b)),
            Kind::Euclidean(_) => squared_distance(a, b).sqrt(),
        }
    }
}

/// The cosine or the distance of two vectors of which the norms are known.
pub(super) fn value_of_norms(nearness: Nearness, a: &[f32], b: &[f32], norms: (f64, f64)) -> f64 {
    match nearness.is_cosine() {
        true => cosine_of(inner_product(a, b), norms.0, norms.1),
        false => squared_distance(a, b).sqrt(),
    }
}

/// The cosine of two vectors, of which the inner product and the norms are known.
fn cosine_of(product: f64, a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 {
        return f64::from(u8::from(a == b));
    }
    (product / (a * b)).clamp(-1.0, 1.0)
}

/// The Euclidean norm. Squares of `f32` values neither overflow nor vanish in `f64`.
pub(super) fn norm(vector: &[f32]) -> f64 {
    inner_product(vector, vector).sqrt()
}

pub(super) fn inner_product(a: &[f32], b: &[f32]) -> f64 {
    dispatch(Kernel::best(), Sum { a, b, term: |x: f64, y: f64| x * y })
}

fn squared_distance(a: &[f32], b: &[f32]) -> f64 {
    dispatch(Kernel::best(), Sum { a, b, term: |x: f64, y: f64| (x - y) * (x - y) })
}

struct Sum<'a, F> {
    a: &'a [f32],
    b: &'a [f32],
    term: F,
}

/// The number of sums that are added up side by side. It is part of the definition: another number rounds in another
/// way.
const SUMS: usize = 16;

task! {
    impl['a, F: Fn(f64, f64) -> f64] Sum<'a, F> => f64, |task, _: S| {
        let ((a, a_rest), (b, b_rest)) = (task.a.as_chunks::<SUMS>(), task.b.as_chunks::<SUMS>());
        let mut sums = [0.0; SUMS];
        for (a, b) in a.iter().zip(b) {
            for (sum, (&x, &y)) in sums.iter_mut().zip(a.iter().zip(b)) {
                *sum += (task.term)(f64::from(x), f64::from(y));
            }
        }
        for (sum, (&x, &y)) in sums.iter_mut().zip(a_rest.iter().zip(b_rest)) {
            *sum += (task.term)(f64::from(x), f64::from(y));
        }
        let mut width = SUMS / 2;
        while width > 0 {
            for i in 0..width {
                sums[i] += sums[i + width];
            }
            width /= 2;
        }
        sums[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::similarity::{cosine, euclidean};
    use proptest::prelude::*;

    #[test]
    fn thresholds_that_make_no_sense_are_refused() {
        for wrong in [0.0, -0.5, 1.01, f64::NAN] {
            assert!(Nearness::cosine(wrong).is_err(), "{wrong}");
        }
        for wrong in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(Nearness::euclidean(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn zero_vectors_are_near_zero_vectors_only() {
        let near = Nearness::cosine(0.1).unwrap();
        assert_eq!(near.value(&[0.0, 0.0], &[0.0, -0.0]), 1.0);
        assert_eq!(near.value(&[0.0, 0.0], &[1.0, 1.0]), 0.0);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn values_are_those_of_the_plain_definitions(
            pairs in prop::collection::vec((-1e3f32..1e3, -1e3f32..1e3), 0..90),
            scale in prop::sample::select(vec![1e-38f32, 1e-20, 1.0, 1e20, 1e34]),
        ) {
            let a: Vec<f32> = pairs.iter().map(|&(x, _)| x * scale).collect();
            let b: Vec<f32> = pairs.iter().map(|&(_, y)| y * scale).collect();
            let found = Nearness::cosine(0.5).unwrap().value(&a, &b);
            prop_assert!((found - cosine(&a, &b).unwrap()).abs() < 1e-12);
            let (found, plain) = (Nearness::euclidean(1.0).unwrap().value(&a, &b), euclidean(&a, &b).unwrap());
            prop_assert!((found - plain).abs() <= 1e-12 * plain, "{} {}", found, plain);
            for kernel in Kernel::available() {
                let product = dispatch(kernel, Sum { a: &a, b: &b, term: |x: f64, y: f64| x * y });
                prop_assert_eq!(product.to_bits(), inner_product(&a, &b).to_bits());
            }
        }
    }
}
