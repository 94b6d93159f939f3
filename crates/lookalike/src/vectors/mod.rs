//! Vectors -> keys that near vectors share: locality-sensitive families, and how to make them more selective.
//!
//! A family of hash functions is locality-sensitive for a measure if two items get the same key with a
//! probability that grows with their similarity (falls with their distance). These are the families with their
//! collision probabilities:
//!
//! | measure | family | one function | two items collide with probability |
//! |---|---|---|---|
//! | Jaccard | [`MinHashFamily`] | least element in a random order | `J` |
//! | weighted Jaccard | [`WeightedMinHash`](crate::minhash::WeightedMinHash) | first dart below the skyline | `J` |
//! | cosine | [`Hyperplanes`], [`SparseHyperplanes`] | side of a random hyperplane | `1 - angle/pi` |
//! | Hamming | [`BitSampling`] | one bit | `1 - d/n` |
//! | Euclidean, Manhattan | [`StableProjections`] | cell of a random projection | Datar et al. 2004 |
//!
//! Dice and overlap have no such family. [`Measure::lsh_family`] says why, and what to use instead.
//!
//! One function alone separates poorly. [`LshFamily::and`] combines r functions into one that collides if all of them
//! collide (`p^r`). [`LshFamily::or`] combines b functions into one that collides if any of them collides
//! (`1 - (1 - p)^b`). AND followed by OR is banding.
//!
//! ```
//! use lookalike::vectors::{Hyperplanes, LshFamily};
//!
//! let planes = Hyperplanes::new(3, 256, 1)?;
//! let a = planes.sign(&[1.0, 2.0, 3.0])?;
//! let b = planes.sign(&[1.0, 2.0, 2.5])?;
//! let estimate = a.estimate(&b)?; // exact: 0.9958
//! assert!((estimate.cosine - 0.9958).abs() < 0.02);
//!
//! let bands = Hyperplanes::new(3, 200, 1)?.and(10)?.or(20)?; // 20 bands of 10 rows
//! assert!(bands.collision_probability(0.99)? > 0.999);
//! assert!(bands.collision_probability(0.5)? < 0.3);
//! # Ok::<(), lookalike::Error>(())
//! ```
//!
//! # Searching
//!
//! Two items are candidates if they share a key of the same function. So put the keys of a collection into one table,
//! `HashMap<(function, key), Vec<id>>`. (After AND and OR there is one key per band, and the number of the band takes
//! the place of the function.) A query looks up its own keys. It finds each item with the [collision
//! probability](LshFamily::collision_probability) of the OR. Each item that it finds is then measured exactly.
//!
//! ```
//! use std::collections::{BTreeSet, HashMap};
//!
//! use lookalike::similarity::cosine;
//! use lookalike::vectors::{Hyperplanes, LshFamily};
//!
//! let vectors = [[1.0, 2.0, 3.0], [-1.0, 0.5, 0.2], [1.1, 2.0, 2.9], [3.0, -2.0, 1.0]];
//! let bands = Hyperplanes::new(3, 200, 1)?.and(10)?.or(20)?;
//!
//! let mut table: HashMap<(usize, u64), Vec<usize>> = HashMap::new();
//! for (id, vector) in vectors.iter().enumerate() {
//!     for entry in bands.keys(vector)?.into_iter().enumerate() {
//!         table.entry(entry).or_default().push(id);
//!     }
//! }
//!
//! let query = [1.0, 2.1, 3.1];
//! let met = bands.keys(&query)?.into_iter().enumerate().filter_map(|entry| table.get(&entry));
//! let candidates: BTreeSet<usize> = met.flatten().copied().collect(); // each once, in a fixed order
//! let mut near = Vec::new();
//! for id in candidates {
//!     if cosine(&query, &vectors[id])? >= 0.99 {
//!         near.push(id);
//!     }
//! }
//! assert_eq!(near, [0, 2]);
//! # Ok::<(), lookalike::Error>(())
//! ```

pub mod amplification;
pub mod banded;
pub mod bit_sampling;
pub mod dense;
mod family;
pub mod hyperplanes;
mod matrix;
mod measure;
mod min_hash;
mod nearness;
mod sign_signature;
pub mod sparse_hyperplanes;
pub mod stable_projections;
#[cfg(test)]
mod tests;

pub use crate::simhash::AngleEstimate;
pub use amplification::{And, Or};
pub use banded::{BandFunctions, BandedVectors, Join, JoinBuffers, NearBands, NearPair};
pub use bit_sampling::BitSampling;
pub use dense::{DenseVectors, MAX_DIMENSION, Near, Queries};
pub use family::LshFamily;
pub use hyperplanes::Hyperplanes;
pub use matrix::{MAX_FUNCTIONS, MAX_MATRIX_CELLS};
pub use measure::{FamilyKind, Measure, dice_from_jaccard, jaccard_from_dice};
pub use min_hash::MinHashFamily;
pub use nearness::Nearness;
pub use sign_signature::SignSignature;
pub use sparse_hyperplanes::SparseHyperplanes;
pub use stable_projections::{Stable, StableProjections};
