//! The index: a folder with documents, open for reading and writing.

use crate::changes::{self, IfThere};
use crate::clock::{Clock, Millis, SystemClock};
use crate::config::{Config, Stored};
use crate::document::{Document, Kept};
use crate::engine::{Engine, check_id};
use crate::folder::{Folder, Head, Opened, is_index, read_head};
use crate::search::metadata;
use crate::store::{FjallStore, Read, Snapshot, Space, Store, Tuning};
use crate::values::{Body, COUNTERS_KEY, Counters, Record, damaged, number_key};
use crate::writer::Writer;
use crate::{Error, Result};
use files::Files;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How an index is opened. Nothing here changes an answer.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// Bytes of the store that are kept in memory, besides its filters.
    pub cache: u64,
    /// Bytes that each keyspace collects in memory before it writes a table.
    pub memtable: u64,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// The folder for what is needed to read an index that cannot be written to, or that has lost something; without one,
    /// that of the system.
    pub temp_dir: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        let Tuning { cache, memtable } = Tuning::default();
        Self { cache, memtable, clock: Arc::new(SystemClock), temp_dir: None }
    }
}

impl Options {
    /// Bytes of the store that are kept in memory, besides its filters.
    #[must_use]
    pub fn with_cache(mut self, bytes: u64) -> Self {
        self.cache = bytes;
        self
    }

    /// Bytes that each keyspace collects in memory before it writes a table. It is fixed when an index is created.
    #[must_use]
    pub fn with_memtable(mut self, bytes: u64) -> Self {
        self.memtable = bytes;
        self
    }

    /// What time it is.
    #[must_use]
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// The folder for what is needed to read an index that cannot be written to; without one, that of the system.
    #[must_use]
    pub fn with_temp_dir(mut self, folder: Option<PathBuf>) -> Self {
        self.temp_dir = folder;
        self
    }

    pub(crate) fn tuning(&self) -> Tuning {
        Tuning { cache: self.cache, memtable: self.memtable }
    }
}

/// A persistent index of documents: see the [front page](crate).
///
/// All operations take `&self` and may be called from any number of threads. Writers come one after the other and share
/// syncs; readers never wait for them, and see whole batches only.
#[derive(Debug)]
pub struct Index {
    pub(crate) engine: Engine,
    pub(crate) head: Head,
    // The store is closed before the folder is unlocked.
    pub(crate) store: Box<dyn Store>,
    pub(crate) writer: Writer,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) options: Options,
    /// Batches that were acknowledged and are not there.
    pub(crate) lost: u64,
    is_created: bool,
    pub(crate) folder: Option<Folder>,
}

impl Index {
    /// Creates an index in a folder that does not exist yet or is empty.
    pub fn create(path: impl AsRef<Path>, config: &Config, options: &Options) -> Result<Self> {
        Self::create_with(path.as_ref(), config, options, None)
    }

    /// Creates an empty index with the configuration and the key of this one: the two can be
    /// [merged](Self::merge) whatever they store.
    pub fn create_sibling(&self, path: impl AsRef<Path>) -> Result<Self> {
        let key = Some(self.head.key.clone());
        Self::create_with(path.as_ref(), &self.engine.config, &self.options, key)
    }

    /// Opens an index, or creates it with the configuration and the key of the one at `like`, which may be open elsewhere: the
    /// two can be [merged](Self::merge) whatever they store. One that exists must have them already.
    pub fn open_or_create_like(
        path: impl AsRef<Path>,
        like: impl AsRef<Path>,
        options: &Options,
    ) -> Result<Self> {
        let head = read_head(&Files::default(), like.as_ref())?;
        match Self::open(path.as_ref(), options) {
            Err(Error::NoIndex { .. }) => {
                Self::create_with(path.as_ref(), &head.config, options, Some(head.key))
            }
            Ok(index) => {
                index.check_mergeable(&head)?;
                Ok(index)
            }
            Err(error) => Err(error),
        }
    }

    /// An error if documents of an index with this configuration and key cannot be taken over.
    pub(crate) fn check_mergeable(&self, head: &Head) -> Result<()> {
        self.engine.config.check_mergeable(&head.config)?;
        match self.engine.config.store == Stored::Shingles && self.head.key != head.key {
            true => Err(Error::DifferentKeys),
            false => Ok(()),
        }
    }

