//! Sets -> signatures.
mod fast_sketch;
pub mod matrix;
mod multiply_shift;
mod numbering;
pub mod permutation;
mod signature;
#[cfg(test)]
mod statistics;
#[cfg(test)]
mod tests;
pub mod universal;

pub use fast_sketch::{FastSketch, VALUE_BITS};
pub use multiply_shift::MultiplyShift;
pub use numbering::Numbering;
pub use permutation::{PermutationHasher, RowLabel};
pub use signature::{EMPTY_SLOT, Estimate, Family, Signature};
pub use universal::{MERSENNE_61, UniversalFunction, UniversalHasher, UniversalRange};

use crate::error::{Error, Result};

/// The most hash functions a signature can have.
pub const MAX_HASHES: usize = 4096;

/// An error unless a signature can have this many hash functions.
pub(crate) fn check_num_hashes(num_hashes: usize) -> Result<()> {
    if (1..=MAX_HASHES).contains(&num_hashes) {
        return Ok(());
    }
    Err(Error::invalid("num_hashes", num_hashes, format!("a signature has 1 to {MAX_HASHES} hashes")))
}

/// A family of min-hash functions: it turns a set into a [`Signature`].
pub trait MinHasher {
    /// The kind of signature it makes.
    fn family(&self) -> Family;
    /// What identifies its hash functions.
    fn seed(&self) -> u64;
    /// How many hash functions there are.
    fn num_hashes(&self) -> usize;
    /// Writes the slots of the set of `elements` (any order, repeats allowed) over `slots`, which has
    /// [`num_hashes`](Self::num_hashes) places.
    fn sketch_into(&self, elements: &[u64], slots: &mut [u64]);

    /// The signature of the set of `elements` (any order, repeats allowed).
    fn sketch(&self, elements: &[u64]) -> Signature {
        let mut slots = vec![EMPTY_SLOT; self.num_hashes()];
        self.sketch_into(elements, &mut slots);
        Signature::from_slots(self.family(), self.seed(), slots)
    }
}
