//! What would change at another threshold. The answer is computed from the sketches of the run, unless they depend on the
//! threshold; texts are read from the sources where pairs are verified.

use super::{FinishedRun, RunPair, pair};
use crate::decide::Removals;
use crate::prepared::Prepared;
use crate::progress::timing::Stages;
use crate::report::Recall;
use crate::resume::work::Work;
use crate::{Error, Job, Observer, Result};

/// What would change at another threshold.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The other threshold.
    pub threshold: f64,
    /// How many documents would be kept.
    pub kept: u64,
    /// How many documents would be removed as near-duplicates. Exact copies do not depend on the threshold.
    pub near: u64,
    /// Documents that the run removed, but that would be kept: the first ones, each with the pair because of which it
    /// was removed.
    pub stays: Vec<RunPair>,
    /// How many such documents there are in all.
    pub all_stays: u64,
    /// Documents that the run kept, but that would be removed: the first ones, each with the pair because of which it
    /// would be removed.
    pub goes: Vec<RunPair>,
    /// How many such documents there are in all.
    pub all_goes: u64,
    /// The estimated share of the duplicates that would be found.
    pub recall: Option<Recall>,
}

impl FinishedRun {
    /// Finds what would change at another threshold, with the first `most` documents of each kind. The sketches of
    /// short documents depend on the threshold; where there can be any, all texts are sketched
    /// again.
    ///
    /// A run against an index is refused: what the index has at another threshold is not stored.
    pub fn at_threshold(&self, threshold: f64, most: usize, observer: &dyn Observer) -> Result<Change> {
        let index = self.identity.index_name();
        if !index.is_empty() {
            return Err(Error::Invalid(format!(
                "the run compared documents with the index {index}, and what that has at another threshold is not known; \
                 run again with --threshold {threshold} and --dry-run"
            )));
        }
        let job = self.job()?;
        let job = Job { settings: job.settings.clone().with_threshold(threshold), ..job };
        // The memory that the finished run uses is reserved in its own ledger.
        let prepared = Prepared { budget: self.ledger.clone(), ..Prepared::new(&job)? };
        let mut work = Work::temporary(&job.temp_folder())?;
        prepared.in_pool(|| {
            let mut stages = Stages::new(observer);
            crate::frames::learn(&prepared, &work, observer)?;
            let sketched;
            let store = match self.store.is_uneven() || prepared.recipe.has_uneven_lanes() {
                true => {
                    sketched = prepared.sketch(&mut work, &mut stages)?;
                    &sketched
                }
                false => &self.store,
            };
            let view = prepared.view(store, &work, observer);
            let copies = view.copies(&mut stages)?;
            let (removals, pairs, _) = view.decide(&copies, &mut stages)?;
            let (stays, all_stays) = missing(&self.removals, &removals, most)?;
            let (goes, all_goes) = missing(&removals, &self.removals, most)?;
            let report = view.report(&removals, pairs, stages)?;
            Ok(Change {
                threshold,
                kept: report.counts.kept,
                near: report.counts.near,
                stays,
                all_stays,
                goes,
                all_goes,
                recall: report.recall,
            })
        })
    }
}

/// The first `most` documents of `removals` that are not in `others`, and how many such documents there are.
fn missing(removals: &Removals, others: &Removals, most: usize) -> Result<(Vec<RunPair>, u64)> {
    let (mut first, mut all) = (Vec::new(), 0);
    let mut others = others.iter();
    for removal in removals.iter() {
        let removal = removal?;
        others.take_until(|other| other.number >= removal.number, |_| Ok(()))?;
        if others.peek()?.is_none_or(|other| other.number != removal.number) {
            all += 1;
            if first.len() < most {
                first.push(pair(&removal));
            }
        }
    }
    Ok((first, all))
}
