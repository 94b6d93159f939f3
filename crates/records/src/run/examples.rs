//! What a page shows of a run beside its report: clusters and pairs, with the values of their records.
//!
//! It is stored in the work folder of the target, so that a page can be made later, also if the sources are no longer there. Few
//! records are shown, and long values are cut, so it is small for any table.

use super::{Decision, Decisions, Error, Matched, Named, Result};
use crate::explained::Explained;
use crate::link::Match;
use crate::seen::{EXAMPLES, holding};
use corpus::WORK_FOLDER;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::path::Path;

/// The records of a cluster that are shown, at the most.
const MEMBERS: usize = 8;

/// The letters of a value that are shown, at the most.
const LETTERS: usize = 300;

/// Two records, and why they match, or do not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ShownPair {
    /// The record that comes first.
    pub a: Named,
    /// The other one.
    pub b: Named,
    /// What their fields say.
    pub explained: Explained,
}

/// A record of a cluster.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ShownMember {
    /// Its name.
    pub named: Named,
    /// Its values, by field of the table.
    pub values: Vec<String>,
    /// The probability that it matches the record that is kept; none if it is that record, or if other records connect the two.
    pub probability: Option<f64>,
}

/// A cluster.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ShownCluster {
    /// How many records it has.
    pub size: u64,
    /// Some of them: first the one that is kept.
    pub members: Vec<ShownMember>,
    /// The pair that holds it together: without that pair and less sure ones, it would be two clusters.
    pub held_by: Option<ShownPair>,
}

/// The examples of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Examples {
    /// The fields of the table.
    pub fields: Vec<String>,
    /// The largest clusters.
    pub clusters: Vec<ShownCluster>,
    /// The least probable matches.
    pub above: Vec<ShownPair>,
    /// The most probable pairs below the threshold.
    pub below: Vec<ShownPair>,
    /// The most probable pairs of which a record has a better partner.
    pub excluded: Vec<ShownPair>,
}

/// The largest clusters, those that come first before others of their size.
fn largest(decisions: &Decisions) -> Vec<&[usize]> {
    let mut clusters: Vec<&[usize]> = decisions.clusters.iter().map(Vec::as_slice).collect();
    clusters.sort_by_key(|cluster| (Reverse(cluster.len()), cluster[0]));
    clusters.truncate(EXAMPLES);
    clusters
}

/// The pairs that have to be explained for the clusters.
pub(super) fn wanted(decisions: &Decisions, matches: &[Match]) -> Vec<(usize, usize)> {
    holding(&largest(decisions), matches).into_iter().flatten().collect()
}

/// The name of the file in the work folder.
pub(super) fn file() -> String {
    format!("{WORK_FOLDER}/examples.json")
}

fn cut(value: &str) -> String {
    match value.char_indices().nth(LETTERS) {
        None => value.to_owned(),
        Some((end, _)) => format!("{}…", &value[..end]),
    }
}

impl Examples {
    /// The examples of a run that was linked with its decisions: see [`Job::link_and_decide`](super::Job::link_and_decide).
    #[must_use]
    pub fn of(matched: &Matched, decisions: &Decisions) -> Self {
        let Matched { records, linked } = matched;
        let table = &records.table;
        let pair = |&(a, b): &(usize, usize)| -> Option<ShownPair> {
            let at = linked.shown.binary_search_by_key(&(a, b), |it| (it.a, it.b)).ok()?;
            let mut explained = linked.shown[at].clone();
            for field in &mut explained.fields {
                (field.a, field.b) = (cut(&field.a), cut(&field.b));
            }
            Some(ShownPair { a: records.named(a), b: records.named(b), explained })
        };
        let member = |&record: &usize| {
            let found = match decisions.of[record] {
                Decision::Removed { found, .. } => found,
                Decision::Kept => None,
            };
            ShownMember {
                named: records.named(record),
                values: (0..table.fields().len()).map(|field| cut(table.value(record, field))).collect(),
                probability: found.map(|found| linked.matches[found].probability),
            }
        };
        let largest = largest(decisions);
        let held_by = holding(&largest, &linked.matches);
        let clusters = largest.iter().zip(held_by).map(|(cluster, held_by)| ShownCluster {
            size: cluster.len() as u64,
            members: cluster.iter().take(MEMBERS).map(member).collect(),
            held_by: held_by.as_ref().and_then(pair),
        });
        let pairs = |of: &[(usize, usize)]| of.iter().filter_map(pair).collect();
        Self {
            fields: table.fields().to_vec(),
            clusters: clusters.collect(),
            above: pairs(&linked.near.above),
            below: pairs(&linked.near.below),
            excluded: pairs(&linked.near.excluded),
        }
    }

    /// Writes them into the target of a run.
    pub(super) fn write(&self, target: &corpus::Target) -> Result<()> {
        let mut written = serde_json::to_vec(self).map_err(|cause| Error::Target(cause.to_string()))?;
        written.push(b'\n');
        Ok(target.write(&file(), &written)?)
    }

    /// The examples of a finished run in a folder. The error says why there are none, as a sentence without its end.
    pub fn in_folder(folder: &Path) -> std::result::Result<Self, String> {
        let path = folder.join(file());
        let written = std::fs::read(&path).map_err(|cause| format!("{}: {cause}", path.display()))?;
        serde_json::from_slice(&written).map_err(|cause| format!("{} is damaged: {cause}", path.display()))
    }
}
