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

use super::{Removal, Removals};
use crate::limits::sorted::{Room, Sorter};
use crate::method::Means;
use crate::prepared::Prepared;
use crate::report::Recall;
use crate::store::{Number, Store};
use crate::write::naming::BATCH;
use crate::{Clusters, Result, Verify};

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

/// The estimate, while found pairs are added in a fixed order.
pub(crate) struct Estimator<'a, F> {
    means: &'a Means,
    count: u64,
    total: f64,
    independent: f64,
    with_one_less: f64,
    lost: Vec<f64>,
    /// The kept document and what a pair with it adds, in the bits of a number that is not negative.
    by_kept: Sorter<'a, [u64; 2], F>,
}

/// Nothing yet; none where nothing can be missed.
pub(crate) fn estimator<'a>(
    means: &'a Means,
    room: Room<'a>,
) -> Option<Estimator<'a, impl Fn(&[u64; 2]) -> [u64; 2]>> {
    if !means.method.misses_pairs() {
        return None;
    }
    let by_kept = room.sorter(room.ledger.sorting(), |item: &[u64; 2]| *item);
    Some(Estimator {
        means,
        count: 0,
        total: 0.0,
        independent: 0.0,
        with_one_less: 0.0,
        lost: vec![0.0; means.bands()],
        by_kept,
    })
}

impl<F: Fn(&[u64; 2]) -> [u64; 2]> Estimator<'_, F> {
    /// Adds a found pair.
    pub(crate) fn add(&mut self, pair: FoundPair) {
        let means = self.means;
        let p = means.method.probability(pair.similarity, pair.size, false).max(f64::MIN_POSITIVE);
        self.count += 1;
        self.total += 1.0 / p;
        self.independent += (1.0 - p) / (p * p);
        if self.lost.len() > 1 {
            let less =
                1.0 / means.method.probability(pair.similarity, pair.size, true).max(f64::MIN_POSITIVE);
            self.with_one_less += less;
            if let Some(band) = pair.sole_band {
                self.lost[band as usize] += less;
            }
        } else {
            self.by_kept.push([pair.kept, ((1.0 - p).max(0.0).sqrt() / p).to_bits()]);
        }
    }

    /// The estimate from all of them.
    pub(crate) fn finish(self) -> Result<Recall> {
        let Self { count, total, independent, with_one_less, lost, by_kept, .. } = self;
        if count == 0 {
            return Ok(Recall { estimate: 1.0, standard_error: 0.0, pairs: 0 });
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
        Ok(Recall { estimate, standard_error, pairs: count })
    }
}

impl Prepared<'_> {
    /// The estimate of the recall from near-duplicates that were found by their keys.
    pub(crate) fn recall(
        &self,
        store: &Store,
        removals: &Removals,
        room: Room<'_>,
    ) -> Result<Option<Recall>> {
        let settings = &self.job.settings;
        if settings.matching.verify != Verify::Exact || settings.matching.clusters == Clusters::Components {
            return Ok(None);
        }
        let Some(mut estimator) = estimator(&self.means, room) else { return Ok(None) };
        let mut found = removals.iter().filter(|removal| !removal.as_ref().is_ok_and(Removal::is_exact));
        loop {
            room.observer.go_on()?;
            let some = found.by_ref().take(BATCH).collect::<Result<Vec<Removal>>>()?;
            if some.is_empty() {
                return estimator.finish().map(Some);
            }
            let numbers: Vec<Number> = some.iter().map(|removal| removal.number).collect();
            debug_assert!(numbers.is_sorted());
            for (removal, entry) in some.iter().zip(store.entries_of(&numbers)?) {
                estimator.add(FoundPair {
                    similarity: removal.similarity,
                    size: u64::from(entry.size),
                    sole_band: removal.sole_band(),
                    kept: removal.kept,
                });
            }
        }
    }
}
