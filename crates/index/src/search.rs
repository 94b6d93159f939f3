//! A document -> the documents of the index that are similar to it.
//!
//! ```text
//! keys -> buckets -> candidates, oldest first -> lanes that may be similar -> similarity -> matches
//! ```
//!
//! Candidates share a bucket. A candidate whose lanes differ too much is not compared, by the same cutoff as in a run:
//! it rejects a pair at the threshold with a probability of one in a million. The others are compared exactly if sets
//! or texts are stored; otherwise the lanes estimate the similarity. Of exact copies only the oldest is in buckets; a
//! match of it is a match of all of them.

use crate::clock::Millis;
use crate::document::{Match, Metadata};
use crate::engine::{Engine, Prepared};
use crate::index::read_counters;
use crate::pages::List;
use crate::store::{Read, Space, Value};
use crate::values::{Body, Record, RecordView, bucket_key, copies_key, damaged, number_key};
use crate::{Error, Result};
use lookalike::minhash::lanes::{estimate_cutoff, estimate_of_lanes, matching_lanes};
use std::cell::OnceCell;

/// The probability that a pair at an asked threshold is not compared; that of a run.
const FILTER_MISS: f64 = 1e-6;

/// What is asked for, and what it is compared with.
pub(crate) struct Search<'a> {
    engine: &'a Engine,
    read: &'a dyn Read,
    now: Millis,
    /// Documents with this number or a larger one are not there yet; read when there are candidates, if it is not known.
    end: Option<u64>,
    asked: Asked<'a>,
    /// The threshold that was asked for; `None` for that of the index.
    threshold: Option<f64>,
    /// The least number of equal lanes of a pair that is compared, if the threshold is not that of the index.
    cutoff: Option<usize>,
    /// The set of the asked text, made when it is first needed.
    set: OnceCell<Vec<u64>>,
}

/// The document that others are compared with.
pub(crate) struct Asked<'a> {
    pub(crate) lanes: &'a [u16],
    pub(crate) keys: &'a [u64],
    pub(crate) within: [u64; 2],
    /// What exact copies have too, if it is known.
    pub(crate) copy_hash: Option<u128>,
    pub(crate) hash_only: bool,
    /// Its text or set, if they are known.
    pub(crate) exact: Exact<'a>,
}

/// What an exact comparison needs of the asked document.
pub(crate) enum Exact<'a> {
    Text(&'a str),
    Set(Vec<u64>),
    Unknown,
}

impl<'a> Asked<'a> {
    pub(crate) fn of(prepared: &'a Prepared, exact: Exact<'a>) -> Self {
        Self {
            lanes: &prepared.record.lanes,
            keys: &prepared.keys,
            within: prepared.record.within,
            // Equal lanes do not make a text the same.
            copy_hash: (!prepared.record.is_lanes_only()).then_some(prepared.copy_hash),
            hash_only: prepared.record.hash_only,
            exact,
        }
    }
}

/// How similar a document is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Similar {
    pub(crate) similarity: f64,
    pub(crate) exact: bool,
    pub(crate) standard_error: Option<f64>,
    pub(crate) distance: Option<u32>,
}

/// The candidates of a search.
pub(crate) struct Candidates {
    /// Their numbers, ascending.
    pub(crate) numbers: Vec<u64>,
    /// True if there were more.
    pub(crate) truncated: bool,
}

impl<'a> Search<'a> {
    pub(crate) fn new(
        engine: &'a Engine,
        read: &'a dyn Read,
        (now, end): (Millis, Option<u64>),
        asked: Asked<'a>,
        threshold: Option<f64>,
    ) -> Result<Self> {
        let planned = engine.config.settings.matching.threshold;
        let cutoff = match threshold {
            Some(threshold) if !(0.0..=1.0).contains(&threshold) => {
                return Err(Error::Threshold { threshold });
            }
            Some(threshold) if threshold != planned && !engine.is_simhash() => {
                let hashes = engine.documents.lanes();
                Some(if threshold > 0.0 { estimate_cutoff(hashes, threshold, FILTER_MISS)? } else { 0 })
            }
            _ => None,
        };
        Ok(Self { engine, read, now, end, asked, threshold, cutoff, set: OnceCell::new() })
    }

