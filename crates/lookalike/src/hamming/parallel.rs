//! The same answers, computed in the caller's rayon thread pool (feature `rayon`).

use std::ops::ControlFlow;

use rayon::prelude::*;

use super::groups::FingerprintGroups;
use super::index::{HammingIndex, Hit, Match};
use super::join::{Join, Split};
use super::pairs::Pair;
use super::plan::HammingConfig;
use crate::arch::Kernel;
use crate::error::Result;
use crate::simhash::FingerprintBits;

/// The runs of one block are divided into this many tasks. These are many more than threads, because runs differ in
/// length.
const TASKS_PER_BLOCK: usize = 64;

impl<B: FingerprintBits> HammingIndex<B> {
    /// Like [`build`](Self::build), with one task per table. Several tables are then sorted in memory at the same
    /// time.
    pub fn par_build(fingerprints: &[B], config: &HammingConfig) -> Result<Self> {
        let (index, choices) = Self::without_tables(fingerprints, config)?;
        let tables = choices.par_iter().map(|choice| index.table(choice)).collect::<Result<_>>()?;
        Ok(index.with_tables(tables, choices))
    }

    /// Like [`query`](Self::query), but all tables are probed in parallel. This pays off if probes take long: with
    /// many tables and candidates, or with compressed tables. For many queries it is better to run each query in its
    /// own task.
    pub fn par_query(&self, query: B, k: u32) -> Result<Vec<Match>> {
        self.check_distance(k)?;
        if self.tables.is_empty() {
            return self.query(query, k);
        }
        let mut hits: Vec<Hit> = (0..self.tables.len())
            .into_par_iter()
            .flat_map_iter(|table| {
                let mut hits = Vec::new();
                self.probe(table, query, k, &mut hits);
                hits
            })
            .collect();
        hits.sort_unstable();
        Ok(self.expand(hits))
    }

    /// Like [`all_pairs`](Self::all_pairs), in parallel.
    pub fn par_all_pairs(&self, k: u32) -> Result<Vec<Pair>> {
        self.groups.par_all_pairs(k)
    }
}

impl<B: FingerprintBits> FingerprintGroups<B> {
    /// Like [`all_pairs`](Self::all_pairs), in parallel over the runs of each block.
    pub fn par_all_pairs(&self, k: u32) -> Result<Vec<Pair>> {
        Self::check_pair_distance(k)?;
        let Some(split) = Split::new(self.values(), k) else {
            return self.all_pairs(k);
        };
        let places: Vec<u32> = (0..self.values().len() as u32).collect();
        let mut pairs: Vec<Pair> = (0..split.len())
            .into_par_iter()
            .flat_map(|block| {
                let meeting = split.bring_together(block, self.values(), &places);
                let step = meeting.runs().div_ceil(TASKS_PER_BLOCK).max(1);
                let tasks: Vec<usize> = (0..meeting.runs()).step_by(step).collect();
                let found: Vec<Vec<Pair>> = tasks
                    .into_par_iter()
                    .map(|first| {
                        let runs = first..(first + step).min(meeting.runs());
                        let mut pairs = Vec::new();
                        let mut join = Join::new(Kernel::best(), k, |a, b, distance| {
                            pairs.extend(self.group_pair(a, b, distance).pairs());
                            ControlFlow::Continue(())
                        });
                        let flow = join.runs(&split, block, &meeting, runs);
                        debug_assert!(flow.is_continue());
                        pairs
                    })
                    .collect();
                found.into_par_iter().flatten_iter()
            })
            .collect();
        pairs.extend(self.equal_pairs());
        pairs.par_sort_unstable();
        Ok(pairs)
    }
}
