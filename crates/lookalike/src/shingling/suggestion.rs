//! A collection -> a good k.
//!
//! The rule of the notes: k is large enough when the probability that a given shingle appears in a given document
//! is low. That can be measured: take two documents of the collection that have nothing to do with each other and
//! see which share of the shingles of one is in the other. It falls quickly with k, and the smallest k for which
//! it is low enough wins (a larger one would only make small edits cost more similarity).

use super::{ShingleBuffer, ShingleSet, Shingler, Shingling};
use crate::error::{Error, Result};
use crate::similarity::overlap_coefficient;

/// A suggested length of shingles, with the measurement behind it.
#[derive(Debug, Clone, PartialEq)]
pub struct Suggestion {
    /// The suggested k.
    pub k: usize,
    /// For k = 1, 2, ... the mean share of a document's shingles that another document has as well.
    pub chance_share: Vec<f64>,
}

/// How many pairs of documents are looked at.
const MOST_PAIRS: usize = 200;

/// Suggests k for a collection: the smallest for which, on average over pairs of documents, at most the share
/// `acceptable` (0.02 is a good choice) of the shingles of one is also in the other.
///
/// The pairs are taken from places far apart in the sample, and of each pair only the median over all pairs
/// counts, so that a few true duplicates in the sample do no harm. When no k up to `max_k` is enough, `max_k` is
/// suggested.
///
/// ```
/// use lookalike::shingling::{Shingling, Unit, suggest_k};
/// let documents = ["the cat sat on the mat today", "a dog lay on the rug all day", "the sun shone on the sea"];
/// let settings = Shingling { unit: Unit::Characters, ..Shingling::default() };
/// let suggestion = suggest_k(&settings, &documents, 10, 0.02)?;
/// assert!(suggestion.k > 3 && suggestion.k <= 10);
/// # Ok::<(), lookalike::Error>(())
/// ```
pub fn suggest_k<T: AsRef<[u8]>>(
    settings: &Shingling,
    sample: &[T],
    max_k: usize,
    acceptable: f64,
) -> Result<Suggestion> {
    if !(acceptable > 0.0 && acceptable < 1.0) {
        return Err(Error::invalid("acceptable", acceptable, "a share between 0 and 1"));
    }
    if sample.len() < 2 {
        return Err(Error::invalid("sample", sample.len(), "at least two documents are needed"));
    }
    let documents = sample.len().min(2 * MOST_PAIRS);
    let stride = sample.len() / documents;
    let mut buffer = ShingleBuffer::default();
    let mut chance_share = Vec::new();
    for k in 1..=max_k.max(1) {
        let shingler = Shingler::new(Shingling { k, ..settings.clone() })?;
        let sets: Vec<ShingleSet> = (0..documents)
            .map(|i| shingler.hashes(&sample[i * stride], &mut buffer).iter().copied().collect())
            .collect();
        let half = documents / 2;
        let mut shares: Vec<f64> = (0..half)
            .map(|i| (&sets[i], &sets[i + half]))
            .filter(|(a, b)| !a.is_empty() && !b.is_empty())
            .map(|(a, b)| overlap_coefficient(a, b))
            .collect();
        shares.sort_by(f64::total_cmp);
        let share = shares.get(shares.len() / 2).copied().unwrap_or(0.0);
        chance_share.push(share);
        if share <= acceptable {
            return Ok(Suggestion { k, chance_share });
        }
    }
    Ok(Suggestion { k: max_k.max(1), chance_share })
}

/// The rule of thumb of the notes for characters, by the usual length of a document in characters: 5 for mails,
/// 9 for articles, 10 for books.
#[must_use]
pub const fn usual_k(characters: usize) -> usize {
    match characters {
        0..5_000 => 5,
        5_000..100_000 => 9,
        _ => 10,
    }
}
