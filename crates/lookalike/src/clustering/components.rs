//! Pairs -> connected components: the transitive closure.

use super::UnionFind;
use crate::error::{Error, Result};

/// Documents `0..n` in clusters. Both documents of a pair are always in the same cluster, and no cluster can be
/// split.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Components {
    representatives: Vec<usize>,
}

impl Components {
    /// For each document, the smallest document of its cluster.
    #[must_use]
    pub fn representatives(&self) -> &[usize] {
        &self.representatives
    }

    /// The clusters of two or more documents, ordered by their smallest document. Documents within a cluster ascend.
    #[must_use]
    pub fn clusters(&self) -> Vec<Vec<usize>> {
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); self.representatives.len()];
        for (document, &representative) in self.representatives.iter().enumerate() {
            members[representative].push(document);
        }
        members.retain(|cluster| cluster.len() > 1);
        members
    }
}

/// The connected components of documents `0..n` under these pairs. Pairs may be in any order. A pair of a document
/// with itself has no effect. A document outside `0..n` gives an error, and so do more than
/// [`MAX_DOCUMENTS`](super::MAX_DOCUMENTS) documents.
///
/// To get pairs of documents from other pair types, use [`Pair::ids`](crate::verification::Pair::ids) and
/// [`hamming::Pair::indices`](crate::hamming::Pair::indices).
pub fn connected_components(n: usize, pairs: impl IntoIterator<Item = (usize, usize)>) -> Result<Components> {
    let mut sets = UnionFind::new(n)?;
    for (a, b) in pairs {
        if sets.union(a, b).is_none() {
            return Err(Error::invalid("pair", a.max(b), format!("a document is an index below {n}")));
        }
    }
    Ok(Components { representatives: (0..n).filter_map(|document| sets.find(document)).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn clusters_are_in_order() {
        let components = connected_components(7, [(5, 4), (6, 1), (1, 3), (2, 2)]).unwrap();
        assert_eq!(components.clusters(), [vec![1, 3, 6], vec![4, 5]]);
        assert_eq!(components.representatives(), [0, 1, 2, 1, 4, 4, 1]);
        assert!(connected_components(0, []).unwrap().clusters().is_empty());
    }

    #[test]
    fn a_document_outside_is_refused() {
        let error = connected_components(3, [(0, 1), (1, 3)]).unwrap_err().to_string();
        assert!(error.contains("below 3"), "{error}");
        assert!(connected_components(0, [(0, 0)]).is_err());
        assert!(matches!(connected_components(usize::MAX, []), Err(Error::Capacity { .. })));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn equals_search_and_ignores_the_order_of_pairs(
            pairs in prop::collection::vec((0usize..20, 0usize..20), 0..25).prop_shuffle(),
        ) {
            let components = connected_components(20, pairs.iter().copied()).unwrap();
            let reversed = connected_components(20, pairs.iter().rev().map(|&(a, b)| (b, a))).unwrap();
            prop_assert_eq!(&components, &reversed);

            // The definition: walk from each document.
            for start in 0..20 {
                let mut reached = vec![start];
                let mut next = 0;
                while next < reached.len() {
                    let from = reached[next];
                    next += 1;
                    for &(a, b) in &pairs {
                        for (x, y) in [(a, b), (b, a)] {
                            if x == from && !reached.contains(&y) {
                                reached.push(y);
                            }
                        }
                    }
                }
                prop_assert_eq!(Some(&components.representatives()[start]), reached.iter().min());
            }
        }
    }
}
