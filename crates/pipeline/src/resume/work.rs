//! The work folder: what a run writes down so that it can go on after a kill, and what later questions need.
//!
//! ```text
//! run.json       what the run is: settings and sources; a folder whose run.json differs belongs to another run
//! began-in       the folder that relative paths of sources are relative to
//! times.json     the times of large files when the run began; others are told by a checksum of all their bytes
//! lock           held while a run works
//! key            the seed of the random key of stored shingles, if these are stored
//! sketch-file    the sketch file that has the parts, if the run began from one
//! sketches/      the parts, a chain, and `complete` with their number and the checksum of the last once all are there
//! decisions      what becomes of the removed documents (made once, after verification)
//! near-misses.jsonl
//! failed         why the run ended with an error that running it again would not mend
//! unfinished/    outputs on their way
//! lookalike-tmp-*/  what is spilled
//! ```
//!
//! Every file is written aside, synced and renamed: it is whole or absent. Whose folder it is, is decided in `claim.rs`.

use crate::decide::{Removal, Removals};
use crate::method::Means;
use crate::resume::decisions_file::{DecisionsReader, DecisionsWriter, Findings};
use crate::store::Store;
use crate::store::columns::Columns;
use crate::store::part::{self, Checksum, Link};
use crate::write::naming::BATCH;
use crate::{Error, Job, Observer, Result};
use corpus::Target;
use files::{Access, Files, Lock, OutFile, TempFolder};
use std::io::{Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The folder that the run began in.
pub(crate) const BEGAN_IN: &str = "began-in";

/// What the run is.
pub(crate) const RUN: &str = "run.json";

/// Why the run ended with an error that running it again would not mend.
pub(crate) const FAILED: &str = "failed";

/// What is held while a run works.
pub(crate) const LOCK: &str = "lock";

/// The times of large files when the run began.
pub(crate) const TIMES: &str = "times.json";

/// The seed of the key of stored shingles.
pub(crate) const KEY: &str = "key";

const DECISIONS: &str = "decisions";
const SKETCHES: &str = "sketches";
const UNFINISHED: &str = "unfinished";

/// The number of parts, once all are there.
const COMPLETE: &str = "sketches/complete";

/// A work folder: one that outlives the run, or one that goes with it.
#[derive(Debug)]
pub(crate) struct Work {
    files: Files,
    folder: PathBuf,
    /// Whether parts are written even if they fit in memory.
    durable: bool,
    /// A sketch file that has the parts.
    sketch_file: Option<(PathBuf, u64)>,
    /// A sketch file that parts are added to.
    appending: Option<OutFile>,
    /// Where what is spilled goes, in a folder of its own.
    spill_parent: PathBuf,
    spill: OnceLock<TempFolder>,
    /// Files without a name that were made so far.
    spilled: AtomicU64,
    parts: usize,
    /// The checksum of the last part; before the first, a hash of what the run is.
    last: Checksum,
    /// A hash of what the run is.
    run: Checksum,
    sketched: bool,
    /// Whether something that an earlier run left was used.
    reused: bool,
    /// The folder itself, if it goes with the run.
    _temporary: Option<TempFolder>,
    lock: Option<Lock>,
}

/// A hash of what a run is.
fn hash(identity: &[u8]) -> Checksum {
    *blake3::hash(identity).as_bytes()
}

impl Work {
    fn at(files: Files, folder: PathBuf, identity: &[u8]) -> Self {
        Self {
            sketched: folder.join(COMPLETE).exists(),
            spill_parent: folder.clone(),
            files,
            folder,
            durable: false,
            sketch_file: None,
            appending: None,
            spill: OnceLock::new(),
            spilled: AtomicU64::new(0),
            parts: 0,
            last: hash(identity),
            run: hash(identity),
            reused: false,
            _temporary: None,
            lock: None,
        }
    }

    /// A folder that outlives the run, whose lock is held and which belongs to `identity`. What a killed run left on its way
    /// is removed.
    pub(crate) fn durable(files: Files, folder: PathBuf, lock: Lock, identity: &str) -> Result<Self> {
        let sketches = folder.join(SKETCHES);
        files.make_folder(&sketches)?;
        files.remove_tree(&folder.join(UNFINISHED))?;
        files.remove_file(&folder.join(FAILED))?;
        for folder in [&folder, &sketches] {
            files.remove_unfinished(folder)?;
        }
        files.remove_left_folders(&folder);
        Ok(Self { durable: true, lock: Some(lock), ..Self::at(files, folder, identity.as_bytes()) })
    }

    /// The folder of a finished run, only to be read.
    pub(crate) fn existing(folder: PathBuf, identity: &[u8]) -> Self {
        Self::at(Files::default(), folder, identity)
    }

    /// A folder of its own below `parent` that goes when the run ends.
    pub(crate) fn temporary(parent: &Path) -> Result<Self> {
        Self::temporary_on(Files::default(), parent)
    }

    /// The same on another disk.
    pub(crate) fn temporary_on(files: Files, parent: &Path) -> Result<Self> {
        let folder = files.temp_folder(parent)?;
        files.make_folder(&folder.path().join(SKETCHES))?;
        let path = folder.path().to_owned();
        Ok(Self { _temporary: Some(folder), ..Self::at(files, path, &[]) })
    }

    /// The parts come from a sketch file, where they begin at `offset`.
    pub(crate) fn use_sketch_file(&mut self, file: PathBuf, offset: u64) {
        self.sketch_file = Some((file, offset));
        self.sketched = true;
    }

    /// Parts are added to this file, which has `identity` as its head.
    pub(crate) fn appending_to(mut self, file: OutFile, identity: &[u8]) -> Self {
        self.appending = Some(file);
        self.last = hash(identity);
        self
    }

    /// Whether parts are added to a file.
    pub(crate) fn is_appending(&self) -> bool {
        self.appending.is_some()
    }

    /// The file that parts were added to, which is whole if all are there.
    pub(crate) fn into_appended(mut self) -> Option<OutFile> {
        self.appending.take()
    }

    /// What is spilled goes below the job's folder for temporary files, if it has one.
    pub(crate) fn with_spill(mut self, job: &Job) -> Self {
        if let Some(parent) = &job.resources.temp_dir {
            self.spill_parent.clone_from(parent);
        }
        // This run may need no such folder, and be the last one for long.
        self.files.remove_left_folders(&self.spill_parent);
        self
    }

    /// The folder for what is spilled: of this run alone, made when it is first asked for.
    pub(crate) fn spill_folder(&self) -> Result<&Path> {
        if self.spill.get().is_none() {
            // If another thread was first, this one goes at once.
            let _ = self.spill.set(self.files.temp_folder(&self.spill_parent)?);
        }
        Ok(self.spill.get().expect("it was set").path())
    }

    /// A file without a name for what is spilled: it goes when it is closed.
    pub(crate) fn spill_file(&self) -> Result<OutFile> {
        let number = self.spilled.fetch_add(1, Ordering::Relaxed);
        let path = self.spill_folder()?.join(format!("sorted-{number:06}"));
        let file = self.files.create(&path, Access::Private)?;
        self.files.remove_file(&path)?;
        Ok(file)
    }

    /// The folder for outputs on their way.
    pub(crate) fn unfinished(&self) -> Result<PathBuf> {
        let folder = self.folder.join(UNFINISHED);
        self.files.make_folder(&folder)?;
        Ok(folder)
    }

    /// Something that an earlier run left was used.
    pub(crate) fn reuse(&mut self) {
        self.reused = true;
    }

    /// Whether something that an earlier run left was used.
    pub(crate) fn is_resumed(&self) -> bool {
        self.reused && self.durable
    }

    /// Whether all parts are there.
    pub(crate) fn is_sketched(&self) -> bool {
        self.sketched
    }

    fn part_path(&self, part: usize) -> PathBuf {
        self.folder.join(SKETCHES).join(part_name(part))
    }

    fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Error {
        let name = path.display().to_string();
        move |cause| Error::Io { action, name, cause }
    }

    /// The parts that an earlier run left, of documents that were sketched by these means from this many sources. One that is damaged, or does not follow the one before, is
    /// sketched again, with all that come after it.
    pub(crate) fn stored_parts(
        &mut self,
        means: &Means,
        sources: usize,
        memory: u64,
        observer: &dyn Observer,
    ) -> Result<Store> {
        let mut store = Store::new(means.lanes());
        let fits = |columns: &Columns| {
            columns.has_all_of(means) && columns.blocks.iter().all(|block| (block.source as usize) < sources)
        };
        if let Some((path, offset)) = self.sketch_file.clone() {
            let name = path.display().to_string();
            let mut file = self.files.open(&path)?;
            let mut first = vec![0; usize::try_from(offset).unwrap_or(usize::MAX)];
            let whole = std::io::Read::read_exact(&mut file, &mut first);
            let identity = first.get(crate::sketch::sketch_file::FIRST..).filter(|_| whole.is_ok());
            let Some(identity) = identity else {
                return Err(Error::Damaged { name, cause: "its head ends too soon".into() });
            };
            self.last = hash(identity);
            file.seek(SeekFrom::Start(offset)).map_err(Self::io("read", &path))?;
            while !part::at_end(&mut file, &path, store.parts())? {
                observer.go_on()?;
                let link = Link { first: store.count(), after: self.last };
                let (stored, columns, checksum) = part::read(&mut file, &path, link)?;
                if !fits(&columns) {
                    let cause = "a part is of other settings or sources than its head says".into();
                    return Err(Error::Damaged { name, cause });
                }
                store.push(columns, Some(stored), memory);
                self.last = checksum;
            }
            return Ok(store);
        }
        let complete = self.read(COMPLETE)?.and_then(|bytes| String::from_utf8(bytes).ok());
        let complete = complete.as_deref().and_then(|written| {
            let (parts, last) = written.trim_end().split_once(' ')?;
            Some((parts.parse::<usize>().ok()?, *blake3::Hash::from_hex(last).ok()?.as_bytes()))
        });
        while complete.is_none_or(|(parts, _)| self.parts < parts) {
            observer.go_on()?;
            let path = self.part_path(self.parts);
            if !self.files.exists(&path)? {
                break;
            }
            let link = Link { first: store.count(), after: self.last };
            match part::read(&mut self.files.open(&path)?, &path, link) {
                Ok((stored, columns, checksum)) if fits(&columns) => {
                    store.push(columns, Some(stored), memory);
                    self.last = checksum;
                }
                Ok(_) | Err(Error::Damaged { .. }) => {
                    observer.note(&format!("{} is damaged; sketching goes on from there", path.display()));
                    break;
                }
                Err(error) => return Err(error),
            }
            self.parts += 1;
        }
        let all = complete == Some((self.parts, self.last));
        if self.sketched && !all {
            observer.note(&format!("{} lacks a part; sketching goes on from there", self.folder.display()));
        }
        self.sketched = all;
        self.reused |= self.parts > 0;
        if self.durable {
            self.remove_parts_after_the_end()?;
        }
        Ok(store)
    }

    /// Parts that follow no other one would be in the way of those that are made.
    fn remove_parts_after_the_end(&self) -> Result<()> {
        let folder = self.folder.join(SKETCHES);
        for name in self.files.list(&folder)? {
            let number = name.strip_prefix("part-").and_then(|number| number.parse::<usize>().ok());
            if number.is_some_and(|number| number >= self.parts) {
                self.files.remove_file(&folder.join(name))?;
            }
        }
        Ok(())
    }

    /// Takes a finished part: into the store, and into a file if it must outlive the run or does not fit.
    pub(crate) fn push_part(&mut self, columns: Columns, store: &mut Store, memory: u64) -> Result<()> {
        let fits = store.bytes_in_memory() + columns.bytes() <= memory;
        let link = Link { first: store.count(), after: self.last };
        let written = if let Some(file) = &mut self.appending {
            let (path, start) = (file.path().to_owned(), file.bytes());
            Some(part::write(&columns, file, &path, start, link)?)
        } else if self.durable || !fits {
            let path = self.part_path(self.parts);
            let mut file = self.files.begin(&path)?;
            let written = part::write(&columns, &mut file, &path, 0, link)?;
            if self.durable {
                file.finish()?;
            } else {
                file.finish_unsynced()?;
            }
            Some(written)
        } else {
            None
        };
        self.parts += 1;
        let file = written.map(|(file, checksum)| {
            self.last = checksum;
            file
        });
        store.push(columns, file, memory);
        Ok(())
    }

    /// All parts are there.
    pub(crate) fn sketched(&mut self) -> Result<()> {
        self.sketched = true;
        if let Some(file) = &mut self.appending {
            part::write_end(file, self.parts)?;
            file.sync()?;
        }
        if self.durable {
            let last = blake3::Hash::from_bytes(self.last).to_hex();
            self.write(COMPLETE, format!("{} {last}\n", self.parts).as_bytes())?;
        }
        Ok(())
    }

    /// What ties decisions to this run and its sketches.
    fn tie(&self) -> Checksum {
        *blake3::Hasher::new().update(&self.run).update(&self.last).finalize().as_bytes()
    }

    /// What an earlier run decided, if it came so far and what it wrote is whole and belongs to these sketches.
    pub(crate) fn stored_decisions(&self) -> Result<Option<DecisionsReader>> {
        DecisionsReader::open(&self.files, &self.folder.join(DECISIONS), &self.tie())
    }

    /// Writes down what was decided.
    pub(crate) fn write_decisions(
        &self,
        removals: &Removals,
        decided: &Findings,
        observer: &dyn Observer,
    ) -> Result<()> {
        let mut writer = DecisionsWriter::begin(&self.files, &self.folder.join(DECISIONS), &self.tie())?;
        let mut removals = removals.iter();
        loop {
            observer.go_on()?;
            let some = removals.by_ref().take(BATCH).collect::<Result<Vec<Removal>>>()?;
            if some.is_empty() {
                return writer.finish(decided);
            }
            writer.push(&some)?;
        }
    }

    /// A file of the folder, if it is there.
    pub(crate) fn read(&self, name: &str) -> Result<Option<Vec<u8>>> {
        Ok(self.files.read(&self.folder.join(name))?)
    }

    /// Writes a file of the folder.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        Ok(self.files.write_whole(&self.folder.join(name), bytes)?)
    }

    /// Removes a file of the folder, if it is there.
    pub(crate) fn remove_file(&self, name: &str) -> Result<()> {
        Ok(self.files.remove_file(&self.folder.join(name))?)
    }

    /// Whether the folder holds sketches that would be lost with it.
    pub(crate) fn has_parts(files: &Files, folder: &Path) -> Result<bool> {
        Ok(files.exists(&folder.join(SKETCHES).join(part_name(0)))?)
    }

    /// Removes what a run left in a folder, but for its lock.
    pub(crate) fn clear(files: &Files, folder: &Path) -> Result<()> {
        // First what says that the rest is to be believed.
        for name in [
            RUN,
            TIMES,
            DECISIONS,
            BEGAN_IN,
            FAILED,
            KEY,
            crate::resume::begin::SKETCH_FILE,
            "near-misses.jsonl",
        ] {
            files.remove_file(&folder.join(name))?;
        }
        Ok(files.remove_tree(&folder.join(SKETCHES))?)
    }

    /// Removes what only an unfinished run needs.
    pub(crate) fn tidy(&mut self) -> Result<()> {
        self.spill.take();
        Ok(self.files.remove_tree(&self.folder.join(UNFINISHED))?)
    }

    /// Copies what later questions need to a target that does not hold this folder.
    pub(crate) fn publish(&self, target: &Target) -> Result<()> {
        if target.folder().is_some() {
            return Ok(());
        }
        let mut names: Vec<String> =
            [BEGAN_IN, TIMES, DECISIONS, "near-misses.jsonl", COMPLETE, crate::resume::begin::SKETCH_FILE]
                .map(String::from)
                .to_vec();
        names.extend((0..self.parts).map(|part| format!("{SKETCHES}/{}", part_name(part))));
        for name in names.iter().filter(|name| self.folder.join(name).exists()) {
            target.copy(&self.folder.join(name), &format!("{}/{name}", corpus::WORK_FOLDER))?;
        }
        Ok(())
    }

    /// Removes the folder, with its lock.
    pub(crate) fn remove(&mut self) -> Result<()> {
        self.spill.take();
        self.files.remove_locked_tree(&self.folder, LOCK)?;
        self.lock = None;
        Ok(())
    }

    /// Where it is.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }
}

fn part_name(part: usize) -> String {
    format!("part-{part:06}")
}
