//! The store under the index: ordered keys with values, in seven keyspaces.
//!
//! It is a small trait, so that tests can put a `BTreeMap` with injected faults in its place.
//!
//! | call | promise |
//! |---|---|
//! | [`Store::commit`] | the batch is on disk as a whole when it returns, or not at all after a kill |
//! | [`Store::snapshot`] | sees whole batches only, and none that is committed later |
//! | [`Store::ingest`] | sorted entries, as new tables: on disk when it returns; one keyspace at a time |

mod fjall_store;
mod journal;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod memory;
mod recent;

pub(crate) use fjall_store::{FjallStore, Tuning};
pub(crate) use journal::Journals;

use crate::Result;
use std::collections::BTreeMap;
use std::fmt::Debug;

/// A stored value. It is shared, not copied.
pub(crate) type Value = fjall::Slice;

/// An entry of a keyspace.
pub(crate) type Entry = (Value, Value);

/// The keyspaces. Their order is that of the folders of the store: it is part of the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Space {
    /// Counters and markers, by name.
    Meta,
    /// Number of a document -> its record.
    Documents,
    /// Number of a document -> its set or its text.
    Bodies,
    /// Id -> number.
    Ids,
    /// Copy hash -> pages of numbers.
    Copies,
    /// Band and key -> pages of numbers.
    Buckets,
    /// Time and number of a document that expires.
    Expiry,
}

impl Space {
    /// All of them, in the order of their folders.
    pub(crate) const ALL: [Self; 7] =
        [Self::Meta, Self::Documents, Self::Bodies, Self::Ids, Self::Copies, Self::Buckets, Self::Expiry];

    /// The name in the store.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Meta => "meta",
            Self::Documents => "documents",
            Self::Bodies => "bodies",
            Self::Ids => "ids",
            Self::Copies => "copies",
            Self::Buckets => "buckets",
            Self::Expiry => "expiry",
        }
    }
}

/// Writes that are committed together. A value of `None` removes the key.
#[derive(Debug, Default, Clone)]
pub(crate) struct Batch {
    spaces: [BTreeMap<Value, Option<Value>>; Space::ALL.len()],
}

impl Batch {
    pub(crate) fn put(&mut self, space: Space, key: impl Into<Value>, value: impl Into<Value>) {
        self.spaces[space as usize].insert(key.into(), Some(value.into()));
    }

    pub(crate) fn remove(&mut self, space: Space, key: impl Into<Value>) {
        self.spaces[space as usize].insert(key.into(), None);
    }

    /// What the batch does to a key: `None` if nothing.
    pub(crate) fn get(&self, space: Space, key: &[u8]) -> Option<&Option<Value>> {
        self.spaces[space as usize].get(key)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.spaces.iter().all(BTreeMap::is_empty)
    }

    /// The keys of a keyspace that are written or removed.
    pub(crate) fn keys(&self, space: Space) -> impl Iterator<Item = &Value> {
        self.spaces[space as usize].keys()
    }

    /// The writes, sorted by keyspace and key.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Space, &Value, &Option<Value>)> {
        Space::ALL
            .into_iter()
            .flat_map(|space| self.spaces[space as usize].iter().map(move |(key, value)| (space, key, value)))
    }

    /// Adds later writes, which win.
    pub(crate) fn extend(&mut self, later: Self) {
        for (own, mut later) in self.spaces.iter_mut().zip(later.spaces) {
            if own.is_empty() {
                *own = later;
            } else if later.len() < own.len() / 8 {
                // To join two maps means to build both anew.
                own.extend(later);
            } else {
                own.append(&mut later);
            }
        }
    }
}

/// Reads of single keys: from a snapshot, from the newest state, or from a transaction.
pub(crate) trait Read {
    /// The value of a key.
    fn get(&self, space: Space, key: &[u8]) -> Result<Option<Value>>;
}

/// One state of the store.
pub(crate) trait Snapshot: Read + Send + Sync {
    /// The entries with keys from `from` on, in order.
    fn scan<'s>(&'s self, space: Space, from: &[u8]) -> Box<dyn Iterator<Item = Result<Entry>> + Send + 's>;
}

/// The store.
pub(crate) trait Store: Read + Debug + Send + Sync {
    /// The newest state, for reading.
    fn snapshot(&self) -> Result<Box<dyn Snapshot>>;

    /// Writes a batch durably, as a whole.
    fn commit(&self, batch: &Batch) -> Result<()>;

    /// Writes entries with ascending keys as new tables, durably.
    fn ingest(&self, space: Space, entries: &mut dyn Iterator<Item = Result<Entry>>) -> Result<()>;

    /// Writes what is in memory to tables, so that the next opening has less to do.
    fn flush(&self) -> Result<()>;

    /// Merges tables, and frees what was removed or written again.
    fn compact(&self) -> Result<()>;

    /// The bytes on disk.
    fn disk_bytes(&self) -> Result<u64>;

    /// True if something that was read is damaged, so that nothing is written any more.
    fn is_damaged(&self) -> bool {
        false
    }
}
