//! Do all keyspaces agree?
//!
//! Verifying reads every keyspace once, in order, and needs no memory. What the documents imply and what is stored are
//! two bags of entries; their sizes and the sums of the hashes of their entries are compared. If they differ, the
//! entries are looked up one by one to count what is missing and what should not be there. (Entries are hashed to 128
//! bits, so a difference that damage makes is overlooked with a probability of about 2^-128.)

use crate::index::read_counters;
use crate::pages::List;
use crate::search::view;
use crate::store::{Read, Snapshot, Space};
use crate::values::{
    Body, Page, Record, bucket_key, copies_key, damaged, expiry_key, expiry_of, id_number, number_key,
    number_of,
};
use crate::{Index, Result};
use lookalike::hashing::mix64;

/// What a verification has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Verified {
    /// Documents that can be read.
    pub documents: u64,
    /// Documents that cannot be read, or whose body cannot.
    pub unreadable: u64,
    /// Entries of buckets, lists of copies, ids and expiry that follow from the documents.
    pub entries: u64,
    /// Entries that should be there and are not.
    pub missing: u64,
    /// Entries that are there and should not be.
    pub extra: u64,
    /// True if the counters are those of the documents.
    pub counters_agree: bool,
    /// The number of documents in the largest bucket.
    pub largest_bucket: u64,
    /// Acknowledged batches that the store has lost.
    pub lost: u64,
}

impl Verified {
    /// True if nothing is wrong.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.unreadable == 0 && self.missing == 0 && self.extra == 0 && self.counters_agree && self.lost == 0
    }
}

/// What is done with an entry that is stored: its keyspace, the key of its list and its number.
type VisitStored<'v> = dyn FnMut(Space, &[u8], u64) -> Result<()> + 'v;

/// A bag of entries, as its size and the sum of the hashes of its entries.
#[derive(Debug, Default, PartialEq, Eq, Clone, Copy)]
struct Bag {
    entries: u64,
    sum: [u64; 2],
}

impl Bag {
    fn add(&mut self, space: Space, key: &[u8], number: u64) {
        self.entries += 1;
        for (seed, sum) in self.sum.iter_mut().enumerate() {
            let mut hash = mix64(seed as u64 + 1) ^ mix64(space as u64 + 3);
            for part in key.chunks(8) {
                let mut bytes = [0; 8];
                bytes[..part.len()].copy_from_slice(part);
                hash = mix64(hash ^ u64::from_le_bytes(bytes)).wrapping_add(part.len() as u64);
            }
            *sum = sum.wrapping_add(mix64(hash ^ mix64(number.wrapping_add(seed as u64))));
        }
    }
}

impl Index {
    /// Checks every entry of every keyspace against the documents, and back.
    pub fn verify(&self) -> Result<Verified> {
        let snapshot = self.snapshot()?;
        let snapshot = snapshot.as_ref();
        let counters = read_counters(snapshot)?;
        let mut found = Verified { lost: self.lost, ..Verified::default() };
        let (mut implied, mut stored) = (Bag::default(), Bag::default());
        let mut distinct = 0;
        self.visit_documents(snapshot, counters.next, &mut |number, record| {
            let Some(record) = record else {
                found.unreadable += 1;
                return Ok(());
            };
            found.documents += 1;
            let is_first = self.visit_entries(snapshot, number, record, &mut |space, key| {
                implied.add(space, key, number);
                Ok(())
            })?;
            distinct += u64::from(is_first);
            Ok(())
        })?;
        self.visit_stored(snapshot, counters.next, &mut found, &mut |space, key, number| {
            stored.add(space, key, number);
            Ok(())
        })?;
        found.entries = implied.entries;
        found.counters_agree = (counters.documents, counters.distinct)
            == (found.documents + found.unreadable, distinct)
            || found.unreadable > 0;
        if implied != stored {
            self.count_differences(snapshot, counters.next, &mut found)?;
        }
        Ok(found)
    }

    /// Hands out all documents, in order; `None` for one that cannot be read.
    fn visit_documents(
        &self,
        snapshot: &dyn Snapshot,
        end: u64,
        visit: &mut dyn FnMut(u64, Option<&Record>) -> Result<()>,
    ) -> Result<()> {
        for entry in snapshot.scan(Space::Documents, &[]) {
            let (key, value) = entry?;
            let number = number_of(Space::Documents, &key)?;
            if number >= end {
                break;
            }
            let record = view(&self.engine, number, &value).ok().and_then(|view| view.record());
            let record = record.filter(|record| self.has_body(snapshot, number, record));
            visit(number, record.as_ref())?;
        }
        Ok(())
    }

