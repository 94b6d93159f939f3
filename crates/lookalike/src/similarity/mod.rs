//! Two sets, bags, vectors or strings -> their exact similarity.
//!
//! The other modules of this crate estimate these numbers, or filter and search by them. Tests compare estimates with
//! this module.
//!
//! | of | similarity (1 = equal) | distance (0 = equal) |
//! |---|---|---|
//! | sets | [`jaccard`], [`containment`], [`overlap_coefficient`], [`dice`] | [`jaccard_distance`] |
//! | bags and weighted sets | [`bag_jaccard`], [`weighted_jaccard`] | `1 - similarity` |
//! | vectors | [`cosine`], [`sparse_cosine`] | [`angular_distance`], [`euclidean`], [`manhattan`] |
//! | strings of equal length | [`hamming_similarity`] | [`hamming`], [`hamming_bits`], [`hamming_words`] |
//! | strings | [`edit_similarity`] | [`edit_distance`], [`token_edit_distance`] |
//!
//! **Empty inputs.** Two empty sets (bags, strings, all-zero vectors) are equal, so their similarity is 1. The
//! similarity of an empty set and a set with elements is 0. There is one exception: the empty set is a subset of
//! every set, so its containment in any set is 1, and so is the overlap coefficient.
//!
//! **Exact** means exact for the sets of 64-bit hashes that represent the shingles. How rarely two different shingles
//! have the same hash is stated in [`verification`](crate::verification).
//!
//! Jaccard distance (Levandowsky and Winter 1971), angular, Hamming, Euclidean, Manhattan and edit distance are
//! metrics. `1 - dice`, `1 - overlap` and `1 - cosine` violate the triangle inequality. Therefore Dice and overlap
//! have no locality-sensitive hash family (Charikar 2002), and this module has no distance functions for the three.
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
