//! Verified pairs -> what share of all pairs was found, by the run's own estimate.
//!
//! A pair of similarity s becomes a candidate with probability p(s), so each found pair stands for 1/p(s) pairs
//! (Horvitz and Thompson, 1952): of T = sum 1/p(s) pairs, n were found.
//!
//! **The error.** Pairs of one template stand or fall together, so the variance cannot be had by adding up pairs as
//! if they were independent. But the bands are drawn independently. Leaving out one band at a time gives estimates of
//! the same T from one band less, and their spread gives the variance of T (the jackknife). Where bands are not what
//! finds pairs, pairs with the same kept document are taken to stand or fall together. The larger of this and the
//! variance of independent pairs is used.

use crate::method::{Means, Sketching};
use crate::report::Recall;

/// What is needed of a found pair.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FoundPair {
    pub similarity: f64,
    /// Shingles of the removed document.
    pub size: u64,
    /// The only band that found it.
    pub sole_band: Option<u32>,
    /// The kept document.
    pub kept: u64,
}

/// The estimate from all found pairs, in a fixed order, or nothing where nothing can be missed.
pub(crate) fn estimate(pairs: impl Iterator<Item = FoundPair>, means: &Means) -> Option<Recall> {
    if matches!(means.sketching, Sketching::Tables { .. }) {
        return None;
    }
    let bands = means.bands();
    let (mut count, mut total, mut independent, mut with_one_less) = (0u64, 0.0, 0.0, 0.0);
    let mut lost = vec![0.0; bands];
    let mut by_kept: Vec<(u64, f64)> = Vec::new();
    for pair in pairs {
        let p = means.probability(pair.similarity, pair.size, false).max(f64::MIN_POSITIVE);
        count += 1;
        total += 1.0 / p;
        independent += (1.0 - p) / (p * p);
        if bands > 1 {
            let less = 1.0 / means.probability(pair.similarity, pair.size, true).max(f64::MIN_POSITIVE);
            with_one_less += less;
            if let Some(band) = pair.sole_band {
                lost[band as usize] += less;
            }
        } else {
            by_kept.push((pair.kept, (1.0 - p).sqrt() / p));
        }
    }
    if count == 0 {
        return Some(Recall { estimate: 1.0, standard_error: 0.0, pairs: 0 });
    }
    let dependent = if bands > 1 {
        let mean = with_one_less - lost.iter().sum::<f64>() / bands as f64;
        let spread: f64 = lost.iter().map(|lost| (with_one_less - lost - mean).powi(2)).sum();
        spread * (bands - 1) as f64 / bands as f64
    } else {
        by_kept.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        by_kept.chunk_by(|a, b| a.0 == b.0).map(|same| same.iter().map(|(_, u)| u).sum::<f64>().powi(2)).sum()
    };
    let estimate = count as f64 / total;
    let standard_error = estimate * dependent.max(independent).sqrt() / total;
    Some(Recall { estimate, standard_error, pairs: count })
}
