//! Compared pairs -> how many there are of each weight, how many matches are missed, and the pairs next to the threshold.
//!
//! A pair that is not taken for a match may be one all the same, and a pair that was never compared too. Of pairs below the
//! threshold, as many are expected to match as their probabilities add up to; pairs of records that have a better partner
//! count nothing where a record has one partner at the most. Matches that no band found look like those that only one band
//! found (as Good and Turing have it for words that were not seen), so their estimated number (see `recall`) is
//! spread over weights as those are.

use crate::bands::Pair;
use crate::link::Match;
use crate::model::probability;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Pairs that are kept as examples of each kind, at the most.
pub(crate) const EXAMPLES: usize = 20;

/// Weights beyond this are counted with it.
const WIDEST: f64 = 100.0;

/// Pairs that are less probable are no possible matches.
const POSSIBLE: f64 = 0.01;

/// The bytes that a possible match takes, with room to grow.
pub(crate) const OF_POSSIBLE: u64 = 2 * size_of::<(f64, Pair)>() as u64;

/// Compared pairs of about the same weight.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WeightBin {
    /// The least weight, a whole number; the next bin begins one higher.
    pub from: i32,
    /// The matches.
    pub matches: u64,
    /// The pairs that are no matches: below the threshold, or one of the records has a better partner.
    pub others: u64,
    /// The estimated number of matches that were missed: below the threshold, or not compared.
    pub missed: f64,
}

/// Pairs that are no matches, and nearly are.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Near {
    /// The matches that are least probable, beginning with the least one.
    pub above: Vec<(usize, usize)>,
    /// The pairs below the threshold that are most probable.
    pub below: Vec<(usize, usize)>,
    /// The most probable pairs of which a record has a better partner.
    pub excluded: Vec<(usize, usize)>,
}

impl Near {
    pub(crate) fn pairs_mut(&mut self) -> impl Iterator<Item = &mut (usize, usize)> {
        self.above.iter_mut().chain(&mut self.below).chain(&mut self.excluded)
    }
}

/// What is counted while pairs are judged.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    bins: BTreeMap<i32, WeightBin>,
    /// Pairs below the threshold that may match.
    possible: Vec<(f64, Pair)>,
}

fn bin_of(weight: f64) -> i32 {
    weight.clamp(-WIDEST, WIDEST).floor() as i32
}

impl Seen {
    /// Adds what was counted elsewhere.
    pub(crate) fn add(&mut self, other: Self) {
        for (_, bin) in other.bins {
            self.bin(f64::from(bin.from)).others += bin.others;
        }
        self.possible.extend(other.possible);
    }

    /// True if a pair below the threshold is kept until the end: it takes [`OF_POSSIBLE`] bytes.
    pub(crate) fn may_match(weight: f64, is_labelled: bool) -> bool {
        !is_labelled && probability(weight) >= POSSIBLE
    }

    /// A pair below the threshold, or one that was labelled so.
    pub(crate) fn other(&mut self, pair: Pair, weight: f64, is_labelled: bool) {
        self.bin(weight).others += 1;
        if Self::may_match(weight, is_labelled) {
            self.possible.push((weight, pair));
        }
    }

    fn bin(&mut self, weight: f64) -> &mut WeightBin {
        let from = bin_of(weight);
        self.bins.entry(from).or_insert_with(|| WeightBin { from, ..WeightBin::default() })
    }

    /// The bins and the pairs next to the threshold, from the matches and how many bands found each, the pairs that were left for
    /// better ones, and how many matches were not compared, by estimate. `is_taken` says that a record cannot have another partner.
    pub(crate) fn end(
        mut self,
        matches: &[Match],
        times: &[u8],
        excluded: &[Match],
        not_compared: f64,
        is_taken: impl Fn(u32) -> bool,
    ) -> (Vec<WeightBin>, Near) {
        for found in matches {
            self.bin(found.weight).matches += 1;
        }
        for found in excluded {
            self.bin(found.weight).others += 1;
        }
        self.possible.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
        let possible = std::mem::take(&mut self.possible);
        for &(weight, (a, b)) in possible.iter().filter(|(_, (a, b))| !is_taken(*a) && !is_taken(*b)) {
            debug_assert!(a < b);
            self.bin(weight).missed += probability(weight);
        }
        let once: Vec<&Match> =
            matches.iter().zip(times).filter(|(_, times)| **times == 1).map(|(found, _)| found).collect();
        for found in &once {
            self.bin(found.weight).missed += not_compared / once.len() as f64;
        }
        let nearest = |pairs: &[Match], sign: f64| -> Vec<(usize, usize)> {
            let mut all: Vec<&Match> = pairs.iter().collect();
            all.sort_by(|x, y| {
                (sign * x.weight).total_cmp(&(sign * y.weight)).then((x.a, x.b).cmp(&(y.a, y.b)))
            });
            all.iter().take(EXAMPLES).map(|found| (found.a, found.b)).collect()
        };
        let below = possible.iter().take(EXAMPLES).map(|&(_, (a, b))| (a as usize, b as usize)).collect();
        let near = Near { above: nearest(matches, 1.0), below, excluded: nearest(excluded, -1.0) };
        (self.bins.into_values().collect(), near)
    }
}

