//! Signatures -> b-bit signatures: 64 bits per hash function become 1, 2, 4, 8 or 16.
//!
//! # Why it works
//!
//! Two slots that agree still agree when only `b` bits of them are kept. Two slots that differ agree by
//! chance, with probability `C = 2^-b`. So with Jaccard similarity `R` a kept slot agrees with probability
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
//! against `R (1 - R) / K` for the full signature. At `b = 1` and `R = 0.5` that is 3 times as much: 3 times
//! the hashes at 1/64 of the bits each give the same accuracy in 64/3 = 21.3 times less space
//! ([`equal_accuracy_storage_ratio`]). The larger `R`, the better the bargain (2 times at `R` near 1).
//!
//! # The paper, and where we depart from it
//!
//! P. Li and A. C. König, *b-Bit Minwise Hashing*, WWW 2010. The paper keeps the lowest `b` bits of each
//! min-hash value. A minimum is a small number, so its low bits depend on the sizes of the sets, and the
//! paper's Theorem 1 needs two constants, C1 and C2, computed from these sizes and that of the universe (see
//! [`LowestBits`] for that form). We take the bits from a mix of the whole slot and its position: when two
//! slots differ their bits are two independent uniform draws, `C1 = C2 = 2^-b` holds for every family, set
//! size and universe, and nothing about the sets needs to be stored. It is also the paper's own limit for
//! large universes. The position is mixed in so that families with few distinct values (permutations of a
//! small universe) do not repeat one unlucky coincidence in every slot.
//!
//! # Cost
//!
//! `K b / 8` bytes. Two signatures are compared a word (64/b slots) at a time: exclusive or, fold each lane's
//! bits onto its lowest, mask, count. Merging needs the minimum of the whole slots, which are gone: merge the
//! full signatures, then cut.
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

use super::{Estimate, Family, Kind, Signature};
use crate::arch::{Kernel, dispatch, task};
use crate::error::{Error, Result, check_unit};
use crate::hashing::{GOLDEN, mix64};

/// The numbers of bits per slot that a [`BBitSignature`] can have. All divide 64, so no slot crosses a word.
pub const BITS_PER_SLOT: [u32; 5] = [1, 2, 4, 8, 16];

/// A signature that keeps `b` bits of every slot, packed in 64-bit words, lowest bits first.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BBitSignature {
    family: Family,
    seed: u64,
    bits: u32,
    num_hashes: usize,
    content: Content,
    words: Vec<u64>,
}

/// The slots of the empty set carry no information once cut to b bits, so it is marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Content {
    EmptySet,
    NonEmptySet,
}

impl BBitSignature {
    /// Cuts `signature` down to `bits` (1, 2, 4, 8 or 16) per slot.
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

    /// The family of the signature it was cut from.
    #[must_use]
    pub fn family(&self) -> Family {
        self.family
    }

    /// The seed of the hash functions.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// b, the number of bits kept per slot.
    #[must_use]
    pub fn bits_per_slot(&self) -> u32 {
        self.bits
    }

    /// The number of hash functions.
    #[must_use]
    pub fn num_hashes(&self) -> usize {
        self.num_hashes
    }

    /// True if it is the signature of the empty set.
    #[must_use]
    pub fn is_empty_set(&self) -> bool {
        self.content == Content::EmptySet
    }

    /// The packed slots: slot `i` is bits `i b` to `i b + b - 1`, counted through the words from the lowest
    /// bit. Unused bits at the end are 0; all are 0 for the empty set.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The bytes the packed slots take.
    #[must_use]
    pub fn size_in_bytes(&self) -> usize {
        self.words.len() * 8
    }

    /// An error unless the two signatures can be compared.
    pub fn check_comparable(&self, other: &Self) -> Result<()> {
        if self.bits != other.bits {
            return Err(Error::incompatible("bits per slot", self.bits, other.bits));
        }
        self.kind().check(other.kind())
    }

    fn kind(&self) -> Kind {
        Kind { family: self.family, seed: self.seed, num_hashes: self.num_hashes }
    }

    /// In how many slots the two agree, chance agreements included. Two empty sets agree in all, an empty and
    /// a non-empty one in none.
    pub fn agreeing_slots(&self, other: &Self) -> Result<usize> {
        self.check_comparable(other)?;
        if self.content != other.content {
            return Ok(0);
        }
        let differing = differing_lanes(Kernel::best(), self.bits, &self.words, &other.words);
        Ok(self.num_hashes - differing as usize)
    }

