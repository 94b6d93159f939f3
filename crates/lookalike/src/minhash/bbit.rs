//! Signatures -> b-bit signatures: 64 bits per hash function become 1, 2, 4, 8 or 16.
//!
//! # Why it works
//!
//! Two equal slots are still equal when only `b` bits of them are kept. Two different slots become equal by
//! chance, with probability `C = 2^-b`. So with Jaccard similarity `R` a slot of `b` bits agrees with probability
//!
//! ```text
//! P = C + (1 - C) R        and        R = (P - C) / (1 - C)
//! ```
//!
//! Counting the agreeing slots without this correction overestimates `R`; [`BBitSignature::estimate`] applies
//! it. The estimate is unbiased, with variance
//!
//! ```text
//! Var = P (1 - P) / (K (1 - C)^2) = (1 - R) (C + (1 - C) R) / (K (1 - C))
//! ```
//!
//! compared with `R (1 - R) / K` for the full signature. At `b = 1` and `R = 0.5` that is 3 times as much. So 3 times
//! as many hashes, at 1/64 of the bits each, give the same accuracy in 64/3 = 21.3 times less space
//! ([`equal_accuracy_storage_ratio`]). A larger `R` saves more: near `R = 1` the variance is only 2 times as large.
//!
//! # The paper, and where we depart from it
//!
//! P. Li and A. C. König, *b-Bit Minwise Hashing*, WWW 2010. The paper keeps the lowest `b` bits of each
//! min-hash value. A minimum is a small number, so its low bits depend on the sizes of the sets, and the
//! paper's Theorem 1 needs two constants, C1 and C2, computed from these sizes and that of the universe (see
//! [`LowestBits`] for that form). We take the bits from a mix of the whole slot and its position. If two
//! slots differ, their bits are two independent uniform draws. So `C1 = C2 = 2^-b` holds for every family, set
//! size and universe, and nothing about the sets needs to be stored. This is also the paper's own limit for
//! large universes. The position is mixed in for families with few distinct values (permutations of a small
//! universe), so that one chance agreement of two values is not repeated in every slot.
//!
//! # Cost
//!
//! A signature takes `K b / 8` bytes. Two signatures are compared a word (64/b slots) at a time: exclusive or, fold
//! each lane's bits onto its lowest, mask, count. B-bit signatures cannot be merged, because merging needs the
//! minimum of the whole slots. Merge the full signatures first.
//!
//! ```
//! use lookalike::minhash::{BBitSignature, Family, Signature};
//!
//! let full = Signature::from_slots(Family::FastSketch, 1, (0..256).collect())?;
//! let near = Signature::from_slots(Family::FastSketch, 1, (0..256).map(|i| i + i % 4 / 3 * 1000).collect())?;
//! let (a, b) = (BBitSignature::new(&full, 2)?, BBitSignature::new(&near, 2)?);
//! assert_eq!(a.size_in_bytes(), 64); // 2,048 in full
//! let estimate = a.estimate(&b)?; // three slots in four agree
//! assert!((estimate.similarity - 0.75).abs() < 4.0 * estimate.standard_error);
//! # Ok::<(), lookalike::Error>(())
//! ```

mod bytes;
#[cfg(test)]
mod tests;
mod theory;

pub use theory::{LowestBits, equal_accuracy_storage_ratio, variance, variance_ratio};

use super::lanes::LANE_BITS;
use super::{EMPTY_SLOT, Estimate, Family, Kind, Signature};
use crate::arch::{Kernel, dispatch, task};
use crate::error::{Error, Result, check_unit};
use crate::hashing::{GOLDEN, mix64};

/// The allowed numbers of bits per slot of a [`BBitSignature`]. All divide 64, so no slot crosses the edge of a word.
pub const BITS_PER_SLOT: [u32; 5] = [1, 2, 4, 8, 16];

/// A signature that keeps `b` bits of every slot, packed into 64-bit words, lowest bits first.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BBitSignature {
    family: Family,
    seed: u64,
    bits: u32,
    num_hashes: usize,
    content: Content,
    words: Vec<u64>,
}

/// Marks the empty set, which cannot be recognised by its slots once they are cut to b bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Content {
    EmptySet,
    NonEmptySet,
}

impl BBitSignature {
    /// Cuts the slots of `signature` to `bits` bits (1, 2, 4, 8 or 16) each.
    pub fn new(signature: &Signature, bits: u32) -> Result<Self> {
        check_bits(bits)?;
        let num_hashes = signature.num_hashes();
        let mut words = vec![0; word_count(num_hashes, bits)];
        let content = if signature.is_empty_set() { Content::EmptySet } else { Content::NonEmptySet };
        if content == Content::NonEmptySet {
            let slots_per_word = (64 / bits) as usize;
            for (position, &slot) in signature.slots().iter().enumerate() {
                let kept = mixed_slot(slot, position) & low_bits(bits);
                words[position / slots_per_word] |= kept << (position % slots_per_word * bits as usize);
            }
        }
        Ok(Self { family: signature.family(), seed: signature.seed(), bits, num_hashes, content, words })
    }

