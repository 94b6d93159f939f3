//! What stand-ins for other packages need: their hash values and their tables, over the structures of this crate.
//!
//! | module | serves |
//! |---|---|
//! | [`sha1`] | the hash of the elements in datasketch |
//! | [`given`] | its permutations, bit for bit |
//! | [`BandTable`] | its tables of band keys, which hold no signatures |
//! | [`partitions`] | the partitions by size of its ensemble |
//! | [`WideSums`], [`BlockTable`] | fingerprints of any width of the Python package simhash, and their index |
//!
//! Only with the feature `compat`. Whoever has no stored sketches of other packages needs nothing here.

mod band_table;
mod block_table;
pub mod given;
pub mod partitions;
pub mod sha1;
mod wide_sums;

pub use band_table::{BandTable, MAX_BANDS};
pub use block_table::BlockTable;
pub use wide_sums::WideSums;
