//! The store on disk: fjall, a log-structured merge tree per keyspace and one journal for all.
//!
//! What it is tuned for: the usual question is for a key that was never seen. So the filters of `buckets` have 12 bits
//! per key on all levels and stay in memory, and nothing is compressed.
//!
//! Buckets are looked for in tables only, unless they may be in memory: see `recent.rs`.
//!
//! fjall panics where a caller breaks its rules. The rules are kept here: names of keyspaces are fixed, keys of an
//! ingestion ascend (checked), the journal may have 64 MiB, which is the least.

use super::recent::{Generations, InMemory, Recent};
use super::{Batch, Entry, Read, Snapshot, Space, Store, Value};
use crate::folder::io_error;
use crate::values::COMPACTED_KEY;
use crate::{Error, Result};
use fjall::config::{
    BlockSizePolicy, BloomConstructionPolicy, CompressionPolicy, FilterPolicy, FilterPolicyEntry,
    HashRatioPolicy, PartitioningPolicy, PinningPolicy,
};
use fjall::{AbstractTree, Database, Keyspace, KeyspaceCreateOptions, PersistMode, Readable};
use lsm_tree::table::filter::standard_bloom::Builder as Bloom;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The least that fjall accepts. Journals are kept until the slowest keyspace is flushed, and replayed when the store is
/// opened.
const JOURNAL_BYTES: u64 = 64 << 20;

/// The file by which fjall knows a folder of its own.
const VERSION_FILE: &str = "version";

/// The folder of the keyspaces, which has a folder for each: 0 is fjall's own, and the others follow [`Space::ALL`].
const KEYSPACES: &str = "keyspaces";

/// The folder of the last keyspace that nothing else implies: `bodies`.
const SOURCES: usize = Space::Bodies as usize + 1;

/// What only changes the speed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tuning {
    /// Bytes of blocks that are kept in memory.
    pub(crate) cache: u64,
    /// Bytes of a memtable, at the most; each keyspace has one.
    pub(crate) memtable: u64,
}

impl Default for Tuning {
    fn default() -> Self {
        Self { cache: 256 << 20, memtable: 16 << 20 }
    }
}

/// A store in a folder.
pub(crate) struct FjallStore {
    path: PathBuf,
    /// True if nothing is written when the store is closed.
    is_for_reading: bool,
    // Empty only while the store is closed.
    open: Option<Arc<Open>>,
}

/// The open files of a store.
struct Open {
    // Keyspaces hold the journal open, so they are dropped first.
    spaces: Vec<Keyspace>,
    database: Database,
    path: PathBuf,
    /// True if something that was read is damaged: nothing is written any more.
    is_damaged: AtomicBool,
    /// The keys of buckets that may be in memory.
    recent: Recent,
    /// No entry of the batch that is being committed has a smaller sequence number; [`NEWEST`] if there is no such batch.
    in_flight: AtomicU64,
}

impl Open {
    fn space(&self, space: Space) -> &Keyspace {
        &self.spaces[space as usize]
    }

    /// The error of a read. If it is damage, nothing is written from now on.
    fn unreadable(&self, space: Space, cause: fjall::Error) -> Error {
        if !is_damage(&cause) {
            return failed("read")(cause);
        }
        self.is_damaged.store(true, Ordering::Relaxed);
        let folder = self.path.join(KEYSPACES).join((space as usize + 1).to_string());
        Error::damaged(format!("the keyspace {} ({})", space.name(), folder.display()), cause.to_string())
    }

    fn check_undamaged(&self) -> Result<()> {
        match self.is_damaged.load(Ordering::Relaxed) {
            true => Err(Error::damaged(self.path.display().to_string(), "something in it could not be read")),
            false => Ok(()),
        }
    }
}

impl std::fmt::Debug for FjallStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FjallStore").field("path", &self.path).finish_non_exhaustive()
    }
}

impl FjallStore {
    /// Creates a store in a folder that does not exist yet.
    pub(crate) fn create(path: &Path, tuning: Tuning) -> Result<Self> {
        Self::start(path, tuning, failed("create its files"))
    }

