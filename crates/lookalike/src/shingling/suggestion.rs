//! A collection -> a good number of tokens per shingle, k.

use super::{MAX_K, ShingleBuffer, ShingleSet, Shingler, Shingling};
use crate::error::{Error, Result};
use crate::similarity::overlap_coefficient;

/// A suggested number of tokens per shingle, with the measurement it is based on.
#[derive(Debug, Clone, PartialEq)]
pub struct Suggestion {
    /// The suggested k.
    pub k: usize,
    /// For k = 1, 2, ... the share of a document's shingles that another document has as well. It is the median over
    /// the pairs that were compared.
    pub chance_share: Vec<f64>,
}

/// At most this many pairs of documents are compared.
const MOST_PAIRS: usize = 200;

/// Suggests k for a collection. The smaller document of a pair has some share of its shingles in the other one too.
/// The answer is the smallest k for which the median of this share over pairs of documents is at most `acceptable`
/// (0.02 is a good choice).
///
/// The rule of the lecture notes is that k is large enough when a given shingle is unlikely to appear in a given
/// document. This can be measured: take two unrelated documents of the collection and see which share of the shingles
/// of one is in the other. The share falls quickly as k grows. The smallest k that makes it low enough is best,
/// because with a larger k a small edit would only cost more similarity.
///
/// Up to 400 documents are used, evenly spread over the sample. Documents without any shingle are left out. Each
/// document of the first half is paired with the one half a sample further on. The median over these pairs is not
/// affected by true duplicates among them, as long as these are fewer than half. If no k up to `max_k` is large
/// enough, `max_k` is suggested.
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
    // This is i * len / documents, computed without overflow.
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

/// The rule of thumb of the lecture notes for shingles of characters. `characters` is the usual length of a document.
/// The answer is 5 for mails, 9 for articles and 10 for books.
#[must_use]
pub const fn usual_k(characters: usize) -> usize {
    match characters {
        0..5_000 => 5,
        5_000..100_000 => 9,
        _ => 10,
    }
}
