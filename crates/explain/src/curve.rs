//! Settings -> the chance that a pair is found, as a curve.

use figures::svg::Curve;
use lookalike::simhash::probability_within;
use pipeline::{Chances, Method, Settings};

/// Shingles of a document for which the curve of containment is drawn.
const SHINGLES: u64 = 1_000;

/// The chance that a pair is found by its similarity: with SimHash, that its fingerprints are within the distance.
pub(crate) fn curve(chances: &Chances, settings: &Settings) -> Curve {
    Curve::sample(chances.label(), |similarity| match settings.signature.method {
        Method::Minhash => chances.of(similarity, SHINGLES),
        Method::Simhash => {
            probability_within(settings.matching.distance, u64::BITS, similarity).unwrap_or(0.0)
        }
    })
}