    /// An error if the folder lacks a file. fjall would begin anew without it.
    pub(crate) fn check(path: &Path) -> Result<()> {
        Self::check_folders(path, 0..=Space::ALL.len())
    }

    /// The same for what nothing else implies: documents, bodies and counters.
    pub(crate) fn check_sources(path: &Path) -> Result<()> {
        Self::check_folders(path, 0..=SOURCES)
    }

    fn check_folders(path: &Path, mut folders: std::ops::RangeInclusive<usize>) -> Result<()> {
        let current = |folder: usize| path.join(KEYSPACES).join(folder.to_string()).join("current");
        let needed = std::iter::once(path.join(VERSION_FILE)).chain(folders.by_ref().map(current));
        for file in needed {
            if !file.exists() {
                return Err(Error::damaged(file.display().to_string(), "the file is missing"));
            }
        }
        Ok(())
    }

    /// Opens a store that was [checked](Self::check).
    pub(crate) fn open(path: &Path, tuning: Tuning) -> Result<Self> {
        Self::open_as(path, path, tuning)
    }

    /// The same for a store that errors call by another path: that of which it is a copy.
    pub(crate) fn open_as(path: &Path, shown: &Path, tuning: Tuning) -> Result<Self> {
        let place = shown.display().to_string();
        let opened = Self::start(path, tuning, |cause| Error::damaged(place.clone(), cause.to_string()));
        let mut store = opened.map_err(|error| match error {
            Error::Damaged { cause, .. } => Error::damaged(place.clone(), cause),
            error => error,
        })?;
        if let Some(open) = store.open.as_mut().and_then(Arc::get_mut) {
            shown.clone_into(&mut open.path);
        }
        Ok(store)
    }

    fn start(path: &Path, tuning: Tuning, wrong: impl Fn(fjall::Error) -> Error) -> Result<Self> {
        let opened = catch_unwind(AssertUnwindSafe(|| -> std::result::Result<_, fjall::Error> {
            let database = Database::builder(path)
                .cache_size(tuning.cache)
                .max_journaling_size(JOURNAL_BYTES)
                .manual_journal_persist(true)
                .open()?;
            let spaces = Space::ALL
                .iter()
                .map(|&space| database.keyspace(space.name(), || options(space, tuning)))
                .collect::<std::result::Result<Vec<_>, _>>()?;
            Ok((database, spaces))
        }));
        let (database, spaces) = match opened {
            Ok(opened) => opened.map_err(wrong)?,
            Err(_) => {
                return Err(Error::damaged(path.display().to_string(), "its files contradict each other"));
            }
        };
        let buckets: &Keyspace = &spaces[Space::Buckets as usize];
        let is_empty = buckets.tree.active_memtable().is_empty() && buckets.sealed_memtable_count() == 0;
        let recent = Recent::new(tuning.memtable, in_memory(buckets), is_empty);
        let is_damaged = AtomicBool::new(false);
        let in_flight = AtomicU64::new(NEWEST);
        let open = Open { spaces, database, path: path.to_owned(), is_damaged, recent, in_flight };
        Ok(Self { path: path.to_owned(), is_for_reading: false, open: Some(Arc::new(open)) })
    }

    /// The store as one that is only read: when it is closed, its files stay as they are.
    pub(crate) fn for_reading(mut self) -> Self {
        self.is_for_reading = true;
        self
    }

    /// Makes a store at `to` that has what nothing else implies of the store at `from`, which is not changed. Tables are not
    /// copied: the two share them, where the file system can.
    pub(crate) fn link_sources(from: &Path, to: &Path) -> Result<()> {
        let folders = (0..=SOURCES).map(|folder| Path::new(KEYSPACES).join(folder.to_string()));
        for folder in std::iter::once(PathBuf::new()).chain(folders) {
            link_files(&from.join(&folder), &to.join(&folder))?;
        }
        Ok(())
    }

    fn open_files(&self) -> &Open {
        self.open.as_ref().expect("a store is closed only when it is dropped")
    }

