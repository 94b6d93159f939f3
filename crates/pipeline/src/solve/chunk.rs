//! The documents that are compared with one another at a time.

use super::Evidence;
use crate::Result;
use crate::method::{Recipe, Screening, Sketches};
use crate::store::Number;
use crate::store::entries::Within;
use lookalike::similarity::SortedSet;

/// What a document does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// It may be removed, and may remove others.
    Both,
    /// It may only remove others: it is kept already.
    Listed,
    /// It may only be removed.
    Asking,
}

impl Role {
    /// The role of a document that is not decided yet. Documents of `--against` are protected: they are kept. With
    /// `--against-only` nothing else removes a document.
    pub(crate) fn of(protected: bool, against_only: bool) -> Self {
        match (protected, against_only) {
            (true, _) => Self::Listed,
            (false, true) => Self::Asking,
            (false, false) => Self::Both,
        }
    }
}

/// Whether a pair of documents with these roles is compared at all, whichever of them is first.
pub(crate) fn are_compared(a: Role, b: Role) -> bool {
    a != b || a == Role::Both
}

/// Documents in keep order. What the method does not need is empty.
#[derive(Debug, Default)]
pub(crate) struct Chunk {
    pub numbers: Vec<Number>,
    pub roles: Vec<Role>,
    /// Hash of the value of `--within`: only documents in which it is equal are compared.
    pub within: Vec<Within>,
    /// The lanes of all documents, and where those of each document end.
    pub lanes: Vec<u16>,
    pub lane_ends: Vec<usize>,
    /// Samples of all documents, for containment, each document's ascending; and where those of each document end. They
    /// are not in the sets: what finds has another key than what decides.
    pub samples: Vec<u64>,
    pub sample_ends: Vec<usize>,
    /// Sorted sets of several documents each, and where that of each document is. (Elements in any order where documents
    /// are only handed on.)
    pub segments: Vec<Vec<u64>>,
    pub spans: Vec<Span>,
}

/// Where the set of a document is.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Span {
    pub segment: u32,
    pub start: u32,
    pub end: u32,
}

/// What is known of a pair after looking at it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Verdict {
    /// The signatures say no: not even a candidate.
    Unlike,
    /// The lengths say no.
    Filtered,
    /// Compared, and below the threshold.
    Below,
    /// At or above.
    Similar(Evidence),
}

/// What the signatures say of a pair.
pub(super) enum Screened {
    /// The verdict.
    Known(Verdict),
    /// The sets decide.
    Open(Evidence),
}

impl Chunk {
    /// How many documents there are.
    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Bytes that its documents take.
    pub(crate) fn bytes(&self) -> u64 {
        let elements: usize = self.segments.iter().map(Vec::len).sum();
        8 * elements as u64
            + 2 * self.lanes.len() as u64
            + 8 * self.samples.len() as u64
            + 72 * self.len() as u64
    }

    /// The lanes of a document.
    #[inline]
    pub(crate) fn lanes(&self, at: usize) -> &[u16] {
        let start = if at == 0 { 0 } else { self.lane_ends[at - 1] };
        &self.lanes[start..self.lane_ends[at]]
    }

    /// Adds the lanes of the next document.
    pub(crate) fn push_lanes(&mut self, lanes: &[u16]) {
        self.lanes.extend_from_slice(lanes);
        self.lane_ends.push(self.lanes.len());
    }

    /// Whether sets were loaded.
    pub(crate) fn has_sets(&self) -> bool {
        !self.spans.is_empty()
    }

    /// The set of a document.
    #[inline]
    pub(crate) fn set(&self, at: usize) -> SortedSet<'_> {
        SortedSet::assume_sorted(self.elements(at))
    }

    /// The elements of a document: its set, or what is to become one.
    #[inline]
    pub(super) fn elements(&self, at: usize) -> &[u64] {
        let Span { segment, start, end } = self.spans[at];
        &self.segments[segment as usize][start as usize..end as usize]
    }

    /// What sets the keys of a document apart from those of another value of `--within`.
    pub(crate) fn within_key(&self, at: usize) -> u64 {
        self.within[at][0]
    }

    /// The samples of a document.
    fn samples(&self, at: usize) -> &[u64] {
        let start = if at == 0 { 0 } else { self.sample_ends[at - 1] };
        &self.samples[start..self.sample_ends[at]]
    }

    /// All bucket keys of a document.
    pub(crate) fn visit_keys(&self, at: usize, recipe: &Recipe, visit: impl FnMut(u64)) {
        if recipe.method.stores_keys() {
            self.samples(at).iter().copied().for_each(visit);
        } else {
            recipe.visit_keys(self.lanes(at), self.within[at], visit);
        }
    }

    /// Looks at a pair: is `at` a duplicate of `other`? They share `shared` buckets.
    pub(crate) fn compare(&self, at: usize, other: usize, shared: u32, recipe: &Recipe) -> Result<Verdict> {
        let evidence = match self.screen(at, other, shared, recipe)? {
            Screened::Known(verdict) => return Ok(verdict),
            Screened::Open(evidence) => evidence,
        };
        let (a, b) = (self.set(at), self.set(other));
        if recipe.verifier.needed_overlap(a.len(), b.len()).is_none() {
            return Ok(Verdict::Filtered);
        }
        Ok(match recipe.verifier.verify(a, b) {
            Some(similarity) => Verdict::Similar(Evidence { similarity, ..evidence }),
            None => Verdict::Below,
        })
    }

    /// What the signatures say of a pair that shares `shared` buckets.
    pub(super) fn screen(&self, at: usize, other: usize, shared: u32, recipe: &Recipe) -> Result<Screened> {
        // Keys have few bits of it; all of them decide.
        if !recipe.are_within(self.within[at], self.within[other]) {
            return Ok(Screened::Known(Verdict::Unlike));
        }
        let stored_keys = if recipe.method.stores_keys() { self.samples(at).len() } else { 0 };
        let (a, b) = (self.lanes(at), self.lanes(other));
        let evidence = |similarity, distance| Evidence {
            similarity,
            distance,
            found_by: recipe.method.found_by(a, b, shared),
        };
        Ok(match recipe.method.screen(Sketches { a, b, shared, stored_keys })? {
            Screening::Unlike => Screened::Known(Verdict::Unlike),
            Screening::Below => Screened::Known(Verdict::Below),
            Screening::Similar { similarity, distance } => {
                Screened::Known(Verdict::Similar(evidence(similarity, distance)))
            }
            Screening::Open { distance } => Screened::Open(evidence(f64::NAN, distance)),
        })
    }

    /// The exact similarity of a pair, whatever it is.
    pub(crate) fn similarity(&self, at: usize, other: usize, recipe: &Recipe) -> f64 {
        recipe.verifier.measure().similarity(self.set(at), self.set(other))
    }

    /// How many keys two documents share: bands in which they agree, or shingles.
    pub(crate) fn shared_keys(&self, at: usize, other: usize, recipe: &Recipe) -> u32 {
        if !recipe.method.stores_keys() {
            let is_within = recipe.are_within(self.within[at], self.within[other]);
            return if is_within { recipe.method.shared_keys(self.lanes(at), self.lanes(other)) } else { 0 };
        }
        let (a, b) = (self.samples(at), self.samples(other));
        a.iter().filter(|sample| b.binary_search(sample).is_ok()).count() as u32
    }
}
