use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{incompatible, rejected};
use crate::hashing::SplitMix64;
use crate::index::{LshForest, Match};
use crate::minhash::{Family, FastSketch, MAX_HASHES, Signature};
use crate::statistics::sketch;

fn signature(slots: &[u64]) -> Signature {
    Signature::from_slots(Family::MultiplyShift, 1, slots.to_vec()).unwrap()
}

fn ranked(
    documents: &BTreeMap<u64, Signature>,
    query: &Signature,
    ids: impl Iterator<Item = u64>,
) -> Vec<Match<u64>> {
    let mut matches: Vec<Match<u64>> =
        ids.map(|id| Match { id, similarity: query.estimate(&documents[&id]).unwrap().similarity }).collect();
    matches.sort_by(|a, b| b.similarity.partial_cmp(&a.similarity).unwrap().then(a.id.cmp(&b.id)));
    matches
}

/// The forest by its definition: the longest prefix that each document shares with the query in some tree, and whole
/// prefix lengths, from the longest on, until there are enough documents.
fn reference(
    documents: &BTreeMap<u64, Signature>,
    (trees, depth, enough): (usize, usize, usize),
    query: &Signature,
    k: usize,
) -> Vec<Match<u64>> {
    let prefix = |other: &Signature, tree: usize| {
        let rows = tree * depth..(tree + 1) * depth;
        let pairs = query.slots()[rows.clone()].iter().zip(&other.slots()[rows]);
        pairs.take_while(|(a, b)| a == b).count()
    };
    let longest = |other: &Signature| (0..trees).map(|tree| prefix(other, tree)).max().unwrap();
    let levels: BTreeMap<u64, usize> = documents.iter().map(|(&id, other)| (id, longest(other))).collect();
    let with_level = |level: usize| levels.iter().filter(move |(_, l)| **l >= level).map(|(&id, _)| id);
    let level = (1..=depth).rev().find(|&level| with_level(level).count() >= enough).unwrap_or(1);
    let mut matches = ranked(documents, query, with_level(level));
    matches.truncate(k);
    matches
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn equals_the_definition_after_any_steps(
        // Up to 300 documents, so that the tail is merged several times and some documents are still in it.
        inserted in prop::collection::vec(prop::collection::vec(0_u64..3, 6), 0..300),
        removed in prop::collection::vec(0_u64..300, 0..60),
        query in prop::collection::vec(0_u64..3, 6),
        k in 1_usize..20,
        candidates in 0_usize..8,
    ) {
        let mut forest = LshForest::new(2, 3).unwrap().with_candidates_per_tree(candidates);
        let mut documents = BTreeMap::new();
        let mut removals = removed.iter();
        for (id, slots) in (0..).zip(&inserted) {
            forest.insert(id, &signature(slots)).unwrap();
            documents.insert(id, signature(slots));
            if id % 5 == 4 && let Some(gone) = removals.next() {
                prop_assert_eq!(forest.remove(gone), documents.remove(gone).is_some());
            }
        }
        let query = signature(&query);
        let expected = reference(&documents, (2, 3, k.max(2 * candidates)), &query, k);
        prop_assert_eq!(forest.len(), documents.len());
        prop_assert_eq!(forest.top_k(&query, k).unwrap(), expected.clone());
        forest.sort();
        prop_assert_eq!(forest.top_k(&query, k).unwrap(), expected);
    }
}

