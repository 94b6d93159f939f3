//! What the parts of a run that an engine divided counted -> the report of the whole.
//!
//! Counts add up in any order, and so do the sums of the recall estimate, to the same bits. So a cluster's report is that of one
//! machine.

use super::{Counts, Report, Run, SourceReport};
use crate::decide::group::Decision;
use crate::decide::recall::{FoundPair, RecallSums, is_estimated};
use crate::solve::Evidence;
use crate::{Documents, OnBadRecord, Sketch};
use corpus::{BadRecord, Document, Fields};
use memchr::memchr;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What one part of a run counted. It is written as JSON.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    counts: Counts,
    verified_pairs: u64,
    histogram: [u64; 21],
    recall: RecallSums,
    /// How many records each source has, by its name; and how many of them are removed.
    records: BTreeMap<String, u64>,
    removed: BTreeMap<String, u64>,
    /// How many records each source of `--against` has.
    against: BTreeMap<String, u64>,
}

/// A document that is removed.
#[derive(Debug, Clone, Copy)]
pub struct RemovedDocument<'a> {
    /// The name of its source.
    pub source: &'a str,
    /// What stands for the document that it is removed for.
    pub kept: u64,
    /// The number of its shingles.
    pub shingles: u64,
    /// Whether it is a copy of an earlier document in keep order.
    pub is_copy: bool,
    /// What was decided of it, or of the document that it is a copy of; `None` if it is a copy of a kept document.
    pub decision: Option<&'a Decision>,
}

impl Tally {
    /// Adds what another part counted.
    pub fn add(&mut self, other: &Self) {
        self.counts.add(&other.counts);
        self.verified_pairs += other.verified_pairs;
        self.histogram.iter_mut().zip(other.histogram).for_each(|(count, more)| *count += more);
        self.recall.merge(&other.recall);
        for (all, more) in [
            (&mut self.records, &other.records),
            (&mut self.removed, &other.removed),
            (&mut self.against, &other.against),
        ] {
            more.iter().for_each(|(source, &count)| add(all, source, count));
        }
    }

    fn add_record(&mut self, source: &str, is_against: bool) {
        add(if is_against { &mut self.against } else { &mut self.records }, source, 1);
    }
}

/// Adds to the count of a source. Nearly always it has one, so that its name is not copied.
fn add(counts: &mut BTreeMap<String, u64>, source: &str, more: u64) {
    match counts.get_mut(source) {
        Some(count) => *count += more,
        None => drop(counts.insert(source.to_owned(), more)),
    }
}

impl Documents {
    /// Counts a document that was sketched, of which these fields were read.
    pub fn count(
        &self,
        document: &Document<'_>,
        fields: &Fields,
        source: &str,
        is_against: bool,
        sketch: &Sketch,
        tally: &mut Tally,
    ) {
        let (recipe, text) = (self.recipe(), document.text);
        tally.add_record(source, is_against);
        let counts = &mut tally.counts;
        *(if is_against { &mut counts.against } else { &mut counts.documents }) += 1;
        counts.text_bytes += text.len() as u64;
        counts.replaced_bytes += u64::from(document.replaced);
        counts.add_absent(document, fields);
        if text.len() as u64 > recipe.settings.files.max_text {
            counts.over_limit += 1;
        } else if memchr(0, text.as_bytes()).is_some() {
            counts.with_nul += 1;
        } else {
            counts.empty += u64::from(sketch.shingles == 0);
            counts.short += u64::from(sketch.shingles == 1 && recipe.is_short(text));
        }
    }

    /// Counts a record without a text.
    pub fn count_bad(&self, bad: &BadRecord<'_>, source: &str, is_against: bool, tally: &mut Tally) {
        tally.add_record(source, is_against);
        if is_against {
            return;
        }
        let counts = &mut tally.counts;
        counts.documents += 1;
        counts.absent_text += u64::from(bad.lacks_text);
        if self.settings().files.on_bad_record == OnBadRecord::Skip {
            counts.bad_skipped += 1;
            add(&mut tally.removed, source, 1);
        } else {
            counts.bad_kept += 1;
        }
    }

    /// Counts documents that are removed: all that are removed for the same document, in any order.
    pub fn count_removed<'a>(&self, removed: impl Iterator<Item = RemovedDocument<'a>>, tally: &mut Tally) {
        let estimates = is_estimated(self.recipe());
        let mut clusters: BTreeMap<u64, (u64, Vec<f64>)> = BTreeMap::new();
        for RemovedDocument { source, kept, shingles, is_copy, decision } in removed {
            add(&mut tally.removed, source, 1);
            let (members, added) = clusters.entry(kept).or_default();
            *members += 1;
            let Some(decision) = decision else {
                tally.counts.exact += 1;
                continue;
            };
            tally.counts.near += 1;
            let Evidence { similarity, mut found_by, .. } = decision.evidence;
            if is_copy {
                found_by = found_by.of_copy();
            }
            if !similarity.is_nan() {
                tally.histogram[(similarity * 20.0) as usize] += 1;
            }
            if estimates {
                let pair = FoundPair { similarity, size: shingles, found_by, kept };
                added.extend(tally.recall.add(self.recipe(), pair).map(|of_kept| of_kept.added));
            }
        }
        for (members, added) in clusters.into_values() {
            tally.counts.clusters += 1;
            tally.counts.largest_cluster = tally.counts.largest_cluster.max(members + 1);
            tally.recall.add_kept(added.into_iter());
        }
    }

    /// Counts the pairs that were found, copies of their documents not among them.
    pub fn count_pairs(decisions: &[Decision], tally: &mut Tally) {
        tally.verified_pairs += decisions.len() as u64;
    }

    /// The report of a run of which these are the counts of all parts. Its plan has the bytes of all texts for those of the
    /// sources, and its `run` is empty.
    #[must_use]
    pub fn report(&self, tally: &Tally) -> Report {
        let recipe = self.recipe();
        let mut counts = tally.counts.clone();
        counts.kept = counts.documents - counts.exact - counts.near - counts.bad_skipped;
        let mut plan = recipe.plan.clone();
        plan.input_bytes = counts.text_bytes;
        let against = tally.against.iter().map(|(name, &records)| (name, true, records, 0));
        let removed = |name: &String| tally.removed.get(name).copied().unwrap_or(0);
        let own = tally.records.iter().map(|(name, &records)| (name, false, records, removed(name)));
        let sources = against.chain(own).map(|(name, against, records, removed)| SourceReport {
            name: name.clone(),
            against,
            records,
            removed,
        });
        Report {
            version: 1,
            lookalike: env!("CARGO_PKG_VERSION").into(),
            settings: recipe.settings.clone(),
            plan,
            sources: sources.collect(),
            counts,
            verified_pairs: tally.verified_pairs,
            histogram: tally.histogram.to_vec(),
            frame: None,
            against_index: None,
            added_to: None,
            recall: is_estimated(recipe).then(|| tally.recall.estimate()),
            capped: BTreeMap::new(),
            run: Run::default(),
        }
    }
}
