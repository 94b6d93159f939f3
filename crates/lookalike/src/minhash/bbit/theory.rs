//! Accuracy and space of b-bit signatures in closed form, and the paper's general theorem.

use super::{chance, check_bits};
use crate::error::{Error, Result, check_unit};
use crate::math::{exp, exp_m1, ln_1p, powi};

/// The variance of the b-bit estimate of a Jaccard similarity from `num_hashes` slots:
/// `(1 - R) (C + (1 - C) R) / (K (1 - C))` with `C = 2^-b`.
pub fn variance(similarity: f64, bits: u32, num_hashes: usize) -> Result<f64> {
    check_bits(bits)?;
    check_unit("similarity", similarity)?;
    if num_hashes == 0 {
        return Err(Error::invalid("num_hashes", num_hashes, "at least 1"));
    }
    let c = chance(bits);
    Ok((1.0 - similarity) * (c + (1.0 - c) * similarity) / (num_hashes as f64 * (1.0 - c)))
}

/// How many times larger the variance is than that of the full signature with as many hashes. It is 3 for `b = 1`
/// at similarity 0.5. It falls as the similarity grows, and it is infinite at similarity 0, which gives an error.
pub fn variance_ratio(similarity: f64, bits: u32) -> Result<f64> {
    check_bits(bits)?;
    check_unit("similarity", similarity)?;
    if similarity == 0.0 {
        return Err(Error::invalid("similarity", similarity, "above 0: the ratio is infinite there"));
    }
    let c = chance(bits);
    Ok((c + (1.0 - c) * similarity) / ((1.0 - c) * similarity))
}

/// How many times less space b-bit signatures take than slots of `full_bits` bits at the same accuracy for
/// this similarity: `full_bits / (b variance_ratio)`. For 64, `b = 1` and similarity 0.5 that is 64/3 = 21.3.
pub fn equal_accuracy_storage_ratio(similarity: f64, bits: u32, full_bits: u32) -> Result<f64> {
    if full_bits == 0 {
        return Err(Error::invalid("full_bits", full_bits, "at least 1"));
    }
    Ok(f64::from(full_bits) / (f64::from(bits) * variance_ratio(similarity, bits)?))
}

/// The paper's Theorem 1, for the lowest `b` bits of the min-hash values themselves, without a mix.
///
/// For sets of `f1` and `f2` elements out of a universe of `D`, with `r1 = f1/D`, `r2 = f2/D`:
///
/// ```text
/// A_j = r_j (1 - r_j)^(2^b - 1) / (1 - (1 - r_j)^(2^b))
/// C1  = A1 r2 / (r1 + r2) + A2 r1 / (r1 + r2)
/// C2  = A1 r1 / (r1 + r2) + A2 r2 / (r1 + r2)
/// P   = C1 + (1 - C2) R
/// ```
///
/// The theorem is the limit for large `D`. [`BBitSignature`](super::BBitSignature) does not need it. As `r1` and `r2`
/// approach 0, both constants approach `2^-b`, the value that the mix always gives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LowestBits {
    /// The constant C1, which is added for chance agreements.
    pub c1: f64,
    /// The constant C2, which is subtracted from the weight of `R`.
    pub c2: f64,
}

impl LowestBits {
    /// The constants for sets of these sizes. If both sets are empty, they are the limit `2^-b`.
    pub fn new(size1: u64, size2: u64, universe: u64, bits: u32) -> Result<Self> {
        check_bits(bits)?;
        if universe == 0 {
            return Err(Error::invalid("universe", universe, "at least 1 element"));
        }
        for (name, size) in [("size1", size1), ("size2", size2)] {
            if size > universe {
                return Err(Error::invalid(name, size, format!("at most the universe, {universe}")));
            }
        }
        let (r1, r2) = (size1 as f64 / universe as f64, size2 as f64 / universe as f64);
        let (a1, a2) = (a(r1, bits), a(r2, bits));
        let share1 = if r1 + r2 > 0.0 { r1 / (r1 + r2) } else { 0.5 };
        let share2 = 1.0 - share1;
        Ok(Self { c1: a1 * share2 + a2 * share1, c2: a1 * share1 + a2 * share2 })
    }

    /// P: the probability that the lowest bits agree at this Jaccard similarity.
    pub fn collision_probability(&self, similarity: f64) -> Result<f64> {
        check_unit("similarity", similarity)?;
        Ok(self.c1 + (1.0 - self.c2) * similarity)
    }

    /// R: the similarity from the observed fraction of agreeing slots (unbiased, so possibly outside
    /// `0..=1`).
    pub fn similarity(&self, agreeing_fraction: f64) -> Result<f64> {
        check_unit("agreeing_fraction", agreeing_fraction)?;
        Ok((agreeing_fraction - self.c1) / (1.0 - self.c2))
    }

    /// The variance of [`similarity`](Self::similarity) from `num_hashes` slots: `P (1 - P) / (K (1 -
    /// C2)^2)`.
    pub fn variance(&self, similarity: f64, num_hashes: usize) -> Result<f64> {
        if num_hashes == 0 {
            return Err(Error::invalid("num_hashes", num_hashes, "at least 1"));
        }
        let p = self.collision_probability(similarity)?;
        Ok(p * (1.0 - p) / (num_hashes as f64 * powi(1.0 - self.c2, 2)))
    }
}

/// A_{j,b}, computed with logarithms so that no digits cancel for a tiny share `r`.
fn a(r: f64, bits: u32) -> f64 {
    if r == 0.0 {
        return chance(bits);
    }
    let values = f64::from(1u32 << bits);
    let log_rest = ln_1p(-r);
    r * exp((values - 1.0) * log_rest) / -exp_m1(values * log_rest)
}
