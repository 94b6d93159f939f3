//! Min-hash functions as a locality-sensitive family: sets -> slots, for the plain and the weighted Jaccard
//! similarity.

use super::{LshFamily, Measure};
use crate::error::{Result, check_length, check_unit};
use crate::minhash::{MinHasher, WeightedMinHash};

/// Makes a family from any [`MinHasher`]. One function is one slot. Two sets collide in it with a probability equal
/// to their Jaccard similarity. Items are sets of 64-bit elements, which may be in any order and may repeat. Two
/// empty sets always collide. (The slots of the fast sketch are not quite independent. For small sets AND and OR
/// separate slightly better than the formulas say.)
#[derive(Debug, Clone, PartialEq)]
pub struct MinHashFamily<M>(pub M);

impl<M: MinHasher> LshFamily for MinHashFamily<M> {
    type Item = [u64];

    fn measure(&self) -> Measure {
        Measure::Jaccard
    }

    fn num_functions(&self) -> usize {
        self.0.num_hashes()
    }

    fn keys_into(&self, item: &[u64], keys: &mut [u64]) -> Result<()> {
        self.0.sketch_into(item, keys)
    }

    /// The similarity itself.
    fn collision_probability(&self, value: f64) -> Result<f64> {
        check_unit("Jaccard similarity", value)?;
        Ok(value)
    }
}

impl LshFamily for WeightedMinHash {
    type Item = [(u64, f64)];

    fn measure(&self) -> Measure {
        Measure::WeightedJaccard
    }

    fn num_functions(&self) -> usize {
        self.num_hashes()
    }

    fn keys_into(&self, item: &[(u64, f64)], keys: &mut [u64]) -> Result<()> {
        check_length(keys.len(), self.num_hashes())?;
        keys.copy_from_slice(self.sketch(item)?.slots());
        Ok(())
    }

    /// The similarity itself.
    fn collision_probability(&self, value: f64) -> Result<f64> {
        check_unit("weighted Jaccard similarity", value)?;
        Ok(value)
    }
}
