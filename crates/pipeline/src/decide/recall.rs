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
use serde::{Deserialize, Serialize};

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

/// A sum of numbers as whole multiples of 2^-40, so that it does not depend on the order in which they are added: partial sums of
/// a cluster come to the same bits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
struct Sum(i128);

/// What a sum is a multiple of, as a power of two.
const UNIT: i32 = -40;

/// A larger number is added as this one. Even 2^26 of them do not overflow.
const LARGEST: f64 = (1u64 << 60) as f64;

impl Sum {
    fn add(&mut self, number: f64) {
        self.0 += (number.min(LARGEST) * f64::powi(2.0, -UNIT)).round() as i128;
    }

    fn to_f64(self) -> f64 {
        self.0 as f64 * f64::powi(2.0, UNIT)
    }
}

/// What the estimate needs of the pairs that were added. Those of several parts of a run can be [put together](Self::merge).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RecallSums {
    count: u64,
    /// How many of these were found in a way that finds every similar pair.
    proven: u64,
    total: Sum,
    independent: Sum,
    with_one_less: Sum,
    lost: Vec<Sum>,
    /// Over kept documents: the square of what their pairs add to the variance.
    squares: Sum,
}

/// What a pair adds to the variance that its kept document has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OfKept {
    kept: u64,
    pub added: f64,
}

impl RecallSums {
    /// Adds a found pair. What is returned must be [added](Self::add_kept) together with that of the same kept document.
    pub(crate) fn add(&mut self, recipe: &Recipe, pair: FoundPair) -> Option<OfKept> {
        self.lost.resize(recipe.method.independent_bands(), Sum::default());
        self.count += 1;
        if pair.found_by == FoundBy::Proof {
            self.proven += 1;
            return None;
        }
        let p = recipe.method.probability(pair.similarity, pair.size, false).max(f64::MIN_POSITIVE);
        self.total.add(1.0 / p);
        self.independent.add((1.0 - p) / (p * p));
        if self.lost.len() <= 1 {
            return Some(OfKept { kept: pair.kept, added: (1.0 - p).max(0.0).sqrt() / p });
        }
        let less = 1.0 / recipe.method.probability(pair.similarity, pair.size, true).max(f64::MIN_POSITIVE);
        self.with_one_less.add(less);
        if let FoundBy::Band(band) = pair.found_by {
            self.lost[band as usize].add(less);
        }
        None
    }

    /// Adds all that the pairs of one kept document add to its variance.
    pub(crate) fn add_kept(&mut self, of_kept: impl Iterator<Item = f64>) {
        let mut sum = Sum::default();
        of_kept.for_each(|added| sum.add(added));
        self.squares.add(sum.to_f64().powi(2));
    }

    /// Adds what another part of the run found, for other kept documents.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.proven += other.proven;
        self.lost.resize(self.lost.len().max(other.lost.len()), Sum::default());
        self.lost.iter_mut().zip(&other.lost).for_each(|(sum, more)| sum.0 += more.0);
        self.total.0 += other.total.0;
        self.independent.0 += other.independent.0;
        self.with_one_less.0 += other.with_one_less.0;
        self.squares.0 += other.squares.0;
    }

    /// The estimate from all added pairs.
    pub(crate) fn estimate(&self) -> Recall {
        let Self { count, proven, ref lost, .. } = *self;
        if count == 0 {
            return Recall { estimate: 1.0, standard_error: 0.0, pairs: 0, proven: 0 };
        }
        let total = self.total.to_f64() + proven as f64;
        let bands = lost.len() as f64;
        let dependent = if lost.len() > 1 {
            let with_one_less = self.with_one_less.to_f64();
            let lost = || lost.iter().map(|lost| lost.to_f64());
            let mean = with_one_less - lost().sum::<f64>() / bands;
            let spread: f64 = lost().map(|lost| (with_one_less - lost - mean).powi(2)).sum();
            spread * (bands - 1.0) / bands
        } else {
            self.squares.to_f64()
        };
        let estimate = count as f64 / total;
        let standard_error = estimate * dependent.max(self.independent.to_f64()).sqrt() / total;
        Recall { estimate, standard_error, pairs: count, proven }
    }
}

/// The estimate of a run on one machine, in progress.
pub(crate) struct Estimator<'a, F> {
    recipe: &'a Recipe,
    sums: RecallSums,
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
    Some(Estimator { recipe, sums: RecallSums::default(), by_kept })
}

impl<F: Fn(&[u64; 2]) -> [u64; 2]> Estimator<'_, F> {
    /// Adds a found pair.
    pub(crate) fn add(&mut self, pair: FoundPair) {
        if let Some(OfKept { kept, added }) = self.sums.add(self.recipe, pair) {
            self.by_kept.push([kept, added.to_bits()]);
        }
    }

    /// The estimate from all added pairs.
    pub(crate) fn finish(self) -> Result<Recall> {
        let Self { mut sums, by_kept, .. } = self;
        let (mut of_kept, mut last) = (Vec::new(), None);
        for item in by_kept.finish()?.iter() {
            let [kept, added] = item?;
            if last != Some(kept) {
                sums.add_kept(of_kept.drain(..));
                last = Some(kept);
            }
            of_kept.push(f64::from_bits(added));
        }
        sums.add_kept(of_kept.drain(..));
        Ok(sums.estimate())
    }
}

/// True if the settings allow an estimate.
pub(crate) fn is_estimated(recipe: &Recipe) -> bool {
    let matching = &recipe.settings.matching;
    matching.verify == Verify::Exact
        && matching.clusters != Clusters::Components
        // A plan that finds hardly any pair at the threshold has not seen those that say how many there are.
        && recipe.plan.recall_at_threshold >= LEAST_PLANNED
        && recipe.method.misses_pairs()
}

impl View<'_> {
    /// Estimates the recall from the removed near-duplicates. `None` if the settings do not allow an estimate.
    pub(crate) fn recall(self, removals: &Removals) -> Result<Option<Recall>> {
        if !is_estimated(self.recipe) {
            return Ok(None);
        }
        let room = self.room();
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
