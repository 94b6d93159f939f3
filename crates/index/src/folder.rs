//! The folder of an index.
//!
//! | name | what |
//! |---|---|
//! | `index.json` | the version, the configuration and the key; it is written last, so a folder without it is no index |
//! | `lock` | held by the process that has the index open |
//! | `process` | the number of that process |
//! | `acknowledged` | the number of the last acknowledged batch |
//! | `store/` | the documents |
//!
//! Nothing is written to a folder before its `index.json` was read and understood.

use crate::config::Config;
use crate::index::read_counters;
use crate::reading::{ReadingCopy, is_read_only};
use crate::store::{FjallStore, Journals, Tuning};
use crate::values::Counters;
use crate::{Error, Result};
use files::{Access, Files, Lock};
use pipeline::{BandsAndRows, Chances, Documents};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The version of the format. `docs/index-format.md` describes it.
pub(crate) const VERSION: u64 = 1;

const HEAD: &str = "index.json";
const LOCK: &str = "lock";
const PROCESS: &str = "process";
const ACKNOWLEDGED: &str = "acknowledged";
const STORE: &str = "store";
/// What a repair has made, and what was there before it.
const REPAIRED: &str = "store.repaired";
const REPLACED: &str = "store.replaced";
/// What a repair reads: the documents of the store, beside it.
const READABLE: &str = "store.readable";

/// How often an index is tried again that this process itself seems to have open.
const TRIES: u32 = 100;
const BETWEEN_TRIES: Duration = Duration::from_millis(10);

/// What `index.json` says.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Head {
    version: u64,
    pub(crate) config: Config,
    /// The bands and rows that were planned when the index was created. They are what the keys were made with, however a
    /// later version would plan. SimHash has none.
    pub(crate) plan: Option<BandsAndRows>,
    /// 64 hexadecimal digits, from which the hashes of stored shingles are made. Whoever knows it can write texts that
    /// pass for others.
    pub(crate) key: String,
}

impl std::fmt::Debug for Head {
    /// The key must not appear in a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Head").field("config", &self.config).finish_non_exhaustive()
    }
}

impl Head {
    pub(crate) fn new(config: &Config, key: Option<String>) -> Result<Self> {
        let config = config.normalized();
        config.check()?;
        let key = key.map_or_else(Documents::new_key, Ok)?;
        let chances = Chances::new(&config.settings)?;
        let (bands, rows) = (chances.plan().bands, chances.plan().rows);
        let plan = (rows > 0).then_some(BandsAndRows { bands, rows });
        Ok(Self { version: VERSION, config, plan, key })
    }
}

/// True if a folder looks like an index, even a damaged one. Nothing is opened.
pub(crate) fn is_index(path: &Path) -> bool {
    path.join(ACKNOWLEDGED).is_file() && path.join(STORE).is_dir()
}

/// The folder of an index, which this process has locked.
#[derive(Debug)]
pub(crate) struct Folder {
    files: Files,
    path: PathBuf,
    /// The store that is read, if the folder cannot be written to or must not.
    copy: Option<ReadingCopy>,
    /// A folder that cannot be written to may have no lock, or one that this process may not open; then nobody else is
    /// kept out.
    _lock: Option<Lock>,
}

impl Folder {
    /// Makes the folder, without `index.json`: see [`finish`](Self::finish). It must not exist, or be empty, or hold
    /// what a killed creation left.
    pub(crate) fn begin(path: &Path) -> Result<Self> {
        Self::begin_with(path, HEAD)
    }

