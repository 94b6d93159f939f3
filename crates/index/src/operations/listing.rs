//! All documents, the oldest first, as they were at one moment.

use crate::clock::Millis;
use crate::document::Kept;
use crate::index::{kept, read_counters};
use crate::search::{view, wrong_record};
use crate::store::{Snapshot, Space};
use crate::values::{Body, number_key, number_of};
use crate::{Error, Index, Result};

/// The documents of an index as they were when the listing was begun, page by page, the oldest first. What comes, changes
/// or goes later is not seen. The store cannot free what a listing may still see, and is not closed before the listing is
/// dropped.
pub struct Listing {
    snapshot: Box<dyn Snapshot>,
    /// The number of the last document that was handed out.
    after: u64,
    /// No document has this number or a larger one.
    end: u64,
    /// What has expired by then is left out.
    now: Millis,
}

impl std::fmt::Debug for Listing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Listing").field("after", &self.after).finish_non_exhaustive()
    }
}

impl Index {
    /// Begins a listing of all documents that have not expired.
    pub fn listing(&self) -> Result<Listing> {
        let snapshot = self.snapshot()?;
        let end = read_counters(snapshot.as_ref())?.next;
        Ok(Listing { snapshot, after: 0, end, now: self.now() })
    }
}

impl Listing {
    /// The listing from the document on that follows the one with this number.
    pub(crate) fn after(mut self, number: u64) -> Self {
        self.after = number;
        self
    }

    /// The next documents of the index that the listing is of, with their texts if these are wanted and stored. Fewer than
    /// `most` are the last.
    pub fn page(&mut self, index: &Index, most: usize, texts: bool) -> Result<Vec<Kept>> {
        let mut page = Vec::new();
        if most > 0 {
            self.visit(index, texts, &mut |kept| {
                page.push(kept);
                Ok::<_, Error>(page.len() < most)
            })?;
        }
        Ok(page)
    }

    /// Hands out the documents that are left. `visit` returns false to stop.
    pub(crate) fn visit<E: From<Error>>(
        &mut self,
        index: &Index,
        texts: bool,
        visit: &mut impl FnMut(Kept) -> std::result::Result<bool, E>,
    ) -> std::result::Result<(), E> {
        let snapshot = self.snapshot.as_ref();
        for entry in snapshot.scan(Space::Documents, &number_key(self.after.saturating_add(1))) {
            let (key, value) = entry?;
            let number = number_of(Space::Documents, &key)?;
            if number >= self.end {
                break;
            }
            self.after = number;
            let view = view(&index.engine, number, &value)?;
            if view.is_expired(self.now) {
                continue;
            }
            let record = view.record().ok_or_else(|| wrong_record(number))?;
            let body = if texts { index.body(snapshot, number)? } else { None };
            let text = match body {
                Some(Body::Text(text)) => Some(text),
                _ => None,
            };
            if !visit(kept(number, record, text)?)? {
                break;
            }
        }
        Ok(())
    }
}
