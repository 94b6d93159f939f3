//! Near-duplicates and look-alikes.
#![deny(unsafe_code)]

#[allow(unsafe_code)]
mod arch;
pub mod banding;
pub mod clustering;
mod encoding;
mod error;
pub mod features;
pub mod hamming;
pub mod hashing;
pub mod index;
pub mod minhash;
pub mod normalization;
pub mod shingling;
pub mod simhash;
pub mod similarity;
#[cfg(test)]
mod statistics;
pub mod vectors;
pub mod verification;

pub use arch::Kernel;
pub use error::{Error, Result};