    /// The same for a folder in which `head` has the place of `index.json`.
    pub(crate) fn begin_with(path: &Path, head: &str) -> Result<Self> {
        let files = Files::default();
        if files.exists(&path.join(head))? {
            return Err(Error::Exists { path: path.to_owned() });
        }
        if holds_something_else(path)? {
            return Err(foreign(path));
        }
        files.make_folder(path)?;
        let folder = Self::lock(files, path)?;
        // Another process may have been quicker.
        if folder.files.exists(&path.join(head))? {
            return Err(Error::Exists { path: path.to_owned() });
        }
        // What a killed creation leaves has acknowledged nothing. If something was, only the one file is missing.
        let acknowledged = folder.files.read(&path.join(ACKNOWLEDGED))?;
        if acknowledged.is_some_and(|bytes| read_number(&bytes) != Some(0)) {
            return Err(Error::damaged(path.join(head).display().to_string(), "the file is missing"));
        }
        folder.files.remove_tree(&folder.store())?;
        Ok(folder)
    }

    /// Writes the file of acknowledged batches and then `index.json`: from now on the folder is an index. A folder without
    /// `index.json` has acknowledged nothing, so that what a kill leaves can be begun anew; the number of a copy comes last.
    pub(crate) fn finish(&self, head: &Head, acknowledged: u64) -> Result<()> {
        self.finish_with(HEAD, head, acknowledged)
    }

    /// The same for a folder in which the file `name` has the place of `index.json`.
    pub(crate) fn finish_with(&self, name: &str, head: &impl Serialize, acknowledged: u64) -> Result<()> {
        self.set_acknowledged(0)?;
        let json =
            serde_json::to_vec_pretty(head).map_err(|cause| Error::damaged(name, cause.to_string()))?;
        // The key is for this user only, so the file is created as private and renamed.
        let aside = self.path.join(format!("{name}{}", files::UNFINISHED));
        let mut file = self.files.create(&aside, Access::Private)?;
        let wrote = file.write_all(&json);
        wrote.map_err(|cause| io_error("write", &aside, cause))?;
        drop(file);
        self.files.publish(&aside, &self.path.join(name))?;
        if acknowledged > 0 { self.set_acknowledged(acknowledged) } else { Ok(()) }
    }

    /// Reads `index.json`, and locks the folder. Nothing is written if the folder is no index of this version. If this
    /// process may not write to it, the store that is opened is a copy for reading, in `temp_dir`.
    pub(crate) fn open(path: &Path, temp_dir: Option<&Path>) -> Result<(Self, Head)> {
        let acknowledged = OpenOptions::new().write(true).open(path.join(ACKNOWLEDGED));
        match acknowledged.is_err_and(|cause| is_read_only(&cause)) {
            true => Self::open_for_reading(path, temp_dir),
            false => {
                let check = |store: &Path| {
                    FjallStore::check(store)?;
                    read_acknowledged(&Files::default(), path).map(drop)
                };
                Self::open_if(path, check)
            }
        }
    }

    /// Locks a folder in which another file has the place of `index.json`. Nothing is written to a folder that lacks a file.
    pub(crate) fn open_with(path: &Path) -> Result<Self> {
        FjallStore::check(&path.join(STORE))?;
        let files = Files::default();
        read_acknowledged(&files, path)?;
        Self::lock(files, path)
    }

    /// Opens a folder without writing to it. If there is no `lock`, or this process may not open it, it goes on without.
    pub(crate) fn open_for_reading(path: &Path, temp_dir: Option<&Path>) -> Result<(Self, Head)> {
        let files = Files::default();
        let head = read_head(&files, path)?;
        FjallStore::check(&path.join(STORE))?;
        read_acknowledged(&files, path)?;
        let mut folder = match Self::lock(files.clone(), path) {
            Err(Error::File(error)) if is_read_only(&error.cause) => {
                Self { files, path: path.to_owned(), copy: None, _lock: None }
            }
            locked => locked?,
        };
        folder.copy = Some(ReadingCopy::of(&folder.files, &path.join(STORE), temp_dir)?);
        Ok((folder, head))
    }

    /// The same for a repair, which needs only a part of the store.
    pub(crate) fn open_for_repair(path: &Path) -> Result<(Self, Head)> {
        Self::open_if(path, FjallStore::check_sources)
    }

