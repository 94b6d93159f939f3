//! Band keys that the caller made -> the names of the entries that share one, in a folder.
//!
//! An [`Index`](crate::Index) knows documents: it makes their signatures and keys, and compares them. A [`KeyTable`]
//! knows only what it is given, a name and a key per band, and answers with names: the tables of other libraries, kept
//! on disk. There are no texts, no similarities and no expiry.
//!
//! The folder, the store, the durability and the lock are those of an index: an entry that was acknowledged survives
//! `kill -9`, a batch is there as a whole or not at all, one process has it open, and readers never wait for writers.
//! `keys.json` has the place of `index.json`. `docs/index-format.md` describes what is stored.
//!
//! ```
//! # let folder = tempfile::tempdir()?;
//! # let seen = folder.path().join("seen");
//! use index::{Entry, KeyTable, KeyTableConfig};
//!
//! let config = KeyTableConfig::new(2, "made of words");
//! let table = KeyTable::open_or_create(&seen, &config)?;
//! table.insert(&[Entry::new("a", [10, 20]), Entry::new("b", [10, 21])], false, None)?;
//! assert_eq!(table.query(&[10, 99])?, [b"a", b"b"]);
//! drop(table);
//! let table = KeyTable::open_or_create(&seen, &config)?;
//! assert_eq!(table.remove(&[b"a".to_vec()])?, 1);
//! assert_eq!(table.query(&[10, 20])?, [b"b"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod entries;
#[cfg(test)]
mod tests;

use crate::folder::{Folder, Opened, holds_something_else};
use crate::index::read_counters;
use crate::pages::List;
use crate::store::{FjallStore, Read, Snapshot, Space, Store, Tuning};
use crate::values::damaged;
use crate::writer::{Transaction, Writer};
use crate::{Error, Result};
use entries::{bucket_key, bucket_of, numbers_of, record_of};
use files::Files;
use serde::{Deserialize, Serialize};
use std::path::Path;

const VERSION: u64 = 1;
const HEAD: &str = "keys.json";
/// The most bands: their number is stored in two bytes.
const MOST_BANDS: usize = 1 << 16;
/// The longest name: the store takes keys of up to 65,535 bytes.
const MOST_NAME_BYTES: usize = 60_000;
/// The key of the label in `meta`.
const LABEL_KEY: &[u8] = b"label";

/// What a table is created with. It is fixed for good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyTableConfig {
    bands: usize,
    note: String,
}

impl KeyTableConfig {
    /// A table of this many bands. `note` says how the caller makes keys: whoever opens the table with another one gets
    /// an error.
    #[must_use]
    pub fn new(bands: usize, note: impl Into<String>) -> Self {
        Self { bands, note: note.into() }
    }
}

/// What `keys.json` says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    version: u64,
    bands: usize,
    note: String,
}

/// A name and the key of each of its bands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The name: 1 to 60,000 bytes.
    pub name: Vec<u8>,
    /// The key of each band.
    pub keys: Vec<u64>,
}

impl Entry {
    /// An entry.
    #[must_use]
    pub fn new(name: impl Into<Vec<u8>>, keys: impl Into<Vec<u64>>) -> Self {
        Self { name: name.into(), keys: keys.into() }
    }
}

/// A table of given keys: names of entries by the band keys that the caller made, in a folder.
///
/// All operations take `&self` and may be called from any number of threads.
#[derive(Debug)]
pub struct KeyTable {
    bands: usize,
    writer: Writer,
    // The store is closed before the folder is unlocked.
    store: Box<dyn Store>,
    lost: u64,
    folder: Option<Folder>,
}

impl KeyTable {
    /// Opens a table, or creates it if the folder does not exist or is empty. If the store has lost acknowledged batches,
    /// nothing is written, and [`lost`](Self::lost) says how many: see [`accept_loss`](Self::accept_loss).
    pub fn open_or_create(path: impl AsRef<Path>, config: &KeyTableConfig) -> Result<Self> {
        let path = path.as_ref();
        if !(1..=MOST_BANDS).contains(&config.bands) {
            let (setting, value) = ("bands", config.bands.to_string());
            return Err(Error::Unsuitable { setting, value, reason: "it has 1 to 65,536" });
        }
        match read_head(path)? {
            Some(head) => Self::open(path, &head, config),
            None => Self::create(path, config),
        }
    }

