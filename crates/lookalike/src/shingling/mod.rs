//! Normalised text -> shingles.
mod set;
pub use set::{ShingleBag, ShingleSet};