    fn open_if(path: &Path, check: impl Fn(&Path) -> Result<()>) -> Result<(Self, Head)> {
        let files = Files::default();
        let head = read_head(&files, path)?;
        // A repair that was killed between its two renames is finished below.
        if files.exists(&path.join(STORE))? || !files.exists(&path.join(REPAIRED))? {
            check(&path.join(STORE))?;
        }
        let folder = Self::lock(files, path)?;
        folder.finish_repair()?;
        Ok((folder, head))
    }

    fn lock(files: Files, path: &Path) -> Result<Self> {
        let mut tries = 0..TRIES;
        let lock = loop {
            if let Some(lock) = files.lock(&path.join(LOCK))? {
                break lock;
            }
            let process = files.read(&path.join(PROCESS))?.and_then(|bytes| String::from_utf8(bytes).ok());
            let process = process.and_then(|number| number.trim().parse().ok()).unwrap_or(0);
            // A process that this one starts has its open files, locks among them, until its own program begins. So an index
            // that was closed just now may seem to be in use for a moment.
            if process != std::process::id() || tries.next().is_none() {
                return Err(Error::InUse { path: path.to_owned(), process });
            }
            std::thread::sleep(BETWEEN_TRIES);
        };
        // This is for messages only, and a disk that is full or read only is no reason not to look into an index.
        let _ = files.write_whole(&path.join(PROCESS), format!("{}\n", std::process::id()).as_bytes());
        Ok(Self { files, path: path.to_owned(), copy: None, _lock: Some(lock) })
    }

    /// True if nothing can be written to the folder.
    pub(crate) fn is_read_only(&self) -> bool {
        self.copy.is_some()
    }

