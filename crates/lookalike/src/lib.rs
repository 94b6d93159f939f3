//! Near-duplicates and look-alikes: every stage from text to survivors, exact where it can be and measured where it
//! cannot.
//!
//! Two texts, one similarity:
//!
//! ```
//! use lookalike::{Shingler, jaccard};
//!
//! let shingler = Shingler::characters(5)?;
//! let (a, b) = (shingler.set("the dog which chased the cat"), shingler.set("the dog that chased the cat"));
//! assert_eq!(jaccard(&a, &b), 15.0 / 32.0);
//! # Ok::<(), lookalike::Error>(())
//! ```
//!
//! The near-duplicate pairs of a collection, found without comparing all pairs, each checked exactly:
//!
//! ```
//! use lookalike::{FastSketch, LshIndex, MinHasher, Shingler, Verifier, verify_pairs};
//!
//! let documents = ["a rose is a rose is a rose", "to be or not to be, that is it", "A rose is a rose; is a rose"];
//! let (shingler, hasher) = (Shingler::words(3)?, FastSketch::new(128, 1)?);
//! let sets: Vec<_> = documents.iter().map(|text| shingler.set(text)).collect();
//! let mut index = LshIndex::with_guarantee(128, 0.8, 0.01)?; // finds a pair at 0.8 with probability 0.99
//! for (document, set) in sets.iter().enumerate() {
//!     index.insert(document, &hasher.sketch(set))?;
//! }
//! let pairs = verify_pairs(index.candidate_pairs(), &sets, &Verifier::jaccard(0.8)?)?;
//! assert_eq!((pairs.len(), pairs[0].a, pairs[0].b, pairs[0].similarity), (1, 0, 2, 1.0));
//! # Ok::<(), lookalike::Error>(())
//! ```
//!
//! # The flow
//!
//! ```text
//! documents -> normalised text -> shingles -> signature -> band keys -> candidate pairs -> verified pairs -> survivors
//!              normalization      shingling   minhash      banding      index              verification      clustering
//!                                             simhash ------------------ hamming
//!                                             vectors
//! ```
//!
//! The names of the flow stand at the root of the crate. The rest is in the modules, in two tiers:
//!
//! - *Building blocks*, for those who put stages together in their own way: [`normalization`], [`shingling`],
//!   [`similarity`], [`minhash`] ([lanes](minhash::lanes), [b-bit](minhash::bbit) and [weighted](minhash::weighted)
//!   signatures), [`simhash`], [`hamming`], [`features`], [`vectors`], [`banding`], [`index`], [`verification`],
//!   [`clustering`], [`passages`], [`hashing`].
//! - *Teaching*: the objects of the lecture notes as they stand on the page. [`minhash::matrix`] (characteristic and
//!   signature matrix, the one-pass algorithm step by step), [`minhash::permutation`], [`minhash::universal`],
//!   [`vectors::amplification`].
//!
//! Each arrow is a module, each noun is defined where it is produced, and data flows one way. Every fast path has a
//! plain definition beside it that the tests compare it with; every estimator is tested for bias and variance
//! against its formula; and the worked examples of five sets of lecture notes are tests.
//!
//! # What is the same everywhere
//!
//! Hashes, signatures, band keys and fingerprints are the same bits on every CPU, with every [`Kernel`] and any
//! number of threads: they can be stored and compared across machines ([format](mod@format)). Parameters that
//! make no sense are a typed [`Error`]; nothing panics on any input, except when memory runs out. The crate reads no
//! files, starts no threads and has no mutable global state.
//!
//! # Features
//!
//! - `rayon` (off by default): functions that run in the caller's rayon thread pool, `par_build`, `par_query` and
//!   `par_all_pairs` of [`HammingIndex`]. It changes the speed only.
//! - `compat` (off by default): the module `compat`, for stand-ins of other packages.
#![deny(unsafe_code)]
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests compare with the platform's own"))]

#[allow(unsafe_code, reason = "this is where it may be: SIMD, with a reason for every use")]
mod arch;
pub mod banding;
pub mod clustering;
#[cfg(feature = "compat")]
pub mod compat;
mod encoding;
mod error;
pub mod features;
pub mod format;
pub mod hamming;
pub mod hashing;
pub mod index;
mod math;
pub mod minhash;
pub mod normalization;
mod pair;
pub mod passages;
pub mod shingling;
pub mod simhash;
pub mod similarity;
#[cfg(test)]
mod statistics;
mod unicode;
pub mod vectors;
pub mod verification;

/// The programs of the README, as doc tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
mod readme {}

pub use arch::Kernel;
pub use banding::{Banding, SCurve};
pub use clustering::{Fate, KeepOrder, Survivors, connected_components, survivors};
pub use error::{Error, Result};
pub use hamming::HammingIndex;
pub use index::LshIndex;
pub use minhash::{BBitSignature, Estimate, FastSketch, MinHasher, Signature};
pub use normalization::Normalization;
pub use pair::{Match, Pair};
pub use shingling::{ShingleBuffer, ShingleSet, Shingler, Shingling};
pub use simhash::SimHasher;
pub use similarity::jaccard;
pub use verification::{Verifier, verify_pairs};
