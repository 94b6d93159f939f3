//! Support for drop-in replacements of other packages: their hash values and tables, built on the structures of this
//! crate.
//!
//! | module | what it provides |
//! |---|---|
//! | [`sha1`] | the hash of elements in the Python package datasketch |
//! | [`given`] | the permutations of datasketch, bit for bit |
//! | [`hyperloglog`] | the registers and the tables of its `HyperLogLog` |
//! | [`BandTable`] | the tables of band keys of datasketch, which hold no signatures |
//! | [`partitions`] | the partitions by size of the ensemble of datasketch |
//! | [`WideSums`], [`BlockTable`] | fingerprints of any width of the Python package simhash, and their index |
//!
//! This module needs the feature `compat`. You need it only if you have stored sketches of these packages.

mod band_table;
mod block_table;
mod buckets;
pub mod given;
pub mod hyperloglog;
pub mod partitions;
pub mod sha1;
mod wide_sums;

pub use band_table::{BandTable, MAX_BANDS};
pub use block_table::BlockTable;
pub use wide_sums::WideSums;
