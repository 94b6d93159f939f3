//! Two indexes become one.

use crate::changes::{self, IfThere};
use crate::index::read_counters;
use crate::search::{view, wrong_record};
use crate::store::Space;
use crate::values::number_of;
use crate::{Error, Index, Result};

/// How many documents are added with one commit.
const BATCH: usize = 1_000;

impl Index {
    /// Adds all documents of another index that have not expired, and returns how many there were. The two must have
    /// the same configuration, and if they store shingles the same key. The documents of the other become the younger
    /// ones, in their order, and keep their times and metadata.
    ///
    /// An id that is in both is an error, and nothing is added. Documents are added in batches of 1,000; after a kill,
    /// call this again with `skip_present`: documents whose id is there already are then left out.
    pub fn merge(&self, other: &Self, skip_present: bool) -> Result<u64> {
        self.check_mergeable(&other.head)?;
        let theirs = other.snapshot()?;
        let (end, now) = (read_counters(theirs.as_ref())?.next, self.now());
        if !skip_present {
            let ours = self.snapshot()?;
            for entry in theirs.scan(Space::Ids, &[]) {
                let (id, _) = entry?;
                let id =
                    String::from_utf8(id.to_vec()).map_err(|_| Error::damaged("an id", "it is no text"))?;
                let is_in_both = self.find_live(ours.as_ref(), &id)?.is_some()
                    && other.find_live(theirs.as_ref(), &id)?.is_some();
                if is_in_both {
                    return Err(Error::DuplicateId { id });
                }
            }
        }
        let mut added = 0;
        let mut batch = Vec::new();
        for entry in theirs.scan(Space::Documents, &[]) {
            let (key, value) = entry?;
            let number = number_of(Space::Documents, &key)?;
            if number >= end {
                break;
            }
            let view = view(&self.engine, number, &value)?;
            if view.is_expired(now) {
                continue;
            }
            let record = view.record().ok_or_else(|| wrong_record(number))?;
            batch.push(self.engine.prepared(record, other.body(theirs.as_ref(), number)?));
            if batch.len() == BATCH {
                added += self.merge_batch(&std::mem::take(&mut batch), skip_present)?;
            }
        }
        Ok(added + self.merge_batch(&batch, skip_present)?)
    }

    fn merge_batch(&self, batch: &[crate::engine::Prepared], skip_present: bool) -> Result<u64> {
        let now = self.now();
        self.writer.write(self.store.as_ref(), |writes| {
            let mut added = 0;
            for prepared in batch {
                let present = changes::find(&self.engine, writes, &prepared.record.id)?;
                if skip_present && present.is_some_and(|(_, record)| !record.is_expired(now)) {
                    continue;
                }
                changes::add(&self.engine, writes, prepared, IfThere::Refuse, now)?;
                added += 1;
            }
            Ok(added)
        })
    }
}
