//! What a run asks of an index: was something like this document seen before? And what it gives to one: the documents
//! that it keeps.
//!
//! The documents of an index come before all others in keep order. A document that is similar to one of them is
//! removed, and takes part in nothing else. So it is asked for once, when it is sketched; what was answered is stored
//! with the sketches. A run needs no document of the index that is similar to none of its own.

use crate::decide::{Removal, Removals};
use crate::store::Number;
use crate::view::View;
use crate::{ReadDocument, Result};
use bytemuck::{Pod, Zeroable};
use std::fmt::Debug;
use std::sync::Arc;

/// The indexes of a job.
#[derive(Debug, Clone, Default)]
pub struct Indexes {
    /// Documents that duplicate one of this index are removed.
    pub against: Option<Arc<dyn SeenBefore>>,
    /// The kept documents are added to this index when all outputs are complete.
    pub add_to: Option<Arc<dyn TakesKept>>,
    /// The part of the memory limit that the indexes take, in bytes.
    pub memory: u64,
}

/// An index that is asked whether it has documents.
pub trait SeenBefore: Debug + Send + Sync {
    /// What its users call it.
    fn name(&self) -> &str;
    /// What tells it from all other indexes, for good. Copies of an index have the same one.
    fn identity(&self) -> String;
    /// Where it is, however its users call it.
    fn place(&self) -> String;
    /// What changes whenever documents are added, changed or removed. (That some expire is not told: they were there when
    /// the run began.)
    fn state(&self) -> String;
    /// The probability that a document of the index whose similarity equals the threshold is found.
    fn found_probability(&self) -> f64;
    /// Looks for the document of the index because of which a document with this text is removed: the oldest one with
    /// the same normalised text, or else the oldest one that is similar enough. Only documents with the same `within`
    /// are compared.
    fn find(&self, text: &str, within: Option<&str>) -> Result<SeenAnswer>;
}

/// What an index answers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SeenAnswer {
    /// The document because of which the other one is removed; `None` if there is none.
    pub matched: Option<SeenMatch>,
    /// True if there were more candidates than the index compares, so that one may have been missed.
    pub is_cut: bool,
}

/// A document of an index because of which another one is removed.
#[derive(Debug, Clone, PartialEq)]
pub struct SeenMatch {
    /// Its number in the index.
    pub number: u64,
    /// Its id.
    pub id: String,
    /// The similarity of the two documents.
    pub similarity: f64,
    /// The Hamming distance of the two fingerprints, with SimHash.
    pub distance: Option<u32>,
    /// True if the two have the same normalised text.
    pub is_copy: bool,
    /// The number of shingles of the document that was asked for.
    pub shingles: u64,
}

/// An index to which documents are added.
pub trait TakesKept: Debug + Send + Sync {
    /// What its users call it.
    fn name(&self) -> &str;
    /// What tells it from all other indexes, for good. Copies of an index have the same one.
    fn identity(&self) -> String;
    /// Where it is, however its users call it.
    fn place(&self) -> String;
    /// An error if no document can be added with this id.
    fn check_id(&self, id: &str) -> Result<()>;
    /// True if two documents with the same id are an error.
    fn refuses_repeated_ids(&self) -> bool;
    /// Adds all documents that `read` hands out, in their order. With `again`, an earlier call was stopped: documents
    /// that are there are left out.
    /// Returns how many documents are there because of this call.
    fn add(&self, read: &ReadKept<'_>, again: bool) -> Result<u64>;
}

/// A function that reads documents and hands them out one after the other.
pub type ReadKept<'r> = dyn Fn(&mut (dyn FnMut(ReadDocument) -> Result<()> + Send)) -> Result<()> + Sync + 'r;

/// The answer for one document, as it is stored with the sketches.
#[derive(Debug, Clone, Copy, PartialEq, Zeroable, Pod)]
#[repr(C)]
pub(crate) struct SeenRow {
    /// The slot of the document.
    pub slot: u64,
    /// The number of the document in the index.
    pub number: u64,
    pub similarity: f64,
    pub distance: u32,
    /// 1 for an exact copy, 0 for a near-duplicate.
    pub exact: u32,
}

impl SeenRow {
    pub(crate) fn new(slot: usize, found: &SeenMatch) -> Self {
        let SeenMatch { number, similarity, distance, is_copy, .. } = *found;
        Self {
            slot: slot as u64,
            number,
            similarity,
            distance: distance.unwrap_or(0),
            exact: u32::from(is_copy),
        }
    }
}

/// The bit of a number that stands for a document of the index.
const OF_INDEX: Number = 1 << 63;

/// The number that stands for the document of the index because of which this document is removed.
pub(crate) fn seen_by(number: Number) -> Number {
    number | OF_INDEX
}

/// The document that was asked for, if a number stands for a document of the index.
pub(crate) fn asked_for(number: Number) -> Option<Number> {
    (number & OF_INDEX != 0).then_some(number & !OF_INDEX)
}

impl View<'_> {
    /// The removals with those because of documents of the index. Such a document is named after the first document
    /// that is removed because of it.
    pub(crate) fn with_seen(self, removals: Removals) -> Result<Removals> {
        if !self.store.has_seen() {
            return Ok(removals);
        }
        let room = self.room();
        let by_index = |row: &SeenRow| (row.number, row.slot);
        let mut rows = room.sorter(room.ledger.sorting(), by_index);
        for part in 0..self.store.parts() {
            room.observer.go_on()?;
            let (first, seen) = self.store.seen_rows(part)?;
            seen.iter().for_each(|row| rows.push(SeenRow { slot: first + row.slot, ..*row }));
        }
        let mut all = room.sorter(room.ledger.sorting(), |removal: &Removal| removal.number);
        let mut last: Option<(u64, Number)> = None;
        for (step, row) in rows.finish()?.iter().enumerate() {
            room.observer.go_on_at(step)?;
            let row = row?;
            let kept = last.filter(|(number, _)| *number == row.number).map_or(row.slot, |(_, first)| first);
            last = Some((row.number, kept));
            all.push(Removal::seen(&row, seen_by(kept)));
        }
        for (step, removal) in removals.iter().enumerate() {
            room.observer.go_on_at(step)?;
            all.push(removal?);
        }
        all.finish()
    }
}
