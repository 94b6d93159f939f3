//! What keeps an index in order: numbers about it, smaller files, copies of it.

use crate::config::Config;
use crate::document::Kept;
use crate::folder::Folder;
use crate::index::read_counters;
use crate::store::{FjallStore, Snapshot, Space, Store};
use crate::values::{Body, damaged, number_key};
use crate::{Error, Index, Options, Result, Stored};
use lookalike::passages::{Comparison, compare};
use std::path::Path;

/// Numbers about an index.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Stats {
    /// The configuration.
    pub config: Config,
    /// The plan as a phrase: `21 bands of 6 rows`.
    pub plan: String,
    /// The probability that a document at the threshold is found.
    pub found_probability: f64,
    /// The documents, with those that have expired but are not removed yet.
    pub documents: u64,
    /// The documents with different texts: exact copies count once.
    pub distinct: u64,
    /// The number of the next document.
    pub next_number: u64,
    /// How many batches were committed.
    pub batches: u64,
    /// Acknowledged batches that the store has lost.
    pub lost: u64,
    /// True if nothing can be written: something is lost or damaged, this process may not write to the folder, or a write has failed.
    pub read_only: bool,
    /// The bytes of all files.
    pub disk_bytes: u64,
}

impl Index {
    /// Numbers about the index.
    pub fn stats(&self) -> Result<Stats> {
        let counters = read_counters(self.snapshot()?.as_ref())?;
        Ok(Stats {
            config: self.engine.config.clone(),
            plan: self.engine.documents.label(),
            found_probability: self.found_probability(None),
            documents: counters.documents,
            distinct: counters.distinct,
            next_number: counters.next,
            batches: counters.batch,
            lost: self.lost,
            read_only: self.is_read_only(),
            disk_bytes: match &self.folder {
                Some(folder) => folder.bytes(),
                None => self.store.disk_bytes()?,
            },
        })
    }

    /// Writes what is in memory to tables, merges the tables and frees what was removed. Answers are the same before
    /// and after.
    pub fn compact(&self) -> Result<()> {
        self.writer.check()?;
        self.store.compact()
    }

    /// Writes a consistent copy of the index to a new folder, while it is read and written to. The copy is an index
    /// with the same key. An index that has lost something cannot be copied: the copy would not know.
    pub fn backup(&self, to: impl AsRef<Path>) -> Result<()> {
        self.writer.check_whole()?;
        let is_within =
            |folder: &Path| folder.canonicalize().is_ok_and(|it| it.starts_with(self.canonical_path()));
        if to.as_ref().ancestors().any(is_within) {
            return Err(Error::Within { path: to.as_ref().to_owned() });
        }
        let snapshot = self.snapshot()?;
        let folder = Folder::begin(to.as_ref())?;
        let copy = FjallStore::create(&folder.store(), self.options.tuning())?;
        copy_store(snapshot.as_ref(), &copy)?;
        drop(copy);
        let counters = read_counters(snapshot.as_ref())?;
        folder.finish(&self.head, counters.batch)
    }

    fn canonical_path(&self) -> std::path::PathBuf {
        self.path().canonicalize().unwrap_or_else(|_| self.path())
    }

    /// Makes an index at `to` from a backup, and opens it. The backup can be restored again: nothing is written to its folder,
    /// but who has it open.
    pub fn restore(backup: impl AsRef<Path>, to: impl AsRef<Path>, options: &Options) -> Result<Self> {
        let source = Self::open_read_only(backup, options)?;
        source.backup(to.as_ref())?;
        drop(source);
        Self::open(to, options)
    }

    /// Hands out all documents that have not expired, the oldest first, as they are now. `visit` returns false to stop.
    pub fn export<E: From<Error>>(
        &self,
        mut visit: impl FnMut(Kept) -> std::result::Result<bool, E>,
    ) -> std::result::Result<(), E> {
        self.listing()?.visit(self, true, &mut visit)
    }

    /// Some documents after the one with this number, in the order of their numbers: a page of a listing.
    pub fn list(&self, after: u64, most: usize) -> Result<Vec<Kept>> {
        self.listing()?.after(after).page(self, most, false)
    }

    /// What a text shares with a document. The index must store texts.
    pub fn passages(&self, id: &str, text: &str) -> Result<Comparison> {
        let stored = self.engine.config.store;
        if stored != Stored::Text {
            let (what, needed) = ("showing passages", "texts");
            return Err(Error::NotStored { what, needed, stored: stored.as_str() });
        }
        let snapshot = self.snapshot()?;
        let Some((number, _)) = self.find_live(snapshot.as_ref(), id)? else {
            return Err(Error::NoDocument { id: id.into() });
        };
        match self.body(snapshot.as_ref(), number)? {
            Some(Body::Text(own)) => Ok(compare(&own, text, self.engine.documents.shingler())?),
            _ => Err(damaged(Space::Bodies, &number_key(number), "it is no text")),
        }
    }
}

/// Copies everything of a snapshot. A bulk load that goes on meanwhile is copied with its marker, and is finished or
/// forgotten when the copy is opened.
fn copy_store(from: &dyn Snapshot, to: &dyn Store) -> Result<()> {
    for space in Space::ALL.into_iter().filter(|&space| space != Space::Meta) {
        let mut entries = from.scan(space, &[]).peekable();
        if entries.peek().is_some() {
            to.ingest(space, &mut entries)?;
        }
    }
    let mut meta = crate::store::Batch::default();
    for entry in from.scan(Space::Meta, &[]) {
        let (key, value) = entry?;
        meta.put(Space::Meta, key, value);
    }
    if meta.is_empty() {
        return Ok(());
    }
    to.commit(&meta)
}
