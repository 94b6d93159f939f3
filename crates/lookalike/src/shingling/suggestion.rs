//! A collection -> a good k.

use super::{MAX_K, ShingleBuffer, ShingleSet, Shingler, Shingling};
use crate::error::{Error, Result};
use crate::similarity::overlap_coefficient;

/// A suggested length of shingles, with the measurement behind it.
#[derive(Debug, Clone, PartialEq)]
pub struct Suggestion {
    /// The suggested k.
    pub k: usize,
    /// For k = 1, 2, ... the share of a document's shingles that another document has as well: the median over the
    /// pairs.
    pub chance_share: Vec<f64>,
}

/// How many pairs of documents are looked at.
const MOST_PAIRS: usize = 200;

/// Suggests k for a collection: the smallest for which, in the median pair of documents, at most the share
/// `acceptable` (0.02 is a good choice) of the shingles of the smaller one is also in the other.
///
/// The rule of the notes: k is large enough when the probability that a given shingle appears in a given document
/// is low. That can be measured: take two documents of the collection that have nothing to do with each other and
/// see which share of the shingles of one is in the other. It falls quickly with k, and the smallest k for which
/// it is low enough wins (a larger one would only make small edits cost more similarity).
///
/// Up to 400 documents are taken, evenly spread over the sample; those without any shingle are left out. Each one
/// of the first half is paired with one half a sample further on. The share of the collection is the median over
/// these pairs, so that true duplicates among them, as long as they are fewer than half, do no harm. When no k up
/// to `max_k` is enough, `max_k` is suggested.
///
/// ```
/// use lookalike::shingling::{Shingling, Unit, suggest_k};
/// let documents = ["the cat sat on the mat today", "a dog lay on the rug all day", "the sun shone on the sea"];
/// let settings = Shingling::default().with_unit(Unit::Characters);
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
    if max_k == 0 || max_k > MAX_K {
        return Err(Error::invalid("max_k", max_k, format!("a shingle has 1 to {MAX_K} tokens")));
    }
    let documents = sample.len().min(2 * MOST_PAIRS);
    // i * len / documents, without overflow.
    let (step, rest) = (sample.len() / documents, sample.len() % documents);
    let chosen: Vec<&T> = (0..documents).map(|i| &sample[i * step + i * rest / documents]).collect();
    let mut buffer = ShingleBuffer::default();
    let mut chance_share = Vec::new();
    for k in 1..=max_k {
        let shingler = Shingler::new(Shingling { k, ..settings.clone() })?;
        let sets: Vec<ShingleSet> = chosen
            .iter()
            .map(|text| shingler.hashes(text, &mut buffer).iter().copied().collect())
            .filter(|set: &ShingleSet| !set.is_empty())
            .collect();
        if sets.len() < 2 {
            return Err(Error::invalid(
                "sample",
                sets.len(),
                "at least two documents with shingles are needed",
            ));
        }
        let (first, second) = sets.split_at(sets.len() / 2);
        let mut shares: Vec<f64> = first.iter().zip(second).map(|(a, b)| overlap_coefficient(a, b)).collect();
        shares.sort_by(f64::total_cmp);
        let share = shares[shares.len() / 2];
        chance_share.push(share);
        if share <= acceptable {
            return Ok(Suggestion { k, chance_share });
        }
    }
    Ok(Suggestion { k: max_k, chance_share })
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
