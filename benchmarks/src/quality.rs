//! Comparison of answers with the truth. A benchmark with a wrong answer fails.

use crate::dedup::Removal;
use lookalike::shingling::{ShingleSet, Shingler};
use lookalike::similarity::jaccard;
use std::collections::BTreeMap;
use testkit::oracle::Overlap;

/// How many of the true pairs were found, and how many of the found pairs are true.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quality {
    /// The number of true pairs that were found divided by the number of true pairs.
    pub recall: f64,
    /// The number of true pairs that were found divided by the number of found pairs.
    pub precision: f64,
    /// Number of true pairs.
    pub truth: usize,
    /// Number of found pairs.
    pub found: usize,
}

/// Compares pairs with the exact similarities. A pair at or above `threshold + margin` must be found, a pair below
/// `threshold - margin` must not be found, and a pair between them may be found: programs that split words
/// differently compute similarities that differ in the third digit.
#[must_use]
pub fn quality(found: &[(usize, usize)], exact: &[Overlap], threshold: f64, margin: f64) -> Quality {
    let similarities: BTreeMap<(usize, usize), f64> =
        exact.iter().map(|pair| ((pair.a, pair.b), pair.jaccard())).collect();
    let mut sorted: Vec<(usize, usize)> = found.iter().map(|&(a, b)| (a.min(b), a.max(b))).collect();
    sorted.sort_unstable();
    sorted.dedup();
    let similarity = |pair: &(usize, usize)| similarities.get(pair).copied().unwrap_or(0.0);
    let wanted: Vec<_> = exact.iter().filter(|pair| pair.jaccard() >= threshold + margin).collect();
    let hits = wanted.iter().filter(|pair| sorted.binary_search(&(pair.a, pair.b)).is_ok()).count();
    let right = sorted.iter().filter(|pair| similarity(pair) >= threshold - margin).count();
    let share = |part: usize, whole: usize| if whole == 0 { 1.0 } else { part as f64 / whole as f64 };
    Quality {
        recall: share(hits, wanted.len()),
        precision: share(right, sorted.len()),
        truth: wanted.len(),
        found: sorted.len(),
    }
}

/// Computes the similarity of every removal again from the texts. An error unless each removal names a kept document,
/// the similarity in the file is exact, and it is at least `threshold`.
pub fn check_removals<T: AsRef<str>>(
    texts: &[T],
    removals: &[Removal],
    threshold: f64,
) -> Result<(), String> {
    let shingler = Shingler::default();
    let mut is_removed = vec![false; texts.len()];
    for removal in removals {
        let place = is_removed.get_mut(removal.line).ok_or(format!("no such document: {removal:?}"))?;
        *place = true;
    }
    // Removals with the same kept document follow each other, so that the set of the kept document is computed only
    // once.
    let mut by_kept: Vec<&Removal> = removals.iter().collect();
    by_kept.sort_unstable_by_key(|removal| (removal.kept_line, removal.line));
    let mut kept: Option<(usize, ShingleSet)> = None;
    for removal in by_kept {
        if is_removed.get(removal.kept_line) != Some(&false) {
            return Err(format!("the kept document was removed too: {removal:?}"));
        }
        let set = match kept.take() {
            Some((line, set)) if line == removal.kept_line => set,
            _ => shingler.set(texts[removal.kept_line].as_ref()),
        };
        let exact = jaccard(&set, &shingler.set(texts[removal.line].as_ref()));
        kept = Some((removal.kept_line, set));
        if (exact - removal.similarity).abs() > 1e-9 || exact < threshold {
            return Err(format!("the exact similarity is {exact}: {removal:?}"));
        }
    }
    Ok(())
}

/// Of the planted pairs `(of, document)` at or above `threshold`, the share in which at least one document is
/// removed.
#[must_use]
pub fn share_of_planted<T: AsRef<str>>(
    texts: &[T],
    planted: impl Iterator<Item = (usize, usize)>,
    removals: &[Removal],
    threshold: f64,
) -> (f64, usize) {
    let shingler = Shingler::default();
    let mut is_removed = vec![false; texts.len()];
    removals.iter().for_each(|removal| is_removed[removal.line] = true);
    let (mut found, mut all) = (0, 0);
    for (a, b) in planted {
        if jaccard(&shingler.set(texts[a].as_ref()), &shingler.set(texts[b].as_ref())) >= threshold {
            all += 1;
            found += usize::from(is_removed[a] || is_removed[b]);
        }
    }
    (found as f64 / f64::from(all.max(1)), all as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recall_and_precision_count_pairs_once_and_in_any_order() {
        let pair = |a, b, common| Overlap { a, b, common, size_a: 100, size_b: 100 };
        // Jaccard 90/110 = 0.818, 88/112 = 0.786, 50/150 = 0.333.
        let exact = [pair(0, 1, 90), pair(0, 2, 88), pair(1, 2, 50), pair(3, 4, 95)];
        let found = [(1, 0), (0, 1), (2, 0), (7, 8)];
        let strict = quality(&found, &exact, 0.8, 0.0);
        assert_eq!((strict.recall, strict.precision, strict.truth, strict.found), (0.5, 1.0 / 3.0, 2, 3));
        let lenient = quality(&found, &exact, 0.8, 0.02);
        assert_eq!((lenient.recall, lenient.precision, lenient.truth), (0.0, 2.0 / 3.0, 1));
    }

    #[test]
    fn wrong_removals_are_found() {
        let texts = [
            "one two three four five six",
            "One two three four five six!",
            "something else that is long enough",
        ];
        let right = Removal { line: 1, kept_line: 0, exact: false, similarity: 1.0 };
        assert_eq!(check_removals(&texts, &[right], 0.8), Ok(()));
        for wrong in [
            Removal { similarity: 0.9, ..right },
            Removal { line: 2, similarity: 0.0, ..right },
            Removal { kept_line: 1, ..right },
            Removal { line: 5, ..right },
        ] {
            assert!(check_removals(&texts, &[wrong], 0.8).is_err(), "{wrong:?}");
        }
    }
}