    fn space(&self, space: Space) -> &Keyspace {
        self.open_files().space(space)
    }

    /// Empties the journals of a closed store whose memtables were all written to tables. fjall would replay up to 64
    /// MiB when the store is opened, only to find that everything is there.
    fn empty_journals(&self) -> std::io::Result<()> {
        for entry in std::fs::read_dir(&self.path)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "jnl") {
                let journal = std::fs::OpenOptions::new().write(true).open(path)?;
                journal.set_len(0)?;
                journal.sync_all()?;
            }
        }
        Ok(())
    }
}

impl Drop for FjallStore {
    fn drop(&mut self) {
        if self.is_for_reading {
            return;
        }
        // What is not flushed is in the journal, and is replayed when the store is opened. So is what is flushed, if
        // the journal cannot be emptied.
        let is_flushed = self.flush().is_ok();
        // A snapshot that is still there keeps the store open.
        let is_closed = self.open.take().and_then(Arc::into_inner).map(drop).is_some();
        if is_flushed && is_closed {
            let _ = self.empty_journals();
        }
    }
}

impl Read for FjallStore {
    fn get(&self, space: Space, key: &[u8]) -> Result<Option<Value>> {
        let open = self.open_files();
        if space == Space::Buckets {
            let hash = Bloom::get_hash(key);
            if !may_be_in_memory(&open.recent.generations(), hash) {
                // The tables are listed after the look at what is in memory, so that nothing falls between the two.
                let value = tables(open.space(space))(key, hash, NEWEST);
                return value.map_err(|cause| open.unreadable(space, cause));
            }
        }
        open.space(space).get(key).map_err(|cause| open.unreadable(space, cause))
    }
}

impl Store for FjallStore {
    fn snapshot(&self) -> Result<Box<dyn Snapshot>> {
        let open = Arc::clone(self.open.as_ref().expect("a store is closed only when it is dropped"));
        loop {
            // While the generations are held, none is begun and none is forgotten. So whatever the snapshot sees is in one
            // of them, or it is in these tables; and these tables have nothing that came after the snapshot.
            let held = open.recent.generations();
            let buckets = Box::new(tables(open.space(Space::Buckets)));
            let snapshot = open.database.snapshot();
            let recent = Arc::clone(&held);
            drop(held);
            // A thread of fjall that writes or merges tables makes everything up to now visible, also a batch of which only
            // some entries are in memory yet. A snapshot that may see such a batch is taken again when it is complete. One
            // that is older than the batch is as good as any, so readers rarely wait.
            if snapshot.seqno() <= open.in_flight.load(Ordering::SeqCst) {
                return Ok(Box::new(FjallSnapshot { snapshot, buckets, recent, open }));
            }
            open.recent.wait_for_writes();
        }
    }

    fn commit(&self, batch: &Batch) -> Result<()> {
        self.open_files().check_undamaged()?;
        let buckets = self.space(Space::Buckets);
        let hashes = batch.keys(Space::Buckets).map(|key| Bloom::get_hash(key));
        let writing = self.open_files().recent.note(hashes, || in_memory(buckets));
        let mut writes = self.open_files().database.batch().durability(Some(PersistMode::SyncData));
        for (space, key, value) in batch.iter() {
            match value {
                Some(value) => writes.insert(self.space(space), key.clone(), value.clone()),
                None => writes.remove(self.space(space), key.clone()),
            }
        }
        let open = self.open_files();
        open.in_flight.store(open.database.seqno(), Ordering::SeqCst);
        let committed = writes.commit().map_err(failed("write"));
        open.in_flight.store(NEWEST, Ordering::SeqCst);
        committed?;
        writing.done(in_memory(buckets).active);
        Ok(())
    }

    fn ingest(&self, space: Space, entries: &mut dyn Iterator<Item = Result<Entry>>) -> Result<()> {
        self.open_files().check_undamaged()?;
        let wrong = failed("write tables");
        let mut ingestion = self.space(space).start_ingestion().map_err(&wrong)?;
        let mut last: Option<Value> = None;
        for entry in entries {
            let (key, value) = entry?;
            if last.as_ref().is_some_and(|last| *last >= key) {
                return Err(Error::Store { action: "write tables", cause: "keys do not ascend".into() });
            }
            ingestion.write(key.clone(), value).map_err(&wrong)?;
            last = Some(key);
        }
        ingestion.finish().map_err(&wrong)
    }

