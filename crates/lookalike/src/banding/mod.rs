//! Signature -> band keys. Similar documents are likely to have at least one key in common.
//!
//! The signature is cut into `b` bands of `r` rows each, and every band is hashed to one 64-bit key. Two
//! documents with an equal key in some band share a bucket and are a *candidate pair*. All other pairs are
//! never compared. So a collection of a million documents is searched without comparing its 5 * 10^11 pairs.
//!
//! # Why it works
//!
//! Two sets of similarity `s` agree in one row with probability `s`, in all rows of a band with `s^r`, and in at
//! least one band with
//!
//! ```text
//! p(s) = 1 - (1 - s^r)^b
//! ```
//!
//! This is an S-curve ([`SCurve`]). It is near 0 for small `s` and near 1 for large `s`, and it rises around
//! `(1/b)^(1/r)`. More bands find more pairs (fewer false negatives, more false positives). More rows find fewer
//! pairs (more false negatives, fewer false positives).
//!
//! # The parts
//!
//! - [`Banding`] has `b` and `r`, and computes the keys of a signature.
//! - [`SCurve`] has the probability, its inverse, and the areas of error on both sides of a threshold.
//! - [`plan`] chooses `b` and `r` for a threshold; [`containment`] does the same for a threshold of containment.
//!
//! # Literature
//!
//! Leskovec, Rajaraman, Ullman, *Mining of Massive Datasets*, chapter 3.4. The row probability can be replaced
//! ([`SCurve::with_row_probability`]), so the same curve is used for b-bit signatures, hyperplanes and other
//! families.
//!
//! # Example
//!
//! ```
//! use lookalike::banding::{plan, Banding, SCurve};
//!
//! // The lecture notes' example: 100 hashes as 20 bands of 5 rows.
//! let curve = SCurve::new(Banding::new(20, 5)?);
//! assert!((curve.probability(0.8) - 0.9996).abs() < 1e-4);
//! assert!((curve.probability(0.3) - 0.0474).abs() < 1e-4);
//!
//! // The other way round: 128 hashes, and 99 % of the pairs of similarity 0.8 are to be found.
//! let plan = plan::by_recall(128, 0.8, 0.99)?;
//! assert_eq!((plan.banding.bands(), plan.banding.rows()), (21, 6));
//! # Ok::<(), lookalike::Error>(())
//! ```

pub mod containment;
mod curve;
mod keys;
pub mod plan;
mod quadrature;
#[cfg(test)]
mod tests;

pub use curve::{RowProbability, SCurve, sample_probability};
pub(crate) use curve::{all_of, any_of, check_threshold};
pub use keys::{Banding, band_key, band_key_of_lanes, band_keys};
