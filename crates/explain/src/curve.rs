//! Settings -> the probability that a pair is found, as a curve over the similarity.

use figures::svg::Curve;
use lookalike::simhash::probability_within;
use pipeline::{Chances, Method, PLANNED_SHINGLES, Settings};

/// The probability that a pair is found, as a function of its similarity. With containment, it is that of a document of
/// [`PLANNED_SHINGLES`] shingles. With SimHash, see [`chance`].
pub(crate) fn curve(chances: &Chances, settings: &Settings) -> Curve {
    Curve::sample(chances.label(), |similarity| chance(chances, settings, similarity, PLANNED_SHINGLES))
}

/// The probability that a run with these settings finds a pair of this similarity. With containment, it depends on
/// `shingles`, the size of the contained document. With SimHash, it is the probability that the fingerprints are within
/// the distance, and the similarity is the cosine similarity of the documents.
#[must_use]
pub fn chance(chances: &Chances, settings: &Settings, similarity: f64, shingles: u64) -> f64 {
    match settings.signature.method {
        Method::Minhash => chances.of(similarity, shingles),
        Method::Simhash => {
            probability_within(settings.matching.distance, u64::BITS, similarity).unwrap_or(0.0)
        }
    }
}