    fn flush(&self) -> Result<()> {
        let open = self.open_files();
        open.check_undamaged()?;
        let Open { spaces, database, recent, .. } = open;
        for space in spaces {
            write_memtable(space, database)?;
        }
        let buckets = self.space(Space::Buckets);
        recent.forget_written(|| in_memory(buckets));
        // An error if a thread of the store has failed.
        database.persist(PersistMode::Buffer).map_err(failed("flush"))
    }

    fn compact(&self) -> Result<()> {
        self.flush()?;
        for space in &self.open_files().spaces {
            space.major_compact().map_err(failed("compact"))?;
        }
        // Tables that were replaced are removed when the next memtable is written. Nobody reads this entry, so that
        // writers need not be kept out.
        let meta = self.space(Space::Meta);
        meta.insert(COMPACTED_KEY, []).map_err(failed("write"))?;
        write_memtable(meta, &self.open_files().database)
    }

    fn disk_bytes(&self) -> Result<u64> {
        self.open_files().database.disk_space().map_err(failed("measure its files"))
    }

    fn is_damaged(&self) -> bool {
        self.open_files().is_damaged.load(Ordering::Relaxed)
    }
}

/// Writes what a keyspace has in memory to a table. (fjall's own way to wait for that does not end if its thread has
/// failed, for example because the disk is full.)
fn write_memtable(space: &Keyspace, database: &Database) -> Result<()> {
    space.rotate_memtable().map_err(failed("flush"))?;
    while space.sealed_memtable_count() > 0 {
        // This is an error if that thread has failed.
        database.persist(PersistMode::Buffer).map_err(failed("flush"))?;
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    Ok(())
}

/// What a keyspace has in memory.
fn in_memory(space: &Keyspace) -> InMemory {
    let active = space.tree.active_memtable().id();
    InMemory { active, sealed: space.sealed_memtable_count() }
}

/// True unless the key with this hash can be in tables only.
fn may_be_in_memory(recent: &Generations, hash: u64) -> bool {
    recent.iter().any(|generation| generation.may_have(hash))
}

/// Sees whatever is in tables.
const NEWEST: u64 = u64::MAX;

/// Looks for a key, given with its hash, in the present tables of a keyspace. The state that is looked at must not be
/// older than the tables: fjall drops what only older states see.
fn tables(
    space: &Keyspace,
) -> impl Fn(&[u8], u64, u64) -> fjall::Result<Option<Value>> + Send + Sync + use<> {
    let version = space.tree.current_version();
    move |key, hash, state| {
        let runs = version.iter_levels().flat_map(|level| level.iter());
        for table in runs.filter_map(|run| run.get_for_key(key)) {
            if let Some(entry) = table.get(key, state, hash)? {
                return Ok((!entry.is_tombstone()).then_some(entry.value));
            }
        }
        Ok(None)
    }
}

/// Looks for a key with its hash in tables.
type Tables = dyn Fn(&[u8], u64, u64) -> fjall::Result<Option<Value>> + Send + Sync;

/// A state of a store on disk.
struct FjallSnapshot {
    snapshot: fjall::Snapshot,
    /// The tables of the buckets.
    buckets: Box<Tables>,
    /// The keys of buckets that may be in memory.
    recent: Generations,
    open: Arc<Open>,
}

impl Read for FjallSnapshot {
    fn get(&self, space: Space, key: &[u8]) -> Result<Option<Value>> {
        if space == Space::Buckets {
            let hash = Bloom::get_hash(key);
            if !may_be_in_memory(&self.recent, hash) {
                let value = (self.buckets)(key, hash, self.snapshot.seqno());
                return value.map_err(|cause| self.open.unreadable(space, cause));
            }
        }
        let value = self.snapshot.get(self.open.space(space), key);
        value.map_err(|cause| self.open.unreadable(space, cause))
    }
}

impl Snapshot for FjallSnapshot {
    fn scan<'s>(&'s self, space: Space, from: &[u8]) -> Box<dyn Iterator<Item = Result<Entry>> + Send + 's> {
        let entries = self.snapshot.range(self.open.space(space), from.to_vec()..);
        Box::new(entries.map(move |entry| {
            let (key, value) = entry.into_inner().map_err(|cause| self.open.unreadable(space, cause))?;
            Ok((key, value))
        }))
    }
}

