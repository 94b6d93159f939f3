//! Explanations of a plan, of two texts and of a finished run.
//!
//! ```text
//! settings, a sample of texts -> what would be found and compared       plan
//! two texts                   -> how similar they are, what they share  comparison
//! a finished run              -> a page                                 report, examples
//! a finished run on records   -> a page                                 records
//! ```
//!
//! The answers are plain data and pages of HTML. This crate does not print or write files; its callers do.

pub mod comparison;
mod curve;
mod error;
pub mod examples;
pub mod plan;
pub mod records;
pub mod report;
#[cfg(test)]
mod tests;

pub use curve::chance;
pub use error::{Error, Result};
