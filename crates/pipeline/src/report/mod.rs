//! What a run says about itself: `report.json`.

mod made;

use crate::Settings;
use corpus::{Document, Fields};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a run found and did. Everything but `run` is the same bytes for any number of threads and any memory limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The version of this form.
    pub version: u32,
    /// The program's version.
    pub lookalike: String,
    /// What was asked for, resolved.
    pub settings: Settings,
    /// What was planned.
    pub plan: Plan,
    /// The sources, in input order.
    pub sources: Vec<SourceReport>,
    /// Documents by class.
    pub counts: Counts,
    /// Pairs at or above the threshold that were found.
    pub verified_pairs: u64,
    /// Similarities of removed near-duplicates to what was kept, in twentieths: `[0, 0.05)` first, exactly 1 last.
    pub histogram: Vec<u64>,
    /// What share of the duplicates was found; none where nothing is estimated (SimHash misses none).
    pub recall: Option<Recall>,
    /// What was cut short, and how often: empty unless something was.
    pub capped: BTreeMap<String, u64>,
    /// Time and throughput: the part that differs between runs.
    pub run: Run,
}

/// What was planned.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Bands (tables, with SimHash).
    pub bands: usize,
    /// Rows (0 with SimHash).
    pub rows: usize,
    /// The chance of finding a pair at the threshold; with containment, of a document of 44 shingles.
    pub recall_at_threshold: f64,
    /// The estimate below which a candidate is not compared, so rarely wrong that it is left out of the recall.
    pub estimate_cutoff: f64,
    /// Bytes of the sources.
    pub input_bytes: u64,
    /// Bytes on disk per document while it runs, about.
    pub disk_bytes_per_document: u64,
    /// Bytes in memory per document, at least.
    pub memory_bytes_per_document: u64,
}

/// A source, and what became of its documents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SourceReport {
    /// Its name.
    pub name: String,
    /// Whether it was given to `--against`.
    pub against: bool,
    /// Records: documents and bad ones. Blank lines are none.
    pub records: u64,
    /// Records that were removed.
    pub removed: u64,
}

/// Documents by class. `documents = kept + exact + near + bad` for the corpus without `against`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Records of the corpus, without blank lines.
    pub documents: u64,
    /// Documents of `against`.
    pub against: u64,
    /// Kept ones (with bad ones that are kept).
    pub kept: u64,
    /// Removed as exact copies.
    pub exact: u64,
    /// Removed as near-duplicates.
    pub near: u64,
    /// Bad records that were skipped.
    pub bad_skipped: u64,
    /// Bad records that were kept.
    pub bad_kept: u64,
    /// Blank lines: no records, not written.
    pub blank_lines: u64,
    /// Documents without any token.
    pub empty: u64,
    /// Documents of fewer tokens than a shingle.
    pub short: u64,
    /// Texts over `max-text`, compared by content hash only.
    pub over_limit: u64,
    /// Texts with NUL characters, compared by content hash only.
    pub with_nul: u64,
    /// Text files with bytes that are not UTF-8.
    pub replaced_bytes: u64,
    /// Documents whose id another one had before.
    pub repeated_ids: u64,
    /// Documents that do not have the field of `id-field`.
    #[serde(default)]
    pub absent_id: u64,
    /// Documents that have it without a value: null.
    #[serde(default)]
    pub null_id: u64,
    /// Documents that do not have the field of `within`.
    #[serde(default)]
    pub absent_within: u64,
    /// Documents that have it without a value: null.
    #[serde(default)]
    pub null_within: u64,
    /// Documents that do not have the field of `keep`.
    #[serde(default)]
    pub absent_order: u64,
    /// Documents that have it without a value that can be compared: null, empty, an object, an array.
    #[serde(default)]
    pub null_order: u64,
    /// What the values of the field of `keep` are: `booleans`, `numbers`, `times`, `text`, which come in this order.
    #[serde(default)]
    pub order_kinds: corpus::OrderKinds,
    /// Clusters of at least two documents.
    pub clusters: u64,
    /// Documents in the largest cluster.
    pub largest_cluster: u64,
    /// Bytes of raw text.
    pub text_bytes: u64,
}

/// Pairs on their way.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairCounts {
    /// Candidate pairs that were looked at: they share a bucket, and their signatures allow the threshold.
    pub candidates: u64,
    /// Those whose lengths already said no.
    pub filtered: u64,
    /// Those compared exactly.
    pub compared: u64,
    /// Those at or above the threshold.
    pub verified: u64,
}

/// What share of the duplicates was found, by the run's own estimate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Recall {
    /// The estimate.
    pub estimate: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// Pairs that it rests on.
    pub pairs: u64,
}

/// What differs between runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// When it began, in seconds since 1970.
    pub started: u64,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// Threads.
    pub threads: usize,
    /// The memory limit in bytes.
    pub memory: u64,
    /// Whether it went on from an earlier one.
    pub resumed: bool,
    /// Whether anything was spilled.
    pub spilled: bool,
    /// Pairs that were looked at: how many depends on how the work was divided.
    pub pairs: PairCounts,
    /// Stages, in order.
    pub stages: Vec<StageTime>,
}

/// How long a stage took.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StageTime {
    /// Its name.
    pub stage: String,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// CPU seconds of the whole process meanwhile.
    pub cpu_seconds: f64,
    /// What it went through, in the stage's unit.
    pub amount: u64,
    /// The unit.
    pub unit: String,
}

impl Counts {
    /// Counts the fields that were asked for and that a document does not have, or has without a value; and what the
    /// values are that it is put in order by.
    pub(crate) fn add_absent(&mut self, document: &Document<'_>, asked: &Fields) {
        let absent = document.absent;
        if asked.id.is_some() && document.id.is_none() {
            *(if absent.id { &mut self.absent_id } else { &mut self.null_id }) += 1;
        }
        if asked.within.is_some() && document.within.is_none() {
            *(if absent.within { &mut self.absent_within } else { &mut self.null_within }) += 1;
        }
        if asked.order.is_some() && document.order.is_none() {
            *(if absent.order { &mut self.absent_order } else { &mut self.null_order }) += 1;
        }
        if let Some(order) = &document.order {
            let kind = order.kind.name();
            match self.order_kinds.get_mut(kind) {
                Some(values) => *values += 1,
                None => {
                    self.order_kinds.insert(kind.to_owned(), 1);
                }
            }
        }
    }

    /// Adds what another stretch of the corpus has.
    pub(crate) fn add(&mut self, other: &Self) {
        self.documents += other.documents;
        self.against += other.against;
        self.kept += other.kept;
        self.exact += other.exact;
        self.near += other.near;
        self.bad_skipped += other.bad_skipped;
        self.bad_kept += other.bad_kept;
        self.blank_lines += other.blank_lines;
        self.empty += other.empty;
        self.short += other.short;
        self.over_limit += other.over_limit;
        self.with_nul += other.with_nul;
        self.replaced_bytes += other.replaced_bytes;
        self.repeated_ids += other.repeated_ids;
        self.absent_id += other.absent_id;
        self.null_id += other.null_id;
        self.absent_within += other.absent_within;
        self.null_within += other.null_within;
        self.absent_order += other.absent_order;
        self.null_order += other.null_order;
        for (kind, values) in &other.order_kinds {
            *self.order_kinds.entry(kind.clone()).or_default() += values;
        }
        self.clusters += other.clusters;
        self.largest_cluster = self.largest_cluster.max(other.largest_cluster);
        self.text_bytes += other.text_bytes;
    }
}
