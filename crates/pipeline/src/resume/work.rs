//! The work folder: the files with which a run can continue after a kill, and from which later questions are
//! answered.
//!
//! ```text
//! run.json       the settings and sources; a folder whose run.json differs belongs to another run
//! began-in       the folder to which relative paths of sources are relative
//! times.json     the modification times of large files when the run began (other files are checksummed completely)
//! lock           locked while a run works
//! key            the seed of the random key of stored shingles, if shingles are stored
//! sketch-file    the names of the sketch files that have the parts, if the run began from some
//! sketches/      the parts; when all exist, also `complete`, with their number and the checksum of the last
//! decisions      the removed documents and what they duplicate (written once, after verification)
//! near-misses.jsonl  pairs just below the threshold
//! outputs.jsonl, outputs-new.jsonl  the finished outputs, with their sizes
//! failed         the error with which the run ended, if it would happen again
//! unfinished/    outputs that are being written
//! lookalike-tmp-*/  temporary files
//! ```
//!
//! Every file is written to a temporary file first, synced and renamed, so it is either complete or absent.
//! `claim.rs` decides which run a folder belongs to.

use crate::decide::{Removal, Removals};
use crate::method::Recipe;
use crate::resume::decisions_file::{DecisionsReader, DecisionsWriter, Findings};
use crate::resume::identity::Identity;
use crate::sketch::sketch_file::{FIRST, SketchFiles};
use crate::store::Store;
use crate::store::columns::Columns;
use crate::store::part::{self, Checksum, Link};
use crate::write::naming::BATCH;
use crate::{Error, Job, Observer, Result};
use corpus::Target;
use files::{Access, Files, Lock, OutFile, TempFolder};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The file with the folder in which the run began.
pub(crate) const BEGAN_IN: &str = "began-in";

/// The file with the identity of the run.
pub(crate) const RUN: &str = "run.json";

/// The file with the error with which the run ended, if it would happen again.
pub(crate) const FAILED: &str = "failed";

/// The file that is locked while a run works.
pub(crate) const LOCK: &str = "lock";

/// The file with the modification times of large files when the run began.
pub(crate) const TIMES: &str = "times.json";

/// The file with the finished outputs.
pub(crate) const OUTPUTS: &str = "outputs.jsonl";

/// The file with the outputs that were finished since that file was written.
pub(crate) const NEW_OUTPUTS: &str = "outputs-new.jsonl";

/// The file with the seed of the key of stored shingles.
pub(crate) const KEY: &str = "key";

/// The state of the index that the run asks, as it was when sketching began.
const INDEX_STATE: &str = "index-state";

/// Says that kept documents are being added to an index, or have been.
pub(crate) const ADDING: &str = "adding";

const DECISIONS: &str = "decisions";
const SKETCHES: &str = "sketches";
const UNFINISHED: &str = "unfinished";

/// The file with the number of parts. It is written when all parts exist.
const COMPLETE: &str = "sketches/complete";

/// A work folder. It outlives the run, or is removed at its end.
#[derive(Debug)]
pub(crate) struct Work {
    files: Files,
    folder: PathBuf,
    /// True if parts are written even if they fit in memory.
    durable: bool,
    /// The sketch files that have the parts.
    sketch_files: Option<SketchFiles>,
    /// The sketch file to which parts are appended.
    appending: Option<OutFile>,
    /// The folder in which the folder for temporary files is created.
    spill_parent: PathBuf,
    spill: OnceLock<TempFolder>,
    /// The number of files without a name that were created so far.
    spilled: AtomicU64,
    parts: usize,
    /// The checksum of the last part; before the first part, a hash of the identity of the run.
    last: Checksum,
    /// A hash of the identity of the run.
    run: Checksum,
    sketched: bool,
    /// True if results of an earlier run were used.
    reused: bool,
    /// The folder itself, if it is removed at the end of the run.
    _temporary: Option<TempFolder>,
    lock: Option<Lock>,
}

