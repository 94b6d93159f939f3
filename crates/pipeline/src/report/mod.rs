//! The report of a run: `report.json`.

mod made;
mod tally;

pub use tally::{RemovedDocument, Tally};

use crate::Settings;
use corpus::{Document, Fields};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The report of a run: what it found and did. Everything except `run` is the same for any number of threads and any
/// memory limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The version of the format of the report.
    pub version: u32,
    /// The version of lookalike.
    pub lookalike: String,
    /// All settings, including the defaults.
    pub settings: Settings,
    /// The plan of the run.
    pub plan: Plan,
    /// The sources, in input order.
    pub sources: Vec<SourceReport>,
    /// The number of documents of each kind.
    pub counts: Counts,
    /// The number of pairs that were found at or above the threshold.
    pub verified_pairs: u64,
    /// How many removed near-duplicates have which similarity to their kept documents. Each count is for a range of
    /// width 0.05: the first is for `[0, 0.05)`, the last for exactly 1.
    pub histogram: Vec<u64>,
    /// What was left out of the comparisons because many documents have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<crate::FrameReport>,
    /// What an index of `against` had of the documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against_index: Option<AgainstIndex>,
    /// What was added to an index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added_to: Option<AddedTo>,
    /// The estimated share of the duplicates that was found. `None` if it is not estimated; SimHash misses no pair
    /// within its distance.
    pub recall: Option<Recall>,
    /// Results that were left out because of a limit: the reason, and how many. Empty if nothing was left out.
    pub capped: BTreeMap<String, u64>,
    /// Time and throughput: the part that differs between runs.
    pub run: Run,
}

/// An index whose documents were not kept again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgainstIndex {
    /// The name of the index.
    pub name: String,
    /// Documents that were removed because of a document of the index.
    pub removed: u64,
    /// The probability that a document of the index whose similarity equals the threshold is found. The estimated recall
    /// does not account for the index.
    pub recall_at_threshold: f64,
}

/// An index to which the kept documents were added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddedTo {
    /// The name of the index.
    pub name: String,
    /// How many documents the run added.
    pub documents: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The plan of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The number of bands; with SimHash, of tables.
    pub bands: usize,
    /// The number of rows per band; 0 with SimHash.
    pub rows: usize,
    /// The probability that a pair whose similarity equals the threshold is found; with containment, for a document
    /// of 44 shingles.
    pub recall_at_threshold: f64,
    /// Documents of at most this many distinct shingles are short: of the similar pairs of short documents, none is
    /// missed. 0 if all documents are found in the same way.
    #[serde(default)]
    pub short_up_to: u64,
    /// With vectors: up to so many are all compared with each other, and none is missed; more are found by the bands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all_up_to: Option<u64>,
    /// A candidate is not compared if its estimated similarity is below this. This is wrong so rarely that the recall
    /// does not account for it.
    pub estimate_cutoff: f64,
    /// The total size of the sources, in bytes.
    pub input_bytes: u64,
    /// The approximate number of bytes on disk per document while the run works.
    pub disk_bytes_per_document: u64,
    /// The smallest number of bytes in memory per document.
    pub memory_bytes_per_document: u64,
}

/// A source, and how many of its records were removed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SourceReport {
    /// The name of the source.
    pub name: String,
    /// True if the source was given to `--against`.
    pub against: bool,
    /// The number of records: documents and bad records. Blank lines are not records.
    pub records: u64,
    /// The number of records that were removed.
    pub removed: u64,
}

/// The number of documents of each kind. Without `against`, `documents = kept + exact + near + bad_skipped`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Records of the corpus. Blank lines are not records.
    pub documents: u64,
    /// Documents of `against`.
    pub against: u64,
    /// Documents that were kept, including bad records that were kept.
    pub kept: u64,
    /// Documents that were removed as exact copies.
    pub exact: u64,
    /// Documents that were removed as near-duplicates.
    pub near: u64,
    /// Bad records that were skipped.
    pub bad_skipped: u64,
    /// Bad records that were kept.
    pub bad_kept: u64,
    /// Blank lines. They are not records, and are not written.
    pub blank_lines: u64,
    /// Documents without any token.
    pub empty: u64,
    /// Documents with fewer tokens than a shingle has.
    pub short: u64,
    /// Documents whose text is longer than `max-text`. They are compared by content hash only.
    pub over_limit: u64,
    /// Documents whose text has NUL characters. They are compared by content hash only.
    pub with_nul: u64,
    /// Text files with bytes that are not UTF-8 and were replaced.
    pub replaced_bytes: u64,
    /// Documents with an id that an earlier document has too.
    pub repeated_ids: u64,
    /// Bad records that do not have the field of `text-field`.
    #[serde(default)]
    pub absent_text: u64,
    /// Bad records that do not have the field of `within-days`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub absent_date: u64,
    /// Documents that do not have the field of `id-field`.
    #[serde(default)]
    pub absent_id: u64,
    /// Documents in which the field of `id-field` is null.
    #[serde(default)]
    pub null_id: u64,
    /// Documents that do not have the field of `within`.
    #[serde(default)]
    pub absent_within: u64,
    /// Documents in which the field of `within` is null.
    #[serde(default)]
    pub null_within: u64,
    /// Documents that do not have the field of `keep`.
    #[serde(default)]
    pub absent_order: u64,
    /// Documents in which the field of `keep` has no value that can be compared: null, empty text, an object or an
    /// array.
    #[serde(default)]
    pub null_order: u64,
    /// The kinds of values in the field of `keep`: `booleans`, `numbers`, `times`, `text`. Values of different kinds
    /// are ordered in this way.
    #[serde(default)]
    pub order_kinds: corpus::OrderKinds,
    /// Documents for which the index of `against` had more candidates than it compares.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub index_cut: u64,
    /// The elements of all documents, and those that were left out because many documents have them, repeats included.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub elements: u64,
    /// See `elements`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u64,
    /// Documents of which too little remained. They are compared by their content only.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub little_left: u64,
    /// Documents that do not have the field of `site-field`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub absent_site: u64,
    /// Documents in which the field of `site-field` is null.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub null_site: u64,
    /// The number of clusters of at least two documents.
    pub clusters: u64,
    /// The number of documents in the largest cluster.
    pub largest_cluster: u64,
    /// The total length of all texts before normalisation, in bytes.
    pub text_bytes: u64,
}

