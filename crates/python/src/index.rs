//! `Index`: documents in a folder, and which of them look like this one.
//!
//! The Python side turns arguments into plain values and answers into tuples with names (`lookalike/index.py`).

use crate::blocks::{Lsh, Signature};
use crate::errors::{Raise, forked, outside, setting};
use crate::jobs::{Documents, Options};
use crate::watch::watched;
use index::json::{StatsAnswer, VerifyAnswer};
use index::{
    Ask, Clock, Config, Content, Document, Extras, Filter, IfPresent, Imported, Index, Kept, Lifetime,
    Listing, LshFile, Match, Metadata, OnMatch, Query, SketchTable, Sketches, Stored, SystemClock,
};
use pipeline::Observer;
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

/// How many documents are removed with one sync.
const BATCH: usize = 1_000;

/// A match: id, similarity, whether it is exact, its standard error, the distance, when it came (milliseconds since 1970),
/// and metadata as JSON.
type PlainMatch = (String, f64, bool, Option<f64>, Option<u32>, u64, Option<String>);

/// The answer to a check: the id that was checked, the match, the chance of finding one, whether candidates were left
/// out; or what was wrong.
type PlainChecked = (String, Option<PlainMatch>, f64, bool, Option<PyErr>);

/// A document that is to be added or checked.
#[derive(FromPyObject)]
pub(crate) struct PlainDocument {
    #[pyo3(item)]
    id: String,
    #[pyo3(item)]
    content: PlainContent,
    #[pyo3(item)]
    within: Option<String>,
    #[pyo3(item)]
    metadata: Option<String>,
    /// How long it stays, in milliseconds.
    #[pyo3(item)]
    ttl: Option<u64>,
}

/// What a document says, or what is asked about.
#[derive(FromPyObject)]
pub(crate) enum PlainContent {
    Text(String),
    Signature(Py<Signature>),
}

impl PlainDocument {
    fn read(self, index: &Index) -> PyResult<Document> {
        let metadata = self.metadata.as_deref().map(object).transpose()?;
        let lifetime = self.ttl.map_or(Lifetime::Usual, |ttl| Lifetime::For(Duration::from_millis(ttl)));
        let document = match self.content {
            PlainContent::Text(text) => Document::new(self.id, text).with_within(self.within),
            PlainContent::Signature(signature) => {
                let imported = Imported::new(lanes(signature.get(), index)?);
                let imported = imported.with_within(self.within.as_deref());
                Document::of(self.id, Content::Imported(Box::new(imported)))
            }
        };
        Ok(document.with_metadata(metadata).with_lifetime(lifetime))
    }
}

/// The lanes of a signature, which must be one that the index would make.
fn lanes(signature: &Signature, index: &Index) -> PyResult<Vec<u16>> {
    if let Some(shingling) = signature.shingling_written() {
        index.check_shingling(shingling).or_raise()?;
    }
    index.lanes_of(signature.inner()).or_raise()
}

/// What an index is created with, besides its settings.
#[derive(FromPyObject)]
pub(crate) struct Creating {
    /// The names of the settings that were asked for.
    #[pyo3(item)]
    given: Vec<String>,
    #[pyo3(item)]
    store: Option<String>,
    /// How long a document stays, in milliseconds.
    #[pyo3(item)]
    ttl: Option<u64>,
    #[pyo3(item)]
    candidates: Option<usize>,
    /// The folder of the index whose configuration and key it has. Nothing else is said then.
    #[pyo3(item)]
    like: Option<PathBuf>,
    /// True if it may be created.
    #[pyo3(item)]
    create: bool,
}

/// A question.
#[derive(FromPyObject)]
pub(crate) struct PlainQuery {
    #[pyo3(item)]
    content: Option<PlainContent>,
    #[pyo3(item)]
    id: Option<String>,
    #[pyo3(item)]
    threshold: Option<f64>,
    #[pyo3(item)]
    top: Option<usize>,
    #[pyo3(item)]
    within: Option<String>,
    /// A JSON object.
    #[pyo3(item)]
    filter: Option<String>,
}