    pub(crate) fn create_with(
        path: &Path,
        config: &Config,
        options: &Options,
        key: Option<String>,
    ) -> Result<Self> {
        let head = Head::new(config, key)?;
        // Everything that can be wrong with the configuration is found before anything is written.
        let engine = Engine::new(&head)?;
        let folder = Folder::begin(path)?;
        let store = FjallStore::create(&folder.store(), options.tuning())?;
        folder.finish(&head, 0)?;
        let (_, acknowledged) = folder.acknowledged()?;
        Ok(Self {
            engine,
            head,
            store: Box::new(store),
            writer: Writer::new(Counters { next: 1, ..Counters::default() }, acknowledged),
            clock: Arc::clone(&options.clock),
            options: options.clone(),
            lost: 0,
            is_created: true,
            folder: Some(folder),
        })
    }

    /// True if a folder looks like an index, even a damaged one. Nothing is opened.
    #[must_use]
    pub fn is_at(path: impl AsRef<Path>) -> bool {
        is_index(path.as_ref())
    }

    /// Opens an index. If the store has lost acknowledged batches, it is open for reading only, and
    /// [`lost`](Self::lost) says how many; its files stay as they are, and what is read is a copy. So it is if this process may
    /// not write to its files.
    pub fn open(path: impl AsRef<Path>, options: &Options) -> Result<Self> {
        Self::open_in(Folder::open(path.as_ref(), options.temp_dir.as_deref())?, options)
    }

    /// Opens an index for reading only. Nothing is written to its folder, but who has it open; all else that the store
    /// needs to write is in the folder for temporary files ([`Options::temp_dir`]).
    pub fn open_read_only(path: impl AsRef<Path>, options: &Options) -> Result<Self> {
        Self::open_in(Folder::open_for_reading(path.as_ref(), options.temp_dir.as_deref())?, options)
    }

    fn open_in((mut folder, head): (Folder, Head), options: &Options) -> Result<Self> {
        let engine = Engine::new(&head)?;
        let opened = folder.open_store(options.tuning(), options.temp_dir.as_deref())?;
        let Opened { store, counters, lost, acknowledged, file } = opened;
        let is_read_only = folder.is_read_only();
        let index = Self {
            engine,
            head,
            store: Box::new(store),
            writer: Writer::new(counters, file),
            clock: Arc::clone(&options.clock),
            options: options.clone(),
            lost,
            is_created: false,
            folder: Some(folder),
        };
        if lost > 0 {
            index.writer.refuse_lost(index.path(), lost, acknowledged);
        } else if is_read_only {
            index.writer.refuse_read_only(index.path());
        } else {
            index.finish_bulk()?;
        }
        Ok(index)
    }

    /// Opens an index, or creates it if the folder does not exist or is empty. `config` must not contradict that of an
    /// existing one in the settings for which `is_asked` is true.
    pub fn open_or_create(
        path: impl AsRef<Path>,
        config: &Config,
        is_asked: impl Fn(&str) -> bool,
        options: &Options,
    ) -> Result<Self> {
        match Self::open(path.as_ref(), options) {
            Err(Error::NoIndex { .. }) => Self::create(path, config, options),
            Ok(index) => {
                index.engine.config.check_same(config, is_asked)?;
                Ok(index)
            }
            Err(error) => Err(error),
        }
    }

    /// An index whose store is given.
    #[cfg(any(test, feature = "fuzzing"))]
    pub(crate) fn on_store(
        store: Box<dyn Store>,
        config: &Config,
        key: &str,
        clock: Arc<dyn Clock>,
    ) -> Result<Self> {
        let head = Head::new(config, Some(key.into()))?;
        let counters = read_counters(store.as_ref())?;
        let index = Self {
            engine: Engine::new(&head)?,
            head,
            store,
            writer: Writer::new(counters, crate::folder::Acknowledged::nowhere()),
            clock,
            options: Options::default(),
            lost: 0,
            is_created: true,
            folder: None,
        };
        index.finish_bulk()?;
        Ok(index)
    }

