//! Small connected sets -> survivors.
//!
//! Most connected sets are a handful of documents. A small set is decided as soon as the elements of all its documents
//! are there, by whoever brings the last ones, and then they are forgotten. The rule of the contract is applied from the
//! side of the kept document: its elements go into a table once, and all later candidates are looked up in it. What is
//! decided is the same as with one document after the other; and no set must be sorted.

use super::chunk::{Chunk, Role, Screened, Verdict};
use super::near_misses::{NearMiss, NearMisses};
use super::{Evidence, Found};
use crate::method::Recipe;
use crate::report::PairCounts;
use crate::{Observer, Result};
use lookalike::verification::OverlapTable;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Connected sets of more documents than this are not small: here every two are looked at.
pub(crate) const SMALL_SET: usize = if cfg!(test) { 4 } else { 64 };

/// Documents with more elements are not in small sets: a table of them takes a good part of a thread's memory.
pub(crate) const SMALL_DOCUMENT: u32 = 1 << 17;

/// What sets came to.
#[derive(Debug, Default)]
pub(crate) struct Decided {
    pub found: Vec<Found>,
    pub counts: PairCounts,
}

/// Connected sets whose documents arrive one by one.
pub(crate) struct SmallSets<'a> {
    /// All documents, set by set, each in keep order; without elements.
    chunk: &'a Chunk,
    sets: Vec<Range<usize>>,
    recipe: &'a Recipe,
    near_misses: &'a NearMisses,
    arrived: Vec<Mutex<Arrived>>,
    decided: Mutex<Decided>,
}

/// What is there of a set: the elements of its documents, in keep order.
#[derive(Debug, Default)]
struct Arrived {
    elements: Vec<Vec<u64>>,
    count: usize,
}

impl<'a> SmallSets<'a> {
    /// Sets that begin at these places of `chunk`.
    pub(crate) fn new(
        chunk: &'a Chunk,
        starts: &[usize],
        recipe: &'a Recipe,
        near_misses: &'a NearMisses,
    ) -> Self {
        let ends = starts.iter().skip(1).copied().chain([chunk.len()]);
        let sets: Vec<_> = starts.iter().zip(ends).map(|(&start, end)| start..end).collect();
        let arrived = sets.iter().map(|_| Mutex::default()).collect();
        Self { chunk, sets, recipe, near_misses, arrived, decided: Mutex::default() }
    }

    /// Takes the elements of a document of the set `set`, which is `at` in the chunk.
    pub(crate) fn arrive(
        &self,
        set: usize,
        at: usize,
        elements: &[u64],
        table: &mut OverlapTable,
    ) -> Result<()> {
        let documents = self.sets[set].clone();
        let mut arrived = self.arrived[set].lock().unwrap_or_else(PoisonError::into_inner);
        arrived.elements.resize_with(documents.len(), Vec::new);
        arrived.elements[at - documents.start] = elements.to_vec();
        arrived.count += 1;
        if arrived.count < documents.len() {
            return Ok(());
        }
        let elements = std::mem::take(&mut arrived.elements);
        drop(arrived);
        self.decide(documents, &elements, table)
    }

    /// Decides all sets by signatures, where no elements are compared.
    pub(crate) fn decide_by_signatures(&self, observer: &dyn Observer) -> Result<()> {
        let mut table = OverlapTable::default();
        self.sets.iter().try_for_each(|documents| {
            observer.go_on()?;
            self.decide(documents.clone(), &[], &mut table)
        })
    }

    fn decide(&self, documents: Range<usize>, elements: &[Vec<u64>], table: &mut OverlapTable) -> Result<()> {
        let Self { chunk, recipe, near_misses, .. } = *self;
        let first = documents.start;
        let mut solver =
            Solver { chunk, recipe, near_misses, first, elements, table, decided: Decided::default() };
        solver.decide(documents)?;
        let Decided { found, counts } = solver.decided;
        let mut decided = self.decided.lock().unwrap_or_else(PoisonError::into_inner);
        decided.found.extend(found);
        decided.counts.add(&counts);
        Ok(())
    }

    /// What all sets came to, in the order of the removed documents.
    pub(crate) fn into_decided(self) -> Decided {
        let mut decided = self.decided.into_inner().unwrap_or_else(PoisonError::into_inner);
        decided.found.sort_unstable_by_key(|found| found.number);
        decided
    }
}

struct Solver<'a> {
    chunk: &'a Chunk,
    recipe: &'a Recipe,
    near_misses: &'a NearMisses,
    /// The first document of the set, and the elements of all.
    first: usize,
    elements: &'a [Vec<u64>],
    /// The elements of the present kept document, once they are needed.
    table: &'a mut OverlapTable,
    decided: Decided,
}

impl Solver<'_> {
    fn decide(&mut self, documents: Range<usize>) -> Result<()> {
        let mut removed = [false; SMALL_SET];
        for kept in documents.clone() {
            if removed[kept - self.first] || self.chunk.roles[kept] == Role::Asking {
                continue;
            }
            let mut in_table = false;
            for at in kept + 1..documents.end {
                if removed[at - self.first] || self.chunk.roles[at] == Role::Listed {
                    continue;
                }
                if let Some(evidence) = self.compare(at, kept, &mut in_table)? {
                    removed[at - self.first] = true;
                    let (number, other) = (self.chunk.numbers[at], self.chunk.numbers[kept]);
                    self.decided.found.push(Found { number, other, evidence });
                }
            }
        }
        Ok(())
    }

    /// Whether a document is a duplicate of a kept one, and by what.
    fn compare(&mut self, at: usize, kept: usize, in_table: &mut bool) -> Result<Option<Evidence>> {
        let Self { chunk, recipe, .. } = *self;
        let shared = chunk.shared_keys(at, kept, recipe);
        if shared == 0 {
            return Ok(None);
        }
        let verdict = match chunk.screen(at, kept, shared, recipe)? {
            Screened::Known(verdict) => verdict,
            Screened::Open(evidence) => {
                if !*in_table {
                    self.table.build(&self.elements[kept - self.first]);
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
        let (elements, verifier) = (&self.elements[at - self.first], &self.recipe.verifier);
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
        // Elsewhere the lengths say no before anything is compared.
        if verifier.needed_overlap(distinct, self.table.distinct()).is_none() {
            return Verdict::Filtered;
        }
        self.near_misses.insert(NearMiss { number, other, similarity });
        Verdict::Below
    }
}