    fn create(path: &Path, config: &KeyTableConfig) -> Result<Self> {
        let folder = Folder::begin_with(path, HEAD)?;
        let store = FjallStore::create(&folder.store(), Tuning::default())?;
        folder.finish_with(
            HEAD,
            &Head { version: VERSION, bands: config.bands, note: config.note.clone() },
            0,
        )?;
        let (_, acknowledged) = folder.acknowledged()?;
        let writer = Writer::new(read_counters(&store)?, acknowledged);
        Ok(Self { bands: config.bands, writer, store: Box::new(store), lost: 0, folder: Some(folder) })
    }

    fn open(path: &Path, head: &Head, config: &KeyTableConfig) -> Result<Self> {
        let pairs = [
            ("bands", head.bands.to_string(), config.bands.to_string()),
            ("note", head.note.clone(), config.note.clone()),
        ];
        for (setting, index, asked) in pairs {
            if index != asked {
                return Err(Error::Contradiction { setting: setting.into(), index, asked });
            }
        }
        let mut folder = Folder::open_with(path)?;
        let Opened { store, counters, lost, acknowledged, file } =
            folder.open_store(Tuning::default(), None)?;
        let writer = Writer::new(counters, file);
        if lost > 0 {
            writer.refuse_lost(path.to_owned(), lost, acknowledged);
        }
        Ok(Self { bands: head.bands, writer, store: Box::new(store), lost, folder: Some(folder) })
    }

    /// A table whose store is given.
    #[cfg(test)]
    fn on_store(store: Box<dyn Store>, bands: usize) -> Result<Self> {
        let acknowledged = crate::folder::Acknowledged::nowhere();
        let writer = Writer::new(read_counters(store.as_ref())?, acknowledged);
        Ok(Self { bands, writer, store, lost: 0, folder: None })
    }

    /// How many acknowledged batches the store has lost. If it is not 0, nothing can be written.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Goes on without the batches that were lost: what is there counts as all that was acknowledged. The table must be
    /// opened again.
    pub fn accept_loss(self) -> Result<()> {
        let batch = read_counters(self.store.as_ref())?.batch;
        let Self { store, folder, .. } = self;
        drop(store);
        folder.map_or(Ok(()), |mut folder| folder.accept_loss(batch, Tuning::default()))
    }

    /// The number of bands.
    #[must_use]
    pub fn bands(&self) -> usize {
        self.bands
    }

    /// The number of different names.
    pub fn len(&self) -> Result<u64> {
        Ok(read_counters(self.store.as_ref())?.distinct)
    }

    /// True if the table has no entries.
    pub fn is_empty(&self) -> Result<bool> {
        Ok(self.len()? == 0)
    }

    /// What the first insertion with a label said.
    pub fn label(&self) -> Result<Option<String>> {
        let value = self.store.get(Space::Meta, LABEL_KEY)?;
        let read = |value: &[u8]| String::from_utf8(value.to_vec()).ok();
        let wrong = || damaged(Space::Meta, LABEL_KEY, "it is not UTF-8");
        value.map(|value| read(&value).ok_or_else(wrong)).transpose()
    }

    /// Adds entries, all or none. A name that is there already is an error, unless names may `repeat`: then it has the
    /// keys of all its entries. If the table has no label yet, it gets this one.
    pub fn insert(&self, entries: &[Entry], repeat: bool, label: Option<&str>) -> Result<()> {
        for Entry { name, keys } in entries {
            if !(1..=MOST_NAME_BYTES).contains(&name.len()) {
                return Err(Error::Id { bytes: name.len(), most: MOST_NAME_BYTES });
            }
            if keys.len() != self.bands {
                let setting = "bands".into();
                let (index, asked) = (self.bands.to_string(), keys.len().to_string());
                return Err(Error::Contradiction { setting, index, asked });
            }
        }
        self.writer.write(self.store.as_ref(), |writes| {
            if let Some(label) = label
                && writes.get(Space::Meta, LABEL_KEY)?.is_none()
            {
                writes.put(Space::Meta, LABEL_KEY, label.as_bytes());
            }
            entries.iter().try_for_each(|entry| add(writes, entry, repeat))
        })
    }

