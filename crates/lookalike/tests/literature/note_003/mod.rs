//! Note 003, *Probabilistic data structures. Part 4. Similarity*.
//!
//! In the extracted tables of this note a 1 has often become "I", "T" or an empty cell; every 0 is printed.

mod b_bit;
mod features;
mod hamming;
mod lsh;
mod min_hashing;
mod sim_hash;