/// True if an error says that a file is not what was written.
fn is_damage(cause: &fjall::Error) -> bool {
    use std::io::ErrorKind::{InvalidData, NotFound, UnexpectedEof};
    match cause {
        fjall::Error::Io(cause) | fjall::Error::Storage(fjall::LsmError::Io(cause)) => {
            matches!(cause.kind(), InvalidData | NotFound | UnexpectedEof)
        }
        fjall::Error::Storage(_) | fjall::Error::Decompress(_) => true,
        _ => false,
    }
}

/// Makes files at `to` with the content of those in the folder `from`, and of its folder of tables. Tables never change; of
/// other files there are copies.
fn link_files(from: &Path, to: &Path) -> Result<()> {
    const TABLES: &str = "tables";
    std::fs::create_dir_all(to).map_err(|cause| io_error("create", to, cause))?;
    let entries = std::fs::read_dir(from).map_err(|cause| io_error("list", from, cause))?;
    for entry in entries {
        let entry = entry.map_err(|cause| io_error("list", from, cause))?;
        let (own, other) = (entry.path(), to.join(entry.file_name()));
        if own.is_dir() {
            if entry.file_name() == TABLES {
                link_files(&own, &other)?;
            }
        } else if !from.ends_with(TABLES) || std::fs::hard_link(&own, &other).is_err() {
            std::fs::copy(&own, &other).map_err(|cause| io_error("copy", &own, cause))?;
        }
    }
    Ok(())
}

/// How a keyspace is stored. fjall writes this down when the keyspace is created.
fn options(space: Space, tuning: Tuning) -> KeyspaceCreateOptions {
    let bloom = |bits| FilterPolicy::all(FilterPolicyEntry::Bloom(BloomConstructionPolicy::BitsPerKey(bits)));
    let common = KeyspaceCreateOptions::default()
        .data_block_compression_policy(CompressionPolicy::disabled())
        .index_block_compression_policy(CompressionPolicy::disabled())
        .data_block_size_policy(BlockSizePolicy::all(4 << 10))
        .filter_block_partitioning_policy(PartitioningPolicy::all(false))
        .index_block_partitioning_policy(PartitioningPolicy::all(false))
        .filter_block_pinning_policy(PinningPolicy::all(true))
        .index_block_pinning_policy(PinningPolicy::all(true))
        .filter_policy(bloom(10.0))
        .max_memtable_size(tuning.memtable);
    match space {
        // Almost every key that is asked for was never seen. One that was is found in its block by a hash, without a search
        // that touches the memory in five places; with four bytes for each key, one in five is searched for all the same.
        Space::Buckets | Space::Copies => {
            common.filter_policy(bloom(12.0)).data_block_hash_ratio_policy(HashRatioPolicy::all(4.0))
        }
        // Numbers that are asked for are there.
        Space::Documents | Space::Bodies => common.expect_point_read_hits(true),
        Space::Ids => common.max_memtable_size(tuning.memtable.min(512 << 10)),
        Space::Expiry => common.max_memtable_size(tuning.memtable.min(64 << 10)),
        // The number of the last batch must not be in a table before the batches themselves are: a journal that is
        // damaged later would then be missed by nobody.
        Space::Meta => common.max_memtable_size(tuning.memtable.saturating_mul(4)),
    }
}

fn failed(action: &'static str) -> impl Fn(fjall::Error) -> Error {
    move |cause| Error::Store { action, cause: cause.to_string() }
}
