//! Dense vectors -> cells on random lines, for the Euclidean and the Manhattan distance.
//!
//! # Why it works
//!
//! A distribution is p-stable if a sum of independent draws, weighted by a vector, is distributed like one
//! draw times the vector's l_p norm. The normal distribution is 2-stable, and Cauchy's is 1-stable. So with a
//! vector `a` of such draws, the difference of the projections `a.x` and `a.y` is one draw times the distance of x
//! and y. Cut the line into cells of width w, shifted at random: `floor((a.x + b) / w)`. Two vectors at
//! distance c share a cell with probability
//!
//! ```text
//! p(c) = integral from 0 to w of  f(t/c)/c (1 - t/w) dt       (f: density of the draw's absolute value)
//!
//! Gaussian   1 - 2 Phi(-s) - 2 / (sqrt(2 pi) s) (1 - exp(-s^2/2))      s = w/c
//! Cauchy     2 atan(s) / pi - ln(1 + s^2) / (pi s)
//! ```
//!
//! See M. Datar, N. Immorlica, P. Indyk, V. S. Mirrokni, *Locality-Sensitive Hashing Scheme Based on p-Stable
//! Distributions*, SoCG 2004. A width of about four times the distance to be found is a good start. For the Euclidean
//! distance the probability is then 0.80.
//!
//! # Cost
//!
//! A vector takes dimension times functions multiplications. Sums are computed in `f64`, in the order of the
//! coordinates, so they have the same bits on every CPU.
//!
//! ```
//! use lookalike::vectors::{LshFamily, Stable, StableProjections};
//!
//! let lines = StableProjections::new(Stable::Gaussian, 2, 8, 4.0, 1)?;
//! assert_eq!(lines.keys(&[1.0, 2.0])?, lines.keys(&[1.0, 2.0])?);
//! assert!((lines.collision_probability(1.0)? - 0.800).abs() < 0.001);
//! assert!((lines.collision_probability(40.0)? - 0.040).abs() < 0.001);
//! # Ok::<(), lookalike::Error>(())
//! ```

use std::f64::consts::PI;

use super::matrix::{RandomMatrix, normal_coordinates};
use super::measure::check_distance;
use super::{LshFamily, Measure};
use crate::arch::Kernel;
use crate::error::{Error, Result, check_length};
use crate::hashing::{SplitMix64, mix64};
use crate::math::{atan, exp, exp_m1, ln, ln_1p};

/// The largest cell number, 2^52. Larger numbers would not be exact.
const MAX_CELL: f64 = (1u64 << 52) as f64;

/// The stable distribution that projections are drawn from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stable {
    /// The normal distribution, which is 2-stable, for the Euclidean distance.
    Gaussian,
    /// The Cauchy distribution, which is 1-stable, for the Manhattan distance.
    Cauchy,
}

/// Random lines cut into cells of one width.
#[derive(Debug, Clone, PartialEq)]
pub struct StableProjections {
    stable: Stable,
    width: f64,
    shifts: Vec<f64>,
    lines: RandomMatrix,
}

impl StableProjections {
    /// Draws `functions` lines (1 to [`MAX_FUNCTIONS`](super::MAX_FUNCTIONS)) in `dimension` dimensions. They are cut
    /// into cells of width `width`, which must be above 0. All parameters change the answer.
    pub fn new(stable: Stable, dimension: usize, functions: usize, width: f64, seed: u64) -> Result<Self> {
        if !(width > 0.0 && width.is_finite()) {
            return Err(Error::invalid("width", width, "a finite number above 0"));
        }
        let lines = RandomMatrix::new(dimension, ("functions", functions), |i, values| match stable {
            Stable::Gaussian => normal_coordinates(seed, i, values),
            Stable::Cauchy => cauchy_coordinates(seed, i, values),
        })?;
        let mut random = SplitMix64::new(mix64(seed ^ 0x7368_6966_7473_7631));
        let shifts = (0..functions).map(|_| random.next_f64()).collect();
        Ok(Self { stable, width, shifts, lines })
    }

    /// The dimension of the vectors.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.lines.dimension()
    }

    /// The width of a cell.
    #[must_use]
    pub fn width(&self) -> f64 {
        self.width
    }
}