    /// The signature of 16 bits per slot with these lanes, which are those bits. Lanes do not mark the empty set: it is
    /// recognised by having the lanes of empty slots in all positions.
    pub(crate) fn of_lanes(kind: Kind, lanes: &[u16]) -> Self {
        let Kind { family, seed, num_hashes } = kind;
        let is_empty =
            lanes.iter().enumerate().all(|(place, &lane)| lane == mixed_slot(EMPTY_SLOT, place) as u16);
        let content = if is_empty { Content::EmptySet } else { Content::NonEmptySet };
        let word =
            |lanes: &[u16]| lanes.iter().rev().fold(0, |word, &lane| word << LANE_BITS | u64::from(lane));
        let words = lanes.chunks(4).map(|lanes| if is_empty { 0 } else { word(lanes) }).collect();
        Self { family, seed, bits: LANE_BITS, num_hashes, content, words }
    }

    /// The lanes of the full signature; `None` if this one has fewer bits per slot than a [lane](super::lanes).
    #[must_use]
    pub fn lanes(&self) -> Option<Vec<u16>> {
        let lane = |place: usize| match self.content {
            Content::EmptySet => mixed_slot(EMPTY_SLOT, place) as u16,
            Content::NonEmptySet => (self.words[place / 4] >> (place % 4 * 16)) as u16,
        };
        (self.bits == LANE_BITS).then(|| (0..self.num_hashes).map(lane).collect())
    }

    /// The family of the full signature.
    #[must_use]
    pub fn family(&self) -> Family {
        self.family
    }

    /// The seed of the hash functions.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The number of bits per slot, b.
    #[must_use]
    pub fn bits_per_slot(&self) -> u32 {
        self.bits
    }

    /// The number of hash functions.
    #[must_use]
    pub fn num_hashes(&self) -> usize {
        self.num_hashes
    }

    /// True if this is the signature of the empty set.
    #[must_use]
    pub fn is_empty_set(&self) -> bool {
        self.content == Content::EmptySet
    }

    /// The packed slots. Slot `i` is bits `i b` to `i b + b - 1`, counted through the words from the lowest
    /// bit. Unused bits at the end are 0. For the empty set all bits are 0.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The size of the packed slots in bytes.
    #[must_use]
    pub fn size_in_bytes(&self) -> usize {
        self.words.len() * 8
    }

    /// Returns an error unless the two signatures can be compared.
    pub fn check_comparable(&self, other: &Self) -> Result<()> {
        if self.bits != other.bits {
            return Err(Error::incompatible("bits per slot", self.bits, other.bits));
        }
        self.kind().check(other.kind())
    }

    fn kind(&self) -> Kind {
        Kind { family: self.family, seed: self.seed, num_hashes: self.num_hashes }
    }

    /// The number of slots in which the two signatures agree, chance agreements included. Two empty sets agree in all
    /// slots. An empty and a non-empty set agree in no slot.
    pub fn agreeing_slots(&self, other: &Self) -> Result<usize> {
        self.check_comparable(other)?;
        if self.content != other.content {
            return Ok(0);
        }
        let differing = differing_lanes(Kernel::best(), self.bits, &self.words, &other.words);
        Ok(self.num_hashes - differing as usize)
    }

    /// Estimates the Jaccard similarity `R`. The estimate is corrected for chance agreements and limited to `0..=1`.
    ///
    /// The limit makes estimates of small similarities slightly too large on average. To average over many pairs, use
    /// [`unbiased_similarity`](Self::unbiased_similarity).
    pub fn estimate(&self, other: &Self) -> Result<Estimate> {
        let agreeing = self.agreeing_slots(other)?;
        if self.is_empty_set() || other.is_empty_set() {
            let similarity = if self.content == other.content { 1.0 } else { 0.0 };
            return Ok(Estimate { similarity, standard_error: 0.0 });
        }
        Ok(estimate_of(agreeing, self.num_hashes, self.bits))
    }

    /// Li and König's estimate, not limited to `0..=1`. It is unbiased, and it is below 0 if fewer slots agree than
    /// would be expected by chance.
    pub fn unbiased_similarity(&self, other: &Self) -> Result<f64> {
        let agreeing = self.agreeing_slots(other)?;
        if self.is_empty_set() || other.is_empty_set() {
            return Ok(if self.content == other.content { 1.0 } else { 0.0 });
        }
        Ok(corrected(agreeing as f64 / self.num_hashes as f64, self.bits))
    }

