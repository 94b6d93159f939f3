//! Many candidate pairs -> the verified ones.

use super::Verifier;
use crate::error::{Error, Result};
use crate::shingling::ShingleSet;

/// Two documents, by their index in the collection, and their exact similarity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VerifiedPair {
    /// The first document of the candidate pair.
    pub a: usize,
    /// The second one.
    pub b: usize,
    /// How similar they are, exactly.
    pub similarity: f64,
}

impl VerifiedPair {
    /// The two documents, without their similarity: `pairs.iter().map(VerifiedPair::indices)` is what
    /// [`connected_components`](crate::clustering::connected_components) takes.
    #[must_use]
    pub const fn indices(&self) -> (usize, usize) {
        (self.a, self.b)
    }
}

/// Keeps the candidate pairs that pass, in their order. A candidate outside `sets` is an error.
///
/// For [`Containment`](crate::similarity::SetMeasure::Containment) a pair `(a, b)` asks how much of `a` is in `b`.
pub fn verify_pairs(
    candidates: impl IntoIterator<Item = (usize, usize)>,
    sets: &[ShingleSet],
    verifier: &Verifier,
) -> Result<Vec<VerifiedPair>> {
    let set = |at: usize| {
        sets.get(at).ok_or_else(|| {
            Error::invalid("candidate", at, format!("a candidate is an index below {}", sets.len()))
        })
    };
    let mut verified = Vec::new();
    for (a, b) in candidates {
        if let Some(similarity) = verifier.verify(set(a)?, set(b)?) {
            verified.push(VerifiedPair { a, b, similarity });
        }
    }
    Ok(verified)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::similarity::containment;

    fn collection() -> Vec<ShingleSet> {
        [vec![1, 2, 3, 4], vec![1, 2, 3, 4, 5], vec![7, 8], vec![]].map(ShingleSet::from_hashes).into()
    }

    #[test]
    fn keeps_the_order_of_the_candidates() {
        let verifier = Verifier::jaccard(0.5).unwrap();
        let pairs = verify_pairs([(2, 2), (1, 0), (0, 2), (0, 1), (3, 0)], &collection(), &verifier).unwrap();
        let found: Vec<_> = pairs.iter().map(|pair| (pair.a, pair.b, pair.similarity)).collect();
        assert_eq!(found, [(2, 2, 1.0), (1, 0, 0.8), (0, 1, 0.8)]);
    }

    #[test]
    fn containment_has_a_direction() {
        let sets = collection();
        let verifier = Verifier::containment(0.9).unwrap();
        let pairs = verify_pairs([(1, 0), (0, 1)], &sets, &verifier).unwrap();
        assert_eq!(pairs, [VerifiedPair { a: 0, b: 1, similarity: containment(&sets[0], &sets[1]) }]);
    }

    #[test]
    fn a_candidate_outside_the_collection_is_refused() {
        let verifier = Verifier::jaccard(0.5).unwrap();
        for candidate in [(0, 4), (4, 0), (usize::MAX, 0)] {
            let error = verify_pairs([candidate], &collection(), &verifier).unwrap_err().to_string();
            assert!(error.contains("below 4"), "{error}");
        }
    }
}