impl LshFamily for StableProjections {
    type Item = [f32];

    fn measure(&self) -> Measure {
        match self.stable {
            Stable::Gaussian => Measure::Euclidean,
            Stable::Cauchy => Measure::Manhattan,
        }
    }

    fn num_functions(&self) -> usize {
        self.shifts.len()
    }

    /// The cell numbers, as two's complement. It is an error if the vector is so long that they would not be exact.
    fn keys_into(&self, item: &[f32], keys: &mut [u64]) -> Result<()> {
        check_length(keys.len(), self.shifts.len())?;
        self.lines.check(item)?;
        let (mut function, mut outside) = (0, None);
        self.lines.project::<f64>(Kernel::best(), item, 1.0, |products| {
            for product in products {
                let cell = (product / self.width + self.shifts[function]).floor();
                if cell.abs() > MAX_CELL {
                    outside = Some(cell);
                }
                keys[function] = (cell as i64).cast_unsigned();
                function += 1;
            }
        });
        match outside {
            Some(cell) => {
                Err(Error::invalid("cell", cell, "at most 2^52: the width is too small for this vector"))
            }
            None => Ok(()),
        }
    }

    /// The formulas in the module docs, for a distance of 0 or more.
    fn collision_probability(&self, value: f64) -> Result<f64> {
        check_distance(value)?;
        let s = self.width / value;
        if s == 0.0 || s.is_infinite() {
            return Ok(if s == 0.0 { 0.0 } else { 1.0 });
        }
        let probability = match self.stable {
            Stable::Gaussian => gaussian_collision(s),
            Stable::Cauchy => 2.0 * atan(s) / PI - ln_1p_square(s) / (PI * s),
        };
        Ok(probability.clamp(0.0, 1.0))
    }
}

/// The probability that two vectors share a cell whose width is `s` times their distance.
pub(super) fn gaussian_collision(s: f64) -> f64 {
    if s == 0.0 || s.is_infinite() || s.is_nan() {
        return if s == 0.0 { 0.0 } else { 1.0 };
    }
    (erf(s / 2f64.sqrt()) + (2.0 / PI).sqrt() * exp_m1(-s * s / 2.0) / s).clamp(0.0, 1.0)
}

/// `ln(1 + s^2)`, even if `s^2` overflows.
fn ln_1p_square(s: f64) -> f64 {
    if s > 1e100 { 2.0 * ln(s) } else { ln_1p(s * s) }
}

/// Standard Cauchy numbers, as quotients of two normal ones.
fn cauchy_coordinates(seed: u64, feature: u64, values: &mut [f64]) {
    let mut random = SplitMix64::new(mix64(feature ^ mix64(seed ^ 0x6361_7563_6879_7631)));
    for value in values {
        let (numerator, denominator) = random.next_normal_pair();
        // A denominator of 0 has probability 2^-53. The line then ignores the coordinate.
        *value = if denominator == 0.0 { 0.0 } else { numerator / denominator };
    }
}

/// The error function for `x >= 0`: `2/sqrt(pi) exp(-x^2) (x + 2 x^3/3 + 4 x^5/15 + ...)`, all terms
/// positive.
fn erf(x: f64) -> f64 {
    if x > 6.0 {
        return 1.0; // the rest is below 3e-17
    }
    let (mut term, mut sum, mut n) = (x, x, 1.0);
    while term > sum * 1e-17 {
        term *= 2.0 * x * x / (2.0 * n + 1.0);
        sum += term;
        n += 1.0;
    }
    2.0 / PI.sqrt() * exp(-x * x) * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn erf_has_its_tabulated_values() {
        for (x, expected) in [
            (0.0, 0.0),
            (1e-9, 1.128_379_167_095_512_6e-9),
            (0.5, 0.520_499_877_813_046_5),
            (1.0, 0.842_700_792_949_714_9),
            (2.0, 0.995_322_265_018_952_7),
            (3.5, 0.999_999_256_901_627_7),
            (6.5, 1.0),
        ] {
            assert!((erf(x) - expected).abs() <= 1e-14 * expected, "{x}: {}", erf(x));
        }
    }
}
