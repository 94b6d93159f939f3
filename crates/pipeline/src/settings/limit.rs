//! What makes two documents duplicates: a similarity, or a distance.

use super::{Kind, Measure, Settings};
use crate::kind::fingerprints::USUAL_BITS;
use std::fmt;

/// How alike duplicates are at least, or how far apart at most. It is written as `threshold 0.8`, or `distance 3`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Limit {
    /// The least similarity.
    Similarity(f64),
    /// The largest Hamming distance of fingerprints.
    Bits {
        /// The distance.
        distance: u32,
        /// How many bits the fingerprints have.
        bits: u32,
    },
    /// The largest Euclidean distance of vectors.
    Length(f64),
}

impl Settings {
    /// What makes two documents duplicates.
    #[must_use]
    pub fn limit(&self) -> Limit {
        match (self.signature.kind, self.signature.measure) {
            (Kind::Fingerprints, _) => Limit::Bits {
                distance: self.matching.distance,
                bits: self.signature.bits.unwrap_or(USUAL_BITS),
            },
            (Kind::Vectors, Measure::Euclidean) => Limit::Length(self.matching.radius.unwrap_or(0.0)),
            _ => Limit::Similarity(self.matching.threshold),
        }
    }
}

impl Limit {
    /// The largest distance of duplicates; `None` if similarities are compared.
    #[must_use]
    pub fn distance(self) -> Option<f64> {
        match self {
            Self::Similarity(_) => None,
            Self::Bits { distance, .. } => Some(f64::from(distance)),
            Self::Length(radius) => Some(radius),
        }
    }

    /// True if distances are compared.
    #[must_use]
    pub fn is_distance(self) -> bool {
        self.distance().is_some()
    }

    /// The similarity of two documents at the limit, as lists have it.
    #[must_use]
    pub fn similarity(self) -> f64 {
        match self {
            Self::Similarity(threshold) => threshold,
            Self::Bits { distance, bits } => 1.0 - f64::from(distance) / f64::from(bits.max(1)),
            Self::Length(radius) => 1.0 / (1.0 + radius),
        }
    }

    /// The distance of two documents of this similarity; `None` if similarities are compared.
    #[must_use]
    pub fn distance_at(self, similarity: f64) -> Option<f64> {
        match self {
            Self::Similarity(_) => None,
            Self::Bits { bits, .. } => Some(((1.0 - similarity) * f64::from(bits)).round()),
            Self::Length(_) => Some(1.0 / similarity - 1.0),
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Similarity(threshold) => write!(f, "threshold {threshold}"),
            Self::Bits { distance, .. } => write!(f, "distance {distance}"),
            Self::Length(radius) => write!(f, "distance {radius}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_a_similarity_or_a_distance() {
        let limit = |settings: Settings| settings.limit();
        let text = limit(Settings::default().with_threshold(0.7));
        assert_eq!((text.to_string(), text.similarity()), ("threshold 0.7".to_owned(), 0.7));
        assert_eq!((text.is_distance(), text.distance_at(0.5)), (false, None));
        let prints = limit(Settings::default().with_kind(Kind::Fingerprints).with_bits(Some(256)));
        assert_eq!(prints.to_string(), "distance 3");
        assert_eq!(prints.distance_at(1.0 - 31.0 / 256.0), Some(31.0));
        assert_eq!(prints.distance_at(prints.similarity()), Some(3.0));
        let euclidean = Settings::default().with_kind(Kind::Vectors).with_measure(Measure::Euclidean);
        let vectors = limit(euclidean.with_radius(Some(0.5)));
        assert_eq!((vectors.to_string(), vectors.distance_at(0.5)), ("distance 0.5".to_owned(), Some(1.0)));
        assert_eq!((prints.distance(), vectors.distance()), (Some(3.0), Some(0.5)));
        assert!(vectors.is_distance() && (vectors.similarity() - 2.0 / 3.0).abs() < 1e-12);
    }
}