/// An index that is open.
#[pyclass(module = "lookalike._native", frozen)]
pub(crate) struct NativeIndex {
    open: RwLock<Option<Arc<Index>>>,
    /// Listings that are under way, by a number.
    listings: Mutex<BTreeMap<u64, Arc<Mutex<Listing>>>>,
    next_listing: AtomicU64,
    /// The process that opened it. A process that was forked from it has a copy of its memory, but neither its threads nor
    /// its lock.
    process: u32,
}

impl Drop for NativeIndex {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            // To close a copy would write what the other process writes too.
            let listings = self.listings.get_mut().unwrap_or_else(PoisonError::into_inner);
            std::mem::forget(std::mem::take(listings));
            std::mem::forget(self.open.get_mut().unwrap_or_else(PoisonError::into_inner).take());
        }
    }
}

#[pymethods]
impl NativeIndex {
    /// Opens an index, or creates it.
    #[new]
    fn new(py: Python<'_>, path: PathBuf, options: Options, creating: Creating) -> PyResult<Self> {
        let Creating { given, store, ttl, candidates, like, create } = creating;
        let mut config = Config::default().with_settings(options.settings()?);
        config = config.with_ttl(ttl.map(Duration::from_millis));
        if let Some(store) = store {
            config = config.with_store(store.parse::<Stored>().map_err(setting)?);
        }
        if let Some(most) = candidates {
            config = config.with_most_candidates(most);
        }
        let is_given = |name: &str| given.iter().any(|given| given == name);
        let how = index::Options::default();
        let opened = outside(py, || match (like, create) {
            (Some(like), _) => Index::open_or_create_like(&path, like, &how),
            (None, true) => Index::open_or_create(&path, &config, is_given, &how),
            (None, false) => Index::open(&path, &how).and_then(|index| {
                index.config().check_same(&config, is_given)?;
                Ok(index)
            }),
        })?;
        let open = RwLock::new(Some(Arc::new(opened.or_raise()?)));
        let (listings, next_listing) = (Mutex::default(), AtomicU64::new(0));
        Ok(Self { open, listings, next_listing, process: std::process::id() })
    }

