//! Documents of a crowded chunk -> those that share several bundles which are together rare.
//!
//! Where no shingle is rare (pages with a dozen slots of a dozen values each) looking up rare shingles one by one meets
//! a good part of all documents, and going through them is quadratic. But similar pages share *many* values, and a
//! combination of several is rare even where each by itself is not.
//!
//! Put the [bundles](super::bundles) of every document in one order, those in few documents first. If two sets
//! share at least o shingles, how many of the bundles that they share are among the first m of the one? All shared
//! bundles behind the m-th have at most R shingles, all but the largest l - 1 shared ones before it at most the sum of
//! these; so if R plus the l - 1 largest of the first m is less than o, at least l of them are. With the least such m for
//! each document, the first l bundles that two similar documents share are among the first m of both. So a document's
//! keys are all combinations of l among its first m bundles, and similar documents have a key in common. This is
//! exact, for every l; with l = 1 it is the prefix filter. What l costs least is worked out from a sample.
//!
//! For containment only the asking document is known to have most of its shingles in the other. It asks for its first m
//! bundles, one by one, and documents are listed under all of theirs.
//!
//! Chaudhuri, Ganti and Kaushik, *A primitive operator for similarity joins in data cleaning* (2006), for the prefix
//! filter; Wang, Li and Feng, *Can we beat the prefix filtering?* (2012), for longer prefixes that must share more. Their
//! lists are of single elements, which they count; here combinations are looked up.

use super::Using;
use super::buckets::{Buckets, KEY_BYTES, Lookup};
use super::bundles::Bundles;
use super::chunk::Chunk;
use super::combining::{Bundled, MOST_MET_BY_ALL, Plan, Planner, Prefix, SAMPLED, combinations};
use crate::method::Recipe;
use crate::{Measure, Result, Verify};

/// What a key costs, in documents met.
const KEY_COST: f64 = 0.3;

/// What documents without shingles share.
const NO_SHINGLES: u64 = u64::MAX;

/// Which documents share combinations of bundles.
#[derive(Debug)]
pub(super) struct Combinations {
    buckets: Buckets,
    /// Documents that every other one meets, ascending; and those of them that are listed.
    met_by_all: Vec<u32>,
    listed: Vec<u32>,
    /// All documents that are listed, ascending: those that are met by all meet all.
    all_listed: Vec<u32>,
}

impl Combinations {
    /// For a chunk with sets, if the method compares them and `memory` bytes are enough.
    pub(super) fn new(chunk: &Chunk, recipe: &Recipe, using: Using<'_>) -> Result<Option<Self>> {
        if recipe.settings.matching.verify != Verify::Exact || !chunk.has_sets() {
            return Ok(None);
        }
        // Keys have 32-bit numbers, and how many there are is known from a sample only.
        let memory = using.memory.min(KEY_BYTES * u64::from(u32::MAX / 2));
        let Some(bundles) = Bundles::new(chunk, memory / 2, using.observer)? else { return Ok(None) };
        if recipe.settings.signature.measure == Measure::Containment {
            return Self::containment(chunk, recipe, &bundles, using, memory / 2);
        }
        let documents = chunk.len();
        let sizes = (0..documents).map(|at| chunk.set(at).len()).collect();
        let planner = Planner::new(recipe, &bundles.kinds, documents, sizes);
        let bundled = |at: usize| Bundled { size: chunk.set(at).len(), ranks: bundles.of(at) };
        let sample = (0..documents).step_by(documents.div_ceil(SAMPLED).max(1)).map(bundled);
        let most_keys = memory as f64 / 2.0 / (KEY_BYTES as f64 * documents as f64);
        let Some(Plan { mut combined, .. }) = planner.cheapest(sample, KEY_COST, most_keys) else {
            return Ok(None);
        };
        loop {
            let mut prefixes: Vec<Prefix> = Vec::with_capacity(chunk.len());
            for at in 0..chunk.len() {
                using.observer.go_on()?;
                prefixes.push(planner.prefix(bundled(at), combined));
            }
            let met_by_all: Vec<u32> =
                (0..chunk.len() as u32).filter(|&at| prefixes[at as usize] == Prefix::TooMany).collect();
            if combined > 1 && met_by_all.len() > MOST_MET_BY_ALL {
                combined -= 1;
                continue;
            }
            let buckets = Buckets::new(chunk.len(), using, |at, visit| match prefixes[at] {
                Prefix::Bundles(count) => {
                    combinations(&bundles.of(at)[..count], combined, chunk.within_key(at), visit);
                }
                Prefix::Alone if chunk.set(at).as_slice().is_empty() => visit(NO_SHINGLES),
                Prefix::Alone | Prefix::TooMany => {}
            })?;
            return Ok(Some(Self { buckets, met_by_all, listed: Vec::new(), all_listed: Vec::new() }));
        }
    }

