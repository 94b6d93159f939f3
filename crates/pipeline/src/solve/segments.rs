//! Documents as runs of a [dictionary](super::dictionary) -> the earlier ones that may be similar to a new one A.
//!
//! Finding them is cheap even among pages of one template:
//!
//! - Elements of A that no listed document has are in no overlap. Most pages have so much text of their own that the
//!   others, which are *known*, are not enough. Then nothing is similar to A.
//! - The known elements are in *segments*: what each listed document brought that was new. Put the segments in order, those
//!   that few documents use first. A similar document uses one of the first ones, those that have more elements of A than
//!   may be missing. (This is the prefix filter of [`prefixes`](super::prefixes), with segments for shingles.)
//! - How many elements are known bounds the size of a similar document, from both sides.
//! - The same is true of a listed document and those who use nothing of its segment. If what it did not bring itself is not
//!   enough for any size, only those who use its segment meet it. All others are called *open*.
//!
//! This is exact for any documents: none that is similar enough is left out.

use super::dictionary::{Dictionary, Run, overlap};
use crate::method::Recipe;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// It is crowded if a document meets more listed ones than this, on average.
const CROWDED: u64 = if cfg!(test) { 3 } else { 64 };

/// Before that, so many may be met in all.
pub(super) const PATIENCE: u64 = if cfg!(test) { 32 } else { 1 << 14 };

/// No set has so many elements.
const MOST_SIZE: usize = 1 << 40;

/// So many documents whose sizes are looked at cost as much as one that is met.
const LOOKED_AT: u64 = 16;

/// Documents that were listed, by their places.
#[derive(Debug)]
pub(super) struct Segments {
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
    /// How many documents were met, about, and how many asked.
    met: u64,
    seen: u64,
}

impl Segments {
    /// Nothing is listed of about `expected` documents. So much `memory` is not exceeded by expectations.
    pub(super) fn new(expected: usize, memory: u64) -> Self {
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
            met: 0,
            seen: 0,
        }
    }

    /// Bytes that it would take with a document of `more` elements, or with sets in place of the table of the
    /// dictionary, whichever is more; nothing if the dictionary has no positions for them.
    pub(super) fn bytes_with(&self, more: usize) -> Option<u64> {
        // At worst each element is a run of its own, and the memory for runs doubles.
        let runs = 8 * self.runs.capacity() + 16 * more + 4 * self.used + 104 * self.sizes.len();
        let with_sets = 8 * (self.dictionary.len() + self.total + more);
        Some(runs as u64 + self.dictionary.bytes_with(more)?.max(with_sets as u64))
    }

    /// How many documents were met so far, about.
    pub(super) fn met(&self) -> u64 {
        self.met
    }

    /// True if so many are met that other ways to find candidates may be cheaper.
    pub(super) fn is_crowded(&self) -> bool {
        self.met > CROWDED * self.seen + PATIENCE
    }

    /// What was [found](Self::find_candidates), ascending.
    pub(super) fn candidates(&self) -> &[u32] {
        &self.candidates
    }

    /// How many elements a document has.
    pub(super) fn size(&self, at: usize) -> usize {
        self.sizes[at]
    }

    /// How many elements two documents share.
    pub(super) fn overlap(&self, a: usize, b: usize) -> usize {
        overlap(self.runs_of(a), self.runs_of(b))
    }

    /// The elements of all listed documents, one after the other, in any order.
    pub(super) fn into_elements(mut self) -> impl Iterator<Item = Vec<u64>> {
        self.dictionary.forget_slots();
        (0..self.sizes.len()).map(move |at| {
            let mut elements = Vec::with_capacity(self.sizes[at]);
            self.runs_of(at)
                .iter()
                .for_each(|&run| elements.extend_from_slice(self.dictionary.elements(run)));
            elements
        })
    }

    fn runs_of(&self, at: usize) -> &[Run] {
        let start = if at == 0 { 0 } else { self.run_ends[at - 1] };
        &self.runs[start..self.run_ends[at]]
    }

    /// Adds a document, which is listed or taken back next. Returns how many of its elements listed documents have.
    pub(super) fn begin(&mut self, elements: &[u64]) -> usize {
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
    pub(super) fn take_back(&mut self) {
        self.dictionary.take_back();
        self.run_ends.pop();
        self.runs.truncate(self.run_ends.last().copied().unwrap_or(0));
        self.sizes.pop();
        self.segments.pop();
    }

    /// Lists the document that was begun, of which so many elements are `known`.
    pub(super) fn list(&mut self, known: usize, recipe: &Recipe) {
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

    /// Finds the listed documents that may be similar to the one that was begun, of which so many elements are
    /// `known`: these are [`candidates`](Self::candidates) then.
    pub(super) fn find_candidates(&mut self, known: usize, recipe: &Recipe) {
        self.candidates.clear();
        self.seen += 1;
        let at = self.users.len();
        let size = self.sizes[at];
        let Some(similar) = similar_sizes(size, known, recipe) else { return };
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
        self.met += of_sizes.min(using) as u64 / LOOKED_AT + candidates.len() as u64;
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
