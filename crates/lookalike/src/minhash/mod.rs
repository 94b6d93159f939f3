//! Sets -> signatures: min-hashing.
//!
//! Put the elements of the universe in a random order. The *min-hash* of a set is its first element in that order.
//! The min-hashes of two sets are equal exactly if the first element of their union is in their intersection. The
//! probability is |A ∩ B| / |A ∪ B|, the Jaccard similarity (Broder 1997). A *signature* is the list of K min-hashes
//! for K orders. The fraction of positions in which two signatures agree estimates the similarity.
//!
//! The cost of a signature depends on how the orders are made. All families implement the trait [`MinHasher`], except
//! [`WeightedMinHash`], which takes weights:
//!
//! | family | the order is | use |
//! |---|---|---|
//! | [`PermutationHasher`] | a true random permutation of a finite universe | the definition; teaching |
//! | [`UniversalHasher`] | `((a x + b) mod p) mod N`, exact | the textbook; the notes' tables |
//! | [`MultiplyShift`] | `a x + b` modulo 2^32 in SIMD lanes | classic min-hashing, fast |
//! | [`FastSketch`] | bins and rounds (Dahlgaard, Knudsen, Thorup 2017) | the default |
//! | [`WeightedMinHash`] | darts (Christiani 2020) | real weights |
//!
//! A [`BBitSignature`] keeps one to sixteen bits of every slot. [`lanes`] are sixteen bits of every slot as a plain
//! slice. [`matrix`] has the objects of the lecture notes: characteristic matrix, signature matrix, bit vectors and
//! the one-pass algorithm step by step.
//!
//! ```
//! use lookalike::minhash::{FastSketch, MinHasher};
//! use lookalike::shingling::Shingler;
//!
//! let (shingler, hasher) = (Shingler::characters(4)?, FastSketch::new(256, 1)?);
//! let a = hasher.sketch(&shingler.set("the dog which chased the cat"));
//! let b = hasher.sketch(&shingler.set("the dog that chased the cat"));
//! let estimate = a.estimate(&b)?;
//! assert!((0.3..0.8).contains(&estimate.similarity)); // exactly 0.55
//! # Ok::<(), lookalike::Error>(())
//! ```

pub mod bbit;
mod fast_sketch;
pub mod lanes;
#[cfg(test)]
mod laws;
pub mod matrix;
mod multiply_shift;
mod numbering;
pub mod permutation;
mod signature;
#[cfg(test)]
mod tests;
pub mod universal;
pub mod weighted;

pub use bbit::BBitSignature;
pub use fast_sketch::{FastSketch, VALUE_BITS};
pub use multiply_shift::MultiplyShift;
pub use numbering::Numbering;
pub use permutation::{PermutationHasher, RowLabel};
pub use signature::{EMPTY_SLOT, Estimate, Family, Signature, of_text, to_bytes_of_text};
pub(crate) use signature::{Kind, count_equal};
pub use universal::{MERSENNE_61, UniversalFunction, UniversalHasher, UniversalRange};
pub use weighted::{WeightedMinHash, bag_elements};

use crate::error::{Error, Result, check_length};
use crate::shingling::ShingleBag;

/// The largest number of hash functions of a signature.
pub const MAX_HASHES: usize = 4096;

/// Returns an error unless a signature can have this many hash functions.
pub(crate) fn check_num_hashes(num_hashes: usize) -> Result<()> {
    if (1..=MAX_HASHES).contains(&num_hashes) {
        return Ok(());
    }
    Err(Error::invalid("num_hashes", num_hashes, format!("a signature has 1 to {MAX_HASHES} hashes")))
}

/// Returns an error unless there is exactly one slot for each hash function.
#[inline]
fn check_slots(slots: &[u64], num_hashes: usize) -> Result<()> {
    check_length(slots.len(), num_hashes)
}

/// A family of min-hash functions: it turns a set into a [`Signature`].
pub trait MinHasher {
    /// The family of the signatures that it makes.
    fn family(&self) -> Family;
    /// A number that identifies the hash functions.
    fn seed(&self) -> u64;
    /// The number of hash functions, 1 to [`MAX_HASHES`].
    fn num_hashes(&self) -> usize;
    /// Writes the slots of the set of `elements` to `slots`. Elements may be in any order and may repeat. The only
    /// error is [`Error::LengthMismatch`], if the length of `slots` is not [`num_hashes`](Self::num_hashes).
    fn sketch_into(&self, elements: &[u64], slots: &mut [u64]) -> Result<()>;

    /// The signature of the set of `elements`. They may be in any order and may repeat.
    fn sketch(&self, elements: &[u64]) -> Signature {
        let mut slots = vec![EMPTY_SLOT; self.num_hashes()];
        self.sketch_into(elements, &mut slots)
            .and_then(|()| Signature::from_slots(self.family(), self.seed(), slots))
            .expect("there is a slot for each hash function, and a hasher has 1 to MAX_HASHES of them")
    }

    /// The signature of a bag, which is the signature of the set of its [`bag_elements`]. A slot of two such
    /// signatures agrees with a probability equal to the weighted Jaccard similarity of the bags.
    ///
    /// A bag of more than [`MAX_BAG_ELEMENTS`](weighted::MAX_BAG_ELEMENTS) shingles gives an error.
    ///
    /// ```
    /// use lookalike::minhash::{FastSketch, MinHasher};
    /// use lookalike::shingling::Shingler;
    ///
    /// let (pairs, hasher) = (Shingler::characters(2)?, FastSketch::new(256, 1)?);
    /// let a = hasher.sketch_bag(&pairs.bag("hahaha"))?; // ha 3 times, ah twice
    /// let b = hasher.sketch_bag(&pairs.bag("haha"))?; // ha twice, ah once
    /// let estimate = a.estimate(&b)?; // (2 + 1) / (3 + 2) = 0.6; as sets they are equal
    /// assert!((estimate.similarity - 0.6).abs() < 4.0 * estimate.standard_error);
    /// # Ok::<(), lookalike::Error>(())
    /// ```
    fn sketch_bag(&self, bag: &ShingleBag) -> Result<Signature> {
        Ok(self.sketch(&bag_elements(bag)?))
    }
}
