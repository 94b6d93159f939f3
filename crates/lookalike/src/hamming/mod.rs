//! Fingerprints, distance k -> all fingerprints within Hamming distance k.
mod compressed;
mod directory;
mod groups;
mod huffman;
mod index;
mod join;
#[cfg(feature = "rayon")]
mod parallel;
mod permutation;
mod plan;
mod table;
#[cfg(test)]
mod tests;

pub use groups::FingerprintGroups;
pub use index::{GroupMatch, GroupPair, HammingIndex, Match, Pair};
pub use permutation::BlockPermutation;
pub use plan::{Blocks, HammingConfig, Plan, TableStorage, neighbours_at};