/// 100 groups of 12 sets with similarities between 0 and 1. The true ten best of each query (by the signatures) are
/// compared with those of the forest.
#[test]
fn finds_nearly_all_of_the_true_top_ten() {
    let hasher = FastSketch::new(128, 9).unwrap();
    let mut random = SplitMix64::new(1);
    let mut forest = LshForest::new(16, 8).unwrap();
    let mut documents = BTreeMap::new();
    for group in 0..100_u64 {
        for member in 0..12_u64 {
            // Each element of the group's set is kept with the member's own probability.
            let kept = 30 + 5 * member;
            let set = (0..60)
                .map(|x| (group << 32) + x + if random.below(100) < kept { 0 } else { (member + 1) << 16 });
            let signature = sketch(&hasher, set);
            forest.insert(group * 12 + member, &signature).unwrap();
            documents.insert(group * 12 + member, signature);
        }
    }
    let (mut found, mut wanted) = (0, 0);
    for group in 0..100_u64 {
        let query = sketch(&hasher, (0..60).map(|x| (group << 32) + x));
        let best = ranked(&documents, &query, documents.keys().copied());
        let answer = forest.top_k(&query, 10).unwrap();
        found += best[..10].iter().filter(|m| answer.contains(m)).count();
        wanted += 10;
        assert_eq!(answer[0], best[0]);
    }
    assert!(found * 100 >= wanted * 97, "{found} of {wanted}");
}

#[test]
fn what_does_not_fit_is_rejected() {
    for (trees, depth) in [(0, 1), (1, 0), (MAX_HASHES, 2), (usize::MAX, 2)] {
        rejected(LshForest::<u64>::new(trees, depth));
    }
    let mut forest: LshForest = LshForest::new(2, 2).unwrap();
    assert!(forest.is_empty() && forest.top_k(&signature(&[0; 4]), 3).unwrap().is_empty());
    rejected(forest.insert(1, &signature(&[0; 3])));
    rejected(forest.top_k(&signature(&[0; 3]), 1));
    forest.insert(1, &signature(&[0; 4])).unwrap();
    rejected(forest.insert(1, &signature(&[0; 4])));
    incompatible(forest.insert(2, &signature(&[0; 5])));
    incompatible(forest.top_k(&Signature::from_slots(Family::FastSketch, 1, vec![0; 4]).unwrap(), 1));
    assert_eq!(forest.top_k(&signature(&[0; 4]), 0).unwrap(), []);
    assert!(forest.contains(&1) && !forest.contains(&2) && !forest.remove(&2));
    assert_eq!(forest.get(&1), Some(signature(&[0; 4])));
    assert!(forest.remove(&1) && forest.is_empty());
    assert!(forest.top_k(&signature(&[0; 4]), 1).unwrap().is_empty());
}

/// Compares with the definition: every prefix length, every tree, every document in the order of its slots.
#[test]
fn the_first_met_equal_the_definition() {
    const TREES: usize = 3;
    const DEPTH: usize = 2;
    let mut random = SplitMix64::new(1);
    for round in 0..50 {
        let mut forest = LshForest::new(TREES, DEPTH).unwrap();
        let mut documents = Vec::new();
        let mut slots = || -> Vec<u64> { (0..TREES * DEPTH).map(|_| random.below(4)).collect() };
        for id in 0..100_u32 {
            let slots = slots();
            forest
                .insert(id, &Signature::from_slots(Family::MultiplyShift, 1, slots.clone()).unwrap())
                .unwrap();
            documents.push((slots, id));
        }
        forest.sort();
        let query = slots();
        let mut expected = Vec::new();
        for depth in (1..=DEPTH).rev() {
            for tree in 0..TREES {
                let range = tree * DEPTH..(tree + 1) * DEPTH;
                let mut ordered: Vec<_> =
                    documents.iter().map(|(slots, id)| (&slots[range.clone()], *id)).collect();
                ordered.sort();
                ordered.retain(|(slots, _)| slots[..depth] == query[range.clone()][..depth]);
                for (_, id) in ordered {
                    if !expected.contains(&id) {
                        expected.push(id);
                    }
                }
            }
        }
        let query = Signature::from_slots(Family::MultiplyShift, 1, query).unwrap();
        for k in [0, 1, 5, round, 1000] {
            let found = forest.first_k(&query, k).unwrap();
            assert_eq!(found, expected[..k.min(expected.len())]);
        }
    }
}
