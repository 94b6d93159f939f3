//! Runs -> passages: joins neighbouring runs, and finds the passages that have moved.

use super::Place;
use super::runs::{Owner, Pairing};
use crate::shingling::LocatedShingles;
use std::ops::Range;

/// The runs of one passage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    /// The indices of the runs, in the order into which [`group`] put them.
    pub(super) runs: Range<usize>,
    pub(super) place: Place,
}

/// Groups runs into passages. The runs must be sorted by owner. Within each owner they are put in the order of A.
pub(super) fn group(
    runs: &mut [Pairing],
    a: &LocatedShingles,
    b: &LocatedShingles,
    bridge: usize,
) -> Vec<Group> {
    runs.sort_unstable_by_key(|run| (run.owner, run.a.start, run.b.start));
    let both = runs.partition_point(|run| run.owner == Owner::Both);
    let ranks = ranks(&runs[..both]);
    let joins = |at: usize| {
        let (left, right) = (&runs[at], &runs[at + 1]);
        ranks[at + 1] == ranks[at] + 1
            && gap(a, left.a.range(), right.a.range()) <= bridge
            && gap(b, left.b.range(), right.b.range()) <= bridge
    };
    let mut groups: Vec<Group> = Vec::new();
    let mut start = 0;
    for end in 1..=both {
        if end == both || !joins(end - 1) {
            groups.push(Group { runs: start..end, place: Place::Moved });
            start = end;
        }
    }
    let weights: Vec<(usize, usize)> = groups
        .iter()
        .map(|group| (ranks[group.runs.start], runs[group.runs.clone()].iter().map(|run| run.a.len).sum()))
        .collect();
    for at in heaviest_chain(&weights, both) {
        groups[at].place = Place::InOrder;
    }
    groups.extend(runs.iter().enumerate().skip(both).map(|(at, run)| Group {
        runs: at..at + 1,
        place: if run.owner == Owner::OnlyA { Place::RepeatedInA } else { Place::RepeatedInB },
    }));
    groups
}

/// The heaviest chain of runs that ascends in both texts, in order. All runs must belong to both sides.
pub(super) fn in_order(runs: &[Pairing]) -> Vec<Pairing> {
    let mut runs = runs.to_vec();
    runs.sort_unstable_by_key(|run| run.a.start);
    let items: Vec<(usize, usize)> =
        ranks(&runs).into_iter().zip(&runs).map(|(rank, run)| (rank, run.a.len)).collect();
    let mut chain = heaviest_chain(&items, runs.len());
    chain.reverse();
    chain.into_iter().map(|at| runs[at]).collect()
}

/// The rank of each run in B.
fn ranks(runs: &[Pairing]) -> Vec<usize> {
    let mut by_b: Vec<usize> = (0..runs.len()).collect();
    by_b.sort_unstable_by_key(|&at| runs[at].b.start);
    let mut ranks = vec![0; runs.len()];
    for (rank, at) in by_b.into_iter().enumerate() {
        ranks[at] = rank;
    }
    ranks
}

/// The number of tokens between two stretches of shingles of a text.
fn gap(text: &LocatedShingles, left: Range<usize>, right: Range<usize>) -> usize {
    let end = text.tokens_of(left.end.saturating_sub(1)).map_or(0, |tokens| tokens.end);
    let start = text.tokens_of(right.start).map_or(usize::MAX, |tokens| tokens.start);
    start.saturating_sub(end)
}

/// The chain of items with ascending ranks that has the greatest sum of weights. Each item is (rank, weight); ranks
/// are below `ranks` and all different. A Fenwick tree holds the greatest sum of the chains that end below each rank.
fn heaviest_chain(items: &[(usize, usize)], ranks: usize) -> Vec<usize> {
    /// The weight of a chain and its last item, counted from 1; 0 for no chain.
    type Chain = (usize, usize);
    let mut tree: Vec<Chain> = vec![(0, 0); ranks + 1];
    let mut previous = vec![0; items.len() + 1];
    for (at, &(rank, weight)) in items.iter().enumerate() {
        let mut best: Chain = (0, 0);
        let mut node = rank;
        while node > 0 {
            best = heavier(best, tree[node]);
            node &= node - 1;
        }
        previous[at + 1] = best.1;
        let chain = (best.0 + weight, at + 1);
        let mut node = rank + 1;
        while node <= ranks {
            tree[node] = heavier(tree[node], chain);
            node += node & node.wrapping_neg();
        }
    }
    let mut best: Chain = (0, 0);
    let mut node = ranks;
    while node > 0 {
        best = heavier(best, tree[node]);
        node &= node - 1;
    }
    let mut chain = Vec::new();
    let mut last = best.1;
    while last > 0 {
        chain.push(last - 1);
        last = previous[last];
    }
    chain
}

/// The heavier chain. Of equally heavy chains it is the one that ends earlier.
fn heavier(left: (usize, usize), right: (usize, usize)) -> (usize, usize) {
    if right.0 > left.0 || (right.0 == left.0 && right.1 < left.1) { right } else { left }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_chain_is_the_heaviest_of_all(
            weights in prop::collection::vec(1usize..9, 0..9),
            seed in any::<u64>(),
        ) {
            let mut ranks: Vec<usize> = (0..weights.len()).collect();
            ranks.sort_by_key(|&rank| crate::hashing::mix64(seed ^ rank as u64));
            let items: Vec<(usize, usize)> = ranks.iter().copied().zip(weights).collect();
            let sum = |chain: &[usize]| chain.iter().map(|&at| items[at].1).sum::<usize>();
            let best = (0..1u32 << items.len())
                .map(|subset| (0..items.len()).filter(|at| subset >> at & 1 == 1).collect::<Vec<_>>())
                .filter(|chain| chain.windows(2).all(|two| items[two[0]].0 < items[two[1]].0))
                .map(|chain| sum(&chain))
                .max();
            let mut chain = heaviest_chain(&items, items.len());
            prop_assert_eq!(Some(sum(&chain)), best);
            chain.reverse();
            prop_assert!(chain.windows(2).all(|two| two[0] < two[1] && items[two[0]].0 < items[two[1]].0));
        }
    }
}
