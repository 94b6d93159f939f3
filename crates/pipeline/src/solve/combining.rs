//! Documents as lists of bundles -> how many bundles are combined, and the combinations of each document.
//!
//! See [`combinations`](super::combinations) for why similar documents have a combination in common.

use super::bundles::BundleKinds;
use crate::method::Recipe;
use lookalike::hashing::mix64;

/// The largest number of bundles in a combination.
const MOST_COMBINED: usize = 8;

/// A document with more combinations than this is met by all others.
const MOST_KEYS: usize = 2_048;

/// So many documents may be met by all others.
pub(crate) const MOST_MET_BY_ALL: usize = 64;

/// Documents from which the costs are estimated.
pub(crate) const SAMPLED: usize = 256;

/// A document as the ranks of its bundles, ascending, and the size of its set.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bundled<'b> {
    pub size: usize,
    pub ranks: &'b [u32],
}

/// How a document is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prefix {
    /// Its first bundles, as many as this.
    Bundles(usize),
    /// No other document can be similar.
    Alone,
    /// There are too many combinations.
    TooMany,
}

/// How many bundles are combined, and what comes of it for a document: how many keys it has, and how many others it meets by
/// them, about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    pub combined: usize,
    pub keys: f64,
    pub met: f64,
}

/// What decides how many bundles of a document are looked at.
#[derive(Debug)]
pub(crate) struct Planner<'a> {
    recipe: &'a Recipe,
    kinds: &'a BundleKinds,
    documents: usize,
    /// The different sizes of sets, ascending.
    set_sizes: Vec<usize>,
}

impl<'a> Planner<'a> {
    /// For so many documents, whose sets have these sizes (any order).
    pub(crate) fn new(
        recipe: &'a Recipe,
        kinds: &'a BundleKinds,
        documents: usize,
        mut set_sizes: Vec<usize>,
    ) -> Self {
        set_sizes.sort_unstable();
        set_sizes.dedup();
        Self { recipe, kinds, documents, set_sizes }
    }

    /// The least overlap of a set of `size` with a similar one; nothing if there is none.
    fn least_overlap(&self, size: usize) -> Option<usize> {
        let verifier = &self.recipe.verifier;
        // The smaller the other set, the smaller the overlap, down to where lengths are too different.
        let first = self
            .set_sizes
            .partition_point(|&other| other < size && verifier.needed_overlap(size, other).is_none());
        verifier.needed_overlap(size, *self.set_sizes.get(first)?)
    }

    /// How many of its first bundles a document must show so that at least `combined` of those that it shares with
    /// a similar one are among them.
    pub(crate) fn prefix(&self, Bundled { size, ranks }: Bundled<'_>, combined: usize) -> Prefix {
        let mut behind: usize = ranks.iter().map(|&rank| self.kinds.size(rank)).sum();
        let Some(needed) = self.least_overlap(size).filter(|&needed| needed <= behind) else {
            return Prefix::Alone;
        };
        if needed == 0 {
            // A set without shingles.
            return Prefix::Alone;
        }
        // The largest bundles so far, descending.
        let mut largest: Vec<usize> = Vec::with_capacity(combined);
        for (place, &rank) in ranks.iter().enumerate() {
            let size = self.kinds.size(rank);
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

    /// The number of bundles to combine that costs least, by a sample of documents: a key costs as much as `key_cost`
    /// documents that are met. Nothing if a document has more than `most_keys` on average.
    pub(crate) fn cheapest<'b>(
        &self,
        sample: impl Iterator<Item = Bundled<'b>> + Clone,
        key_cost: f64,
        most_keys: f64,
    ) -> Option<Plan> {
        let sampled = sample.clone().count() as f64;
        let mut best: Option<(f64, Plan)> = None;
        for combined in 1..=MOST_COMBINED {
            let (mut keys, mut met, mut too_many) = (0.0, 0.0, 0.0);
            for document in sample.clone() {
                match self.prefix(document, combined) {
                    Prefix::Bundles(count) => {
                        keys += choose(count, combined);
                        met += self.expected_to_meet(&document.ranks[..count], combined);
                    }
                    Prefix::Alone => {}
                    Prefix::TooMany => too_many += 1.0,
                }
            }
            let met_by_all = too_many / sampled * self.documents as f64;
            if keys / sampled > most_keys || met_by_all > 4.0 * MOST_MET_BY_ALL as f64 {
                continue;
            }
            let cost = keys * key_cost + met;
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, Plan { combined, keys: keys / sampled, met: met / sampled }));
            }
        }
        best.map(|(_, plan)| plan)
    }

    /// How many documents share a combination of these bundles, if bundles were independent of each other: the sum over
    /// all combinations of the product of their shares.
    fn expected_to_meet(&self, ranks: &[u32], combined: usize) -> f64 {
        let documents = self.documents as f64;
        let mut sums = [0.0; MOST_COMBINED + 1];
        sums[0] = 1.0;
        for &rank in ranks {
            let share = f64::from(self.kinds.documents(rank)) / documents;
            for size in (1..=combined).rev() {
                sums[size] += share * sums[size - 1];
            }
        }
        documents * sums[combined]
    }
}

/// Hands out a key for every combination of `combined` of the ranks; documents of another value of `--within` have
/// other keys.
pub(crate) fn combinations(ranks: &[u32], combined: usize, within: u64, visit: &mut dyn FnMut(u64)) {
    extend(ranks, combined, mix64(within ^ combined as u64), visit);
}

/// Hands out the keys of all combinations that begin as `key` says and go on with `more` of the ranks.
fn extend(ranks: &[u32], more: usize, key: u64, visit: &mut dyn FnMut(u64)) {
    for (place, &rank) in ranks.iter().enumerate() {
        if ranks.len() - place < more {
            return;
        }
        let key = mix64(key.wrapping_add(u64::from(rank) + 1));
        if more == 1 {
            visit(key);
        } else {
            extend(&ranks[place + 1..], more - 1, key, visit);
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
