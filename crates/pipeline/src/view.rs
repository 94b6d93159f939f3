//! The sketched corpus, with all that a run has: every stage after sketching is called with it.

use crate::candidates;
use crate::copies::{self, Copies};
use crate::limits::memory::Ledger;
use crate::limits::sorted::Room;
use crate::method::Recipe;
use crate::progress::timing::Stages;
use crate::report::PairCounts;
use crate::resume::work::Work;
use crate::sketch::Sources;
use crate::sketch::order::KeepOrder;
use crate::store::{Number, Store};
use crate::verify::{self, Task, verify};
use crate::{Job, Observer, Result, Stage};

/// A run after sketching.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) job: &'a Job,
    pub(crate) store: &'a Store,
    pub(crate) sources: Sources<'a>,
    pub(crate) recipe: &'a Recipe,
    pub(crate) order: &'a KeepOrder,
    pub(crate) budget: &'a Ledger,
    /// Where a run spills what does not fit in memory.
    pub(crate) work: &'a Work,
    pub(crate) threads: usize,
    pub(crate) observer: &'a dyn Observer,
}

impl<'a> View<'a> {
    /// What sorts that may go to files need.
    pub(crate) fn room(self) -> Room<'a> {
        Room { ledger: self.budget, work: self.work, observer: self.observer }
    }

    /// True if a document comes from `--against`: these documents are never removed.
    pub(crate) fn is_protected(self, number: Number) -> bool {
        self.sources.is_against(self.store.source_of(number))
    }

    /// Finds exact copies.
    pub(crate) fn copies(self, stages: &mut Stages<'_>) -> Result<Copies> {
        stages.begin_quietly(Stage::ExactCopies);
        let copies = copies::find(self)?;
        stages.end(copies.pairs.len());
        Ok(copies)
    }

    /// Finds candidates, verifies them, and carries out `task` with the verified pairs.
    pub(crate) fn verify(
        self,
        copies: &Copies,
        stages: &mut Stages<'_>,
        task: Task<'_>,
    ) -> Result<PairCounts> {
        if let Some(nearness) = self.recipe.method.nearness() {
            stages.begin_quietly(Stage::Verify);
            let counts = verify::vectors::verify(self, copies, nearness, task)?;
            stages.end(counts.compared);
            return Ok(counts);
        }
        stages.begin_quietly(Stage::Candidates);
        let candidates = candidates::find(self, copies)?;
        stages.end(self.recipe.bands() as u64);
        stages.begin_quietly(Stage::Verify);
        let counts = verify(self, candidates, task)?;
        stages.end(counts.compared);
        Ok(counts)
    }
}
