//! Documents of large connected sets, one after the other in keep order -> survivors.
//!
//! Where documents arrive in the order in which they are decided, what is removed need not be kept in memory at all: a
//! million near-copies of one document are compared with that one and forgotten. What is kept is in
//! [segments](super::segments) of a dictionary, which say who may be similar to a new one.
//!
//! If many are met all the same (pages with values in slots), or if the dictionary has no room, deciding stops: what was kept so far
//! is listed, and the rest is gathered for [`greedy`](super::greedy()), which has other ways to find candidates among many.

use super::chunk::{Chunk, Role, Screened, Span};
use super::near_misses::{NearMiss, NearMisses};
use super::segments::Segments;
use super::small::Decided;
use super::{Evidence, Found};
use crate::method::Recipe;
use crate::store::Number;
use crate::store::entries::Within;
use crate::{Observer, Result};
use lookalike::shingling::{ShingleSet, SortBuffer};

/// A document that arrives.
pub(crate) struct Arrival<'d> {
    pub number: Number,
    pub role: Role,
    pub within: Within,
    pub lanes: &'d [u16],
    /// In any order; they may repeat.
    pub elements: &'d [u64],
}

impl<'d> Arrival<'d> {
    /// A document that was gathered before.
    pub(crate) fn of(chunk: &'d Chunk, at: usize) -> Self {
        Self {
            number: chunk.numbers[at],
            role: chunk.roles[at],
            within: chunk.within[at],
            lanes: chunk.lanes(at),
            elements: chunk.elements(at),
        }
    }
}

/// Documents that arrive in keep order.
pub(crate) struct Arriving<'a> {
    recipe: &'a Recipe,
    near_misses: &'a NearMisses,
    observer: &'a dyn Observer,
    /// Bytes that all of this may take, about.
    memory: u64,
    /// Kept documents, without sets. Once deciding has stopped, they and all that came since have sets.
    chunk: Chunk,
    /// What is kept; nothing once deciding has stopped.
    kept: Option<Segments>,
    decided: Decided,
    sorting: SortBuffer,
}

impl<'a> Arriving<'a> {
    /// Nothing has arrived of about `expected` documents.
    pub(crate) fn new(
        recipe: &'a Recipe,
        near_misses: &'a NearMisses,
        observer: &'a dyn Observer,
        expected: usize,
        memory: u64,
    ) -> Self {
        Self {
            recipe,
            near_misses,
            observer,
            memory,
            chunk: Chunk::default(),
            kept: Some(Segments::new(expected, memory)),
            decided: Decided::default(),
            sorting: SortBuffer::default(),
        }
    }

    /// Decides the next document in keep order, unless deciding has stopped.
    pub(crate) fn arrive(&mut self, arrival: &Arrival<'_>) -> Result<()> {
        let at = self.chunk.len();
        let Arrival { number, role, within, lanes, elements } = *arrival;
        self.chunk.numbers.push(number);
        self.chunk.roles.push(role);
        self.chunk.within.push(within);
        self.chunk.push_lanes(lanes);
        if self.kept.as_ref().is_some_and(|kept| self.is_too_much(kept, elements.len())) {
            self.stop();
        }
        let Some(kept) = &mut self.kept else {
            push_set(&mut self.chunk, elements.to_vec(), &mut self.sorting);
            return Ok(());
        };
        let known = kept.begin(elements);
        let found = if role == Role::Listed { None } else { self.look(at, known)? };
        let Some(kept) = &mut self.kept else { return Ok(()) };
        if let Some((other, evidence)) = found {
            let other = self.chunk.numbers[other as usize];
            self.decided.found.push(Found { number, other, evidence });
        }
        if found.is_some() || role == Role::Asking {
            kept.take_back();
            self.forget(at);
        } else {
            kept.list(known, self.recipe);
            self.chunk.roles[at] = Role::Listed;
        }
        Ok(())
    }

    /// Whether there is no room, or too much is met.
    fn is_too_much(&self, kept: &Segments, more: usize) -> bool {
        let Some(bytes) = kept.bytes_with(more) else { return true };
        bytes + self.chunk.bytes() > self.memory || kept.is_crowded()
    }

    /// Compares a document, which is the last of what is kept, with the kept ones that it meets, in keep order, up to
    /// the first that is similar enough. So many of its elements are `known`: kept documents have them.
    fn look(&mut self, at: usize, known: usize) -> Result<Option<(u32, Evidence)>> {
        let Self { recipe, near_misses, observer, chunk, kept, decided, .. } = self;
        let Some(kept) = kept else { return Ok(None) };
        let verifier = &recipe.verifier;
        kept.find_candidates(known, recipe);
        let size = kept.size(at);
        for (step, &other) in kept.candidates().iter().enumerate() {
            observer.go_on_at(step)?;
            let place = other as usize;
            let common = kept.overlap(at, place);
            let similarity = verifier.measure().of_counts(size, kept.size(place), common);
            let pair = (chunk.numbers[at], chunk.numbers[place]);
            let is_similar = similarity >= verifier.threshold();
            decided.counts.candidates += 1;
            decided.counts.compared += 1;
            if !is_similar && !near_misses.may_take(pair.0, pair.1) {
                continue;
            }
            let Some(evidence) = screen(chunk, at, place, recipe)? else { continue };
            if is_similar {
                decided.counts.verified += 1;
                return Ok(Some((other, Evidence { similarity, ..evidence })));
            }
            near_misses.insert(NearMiss { number: pair.0, other: pair.1, similarity });
        }
        Ok(None)
    }

    /// Takes the last document out.
    fn forget(&mut self, at: usize) {
        // There are no samples: documents of containment do not arrive one by one. Sets are not there yet.
        let Chunk {
            numbers,
            roles,
            within,
            lanes,
            lane_ends,
            segments: _,
            spans: _,
            samples: _,
            sample_ends: _,
        } = &mut self.chunk;
        numbers.truncate(at);
        roles.truncate(at);
        within.truncate(at);
        lane_ends.truncate(at);
        lanes.truncate(lane_ends.last().copied().unwrap_or(0));
    }

    /// Stops deciding: what is kept gets its sets.
    #[cold]
    fn stop(&mut self) {
        let Some(kept) = self.kept.take() else { return };
        for elements in kept.into_elements() {
            push_set(&mut self.chunk, elements, &mut self.sorting);
        }
    }

    /// What was decided, and what was not: nothing, or a chunk that begins with kept documents.
    pub(crate) fn finish(self) -> (Decided, Chunk) {
        (self.decided, if self.kept.is_none() { self.chunk } else { Chunk::default() })
    }
}

/// Adds the set of the next document of a chunk.
fn push_set(chunk: &mut Chunk, mut elements: Vec<u64>, sorting: &mut SortBuffer) {
    ShingleSet::sort_hashes(&mut elements, sorting);
    elements.shrink_to_fit();
    let segment = chunk.segments.len() as u32;
    chunk.spans.push(Span { segment, start: 0, end: elements.len() as u32 });
    chunk.segments.push(elements);
}

/// What a pair that is compared by its sets was found by; nothing if it is no candidate.
fn screen(chunk: &Chunk, at: usize, other: usize, recipe: &Recipe) -> Result<Option<Evidence>> {
    let shared = chunk.shared_keys(at, other, recipe);
    if shared == 0 {
        return Ok(None);
    }
    Ok(match chunk.screen(at, other, shared, recipe)? {
        Screened::Open(evidence) => Some(evidence),
        Screened::Known(_) => None,
    })
}
