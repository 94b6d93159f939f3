//! Two sets, bags, vectors or strings -> how alike they are, exactly.
//!
//! Everything else in this crate estimates, filters or searches by one of these numbers; this module is what
//! they are compared with.
//!
//! | of | similarity (1 = equal) | distance (0 = equal) |
//! |---|---|---|
//! | sets | [`jaccard`], [`containment`], [`overlap_coefficient`], [`dice`] | [`jaccard_distance`] |
//! | bags and weighted sets | [`bag_jaccard`], [`weighted_jaccard`] | `1 - similarity` |
//! | vectors | [`cosine`], [`sparse_cosine`] | [`angular_distance`], [`euclidean`], [`manhattan`] |
//! | strings of equal length | [`hamming_similarity`] | [`hamming`], [`hamming_bits`], [`hamming_words`] |
//! | strings | [`edit_similarity`] | [`edit_distance`], [`token_edit_distance`] |
//!
//! **Nothing against nothing.** Two empty sets (bags, strings, all-zero vectors) are equal: similarity 1. An
//! empty one against one that is not has similarity 0. The exception follows from its definition: the empty
//! set is a subset of every set, so its containment in anything is 1, and with it the overlap coefficient.
//!
//! **Exact** means exact on the sets of 64-bit hashes that stand for the shingles; how rarely two different
//! shingles share a hash is stated in [`verification`](crate::verification).
//!
//! Jaccard distance (Levandowsky and Winter 1971), angular, Hamming, Euclidean, Manhattan and edit distance
//! are metrics. `1 - dice`, `1 - overlap` and `1 - cosine` break the triangle inequality, which is why Dice
//! and overlap have no locality-sensitive hash family (Charikar 2002) and why there is no function by that
//! name here.
//!
//! ```
//! use lookalike::shingling::ShingleSet;
//! use lookalike::similarity::{containment, jaccard};
//!
//! let a: ShingleSet = [1, 2, 3, 4].into_iter().collect();
//! let b: ShingleSet = [3, 4, 5].into_iter().collect();
//! assert_eq!(jaccard(&a, &b), 2.0 / 5.0);
//! assert_eq!(containment(&b, &a), 2.0 / 3.0);
//! ```

mod edit;
mod hamming;
mod intersection;
mod sets;
mod sparse;
mod vectors;
mod weighted;

pub use edit::{
    edit_distance, edit_distance_at_most, edit_similarity, token_edit_distance, token_edit_distance_at_most,
    token_edit_distance_plainly,
};
pub use hamming::{hamming, hamming_bits, hamming_similarity, hamming_words};
pub(crate) use intersection::intersection_at_least;
pub use sets::{
    SetMeasure, SortedSet, containment, dice, intersection_size, intersection_size_with, jaccard,
    jaccard_distance, overlap_coefficient, union_size,
};
pub use sparse::sparse_cosine;
pub(crate) use sparse::sparse_dot;
pub use vectors::{angular_distance, cosine, euclidean, manhattan};
pub use weighted::{bag_jaccard, weighted_jaccard};
