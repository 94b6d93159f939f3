//! Signatures -> similar documents: search structures in memory.
//!
//! | structure | question | paper |
//! |---|---|---|
//! | [`LshIndex`] | which documents are at least this similar; all candidate pairs | Indyk, Motwani 1998; Leskovec et al. |
//! | [`LshForest`] | the `k` most similar, without a threshold | Bawa, Condie, Ganesan 2005 |
//! | [`LshEnsemble`] | which documents contain at least this much of the query | Zhu, Nargesian, Pu, Miller 2016 |
//! | [`cardinality()`] | how many elements the set of a signature has | Cohen 1997 |
//!
//! [`LshIndex`] keeps 16 bits of each slot ([lanes](crate::minhash::lanes)); the other two keep whole slots.
//!
//! All similarities in the answers are estimated from signatures (standard error `sqrt(s(1-s)/K)`). For exact
//! similarities, verify the answers on the shingle sets. The probability of a miss is a parameter: `delta` of
//! [`LshIndex::with_guarantee`] and [`EnsembleConfig::delta`].
//!
//! Answers are sorted. They do not depend on the order of insertion, nor on documents that were removed before.
//!
//! # Example: the near-duplicate pairs of a collection
//!
//! ```
//! use lookalike::index::LshIndex;
//! # use lookalike::minhash::{Family, Signature};
//! # let sketch = |document: u64| {
//! #     let slots = (0..128).map(|i| if i < 120 { document % 2 * 1000 + i } else { document }).collect();
//! #     Signature::from_slots(Family::MultiplyShift, 1, slots)
//! # };
//! // Pairs of similarity 0.8 are found with probability 0.99 or more.
//! let mut index = LshIndex::with_guarantee(128, 0.8, 0.01)?;
//! for document in 0..4_u64 {
//!     index.insert(document, &sketch(document)?)?; // `sketch` makes a signature of 128 hashes
//! }
//! for pair in index.similar_pairs(0.8)? {
//!     println!("{} looks like {}: {:.2}", pair.a, pair.b, pair.similarity);
//! }
//! # assert_eq!(index.candidate_pairs(), [(0, 2), (1, 3)]);
//! # Ok::<(), lookalike::Error>(())
//! ```

mod bands;
mod buckets;
mod bytes;
mod cardinality;
mod documents;
mod ensemble;
mod forest;
mod growth;
mod pairs;
mod positions;
mod prefix;
mod store;
#[cfg(test)]
mod tests;

pub use bands::{BucketStats, LshIndex};
pub use bytes::LshLayout;
pub use cardinality::{Cardinality, cardinality};
pub use ensemble::{ContainmentMatch, EnsembleConfig, LshEnsemble};
pub use forest::LshForest;
pub use pairs::CandidatePairs;

pub use crate::pair::{Match, Pair};

/// The id of a document in an index: `u64`, `String`, ... Answers are sorted by id.
pub trait DocumentId: Clone + Ord + std::hash::Hash + std::fmt::Debug {}

impl<T: Clone + Ord + std::hash::Hash + std::fmt::Debug> DocumentId for T {}

/// Sorts an answer: most similar first, and equally similar documents by id.
fn sort_matches<Id: Ord>(matches: &mut [Match<Id>]) {
    matches.sort_by(|a, b| b.similarity.total_cmp(&a.similarity).then_with(|| a.id.cmp(&b.id)));
}