/// For each cluster, the pair that holds it together: of the matches within it, taken from the surest on, the one that makes it one
/// piece. Without that pair and less sure ones, it would be two clusters. None if matches do not connect the cluster.
pub(crate) fn holding(clusters: &[&[usize]], matches: &[Match]) -> Vec<Option<(usize, usize)>> {
    let of: BTreeMap<usize, usize> = clusters
        .iter()
        .enumerate()
        .flat_map(|(at, cluster)| cluster.iter().map(move |&record| (record, at)))
        .collect();
    let mut within: Vec<Vec<&Match>> = vec![Vec::new(); clusters.len()];
    for found in matches {
        if let (Some(a), Some(b)) = (of.get(&found.a), of.get(&found.b))
            && a == b
        {
            within[*a].push(found);
        }
    }
    let holds = |(cluster, mut within): (&&[usize], Vec<&Match>)| {
        within.sort_by(|x, y| y.weight.total_cmp(&x.weight).then((x.a, x.b).cmp(&(y.a, y.b))));
        // The part of each record is the one of the record that leads it.
        let mut leads: BTreeMap<usize, usize> = cluster.iter().map(|&record| (record, record)).collect();
        let mut parts = leads.len();
        fn root(leads: &mut BTreeMap<usize, usize>, mut at: usize) -> usize {
            while let Some(&lead) = leads.get(&at).filter(|lead| **lead != at) {
                let above = leads.get(&lead).copied().unwrap_or(lead);
                leads.insert(at, above);
                at = above;
            }
            at
        }
        for found in within {
            let (a, b) = (root(&mut leads, found.a), root(&mut leads, found.b));
            if a != b {
                leads.insert(a.max(b), a.min(b));
                parts -= 1;
                if parts == 1 {
                    return Some((found.a, found.b));
                }
            }
        }
        None
    };
    clusters.iter().zip(within).map(holds).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(a: usize, b: usize, weight: f64) -> Match {
        Match { a, b, probability: probability(weight), weight, weights: Vec::new() }
    }

    #[test]
    fn what_is_missed_is_what_is_probable_and_what_no_band_finds() {
        let mut seen = Seen::default();
        let matches = [found(0, 1, 3.5), found(2, 3, 3.2), found(4, 5, 8.0)];
        // A record of the second one has a partner; the third one was labelled, and the last one cannot match.
        seen.other((6, 7), -1.0, false);
        seen.other((4, 9), -0.5, false);
        seen.other((8, 9), -0.2, true);
        seen.other((6, 9), -20.0, false);
        let excluded = [found(1, 6, 1.5)];
        let (bins, near) = seen.end(&matches, &[1, 1, 2], &excluded, 0.5, |record| record == 4);
        let by_from: BTreeMap<i32, WeightBin> = bins.iter().map(|bin| (bin.from, *bin)).collect();
        let counts = |from: i32| (by_from[&from].matches, by_from[&from].others);
        assert_eq!([-20, -1, 1, 3, 8].map(counts), [(0, 1), (0, 3), (0, 1), (2, 0), (1, 0)]);
        assert_eq!(bins.len(), 5);
        let missed: f64 = bins.iter().map(|bin| bin.missed).sum();
        assert!((by_from[&-1].missed - probability(-1.0)).abs() < 1e-12);
        assert!((by_from[&3].missed - 0.5).abs() < 1e-12, "as those that were found once");
        assert!((missed - probability(-1.0) - 0.5).abs() < 1e-12);
        assert_eq!(near.above, [(2, 3), (0, 1), (4, 5)]);
        assert_eq!((near.below, near.excluded), (vec![(4, 9), (6, 7)], vec![(1, 6)]));
    }

    #[test]
    fn the_weakest_link_that_is_needed_holds_a_cluster_together() {
        let matches =
            [found(0, 1, 9.0), found(1, 2, 8.0), found(0, 2, 2.0), found(2, 3, 4.0), found(4, 5, 1.0)];
        let clusters: [&[usize]; 3] = [&[0, 1, 2, 3], &[4, 5], &[6, 7]];
        assert_eq!(holding(&clusters, &matches), [Some((2, 3)), Some((4, 5)), None]);
    }
}
