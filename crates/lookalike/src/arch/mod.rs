//! (being written)
pub(crate) mod hamming;
