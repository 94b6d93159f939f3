//! Pairs and a keep order -> which documents are kept, which are removed, and because of which document.

#[cfg(test)]
mod tests;

use super::KeepOrder;
use crate::error::{Error, Result};
use crate::verification::Pair;

/// The decision about a document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fate {
    /// The document is kept.
    Kept,
    /// The document is removed, because it is similar to a document that is kept.
    Removed {
        /// The first kept document, in keep order, to which it is similar.
        by: usize,
        /// The similarity of the two documents.
        similarity: f64,
    },
}

/// The decisions about all documents of a collection.
#[derive(Debug, Clone, PartialEq)]
pub struct Survivors {
    fates: Vec<Fate>,
    comparisons: u64,
}

impl Survivors {
    /// The decision about each document, by its index.
    #[must_use]
    pub fn fates(&self) -> &[Fate] {
        &self.fates
    }

    /// The kept documents, ascending.
    pub fn kept(&self) -> impl Iterator<Item = usize> {
        self.fates.iter().enumerate().filter(|(_, fate)| **fate == Fate::Kept).map(|(document, _)| document)
    }

    /// The number of pairs that had to be compared; 0 if they were verified before.
    #[must_use]
    pub fn comparisons(&self) -> u64 {
        self.comparisons
    }
}

/// The documents that are kept, if all similar pairs are known. Pairs may be in any order and direction, and may
/// repeat (the highest similarity counts). A pair of a document with itself is ignored.
///
/// The rule: go through the documents in keep order. A document is removed if it is similar enough to a document that
/// was kept before it, and it names the first such document in keep order. Otherwise it is kept.
///
/// - **Sound.** Every removed document is itself similar to the kept document that it names.
/// - **Maximal.** No two kept documents are a similar pair, and every removed document is similar to a kept one.
/// - **One answer.** The kept documents are the lexicographically first maximal independent set of the graph of
///   similar pairs. They depend only on the pairs and the order.
///
/// Removed documents never cause the removal of others, so it is enough to compare with kept documents.
/// [`survivors_among_candidates`] makes use of this. Of m copies of one document in one bucket, m - 1 need one
/// comparison each.
///
/// Cost: sorting the pairs. With candidates, each document is also compared with the kept documents among its
/// candidates, until the first that is similar.
pub fn survivors(order: &KeepOrder, verified: &[Pair]) -> Result<Survivors> {
    let mut pairs = Vec::with_capacity(verified.len());
    for pair in verified {
        if pair.similarity.is_nan() {
            return Err(Error::invalid("similarity", pair.similarity, "a similarity must be a number"));
        }
        pairs.extend(RankedPair::new(order, pair.a, pair.b)?.map(|ranks| (ranks, pair.similarity)));
    }
    pairs.sort_unstable_by(|(a, x), (b, y)| a.cmp(b).then(y.total_cmp(x)));
    let fates = greedy(order, pairs.into_iter(), |&(ranks, _)| ranks, |&(_, similarity)| Some(similarity));
    Ok(Survivors { fates, comparisons: 0 })
}

/// The documents that are kept, if only candidate pairs are known. `verify(document, kept)` returns the similarity of
/// a document to a kept document before it, or `None` if they are not similar enough. Candidates may be in any order
/// and direction, and may repeat. A pair of a document with itself is ignored.
///
/// ```
/// use lookalike::clustering::{KeepOrder, survivors_among_candidates};
/// use lookalike::shingling::ShingleSet;
/// use lookalike::verification::Verifier;
///
/// let sets: Vec<ShingleSet> = (0..4).map(|_| (0..100).collect()).collect();
/// let verifier = Verifier::jaccard(0.8)?;
/// let candidates = (0..4).flat_map(|b| (0..b).map(move |a| (a, b)));
/// let survivors = survivors_among_candidates(&KeepOrder::input(4)?, candidates, |document, kept| {
///     verifier.verify(&sets[document], &sets[kept])
/// })?;
/// assert_eq!(survivors.kept().collect::<Vec<_>>(), [0]);
/// assert_eq!(survivors.comparisons(), 3); // of 6 candidates
/// # Ok::<(), lookalike::Error>(())
/// ```
pub fn survivors_among_candidates(
    order: &KeepOrder,
    candidates: impl IntoIterator<Item = (usize, usize)>,
    mut verify: impl FnMut(usize, usize) -> Option<f64>,
) -> Result<Survivors> {
    let mut pairs = Vec::new();
    for (a, b) in candidates {
        pairs.extend(RankedPair::new(order, a, b)?);
    }
    pairs.sort_unstable();
    pairs.dedup();
    let mut comparisons = 0;
    let documents = order.documents();
    let fates = greedy(
        order,
        pairs.into_iter(),
        |&ranks| ranks,
        |ranks| {
            comparisons += 1;
            verify(documents[ranks.later], documents[ranks.earlier])
        },
    );
    Ok(Survivors { fates, comparisons })
}

/// A pair, given by the positions of its documents in the keep order. When sorted, pairs are in the order in which
/// the rule uses them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct RankedPair {
    later: usize,
    earlier: usize,
}

impl RankedPair {
    /// `None` for a document paired with itself.
    fn new(order: &KeepOrder, a: usize, b: usize) -> Result<Option<Self>> {
        let rank = |document| {
            order.rank(document).ok_or_else(|| {
                Error::invalid("pair", document, format!("a document is an index below {}", order.len()))
            })
        };
        let (a, b) = (rank(a)?, rank(b)?);
        Ok((a != b).then(|| Self { later: a.max(b), earlier: a.min(b) }))
    }
}

/// Applies the rule to pairs sorted by rank. `similarity` is called only where it can matter.
fn greedy<P>(
    order: &KeepOrder,
    pairs: impl Iterator<Item = P>,
    ranks: impl Fn(&P) -> RankedPair,
    mut similarity: impl FnMut(&P) -> Option<f64>,
) -> Vec<Fate> {
    let documents = order.documents();
    let mut fates = vec![Fate::Kept; order.len()];
    for pair in pairs {
        let RankedPair { later, earlier } = ranks(&pair);
        let (document, by) = (documents[later], documents[earlier]);
        // All pairs of `earlier` with documents before it have been handled, so the decision about it is final.
        if fates[document] == Fate::Kept
            && fates[by] == Fate::Kept
            && let Some(similarity) = similarity(&pair)
        {
            fates[document] = Fate::Removed { by, similarity };
        }
    }
    fates
}