    /// Estimates the Jaccard similarity `R`, corrected for chance agreements and cut to `0..=1`.
    ///
    /// The cut makes small similarities come out slightly too large on average; see
    /// [`unbiased_similarity`](Self::unbiased_similarity) for averaging over many pairs.
    pub fn estimate(&self, other: &Self) -> Result<Estimate> {
        let agreeing = self.agreeing_slots(other)?;
        if self.is_empty_set() || other.is_empty_set() {
            let similarity = if self.content == other.content { 1.0 } else { 0.0 };
            return Ok(Estimate { similarity, standard_error: 0.0 });
        }
        Ok(estimate_of(agreeing, self.num_hashes, self.bits))
    }

    /// Li and König's estimate as it is: unbiased, and below 0 when fewer slots agree than chance would make.
    pub fn unbiased_similarity(&self, other: &Self) -> Result<f64> {
        let agreeing = self.agreeing_slots(other)?;
        if self.is_empty_set() || other.is_empty_set() {
            return Ok(if self.content == other.content { 1.0 } else { 0.0 });
        }
        Ok(corrected(agreeing as f64 / self.num_hashes as f64, self.bits))
    }

    /// The probability that one slot of two sets of this Jaccard similarity agrees: what the S-curve of
    /// banded b-bit signatures takes in place of the similarity.
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

/// The similarity that `agreeing` of `num_hashes` slots of `bits` bits speak for.
pub(super) fn estimate_of(agreeing: usize, num_hashes: usize, bits: u32) -> Estimate {
    let n = num_hashes as f64;
    let p = agreeing as f64 / n;
    let similarity = corrected(p, bits).clamp(0.0, 1.0);
    Estimate { similarity, standard_error: (p * (1.0 - p) / n).sqrt() / (1.0 - chance(bits)) }
}

/// P from R.
fn agreement(similarity: f64, bits: u32) -> f64 {
    chance(bits) + (1.0 - chance(bits)) * similarity
}

/// C: how likely two different slots are to agree in their `bits` bits.
fn chance(bits: u32) -> f64 {
    1.0 / f64::from(1u32 << bits)
}

/// R from the fraction of agreeing slots.
fn corrected(agreeing_fraction: f64, bits: u32) -> f64 {
    (agreeing_fraction - chance(bits)) / (1.0 - chance(bits))
}

fn check_bits(bits: u32) -> Result<()> {
    if BITS_PER_SLOT.contains(&bits) { Ok(()) } else { Err(Error::invalid("bits", bits, "1, 2, 4, 8 or 16")) }
}

fn word_count(num_hashes: usize, bits: u32) -> usize {
    (num_hashes * bits as usize).div_ceil(64)
}

/// The one truncation of slots: what is kept of a slot are the lowest bits of this mix, a different bijection at each
/// position.
#[inline(always)]
pub(super) const fn mixed_slot(slot: u64, position: usize) -> u64 {
    mix64(slot ^ (position as u64).wrapping_add(1).wrapping_mul(GOLDEN))
}

fn low_bits(bits: u32) -> u64 {
    (1u64 << bits) - 1
}

/// In how many lanes of `bits` bits the words differ.
fn differing_lanes(kernel: Kernel, bits: u32, left: &[u64], right: &[u64]) -> u32 {
    match bits {
        1 => dispatch(kernel, DifferingLanes::<1>(left, right)),
        2 => dispatch(kernel, DifferingLanes::<2>(left, right)),
        4 => dispatch(kernel, DifferingLanes::<4>(left, right)),
        8 => dispatch(kernel, DifferingLanes::<8>(left, right)),
        _ => dispatch(kernel, DifferingLanes::<16>(left, right)),
    }
}

/// The number of bits is known to the compiler, which then unrolls the fold and works on several words at once.
struct DifferingLanes<'a, const BITS: u32>(&'a [u64], &'a [u64]);

task! {
    impl['a, const BITS: u32] DifferingLanes<'a, BITS> => u32, |task, _: S| {
        let lowest_of_lanes = u64::MAX / low_bits(BITS);
        let differing = |(a, b): (&u64, &u64)| (fold_lanes::<BITS>(a ^ b) & lowest_of_lanes).count_ones();
        task.0.iter().zip(task.1).map(differing).sum()
    }
}

/// Sets the lowest bit of every lane to the OR of the lane. What the shifts bring in from the next lane stays
/// above the lowest bit.
#[inline(always)]
fn fold_lanes<const BITS: u32>(mut word: u64) -> u64 {
    let mut shift = BITS / 2;
    while shift > 0 {
        word |= word >> shift;
        shift /= 2;
    }
    word
}
