//! Finds near-duplicate documents. Every stage from raw text to the documents that are kept is here. A stage is exact
//! where that is possible; where it is an estimate, its error is stated and tested.
//!
//! The similarity of two documents:
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
//! The near-duplicate pairs of a collection. Not all pairs are compared, and each pair in the answer is checked
//! exactly:
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
//! The types and functions that most programs need are at the root of the crate. Everything else is in the modules,
//! which are of two kinds:
//!
//! - *Building blocks*, for programs that combine the stages in their own way: [`normalization`], [`shingling`],
//!   [`similarity`], [`minhash`] ([lanes](minhash::lanes), [b-bit](minhash::bbit) and [weighted](minhash::weighted)
//!   signatures), [`simhash`], [`hamming`], [`features`], [`vectors`], [`banding`], [`index`], [`verification`],
//!   [`clustering`], [`evaluation`], [`passages`], [`hyperloglog`], [`hashing`].
//! - *Teaching*: the objects of the lecture notes, exactly as the notes define them. [`minhash::matrix`]
//!   (characteristic and signature matrix, the one-pass algorithm step by step), [`minhash::permutation`],
//!   [`minhash::universal`], [`vectors::amplification`].
//!
//! Each arrow is a module, each noun is defined in the module that produces it, and data flows one way. Every fast
//! implementation has a simple definition beside it, and tests compare the two. Every estimator is tested for bias
//! and variance against its formula. The worked examples of five sets of lecture notes are tests.
//!
//! # What is the same everywhere
//!
//! Hashes, signatures, band keys and fingerprints are the same bits on every CPU, with every [`Kernel`] and with any
//! number of threads. They can be stored and compared across machines ([format](mod@format)). A parameter that makes
//! no sense gives a typed [`Error`]. No input causes a panic, unless memory runs out. The crate reads no files,
//! starts no threads and has no mutable global state.
//!
//! # Features
//!
//! - `rayon` (off by default) adds `par_build`, `par_query` and `par_all_pairs` to [`HammingIndex`]. They run in the
//!   caller's rayon thread pool. The answers are the same; only the speed differs.
//! - `compat` (off by default) adds the module `compat`, for drop-in replacements of other packages.
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
pub mod evaluation;
pub mod features;
pub mod format;
pub mod hamming;
pub mod hashing;
pub mod hyperloglog;
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
