//! Small connected sets -> survivors.
//!
//! Most connected sets are a handful of documents. There the rule of the contract is applied from the side of the kept
//! document: its elements go into a table once, and all later candidates are looked up in it. What is decided, and
//! which pairs are compared, is the same as with one document after the other; and no set must be sorted.

use super::chunk::{Chunk, Role, Screened, Verdict};
use super::near_misses::{NearMiss, NearMisses};
use super::{Evidence, Found};
use crate::Result;
use crate::method::Means;
use crate::report::PairCounts;
use lookalike::verification::OverlapTable;
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};
use std::ops::Range;

/// Connected sets of more documents than this are not small: here every two are looked at.
pub(crate) const SMALL_SET: usize = if cfg!(test) { 4 } else { 64 };

/// Documents with more elements are not in small sets: a table of them takes a good part of a thread's memory.
pub(crate) const SMALL_DOCUMENT: u32 = 1 << 17;

/// Sets that a thread takes at a time.
const AT_A_TIME: usize = 8;

/// Connected sets, each in keep order, with the elements as they come.
#[derive(Debug, Default)]
pub(crate) struct SmallSets {
    /// All documents, set by set.
    pub chunk: Chunk,
    /// Where each set begins.
    pub starts: Vec<usize>,
}

/// What some sets came to.
#[derive(Debug, Default)]
struct Decided {
    found: Vec<Found>,
    counts: PairCounts,
}

/// Decides every document of small sets; hands the removed ones to `visit`.
pub(crate) fn small(
    sets: &SmallSets,
    means: &Means,
    threads: usize,
    near_misses: &NearMisses,
    counts: &mut PairCounts,
    visit: &mut dyn FnMut(Found),
) -> Result<()> {
    let range = |set: usize| {
        let end = sets.starts.get(set + 1).copied().unwrap_or(sets.chunk.len());
        sets.starts[set]..end
    };
    let decide = |table: &mut OverlapTable, some: Range<usize>| -> Result<Decided> {
        let mut solver =
            Solver { chunk: &sets.chunk, means, near_misses, table, decided: Decided::default() };
        some.map(range).try_for_each(|set| solver.decide(set))?;
        Ok(solver.decided)
    };
    let all = 0..sets.starts.len();
    let decided: Vec<Result<Decided>> = if threads > 1 {
        let some = |start: usize| start..(start + AT_A_TIME).min(all.end);
        all.clone()
            .into_par_iter()
            .step_by(AT_A_TIME)
            .map_init(OverlapTable::default, |table, start| decide(table, some(start)))
            .collect()
    } else {
        vec![decide(&mut OverlapTable::default(), all)]
    };
    for decided in decided {
        let decided = decided?;
        counts.add(&decided.counts);
        decided.found.into_iter().for_each(&mut *visit);
    }
    Ok(())
}

struct Solver<'a> {
    chunk: &'a Chunk,
    means: &'a Means,
    near_misses: &'a NearMisses,
    /// The elements of the present kept document, once they are needed.
    table: &'a mut OverlapTable,
    decided: Decided,
}

impl Solver<'_> {
    /// Decides the documents of one set.
    fn decide(&mut self, set: Range<usize>) -> Result<()> {
        let mut removed = [false; SMALL_SET];
        for kept in set.clone() {
            if removed[kept - set.start] || self.chunk.roles[kept] == Role::Asking {
                continue;
            }
            let mut in_table = false;
            for at in kept + 1..set.end {
                if removed[at - set.start] || self.chunk.roles[at] == Role::Listed {
                    continue;
                }
                if let Some(evidence) = self.compare(at, kept, &mut in_table)? {
                    removed[at - set.start] = true;
                    let (number, other) = (self.chunk.numbers[at], self.chunk.numbers[kept]);
                    self.decided.found.push(Found { number, other, evidence });
                }
            }
        }
        Ok(())
    }

    /// Whether a document is a duplicate of a kept one, and by what.
    fn compare(&mut self, at: usize, kept: usize, in_table: &mut bool) -> Result<Option<Evidence>> {
        let Self { chunk, means, .. } = *self;
        let shared = chunk.shared_bands(at, kept, means);
        if shared == 0 {
            return Ok(None);
        }
        let verdict = match chunk.screen(at, kept, shared, means)? {
            Screened::Known(verdict) => verdict,
            Screened::Open(evidence) => {
                if !*in_table {
                    self.table.build(chunk.elements(kept));
                    *in_table = true;
                }
                self.verify(at, kept, evidence)
            }
        };
        let counts = &mut self.decided.counts;
        match verdict {
            Verdict::Unlike => return Ok(None),
            Verdict::Filtered => counts.filtered += 1,
            Verdict::Below | Verdict::Similar(_) => counts.compared += 1,
        }
        counts.candidates += 1;
        let Verdict::Similar(evidence) = verdict else { return Ok(None) };
        counts.verified += 1;
        Ok(Some(evidence))
    }

    /// Compares a document with the one in the table.
    fn verify(&mut self, at: usize, kept: usize, evidence: Evidence) -> Verdict {
        let (number, other) = (self.chunk.numbers[at], self.chunk.numbers[kept]);
        let (elements, verifier) = (self.chunk.elements(at), &self.means.verifier);
        if !self.near_misses.may_take(number, other) {
            return match verifier.verify_with(elements, self.table) {
                Some(similarity) => Verdict::Similar(Evidence { similarity, ..evidence }),
                None => Verdict::Below,
            };
        }
        let (distinct, common) = self.table.overlap(elements);
        let similarity = verifier.measure().of_counts(distinct, self.table.distinct(), common);
        if similarity >= verifier.threshold() {
            return Verdict::Similar(Evidence { similarity, ..evidence });
        }
        self.near_misses.insert(NearMiss { number, other, similarity });
        Verdict::Below
    }
}
