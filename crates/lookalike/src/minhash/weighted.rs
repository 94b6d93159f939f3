//! Weighted sets -> signatures whose slots agree with a probability equal to the weighted Jaccard similarity,
//! the sum of the smaller weights over the sum of the larger ones.
//!
//! Integer weights (bags) can be written as plain sets of (shingle, occurrence) elements, for any
//! [`MinHasher`](super::MinHasher): see [`bag_elements`]. For real weights, use [`WeightedMinHash`].
//!
//! # Why it works
//!
//! Draw each weighted set as a skyline: over element `i` an interval of height `w_i`. Throw darts at the
//! plane above all elements, a Poisson process of rate 1 in (height, rank). The darts are the same for every set. A
//! set sees the darts below its skyline. The darts fall into K slots at random, and each slot keeps the visible
//! dart of least rank. For two sets, the first dart of a slot below the higher of the two skylines has a
//! uniformly random position. So it is below both with probability (area of the minimum) / (area of the maximum),
//! which is the weighted Jaccard similarity. A Poisson process that is dealt out to K slots gives K independent
//! processes, so the estimate is unbiased with variance exactly `J (1 - J) / K`.
//!
//! # The papers, and where we depart from them
//!
//! The darts and the slots are from T. Christiani, *DartMinHash: Fast Sketching for Weighted Sets*, 2020. The paper
//! cuts the plane into a grid of cells and starts again with more darts if a slot is still empty. We walk
//! through ranks in levels `[2^l, 2^(l+1))`, from low to high until all slots are filled. Inside a level we walk
//! up each element's height with exponential steps (as O. Ertl's *BagMinHash*, KDD 2018, does along ranks).
//! There is no grid and no second try, and weights may have any scale. Darts were chosen over BagMinHash because
//! they need one logarithm per dart instead of a priority queue of split intervals, and because the slots are
//! independent.
//!
//! Levels in which a set has fewer than `2^-32` expected darts in all are left out, which changes an estimate
//! by less than `2^-30`. The crate computes logarithms itself, so they have the same bits on every machine.
//! ProbMinHash is even faster but estimates a different similarity (of the weights as probabilities).
//!
//! A slot is the rank of its dart, 12 bits of level and 52 bits of position. Two darts of one slot have equal ranks
//! with probability below `2^-50`. The smaller slot is the smaller rank, so [`Signature::merge`] gives
//! the signature of the element-wise maximum of the weights, which is the union of weighted sets (except with
//! probability `2^-32`).
//!
//! # Cost
//!
//! About `2 K ln K` darts, whatever the weights and their number, and one hash per element and level. There are
//! about `33 + log2(K ln K)` levels. Classic consistent weighted sampling takes K logarithms per element.
//!
//! ```
//! use lookalike::minhash::WeightedMinHash;
//!
//! let hasher = WeightedMinHash::new(1024, 1)?;
//! let a = hasher.sketch(&[(10, 2.0), (20, 0.5), (30, 1.0)])?;
//! let b = hasher.sketch(&[(10, 1.0), (20, 0.5), (40, 0.5)])?;
//! let estimate = a.estimate(&b)?; // exact: (1 + 0.5) / (2 + 0.5 + 1 + 0.5) = 0.375
//! assert!((estimate.similarity - 0.375).abs() < 4.0 * estimate.standard_error);
//! # Ok::<(), lookalike::Error>(())
//! ```

mod bag;
#[cfg(test)]
mod tests;

pub use bag::{MAX_BAG_ELEMENTS, bag_elements};

use super::{EMPTY_SLOT, Family, Signature, check_num_hashes};
use crate::error::{Result, check_weight};
use crate::hashing::{SplitMix64, mix64};
use crate::math::{exp2, ln};

/// The first level is this many levels below the one in which a set has about one dart. Lower levels are left out.
const LEVELS_BELOW_ONE_DART: i32 = 32;
/// This number is added to a level to make it a positive number of 12 bits. Levels of finite weights are between
/// -1,200 and 1,200.
const LEVEL_OFFSET: i32 = 2048;

/// Min-hashing for weighted sets. Weights can be any finite numbers of at least 0, at any scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WeightedMinHash {
    num_hashes: usize,
    seed: u64,
}

impl WeightedMinHash {
    /// Makes a hasher for signatures of `num_hashes` slots (1 to [`MAX_HASHES`](super::MAX_HASHES)). Both parameters
    /// change the answer.
    pub fn new(num_hashes: usize, seed: u64) -> Result<Self> {
        check_num_hashes(num_hashes)?;
        Ok(Self { num_hashes, seed })
    }

