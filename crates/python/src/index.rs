//! `Index`: documents in a folder, and which of them look like this one.
//!
//! The Python side turns arguments into plain values and answers into tuples with names (`lookalike/index.py`).

use crate::errors::{Raise, outside, setting};
use crate::jobs::{Documents, Options};
use crate::watch::watched;
use index::json::{StatsAnswer, VerifyAnswer};
use index::{
    Ask, Clock, Config, Document, Filter, IfPresent, Index, Kept, Lifetime, Match, Metadata, OnMatch, Query,
    Stored, SystemClock,
};
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};
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
    text: String,
    #[pyo3(item)]
    within: Option<String>,
    #[pyo3(item)]
    metadata: Option<String>,
    /// How long it stays, in milliseconds.
    #[pyo3(item)]
    ttl: Option<u64>,
}

impl PlainDocument {
    fn read(self) -> PyResult<Document> {
        let metadata = self.metadata.as_deref().map(object).transpose()?;
        let lifetime = self.ttl.map_or(Lifetime::Usual, |ttl| Lifetime::For(Duration::from_millis(ttl)));
        Ok(Document::new(self.id, self.text)
            .with_within(self.within)
            .with_metadata(metadata)
            .with_lifetime(lifetime))
    }
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
    /// True if it may be created.
    #[pyo3(item)]
    create: bool,
}

/// A question.
#[derive(FromPyObject)]
pub(crate) struct PlainQuery {
    #[pyo3(item)]
    text: Option<String>,
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
}

#[pymethods]
impl NativeIndex {
    /// Opens an index, or creates it.
    #[new]
    fn new(py: Python<'_>, path: PathBuf, options: Options, creating: Creating) -> PyResult<Self> {
        let Creating { given, store, ttl, candidates, create } = creating;
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
        let opened = outside(py, || match create {
            true => Index::open_or_create(&path, &config, is_given, &how),
            false => Index::open(&path, &how).and_then(|index| {
                index.config().check_same(&config, is_given)?;
                Ok(index)
            }),
        })?;
        Ok(Self { open: RwLock::new(Some(Arc::new(opened.or_raise()?))) })
    }

    /// Closes the index. Calls that are under way finish first, in their threads.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        outside(py, || {
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
        let documents = documents.into_iter().map(PlainDocument::read).collect::<PyResult<Vec<_>>>()?;
        let if_present = written(if_present)?;
        let added = outside(py, || match if_present {
            IfPresent::Refuse => index.add_batch(&documents).map(|added| added.len() as u64),
            IfPresent::Update => index.update_batch(&documents).map(|added| added.len() as u64),
            IfPresent::Skip => {
                let mut new: Vec<Document> = Vec::new();
                for document in documents {
                    let is_new = !new.iter().any(|other| other.id == document.id);
                    if is_new && !index.contains(&document.id)? {
                        new.push(document);
                    }
                }
                index.add_batch(&new).map(|added| added.len() as u64)
            }
        })?;
        added.or_raise()
    }

    /// Adds the documents of tables or files. Returns how many were added, and how many were left out.
    fn add_source(
        &self,
        py: Python<'_>,
        documents: Documents<'_>,
        options: Options,
        if_present: &str,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<(u64, u64)> {
        let index = self.index()?;
        let (job, _copies) = options.job(&documents, None, None)?;
        let if_present = written(if_present)?;
        let work = |observer: &dyn pipeline::Observer| Ok(index.add_sources(&job, if_present, observer));
        let added = watched(py, progress.as_ref(), work)?.or_raise()?;
        Ok((added.added, added.present))
    }

    fn check(
        &self,
        py: Python<'_>,
        documents: Vec<PlainDocument>,
        add: bool,
        on_match: &str,
    ) -> PyResult<Vec<PlainChecked>> {
        let index = self.index()?;
        let documents = documents.into_iter().map(PlainDocument::read).collect::<PyResult<Vec<_>>>()?;
        let on_match = on_match_of(on_match)?;
        let answers = outside(py, || index.check_batch(&documents, add, on_match))?.or_raise()?;
        Ok(documents
            .into_iter()
            .zip(answers)
            .map(|(document, answer)| checked(document.id, answer))
            .collect())
    }

    /// Checks the documents of tables or files in order.
    fn check_source(
        &self,
        py: Python<'_>,
        documents: Documents<'_>,
        options: Options,
        add: bool,
        on_match: &str,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Vec<PlainChecked>> {
        let index = self.index()?;
        let (job, _copies) = options.job(&documents, None, None)?;
        let on_match = on_match_of(on_match)?;
        let mut answers = Vec::new();
        let work = |observer: &dyn pipeline::Observer| {
            Ok(index.check_sources(&job, add, on_match, observer, |documents, checked| {
                answers.extend(documents.iter().map(|document| document.id.clone()).zip(checked));
                Ok::<_, index::Error>(())
            }))
        };
        watched(py, progress.as_ref(), work)?.or_raise()?;
        Ok(answers.into_iter().map(|(id, answer)| checked(id, answer)).collect())
    }

    fn query(&self, py: Python<'_>, asked: PlainQuery) -> PyResult<(Vec<PlainMatch>, f64, bool)> {
        let PlainQuery { text, id, threshold, top, within, filter } = asked;
        let index = self.index()?;
        let mut query = match (text, id) {
            (Some(text), _) => Query::text(text),
            (None, id) => Query::id(id.unwrap_or_default()),
        };
        query = query.with_threshold(threshold).with_top(top);
        if matches!(query.ask, Ask::Text(_)) {
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

    /// Some documents after the one with this number, as JSON.
    fn page(&self, py: Python<'_>, after: u64, most: usize) -> PyResult<Vec<String>> {
        let index = self.index()?;
        let page = outside(py, || index.list(after, most))?.or_raise()?;
        Ok(page.iter().map(|kept| document(kept).to_string()).collect())
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

impl NativeIndex {
    fn index(&self) -> PyResult<Arc<Index>> {
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

fn on_match_of(written: &str) -> PyResult<OnMatch> {
    match written {
        "skip" => Ok(OnMatch::Skip),
        "touch" => Ok(OnMatch::Touch),
        "replace" => Ok(OnMatch::Replace),
        "add" => Ok(OnMatch::Add),
        other => Err(setting(format_args!(
            "on_match = {other:?} is not one of \"skip\", \"touch\", \"replace\", \"add\""
        ))),
    }
}

/// A JSON object.
fn object(written: &str) -> PyResult<Metadata> {
    serde_json::from_str(written).map_err(|error| setting(format_args!("metadata is no object: {error}")))
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