    /// Removes all entries of these names, and returns how many of the names were there.
    pub fn remove(&self, names: &[Vec<u8>]) -> Result<u64> {
        self.writer.write(self.store.as_ref(), |writes| {
            let mut removed = 0;
            for name in names.iter().filter(|name| !name.is_empty()) {
                removed += u64::from(remove(writes, name, self.bands)?);
            }
            Ok(removed)
        })
    }

    /// True if an entry has this name.
    pub fn contains(&self, name: &[u8]) -> Result<bool> {
        Ok(!name.is_empty() && self.store.get(Space::Ids, name)?.is_some())
    }

    /// The names of the entries that share a key with these, in the same band: the oldest first, each once. Fewer keys
    /// than bands are those of the first bands.
    pub fn query(&self, keys: &[u64]) -> Result<Vec<Vec<u8>>> {
        let snapshot = self.store.snapshot()?;
        let mut numbers = Vec::new();
        for (band, &key) in keys.iter().enumerate().take(self.bands) {
            bucket(band, key, |list| list.read_into(snapshot.as_ref(), usize::MAX / 2, &mut numbers))?;
        }
        numbers.sort_unstable();
        numbers.dedup();
        self.names(snapshot.as_ref(), &numbers)
    }

    /// The names in one bucket, the oldest first.
    pub fn bucket(&self, band: usize, key: u64) -> Result<Vec<Vec<u8>>> {
        let snapshot = self.store.snapshot()?;
        let mut numbers = Vec::new();
        if band < self.bands {
            bucket(band, key, |list| list.read_into(snapshot.as_ref(), usize::MAX / 2, &mut numbers))?;
        }
        self.names(snapshot.as_ref(), &numbers)
    }

    fn names(&self, read: &dyn Read, numbers: &[u64]) -> Result<Vec<Vec<u8>>> {
        let mut names: Vec<Vec<u8>> = Vec::with_capacity(numbers.len());
        let mut seen = std::collections::HashSet::new();
        for &number in numbers {
            let (name, _) = record(read, number, self.bands)?;
            if seen.insert(name.clone()) {
                names.push(name);
            }
        }
        Ok(names)
    }

    /// The keys of a name: those of its first entry, then those of the next. Nothing, if there is no such name.
    pub fn keys_of(&self, name: &[u8]) -> Result<Vec<u64>> {
        let snapshot = self.store.snapshot()?;
        let mut keys = Vec::new();
        for number in numbers(snapshot.as_ref(), name)? {
            keys.extend(record(snapshot.as_ref(), number, self.bands)?.1);
        }
        Ok(keys)
    }

    /// The key and the size of each bucket of a band, by ascending key. `visit` returns false to stop.
    pub fn for_each_bucket(
        &self,
        band: usize,
        mut visit: impl FnMut(u64, u64) -> Result<bool>,
    ) -> Result<()> {
        let snapshot = self.store.snapshot()?;
        let first = bucket_key(band, 0);
        for entry in snapshot.scan(Space::Buckets, &first) {
            let (stored, _) = entry?;
            if stored.get(..2) != first.get(..2) {
                break;
            }
            // Further pages of a bucket have longer keys.
            let Some(key) = bucket_of(&stored) else { continue };
            let mut numbers = Vec::new();
            let list = List { space: Space::Buckets, key: &stored };
            list.read_into(snapshot.as_ref(), usize::MAX / 2, &mut numbers)?;
            if !visit(key, numbers.len() as u64)? {
                break;
            }
        }
        Ok(())
    }