    /// Removes the index, and its folder unless it `stays`. The store must be closed. Other processes are kept out until
    /// nothing of the index is left.
    pub(crate) fn remove(self, stays: bool) -> Result<()> {
        // Without its head it is no index from now on, whatever else is left.
        for name in [HEAD, ACKNOWLEDGED, PROCESS] {
            self.files.remove_file(&self.path.join(name))?;
        }
        for name in [STORE, REPAIRED, REPLACED, READABLE] {
            self.files.remove_tree(&self.path.join(name))?;
        }
        self.files.remove_file(&self.path.join(LOCK))?;
        if !stays {
            // Another process may have begun something there.
            self.files.remove_if_empty(&self.path);
        }
        Ok(())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The folder of the store.
    pub(crate) fn store(&self) -> PathBuf {
        self.copy.as_ref().map_or_else(|| self.path.join(STORE), ReadingCopy::store)
    }

    /// An empty place for a store that replaces the present one.
    pub(crate) fn place_for_repair(&self) -> Result<PathBuf> {
        let place = self.path.join(REPAIRED);
        self.files.remove_tree(&place)?;
        Ok(place)
    }

    /// An empty place for what a repair reads.
    pub(crate) fn place_for_reading(&self) -> Result<PathBuf> {
        let place = self.path.join(READABLE);
        self.files.remove_tree(&place)?;
        Ok(place)
    }

    /// Replaces the store by the repaired one. Both must be closed. A kill at any moment leaves one of them in place,
    /// or is gone on with by the next opening.
    pub(crate) fn replace_store(&self) -> Result<()> {
        self.files.remove_tree(&self.path.join(REPLACED))?;
        rename(&self.store(), &self.path.join(REPLACED))?;
        self.finish_repair()
    }

    pub(crate) fn finish_repair(&self) -> Result<()> {
        let (repaired, replaced) = (self.path.join(REPAIRED), self.path.join(REPLACED));
        // The old store is moved away only when the new one is whole.
        if !self.files.exists(&self.store())? && self.files.exists(&repaired)? {
            rename(&repaired, &self.store())?;
        }
        if self.files.exists(&self.store())? {
            self.files.remove_tree(&repaired)?;
            self.files.remove_tree(&replaced)?;
            self.files.remove_tree(&self.path.join(READABLE))?;
        }
        Ok(())
    }

    /// The number of the last acknowledged batch, and the file that has it.
    pub(crate) fn acknowledged(&self) -> Result<(u64, Acknowledged)> {
        let number = read_acknowledged(&self.files, &self.path)?;
        if self.is_read_only() {
            return Ok((number, Acknowledged { file: None }));
        }
        let path = self.path.join(ACKNOWLEDGED);
        let file = OpenOptions::new().write(true).open(&path);
        let file = file.map_err(|cause| io_error("open", &path, cause))?;
        Ok((number, Acknowledged { file: Some((path, file)) }))
    }

    /// Opens the store. If it may have lost something, a copy is opened in `temp_dir`: fjall cuts journals where it cannot read
    /// them. Nothing is written to a store that has lost something.
    pub(crate) fn open_store(&mut self, tuning: Tuning, temp_dir: Option<&Path>) -> Result<Opened> {
        let (acknowledged, file) = self.acknowledged()?;
        let place = self.path.join(STORE);
        let journals = Journals::read(&place)?;
        let open = |folder: &Self| -> Result<(FjallStore, Counters, u64)> {
            let store = FjallStore::open_as(&folder.store(), &place, tuning)?;
            let counters = read_counters(&store)?;
            let lost = acknowledged.saturating_sub(counters.batch).max(journals.missing);
            let is_for_reading = lost > 0 || folder.is_read_only();
            Ok((if is_for_reading { store.for_reading() } else { store }, counters, lost))
        };
        let opened = |(store, counters, lost): (FjallStore, Counters, u64), file| Opened {
            store,
            counters,
            lost,
            acknowledged,
            file,
        };
        if !self.is_read_only() && !journals.keep(acknowledged) {
            self.copy = Some(ReadingCopy::of(&self.files, &place, temp_dir)?);
            let looked = open(self)?;
            if looked.2 > 0 {
                return Ok(opened(looked, file));
            }
            drop(looked);
            self.copy = None;
        }
        Ok(opened(open(self)?, file))
    }

    /// Opens the store of a folder itself, whatever it has lost, and closes it. The number of the last acknowledged batch is
    /// that of the last one that is there from now on.
    pub(crate) fn accept_loss(&mut self, batch: u64, tuning: Tuning) -> Result<()> {
        self.copy = None;
        self.set_acknowledged(batch)?;
        FjallStore::open(&self.store(), tuning).map(drop)
    }

    /// Writes the number of the last acknowledged batch anew.
    pub(crate) fn set_acknowledged(&self, number: u64) -> Result<()> {
        Ok(self.files.write_whole(&self.path.join(ACKNOWLEDGED), &written(number))?)
    }

    /// The bytes of all files of the folder.
    pub(crate) fn bytes(&self) -> u64 {
        bytes_in(&self.path)
    }
}

/// The number of the last acknowledged batch of the index at `path`.
fn read_acknowledged(files: &Files, path: &Path) -> Result<u64> {
    let path = path.join(ACKNOWLEDGED);
    let wrong = |cause| Error::damaged(path.display().to_string(), cause);
    let bytes = files.read(&path)?.ok_or_else(|| wrong("the file is missing"))?;
    read_number(&bytes).ok_or_else(|| wrong("it is not a number with its check"))
}

/// The configuration of the index at `path`, which may be open elsewhere.
pub(crate) fn read_head(files: &Files, path: &Path) -> Result<Head> {
    let place = path.join(HEAD);
    let Some(bytes) = files.read(&place)? else {
        return Err(match holds_something_else(path)? {
            true => foreign(path),
            false => Error::NoIndex { path: path.to_owned() },
        });
    };
    let wrong = |cause: String| Error::damaged(place.display().to_string(), cause);
    let value: serde_json::Value =
        serde_json::from_slice(&bytes).map_err(|cause| wrong(cause.to_string()))?;
    let version = value.get("version").and_then(serde_json::Value::as_u64);
    match version {
        Some(VERSION) => {
            let head =
                serde_json::from_value::<Head>(value.clone()).map_err(|cause| wrong(cause.to_string()))?;
            // A setting that is missing or misspelt would have its default.
            match serde_json::to_value(&head) {
                Ok(written) if written == value => Ok(head),
                _ => Err(wrong("it is not written as this version writes it".into())),
            }
        }
        Some(version) if version > VERSION => {
            Err(Error::Newer { path: path.to_owned(), version, known: VERSION })
        }
        _ => Err(wrong("it has no version".into())),
    }
}

fn foreign(path: &Path) -> Error {
    Error::Foreign { path: path.to_owned(), is_file: path.is_file() }
}

/// True if the folder exists and has anything that a killed creation of an index would not leave, or if it is
/// no folder.
pub(crate) fn holds_something_else(path: &Path) -> Result<bool> {
    let entries = match std::fs::read_dir(path) {
        Ok(entries) => entries,
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        Err(cause) if cause.kind() == std::io::ErrorKind::NotADirectory => return Ok(true),
        Err(cause) => return Err(io_error("list", path, cause)),
    };
    for entry in entries {
        let name = entry.map_err(|cause| io_error("list", path, cause))?.file_name();
        let name = name.to_string_lossy();
        let is_ours = [LOCK, PROCESS, ACKNOWLEDGED, STORE].contains(&name.as_ref());
        if !is_ours && !name.ends_with(files::UNFINISHED) {
            return Ok(true);
        }
    }
    // A store alone may be anything; ours comes with a lock.
    Ok(path.join(STORE).exists() && !path.join(LOCK).exists())
}

/// A store that was opened.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) store: FjallStore,
    pub(crate) counters: Counters,
    /// How many acknowledged batches are not there.
    pub(crate) lost: u64,
    /// The number of the last acknowledged batch.
    pub(crate) acknowledged: u64,
    pub(crate) file: Acknowledged,
}

