//! Candidate pairs -> verified pairs, whose exact similarity is at least the threshold.
//!
//! Bands propose candidate pairs. Most of them are similar enough, some are not, and a signature gives only an
//! estimate. Here the sets themselves are compared, so the result is not an estimate. Most wrong candidates cost far
//! less than a full comparison:
//!
//! 1. **Length bound.** A Jaccard similarity of t needs |smaller| / |larger| >= t, which only needs the two sizes.
//! 2. **Needed overlap.** J >= t means |A and B| >= t / (1 + t) * (|A| + |B|). [`Verifier::needed_overlap`]
//!    is the least number of shared elements that is enough, for every measure.
//! 3. **Early exit.** The merge stops once the elements left on the shorter side are fewer than those still
//!    needed. Unrelated sets at t = 0.8 are dropped after about a tenth of the work.
//!
//! None of the three changes an answer. The answer is always the same, to the last bit, as computing the similarity
//! and testing `>= t`. The needed overlap is found by applying this very test to whole numbers, so 4
//! of 5 is at least 0.8 although 0.8 has no exact `f64`. (The bounds are those of Bayardo, Ma and Srikant
//! 2007 and Xiao et al. 2008, PPJoin. Their prefix filter would be part of an index; here banding does that work.)
//!
//! [`OverlapTable`] counts the overlap of one document with many others from unsorted shingles.
//!
//! **What exact means.** Shingles are compared as 64-bit hashes. Among the n different shingles of a pair of
//! documents, two have the same hash with probability below n^2 / 2^65. This is about 1e-13 for n = 2,000, and about
//! 3e-10 for n = 100,000. If it happens, n is off by one, and the similarity by about 1/n. In a billion pairs
//! of n = 2,000 the chance that one of them is affected is 1 in 9,000.
//!
//! ```
//! use lookalike::shingling::ShingleSet;
//! use lookalike::verification::{Verifier, verify_pairs};
//!
//! let sets: Vec<ShingleSet> = [&[1, 2, 3, 4][..], &[1, 2, 3, 4, 5], &[1, 9]]
//!     .map(|shingles| shingles.iter().copied().collect())
//!     .into();
//! let pairs = verify_pairs([(0, 1), (0, 2)], &sets, &Verifier::jaccard(0.8)?)?;
//! assert_eq!(pairs.len(), 1);
//! assert_eq!((pairs[0].a, pairs[0].b, pairs[0].similarity), (0, 1, 0.8));
//! # Ok::<(), lookalike::Error>(())
//! ```

mod overlap;
mod pairs;
mod verifier;

pub use crate::pair::Pair;
pub use overlap::OverlapTable;
pub use pairs::{SetsById, verify_pairs};
pub use verifier::Verifier;
