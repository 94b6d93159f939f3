//! What a report is made of.

use super::examples::{ClusterExample, PairExample};
use crate::svg::{ClusterSizes, Curve, Histogram, Stages};
use lookalike::shingling::Shingler;

/// All that a report shows.
#[derive(Debug, Clone)]
pub struct ReportData {
    /// What the run is called.
    pub title: String,
    /// The program with its version, when it ran: whatever belongs below the title.
    pub subtitle: String,
    /// The numbers on top.
    pub headline: Headline,
    /// What was planned.
    pub plan: PlanData,
    /// What pairs count by, which decides what may be said of them.
    pub checked: Checked,
    /// Verified similarities, in 21 bins, with what was probably missed.
    pub histogram: Histogram,
    /// The share of the duplicates that was found; none where it is not estimated.
    pub recall: Option<RecallData>,
    /// Clusters by size.
    pub cluster_sizes: ClusterSizes,
    /// Documents by kind.
    pub kinds: Vec<KindCount>,
    /// Stages of the run.
    pub stages: Stages,
    /// Where documents came from.
    pub sources: Vec<SourceCount>,
    /// What was cut short or skipped, and how often.
    pub capped: Vec<(String, u64)>,
    /// The settings, resolved, by name.
    pub configuration: Vec<(String, String)>,
    /// How texts are cut into shingles, for the passages of the examples.
    pub shingler: Shingler,
    /// Clusters, the most telling ones first.
    pub clusters: Vec<ClusterExample>,
    /// Pairs just above the threshold: the least similar ones that were removed.
    pub near_threshold: Vec<PairExample>,
    /// Pairs just below it: the most similar ones that were kept.
    pub nearest_misses: Vec<PairExample>,
}

/// The numbers on top.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Headline {
    /// Documents read.
    pub documents: u64,
    /// Documents kept.
    pub kept: u64,
    /// Removed as exact copies.
    pub exact: u64,
    /// Removed as near-duplicates.
    pub near: u64,
    /// Bad records that were skipped.
    pub skipped: u64,
    /// Clusters of at least two.
    pub clusters: u64,
    /// Bytes of text.
    pub text_bytes: u64,
}

/// What is checked before a pair counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Checked {
    /// The exact similarity.
    #[default]
    Exactly,
    /// The similarity that signatures estimate.
    ByEstimate,
    /// Nothing: every candidate counts.
    NotAtAll,
}

/// What was planned.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanData {
    /// In words: `21 bands of 6 rows`.
    pub label: String,
    /// The similarity from which documents are duplicates.
    pub threshold: f64,
    /// With SimHash, the Hamming distance up to which all pairs of fingerprints are found.
    pub distance: Option<u32>,
    /// The chance to find a pair, by similarity; with SimHash, that its fingerprints are within the distance, by cosine.
    pub curve: Curve,
    /// What else is known of it, by name: memory, disk, passes.
    pub facts: Vec<(String, String)>,
}

/// The share of the duplicates that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RecallData {
    /// The estimate.
    pub estimate: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// Pairs that it rests on.
    pub pairs: u64,
}

/// Documents of a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KindCount {
    /// The kind.
    pub name: String,
    /// How many.
    pub count: u64,
    /// What that means.
    pub meaning: String,
}

/// A source of documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceCount {
    /// Its name.
    pub name: String,
    /// Records.
    pub records: u64,
    /// Those that were removed.
    pub removed: u64,
    /// Whether it was only compared against.
    pub against: bool,
}