    /// Up to `most` names that come after one, in the order of their bytes.
    pub fn names_after(&self, after: &[u8], most: usize) -> Result<Vec<Vec<u8>>> {
        let snapshot: Box<dyn Snapshot> = self.store.snapshot()?;
        let entries = snapshot.scan(Space::Ids, after).map(|entry| Ok(entry?.0.to_vec()));
        let is_new = |name: &Result<Vec<u8>>| !name.as_ref().is_ok_and(|name| name == after);
        entries.filter(is_new).take(most).collect()
    }
}

fn read_head(path: &Path) -> Result<Option<Head>> {
    let place = path.join(HEAD);
    let Some(bytes) = Files::default().read(&place)? else {
        return match holds_something_else(path)? {
            true => Err(Error::NoKeyTable { path: path.to_owned() }),
            false => Ok(None),
        };
    };
    let wrong = |cause: String| Error::damaged(place.display().to_string(), cause);
    let value: serde_json::Value =
        serde_json::from_slice(&bytes).map_err(|cause| wrong(cause.to_string()))?;
    match value.get("version").and_then(serde_json::Value::as_u64) {
        Some(VERSION) => {}
        Some(version) if version > VERSION => {
            return Err(Error::Newer { path: path.to_owned(), version, known: VERSION });
        }
        _ => return Err(wrong("it has no version".into())),
    }
    let head: Head = serde_json::from_value(value).map_err(|cause| wrong(cause.to_string()))?;
    match head.bands {
        1..=MOST_BANDS => Ok(Some(head)),
        bands => Err(wrong(format!("it has {bands} bands"))),
    }
}

fn bucket<R>(band: usize, key: u64, work: impl FnOnce(List<'_>) -> Result<R>) -> Result<R> {
    let stored = bucket_key(band, key);
    work(List { space: Space::Buckets, key: &stored })
}

/// The numbers of the entries of a name.
fn numbers(read: &dyn Read, name: &[u8]) -> Result<Vec<u64>> {
    if name.is_empty() {
        return Ok(Vec::new());
    }
    let Some(value) = read.get(Space::Ids, name)? else { return Ok(Vec::new()) };
    numbers_of(&value).ok_or_else(|| damaged(Space::Ids, name, "it is no list of numbers"))
}

fn record(read: &dyn Read, number: u64, bands: usize) -> Result<(Vec<u8>, Vec<u64>)> {
    let key = number.to_be_bytes();
    let Some(value) = read.get(Space::Documents, &key)? else {
        return Err(damaged(Space::Documents, &key, "the entry is missing"));
    };
    record_of(&value, bands).ok_or_else(|| damaged(Space::Documents, &key, "it is no entry"))
}

fn add(writes: &mut Transaction<'_>, entry: &Entry, repeat: bool) -> Result<()> {
    let Entry { name, keys } = entry;
    let mut numbers = numbers(writes, name)?;
    if !numbers.is_empty() && !repeat {
        return Err(Error::DuplicateId { id: String::from_utf8_lossy(name).into_owned() });
    }
    let number = writes.counters.next;
    writes.counters.next += 1;
    writes.counters.documents += 1;
    writes.counters.distinct += u64::from(numbers.is_empty());
    numbers.push(number);
    writes.put(Space::Ids, name.clone(), entries::numbers_value(&numbers));
    writes.put(Space::Documents, number.to_be_bytes(), entries::record_value(name, keys));
    for (band, &key) in keys.iter().enumerate() {
        bucket(band, key, |list| list.add(writes, number))?;
    }
    Ok(())
}

fn remove(writes: &mut Transaction<'_>, name: &[u8], bands: usize) -> Result<bool> {
    let numbers = numbers(writes, name)?;
    for &number in &numbers {
        let (_, keys) = record(writes, number, bands)?;
        for (band, &key) in keys.iter().enumerate() {
            bucket(band, key, |list| list.remove(writes, number))?;
        }
        writes.remove(Space::Documents, number.to_be_bytes());
        writes.counters.documents -= 1;
    }
    if !numbers.is_empty() {
        writes.remove(Space::Ids, name);
        writes.counters.distinct -= 1;
    }
    Ok(!numbers.is_empty())
}
