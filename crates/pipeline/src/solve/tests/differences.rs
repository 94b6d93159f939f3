//! Differences from a crowd: who is similar has a key in common.

use super::super::buckets::{Buckets, Lookup};
use super::super::chunk::Chunk;
use super::super::combinations::Combinations;
use super::{chunk, settings, using};
use crate::Settings;
use crate::method::Means;
use lookalike::hashing::SplitMix64;

/// Copies of two texts of 40 shingles, the second half of another length: runs of three are left out, and as many of their own put in.
fn copies(random: &mut SplitMix64, changes: u64) -> Vec<Vec<u64>> {
    let mut sets = Vec::new();
    for at in 0..80u64 {
        let text = at % 2;
        let mut set: Vec<u64> = (0..40 + 5 * text).map(|place| 1_000 * text + place).collect();
        for change in 0..1 + random.below(changes) {
            let start = random.below(40) as usize;
            set.iter_mut()
                .skip(start)
                .take(3)
                .for_each(|place| *place = 10_000 * (at + 1) + 100 * change + *place);
        }
        set.sort_unstable();
        set.dedup();
        sets.push(set);
    }
    sets
}

fn of_sets(sets: &[Vec<u64>]) -> Chunk {
    // Texts share no band with each other.
    let lanes = |at: usize| [at as u16 % 2, 5, 7, 9];
    let documents: Vec<([u16; 4], &[u64])> =
        sets.iter().enumerate().map(|(at, set)| (lanes(at), set.as_slice())).collect();
    let mut chunk = chunk(&documents);
    (0..sets.len()).for_each(|at| chunk.within[at] = [1 + at as u64 % 2, 0]);
    chunk
}

#[test]
fn similar_documents_meet_and_most_others_do_not() {
    let mut random = SplitMix64::new(5);
    let (mut similar, mut met, mut all) = (0, 0, 0);
    for round in 0..12 {
        let chunk = of_sets(&copies(&mut random, 2 + round % 4));
        let means = Means::new(&Settings { threshold: 0.8, ..settings() }).unwrap();
        let bands = Buckets::by_bands(&chunk, &means, using(1)).unwrap();
        let Some(index) = Combinations::of_differences(&chunk, &means, &bands, using(1)).unwrap() else {
            continue;
        };
        let mut lookup = Lookup::default();
        for at in 0..chunk.len() {
            index.look_up_members(at, &mut lookup);
            let found: Vec<usize> = lookup.found.iter().map(|(other, _)| *other as usize).collect();
            for other in (0..at).filter(|other| other % 2 == at % 2) {
                all += 1;
                if chunk.similarity(at, other, &means) >= 0.8 {
                    similar += 1;
                    assert!(found.contains(&other), "{at} and {other} of round {round}");
                }
            }
            met += found.len();
        }
    }
    assert!(similar > 50 && met < all / 2, "{similar} similar, {met} met of {all}");
}
