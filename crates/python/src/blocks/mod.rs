//! The building blocks: one class per noun of the library.
//!
//! Sketches are immutable and share their memory with NumPy. Long work runs without the interpreter. A text is a
//! `str`, or `bytes` in which bytes that are not UTF-8 count as U+FFFD.

mod arguments;
mod bbit_min_hash;
mod family;
mod file;
mod hamming_index;
mod hyperloglog;
mod lsh;
mod min_hash;
mod named;
mod s_curve;
mod shingler;
mod shingling;
mod signature;
mod signatures;
mod sim_hash;
pub(crate) mod similarity;
mod views;
mod weighted_min_hash;

pub(crate) use bbit_min_hash::BBitMinHash;
pub(crate) use hamming_index::HammingIndex;
pub(crate) use hyperloglog::HyperLogLog;
pub(crate) use lsh::Lsh;
pub(crate) use min_hash::MinHash;
pub(crate) use s_curve::SCurve;
pub(crate) use shingler::Shingler;
pub(crate) use signature::Signature;
pub(crate) use signatures::Signatures;
pub(crate) use sim_hash::SimHash;
pub(crate) use weighted_min_hash::WeightedMinHash;
