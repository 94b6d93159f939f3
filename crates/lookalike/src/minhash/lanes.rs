//! Slots -> lanes of 16 bits, for storage and quick estimates.
//!
//! A slot has 64 bits, but only the equality of slots matters. The *lane* of a slot is 16 bits of a mix of it. Lanes
//! take a quarter of the space, and one AVX-512 instruction compares 32 of them. A collection of a hundred million
//! documents with 128 hashes takes 26 GB as lanes and 102 GB as slots.
//!
//! # Why it works
//!
//! This is b-bit min-hashing with b = 16 ([`bbit`]). Equal slots have equal lanes. Different slots have equal lanes
//! by chance, with probability 2^-16. For the Jaccard similarity `s` a lane agrees with probability
//!
//! ```text
//! p(s) = s + (1 - s) / 2^16
//! ```
//!
//! and [`estimate_of_lanes`] corrects for the chance agreements. The bits are those of a
//! [`BBitSignature`](super::BBitSignature) with b = 16. Lanes are a plain slice without family or seed, and
//! nothing marks the empty set. Comparing lanes of different hash functions gives a meaningless number.
//!
//! # Dropping pairs by their estimate
//!
//! The number of matching lanes of a pair of similarity `s` is binomial, with K draws of probability `p(s)`. For the
//! fast sketch it has the same mean and at most that variance. [`estimate_cutoff`] says how many lanes a pair must
//! have in common so that only a stated share of the pairs at the threshold is lost.
//!
//! ```
//! use lookalike::minhash::lanes::{estimate_cutoff, estimate_of_lanes, lanes_into, matching_lanes};
//! use lookalike::minhash::{FastSketch, MinHasher};
//!
//! let hasher = FastSketch::new(128, 1)?;
//! let [a, b] = [0..100, 10..110].map(|numbers| {
//!     let mut lanes = [0; 128];
//!     lanes_into(hasher.sketch(&numbers.collect::<Vec<u64>>()).slots(), &mut lanes);
//!     lanes
//! });
//! let matching = matching_lanes(&a, &b); // the similarity is 90 / 110 = 0.82
//! let estimate = estimate_of_lanes(matching, 128)?;
//! assert!((estimate.similarity - 0.82).abs() < 4.0 * estimate.standard_error);
//! // One pair in a million of similarity 0.8 has fewer than 79 lanes in common, and would be lost.
//! assert_eq!(estimate_cutoff(128, 0.8, 1e-6)?, 79);
//! assert!(matching >= 79);
//! # Ok::<(), lookalike::Error>(())
//! ```

use super::{Estimate, bbit, check_num_hashes};
use crate::arch::{Kernel, LANE_BLOCK, Simd, dispatch, task};
use crate::error::{Error, Result, check_unit};

/// The number of bits of a lane.
pub const LANE_BITS: u32 = 16;

/// The lane of a slot at a position of its signature. These are the bits that a
/// [`BBitSignature`](super::BBitSignature) of 16 bits keeps of the slot.
#[inline]
#[must_use]
pub const fn lane(slot: u64, position: usize) -> u16 {
    bbit::mixed_slot(slot, position) as u16
}

/// Writes the lane of each slot to `lanes`. If the lengths differ, only as many lanes as the shorter slice has are
/// written.
pub fn lanes_into(slots: &[u64], lanes: &mut [u16]) {
    dispatch(Kernel::best(), Cut { slots, lanes });
}

struct Cut<'a> {
    slots: &'a [u64],
    lanes: &'a mut [u16],
}

