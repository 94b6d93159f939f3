//! Settings -> the probability that a pair is found, as a curve over the similarity.

use figures::svg::Curve;
use lookalike::simhash::probability_within;
use pipeline::{Chances, Method, PLANNED_SHINGLES, Settings};

/// The probability that a pair is found, as a function of its similarity. With containment, it is that of a document of
/// [`PLANNED_SHINGLES`] shingles. With SimHash, it is the probability that
/// the fingerprints are within the distance.
pub(crate) fn curve(chances: &Chances, settings: &Settings) -> Curve {
    Curve::sample(chances.label(), |similarity| match settings.signature.method {
        Method::Minhash => chances.of(similarity, PLANNED_SHINGLES),
        Method::Simhash => {
            probability_within(settings.matching.distance, u64::BITS, similarity).unwrap_or(0.0)
        }
    })
}
