//! What the `HyperLogLog` of datasketch needs: its rule for registers, which is that of
//! [`hyperloglog`](mod@crate::hyperloglog) for hashes of 32 or 64 bits, and the measured biases.

use crate::hyperloglog::{self, BIASES, RAW_ESTIMATES, THRESHOLDS};

/// The register of a hash of `bits` bits (32 or 64) and its rank. `precision` is at most 16.
#[must_use]
pub fn register_and_rank(hash: u64, bits: u32, precision: u32) -> (usize, u8) {
    hyperloglog::register_and_rank(hash, bits, precision)
}

/// For the precisions from 4 to 18: the largest estimate for which linear counting is used, the raw estimates at which
/// the bias was measured, and these biases.
pub fn tables() -> impl Iterator<Item = (f64, &'static [f64], &'static [f64])> {
    let estimates_and_biases = RAW_ESTIMATES.into_iter().zip(BIASES);
    THRESHOLDS.into_iter().zip(estimates_and_biases).map(|(threshold, (raw, bias))| (threshold, raw, bias))
}
