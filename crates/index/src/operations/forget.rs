//! Documents go: by id, by their metadata, or because their time is over.

use crate::changes;
use crate::engine::check_id;
use crate::index::read_counters;
use crate::operations::query::{Filter, fits};
use crate::search::{find_record, view};
use crate::store::Space;
use crate::values::{expiry_of, number_of};
use crate::{Error, Index, Result};

/// How many documents are removed with one commit, where their number is not bounded.
const BATCH: usize = 1_000;

impl Index {
    /// Removes the documents with these ids, with one commit, and returns how many there were. Unknown ids are no
    /// error.
    pub fn remove<S: AsRef<str>>(&self, ids: &[S]) -> Result<u64> {
        ids.iter().try_for_each(|id| check_id(id.as_ref()))?;
        let now = self.now();
        self.writer.write(self.store.as_ref(), |writes| {
            let mut removed = 0;
            for id in ids {
                let Some((number, record)) = changes::find(&self.engine, writes, id.as_ref())? else {
                    continue;
                };
                changes::remove(&self.engine, writes, number, &record)?;
                removed += u64::from(!record.is_expired(now));
            }
            Ok(removed)
        })
    }

    /// Removes all documents with these metadata and returns how many there were. They are removed in batches of 1,000:
    /// a kill may leave some of them.
    pub fn remove_where(&self, filter: &Filter) -> Result<u64> {
        if filter.is_empty() {
            return Err(Error::Zero { what: "the number of fields that a removal looks at" });
        }
        let snapshot = self.snapshot()?;
        let end = read_counters(snapshot.as_ref())?.next;
        let mut removed = 0;
        let mut batch = Vec::new();
        for entry in snapshot.scan(Space::Documents, &[]) {
            let (key, value) = entry?;
            let number = number_of(Space::Documents, &key)?;
            if number >= end {
                break;
            }
            if fits(number, view(&self.engine, number, &value)?.record(), filter)? {
                batch.push(number);
            }
            if batch.len() == BATCH {
                removed += self.remove_fitting(&std::mem::take(&mut batch), filter)?;
            }
        }
        removed += self.remove_fitting(&batch, filter)?;
        Ok(removed)
    }

    /// Removes up to `most` documents that have expired at `now`, those first that expired first, and returns how many
    /// it removed. If it is `most`, there may be more. Answers are the same before and after: what has expired is in
    /// none.
    pub fn expire(&self, now: u64, most: usize) -> Result<u64> {
        let mut removed = 0;
        let mut batch = Vec::new();
        let snapshot = self.snapshot()?;
        let end = read_counters(snapshot.as_ref())?.next;
        for entry in snapshot.scan(Space::Expiry, &[]).take(most) {
            let (expires, number) = expiry_of(&entry?.0)?;
            if expires > now {
                break;
            }
            if number < end {
                batch.push(number);
            }
            if batch.len() == BATCH {
                removed += self.remove_expired(&std::mem::take(&mut batch), now)?;
            }
        }
        removed += self.remove_expired(&batch, now)?;
        Ok(removed)
    }

    fn remove_expired(&self, numbers: &[u64], now: u64) -> Result<u64> {
        self.remove_if(numbers, |_, record| Ok(record.is_expired(now)))
    }

    fn remove_fitting(&self, numbers: &[u64], filter: &Filter) -> Result<u64> {
        self.remove_if(numbers, |number, record| fits(number, Some(record.clone()), filter))
    }

    /// Removes documents that are still there and still have to go.
    fn remove_if(
        &self,
        numbers: &[u64],
        must_go: impl Fn(u64, &crate::values::Record) -> Result<bool>,
    ) -> Result<u64> {
        if numbers.is_empty() {
            return Ok(0);
        }
        self.writer.write(self.store.as_ref(), |writes| {
            let mut removed = 0;
            for &number in numbers {
                let Some(record) = find_record(&self.engine, writes, number)? else { continue };
                if must_go(number, &record)? {
                    changes::remove(&self.engine, writes, number, &record)?;
                    removed += 1;
                }
            }
            Ok(removed)
        })
    }
}
