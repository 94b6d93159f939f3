//! Disjoint sets whose name is their smallest member.

use super::check_documents;
use crate::error::Result;

/// Elements `0..n` in disjoint sets that can be united.
///
/// The representative of a set is its smallest member, so it does not depend on the order of the unions. Linking the
/// larger root below the smaller one and halving paths on the way costs O(log n) amortised per operation; ranks
/// would make it nearly constant, but then the name of a set would be an accident.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnionFind {
    /// Never larger than the element itself; equal for a representative.
    parent: Vec<usize>,
}

impl UnionFind {
    /// `n` sets of one element each, at most [`MAX_DOCUMENTS`](super::MAX_DOCUMENTS).
    pub fn new(n: usize) -> Result<Self> {
        check_documents(n)?;
        Ok(Self { parent: (0..n).collect() })
    }

    /// How many elements there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parent.len()
    }

    /// True if there are none.
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

    /// Unites the sets of `a` and `b` and returns the smallest member of the result; `None`, and no change, if
    /// there is no such element.
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
