//! Verified pairs and exact copies -> which documents are removed.

mod components;
pub(crate) mod group;
pub(crate) mod recall;

use crate::candidates::forest::Forest;
use crate::copies::{Copies, ExactCopy};
use crate::limits::bits::Bits;
use crate::limits::sorted::{Room, Sorted};
use crate::method::FoundBy;
use crate::progress::timing::Stages;
use crate::report::PairCounts;
use crate::seen::SeenRow;
use crate::solve::{Evidence, Found, NearMiss, NearMisses};
use crate::store::Number;
use crate::verify::Task;
use crate::view::View;
use crate::{Clusters, Result};
use bytemuck::{Pod, Zeroable};

/// A removed document.
#[derive(Debug, Clone, Copy, PartialEq, Zeroable, Pod)]
#[repr(C)]
pub(crate) struct Removal {
    /// The number of the removed document.
    pub number: Number,
    /// The number of the kept document that it duplicates.
    pub kept: Number,
    /// The similarity of the two documents; NaN if it was not computed.
    pub similarity: f64,
    /// The Hamming distance of the two fingerprints, with SimHash.
    pub distance: u32,
    /// What found the pair, as a number.
    pub found_by: u32,
    /// 1 for an exact copy, 0 for a near-duplicate.
    pub exact: u64,
}

impl Removal {
    /// A near-duplicate.
    pub(crate) fn near(found: &Found) -> Self {
        let Evidence { similarity, distance, found_by } = found.evidence;
        Self {
            number: found.number,
            kept: found.other,
            similarity,
            distance,
            found_by: found_by.to_number(),
            exact: 0,
        }
    }

    /// An exact copy.
    pub(crate) fn exact(number: Number, kept: Number) -> Self {
        Self { number, kept, similarity: 1.0, distance: 0, found_by: FoundBy::Several.to_number(), exact: 1 }
    }

    /// A document that an index has.
    pub(crate) fn seen(row: &SeenRow, kept: Number) -> Self {
        Self {
            number: row.slot,
            kept,
            similarity: row.similarity,
            distance: row.distance,
            found_by: FoundBy::Several.to_number(),
            exact: u64::from(row.exact),
        }
    }

    /// True if the removed document has the same normalised text as the kept one.
    pub(crate) fn is_exact(&self) -> bool {
        self.exact == 1
    }

    /// What found the pair.
    pub(crate) fn found_by(&self) -> FoundBy {
        FoundBy::of_number(self.found_by)
    }
}

/// What becomes of a document whose text an earlier one in keep order has: its original.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyFate {
    /// It is kept.
    Kept,
    /// It is removed as an exact copy of its original.
    Exact,
    /// It is removed with its original, for the same reason.
    WithOriginal,
}

impl CopyFate {
    /// Documents that are protected (those of `--against`) are kept. A copy of a kept document is an exact copy of it; a
    /// copy of a removed one is removed with it. With `against_only`, copies count only if the original is protected, or
    /// removed itself.
    #[must_use]
    pub fn of(
        is_protected: bool,
        is_original_removed: bool,
        is_original_protected: bool,
        against_only: bool,
    ) -> Self {
        if is_protected {
            Self::Kept
        } else if is_original_removed {
            Self::WithOriginal
        } else if !against_only || is_original_protected {
            Self::Exact
        } else {
            Self::Kept
        }
    }
}

/// The removed documents, ascending by number.
pub(crate) type Removals = Sorted<Removal>;

impl View<'_> {
    /// Decides which documents are removed, and returns them in input order.
    pub(crate) fn decide(
        self,
        copies: &Copies,
        stages: &mut Stages<'_>,
    ) -> Result<(Removals, PairCounts, Vec<NearMiss>)> {
        let near_misses = NearMisses::default();
        let room = self.room();
        let mut near = room.sorter(self.budget.collecting(), |removal: &Removal| removal.number);
        let counts = match self.recipe.settings.matching.clusters {
            Clusters::Stars => {
                let mut visit = |found: Found| near.push(Removal::near(&found));
                let task = Task::Survivors { near_misses: &near_misses, visit: &mut visit };
                self.verify(copies, stages, task)?
            }
            Clusters::Components => {
                let mut forest = Forest::new(self.store.count());
                let counts = self.verify(copies, stages, Task::Components { forest: &mut forest })?;
                let mut verified = 0;
                self.visit_components(forest, &mut |removal| {
                    verified += 1;
                    near.push(removal);
                })?;
                PairCounts { verified, ..counts }
            }
        };
        let (near, against_only) = (near.finish()?, self.recipe.settings.matching.against_only);
        let protected = |number| self.is_protected(number);
        let removals = with_copies(near, copies, self.store.count(), against_only, room, protected)?;
        let removals = self.with_seen(removals)?;
        Ok((removals, counts, near_misses.into_vec()))
    }
}

/// Puts near-duplicates and exact copies together, ascending by number. What becomes of copies is said by [`CopyFate`].
fn with_copies(
    near: Removals,
    copies: &Copies,
    count: Number,
    against_only: bool,
    room: Room<'_>,
    protected: impl Fn(Number) -> bool,
) -> Result<Removals> {
    if copies.pairs.len() == 0 {
        return Ok(near);
    }
    let mut removed = Bits::new(count);
    let mut all = room.sorter(room.ledger.sorting(), |removal: &Removal| removal.number);
    for (step, removal) in near.iter().enumerate() {
        room.observer.go_on_at(step)?;
        let removal = removal?;
        removed.insert(removal.number);
        all.push(removal);
    }
    // Copies of removed documents are sorted by their originals, to be merged with the removals.
    let of_removed = |pair: &ExactCopy| (pair.original, pair.copy);
    let mut of_removed = room.sorter(room.ledger.sorting(), of_removed);
    for (step, pair) in copies.pairs.iter().enumerate() {
        room.observer.go_on_at(step)?;
        let ExactCopy { copy, original } = pair?;
        match CopyFate::of(protected(copy), removed.contains(original), protected(original), against_only) {
            CopyFate::Kept => {}
            CopyFate::Exact => all.push(Removal::exact(copy, original)),
            CopyFate::WithOriginal => of_removed.push(ExactCopy { copy, original }),
        }
    }
    let mut originals = near.iter();
    for (step, pair) in of_removed.finish()?.iter().enumerate() {
        room.observer.go_on_at(step)?;
        let ExactCopy { copy, original } = pair?;
        originals.take_until(|removal| removal.number >= original, |_| Ok(()))?;
        let Some(removal) = originals.peek()? else { break };
        let found_by = removal.found_by().of_copy().to_number();
        all.push(Removal { number: copy, found_by, ..removal });
    }
    drop(near);
    all.finish()
}
