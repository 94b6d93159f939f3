//! What a run of `dedup` asks of an index, and what it gives to one.
//!
//! [`Against`] is one state of the index. Whatever is added while the run goes on, the run does not see it. [`AddTo`]
//! takes the documents that the run keeps.

use super::sources::IfPresent;
use crate::config::Stored;
use crate::engine::{Prepared, check_id};
use crate::pages::List;
use crate::search::{Asked, Exact, Search, Similar, record};
use crate::store::{Read, Snapshot, Space};
use crate::values::{RecordView, copies_key, damaged};
use crate::{Error, Index, Millis, Result};
use pipeline::{Clusters, Method, ReadKept, SeenAnswer, SeenBefore, SeenMatch, Settings, TakesKept, Verify};
use std::sync::Arc;

/// The memory of an open store besides its cache and its filters, in bytes.
const OPEN_STORE: u64 = 16 << 20;

/// So many documents say whether documents of the index have `within` values.
const LOOKED_AT: usize = 1_000;

/// One state of an index, which a run asks for every document.
pub struct Against {
    index: Arc<Index>,
    name: String,
    snapshot: Box<dyn Snapshot>,
    now: Millis,
    /// Documents with this number or a larger one came later.
    end: u64,
    batch: u64,
    /// The threshold of the run, if it is not that of the index.
    threshold: Option<f64>,
    /// True if the run estimates similarities by signatures; then the index does it too, whatever it stores.
    estimates: bool,
}

impl std::fmt::Debug for Against {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Against").field("name", &self.name).field("end", &self.end).finish_non_exhaustive()
    }
}

/// An index that takes the documents that a run keeps.
#[derive(Debug)]
pub struct AddTo {
    index: Arc<Index>,
    name: String,
    memory: u64,
}

impl Index {
    /// The present state of the index, for a run with these settings. They must agree in what decides a similarity; the
    /// threshold may be another one.
    pub fn against(self: &Arc<Self>, name: impl Into<String>, settings: &Settings) -> Result<Against> {
        let config = &self.engine.config;
        config.check_comparable(settings)?;
        if settings.matching.verify == Verify::Exact && config.store == Stored::Signatures {
            let (what, needed) = ("exact verification", "shingles or texts");
            return Err(Error::NotStored { what, needed, stored: config.store.as_str() });
        }
        pipeline::Documents::check_for_index(settings)?;
        let refused = |setting, value: String, reason| Err(Error::NotForRuns { setting, value, reason });
        if settings.matching.verify == Verify::None {
            return refused(
                "verify",
                settings.matching.verify.to_string(),
                "an index compares what it finds",
            );
        }
        if settings.matching.clusters == Clusters::Components {
            let reason = "which documents of the index are similar to each other is not known";
            return refused("clusters", settings.matching.clusters.to_string(), reason);
        }
        let snapshot = self.snapshot()?;
        let counters = crate::index::read_counters(snapshot.as_ref())?;
        if counters.documents > 0 {
            let (asks, has) = (settings.matching.within.is_some(), self.has_within(snapshot.as_ref())?);
            if asks != has {
                let value = settings.matching.within.clone().unwrap_or_else(|| "none".into());
                let reason = match has {
                    true => {
                        "its documents were added with a value of --within, and are found only by documents with one"
                    }
                    false => {
                        "its documents were added without a value of --within, so none of them would be found"
                    }
                };
                return refused("within", value, reason);
            }
        }
        let asked = settings.matching.threshold;
        let estimates = settings.matching.verify == Verify::Estimate;
        // Fingerprints within the distance are similar; a run that estimates has no further condition.
        let is_other =
            asked != config.settings.matching.threshold && !(estimates && self.engine.is_simhash());
        Ok(Against {
            index: Arc::clone(self),
            name: name.into(),
            snapshot,
            now: self.now(),
            end: counters.next,
            batch: counters.batch,
            threshold: is_other.then_some(asked),
            estimates,
        })
    }

