//! Counts the results of a run, for its report.

use super::{AgainstIndex, Counts, PairCounts, Report, Run, SourceReport};
use crate::FrameReport;
use crate::copies::repeats::{Keys, repeats};
use crate::decide::Removals;
use crate::progress::timing::Stages;
use crate::seen::asked_for;
use crate::store::Number;
use crate::view::View;
use crate::{OnBadRecord, Result};
use std::collections::BTreeMap;

/// The name in reports of the number of documents for which an index had too many candidates.
const INDEX_CUT: &str = "documents with more candidates in the index than it compares";

impl View<'_> {
    /// Makes the report of a run, when its stages are finished.
    pub(crate) fn report(self, removals: &Removals, pairs: PairCounts, stages: Stages<'_>) -> Result<Report> {
        let Self { store, observer, .. } = self;
        let settings = &self.recipe.settings;
        let mut counts = Counts { ..store.counts().clone() };
        let (mut histogram, mut seen) = (vec![0; 21], 0);
        let mut removed_by_source = vec![0; self.sources.len()];
        let mut kept = self.room().sorter(self.budget.sorting(), |number: &Number| *number);
        for (step, removal) in removals.iter().enumerate() {
            observer.go_on_at(step)?;
            let removal = removal?;
            counts.exact += u64::from(removal.is_exact());
            seen += u64::from(asked_for(removal.kept).is_some());
            kept.push(removal.kept);
            removed_by_source[store.source_of(removal.number)] += 1;
            if !removal.is_exact() && !removal.similarity.is_nan() {
                histogram[(removal.similarity * 20.0) as usize] += 1;
            }
        }
        counts.near = removals.len() - counts.exact;
        counts.kept = counts.documents - counts.exact - counts.near - counts.bad_skipped;
        let (mut last, mut members) = (None, 0);
        for (step, kept) in kept.finish()?.iter().enumerate() {
            observer.go_on_at(step)?;
            let kept = Some(kept?);
            if last != kept {
                counts.clusters += 1;
                members = 1;
                last = kept;
            }
            members += 1;
            counts.largest_cluster = counts.largest_cluster.max(members);
        }
        if settings.files.id_field.is_some() {
            counts.repeated_ids = self.repeated_ids()?;
        }
        if settings.files.on_bad_record == OnBadRecord::Skip {
            for (step, bad) in store.bad().enumerate() {
                observer.go_on_at(step)?;
                removed_by_source[store.source_of(bad?.0)] += 1;
            }
        }
        let mut records = vec![0; self.sources.len()];
        for (_, block) in store.blocks() {
            records[block.source as usize] += u64::from(block.slots);
        }
        let sources = (0..self.sources.len())
            .map(|at| SourceReport {
                name: self.sources.get(at).name.clone(),
                against: self.sources.is_against(at),
                records: records[at],
                removed: if self.sources.is_against(at) { 0 } else { removed_by_source[at] },
            })
            .collect();
        let recall = self.recall(removals)?;
        let against_index = self.sources.seen.map(|index| AgainstIndex {
            name: index.name().to_owned(),
            removed: seen,
            recall_at_threshold: index.found_probability(),
        });
        let mut capped = BTreeMap::new();
        if counts.index_cut > 0 {
            capped.insert(INDEX_CUT.to_owned(), counts.index_cut);
        }
        let frame = self.recipe.frame().map(|frame| FrameReport {
            left_out: std::mem::take(&mut counts.left_out),
            elements: std::mem::take(&mut counts.elements),
            little_left: counts.little_left,
            ..frame.facts.clone()
        });
        Ok(Report {
            version: 1,
            lookalike: env!("CARGO_PKG_VERSION").into(),
            settings: settings.clone(),
            plan: self.recipe.settled_plan(),
            sources,
            counts,
            verified_pairs: pairs.verified,
            histogram,
            frame,
            against_index,
            added_to: None,
            recall,
            capped,
            run: Run {
                threads: self.threads,
                memory: self.job.resources.memory,
                resumed: self.work.is_resumed(),
                spilled: store.is_spilled(),
                pairs,
                ..stages.finish()
            },
        })
    }

    /// How many documents have an id that an earlier document has too.
    fn repeated_ids(self) -> Result<u64> {
        let (store, room) = (self.store, self.room());
        let mut keys: Vec<(u64, Number)> = Vec::new();
        let scan = |visit: &mut Keys<'_>| {
            for part in 0..store.parts() {
                room.observer.go_on()?;
                keys.clear();
                store.visit_ids(&store.numbers_of_part(part).collect::<Vec<_>>(), |number, id| {
                    if !id.is_empty() {
                        let hash = lookalike::hashing::hash_bytes(id.as_bytes());
                        keys.push((lookalike::hashing::mix64(hash), number));
                    }
                })?;
                visit(&keys);
            }
            Ok(())
        };
        let mut repeated = 0;
        repeats(store.count(), room, scan, &mut |_, first| repeated += u64::from(!first))?;
        Ok(repeated)
    }
}
