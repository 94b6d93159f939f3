//! The answers of searches: matches and pairs.

/// A document that a query found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Match<Id = usize> {
    /// The id of the document.
    pub id: Id,
    /// Its Jaccard similarity to the query, estimated from the signatures.
    pub similarity: f64,
}

/// Two documents and their similarity. The similarity is an estimate if the pair comes from an index, and exact if
/// the pair was verified.
///
/// An [`LshIndex`](crate::index::LshIndex) names documents by ids of any type. Verification takes the same ids, if it
/// can find the set of each id ([`SetsById`](crate::verification::SetsById)). Clustering takes positions in a
/// collection: there the id is a `usize`, the default.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair<Id = usize> {
    /// The id of the first document.
    pub a: Id,
    /// The id of the second document.
    pub b: Id,
    /// Their similarity, from 0 to 1.
    pub similarity: f64,
}

impl<Id: Clone> Pair<Id> {
    /// The two ids without the similarity. `pairs.iter().map(Pair::ids)` can be passed to
    /// [`connected_components`](crate::clustering::connected_components).
    #[must_use]
    pub fn ids(&self) -> (Id, Id) {
        (self.a.clone(), self.b.clone())
    }
}