    /// The documents that share a bucket, oldest first. If there are too many, those that have expired do not count.
    pub(crate) fn candidates(&self) -> Result<Candidates> {
        let most = self.engine.config.most_candidates;
        let mut each = most.saturating_add(1);
        let mut numbers = loop {
            let (numbers, is_whole) = self.in_buckets(each)?;
            if numbers.len() <= most {
                break numbers;
            }
            let live = self.live(numbers, most.saturating_add(1))?;
            if live.len() > most || is_whole {
                break live;
            }
            each = each.saturating_mul(4);
        };
        let truncated = numbers.len() > most;
        numbers.truncate(most);
        // An exact copy is found however many candidates there are.
        if let Some(copy_hash) = self.asked.copy_hash.filter(|_| truncated || self.asked.hash_only) {
            let key = copies_key(copy_hash);
            numbers.extend(List { space: Space::Copies, key: &key }.first(self.read)?);
            numbers.sort_unstable();
            numbers.dedup();
        }
        if !numbers.is_empty() {
            let end = self.end()?;
            numbers.retain(|&number| number < end);
        }
        Ok(Candidates { numbers, truncated })
    }

    /// The documents of all buckets, ascending; of each bucket at most so many of the oldest. And whether these are all.
    fn in_buckets(&self, most: usize) -> Result<(Vec<u64>, bool)> {
        let (mut numbers, mut is_whole) = (Vec::new(), true);
        for (band, &key) in self.asked.keys.iter().enumerate() {
            let key = bucket_key(band, key);
            is_whole &= List { space: Space::Buckets, key: &key }.read_into(self.read, most, &mut numbers)?;
        }
        numbers.sort_unstable();
        numbers.dedup();
        Ok((numbers, is_whole))
    }

    /// The first of these documents, at most so many, that have not expired, or have copies, which may not have.
    fn live(&self, numbers: Vec<u64>, most: usize) -> Result<Vec<u64>> {
        let end = self.end()?;
        let mut live = Vec::new();
        for number in numbers.into_iter().filter(|&number| number < end) {
            let value = self.value(number)?;
            let view = self.view(number, &value)?;
            if !view.is_expired(self.now) || self.has_copies(number, &view)? {
                live.push(number);
            }
            if live.len() == most {
                break;
            }
        }
        Ok(live)
    }

    fn has_copies(&self, number: u64, view: &RecordView<'_>) -> Result<bool> {
        let copy_hash = view.copy_hash().ok_or_else(|| wrong_record(number))?;
        let (key, mut copies) = (copies_key(copy_hash), Vec::new());
        List { space: Space::Copies, key: &key }.read_into(self.read, 2, &mut copies)?;
        Ok(copies.len() > 1)
    }

    fn end(&self) -> Result<u64> {
        self.end.map_or_else(|| Ok(read_counters(self.read)?.next), Ok)
    }

    fn value(&self, number: u64) -> Result<Value> {
        let key = number_key(number);
        let value = self.read.get(Space::Documents, &key)?;
        value.ok_or_else(|| damaged(Space::Documents, &key, "the document is missing"))
    }

