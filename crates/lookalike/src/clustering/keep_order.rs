//! Which of two similar documents is kept: a total order of the documents.

use super::check_documents;
use crate::error::{Error, Result};

/// The order that decides which of two similar documents is kept: the one that comes first. No two documents share a
/// position.
///
/// The answer of [`survivors`](super::survivors()) depends only on this order and on the pairs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeepOrder {
    documents: Vec<usize>,
    /// The position of each document in `documents`.
    ranks: Vec<usize>,
}

impl KeepOrder {
    /// Documents `0..n` in the order of the input: the first of two similar documents is kept. It is an error if
    /// there are more than [`MAX_DOCUMENTS`](super::MAX_DOCUMENTS).
    pub fn input(n: usize) -> Result<Self> {
        check_documents(n)?;
        Ok(Self { documents: (0..n).collect(), ranks: (0..n).collect() })
    }

    /// Documents in ascending order of their keys, and ties in the order of the input. To keep the longest document,
    /// use [`Reverse`](std::cmp::Reverse). It is an error if there are more than
    /// [`MAX_DOCUMENTS`](super::MAX_DOCUMENTS).
    ///
    /// ```
    /// use lookalike::clustering::KeepOrder;
    /// use std::cmp::Reverse;
    ///
    /// let lengths = [10, 30, 30, 20];
    /// let longest_first = KeepOrder::by_key(4, |document| Reverse(lengths[document]))?;
    /// assert_eq!(longest_first.documents(), [1, 2, 3, 0]);
    /// # Ok::<(), lookalike::Error>(())
    /// ```
    pub fn by_key<K: Ord>(n: usize, mut key: impl FnMut(usize) -> K) -> Result<Self> {
        check_documents(n)?;
        let mut documents: Vec<usize> = (0..n).collect();
        documents.sort_by_cached_key(|&document| key(document));
        let mut ranks = vec![0; n];
        for (rank, &document) in documents.iter().enumerate() {
            ranks[document] = rank;
        }
        Ok(Self { documents, ranks })
    }

    /// Documents in this order. Each of `0..n` must be there once.
    pub fn from_permutation(documents: Vec<usize>) -> Result<Self> {
        let n = documents.len();
        let mut ranks = vec![usize::MAX; n];
        for (rank, &document) in documents.iter().enumerate() {
            match ranks.get_mut(document) {
                Some(place) if *place == usize::MAX => *place = rank,
                _ => {
                    return Err(Error::invalid(
                        "documents",
                        document,
                        format!("the order must name each document below {n} exactly once"),
                    ));
                }
            }
        }
        Ok(Self { documents, ranks })
    }

    /// The number of documents.
    #[must_use]
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// True if there are no documents.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// The documents in keep order.
    #[must_use]
    pub fn documents(&self) -> &[usize] {
        &self.documents
    }

    /// The position of a document in the order; `None` if there is no such document.
    #[must_use]
    pub fn rank(&self, document: usize) -> Option<usize> {
        self.ranks.get(document).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_are_in_input_order() {
        assert_eq!(KeepOrder::by_key(4, |document| document % 2).unwrap().documents(), [0, 2, 1, 3]);
        assert_eq!(KeepOrder::by_key(3, |_| ()), KeepOrder::input(3));
        assert!(KeepOrder::by_key(0, |document| document).unwrap().is_empty());
    }

    #[test]
    fn more_documents_than_memory_are_an_error() {
        for n in [super::super::MAX_DOCUMENTS + 1, usize::MAX] {
            let errors =
                [KeepOrder::input(n), KeepOrder::by_key(n, |document| document)].map(Result::unwrap_err);
            for error in errors {
                assert!(error.to_string().contains("at most 4294967295 documents"), "{error}");
            }
            assert!(super::super::UnionFind::new(n).is_err());
        }
    }

    #[test]
    fn only_permutations_are_orders() {
        let order = KeepOrder::from_permutation(vec![2, 0, 1]).unwrap();
        assert_eq!([0, 1, 2, 3].map(|document| order.rank(document)), [Some(1), Some(2), Some(0), None]);
        for wrong in [vec![0, 0], vec![0, 2], vec![usize::MAX]] {
            let error = KeepOrder::from_permutation(wrong).unwrap_err().to_string();
            assert!(error.contains("exactly once"), "{error}");
        }
    }
}
