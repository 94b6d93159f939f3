//! Shared code for tests and benchmarks of the whole program.
//!
//! - [`corpora`]: seeded documents with planted near-duplicates, written to JSON Lines;
//! - [`oracle`]: the exact similarities of all pairs;
//! - [`mod@reference`]: the plain definition of dedup, which the pipeline must equal;
//! - [`faults`]: programs killed at any moment, disks that are full;
//! - [`memory`]: how much memory a program takes;
//! - [`pairwise`]: few runs in which every two values of two options meet.
//!
//! The interface uses only types of the standard library, so that any crate can use it. The same seed gives the same
//! bytes on every machine.

/// A value or an error.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

pub mod corpora;
pub mod faults;
pub mod memory;
pub mod oracle;
pub mod pairwise;
pub mod reference;