task! {
    impl['a] Cut<'a> => (), |task, _: S| {
        for (position, (lane, &slot)) in task.lanes.iter_mut().zip(task.slots).enumerate() {
            *lane = bbit::mixed_slot(slot, position) as u16;
        }
    }
}

/// The number of positions in which two lists of lanes agree. If one list is longer, its rest is not compared.
#[must_use]
pub fn matching_lanes(a: &[u16], b: &[u16]) -> usize {
    matching_lanes_with(Kernel::best(), a, b)
}

/// Like [`matching_lanes`], with a kernel that the caller chose before.
#[must_use]
pub fn matching_lanes_with(kernel: Kernel, a: &[u16], b: &[u16]) -> usize {
    dispatch(kernel, Matching(a, b))
}

struct Matching<'a>(&'a [u16], &'a [u16]);

task! {
    impl['a] Matching<'a> => usize, |task, simd: S| {
        count_matching(simd, task.0, task.1)
    }
}

#[inline(always)]
fn count_matching<S: Simd>(simd: S, a: &[u16], b: &[u16]) -> usize {
    let ((a_blocks, a_rest), (b_blocks, b_rest)) = {
        let common = a.len().min(b.len());
        (a[..common].as_chunks::<LANE_BLOCK>(), b[..common].as_chunks::<LANE_BLOCK>())
    };
    let mut count = 0;
    for (a, b) in a_blocks.iter().zip(b_blocks) {
        count += simd.equal_lanes(a, b) as usize;
    }
    count + a_rest.iter().zip(b_rest).filter(|(a, b)| a == b).count()
}

/// Appends the `candidates` whose lanes agree with `query` in at least `least` positions, each with the number of
/// these positions, in the order given. Candidate `i` has the lanes `table[i * width..][..width]`, where `width` is
/// the length of `query`. A candidate beyond the end of the table has no lanes and agrees in no position.
///
/// The kernel is chosen once for all candidates.
///
/// ```
/// use lookalike::{Kernel, minhash::lanes::near_rows};
///
/// let table = [1, 2, 3, 4, /**/ 1, 2, 9, 9, /**/ 1, 2, 3, 9];
/// let mut near = Vec::new();
/// near_rows(Kernel::best(), &[1, 2, 3, 4], &table, &[1, 2], 3, &mut near);
/// assert_eq!(near, [(2, 3)]);
/// ```
pub fn near_rows(
    kernel: Kernel,
    query: &[u16],
    table: &[u16],
    candidates: &[u32],
    least: usize,
    near: &mut Vec<(u32, u32)>,
) {
    dispatch(kernel, NearRows { query, table, candidates, least, near });
}

struct NearRows<'a> {
    query: &'a [u16],
    table: &'a [u16],
    candidates: &'a [u32],
    least: usize,
    near: &'a mut Vec<(u32, u32)>,
}

task! {
    impl['a] NearRows<'a> => (), |task, simd: S| {
        let width = task.query.len();
        for &candidate in task.candidates {
            let start = (candidate as usize).saturating_mul(width);
            let row = task.table.get(start..start.saturating_add(width)).unwrap_or(&[]);
            let matching = count_matching(simd, task.query, row);
            if matching >= task.least {
                task.near.push((candidate, matching as u32));
            }
        }
    }
}

/// Estimates the Jaccard similarity of a pair in which `matching` of `num_hashes` lanes are equal. The estimate is
/// corrected for chance agreements and limited to `0..=1`. It comes with its standard error.
pub fn estimate_of_lanes(matching: usize, num_hashes: usize) -> Result<Estimate> {
    check_num_hashes(num_hashes)?;
    if matching > num_hashes {
        return Err(Error::invalid(
            "matching",
            matching,
            format!("at most the {num_hashes} lanes there are"),
        ));
    }
    Ok(bbit::estimate_of(matching, num_hashes, LANE_BITS))
}

/// How many of `num_hashes` lanes a pair must have in common to be kept. It is the largest number such that a pair of
/// similarity `threshold` or more has fewer with a probability of at most `miss_probability`.
///
/// The number is computed from the binomial tail without approximation and is the same on every machine. A miss
/// probability of 0 gives 0 (unless the threshold is 1, where all lanes agree): then no pair is lost, and no pair is
/// dropped.
///
/// ```
/// use lookalike::minhash::lanes::estimate_cutoff;
///
/// assert_eq!(estimate_cutoff(128, 0.8, 0.01)?, 91); // 102.4 are expected
/// assert_eq!(estimate_cutoff(128, 1.0, 0.01)?, 128);
/// # Ok::<(), lookalike::Error>(())
/// ```
pub fn estimate_cutoff(num_hashes: usize, threshold: f64, miss_probability: f64) -> Result<usize> {
    check_num_hashes(num_hashes)?;
    check_unit("threshold", threshold)?;
    check_unit("miss_probability", miss_probability)?;
    let p = bbit::collision_probability(threshold, LANE_BITS)?;
    if p >= 1.0 {
        return Ok(num_hashes);
    }
    let weights = binomial_weights(num_hashes, p);
    let total: f64 = weights.iter().sum();
    let mut fewer = 0.0;
    let kept = weights.iter().position(|weight| {
        fewer += weight;
        // A probability too small for an `f64` still counts as positive: with a miss probability of 0 nothing may be
        // lost.
        fewer > miss_probability * total || miss_probability == 0.0
    });
    Ok(kept.unwrap_or(num_hashes))
}

/// The binomial distribution of `n` draws of probability `p` (neither 0 nor 1), up to a factor: the weight of the
/// likeliest number is 1. The computation uses only quotients of neighbours, so that nothing overflows, and only
/// operations that IEEE 754 rounds exactly. Weights too small for an `f64` are 0.
fn binomial_weights(n: usize, p: f64) -> Vec<f64> {
    let mode = (((n + 1) as f64 * p) as usize).min(n);
    // The weight of `k` is the weight of `k - 1` times this quotient.
    let quotient = |k: usize| (n + 1 - k) as f64 * p / (k as f64 * (1.0 - p));
    let mut weights = vec![1.0; n + 1];
    for k in (0..mode).rev() {
        weights[k] = weights[k + 1] / quotient(k + 1);
    }
    for k in mode + 1..=n {
        weights[k] = weights[k - 1] * quotient(k);
    }
    weights
}

#[cfg(test)]
mod tests;
