//! Settings -> the probability that a pair is found, as a curve over the similarity.

use figures::svg::Curve;
use lookalike::simhash::probability_within;
use pipeline::{Chances, Method, Settings};

/// With containment, the curve is drawn for a document of this many shingles.
const SHINGLES: u64 = 1_000;

/// The probability that a pair is found, as a function of its similarity. With SimHash, it is the probability that
/// the fingerprints are within the distance.
pub(crate) fn curve(chances: &Chances, settings: &Settings) -> Curve {
    Curve::sample(chances.label(), |similarity| match settings.signature.method {
        Method::Minhash => chances.of(similarity, SHINGLES),
        Method::Simhash => {
            probability_within(settings.matching.distance, u64::BITS, similarity).unwrap_or(0.0)
        }
    })
}
