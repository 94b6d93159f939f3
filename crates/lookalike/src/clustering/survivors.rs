//! Pairs and a keep order -> who is kept, who is removed, and by whom.

#[cfg(test)]
mod tests;

use super::KeepOrder;
use crate::error::{Error, Result};
use crate::verification::Pair;

/// What becomes of a document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fate {
    /// It stays.
    Kept,
    /// It goes, because it looks like a document that stays.
    Removed {
        /// The first kept document, in keep order, that it is similar to.
        by: usize,
        /// How similar the two are.
        similarity: f64,
    },
}

/// The fate of every document of a collection.
#[derive(Debug, Clone, PartialEq)]
pub struct Survivors {
    fates: Vec<Fate>,
    comparisons: u64,
}

impl Survivors {
    /// The fate of each document, by its index.
    #[must_use]
    pub fn fates(&self) -> &[Fate] {
        &self.fates
    }

    /// The kept documents, ascending.
    pub fn kept(&self) -> impl Iterator<Item = usize> {
        self.fates.iter().enumerate().filter(|(_, fate)| **fate == Fate::Kept).map(|(document, _)| document)
    }

    /// How many pairs had to be compared; 0 when they were verified before.
    #[must_use]
    pub fn comparisons(&self) -> u64 {
        self.comparisons
    }
}

/// The survivors when all similar pairs are known. Pairs may come in any order and direction, and repeat (the highest similarity
/// counts); a pair of a document with itself is ignored.
///
/// The rule: go through the documents in keep order. A document is removed when some kept document among its
/// candidates is similar enough, and it names the first such one in keep order; otherwise it is kept.
///
/// - **Sound.** Whoever is removed is itself similar to the kept document it names.
/// - **Maximal.** No two kept documents are a similar pair, and every removed one has a kept look-alike.
/// - **One answer.** The kept documents are the lexicographically first maximal independent set of the graph of
///   similar pairs: a function of the pairs and the order.
///
/// Removed documents never remove others, so it is enough to compare with kept ones; that is what
/// [`survivors_among_candidates`] does. Of m copies of one document in one bucket, m - 1 need one comparison each.
///
/// Cost: sorting the pairs, and one comparison for each candidate pair whose earlier document is kept, until the
/// first that is similar.
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

/// The survivors when only candidates are known: `verify(document, kept)` tells how similar a document is to a kept
/// one that comes before it, or `None` if not enough. Candidates may come in any order and direction, and repeat; a pair
/// of a document with itself is ignored.
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

/// A pair by the positions of its documents in the keep order. Sorted, these are the questions of the rule in the order
/// in which it asks them.
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

/// The rule, over pairs sorted by rank; `similarity` is asked only where it can matter.
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
        // All pairs of `earlier` with those before it have been seen: its fate is final.
        if fates[document] == Fate::Kept
            && fates[by] == Fate::Kept
            && let Some(similarity) = similarity(&pair)
        {
            fates[document] = Fate::Removed { by, similarity };
        }
    }
    fates
}
