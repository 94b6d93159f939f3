//! Note 000, *Algorithms for Data Science: Finding Similar Items*.

mod banding;
mod min_hashing;
mod outline;
mod shingling;