/// How many pairs passed each step of verification.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairCounts {
    /// Candidate pairs that were examined: they share a bucket, and their signatures do not rule out the threshold. In
    /// large connected sets, pairs whose overlap was counted, whatever their signatures say.
    pub candidates: u64,
    /// Candidate pairs that were rejected because of their lengths alone.
    pub filtered: u64,
    /// Candidate pairs that were compared exactly.
    pub compared: u64,
    /// Pairs at or above the threshold.
    pub verified: u64,
}

/// The share of the duplicates that the run found, as it estimates itself.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Recall {
    /// The estimated share, from 0 to 1.
    pub estimate: f64,
    /// The standard error of the estimate.
    pub standard_error: f64,
    /// The number of pairs from which it was estimated.
    pub pairs: u64,
    /// How many of these are pairs of short documents. Of such pairs a run finds all.
    #[serde(default)]
    pub proven: u64,
}

/// The part of the report that differs between runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The time at which the run began, in seconds since 1970.
    pub started: u64,
    /// The wall-clock time of the run, in seconds.
    pub seconds: f64,
    /// The number of threads.
    pub threads: usize,
    /// The memory limit, in bytes.
    pub memory: u64,
    /// True if the run continued an earlier one.
    pub resumed: bool,
    /// True if some sketches were kept in files only, because they did not fit in memory.
    pub spilled: bool,
    /// The pairs that were examined. Their number depends on how the work was divided.
    pub pairs: PairCounts,
    /// The stages, in order.
    pub stages: Vec<StageTime>,
}

/// How long a stage took.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StageTime {
    /// The name of the stage.
    pub stage: String,
    /// The wall-clock time of the stage, in seconds.
    pub seconds: f64,
    /// The CPU time of the whole process during the stage, in seconds.
    pub cpu_seconds: f64,
    /// The amount of work of the stage, in `unit`.
    pub amount: u64,
    /// The unit of `amount`.
    pub unit: String,
}

impl Counts {
    /// Counts the fields of the settings that a document lacks, or in which it has no value. Also counts the kinds of
    /// values in the field of `keep`.
    pub(crate) fn add_absent(&mut self, document: &Document<'_>, asked: &Fields) {
        let absent = document.absent;
        if asked.id.is_some() && document.id.is_none() {
            *(if absent.id { &mut self.absent_id } else { &mut self.null_id }) += 1;
        }
        if asked.within.is_some() && document.within.is_none() {
            *(if absent.within { &mut self.absent_within } else { &mut self.null_within }) += 1;
        }
        if asked.site.is_some() && document.site.is_none() {
            *(if absent.site { &mut self.absent_site } else { &mut self.null_site }) += 1;
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

    /// Adds the counts of another part of the corpus.
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
        self.absent_text += other.absent_text;
        self.absent_date += other.absent_date;
        self.absent_id += other.absent_id;
        self.null_id += other.null_id;
        self.absent_within += other.absent_within;
        self.null_within += other.null_within;
        self.absent_order += other.absent_order;
        self.null_order += other.null_order;
        for (kind, values) in &other.order_kinds {
            *self.order_kinds.entry(kind.clone()).or_default() += values;
        }
        self.index_cut += other.index_cut;
        self.elements += other.elements;
        self.left_out += other.left_out;
        self.little_left += other.little_left;
        self.absent_site += other.absent_site;
        self.null_site += other.null_site;
        self.clusters += other.clusters;
        self.largest_cluster = self.largest_cluster.max(other.largest_cluster);
        self.text_bytes += other.text_bytes;
    }
}
