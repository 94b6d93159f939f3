//! Disjoint sets that are named by their smallest member.

use super::check_documents;
use crate::error::Result;

/// Elements `0..n` in disjoint sets that can be united.
///
/// The representative of a set is its smallest member, so it does not depend on the order of the unions. The larger
/// root is linked below the smaller one, and paths are halved on the way. This costs O(log n) amortised per
/// operation. Union by rank would make it nearly constant, but then the representative would depend on the order of
/// the unions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnionFind {
    /// The parent of each element. It is never larger than the element, and equal to it for a representative.
    parent: Vec<usize>,
}

impl UnionFind {
    /// Makes `n` sets of one element each. `n` is at most [`MAX_DOCUMENTS`](super::MAX_DOCUMENTS).
    pub fn new(n: usize) -> Result<Self> {
        check_documents(n)?;
        Ok(Self { parent: (0..n).collect() })
    }

    /// The number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parent.len()
    }

    /// True if there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parent.is_empty()
    }

    /// The smallest member of the set of `element`; `None` if there is no such element.
    pub fn find(&mut self, mut element: usize) -> Option<usize> {
        let mut parent = *self.parent.get(element)?;
        while parent != element {
            let grandparent = self.parent[parent];
            self.parent[element] = grandparent;
            element = grandparent;
            parent = self.parent[element];
        }
        Some(element)
    }

    /// Unites the sets of `a` and `b` and returns the smallest member of the result. If one of the elements does not
    /// exist, it returns `None` and changes nothing.
    pub fn union(&mut self, a: usize, b: usize) -> Option<usize> {
        let (a, b) = (self.find(a)?, self.find(b)?);
        let (smaller, larger) = (a.min(b), a.max(b));
        self.parent[larger] = smaller;
        Some(smaller)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn elements_that_do_not_exist_are_none() {
        let mut sets = UnionFind::new(2).unwrap();
        assert_eq!((sets.find(2), sets.union(0, 2), sets.union(9, 1)), (None, None, None));
        assert_eq!(sets, UnionFind::new(2).unwrap());
        assert!(UnionFind::new(0).unwrap().is_empty());
    }

    #[test]
    fn a_long_chain_is_one_set() {
        let n = 100_000;
        let mut sets = UnionFind::new(n).unwrap();
        for element in (1..n).rev() {
            sets.union(element, element - 1);
        }
        assert!((0..n).all(|element| sets.find(element) == Some(0)));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn equals_relabelling(unions in prop::collection::vec((0usize..30, 0usize..30), 0..40)) {
            let mut sets = UnionFind::new(30).unwrap();
            let mut label: Vec<usize> = (0..30).collect();
            for (a, b) in unions {
                let united = label[a].min(label[b]);
                prop_assert_eq!(sets.union(a, b), Some(united));
                let (from_a, from_b) = (label[a], label[b]);
                label.iter_mut().filter(|l| **l == from_a || **l == from_b).for_each(|l| *l = united);
            }
            for (element, &expected) in label.iter().enumerate() {
                prop_assert_eq!(sets.find(element), Some(expected));
            }
        }
    }
}