    /// The number of slots.
    #[must_use]
    pub fn num_hashes(&self) -> usize {
        self.num_hashes
    }

    /// The seed, which determines the darts.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The signature of a weighted set of (element, weight), in any order.
    ///
    /// An element of weight 0 counts as absent, and a set without positive weight is the empty set. An element that
    /// is given twice counts with its larger weight. Negative, infinite and NaN weights give an error.
    pub fn sketch(&self, weights: &[(u64, f64)]) -> Result<Signature> {
        let mut slots = vec![EMPTY_SLOT; self.num_hashes];
        let mut elements = self.elements(weights)?;
        if let Some(first_level) = first_level(&elements) {
            for (_, height) in &mut elements {
                *height = times_power_of_two(*height, first_level);
            }
            self.throw(&mut elements, first_level, &mut slots);
        }
        Signature::from_slots(Family::Weighted, self.seed, slots)
    }

    /// The elements of positive weight, each turned into the start of its own random sequence.
    fn elements(&self, weights: &[(u64, f64)]) -> Result<Vec<(u64, f64)>> {
        let salt = mix64(self.seed ^ 0x6461_7274_735f_7631);
        let mut elements = Vec::with_capacity(weights.len());
        for &(element, weight) in weights {
            check_weight("weight", weight)?;
            if weight > 0.0 {
                elements.push((mix64(element ^ salt), weight));
            }
        }
        Ok(elements)
    }

    /// Throws the darts level by level until a level ends with every slot filled.
    ///
    /// The unit of height is chosen so that a level has one expected dart per unit. So heights double with each
    /// level.
    fn throw(&self, elements: &mut [(u64, f64)], first_level: i32, slots: &mut [u64]) {
        let mut unfilled = slots.len();
        // The last level has about 256 K darts. The probability that a slot is still empty after it is below K
        // e^-256.
        let last_level = first_level + LEVELS_BELOW_ONE_DART + slots.len().ilog2() as i32 + 10;
        for level in first_level..=last_level {
            let level_bits = (level + LEVEL_OFFSET) as u64;
            let level_salt = mix64(level_bits);
            for (start, height) in elements.iter_mut() {
                let mut random = SplitMix64::new(start.wrapping_add(level_salt));
                let first = open_unit(random.next_u64());
                // A step -ln(1 - u) is at least u. Most elements have no dart in most levels, and this check saves
                // them the logarithm.
                if first < *height {
                    let mut dart = -ln(1.0 - first);
                    while dart < *height {
                        let rank = level_bits << 52 | random.next_u64() >> 12;
                        let slot = &mut slots[random.below(self.num_hashes as u64) as usize];
                        unfilled -= usize::from(*slot == EMPTY_SLOT);
                        *slot = rank.min(*slot);
                        dart -= ln(1.0 - open_unit(random.next_u64()));
                    }
                }
                *height *= 2.0;
            }
            if unfilled == 0 {
                break;
            }
        }
    }
}

/// The level in which the set has between `2^-33` and `2^-32` expected darts; `None` for the empty set.
fn first_level(elements: &[(u64, f64)]) -> Option<i32> {
    let largest = elements.iter().map(|&(_, weight)| weight).fold(0.0, f64::max);
    if largest == 0.0 {
        return None;
    }
    // Sums in units of the largest weight cannot overflow.
    let unit = floor_log2(largest);
    let sum: f64 = elements.iter().map(|&(_, weight)| times_power_of_two(weight, -unit)).sum();
    Some(-(unit + floor_log2(sum)) - LEVELS_BELOW_ONE_DART - 1)
}

/// The exponent of a positive finite number, subnormal ones included.
fn floor_log2(x: f64) -> i32 {
    if x < f64::MIN_POSITIVE { floor_log2(x * exp2(64)) - 64 } else { (x.to_bits() >> 52) as i32 - 1023 }
}

/// `x 2^exponent` in two steps, because `2^exponent` alone may be out of range.
fn times_power_of_two(x: f64, exponent: i32) -> f64 {
    let half = exponent / 2;
    x * power_of_two(half) * power_of_two(exponent - half)
}

/// `2^exponent` for an exponent of -1022 to 1023.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// A number strictly between 0 and 1. It is the middle of one of 2^52 cells, so that `1 - u` is exact.
fn open_unit(bits: u64) -> f64 {
    ((bits >> 12) as f64 + 0.5) / (1u64 << 52) as f64
}