    /// The probability that one slot of two sets of this Jaccard similarity agrees. The S-curve of banded b-bit
    /// signatures uses it in place of the similarity.
    pub fn collision_probability(&self, similarity: f64) -> Result<f64> {
        collision_probability(similarity, self.bits)
    }
}

/// The probability that `bits` bits of one slot agree for two sets of this Jaccard similarity:
/// `2^-b + (1 - 2^-b) similarity`.
pub fn collision_probability(similarity: f64, bits: u32) -> Result<f64> {
    check_bits(bits)?;
    check_unit("similarity", similarity)?;
    Ok(agreement(similarity, bits))
}

/// The same as a function of the similarity alone, for the
/// [S-curve](crate::banding::SCurve::with_row_probability) and the [plans](crate::banding::plan::by_recall_with) of
/// banded b-bit signatures, whose rows are slots of `bits` bits.
///
/// ```
/// let one_bit = lookalike::minhash::bbit::row_probability(1)?;
/// assert_eq!((one_bit(0.0), one_bit(0.5), one_bit(1.0)), (0.5, 0.75, 1.0));
/// # Ok::<(), lookalike::Error>(())
/// ```
pub fn row_probability(bits: u32) -> Result<impl Fn(f64) -> f64 + Copy> {
    check_bits(bits)?;
    Ok(move |similarity| agreement(similarity, bits))
}

/// Estimates the similarity from the fact that `agreeing` of `num_hashes` slots of `bits` bits agree.
pub(super) fn estimate_of(agreeing: usize, num_hashes: usize, bits: u32) -> Estimate {
    let n = num_hashes as f64;
    let p = agreeing as f64 / n;
    let similarity = corrected(p, bits).clamp(0.0, 1.0);
    Estimate { similarity, standard_error: (p * (1.0 - p) / n).sqrt() / (1.0 - chance(bits)) }
}

/// The probability P that a slot agrees, from the similarity R.
fn agreement(similarity: f64, bits: u32) -> f64 {
    chance(bits) + (1.0 - chance(bits)) * similarity
}

/// The probability C that two different slots agree in their `bits` bits.
fn chance(bits: u32) -> f64 {
    1.0 / f64::from(1u32 << bits)
}

/// The similarity R, from the fraction of agreeing slots.
fn corrected(agreeing_fraction: f64, bits: u32) -> f64 {
    (agreeing_fraction - chance(bits)) / (1.0 - chance(bits))
}

fn check_bits(bits: u32) -> Result<()> {
    if BITS_PER_SLOT.contains(&bits) { Ok(()) } else { Err(Error::invalid("bits", bits, "1, 2, 4, 8 or 16")) }
}

fn word_count(num_hashes: usize, bits: u32) -> usize {
    (num_hashes * bits as usize).div_ceil(64)
}

/// The mix of a slot, a different bijection at each position. All short forms of a slot are the lowest bits of this
/// mix.
#[inline(always)]
pub(super) const fn mixed_slot(slot: u64, position: usize) -> u64 {
    mix64(slot ^ (position as u64).wrapping_add(1).wrapping_mul(GOLDEN))
}

fn low_bits(bits: u32) -> u64 {
    (1u64 << bits) - 1
}

/// The number of lanes of `bits` bits in which the words differ.
fn differing_lanes(kernel: Kernel, bits: u32, left: &[u64], right: &[u64]) -> u32 {
    match bits {
        1 => dispatch(kernel, DifferingLanes::<1>(left, right)),
        2 => dispatch(kernel, DifferingLanes::<2>(left, right)),
        4 => dispatch(kernel, DifferingLanes::<4>(left, right)),
        8 => dispatch(kernel, DifferingLanes::<8>(left, right)),
        _ => dispatch(kernel, DifferingLanes::<16>(left, right)),
    }
}

/// The number of bits is a constant, so that the compiler can unroll the fold and work on several words at once.
struct DifferingLanes<'a, const BITS: u32>(&'a [u64], &'a [u64]);

task! {
    impl['a, const BITS: u32] DifferingLanes<'a, BITS> => u32, |task, _: S| {
        let lowest_of_lanes = u64::MAX / low_bits(BITS);
        let differing = |(a, b): (&u64, &u64)| (fold_lanes::<BITS>(a ^ b) & lowest_of_lanes).count_ones();
        task.0.iter().zip(task.1).map(differing).sum()
    }
}

/// Sets the lowest bit of every lane to the OR of the lane. Bits that the shifts move in from the next lane never
/// reach the lowest bit.
#[inline(always)]
fn fold_lanes<const BITS: u32>(mut word: u64) -> u64 {
    let mut shift = BITS / 2;
    while shift > 0 {
        word |= word >> shift;
        shift /= 2;
    }
    word
}