    /// True if one of the oldest documents has a `within` value.
    fn has_within(&self, snapshot: &dyn Snapshot) -> Result<bool> {
        for entry in snapshot.scan(Space::Documents, &[]).take(LOOKED_AT) {
            let (key, value) = entry?;
            let view = RecordView::new(&value, self.engine.documents.lanes());
            let view =
                view.ok_or_else(|| damaged(Space::Documents, &key, "it is no record of a document"))?;
            if view.within != [0; 2] {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// About how many bytes of memory the open index takes, cache and filters included.
    pub fn memory(&self) -> Result<u64> {
        let counters = crate::index::read_counters(self.snapshot()?.as_ref())?;
        let keys = counters.distinct * self.engine.documents.bands() as u64;
        // Filters have 12 bits per key of a bucket or content hash, and 10 for each document, id and body.
        let filters = ((keys + counters.distinct) * 12 + 3 * counters.documents * 10) / 8;
        Ok(self.options.cache + filters + OPEN_STORE)
    }

    /// The index as one that takes kept documents. Adding them takes about so many bytes of memory.
    #[must_use]
    pub fn add_to(self: &Arc<Self>, name: impl Into<String>, memory: u64) -> AddTo {
        AddTo { index: Arc::clone(self), name: name.into(), memory }
    }

    /// What tells this index from others: a hash, since the key itself is a secret.
    fn run_identity(&self) -> String {
        format!("{:032x}", pipeline::content_hash(self.head.key.as_bytes()))
    }

    /// The folder, whatever the path by which it was opened.
    fn place(&self) -> String {
        let path = self.path();
        files::path_to_name(&path.canonicalize().unwrap_or(path))
    }
}

impl Against {
    /// The oldest document with the same normalised text.
    fn oldest_copy(&self, prepared: &Prepared) -> Result<Option<u64>> {
        let read = self.snapshot.as_ref();
        let key = copies_key(prepared.copy_hash);
        let (mut copies, mut most) = (Vec::new(), 16);
        loop {
            copies.clear();
            let is_whole = List { space: Space::Copies, key: &key }.read_into(read, most, &mut copies)?;
            for &number in copies.iter().filter(|&&number| number < self.end) {
                if !record(&self.index.engine, read, number)?.is_expired(self.now) {
                    return Ok(Some(number));
                }
            }
            if is_whole {
                return Ok(None);
            }
            most = most.saturating_mul(4);
        }
    }

    fn look(&self, text: &str, within: Option<&str>) -> Result<SeenAnswer> {
        let engine = &self.index.engine;
        let prepared = engine.sketch_text(text, within)?;
        let shingles = prepared.record.shingles;
        let found = |number: u64, similar: Similar, is_copy: bool| -> Result<SeenMatch> {
            let id = record(engine, self.snapshot.as_ref(), number)?.id;
            let Similar { similarity, distance, exact, .. } = similar;
            // What fingerprints estimate is no similarity of sets, and a run does not state it.
            let similarity = if exact || !engine.is_simhash() { similarity } else { f64::NAN };
            Ok(SeenMatch { number, id, similarity, distance, is_copy, shingles })
        };
        if let Some(number) = self.oldest_copy(&prepared)? {
            let distance = (engine.config.settings.signature.method == Method::Simhash).then_some(0);
            let same = Similar { similarity: 1.0, exact: true, standard_error: None, distance };
            return Ok(SeenAnswer { matched: Some(found(number, same, true)?), is_cut: false });
        }
        if prepared.record.hash_only {
            return Ok(SeenAnswer::default());
        }
        let read: &dyn Read = self.snapshot.as_ref();
        let exact = if self.estimates { Exact::Unknown } else { Exact::Text(text) };
        let asked = Asked::of(&prepared, exact);
        let search = Search::new(engine, read, (self.now, Some(self.end)), asked, self.threshold)?;
        let (oldest, truncated) = self.index.oldest(&search)?;
        let matched = oldest.map(|(number, similar)| found(number, similar, false)).transpose()?;
        Ok(SeenAnswer { is_cut: truncated && matched.is_none(), matched })
    }
}

impl SeenBefore for Against {
    fn name(&self) -> &str {
        &self.name
    }

    fn identity(&self) -> String {
        self.index.run_identity()
    }

    fn place(&self) -> String {
        self.index.place()
    }

    fn state(&self) -> String {
        format!("{} documents in {} batches", self.end - 1, self.batch)
    }

    fn found_probability(&self) -> f64 {
        self.index.found_probability(self.threshold)
    }

    fn find(&self, text: &str, within: Option<&str>) -> pipeline::Result<SeenAnswer> {
        self.look(text, within).map_err(of_the_run)
    }
}

impl TakesKept for AddTo {
    fn name(&self) -> &str {
        &self.name
    }

    fn identity(&self) -> String {
        self.index.run_identity()
    }

    fn place(&self) -> String {
        self.index.place()
    }

    fn check_id(&self, id: &str) -> pipeline::Result<()> {
        check_id(id).map_err(of_the_run)?;
        match self.index.contains(id).map_err(of_the_run)? {
            true => Err(of_the_run(Error::DuplicateId { id: id.to_owned() })),
            false => Ok(()),
        }
    }

    fn refuses_repeated_ids(&self) -> bool {
        true
    }

    fn add(&self, read: &ReadKept<'_>, again: bool) -> pipeline::Result<u64> {
        // What another run has added under the same id since then is not what this one has to add.
        let if_present = if again { IfPresent::SkipSame } else { IfPresent::Refuse };
        let added = self.index.add_read(read, if_present, self.memory);
        added.map(|added| added.added + added.present).map_err(of_the_run)
    }
}

/// An error of the index as one of the run.
fn of_the_run(error: Error) -> pipeline::Error {
    match error {
        Error::Settings(error) => error,
        error => pipeline::Error::Index(Box::new(error)),
    }
}