/// The hash of the identity of a run.
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
            sketch_files: None,
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

    /// A folder that outlives the run, is locked, and belongs to the run `identity`. Unfinished files of a killed run
    /// are removed.
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

    /// The folder of a finished run, for reading only.
    pub(crate) fn existing(folder: PathBuf, identity: &[u8]) -> Self {
        Self::at(Files::default(), folder, identity)
    }

    /// A new folder in `parent`, which is removed when the run ends.
    pub(crate) fn temporary(parent: &Path) -> Result<Self> {
        Self::temporary_on(Files::default(), parent)
    }

    /// The same with given file operations, which can be faulty in tests.
    pub(crate) fn temporary_on(files: Files, parent: &Path) -> Result<Self> {
        let folder = files.temp_folder(parent)?;
        files.make_folder(&folder.path().join(SKETCHES))?;
        let path = folder.path().to_owned();
        Ok(Self { _temporary: Some(folder), ..Self::at(files, path, &[]) })
    }

    /// Makes the parts be read from sketch files.
    pub(crate) fn use_sketch_files(&mut self, files: SketchFiles) {
        self.sketch_files = Some(files);
        self.sketched = true;
    }

    /// What holds the parts: sketch files, of which the first is named, or this folder.
    pub(crate) fn name_of_sketches(&self) -> String {
        let file = self.sketch_files.as_ref().map_or(&self.folder, |files| &files.files()[0].0);
        file.display().to_string()
    }

    /// Makes parts be appended to this file, which has `identity` as its head.
    pub(crate) fn appending_to(mut self, file: OutFile, identity: &[u8]) -> Self {
        self.appending = Some(file);
        self.last = hash(identity);
        self
    }

    /// True if parts are appended to a sketch file.
    pub(crate) fn is_appending(&self) -> bool {
        self.appending.is_some()
    }

    /// The file to which parts were appended. It is complete if all parts are in it.
    pub(crate) fn into_appended(mut self) -> Option<OutFile> {
        self.appending.take()
    }

    /// Makes temporary files be created in the job's folder for temporary files, if it has one.
    pub(crate) fn with_spill(mut self, job: &Job) -> Self {
        if let Some(parent) = &job.resources.temp_dir {
            self.spill_parent.clone_from(parent);
        }
        // Folders that killed runs left are removed now, because this run may create no temporary folder itself.
        self.files.remove_left_folders(&self.spill_parent);
        self
    }

    /// The folder for the temporary files of this run. It is created when it is needed first.
    pub(crate) fn spill_folder(&self) -> Result<&Path> {
        if self.spill.get().is_none() {
            // If another thread was first, the folder that was created here is removed at once.
            let _ = self.spill.set(self.files.temp_folder(&self.spill_parent)?);
        }
        Ok(self.spill.get().expect("it was set").path())
    }

    /// A temporary file without a name. The system removes it when it is closed.
    pub(crate) fn spill_file(&self) -> Result<OutFile> {
        let number = self.spilled.fetch_add(1, Ordering::Relaxed);
        let path = self.spill_folder()?.join(format!("sorted-{number:06}"));
        let file = self.files.create(&path, Access::Private)?;
        self.files.remove_file(&path)?;
        Ok(file)
    }

    /// The folder for outputs that are being written.
    pub(crate) fn unfinished(&self) -> Result<PathBuf> {
        let folder = self.folder.join(UNFINISHED);
        self.files.make_folder(&folder)?;
        Ok(folder)
    }

    /// Records that results of an earlier run were used.
    pub(crate) fn reuse(&mut self) {
        self.reused = true;
    }

    /// True if results of an earlier run were used.
    pub(crate) fn is_resumed(&self) -> bool {
        self.reused && self.durable
    }

    /// True if the folder stays after the run, so that a killed run can go on.
    pub(crate) fn is_durable(&self) -> bool {
        self.durable
    }

    /// True if all parts exist.
    pub(crate) fn is_sketched(&self) -> bool {
        self.sketched
    }

    fn part_path(&self, part: usize) -> PathBuf {
        self.folder.join(SKETCHES).join(part_name(part))
    }

    /// Reads the parts that an earlier run left. They must fit the settings of `recipe` and the number of `sources`. A
    /// part that is damaged, or does not follow the part before, is sketched again, with all parts after it.
    pub(crate) fn stored_parts(
        &mut self,
        recipe: &Recipe,
        sources: usize,
        memory: u64,
        observer: &dyn Observer,
    ) -> Result<Store> {
        let mut store = Store::new(recipe.lanes(), recipe.has_uneven_lanes());
        let fits = |columns: &Columns| {
            columns.has_all_of(recipe) && columns.blocks.iter().all(|block| (block.source as usize) < sources)
        };
        if let Some(sketch) = self.sketch_files.clone() {
            let (mut last, mut before) = (Vec::new(), 0);
            for (path, offset) in sketch.files() {
                before +=
                    self.add_sketch_file(&mut store, (path, *offset), before, &fits, memory, observer)?;
                last.push(self.last);
            }
            if let [_, _, ..] = last.as_slice() {
                // Decisions are tied to the parts of all files.
                self.last = hash(last.as_flattened());
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
                Ok((stored, columns, checksum))
                    if fits(&columns) && store.order().is_none_or(|order| order == columns.order) =>
                {
                    store.push(columns, Some(stored), memory);
                    self.last = checksum;
                }
                Ok(_) | Err(Error::Damaged { .. }) => {
                    observer.note(&format!("{} is damaged; sketching continues from there", path.display()));
                    break;
                }
                Err(error) => return Err(error),
            }
            self.parts += 1;
        }
        let all = complete == Some((self.parts, self.last));
        if self.sketched && !all {
            observer.note(&format!("{} lacks a part; sketching continues from there", self.folder.display()));
        }
        self.sketched = all;
        self.reused |= self.parts > 0;
        if self.durable {
            self.remove_parts_after_the_end()?;
        }
        Ok(store)
    }

    /// Adds the parts of a sketch file to the store. The sources of earlier files come `before` those of this one;
    /// returns how many it has.
    fn add_sketch_file(
        &mut self,
        store: &mut Store,
        (path, offset): (&Path, u64),
        before: u32,
        fits: &dyn Fn(&Columns) -> bool,
        memory: u64,
        observer: &dyn Observer,
    ) -> Result<u32> {
        let damaged = |cause: &str| Error::Damaged { name: path.display().to_string(), cause: cause.into() };
        let mut file = self.files.open(path)?;
        let mut first = vec![0; usize::try_from(offset).unwrap_or(usize::MAX)];
        let whole = std::io::Read::read_exact(&mut file, &mut first);
        let head = first.get(FIRST..).filter(|_| whole.is_ok());
        let head = head.ok_or_else(|| damaged("its head ends too soon"))?;
        let identity = Identity::from_json(head).ok_or_else(|| damaged("its head cannot be read"))?;
        let sources = u32::try_from(identity.against.len() + identity.sources.len())
            .map_err(|_| damaged("it has too many sources"))?;
        self.last = hash(head);
        let (first_number, first_part) = (store.count(), store.parts());
        while !part::at_end(&mut file, path, store.parts() - first_part)? {
            observer.go_on()?;
            // A file counts its documents from 0.
            let link = Link { first: store.count() - first_number, after: self.last };
            let (stored, mut columns, checksum) = part::read(&mut file, path, link)?;
            let has_sources = columns.blocks.iter().all(|block| block.source < sources);
            columns.blocks.iter_mut().for_each(|block| block.source = block.source.saturating_add(before));
            if !has_sources || !fits(&columns) {
                return Err(damaged("a part does not fit the settings or sources in its head"));
            }
            store.push(columns, Some(stored), memory);
            self.last = checksum;
        }
        Ok(sources)
    }

    /// Forgets all parts, so that sketching begins again.
    pub(crate) fn forget_parts(&mut self) -> Result<()> {
        (self.parts, self.last, self.sketched, self.reused) = (0, self.run, false, false);
        if self.durable {
            self.remove_parts_after_the_end()?;
        }
        Ok(())
    }

    /// Removes parts that do not follow the last valid part. They would be mistaken for parts that this run writes.
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

    /// Adds a finished part to the store, and writes it to a file if it must outlive the run or does not fit in
    /// memory.
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

    /// True if the parts that exist were made with this state of the index.
    pub(crate) fn is_begun_with(&self, state: &str) -> Result<bool> {
        Ok(self.read(INDEX_STATE)?.is_some_and(|written| written == state.as_bytes()))
    }

    /// True if kept documents are being added to an index, or have been.
    pub(crate) fn is_adding(&self) -> Result<bool> {
        Ok(self.read(ADDING)?.is_some())
    }

    /// Forgets all parts, and records the state of the index with which new ones are made. It is an error if the index
    /// may have got documents of this run since: they would be taken for duplicates of themselves.
    pub(crate) fn begin_with(&mut self, state: &str) -> Result<()> {
        if self.is_adding()? {
            return Err(Error::Target(format!(
                "the sketches in {} are missing or damaged, and cannot be made again: documents of this run are in the \
                 index already; choose another target folder",
                self.folder.display()
            )));
        }
        self.forget_parts()?;
        self.write(INDEX_STATE, state.as_bytes())
    }

    /// Records that all parts exist.
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

    /// The hash that ties decisions to this run and its sketches.
    fn tie(&self) -> Checksum {
        *blake3::Hasher::new().update(&self.run).update(&self.last).finalize().as_bytes()
    }

    /// The decisions of an earlier run, if it wrote them, and if they are complete and belong to these sketches.
    pub(crate) fn stored_decisions(&self) -> Result<Option<DecisionsReader>> {
        DecisionsReader::open(&self.files, &self.folder.join(DECISIONS), &self.tie())
    }

    /// Writes the decisions file.
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

    /// The content of a file in the folder, if it exists.
    pub(crate) fn read(&self, name: &str) -> Result<Option<Vec<u8>>> {
        Ok(self.files.read(&self.folder.join(name))?)
    }

    /// Writes a file in the folder.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        Ok(self.files.write_whole(&self.folder.join(name), bytes)?)
    }

    /// Creates a file in the folder, in place of one that exists.
    pub(crate) fn create(&self, name: &str) -> Result<OutFile> {
        Ok(self.files.create(&self.folder.join(name), Access::Shared)?)
    }

    /// Removes a file from the folder, if it exists.
    pub(crate) fn remove_file(&self, name: &str) -> Result<()> {
        Ok(self.files.remove_file(&self.folder.join(name))?)
    }

    /// True if the folder contains sketches, which would be lost if it were removed.
    pub(crate) fn has_parts(files: &Files, folder: &Path) -> Result<bool> {
        Ok(files.exists(&folder.join(SKETCHES).join(part_name(0)))?)
    }

    /// Removes everything that a run left in a folder, except its lock.
    pub(crate) fn clear(files: &Files, folder: &Path) -> Result<()> {
        // The files that make the other files valid are removed first.
        for name in [
            RUN,
            TIMES,
            OUTPUTS,
            NEW_OUTPUTS,
            DECISIONS,
            BEGAN_IN,
            FAILED,
            KEY,
            INDEX_STATE,
            ADDING,
            crate::frames::FRAME,
            crate::resume::begin::SKETCH_FILE,
            "near-misses.jsonl",
        ] {
            files.remove_file(&folder.join(name))?;
        }
        Ok(files.remove_tree(&folder.join(SKETCHES))?)
    }

    /// Removes the files that only an unfinished run needs.
    pub(crate) fn tidy(&mut self) -> Result<()> {
        self.spill.take();
        Ok(self.files.remove_tree(&self.folder.join(UNFINISHED))?)
    }

    /// Copies the files that later questions need to the target, if the target does not contain this folder.
    pub(crate) fn publish(&self, target: &Target) -> Result<()> {
        if target.folder().is_some() {
            return Ok(());
        }
        let mut names: Vec<String> = [
            BEGAN_IN,
            TIMES,
            DECISIONS,
            OUTPUTS,
            NEW_OUTPUTS,
            "near-misses.jsonl",
            COMPLETE,
            crate::frames::FRAME,
            crate::resume::begin::SKETCH_FILE,
        ]
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

    /// The path of the folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }
}

fn part_name(part: usize) -> String {
    format!("part-{part:06}")
}
