//! What searches answer with: matches and pairs.

/// A document that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Match<Id = usize> {
    /// The document.
    pub id: Id,
    /// Its Jaccard similarity to the query, estimated from the signatures.
    pub similarity: f64,
}

/// Two documents and how similar they are: estimated where an index answers, exact where pairs were verified.
///
/// An [`LshIndex`](crate::index::LshIndex) names documents by ids of any kind. Verification takes the same ids, if the
/// sets can be found by them ([`SetsById`](crate::verification::SetsById)). Clustering takes positions in a collection,
/// which is what the type is without a parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair<Id = usize> {
    /// The first document.
    pub a: Id,
    /// The second document.
    pub b: Id,
    /// How similar they are.
    pub similarity: f64,
}

impl<Id: Clone> Pair<Id> {
    /// The two documents, without their similarity: `pairs.iter().map(Pair::ids)` is what
    /// [`connected_components`](crate::clustering::connected_components) takes.
    #[must_use]
    pub fn ids(&self) -> (Id, Id) {
        (self.a.clone(), self.b.clone())
    }
}