    /// The folder of the index.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.folder.as_ref().map_or_else(PathBuf::new, |folder| folder.path().to_owned())
    }

    /// The configuration of the index.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.engine.config
    }

    /// How many acknowledged batches the store has lost. If it is not 0, the index is read only until it is
    /// [repaired](Self::repair).
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// True if nothing can be written: something is [lost](Self::lost), this process may not write to the folder, damage was
    /// seen, or a write has failed, after which nothing is written until the index is opened again.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.writer.is_refused() || self.store.is_damaged()
    }

    /// True if this value has created the index, and not found it. Nobody else can have had it open since.
    #[must_use]
    pub fn is_created(&self) -> bool {
        self.is_created
    }

    /// Removes the index from the disk, and its folder unless it `stays`. Other processes are kept out until nothing is left.
    pub fn remove_folder(self, stays: bool) -> Result<()> {
        let Self { store, folder, .. } = self;
        drop(store);
        folder.map_or(Ok(()), |folder| folder.remove(stays))
    }

    /// The lanes of a signature, to ask or to add by. The signature must have the family, the seed and the number of
    /// hashes of the index.
    pub fn lanes_of(&self, signature: &lookalike::minhash::Signature) -> Result<Vec<u16>> {
        self.engine.lanes_of(signature)
    }

    pub(crate) fn now(&self) -> Millis {
        self.clock.now()
    }

    pub(crate) fn snapshot(&self) -> Result<Box<dyn Snapshot>> {
        self.store.snapshot()
    }

    /// Adds a document and returns its number. An id that is there already is an error.
    pub fn add(&self, document: &Document) -> Result<u64> {
        Ok(self.add_batch(std::slice::from_ref(document))?[0])
    }

    /// Adds documents, all or none, and returns their numbers.
    pub fn add_batch(&self, documents: &[Document]) -> Result<Vec<u64>> {
        self.put_batch(documents, IfThere::Refuse)
    }

    /// Adds a document, or replaces the one with its id. It keeps its number and its age if it is compared as before,
    /// for example if only its metadata has changed.
    pub fn update(&self, document: &Document) -> Result<u64> {
        Ok(self.update_batch(std::slice::from_ref(document))?[0])
    }

    /// Adds or replaces documents, all or none, and returns their numbers.
    pub fn update_batch(&self, documents: &[Document]) -> Result<Vec<u64>> {
        self.put_batch(documents, IfThere::Update)
    }

    fn put_batch(&self, documents: &[Document], if_there: IfThere) -> Result<Vec<u64>> {
        let now = self.now();
        let prepared = documents.iter().map(|document| self.engine.prepare(document, now));
        let prepared = prepared.collect::<Result<Vec<_>>>()?;
        self.writer.write(self.store.as_ref(), |writes| {
            let add = |prepared| changes::add(&self.engine, writes, prepared, if_there, now);
            prepared.iter().map(add).collect()
        })
    }

    /// True if a document has this id.
    pub fn contains(&self, id: &str) -> Result<bool> {
        check_id(id)?;
        let snapshot = self.snapshot()?;
        Ok(self.find_live(snapshot.as_ref(), id)?.is_some())
    }

    /// The document with this id.
    pub fn get(&self, id: &str) -> Result<Option<Kept>> {
        check_id(id)?;
        let snapshot = self.snapshot()?;
        let Some((number, record)) = self.find_live(snapshot.as_ref(), id)? else { return Ok(None) };
        let text = match self.body(snapshot.as_ref(), number)? {
            Some(Body::Text(text)) => Some(text),
            _ => None,
        };
        kept(number, record, text).map(Some)
    }

    /// A document that has not expired, by its id.
    pub(crate) fn find_live(&self, read: &dyn Read, id: &str) -> Result<Option<(u64, Record)>> {
        let Some(value) = read.get(Space::Ids, id.as_bytes())? else { return Ok(None) };
        let number = crate::values::id_number(id.as_bytes(), &value)?;
        // The ids of a bulk load come before its documents are there.
        if number >= read_counters(read)?.next {
            return Ok(None);
        }
        let record = crate::search::record(&self.engine, read, number)?;
        Ok((!record.is_expired(self.now())).then_some((number, record)))
    }

    /// The set or text of a document; `None` if none is stored.
    pub(crate) fn body(&self, read: &dyn Read, number: u64) -> Result<Option<Body>> {
        if !self.engine.is_exact() {
            return Ok(None);
        }
        let key = number_key(number);
        let Some(value) = read.get(Space::Bodies, &key)? else {
            return Err(damaged(Space::Bodies, &key, "the body is missing"));
        };
        let body = Body::decode(&value);
        body.ok_or_else(|| damaged(Space::Bodies, &key, "it is no set and no text")).map(Some)
    }
}

/// The counters of a store; those of an empty index if it has none.
pub(crate) fn read_counters(read: &dyn Read) -> Result<Counters> {
    let Some(value) = read.get(Space::Meta, COUNTERS_KEY)? else {
        return Ok(Counters { next: 1, ..Counters::default() });
    };
    Counters::decode(&value).ok_or_else(|| damaged(Space::Meta, COUNTERS_KEY, "it is no list of counters"))
}

/// A document as it is handed out.
pub(crate) fn kept(number: u64, record: Record, text: Option<String>) -> Result<Kept> {
    let metadata = metadata(number, &record)?;
    let Record { id, content_hash, shingles, lanes, within, added, expires, .. } = record;
    Ok(Kept { number, id, added, expires, shingles, content_hash, lanes, within, metadata, text })
}
