//! Fingerprints, distance k -> all fingerprints within Hamming distance k. No fingerprint is missed.
//!
//! # Why it works
//!
//! Cut the f bits of a fingerprint into m > k blocks. Fingerprints that differ in at most k bits differ in at most k
//! blocks, so they agree *exactly* in at least m - k blocks (the pigeonhole principle). For each choice of m - k
//! blocks there is a sorted table in which the bits of these blocks come first. In this table the fingerprints that
//! agree with a query in these blocks are next to each other. They are the candidates, and counting the differing
//! bits decides. A fingerprint within distance k is a candidate in at least one table, so the search is exact. Only
//! its cost depends on probability.
//!
//! ```text
//!  fingerprints --group equal ones--> values --permute, sort--> tables --probe--> candidates --count--> matches
//!                                        |
//!                                        +--bring equal blocks together, compare--> all pairs
//! ```
//!
//! # Paper, and where we depart
//!
//! G. Manku, A. Jain, A. Das Sarma, *Detecting near-duplicates for web crawling*, WWW 2007.
//!
//! * A directory of the top bits replaces interpolation search. It takes one step on any data.
//! * Equal fingerprints are stored once, with the list of their positions.
//! * A fingerprint that several tables find is reported by the first of them. This is decided from its bits alone,
//!   so no set of the fingerprints already seen is needed.
//! * The search for all pairs within distance k needs no index. For each block in turn, fingerprints that are equal
//!   in the block are brought together. Long runs are split by their remaining bits, as long as that saves
//!   comparisons. The paper uses nested tables of fixed depth.
//! * Compressed tables use the paper's code, with blocks of 128 fingerprints in place of 1,024 bytes.
//!
//! # Cost
//!
//! For n random fingerprints a query reads t = C(m, k) tables and compares n / 2^p fingerprints in each, where p is
//! the number of bits in m - k blocks. [`Plan`] computes this and chooses m. Fingerprints that share the leading bits
//! of the query are scanned one after the other. In the worst case these are all n in each table, at a fraction of a
//! nanosecond each.
//!
//! Memory: f / 8 bytes per fingerprint and table, plus one byte for the directory, and f / 8 + 8 bytes for the
//! groups. An index is immutable. To add fingerprints, build it again.
//!
//! ```
//! use lookalike::hamming::{HammingConfig, HammingIndex, Match, Pair};
//!
//! let fingerprints: [u64; 4] = [0b1111, 0b1110, 0xffff_0000_ffff_0000, 0b1111];
//! let index = HammingIndex::build(&fingerprints, &HammingConfig::default())?;
//! assert_eq!(index.query(0b0111, 2)?, [
//!     Match { distance: 1, position: 0 },
//!     Match { distance: 1, position: 3 },
//!     Match { distance: 2, position: 1 },
//! ]);
//! assert_eq!(index.all_pairs(1)?, [
//!     Pair { a: 0, b: 1, distance: 1 },
//!     Pair { a: 0, b: 3, distance: 0 },
//!     Pair { a: 1, b: 3, distance: 1 },
//! ]);
//! # Ok::<(), lookalike::Error>(())
//! ```

mod compressed;
mod directory;
mod groups;
mod huffman;
mod index;
mod join;
mod pairs;
#[cfg(feature = "rayon")]
mod parallel;
mod permutation;
mod plan;
mod scan;
mod table;
#[cfg(test)]
mod tests;
mod wide;

pub use groups::FingerprintGroups;
pub use index::{GroupMatch, HammingIndex, Match};
pub use pairs::{GroupPair, Pair};
pub use permutation::BlockPermutation;
pub use plan::{Blocks, HammingConfig, Plan, TableStorage, neighbours_at};
pub use wide::wide_pairs;
