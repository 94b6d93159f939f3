//! The data that the page of a run on records shows.

use super::report_data::{KindCount, SourceCount};
use super::waterfall::RecordPair;
use crate::svg::{ClusterSizes, Levels, Weights};

/// Everything that the page shows.
#[derive(Debug, Clone, Default)]
pub struct RecordsData {
    /// The name of the run.
    pub title: String,
    /// The line below the title.
    pub subtitle: String,
    /// The numbers at the top.
    pub headline: RecordsHeadline,
    /// What the fields say.
    pub fields: Levels,
    /// Fields that were left out, and why.
    pub fields_left_out: Vec<(String, String)>,
    /// The rule in place of a model, if one decided.
    pub rule: Option<String>,
    /// How the model came about: names and values.
    pub model: Vec<(String, String)>,
    /// The compared pairs by weight.
    pub weights: Weights,
    /// Other facts about pairs.
    pub facts: Vec<(String, String)>,
    /// The estimated share of the matches that was compared, with its standard error.
    pub recall: Option<(f64, f64)>,
    /// The pairs that a person has judged.
    pub labels: Vec<Label>,
    /// The bands.
    pub bands: Vec<BandCount>,
    /// The share of the likely matches that all bands together find.
    pub planned: f64,
    /// Clusters by size.
    pub cluster_sizes: ClusterSizes,
    /// Records by what became of them.
    pub kinds: Vec<KindCount>,
    /// The sources.
    pub sources: Vec<SourceCount>,
    /// The names and values of the settings.
    pub configuration: Vec<(String, String)>,
    /// The names of the fields in the table, for the members of clusters.
    pub columns: Vec<String>,
    /// The largest clusters.
    pub clusters: Vec<RecordCluster>,
    /// The least probable matches.
    pub above: Vec<RecordPair>,
    /// The most probable pairs below the threshold.
    pub below: Vec<RecordPair>,
    /// The most probable pairs of which a record has a better partner.
    pub excluded: Vec<RecordPair>,
}

/// The numbers at the top of the page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RecordsHeadline {
    /// Records read.
    pub records: u64,
    /// Records kept.
    pub kept: u64,
    /// Records removed as matches.
    pub removed: u64,
    /// Pairs that match.
    pub matches: u64,
    /// Clusters of two records or more.
    pub entities: u64,
    /// Pairs that were compared.
    pub compared: u64,
}

/// A pair that a person has judged.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Label {
    /// The probability of a match without labels.
    pub before: f64,
    /// The probability with them.
    pub after: f64,
    /// What the person said.
    pub is_match: bool,
}

/// A band, what it finds and what it costs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BandCount {
    /// What must agree, in words.
    pub band: String,
    /// The share of the likely matches that it finds.
    pub finds: f64,
    /// The pairs that it costs for each record.
    pub cost: f64,
}

/// A cluster of records.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RecordCluster {
    /// How many records it has.
    pub size: u64,
    /// Some of them, first the one that is kept.
    pub members: Vec<RecordMember>,
    /// The pair that holds it together.
    pub held_by: Option<RecordPair>,
}

/// A record of a cluster.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RecordMember {
    /// Its name.
    pub name: String,
    /// Its values, by column.
    pub values: Vec<String>,
    /// The probability that it matches the kept one, if the two were matched.
    pub probability: Option<f64>,
}
