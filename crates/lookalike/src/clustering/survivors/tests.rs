//! Compares the rule with its plain definition, and checks its laws.

use super::*;
use crate::hashing::SplitMix64;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Similar pairs (smaller document first) with their similarity.
type Graph = BTreeMap<(usize, usize), f64>;

/// The definition, written as directly as possible.
fn definition(order: &[usize], graph: &Graph) -> Vec<Fate> {
    let mut fates = vec![Fate::Kept; order.len()];
    let mut kept: Vec<usize> = Vec::new();
    for &document in order {
        let similar = kept.iter().find_map(|&by| {
            let pair = (document.min(by), document.max(by));
            graph.get(&pair).map(|&similarity| Fate::Removed { by, similarity })
        });
        match similar {
            Some(removed) => fates[document] = removed,
            None => kept.push(document),
        }
    }
    fates
}

fn verified(graph: &Graph) -> Vec<Pair> {
    graph.iter().map(|(&(a, b), &similarity)| Pair { a, b, similarity }).collect()
}

/// A keep order of `n` documents and a graph on them.
fn orders_and_graphs(n: usize, pairs: usize) -> impl Strategy<Value = (Vec<usize>, Graph)> {
    let order = Just((0..n).collect::<Vec<_>>()).prop_shuffle();
    let graph = prop::collection::vec((0..n, 0..n, 50u32..=100), 0..pairs).prop_map(|pairs| {
        pairs
            .into_iter()
            .filter(|(a, b, _)| a != b)
            .map(|(a, b, percent)| ((a.min(b), a.max(b)), f64::from(percent) / 100.0))
            .collect()
    });
    (order, graph)
}

#[test]
fn chains_do_not_remove() {
    let chain: Graph = (0..5).map(|a| ((a, a + 1), 0.9)).collect();
    let kept = |order| survivors(&order, &verified(&chain)).unwrap().kept().collect::<Vec<_>>();
    assert_eq!(kept(KeepOrder::input(6).unwrap()), [0, 2, 4]);
    assert_eq!(kept(KeepOrder::from_permutation(vec![1, 0, 2, 4, 3, 5]).unwrap()), [1, 4]);
}

#[test]
fn the_first_in_keep_order_is_named_not_the_most_similar() {
    let graph: Graph = [((0, 2), 0.8), ((1, 2), 0.99)].into();
    let fate = |order: &KeepOrder| survivors(order, &verified(&graph)).unwrap().fates()[2];
    assert_eq!(fate(&KeepOrder::input(3).unwrap()), Fate::Removed { by: 0, similarity: 0.8 });
    let order = KeepOrder::from_permutation(vec![1, 0, 2]).unwrap();
    assert_eq!(fate(&order), Fate::Removed { by: 1, similarity: 0.99 });
}

#[test]
fn repeats_count_once_and_self_pairs_not_at_all() {
    let pairs = [(0, 0, 1.0), (1, 0, 0.8), (0, 1, 0.9), (1, 0, 0.8)];
    let pairs = pairs.map(|(a, b, similarity)| Pair { a, b, similarity });
    let found = survivors(&KeepOrder::input(2).unwrap(), &pairs).unwrap();
    assert_eq!(found.fates(), [Fate::Kept, Fate::Removed { by: 0, similarity: 0.9 }]);

    let candidates = [(1, 0), (0, 1), (1, 1), (1, 0)];
    let found = survivors_among_candidates(&KeepOrder::input(2).unwrap(), candidates, |_, _| None).unwrap();
    assert_eq!((found.comparisons(), found.kept().count()), (1, 2));
}

#[test]
fn impossible_pairs_are_refused() {
    let order = KeepOrder::input(2).unwrap();
    let pair = |a, b, similarity| [Pair { a, b, similarity }];
    assert!(survivors(&order, &pair(0, 2, 0.9)).unwrap_err().to_string().contains("below 2"));
    assert!(survivors(&order, &pair(0, 1, f64::NAN)).is_err());
    assert!(survivors_among_candidates(&order, [(7, 0)], |_, _| None).is_err());
}

#[test]
fn a_bucket_of_copies_costs_one_comparison_each() {
    let n = 200;
    let candidates = (0..n).flat_map(|b| (0..b).map(move |a| (a, b)));
    let found =
        survivors_among_candidates(&KeepOrder::input(n).unwrap(), candidates, |_, _| Some(1.0)).unwrap();
    assert_eq!((found.kept().count(), found.comparisons()), (1, n as u64 - 1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn both_forms_equal_the_definition((order, graph) in orders_and_graphs(25, 60), seed: u64) {
        let expected = definition(&order, &graph);
        let order = KeepOrder::from_permutation(order).unwrap();

        let mut pairs = verified(&graph);
        let mut random = SplitMix64::new(seed);
        pairs.sort_by_cached_key(|_| random.next_u64());
        for pair in &mut pairs {
            if random.below(2) == 0 {
                (pair.a, pair.b) = (pair.b, pair.a);
            }
        }
        let found = survivors(&order, &pairs).unwrap();
        prop_assert_eq!(found.fates(), &expected[..]);

        // Candidates are the similar pairs and some that are not.
        let mut asked = BTreeSet::new();
        let candidates = pairs.iter().map(|pair| (pair.a, pair.b)).chain((1..25).map(|b| (b - 1, b)));
        let found = survivors_among_candidates(&order, candidates, |document, kept| {
            assert!(order.rank(kept) < order.rank(document), "the kept document comes first");
            assert!(asked.insert((document, kept)), "no pair is compared twice");
            graph.get(&(document.min(kept), document.max(kept))).copied()
        }).unwrap();
        prop_assert_eq!(found.fates(), &expected[..]);
        prop_assert_eq!(found.comparisons(), asked.len() as u64);
        for (_, kept) in asked {
            prop_assert_eq!(found.fates()[kept], Fate::Kept);
        }
    }

    #[test]
    fn the_kept_set_is_the_first_maximal_independent_one((order, graph) in orders_and_graphs(8, 14)) {
        let adjacent = |a: usize, b: usize| graph.contains_key(&(a.min(b), a.max(b)));
        // All maximal independent sets, as ascending lists of ranks.
        let first = (0u32..1 << 8)
            .map(|set| (0..8).filter(|rank| set >> rank & 1 == 1).collect::<Vec<usize>>())
            .filter(|set| {
                let independent = set.iter().all(|&x| set.iter().all(|&y| !adjacent(order[x], order[y])));
                let maximal = (0..8).all(|x| set.contains(&x) || set.iter().any(|&y| adjacent(order[x], order[y])));
                independent && maximal
            })
            .min()
            .unwrap();
        let mut kept: Vec<usize> = first.into_iter().map(|rank| order[rank]).collect();
        kept.sort_unstable();
        let found = survivors(&KeepOrder::from_permutation(order).unwrap(), &verified(&graph)).unwrap();
        prop_assert_eq!(found.kept().collect::<Vec<_>>(), kept);
    }
}
