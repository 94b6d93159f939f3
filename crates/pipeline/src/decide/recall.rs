//! Verified pairs -> an estimate of the share of all similar pairs that the run found.
//!
//! A pair of similarity s becomes a candidate with probability p(s), so each found pair represents 1/p(s) pairs
//! (Horvitz and Thompson, 1952). If n pairs were found, there are about T = sum 1/p(s) pairs, and the recall is n/T.
//!
//! **The error.** Pairs of documents with the same template are found or missed together, so the variance is not the
//! sum over independent pairs. But the bands are drawn independently. Leaving out one band at a time gives estimates
//! of the same T with one band less, and their spread gives the variance of T (the jackknife). If a method does not
//! find pairs by bands, we assume that pairs with the same kept document are found or missed together. The larger of
//! this variance and the variance of independent pairs is used.

use super::{Removal, Removals};
use crate::limits::sorted::{Room, Sorter};
use crate::method::{FoundBy, Recipe};
use crate::report::Recall;
use crate::seen::asked_for;
use crate::store::Number;
use crate::view::View;
use crate::write::naming::BATCH;
use crate::{Clusters, Result, Verify};

/// Below this chance of finding a pair at the threshold, the recall is not estimated.
pub const LEAST_PLANNED: f64 = 0.01;

/// What the estimate needs to know about a found pair.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FoundPair {
    pub similarity: f64,
    /// The number of shingles of the removed document.
    pub size: u64,
    /// What found the pair.
    pub found_by: FoundBy,
    /// The number of the kept document.
    pub kept: u64,
}

/// The estimate in progress. Pairs are added in a fixed order, so that rounding is the same in every run.
pub(crate) struct Estimator<'a, F> {
    recipe: &'a Recipe,
    count: u64,
    /// How many of these were found in a way that finds every similar pair.
    proven: u64,
    total: f64,
    independent: f64,
    with_one_less: f64,
    lost: Vec<f64>,
    /// The kept document, and what a pair with it adds to the variance: the bits of a non-negative `f64`, so that
    /// they sort like the number.
    by_kept: Sorter<'a, [u64; 2], F>,
}

/// A new estimate without pairs; `None` if the method cannot miss pairs.
pub(crate) fn estimator<'a>(
    recipe: &'a Recipe,
    room: Room<'a>,
) -> Option<Estimator<'a, impl Fn(&[u64; 2]) -> [u64; 2]>> {
    if !recipe.method.misses_pairs() {
        return None;
    }
    let by_kept = room.sorter(room.ledger.sorting(), |item: &[u64; 2]| *item);
    Some(Estimator {
        recipe,
        count: 0,
        proven: 0,
        total: 0.0,
        independent: 0.0,
        with_one_less: 0.0,
        lost: vec![0.0; recipe.bands()],
        by_kept,
    })
}

impl<F: Fn(&[u64; 2]) -> [u64; 2]> Estimator<'_, F> {
    /// Adds a found pair.
    pub(crate) fn add(&mut self, pair: FoundPair) {
        let recipe = self.recipe;
        self.count += 1;
        if pair.found_by == FoundBy::Proof {
            self.proven += 1;
            return;
        }
        let p = recipe.method.probability(pair.similarity, pair.size, false).max(f64::MIN_POSITIVE);
        self.total += 1.0 / p;
        self.independent += (1.0 - p) / (p * p);
        if self.lost.len() > 1 {
            let less =
                1.0 / recipe.method.probability(pair.similarity, pair.size, true).max(f64::MIN_POSITIVE);
            self.with_one_less += less;
            if let FoundBy::Band(band) = pair.found_by {
                self.lost[band as usize] += less;
            }
        } else {
            self.by_kept.push([pair.kept, ((1.0 - p).max(0.0).sqrt() / p).to_bits()]);
        }
    }

    /// The estimate from all added pairs.
    pub(crate) fn finish(self) -> Result<Recall> {
        let Self { count, proven, total, independent, with_one_less, lost, by_kept, .. } = self;
        let total = total + proven as f64;
        if count == 0 {
            return Ok(Recall { estimate: 1.0, standard_error: 0.0, pairs: 0, proven: 0 });
        }
        let bands = lost.len() as f64;
        let dependent = if lost.len() > 1 {
            let mean = with_one_less - lost.iter().sum::<f64>() / bands;
            let spread: f64 = lost.iter().map(|lost| (with_one_less - lost - mean).powi(2)).sum();
            spread * (bands - 1.0) / bands
        } else {
            let (mut squares, mut of_kept, mut last) = (0.0, 0.0, None);
            for item in by_kept.finish()?.iter() {
                let [kept, added] = item?;
                if last != Some(kept) {
                    squares += f64::powi(of_kept, 2);
                    (of_kept, last) = (0.0, Some(kept));
                }
                of_kept += f64::from_bits(added);
            }
            squares + of_kept.powi(2)
        };
        let estimate = count as f64 / total;
        let standard_error = estimate * dependent.max(independent).sqrt() / total;
        Ok(Recall { estimate, standard_error, pairs: count, proven })
    }
}

impl View<'_> {
    /// Estimates the recall from the removed near-duplicates. `None` if the settings do not allow an estimate.
    pub(crate) fn recall(self, removals: &Removals) -> Result<Option<Recall>> {
        let (settings, room) = (&self.recipe.settings, self.room());
        if settings.matching.verify != Verify::Exact || settings.matching.clusters == Clusters::Components {
            return Ok(None);
        }
        // A plan that finds hardly any pair at the threshold has not seen those that say how many there are.
        if self.recipe.plan.recall_at_threshold < LEAST_PLANNED {
            return Ok(None);
        }
        let Some(mut estimator) = estimator(self.recipe, room) else { return Ok(None) };
        // How an index finds its documents is its own plan.
        let is_estimated = |removal: &Removal| !removal.is_exact() && asked_for(removal.kept).is_none();
        let mut found = removals.iter().filter(|removal| !removal.as_ref().is_ok_and(|it| !is_estimated(it)));
        loop {
            room.observer.go_on()?;
            let some = found.by_ref().take(BATCH).collect::<Result<Vec<Removal>>>()?;
            if some.is_empty() {
                return estimator.finish().map(Some);
            }
            let numbers: Vec<Number> = some.iter().map(|removal| removal.number).collect();
            debug_assert!(numbers.is_sorted());
            for (removal, entry) in some.iter().zip(self.store.entries_of(&numbers)?) {
                estimator.add(FoundPair {
                    similarity: removal.similarity,
                    size: u64::from(entry.size),
                    found_by: removal.found_by(),
                    kept: removal.kept,
                });
            }
        }
    }
}
