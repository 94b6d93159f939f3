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
use crate::method::Means;
use crate::{Measure, Result, Verify};
use lookalike::hashing::mix64;

/// The largest number of bundles in a combination.
const MOST_COMBINED: usize = 8;

/// A document with more combinations than this is met by all others.
const MOST_KEYS: usize = 2_048;

/// So many documents may be met by all others.
const MOST_MET_BY_ALL: usize = 64;

/// Documents from which the costs are estimated.
const SAMPLED: usize = 256;

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

/// How a document is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Prefix {
    /// Its first bundles, as many as this.
    Bundles(usize),
    /// No other document can be similar.
    Alone,
    /// There are too many combinations.
    TooMany,
}

impl Combinations {
    /// For a chunk with sets, if the method compares them and `memory` bytes are enough.
    pub(super) fn new(chunk: &Chunk, means: &Means, using: Using<'_>) -> Result<Option<Self>> {
        if means.settings.matching.verify != Verify::Exact || !chunk.has_sets() {
            return Ok(None);
        }
        // Keys have 32-bit numbers, and how many there are is known from a sample only.
        let memory = using.memory.min(KEY_BYTES * u64::from(u32::MAX / 2));
        let Some(bundles) = Bundles::new(chunk, memory / 2, using.observer)? else { return Ok(None) };
        let planner = Planner::new(chunk, means, &bundles);
        if means.settings.matching.measure == Measure::Containment {
            return planner.containment(using).map(Some);
        }
        let Some(mut combined) = planner.cheapest(memory / 2) else { return Ok(None) };
        loop {
            let mut prefixes: Vec<Prefix> = Vec::with_capacity(chunk.len());
            for at in 0..chunk.len() {
                using.observer.go_on()?;
                prefixes.push(planner.prefix(at, combined));
            }
            let met_by_all: Vec<u32> =
                (0..chunk.len() as u32).filter(|&at| prefixes[at as usize] == Prefix::TooMany).collect();
            if combined > 1 && met_by_all.len() > MOST_MET_BY_ALL {
                combined -= 1;
                continue;
            }
            let buckets = Buckets::new(chunk.len(), using, |at, visit| match prefixes[at] {
                Prefix::Bundles(count) => {
                    let seed = mix64(chunk.within_key(at) ^ combined as u64);
                    combinations(&bundles.of(at)[..count], combined, seed, visit);
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
}

/// What decides how many bundles of a document are looked at.
struct Planner<'a> {
    chunk: &'a Chunk,
    means: &'a Means,
    bundles: &'a Bundles,
    /// The different sizes of sets in the chunk, ascending.
    set_sizes: Vec<usize>,
}

impl<'a> Planner<'a> {
    fn new(chunk: &'a Chunk, means: &'a Means, bundles: &'a Bundles) -> Self {
        let mut set_sizes: Vec<usize> = (0..chunk.len()).map(|at| chunk.set(at).len()).collect();
        set_sizes.sort_unstable();
        set_sizes.dedup();
        Self { chunk, means, bundles, set_sizes }
    }

    /// The least overlap of a set of `size` with a similar one of the chunk; nothing if there is none.
    fn least_overlap(&self, size: usize) -> Option<usize> {
        let verifier = &self.means.verifier;
        // The smaller the other set, the smaller the overlap, down to where lengths are too different.
        let first = self
            .set_sizes
            .partition_point(|&other| other < size && verifier.needed_overlap(size, other).is_none());
        verifier.needed_overlap(size, *self.set_sizes.get(first)?)
    }

    /// How many of its first bundles a document must show so that at least `combined` of those that it shares with
    /// a similar one are among them.
    fn prefix(&self, at: usize, combined: usize) -> Prefix {
        let ranks = self.bundles.of(at);
        let mut behind: usize = ranks.iter().map(|&rank| self.bundles.size(rank)).sum();
        let Some(needed) = self.least_overlap(self.chunk.set(at).len()).filter(|&needed| needed <= behind)
        else {
            return Prefix::Alone;
        };
        if needed == 0 {
            // A set without shingles.
            return Prefix::Alone;
        }
        // The largest bundles so far, descending.
        let mut largest: Vec<usize> = Vec::with_capacity(combined);
        for (place, &rank) in ranks.iter().enumerate() {
            let size = self.bundles.size(rank);
            behind -= size;
            let at = largest.partition_point(|&other| other >= size);
            largest.insert(at, size);
            largest.truncate(combined - 1);
            if place + 1 >= combined && behind + largest.iter().sum::<usize>() < needed {
                let too_many = combined > 1 && choose(place + 1, combined) > MOST_KEYS as f64;
                return if too_many { Prefix::TooMany } else { Prefix::Bundles(place + 1) };
            }
        }
        // With fewer bundles than that a similar document may share less than a combination.
        if combined == 1 { Prefix::Bundles(ranks.len()) } else { Prefix::TooMany }
    }

    /// The number of bundles to combine that costs least, by a sample; nothing if none fits in `memory` bytes.
    fn cheapest(&self, memory: u64) -> Option<usize> {
        let documents = self.chunk.len();
        let step = documents.div_ceil(SAMPLED).max(1);
        let sampled = documents.div_ceil(step) as f64;
        let mut best: Option<(f64, usize)> = None;
        for combined in 1..=MOST_COMBINED {
            let (mut keys, mut met, mut too_many) = (0.0, 0.0, 0.0);
            for at in (0..documents).step_by(step) {
                match self.prefix(at, combined) {
                    Prefix::Bundles(count) => {
                        keys += choose(count, combined);
                        met += self.expected_to_meet(&self.bundles.of(at)[..count], combined);
                    }
                    Prefix::Alone => {}
                    Prefix::TooMany => too_many += 1.0,
                }
            }
            let bytes = keys / sampled * documents as f64 * KEY_BYTES as f64;
            if bytes > memory as f64 || too_many / sampled * documents as f64 > 4.0 * MOST_MET_BY_ALL as f64 {
                continue;
            }
            let cost = keys * KEY_COST + met;
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, combined));
            }
        }
        best.map(|(_, combined)| combined)
    }

    /// How many documents share a combination of these bundles, if bundles were independent of each other: the sum over
    /// all combinations of the product of their shares.
    fn expected_to_meet(&self, ranks: &[u32], combined: usize) -> f64 {
        let documents = self.chunk.len() as f64;
        let mut sums = [0.0; MOST_COMBINED + 1];
        sums[0] = 1.0;
        for &rank in ranks {
            let share = f64::from(self.bundles.documents(rank)) / documents;
            for size in (1..=combined).rev() {
                sums[size] += share * sums[size - 1];
            }
        }
        documents * sums[combined]
    }

    /// Every document is listed under all its bundles, and asks for the first ones.
    fn containment(&self, using: Using<'_>) -> Result<Combinations> {
        let Self { chunk, bundles, .. } = self;
        let asked = (0..chunk.len()).map(|at| {
            let size = chunk.set(at).len();
            let needed = self.means.verifier.needed_overlap(size, usize::MAX).unwrap_or(size);
            let mut behind: usize = bundles.of(at).iter().map(|&rank| bundles.size(rank)).sum();
            // Documents without shingles ask for each other.
            let mut asked = u32::from(size == 0);
            for &rank in bundles.of(at) {
                if behind < needed.max(1) {
                    break;
                }
                behind -= bundles.size(rank);
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
        Ok(Combinations {
            buckets: buckets.with_asked(asked),
            met_by_all: Vec::new(),
            listed: Vec::new(),
            all_listed: Vec::new(),
        })
    }
}

/// Hands out a key for every combination of `combined` of the ranks.
fn combinations(ranks: &[u32], combined: usize, key: u64, visit: &mut dyn FnMut(u64)) {
    for (place, &rank) in ranks.iter().enumerate() {
        if ranks.len() - place < combined {
            return;
        }
        let key = mix64(key.wrapping_add(u64::from(rank) + 1));
        if combined == 1 {
            visit(key);
        } else {
            combinations(&ranks[place + 1..], combined - 1, key, visit);
        }
    }
}

/// How many combinations of `k` there are among `n`.
fn choose(n: usize, k: usize) -> f64 {
    (0..k).map(|i| (n - i) as f64 / (i + 1) as f64).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_are_all_and_different() {
        for (n, k) in [(1, 1), (5, 1), (5, 2), (8, 4), (8, 8), (3, 4)] {
            let ranks: Vec<u32> = (10..10 + n).collect();
            let mut keys = Vec::new();
            combinations(&ranks, k, 7, &mut |key| keys.push(key));
            let expected = if k <= n as usize { choose(n as usize, k).round() as usize } else { 0 };
            assert_eq!(keys.len(), expected, "{n} {k}");
            keys.sort_unstable();
            keys.dedup();
            assert_eq!(keys.len(), expected, "{n} {k}");
        }
    }
}