    fn view<'v>(&self, number: u64, value: &'v Value) -> Result<RecordView<'v>> {
        view(self.engine, number, value)
    }

    /// Compares a candidate and hands out the documents with its text that have not expired, oldest first: all of
    /// them are as similar. `visit` returns false to stop. Returns false if the copies were too many.
    pub(crate) fn visit_similar(
        &self,
        number: u64,
        visit: &mut dyn FnMut(u64, &RecordView<'_>, Similar) -> Result<bool>,
    ) -> Result<bool> {
        let value = self.value(number)?;
        let view = self.view(number, &value)?;
        let Some(similar) = self.compare(number, &view)? else { return Ok(true) };
        if !view.is_expired(self.now) && !visit(number, &view, similar)? {
            return Ok(true);
        }
        let copy_hash = view.copy_hash().ok_or_else(|| wrong_record(number))?;
        let key = copies_key(copy_hash);
        let mut copies = Vec::new();
        let most = self.engine.config.most_candidates;
        let is_whole = List { space: Space::Copies, key: &key }.read_into(
            self.read,
            most.saturating_add(1),
            &mut copies,
        )?;
        let end = self.end()?;
        for copy in copies.into_iter().filter(|&copy| copy != number && copy < end) {
            let value = self.value(copy)?;
            let view = self.view(copy, &value)?;
            if !view.is_expired(self.now) && !visit(copy, &view, similar)? {
                break;
            }
        }
        Ok(is_whole)
    }

    /// How similar a candidate is; `None` if it is not similar enough.
    fn compare(&self, number: u64, view: &RecordView<'_>) -> Result<Option<Similar>> {
        if view.within != self.asked.within || view.hash_only != self.asked.hash_only {
            return Ok(None);
        }
        let is_copy = self.asked.copy_hash.is_some() && self.asked.copy_hash == view.copy_hash();
        if view.hash_only || is_copy {
            let distance = self.engine.is_simhash().then_some(0);
            let same = Similar { similarity: 1.0, exact: true, standard_error: None, distance };
            return Ok(is_copy.then_some(same));
        }
        let mut lanes = Vec::with_capacity(self.asked.lanes.len());
        view.lanes_into(&mut lanes);
        let documents = &self.engine.documents;
        let likeness = documents.likeness(self.asked.lanes, &lanes);
        let matching = matching_lanes(self.asked.lanes, &lanes);
        let is_compared = self.cutoff.map_or(likeness.is_compared, |cutoff| matching >= cutoff);
        let distance = documents.distance(self.asked.lanes, &lanes);
        let planned = self.engine.config.settings.matching.threshold;
        let threshold = self.threshold.unwrap_or(planned);
        let is_enough = |similarity: f64| similarity >= threshold && similarity > 0.0;
        if self.engine.is_exact() && !matches!(self.asked.exact, Exact::Unknown) {
            if !is_compared {
                return Ok(None);
            }
            let similarity = self.exact_similarity(number)?;
            let exact = Similar { similarity, exact: true, standard_error: None, distance };
            return Ok(is_enough(similarity).then_some(exact));
        }
        let similarity = likeness.similarity;
        if self.engine.is_simhash() {
            // Fingerprints within the distance are similar; a threshold is a further condition.
            let is_similar = is_compared && self.threshold.is_none_or(|least| similarity >= least);
            let estimate = Similar { similarity, exact: false, standard_error: None, distance };
            return Ok(is_similar.then_some(estimate));
        }
        let estimate = estimate_of_lanes(matching, lanes.len())?;
        let standard_error = Some(estimate.standard_error);
        let estimate = Similar { similarity, exact: false, standard_error, distance };
        Ok(is_enough(similarity).then_some(estimate))
    }

    fn exact_similarity(&self, number: u64) -> Result<f64> {
        let key = number_key(number);
        let Some(value) = self.read.get(Space::Bodies, &key)? else {
            return Err(damaged(Space::Bodies, &key, "the body is missing"));
        };
        let other = match Body::decode(&value) {
            Some(Body::Set(set)) => set,
            Some(Body::Text(text)) => self.engine.set(&text)?,
            None => return Err(damaged(Space::Bodies, &key, "it is no set and no text")),
        };
        let own = match (&self.asked.exact, self.set.get()) {
            (Exact::Set(set), _) | (_, Some(set)) => set,
            (Exact::Text(text), None) => {
                let set = self.engine.set(text)?;
                self.set.get_or_init(|| set)
            }
            (Exact::Unknown, None) => return Ok(f64::NAN),
        };
        Ok(self.engine.documents.similarity_of_sets(own, &other)?)
    }
}

/// A record in its bytes.
pub(crate) fn view<'v>(engine: &Engine, number: u64, value: &'v Value) -> Result<RecordView<'v>> {
    RecordView::new(value, engine.documents.lanes()).ok_or_else(|| wrong_record(number))
}

/// The record of a document that must be there.
pub(crate) fn record(engine: &Engine, read: &dyn Read, number: u64) -> Result<Record> {
    find_record(engine, read, number)?
        .ok_or_else(|| damaged(Space::Documents, &number_key(number), "the document is missing"))
}

/// The record of a document.
pub(crate) fn find_record(engine: &Engine, read: &dyn Read, number: u64) -> Result<Option<Record>> {
    let Some(value) = read.get(Space::Documents, &number_key(number))? else { return Ok(None) };
    let record = view(engine, number, &value)?.record();
    record.ok_or_else(|| wrong_record(number)).map(Some)
}

pub(crate) fn wrong_record(number: u64) -> Error {
    damaged(Space::Documents, &number_key(number), "it is no record of a document")
}

/// The metadata of a record.
pub(crate) fn metadata(number: u64, record: &Record) -> Result<Option<Metadata>> {
    if record.metadata.is_empty() {
        return Ok(None);
    }
    serde_json::from_str(&record.metadata).map(Some).map_err(|_| wrong_record(number))
}

/// A match as it is answered.
pub(crate) fn match_of(number: u64, record: Record, similar: Similar) -> Result<Match> {
    let metadata = metadata(number, &record)?;
    let Similar { similarity, exact, standard_error, distance } = similar;
    let Record { id, added, .. } = record;
    Ok(Match { number, id, similarity, exact, standard_error, distance, added, metadata })
}
