//! The data that a report page shows.

use super::examples::{ClusterExample, PairExample};
use crate::svg::{ClusterSizes, Curve, Histogram, Stages};
use lookalike::shingling::Shingler;

/// Everything that a report shows.
#[derive(Debug, Clone)]
pub struct ReportData {
    /// The name of the run.
    pub title: String,
    /// The line below the title: for example the program's version and the time of the run.
    pub subtitle: String,
    /// The numbers at the top of the page.
    pub headline: Headline,
    /// The plan of the run.
    pub plan: PlanData,
    /// How pairs were checked. The texts of the page depend on it.
    pub checked: Checked,
    /// Verified similarities in 21 bins, with the estimated number of missed pairs.
    pub histogram: Histogram,
    /// The share of the duplicates that was found; `None` if it was not estimated.
    pub recall: Option<RecallData>,
    /// Clusters by size.
    pub cluster_sizes: ClusterSizes,
    /// Documents by kind.
    pub kinds: Vec<KindCount>,
    /// Stages of the run.
    pub stages: Stages,
    /// The sources of the documents.
    pub sources: Vec<SourceCount>,
    /// Work that was limited or skipped, and how often.
    pub capped: Vec<(String, u64)>,
    /// The names and final values of the settings.
    pub configuration: Vec<(String, String)>,
    /// Cuts texts into shingles, to find the shared passages of the examples.
    pub shingler: Shingler,
    /// Example clusters, the most informative first.
    pub clusters: Vec<ClusterExample>,
    /// Pairs just above the threshold: the least similar ones that were removed.
    pub near_threshold: Vec<PairExample>,
    /// Pairs just below the threshold: the most similar ones of which both documents were kept.
    pub nearest_misses: Vec<PairExample>,
}

/// The numbers at the top of the page.
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
    /// Clusters of at least two documents.
    pub clusters: u64,
    /// Bytes of text.
    pub text_bytes: u64,
}

/// How a pair is checked before it counts as similar.
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

/// The plan of the run.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanData {
    /// The plan as text: `21 bands of 6 rows`.
    pub label: String,
    /// The smallest similarity of a duplicate.
    pub threshold: f64,
    /// What makes two documents duplicates, if it is a distance and not a similarity: `distance 3`. `threshold` is then the
    /// similarity at that distance.
    pub limit: Option<String>,
    /// With SimHash, the Hamming distance up to which all pairs of fingerprints are found.
    pub distance: Option<u32>,
    /// The chance of finding a pair, by similarity. With SimHash, it is the chance that the fingerprints of a pair
    /// are within the distance, by cosine.
    pub curve: Curve,
    /// Other facts about the plan by name: memory, disk, passes.
    pub facts: Vec<(String, String)>,
}

/// The share of the duplicates that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RecallData {
    /// The estimate.
    pub estimate: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// The number of pairs that it is estimated from.
    pub pairs: u64,
    /// How many of these are pairs of short documents, of which none is missed.
    pub proven: u64,
}

/// The number of documents of a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KindCount {
    /// The kind.
    pub name: String,
    /// The number of documents.
    pub count: u64,
    /// What the kind means.
    pub meaning: String,
}

/// A source of documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceCount {
    /// Its name.
    pub name: String,
    /// Records.
    pub records: u64,
    /// Records that were removed.
    pub removed: u64,
    /// True for a source of `--against`, which is never removed or written.
    pub against: bool,
}