    /// True if the body of a document can be read, and a text is the one that was sketched.
    fn has_body(&self, read: &dyn Read, number: u64, record: &Record) -> bool {
        match self.body(read, number) {
            Ok(Some(Body::Text(text))) => {
                let sketched = self.engine.sketch(&crate::Content::Text(text), None);
                sketched.is_ok_and(|it| {
                    (it.record.content_hash, &it.record.lanes) == (record.content_hash, &record.lanes)
                })
            }
            Ok(_) => true,
            Err(_) => false,
        }
    }

    /// Hands out the entries that a document implies. Returns true if it is the oldest with its text.
    fn visit_entries(
        &self,
        read: &dyn Read,
        number: u64,
        record: &Record,
        visit: &mut dyn FnMut(Space, &[u8]) -> Result<()>,
    ) -> Result<bool> {
        visit(Space::Ids, record.id.as_bytes())?;
        if let Some(expires) = record.expires {
            visit(Space::Expiry, &expiry_key(expires, number))?;
        }
        let copies = copies_key(record.copy_hash());
        visit(Space::Copies, &copies)?;
        let is_first = List { space: Space::Copies, key: &copies }.first(read)? == Some(number);
        if is_first && !record.hash_only {
            let mut keys = Vec::new();
            self.engine.documents.keys_into(&record.lanes, record.within, &mut keys);
            for (band, &key) in keys.iter().enumerate() {
                visit(Space::Buckets, &bucket_key(band, key))?;
            }
        }
        Ok(is_first)
    }

    /// Hands out all entries that are stored.
    fn visit_stored(
        &self,
        snapshot: &dyn Snapshot,
        end: u64,
        found: &mut Verified,
        visit: &mut VisitStored<'_>,
    ) -> Result<()> {
        for entry in snapshot.scan(Space::Ids, &[]) {
            let (id, value) = entry?;
            let number = id_number(&id, &value)?;
            if number < end {
                visit(Space::Ids, &id, number)?;
            }
        }
        for entry in snapshot.scan(Space::Expiry, &[]) {
            let (key, _) = entry?;
            let (_, number) = expiry_of(&key)?;
            if number < end {
                visit(Space::Expiry, &key, number)?;
            }
        }
        for (space, length) in [(Space::Copies, 16), (Space::Buckets, 9)] {
            let mut in_list = (Vec::new(), 0);
            for entry in snapshot.scan(space, &[]) {
                let (key, value) = entry?;
                let wrong = || damaged(space, &key, "it is no page of numbers");
                let page = Page::decode(&value).ok_or_else(wrong)?;
                let list = key.get(..length).ok_or_else(wrong)?;
                if in_list.0 != list {
                    in_list = (list.to_vec(), 0);
                }
                for number in page.numbers.into_iter().filter(|&number| number < end) {
                    visit(space, list, number)?;
                    in_list.1 += 1;
                }
                if space == Space::Buckets {
                    found.largest_bucket = found.largest_bucket.max(in_list.1);
                }
            }
        }
        Ok(())
    }

    /// Counts what is missing and what should not be there, with a look-up for each entry.
    fn count_differences(&self, snapshot: &dyn Snapshot, end: u64, found: &mut Verified) -> Result<()> {
        let mut missing = 0;
        self.visit_documents(snapshot, end, &mut |number, record| {
            let Some(record) = record else { return Ok(()) };
            self.visit_entries(snapshot, number, record, &mut |space, key| {
                missing += u64::from(!has_entry(snapshot, space, key, number)?);
                Ok(())
            })?;
            Ok(())
        })?;
        let mut extra = 0;
        self.visit_stored(snapshot, end, &mut Verified::default(), &mut |space, key, number| {
            let value = snapshot.get(Space::Documents, &number_key(number))?;
            let record = value.and_then(|value| view(&self.engine, number, &value).ok()?.record());
            let mut is_implied = false;
            if let Some(record) = record {
                self.visit_entries(snapshot, number, &record, &mut |implied, implied_key| {
                    is_implied |= implied == space && implied_key == key;
                    Ok(())
                })?;
            }
            extra += u64::from(!is_implied);
            Ok(())
        })?;
        (found.missing, found.extra) = (missing, extra);
        Ok(())
    }
}

/// True if an entry is stored.
fn has_entry(read: &dyn Read, space: Space, key: &[u8], number: u64) -> Result<bool> {
    match space {
        Space::Ids => match read.get(space, key)? {
            Some(value) => Ok(id_number(key, &value)? == number),
            None => Ok(false),
        },
        Space::Copies | Space::Buckets => {
            let mut numbers = Vec::new();
            List { space, key }.read_into(read, usize::MAX / 2, &mut numbers)?;
            Ok(numbers.binary_search(&number).is_ok())
        }
        _ => Ok(read.get(space, key)?.is_some()),
    }
}
