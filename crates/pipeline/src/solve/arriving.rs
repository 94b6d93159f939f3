//! Documents of large connected sets, one after the other in keep order -> survivors.
//!
//! Where documents arrive in the order in which they are decided, what is removed need not be kept in memory at all: a
//! million near-copies of one document are compared with that one and forgotten. What is kept is in a
//! [dictionary](super::dictionary), as a few runs, and finding the kept documents that may be similar to a new one A is
//! cheap even among pages of one template:
//!
//! - Elements of A that no kept document has are in no overlap. Most pages have so much text of their own that the
//!   others, which are *known*, are not enough. Then nothing is similar to A.
//! - The known elements are in *segments*: what each kept document brought that was new. Put the segments in order, those
//!   that few documents use first. A similar document uses one of the first ones, those that have more elements of A than
//!   may be missing. (This is the prefix filter of [`prefixes`](super::prefixes), with segments for shingles.)
//! - How many elements are known bounds the size of a similar document, from both sides.
//! - The same is true of a kept document and those who use nothing of its segment. If what it did not bring itself is not
//!   enough for any size, only those who use its segment meet it. All others are called *open*.
//!
//! If many are met all the same (pages with values in slots), or if the dictionary has no room, deciding stops: what was kept so far
//! is listed, and the rest is gathered for [`greedy`](super::greedy()), which has other ways to find candidates among many.

use super::chunk::{Chunk, Role, Screened, Span};
use super::dictionary::{Dictionary, Run, overlap};
use super::near_misses::{NearMiss, NearMisses};
use super::small::Decided;
use super::{Evidence, Found};
use crate::method::Recipe;
use crate::store::Number;
use crate::store::columns::Within;
use crate::{Observer, Result};
use lookalike::shingling::{ShingleSet, SortBuffer};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// It is crowded if a document meets more kept ones than this, on average.
const CROWDED: u64 = if cfg!(test) { 3 } else { 64 };

/// Before that, so many may be met in all.
const PATIENCE: u64 = if cfg!(test) { 32 } else { 1 << 14 };

/// No set has so many elements.
const MOST_SIZE: usize = 1 << 40;

/// So many documents whose sizes are looked at cost as much as one that is met.
const LOOKED_AT: u64 = 16;

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
    kept: Option<Kept>,
    met: u64,
    seen: u64,
    decided: Decided,
    sorting: SortBuffer,
}

/// Kept documents, by their places.
#[derive(Debug)]
struct Kept {
    dictionary: Dictionary,
    /// Their runs, ascending; where those of each document end; how many elements it has.
    runs: Vec<Run>,
    run_ends: Vec<usize>,
    sizes: Vec<usize>,
    /// How many elements they have together.
    total: usize,
    /// Where the segment of each begins in the dictionary, and the later documents that use it and are *open*.
    segments: Vec<u32>,
    users: Vec<Vec<u32>>,
    /// There is room for at most so many numbers of documents in these lists.
    used: usize,
    /// Open documents by size.
    by_size: BTreeMap<usize, Vec<u32>>,
    /// How many elements a document has at most that is similar to each and uses nothing of its segment: 0 if there is none. If there
    /// may be one, the document is open.
    largest_similar: Vec<usize>,
    /// Of the document that asks, the segments with how many elements it has of each.
    asked: Vec<(u32, usize)>,
    candidates: Vec<u32>,
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
            kept: Some(Kept::new(expected, memory)),
            met: 0,
            seen: 0,
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
    fn is_too_much(&self, kept: &Kept, more: usize) -> bool {
        let Some(bytes) = kept.bytes_with(more) else { return true };
        bytes + self.chunk.bytes() > self.memory || self.met > CROWDED * self.seen + PATIENCE
    }

