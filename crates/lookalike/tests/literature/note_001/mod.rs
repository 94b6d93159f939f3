//! Note 001, *Finding Similar Items: Locality Sensitive Hashing* (Mining of Massive Datasets).

mod banding;
mod min_hashing;
mod shingling;
