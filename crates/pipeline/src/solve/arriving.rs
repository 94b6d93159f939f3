//! Documents of large connected sets, one after the other in keep order -> survivors.
//!
//! Where documents arrive in the order in which they are decided, what is removed need not be kept in memory at all: a
//! million near-copies of one document are compared with that one and forgotten. Buckets list kept documents, as they
//! are found to stay. If they turn out to be crowded (pages of a template, all different), deciding stops: what was
//! kept so far is listed, and the rest is gathered for [`greedy`](super::greedy()), which can find candidates among many.

use super::chunk::{Chunk, Role, Span};
use super::greedy::Looker;
use super::near_misses::NearMisses;
use super::small::Decided;
use super::{Evidence, Found};
use crate::method::Recipe;
use crate::store::Number;
use crate::store::columns::Within;
use crate::{Observer, Result};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Buckets are crowded if a document meets more kept ones than this, on average,
const CROWDED: u64 = if cfg!(test) { 3 } else { 64 };

/// beyond so many to begin with.
const PATIENCE: u64 = if cfg!(test) { 32 } else { 1 << 14 };

/// No earlier document in the bucket.
const NONE: u32 = u32::MAX;

/// A document that arrives.
pub(crate) struct Arrival<'d> {
    pub number: Number,
    pub role: Role,
    pub within: Within,
    pub lanes: &'d [u16],
    /// Sorted.
    pub set: &'d [u64],
}

/// Documents that arrive in keep order.
pub(crate) struct Arriving<'a> {
    recipe: &'a Recipe,
    near_misses: &'a NearMisses,
    observer: &'a dyn Observer,
    /// Kept documents; behind them, once it is crowded, all that came since.
    chunk: Chunk,
    /// For each key, the place in `links` of the last kept document that has it.
    last: HashMap<u64, u32, BuildHasherDefault<KeyHasher>>,
    /// A kept document, and the place of the one before it in the same bucket.
    links: Vec<(u32, u32)>,
    met: u64,
    seen: u64,
    crowded: bool,
    decided: Decided,
    keys: Vec<u64>,
    candidates: Vec<(u32, u32)>,
}

impl<'a> Arriving<'a> {
    /// Nothing has arrived.
    pub(crate) fn new(recipe: &'a Recipe, near_misses: &'a NearMisses, observer: &'a dyn Observer) -> Self {
        Self {
            recipe,
            near_misses,
            observer,
            chunk: Chunk::default(),
            last: HashMap::default(),
            links: Vec::new(),
            met: 0,
            seen: 0,
            crowded: false,
            decided: Decided::default(),
            keys: Vec::new(),
            candidates: Vec::new(),
        }
    }

    /// Decides the next document in keep order, unless it is crowded.
    pub(crate) fn arrive(&mut self, arrival: &Arrival<'_>) -> Result<()> {
        let at = self.chunk.len();
        let Arrival { number, role, within, lanes, set } = *arrival;
        self.chunk.numbers.push(number);
        self.chunk.roles.push(role);
        self.chunk.within.push(within);
        self.chunk.push_lanes(lanes);
        self.chunk.spans.push(Span { segment: at as u32, start: 0, end: set.len() as u32 });
        self.chunk.segments.push(set.to_vec());
        if self.crowded {
            return Ok(());
        }
        self.keys.clear();
        self.chunk.visit_keys(at, self.recipe, |key| self.keys.push(key));
        if role != Role::Listed
            && let Some((other, evidence)) = self.look(at)?
        {
            let other = self.chunk.numbers[other as usize];
            self.decided.found.push(Found { number, other, evidence });
            self.forget(at);
            return Ok(());
        }
        if role == Role::Asking {
            self.forget(at);
            return Ok(());
        }
        self.chunk.roles[at] = Role::Listed;
        for &key in &self.keys {
            let before = self.last.insert(key, self.links.len() as u32).unwrap_or(NONE);
            self.links.push((at as u32, before));
        }
        Ok(())
    }

    /// Compares a document with the kept ones it meets, in keep order, up to the first that is similar enough.
    fn look(&mut self, at: usize) -> Result<Option<(u32, Evidence)>> {
        self.candidates.clear();
        for key in &self.keys {
            let mut place = self.last.get(key).copied().unwrap_or(NONE);
            while place != NONE {
                let (other, before) = self.links[place as usize];
                self.candidates.push((other, 1));
                place = before;
            }
        }
        self.candidates.sort_unstable();
        self.candidates.dedup_by(|next, first| {
            let same = next.0 == first.0;
            first.1 += next.1 * u32::from(same);
            same
        });
        self.seen += 1;
        self.met += self.candidates.len() as u64;
        let Self { chunk, recipe, near_misses, .. } = &*self;
        let looker = Looker { chunk, recipe, near_misses, observer: self.observer, by_bands: true };
        let look = looker.look(at, &self.candidates, &[])?;
        self.decided.counts.add(&look.counts);
        for other in look.near {
            self.near_misses.take(&self.chunk, at, other as usize, self.recipe);
        }
        if self.met > CROWDED * self.seen + PATIENCE {
            self.crowded = true;
            self.last = HashMap::default();
            self.links = Vec::new();
        }
        Ok(look.found)
    }

    /// Takes the last document out.
    fn forget(&mut self, at: usize) {
        // There are no samples: documents of containment do not arrive one by one.
        let Chunk { numbers, roles, within, lanes, lane_ends, segments, spans, samples: _, sample_ends: _ } =
            &mut self.chunk;
        numbers.truncate(at);
        roles.truncate(at);
        within.truncate(at);
        lane_ends.truncate(at);
        lanes.truncate(lane_ends.last().copied().unwrap_or(0));
        segments.truncate(at);
        spans.truncate(at);
    }

    /// What was decided, and what was not: nothing, or a chunk that begins with kept documents.
    pub(crate) fn finish(self) -> (Decided, Chunk) {
        (self.decided, if self.crowded { self.chunk } else { Chunk::default() })
    }
}

/// Keys are hashes already.
#[derive(Debug, Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0.rotate_left(8) ^ u64::from(byte));
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}