/// The file with the number of the last acknowledged batch. It is written in place and not synced: it only has to
/// survive the end of this process, and tells what the journal has lost.
#[derive(Debug)]
pub(crate) struct Acknowledged {
    /// The file; without one nothing is written.
    file: Option<(PathBuf, File)>,
}

impl Acknowledged {
    /// For an index whose store is in memory.
    #[cfg(any(test, feature = "fuzzing"))]
    pub(crate) fn nowhere() -> Self {
        Self { file: None }
    }

    pub(crate) fn set(&mut self, number: u64) -> Result<()> {
        let Some((path, file)) = &mut self.file else { return Ok(()) };
        write_at_start(file, &written(number)).map_err(|cause| io_error("write", path, cause))
    }
}

#[cfg(unix)]
fn write_at_start(file: &File, bytes: &[u8]) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, 0)
}

#[cfg(not(unix))]
fn write_at_start(mut file: &File, bytes: &[u8]) -> std::io::Result<()> {
    use std::io::{Seek, SeekFrom};
    file.seek(SeekFrom::Start(0))?;
    file.write_all(bytes)
}

/// The number in 20 digits and its check in 16, with a space between them: one write of 38 bytes.
fn written(number: u64) -> Vec<u8> {
    format!("{number:020} {:016x}\n", lookalike::hashing::mix64(number)).into_bytes()
}

fn read_number(bytes: &[u8]) -> Option<u64> {
    let number = std::str::from_utf8(bytes).ok()?.get(..20)?.parse().ok()?;
    (written(number) == bytes).then_some(number)
}

fn rename(from: &Path, to: &Path) -> Result<()> {
    std::fs::rename(from, to).map_err(|cause| io_error("rename", from, cause))?;
    let parent = to.parent().unwrap_or(Path::new("."));
    let synced = File::open(parent).and_then(|folder| folder.sync_all());
    synced.map_err(|cause| io_error("sync", parent, cause))
}

fn bytes_in(folder: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    let bytes = entries.flatten().map(|entry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => bytes_in(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    });
    bytes.sum()
}

pub(crate) fn io_error(action: &'static str, path: &Path, cause: std::io::Error) -> Error {
    files::Error { action, name: path.display().to_string(), cause }.into()
}
