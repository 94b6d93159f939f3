//! Sets -> signatures.
pub mod bbit;
mod signature;
pub mod weighted;
pub use bbit::BBitSignature;
pub use signature::{EMPTY_SLOT, Estimate, Family, Signature};
pub use weighted::{WeightedMinHash, bag_elements};

/// The most hash functions a signature can have.
pub const MAX_HASHES: usize = 4096;

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
