//! The signature that min-hashing makes from a set.
//!
//! A signature has one 64-bit slot per hash function. The fraction of slots in which two signatures agree is an
//! unbiased estimate of the Jaccard similarity of their sets. With K slots its standard error is
//! `sqrt(J (1 - J) / K)`, which is 0.035 for J = 0.8 and K = 128. The slot-wise minimum of two signatures is the
//! signature of the union of their sets.
//!
//! Signatures that were made in different ways cannot be compared; an attempt gives an error.

mod bytes;
mod of_text;

pub(super) use bytes::read_num_hashes;
pub use of_text::{of_text, to_bytes_of_text};

use super::check_num_hashes;
use crate::arch::{Kernel, dispatch, task};
use crate::error::{Error, Result};

/// The value of a slot that no element has reached. All slots of the empty set have this value.
pub const EMPTY_SLOT: u64 = u64::MAX;

/// How a signature was made. Two signatures can be compared only if they have the same family, seed and length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Family {
    /// True random permutations of a finite universe.
    Permutation,
    /// Universal hashing `((a x + b) mod p) mod N`.
    Universal,
    /// Multiply-shift lanes.
    MultiplyShift,
    /// Fast similarity sketching (Dahlgaard, Knudsen, Thorup 2017).
    FastSketch,
    /// Weighted min-hashing, for the weighted Jaccard similarity of real weights.
    Weighted,
}

impl Family {
    const ALL: [Self; 5] =
        [Self::Permutation, Self::Universal, Self::MultiplyShift, Self::FastSketch, Self::Weighted];

    /// The number of the family in stored signatures.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Permutation => 1,
            Self::Universal => 2,
            Self::MultiplyShift => 3,
            Self::FastSketch => 4,
            Self::Weighted => 5,
        }
    }
}

/// What signatures must have in common to be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kind {
    pub(crate) family: Family,
    pub(crate) seed: u64,
    pub(crate) num_hashes: usize,
}

impl Kind {
    /// Returns an error that says what differs, if something does.
    pub(crate) fn check(self, other: Self) -> Result<()> {
        if self.family != other.family {
            let [left, right] = [self, other].map(|kind| format!("{:?}", kind.family));
            return Err(Error::incompatible("family", left, right));
        }
        if self.num_hashes != other.num_hashes {
            return Err(Error::incompatible("number of hashes", self.num_hashes, other.num_hashes));
        }
        if self.seed != other.seed {
            return Err(Error::incompatible("seed", self.seed, other.seed));
        }
        Ok(())
    }
}

/// An estimate of a similarity, with its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The estimated similarity, between 0 and 1.
    pub similarity: f64,
    /// The estimated standard deviation of `similarity`, by the formula for independent slots. For the fast sketch
    /// of small sets the true standard deviation is up to 1.4 times smaller.
    pub standard_error: f64,
}

/// A min-hash signature: one 64-bit slot per hash function.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Signature {
    family: Family,
    seed: u64,
    slots: Vec<u64>,
}

impl Signature {
    /// Makes a signature from its parts. `seed` identifies the hash functions: equal seeds mean equal functions. It
    /// is an error if there are not 1 to [`MAX_HASHES`](super::MAX_HASHES) slots.
    pub fn from_slots(family: Family, seed: u64, slots: Vec<u64>) -> Result<Self> {
        check_num_hashes(slots.len())?;
        Ok(Self { family, seed, slots })
    }

    /// The family of hash functions that made the signature.
    #[must_use]
    pub fn family(&self) -> Family {
        self.family
    }

    /// The seed of the hash functions.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The slots, one per hash function.
    #[must_use]
    pub fn slots(&self) -> &[u64] {
        &self.slots
    }

    /// The number of hash functions.
    #[must_use]
    pub fn num_hashes(&self) -> usize {
        self.slots.len()
    }

    /// True if this is the signature of the empty set.
    #[must_use]
    pub fn is_empty_set(&self) -> bool {
        self.slots.iter().all(|&slot| slot == EMPTY_SLOT)
    }

    pub(crate) fn kind(&self) -> Kind {
        Kind { family: self.family, seed: self.seed, num_hashes: self.slots.len() }
    }

    /// Returns an error unless the two signatures can be compared.
    pub fn check_comparable(&self, other: &Self) -> Result<()> {
        self.kind().check(other.kind())
    }

    /// The number of slots in which the two signatures agree.
    pub fn agreeing_slots(&self, other: &Self) -> Result<usize> {
        self.check_comparable(other)?;
        Ok(count_equal(&self.slots, &other.slots))
    }

    /// Estimates the Jaccard similarity of the two sets: the fraction of slots in which the signatures agree.
    ///
    /// The standard error is computed as if the estimate were the true similarity. So it is 0 if all slots agree, or
    /// none. Even then the true similarity may differ from the estimate by about 3/K for K slots (the rule of three).
    pub fn estimate(&self, other: &Self) -> Result<Estimate> {
        let agreeing = self.agreeing_slots(other)?;
        let n = self.slots.len() as f64;
        let similarity = agreeing as f64 / n;
        Ok(Estimate { similarity, standard_error: (similarity * (1.0 - similarity) / n).sqrt() })
    }

    /// Turns this signature into the signature of the union of the two sets, the slot-wise minimum.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        self.check_comparable(other)?;
        for (mine, theirs) in self.slots.iter_mut().zip(&other.slots) {
            *mine = (*mine).min(*theirs);
        }
        Ok(())
    }
}

/// The number of positions in which two lists agree.
pub(crate) fn count_equal(a: &[u64], b: &[u64]) -> usize {
    dispatch(Kernel::best(), CountEqual(a, b))
}

struct CountEqual<'a>(&'a [u64], &'a [u64]);

task! {
    impl['a] CountEqual<'a> => usize, |task, _: S| {
        task.0.iter().zip(task.1).map(|(a, b)| usize::from(a == b)).sum()
    }
}
