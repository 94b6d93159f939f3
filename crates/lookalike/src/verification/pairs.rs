//! Many candidate pairs -> the verified pairs.

use super::Verifier;
use crate::error::{Error, Result};
use crate::pair::Pair;
use crate::shingling::ShingleSet;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hash};

/// Sets that can be found by the ids of their documents: in a slice by positions, in a map by its keys.
pub trait SetsById<Id> {
    /// The set of the document with this id, if there is one.
    fn set(&self, id: &Id) -> Option<&ShingleSet>;
}

impl SetsById<usize> for [ShingleSet] {
    fn set(&self, id: &usize) -> Option<&ShingleSet> {
        self.get(*id)
    }
}

impl SetsById<usize> for Vec<ShingleSet> {
    fn set(&self, id: &usize) -> Option<&ShingleSet> {
        self.get(*id)
    }
}

impl<const N: usize> SetsById<usize> for [ShingleSet; N] {
    fn set(&self, id: &usize) -> Option<&ShingleSet> {
        self.get(*id)
    }
}

impl<Id: Ord> SetsById<Id> for BTreeMap<Id, ShingleSet> {
    fn set(&self, id: &Id) -> Option<&ShingleSet> {
        self.get(id)
    }
}

impl<Id: Eq + Hash, S: BuildHasher> SetsById<Id> for HashMap<Id, ShingleSet, S> {
    fn set(&self, id: &Id) -> Option<&ShingleSet> {
        self.get(id)
    }
}

/// The candidate pairs that are similar enough, in their order, with their exact similarities. A candidate without a
/// set gives [`Error::UnknownId`].
///
/// For [`Containment`](crate::similarity::SetMeasure::Containment), the similarity of a pair `(a, b)` is the share of
/// `a` that is in `b`.
///
/// ```
/// use lookalike::{FastSketch, LshIndex, MinHasher, Shingler, Verifier, verify_pairs};
/// use std::collections::BTreeMap;
///
/// let (shingler, hasher) = (Shingler::words(2)?, FastSketch::new(128, 1)?);
/// let mut index = LshIndex::with_guarantee(128, 0.8, 0.01)?;
/// let mut sets = BTreeMap::new();
/// for (name, text) in [("a.txt", "to be or not to be"), ("b.txt", "To be, or not to be!")] {
///     let set = shingler.set(text);
///     index.insert(name, &hasher.sketch(&set))?;
///     sets.insert(name, set);
/// }
/// let pairs = verify_pairs(index.candidate_pairs(), &sets, &Verifier::jaccard(0.8)?)?;
/// assert_eq!((pairs[0].a, pairs[0].b, pairs[0].similarity), ("a.txt", "b.txt", 1.0));
/// # Ok::<(), lookalike::Error>(())
/// ```
pub fn verify_pairs<Id: std::fmt::Debug, S: SetsById<Id> + ?Sized>(
    candidates: impl IntoIterator<Item = (Id, Id)>,
    sets: &S,
    verifier: &Verifier,
) -> Result<Vec<Pair<Id>>> {
    let set = |id: &Id| sets.set(id).ok_or_else(|| Error::UnknownId { id: format!("{id:?}") });
    let mut verified = Vec::new();
    for (a, b) in candidates {
        if let Some(similarity) = verifier.verify(set(&a)?, set(&b)?) {
            verified.push(Pair { a, b, similarity });
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
        assert_eq!(pairs, [Pair { a: 0, b: 1, similarity: containment(&sets[0], &sets[1]) }]);
    }

    #[test]
    fn a_candidate_outside_the_collection_is_refused() {
        let verifier = Verifier::jaccard(0.5).unwrap();
        for candidate in [(0, 4), (4, 0), (usize::MAX, 0)] {
            let error = verify_pairs([candidate], &collection(), &verifier).unwrap_err();
            assert!(matches!(&error, Error::UnknownId { id } if id != "0"), "{error}");
        }
    }
}
