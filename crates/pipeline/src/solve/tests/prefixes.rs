//! Rare shingles first: how many must be shown, and that nobody similar is missed.

use super::super::buckets::Lookup;
use super::super::prefixes::RareShingles;
use super::{chunk, recipe, settings};
use crate::method::Recipe;
use crate::method::short::prefix_length;
use crate::{Measure, Silent, Verify};
use lookalike::hashing::SplitMix64;

#[test]
fn as_many_are_shown_as_a_subset_may_lack() {
    let length = |size, threshold| {
        prefix_length(size, &Recipe::new(&settings().with_threshold(threshold)).unwrap().verifier)
    };
    // Of ten elements a similar subset has at least eight, so it has one of any three.
    assert_eq!(length(10, 0.8), 3);
    assert_eq!(length(10, 0.5), 6);
    assert_eq!(length(10, 1.0), 1);
    assert_eq!((length(1, 0.8), length(0, 0.8)), (1, 0));
    for size in 1..200usize {
        for threshold in [0.1, 0.3, 0.5, 0.7, 0.9, 0.99] {
            let least = (0..=size).find(|&overlap| overlap as f64 / size as f64 >= threshold).unwrap();
            assert_eq!(length(size, threshold), (size - least + 1).min(size), "{size} {threshold}");
        }
    }
}

/// Sets of a template and some elements of their own, so that similarities are on both sides of a half.
fn sets(random: &mut SplitMix64) -> Vec<Vec<u64>> {
    let mut element = |own: u64| if random.below(3) > 0 { random.below(12) } else { own + random.below(9) };
    let mut sets: Vec<Vec<u64>> =
        (0..60u64).map(|at| (0..at % 15).map(|_| element(20 + at / 4 * 10)).collect()).collect();
    for set in &mut sets {
        set.sort_unstable();
        set.dedup();
    }
    sets
}

#[test]
fn whoever_is_similar_enough_is_met() {
    let mut random = SplitMix64::new(9);
    let (mut similar, mut met, mut all) = (0, 0, 0);
    for _ in 0..20 {
        let sets = sets(&mut random);
        let documents: Vec<([u16; 4], &[u64])> = sets.iter().map(|set| ([0; 4], set.as_slice())).collect();
        let chunk = chunk(&documents);
        let mut rare = RareShingles::new(&chunk, &recipe(), &Silent).unwrap().unwrap();
        let mut lookup = Lookup::default();
        for at in 0..sets.len() {
            rare.look_up_listed(at, 0, &mut lookup);
            let found: Vec<usize> = lookup.found.iter().map(|(other, _)| *other as usize).collect();
            assert!(found.is_sorted() && found.iter().all(|&other| other < at));
            for other in 0..at {
                if chunk.similarity(at, other, &recipe()) >= 0.5 {
                    similar += 1;
                    assert!(found.contains(&other), "{:?} and {:?}", sets[at], sets[other]);
                }
            }
            let from = at / 2;
            rare.look_up_listed(at, from as u32, &mut lookup);
            let later: Vec<usize> = lookup.found.iter().map(|(other, _)| *other as usize).collect();
            assert_eq!(later, found.iter().copied().filter(|&other| other >= from).collect::<Vec<_>>());
            met += found.len();
            all += at;
            rare.list(at);
        }
    }
    assert!(similar > 200 && met < all * 9 / 10, "{similar} similar, {met} met of {all}");
}

#[test]
fn it_is_for_exact_jaccard_by_bands_alone() {
    let chunk = chunk(&[([0; 4], &[1]), ([0; 4], &[1])]);
    for other in [settings().with_verify(Verify::None), settings().with_measure(Measure::Containment)] {
        assert!(RareShingles::new(&chunk, &Recipe::new(&other).unwrap(), &Silent).unwrap().is_none());
    }
}