    /// How many pairs of documents meet; a pair counts once for each key.
    pub(super) fn pairs(&self) -> u64 {
        self.buckets.pairs()
    }

    /// The buckets, for those who group their members.
    pub(super) fn buckets(&self) -> &Buckets {
        &self.buckets
    }

    /// Documents that every other one meets.
    pub(super) fn met_by_all(&self) -> &[u32] {
        &self.met_by_all
    }

    /// Lists a kept document. Documents are listed in ascending order.
    pub(super) fn list(&mut self, at: usize) {
        self.buckets.list(at);
        if self.met_by_all.is_empty() {
            return;
        }
        if self.meets_all(at) {
            self.listed.push(at as u32);
        }
        self.all_listed.push(at as u32);
    }

    fn meets_all(&self, at: usize) -> bool {
        self.met_by_all.binary_search(&(at as u32)).is_ok()
    }

    /// Finds the listed documents from `from` on that may be similar to `at`.
    pub(super) fn look_up_listed(&self, at: usize, from: u32, lookup: &mut Lookup) {
        if self.meets_all(at) {
            lookup.all(&self.all_listed[self.all_listed.partition_point(|&other| other < from)..]);
            return;
        }
        self.buckets.look_up_listed(at, from, lookup);
        lookup.add(&self.listed[self.listed.partition_point(|&other| other < from)..]);
    }

    /// Finds all documents before `at` that may be similar to it.
    pub(super) fn look_up_members(&self, at: usize, lookup: &mut Lookup) {
        if self.meets_all(at) {
            let before: Vec<u32> = (0..at as u32).collect();
            lookup.all(&before);
            return;
        }
        self.buckets.look_up_members(at, 0, lookup);
        let before = self.met_by_all.partition_point(|&other| (other as usize) < at);
        lookup.add(&self.met_by_all[..before]);
    }

    /// Every document is listed under all its bundles, and asks for the first ones; nothing if `memory` bytes are not
    /// enough.
    fn containment(
        chunk: &Chunk,
        recipe: &Recipe,
        bundles: &Bundles,
        using: Using<'_>,
        memory: u64,
    ) -> Result<Option<Self>> {
        if KEY_BYTES * bundles.len() > memory {
            return Ok(None);
        }
        let asked = (0..chunk.len()).map(|at| {
            let size = chunk.set(at).len();
            let needed = recipe.verifier.needed_overlap(size, usize::MAX).unwrap_or(size);
            let mut behind: usize = bundles.of(at).iter().map(|&rank| bundles.kinds.size(rank)).sum();
            // Documents without shingles ask for each other.
            let mut asked = u32::from(size == 0);
            for &rank in bundles.of(at) {
                if behind < needed.max(1) {
                    break;
                }
                behind -= bundles.kinds.size(rank);
                asked += 1;
            }
            asked
        });
        let asked = asked.collect();
        let buckets = Buckets::new(chunk.len(), using, |at, visit| {
            bundles.of(at).iter().for_each(|&rank| visit(u64::from(rank)));
            if chunk.set(at).as_slice().is_empty() {
                visit(NO_SHINGLES);
            }
        })?;
        Ok(Some(Self {
            buckets: buckets.with_asked(asked),
            met_by_all: Vec::new(),
            listed: Vec::new(),
            all_listed: Vec::new(),
        }))
    }
}
