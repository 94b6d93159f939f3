//! What would change at another threshold: from the sketches of the run, and the sources where pairs are verified.

use super::{FinishedRun, RunPair, pair};
use crate::report::Recall;
use crate::run::{Prepared, temp_folder};
use crate::stages::Stages;
use crate::work::Work;
use crate::{Job, Observer, Result, Settings};

/// What another threshold changes.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The threshold.
    pub threshold: f64,
    /// Documents that it keeps.
    pub kept: u64,
    /// Documents that it removes as near-duplicates; exact copies stay exact copies.
    pub near: u64,
    /// Removed by the run, but not then: with the pair that removed each.
    pub stays: Vec<RunPair>,
    /// Removed then, but not by the run: with the pair that would remove each.
    pub goes: Vec<RunPair>,
    /// The share of the duplicates that would be found.
    pub recall: Option<Recall>,
}

impl FinishedRun {
    /// What would change at another threshold. Nothing is sketched again.
    pub fn at_threshold(&self, threshold: f64, observer: &dyn Observer) -> Result<Change> {
        let job = self.job()?;
        let job = Job { settings: Settings { threshold, ..job.settings.clone() }, ..job };
        let prepared = Prepared::new(&job)?;
        let work = Work::temporary(&temp_folder(&job))?;
        prepared.in_pool(|| {
            let mut stages = Stages::new(observer);
            let copies = prepared.copies(&self.store, &mut stages)?;
            let (removals, pairs, _) = prepared.decide(&self.store, &copies, &work, &mut stages)?;
            let missing = |removals: &[crate::decisions::Removal], number: u64| {
                removals.binary_search_by_key(&number, |removal| removal.number).is_err()
            };
            let stays = self.removals.iter().filter(|removal| missing(&removals, removal.number));
            let goes = removals.iter().filter(|removal| missing(&self.removals, removal.number));
            let (stays, goes) = (stays.map(pair).collect(), goes.map(pair).collect());
            let report = prepared.report(&self.store, &removals, pairs, stages, &work)?;
            Ok(Change {
                threshold,
                kept: report.counts.kept,
                near: report.counts.near,
                stays,
                goes,
                recall: report.recall,
            })
        })
    }
}