    /// Compares a document, which is the last of what is kept, with the kept ones that it meets, in keep order, up to
    /// the first that is similar enough. So many of its elements are `known`: kept documents have them.
    fn look(&mut self, at: usize, known: usize) -> Result<Option<(u32, Evidence)>> {
        let Self { recipe, near_misses, observer, chunk, kept, decided, .. } = self;
        let Some(kept) = kept else { return Ok(None) };
        let verifier = &recipe.verifier;
        self.seen += 1;
        self.met += kept.find_candidates(known, recipe);
        let size = kept.sizes[at];
        for (step, &other) in kept.candidates.iter().enumerate() {
            observer.go_on_at(step)?;
            let place = other as usize;
            let common = overlap(kept.runs_of(at), kept.runs_of(place));
            let similarity = verifier.measure().of_counts(size, kept.sizes[place], common);
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
        let Some(mut kept) = self.kept.take() else { return };
        kept.dictionary.forget_slots();
        for at in 0..kept.sizes.len() {
            let mut set = Vec::with_capacity(kept.sizes[at]);
            kept.runs_of(at).iter().for_each(|&run| set.extend_from_slice(kept.dictionary.elements(run)));
            push_set(&mut self.chunk, set, &mut self.sorting);
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

impl Kept {
    fn new(expected: usize, memory: u64) -> Self {
        Self {
            dictionary: Dictionary::new(expected, memory),
            runs: Vec::new(),
            run_ends: Vec::new(),
            sizes: Vec::new(),
            total: 0,
            segments: Vec::new(),
            users: Vec::new(),
            used: 0,
            by_size: BTreeMap::new(),
            largest_similar: Vec::new(),
            asked: Vec::new(),
            candidates: Vec::new(),
        }
    }

    /// Bytes that it would take with a document of `more` elements, or with sets in place of the table of the
    /// dictionary, whichever is more; nothing if the dictionary has no positions for them.
    fn bytes_with(&self, more: usize) -> Option<u64> {
        // At worst each element is a run of its own, and the memory for runs doubles.
        let runs = 8 * self.runs.capacity() + 16 * more + 4 * self.used + 104 * self.sizes.len();
        let with_sets = 8 * (self.dictionary.len() + self.total + more);
        Some(runs as u64 + self.dictionary.bytes_with(more)?.max(with_sets as u64))
    }

    /// The runs of a document.
    fn runs_of(&self, at: usize) -> &[Run] {
        let start = if at == 0 { 0 } else { self.run_ends[at - 1] };
        &self.runs[start..self.run_ends[at]]
    }

    /// Adds a document, which is listed or taken back next. Returns how many of its elements kept documents have.
    fn begin(&mut self, elements: &[u64]) -> usize {
        let (runs, own) = self.dictionary.add(elements);
        let known = runs.iter().map(|run| run.len()).sum();
        self.runs.extend_from_slice(runs);
        if own.len() > 0 {
            self.runs.push(own);
        }
        self.run_ends.push(self.runs.len());
        self.sizes.push(known + own.len());
        self.segments.push(own.start);
        known
    }

    /// Takes back the document that was begun.
    fn take_back(&mut self) {
        self.dictionary.take_back();
        self.run_ends.pop();
        self.runs.truncate(self.run_ends.last().copied().unwrap_or(0));
        self.sizes.pop();
        self.segments.pop();
    }

    /// Lists the document that was begun, of which so many elements are `known`.
    fn list(&mut self, known: usize, recipe: &Recipe) {
        let at = self.users.len();
        let similar = similar_sizes(self.sizes[at], known, recipe);
        if similar.is_some() {
            self.ask_for_segments(at);
            for &(segment, _) in &self.asked {
                self.users[segment as usize].push(at as u32);
            }
            self.used += 2 * self.asked.len();
            self.by_size.entry(self.sizes[at]).or_default().push(at as u32);
        }
        self.largest_similar.push(similar.map_or(0, |sizes| *sizes.end()));
        self.users.push(Vec::new());
        self.total += self.sizes[at];
    }

    /// Finds the kept documents that may be similar to the one that was begun, of which so many elements are `known`.
    /// Returns what that cost, and what comparing them costs, in documents that are met.
    fn find_candidates(&mut self, known: usize, recipe: &Recipe) -> u64 {
        self.candidates.clear();
        let at = self.users.len();
        let size = self.sizes[at];
        let Some(similar) = similar_sizes(size, known, recipe) else { return 0 };
        self.ask_for_segments(at);
        let Self { asked, users, candidates, by_size, sizes, largest_similar, .. } = self;
        candidates.extend(asked.iter().map(|&(segment, _)| segment));
        asked.sort_unstable_by_key(|&(segment, _)| users[segment as usize].len());
        // So many of the known elements may be missing in a similar document.
        let needed = recipe.verifier.needed_overlap(size, *similar.start()).unwrap_or(0);
        let mut may_miss = Some(known - needed.min(known));
        let first = asked.iter().take_while(|(_, elements)| {
            let is_needed = may_miss.is_some();
            may_miss = may_miss.and_then(|left| left.checked_sub(*elements));
            is_needed
        });
        let first = &asked[..first.count()];
        let first = first.iter().map(|&(segment, _)| &users[segment as usize]);
        let using: usize = first.clone().map(Vec::len).sum();
        let of_sizes: usize = by_size.range(similar.clone()).map(|(_, documents)| documents.len()).sum();
        let mut look_at = |documents: &[u32]| {
            candidates.extend(documents.iter().copied().filter(|&other| {
                largest_similar[other as usize] >= size && similar.contains(&sizes[other as usize])
            }));
        };
        // Without elements there are no segments.
        if of_sizes <= using || needed == 0 {
            by_size.range(similar.clone()).for_each(|(_, documents)| look_at(documents));
        } else {
            first.for_each(|documents| look_at(documents));
        }
        candidates.sort_unstable();
        candidates.dedup();
        of_sizes.min(using) as u64 / LOOKED_AT + candidates.len() as u64
    }

    /// Finds the segments of other documents that a document uses, with how many elements it has of each.
    fn ask_for_segments(&mut self, at: usize) {
        self.asked.clear();
        let own = self.segments[at];
        let start = if at == 0 { 0 } else { self.run_ends[at - 1] };
        for &Run { start, end } in
            self.runs[start..self.run_ends[at]].iter().take_while(|run| run.start < own)
        {
            let mut segment = self.segments[..at].partition_point(|&first| first <= start) - 1;
            let mut from = start;
            while from < end {
                let to = self.segments[segment + 1].min(end);
                match self.asked.last_mut() {
                    Some((last, elements)) if *last == segment as u32 => *elements += (to - from) as usize,
                    _ if to > from => self.asked.push((segment as u32, (to - from) as usize)),
                    _ => {}
                }
                from = to;
                segment += 1;
            }
        }
    }
}

/// The sizes of sets that can be similar to one of `size` elements if they share at most `known` of them; nothing if there is
/// none.
fn similar_sizes(size: usize, known: usize, recipe: &Recipe) -> Option<RangeInclusive<usize>> {
    let verifier = &recipe.verifier;
    let is_enough = |other: usize| verifier.needed_overlap(size, other).is_some_and(|needed| needed <= known);
    // Of the sets that share so many elements, the smallest one is the most similar: it has these and no others.
    if !is_enough(known) {
        return None;
    }
    let smallest = partition_point(0, known, is_enough);
    let (mut low, mut high) = (known, 2 * known.max(1));
    while high < MOST_SIZE && is_enough(high) {
        (low, high) = (high, 2 * high);
    }
    let larger = partition_point(low, high, |other| !is_enough(other));
    Some(smallest..=larger - 1)
}

/// The first number from `low` on for which `is_behind` is true, if it is true for `high` and for all after the first.
fn partition_point(mut low: usize, mut high: usize, is_behind: impl Fn(usize) -> bool) -> usize {
    while low < high {
        let middle = low.midpoint(high);
        if is_behind(middle) { high = middle } else { low = middle + 1 }
    }
    low
}
