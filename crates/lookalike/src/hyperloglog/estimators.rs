//! Registers -> the estimated number of elements, with its standard error.

use super::MIN_PRECISION;
use super::tables::{BIASES, RAW_ESTIMATES, THRESHOLDS};
use crate::index::Cardinality;
use crate::math::{exp_m1, ln};

/// The number of measured biases whose mean is subtracted: those of the nearest raw estimates.
const NEIGHBOURS: usize = 6;

/// How the registers of a [`HyperLogLog`](super::HyperLogLog) become a count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Estimator {
    /// The estimator of 2007. It is biased between about 2 and 5 elements per register.
    Original,
    /// The estimator of HyperLogLog++, without a bias anywhere.
    #[default]
    PlusPlus,
}

impl Estimator {
    pub(super) fn of_registers(self, registers: &[u8], precision: u32) -> Cardinality {
        let m = registers.len() as f64;
        let empty = registers.iter().filter(|&&rank| rank == 0).count();
        let linear = (empty > 0).then(|| m * ln(m / empty as f64));
        let raw = raw_estimate(registers, precision);
        match (self, linear) {
            (Self::Original, Some(count)) if raw <= 2.5 * m => by_linear_counting(count, m),
            (Self::PlusPlus, Some(count)) if count <= at(&THRESHOLDS, precision) => {
                by_linear_counting(count, m)
            }
            (Self::PlusPlus, _) if raw <= 5.0 * m => {
                by_harmonic_mean(raw - bias(raw, precision), m, precision)
            }
            _ => by_harmonic_mean(raw, m, precision),
        }
    }
}

/// Linear counting of `count` elements has the variance `m (e^t - t - 1)` with `t = count / m`.
fn by_linear_counting(count: f64, m: f64) -> Cardinality {
    let t = count / m;
    Cardinality { count, standard_error: (m * (exp_m1(t) - t)).max(0.0).sqrt() }
}

fn by_harmonic_mean(count: f64, m: f64, precision: u32) -> Cardinality {
    // The constants of Flajolet et al., theorem 1.
    let factor = match precision {
        4 => 1.106,
        5 => 1.070,
        6 => 1.054,
        7 => 1.046,
        _ => 1.039,
    };
    Cardinality { count, standard_error: factor * count / m.sqrt() }
}

/// The harmonic mean, normalised so that it has no bias for large counts.
fn raw_estimate(registers: &[u8], precision: u32) -> f64 {
    let m = registers.len() as f64;
    let alpha = match precision {
        4 => 0.673,
        5 => 0.697,
        6 => 0.709,
        _ => 0.7213 / (1.0 + 1.079 / m),
    };
    // From the registers of each rank, the highest rank first: then nothing is rounded away, and the sum does not
    // depend on the order of the registers.
    let mut of_rank = [0_u32; 256];
    for &rank in registers {
        of_rank[usize::from(rank)] += 1;
    }
    let sum = of_rank.iter().rev().fold(0.0, |sum, &count| sum / 2.0 + f64::from(count));
    alpha * m * m / sum
}

/// The mean bias that was measured at the raw estimates nearest to this one.
fn bias(raw: f64, precision: u32) -> f64 {
    let (estimates, biases) = (at(&RAW_ESTIMATES, precision), at(&BIASES, precision));
    let mut by_distance: Vec<(f64, f64)> =
        estimates.iter().zip(biases).map(|(estimate, &bias)| ((raw - estimate).abs(), bias)).collect();
    by_distance.sort_by(|a, b| a.0.total_cmp(&b.0));
    let nearest = &by_distance[..NEIGHBOURS.min(by_distance.len())];
    nearest.iter().map(|(_, bias)| bias).sum::<f64>() / nearest.len() as f64
}

/// The entry of a precision, which was checked when the sketch was made.
fn at<T: Copy>(table: &[T], precision: u32) -> T {
    table[(precision - MIN_PRECISION) as usize]
}