    /// Closes the index. Calls that are under way finish first, in their threads.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        if self.process != std::process::id() {
            return Ok(());
        }
        outside(py, || {
            // The store is closed when nobody looks at it any more.
            self.listings.lock().unwrap_or_else(PoisonError::into_inner).clear();
            // Other threads may ask whether it is closed, with the interpreter held: they must not wait for the disk.
            let taken = self.open.write().unwrap_or_else(PoisonError::into_inner).take();
            drop(taken);
        })
    }

    #[getter]
    fn closed(&self) -> bool {
        self.open.read().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    fn add(&self, py: Python<'_>, documents: Vec<PlainDocument>, if_present: &str) -> PyResult<u64> {
        let index = self.index()?;
        let read = |document: PlainDocument| document.read(&index);
        let documents = documents.into_iter().map(read).collect::<PyResult<Vec<_>>>()?;
        let if_present = written(if_present)?;
        let added = outside(py, || match if_present {
            // Python does not offer to skip the same text only; that is for runs that go on.
            IfPresent::Refuse | IfPresent::SkipSame => {
                index.add_batch(&documents).map(|added| added.len() as u64)
            }
            IfPresent::Update => index.update_batch(&documents).map(|added| added.len() as u64),
            IfPresent::Skip => {
                let (mut new, mut seen): (Vec<Document>, HashSet<String>) = Default::default();
                for document in documents {
                    if seen.insert(document.id.clone()) && !index.contains(&document.id)? {
                        new.push(document);
                    }
                }
                index.add_batch(&new).map(|added| added.len() as u64)
            }
        })?;
        added.or_raise()
    }

    /// Adds the documents of tables or files, with the values of some fields as metadata. Returns how many were added.
    fn add_source(
        &self,
        py: Python<'_>,
        documents: Documents<'_>,
        metadata: Vec<String>,
        options: Options,
        if_present: &str,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<u64> {
        let index = self.index()?;
        let if_present = written(if_present)?;
        let mut sketches = files_of_sketches(&documents)?;
        let job = match sketches.is_empty() {
            true => Some(options.job(&documents, None, None)?),
            false => None,
        };
        if let Some((job, _copies)) = &job
            && let Some(table) = SketchTable::of(&job.sources, &job.settings.files.text_field).or_raise()?
        {
            sketches.push(Sketches::Table(table));
        }
        if let Some(sketches) = sketches.first() {
            let (name, given) = (sketches.name(), options.settings_as_given()?);
            // The ids of a table of sketches are in the column `id`.
            let is_column = matches!(sketches, Sketches::Table(_));
            let id = given.files.id_field.filter(|field| !(is_column && field == "id"));
            let said = [
                ("metadata", !metadata.is_empty()),
                ("id", id.is_some()),
                ("within", given.matching.within.is_some()),
            ];
            if let Some((what, _)) = said.iter().find(|(_, is_said)| *is_said) {
                return Err(setting(format_args!(
                    "{what} cannot be chosen for {name}, which has sketches only"
                )));
            }
        }
        let memory = options.resources()?.memory;
        let extras = Extras { metadata, lifetime: Lifetime::Usual };
        let work = |observer: &dyn Observer| {
            Ok(match &job {
                Some((job, _copies)) if sketches.is_empty() => {
                    index.add_sources_with(job, &extras, if_present, observer)
                }
                _ => index.add_all_sketches(&sketches, Lifetime::Usual, if_present, memory, observer),
            })
        };
        Ok(watched(py, progress.as_ref(), work)?.or_raise()?.added)
    }

    /// Adds the documents of an index in memory. Returns how many were added.
    fn add_lsh(
        &self,
        py: Python<'_>,
        lsh: &Lsh,
        if_present: &str,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<u64> {
        let index = self.index()?;
        let if_present = written(if_present)?;
        let file = Sketches::Lsh(LshFile::read("the LSH", lsh.file_bytes(py)?).or_raise()?);
        let memory = pipeline::Resources::of_this_machine().memory;
        let work = |observer: &dyn Observer| Ok(index.add_sketches(&file, if_present, memory, observer));
        Ok(watched(py, progress.as_ref(), work)?.or_raise()?.added)
    }

    fn check(
        &self,
        py: Python<'_>,
        documents: Vec<PlainDocument>,
        on_match: Option<&str>,
    ) -> PyResult<Vec<PlainChecked>> {
        let index = self.index()?;
        let read = |document: PlainDocument| document.read(&index);
        let documents = documents.into_iter().map(read).collect::<PyResult<Vec<_>>>()?;
        let (add, on_match) = on_match_of(on_match)?;
        let answers = outside(py, || index.check_batch(&documents, add, on_match))?.or_raise()?;
        Ok(documents
            .into_iter()
            .zip(answers)
            .map(|(document, answer)| checked(document.id, answer))
            .collect())
    }

    /// Checks the documents of tables or files in order. What is added has the values of some fields as metadata.
    fn check_source(
        &self,
        py: Python<'_>,
        documents: Documents<'_>,
        metadata: Vec<String>,
        options: Options,
        on_match: Option<&str>,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Vec<PlainChecked>> {
        let index = self.index()?;
        let (job, _copies) = options.job(&documents, None, None)?;
        let (add, on_match) = on_match_of(on_match)?;
        let mut answers = Vec::new();
        let extras = Extras { metadata, lifetime: Lifetime::Usual };
        let work = |observer: &dyn Observer| {
            Ok(index.check_sources_with(&job, &extras, add, on_match, observer, |documents, checked| {
                answers.extend(documents.iter().map(|document| document.id.clone()).zip(checked));
                Ok::<_, index::Error>(())
            }))
        };
        watched(py, progress.as_ref(), work)?.or_raise()?;
        Ok(answers.into_iter().map(|(id, answer)| checked(id, answer)).collect())
    }

    fn query(&self, py: Python<'_>, asked: PlainQuery) -> PyResult<(Vec<PlainMatch>, f64, bool)> {
        let PlainQuery { content, id, threshold, top, within, filter } = asked;
        let index = self.index()?;
        let mut query = match (content, id) {
            (Some(PlainContent::Text(text)), _) => Query::text(text),
            (Some(PlainContent::Signature(signature)), _) => Query::lanes(lanes(signature.get(), &index)?),
            (None, id) => Query::id(id.unwrap_or_default()),
        };
        query = query.with_threshold(threshold).with_top(top);
        if !matches!(query.ask, Ask::Id(_)) {
            query = query.with_within(within);
        }
        query = query.with_filter(filter.as_deref().map(object).transpose()?.unwrap_or_default());
        let answer = outside(py, || index.query(&query))?.or_raise()?;
        let matches = answer.matches.into_iter().map(plain).collect();
        Ok((matches, answer.found_probability, answer.truncated))
    }

    /// A document as JSON.
    fn get(&self, py: Python<'_>, id: &str) -> PyResult<Option<String>> {
        let index = self.index()?;
        let kept = outside(py, || index.get(id))?.or_raise()?;
        Ok(kept.map(|kept| document(&kept).to_string()))
    }

    fn contains(&self, py: Python<'_>, id: &str) -> PyResult<bool> {
        let index = self.index()?;
        outside(py, || index.contains(id))?.or_raise()
    }

    /// Begins a listing of all documents as they are now, and returns its number.
    fn begin_listing(&self, py: Python<'_>) -> PyResult<u64> {
        let index = self.index()?;
        let listing = outside(py, || index.listing())?.or_raise()?;
        let number = self.next_listing.fetch_add(1, Ordering::Relaxed);
        self.listings().insert(number, Arc::new(Mutex::new(listing)));
        Ok(number)
    }

    /// The next documents of a listing, as JSON, with their texts if these are wanted and stored.
    fn page(&self, py: Python<'_>, listing: u64, most: usize, texts: bool) -> PyResult<Vec<String>> {
        let index = self.index()?;
        let found = self.listings().get(&listing).cloned();
        let listing = found.ok_or_else(|| setting("the index was closed"))?;
        let page = outside(py, || {
            let mut listing = listing.lock().unwrap_or_else(PoisonError::into_inner);
            listing.page(&index, most, texts)
        })?;
        // The index may be closed by now, and must not be kept open by what is left of the listing.
        drop(listing);
        Ok(page.or_raise()?.iter().map(|kept| document(kept).to_string()).collect())
    }

    /// Ends a listing.
    fn end_listing(&self, listing: u64) {
        if self.process == std::process::id() {
            self.listings().remove(&listing);
        }
    }

    /// The settings that decide its signatures and answers, as JSON.
    fn settings(&self) -> PyResult<String> {
        serde_json::to_string(&self.index()?.config().settings).map_err(setting)
    }

    fn remove(&self, py: Python<'_>, ids: Vec<String>) -> PyResult<u64> {
        let index = self.index()?;
        let mut removed = 0;
        for some in ids.chunks(BATCH) {
            py.check_signals()?;
            removed += outside(py, || index.remove(some))?.or_raise()?;
        }
        Ok(removed)
    }

    fn remove_where(&self, py: Python<'_>, filter: &str) -> PyResult<u64> {
        let (index, filter): (_, Filter) = (self.index()?, object(filter)?);
        outside(py, || index.remove_where(&filter))?.or_raise()
    }

    fn expire(&self, py: Python<'_>) -> PyResult<u64> {
        let index = self.index()?;
        let (now, mut removed) = (SystemClock.now(), 0);
        loop {
            py.check_signals()?;
            match outside(py, || index.expire(now, BATCH))?.or_raise()? {
                0 => return Ok(removed),
                some => removed += some,
            }
        }
    }

    /// Numbers about the index, and its configuration, as JSON.
    fn stats(&self, py: Python<'_>) -> PyResult<String> {
        let index = self.index()?;
        let stats = outside(py, || index.stats())?.or_raise()?;
        let mut object = serde_json::to_value(StatsAnswer::from(&stats)).map_err(setting)?;
        object["plan"] = stats.plan.into();
        object["found_probability"] = stats.found_probability.into();
        object["config"] = serde_json::to_value(&stats.config).map_err(setting)?;
        Ok(object.to_string())
    }

    /// What a check of every entry has found, as JSON.
    fn verify(&self, py: Python<'_>) -> PyResult<String> {
        let index = self.index()?;
        let verified = outside(py, || index.verify())?.or_raise()?;
        serde_json::to_string(&VerifyAnswer::from(verified)).map_err(setting)
    }

    fn compact(&self, py: Python<'_>) -> PyResult<()> {
        let index = self.index()?;
        outside(py, || index.compact())?.or_raise()
    }

    fn backup(&self, py: Python<'_>, to: PathBuf) -> PyResult<()> {
        let index = self.index()?;
        outside(py, || index.backup(to))?.or_raise()
    }

    fn merge(&self, py: Python<'_>, other: &Self, skip_present: bool) -> PyResult<u64> {
        let (index, other) = (self.index()?, other.index()?);
        outside(py, || index.merge(&other, skip_present))?.or_raise()
    }
}

/// Makes an index of a backup.
#[pyfunction]
pub(crate) fn restore_index(py: Python<'_>, backup: PathBuf, to: PathBuf) -> PyResult<()> {
    let how = index::Options::default();
    outside(py, || Index::restore(&backup, &to, &how).map(drop))?.or_raise()
}

/// Builds again what follows from the documents of an index. Returns what was done, as JSON.
#[pyfunction]
pub(crate) fn repair_index(py: Python<'_>, path: PathBuf, accept_loss: bool) -> PyResult<String> {
    let how = index::Options::default();
    let repaired = outside(py, || Index::repair(&path, accept_loss, &how))?.or_raise()?;
    serde_json::to_string(&repaired).map_err(setting)
}

/// The files of sketches among the inputs; none if they are other documents.
fn files_of_sketches(documents: &Documents<'_>) -> PyResult<Vec<Sketches>> {
    let Documents::Paths(paths) = documents else { return Ok(Vec::new()) };
    let Some(sketch) = paths.iter().find(|path| Sketches::is_file(Path::new(path))) else {
        return Ok(Vec::new());
    };
    let open = |path: &std::ffi::OsString| {
        Sketches::open(Path::new(path)).or_raise()?.ok_or_else(|| {
            let (sketch, other) = (sketch.display(), path.display());
            setting(format_args!(
                "{sketch} is a file of sketches, and {other} is not; add them with two calls"
            ))
        })
    };
    paths.iter().map(open).collect()
}

impl NativeIndex {
    fn listings(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Mutex<Listing>>>> {
        self.listings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn index(&self) -> PyResult<Arc<Index>> {
        if self.process != std::process::id() {
            return Err(forked(self.process));
        }
        let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
        open.clone().ok_or_else(|| setting("the index is closed"))
    }
}

fn written(if_present: &str) -> PyResult<IfPresent> {
    match if_present {
        "fail" => Ok(IfPresent::Refuse),
        "skip" => Ok(IfPresent::Skip),
        "update" => Ok(IfPresent::Update),
        other => {
            Err(setting(format_args!("if_present = {other:?} is not one of \"fail\", \"skip\", \"update\"")))
        }
    }
}

/// Whether what is new is added, and what is done with what is not. Without a value, the index is only looked at.
fn on_match_of(written: Option<&str>) -> PyResult<(bool, OnMatch)> {
    let Some(written) = written else { return Ok((false, OnMatch::Skip)) };
    match written {
        "skip" => Ok((true, OnMatch::Skip)),
        "touch" => Ok((true, OnMatch::Touch)),
        "replace" => Ok((true, OnMatch::Replace)),
        "add" => Ok((true, OnMatch::Add)),
        other => Err(setting(format_args!(
            "on_match = {other:?} is not one of \"skip\", \"touch\", \"replace\", \"add\""
        ))),
    }
}

/// A JSON object.
fn object(written: &str) -> PyResult<Metadata> {
    let read = corpus::unique_json(written.as_bytes()).and_then(serde_json::from_value);
    read.map_err(|error| setting(format_args!("metadata is no object: {error}")))
}

fn plain(found: Match) -> PlainMatch {
    let metadata = found.metadata.map(|metadata| Value::Object(metadata).to_string());
    (found.id, found.similarity, found.exact, found.standard_error, found.distance, found.added, metadata)
}

fn checked(id: String, answer: index::Result<index::Checked>) -> PlainChecked {
    match answer.or_raise() {
        Ok(answer) => (id, answer.matched.map(plain), answer.found_probability, answer.truncated, None),
        Err(error) => (id, None, 0.0, false, Some(error)),
    }
}

fn document(kept: &Kept) -> Value {
    json!({
        "id": kept.id,
        "number": kept.number,
        "added": kept.added,
        "expires": kept.expires,
        "shingles": kept.shingles,
        "metadata": kept.metadata,
        "text": kept.text,
    })
}
