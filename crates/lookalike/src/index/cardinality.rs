//! Signature -> the number of elements of its set.

use crate::error::{Error, Result};
use crate::math::{exp2, ln_1p};
use crate::minhash::{EMPTY_SLOT, Family, Signature, VALUE_BITS};

/// The number of elements of a set, estimated from its signature.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cardinality {
    /// The estimated number of different elements.
    pub count: f64,
    /// The estimated standard deviation of `count`.
    pub standard_error: f64,
}

/// Estimates the number of different elements of the set that `signature` was made from.
///
/// The smallest of `n` random numbers in `[0, 1)` is about `1/n`. So the slots of a signature tell how large the set
/// is (Cohen 1997). The formulas differ by family, because the slots have different meanings.
///
/// **Multiply-shift** ([`Family::MultiplyShift`]): each of `K` slots is the minimum `v` of `n` numbers of 32 bits.
/// `-ln(1 - v)` is exponential with rate `n`, so the sum `T` over all slots is a gamma variable, and `(K - 1) / T` is
/// unbiased with variance `n^2 / (K - 2)`. (The textbook's `K / sum(v) - 1` is nearly the same for large `n`.) Above
/// some 10^8 elements 32 bits are too coarse.
///
/// **Fast sketch** ([`Family::FastSketch`]): a slot is `round << 51 | value`. In round 0 every element falls into one
/// of `K` bins and gets a value in `[0, 1)`. So there are `n` points on `K` unit intervals, and each bin shows the
/// first point of its interval. A bin whose slot is from a later round shows that its whole interval is empty. Let
/// `m` be the number of bins filled in round 0, and `S` the total length that is known to be empty (`v` for a bin
/// filled in round 0, 1 for any other). Then `n` has the likelihood
///
/// ```text
/// n! / (n - m)! * (1 - S/K)^(n - m)
/// ```
///
/// with its maximum at `n = m K / S`. Its curvature gives the variance `n (n - m) / m`. This is `n^2 / K` for large
/// sets, and far less for small ones, where most elements have a bin to themselves. There it is about `n^2 / 2K`,
/// which counts each element as colliding with itself. The right value is `n (n - 1) / 2K` (a set of one element is
/// never in doubt), so the variance is taken as `(n - 1) (n - m) / m`. The bias of the maximum is `n / K` for large
/// sets and `n / 2K` for small ones (by expansion of the ratio to second order). It is subtracted.
///
/// Only signatures of [`Family::MultiplyShift`] and [`Family::FastSketch`] can be used, because the range of the
/// values of other families is not known. They must have at least 3 hashes, because otherwise the estimate has no
/// finite variance. The estimate for the empty set is exactly 0.
///
/// ```
/// use lookalike::hashing::mix64;
/// use lookalike::index::cardinality;
/// use lookalike::minhash::{Family, Signature};
///
/// // By the definition: each slot is the least of 1,000 hash values.
/// let slot = |seed: u64| (0..1000).map(|x| mix64(x ^ mix64(seed)) >> 32).min().unwrap_or(0);
/// let signature = Signature::from_slots(Family::MultiplyShift, 1, (0..128).map(slot).collect())?;
/// let estimate = cardinality(&signature)?;
/// assert!((estimate.count - 1000.0).abs() < 3.0 * estimate.standard_error);
/// # Ok::<(), lookalike::Error>(())
/// ```
pub fn cardinality(signature: &Signature) -> Result<Cardinality> {
    let formula = match signature.family() {
        Family::MultiplyShift => from_minima,
        Family::FastSketch => from_bins,
        other => {
            return Err(Error::invalid(
                "family",
                format_args!("{other:?}"),
                "MultiplyShift or FastSketch: the range of other slots is not known",
            ));
        }
    };
    if signature.num_hashes() < 3 {
        return Err(Error::invalid("num_hashes", signature.num_hashes(), "at least 3"));
    }
    if signature.is_empty_set() {
        return Ok(Cardinality { count: 0.0, standard_error: 0.0 });
    }
    formula(signature.slots())
}

fn from_minima(slots: &[u64]) -> Result<Cardinality> {
    let mut total = 0.0;
    for &slot in slots {
        let Ok(slot) = u32::try_from(slot) else {
            return Err(Error::invalid("slot", slot, "below 2^32 in a multiply-shift signature"));
        };
        // The middle of one of the 2^32 equal steps.
        total -= ln_1p(-(f64::from(slot) + 0.5) / exp2(32));
    }
    let hashes = slots.len() as f64;
    let count = (hashes - 1.0) / total;
    Ok(Cardinality { count, standard_error: count / (hashes - 2.0).sqrt() })
}

fn from_bins(slots: &[u64]) -> Result<Cardinality> {
    let bins = slots.len() as f64;
    let (mut filled, mut empty_length) = (0.0, 0.0);
    for &slot in slots {
        if slot == EMPTY_SLOT {
            return Err(Error::invalid("slot", slot, "no slot of a fast sketch is empty, or all are"));
        }
        if slot >> VALUE_BITS == 0 {
            filled += 1.0;
            empty_length += (slot as f64 + 0.5) / (1_u64 << VALUE_BITS) as f64;
        } else {
            empty_length += 1.0;
        }
    }
    if filled == 0.0 {
        return Err(Error::invalid(
            "slot",
            slots[0],
            "at least one slot of a fast sketch must be from round 0",
        ));
    }
    let maximum = filled * bins / empty_length;
    let count = maximum * (1.0 - (bins + filled) / (2.0 * bins * bins));
    let variance = (maximum - 1.0) * (maximum - filled) / filled;
    Ok(Cardinality { count, standard_error: variance.max(0.0).sqrt() })
}
