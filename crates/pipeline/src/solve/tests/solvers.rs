//! Survivors, pairs and components: by hand, and against loops over all pairs.

use super::super::chunk::{Chunk, Role, Verdict, are_compared};
use super::super::{NearMisses, components, greedy, pairs};
use super::{by_place, chunk, number, recipe, using};
use crate::candidates::forest::Forest;
use crate::report::PairCounts;
use lookalike::hashing::SplitMix64;

type Decided = (usize, usize, f64);

fn survivors(chunk: &Chunk, threads: usize) -> (Vec<Decided>, PairCounts) {
    let (mut removed, mut counts) = (Vec::new(), PairCounts::default());
    let visit = &mut |found| removed.push(by_place(&found));
    greedy(chunk, &recipe(), using(threads), &NearMisses::default(), &mut counts, visit).unwrap();
    removed.sort_by_key(|&(at, ..)| at);
    (removed, counts)
}

fn all_pairs(chunk: &Chunk, threads: usize) -> Vec<Decided> {
    let (mut found, mut counts) = (Vec::new(), PairCounts::default());
    pairs(chunk, &recipe(), using(threads), &mut counts, &mut |pair| found.push(by_place(&pair))).unwrap();
    assert_eq!(counts.verified as usize, found.len());
    found.sort_by_key(|&(at, other, _)| (at, other));
    found
}

fn roots(chunk: &Chunk) -> Vec<u64> {
    let mut forest = Forest::new(number(chunk.len()));
    let mut counts = PairCounts::default();
    components(chunk, &recipe(), using(1), &mut counts, &mut forest).unwrap();
    chunk.numbers.iter().map(|&number| forest.root(number)).collect()
}

/// The similarity of a pair that is a candidate and similar enough, if the roles let the later one be removed.
pub(super) fn similar(chunk: &Chunk, at: usize, other: usize) -> Option<f64> {
    let may = chunk.roles[at] != Role::Listed && chunk.roles[other] != Role::Asking;
    alike(chunk, at, other).filter(|_| may)
}

/// The similarity of a pair that is a candidate and similar enough.
fn alike(chunk: &Chunk, at: usize, other: usize) -> Option<f64> {
    let shared = chunk.shared_keys(at, other, &recipe());
    match chunk.compare(at, other, shared, &recipe()).unwrap() {
        Verdict::Similar(evidence) if shared > 0 => Some(evidence.similarity),
        _ => None,
    }
}

const SAME: [u16; 4] = [1, 2, 3, 4];

/// The second is like the first, the third like the second but not like the first, the fourth like the first and the third.
fn chain() -> Chunk {
    chunk(&[(SAME, &[1, 2, 3, 4]), (SAME, &[2, 3, 4, 5]), (SAME, &[4, 5, 6, 2]), (SAME, &[1, 2, 3, 4, 5, 6])])
}

#[test]
fn what_is_removed_removes_nobody_and_the_first_is_named() {
    let mut chain = chain();
    chain.segments[2].sort_unstable();
    // The third has 2, 4 and 5 of the second's four; of the first it has 2 and 4.
    assert_eq!(
        all_pairs(&chain, 1),
        [(1, 0, 0.6), (2, 1, 0.6), (3, 0, 4.0 / 6.0), (3, 1, 4.0 / 6.0), (3, 2, 4.0 / 6.0)]
    );
    assert_eq!(survivors(&chain, 1).0, [(1, 0, 0.6), (3, 0, 4.0 / 6.0)]);
    assert_eq!(roots(&chain), [number(0); 4]);
}

#[test]
fn roles_say_who_may_be_removed_and_who_may_remove() {
    let equal: [([u16; 4], &[u64]); 4] = [(SAME, &[1]); 4];
    let mut chunk = chunk(&equal);
    chunk.roles = vec![Role::Asking, Role::Listed, Role::Listed, Role::Asking];
    assert_eq!(
        survivors(&chunk, 1).0,
        [(3, 1, 1.0)],
        "nobody listed is before the first, and it removes nobody"
    );
    assert_eq!(
        all_pairs(&chunk, 1),
        [(1, 0, 1.0), (2, 0, 1.0), (3, 1, 1.0), (3, 2, 1.0)],
        "a pair has no direction"
    );
    assert_eq!(roots(&chunk), [number(0), number(1), number(1), number(1)]);
    chunk.roles = vec![Role::Both; 4];
    assert_eq!(survivors(&chunk, 1).0, [(1, 0, 1.0), (2, 0, 1.0), (3, 0, 1.0)]);
}

#[test]
fn who_shares_no_band_is_not_compared() {
    let chunk = chunk(&[(SAME, &[1]), ([5, 6, 7, 8], &[1]), ([1, 6, 3, 8], &[1])]);
    let (removed, counts) = survivors(&chunk, 1);
    assert_eq!((removed.len(), counts.candidates, counts.compared), (0, 0, 0));
    assert!(all_pairs(&chunk, 1).is_empty());
    assert_eq!(roots(&chunk), [number(0), number(1), number(2)]);
}

/// Crowds of pages of a template, in which every index has its turn, and some documents that are not compared with the others.
pub(super) fn crowd(random: &mut SplitMix64) -> Chunk {
    let values = 2 + random.below(4);
    let sets: Vec<Vec<u64>> = (0..90)
        .map(|_| {
            let slots = (0..5).flat_map(|slot| {
                let value = 100 * slot + 10 * random.below(values);
                (0..1 + slot).map(move |at| value + at)
            });
            let mut set: Vec<u64> = slots.collect();
            let own = 1_000 + random.below(30);
            set.extend((0..random.below(6)).map(|at| own * 10 + at));
            set.sort_unstable();
            set.dedup();
            set
        })
        .collect();
    let lanes: Vec<[u16; 4]> =
        (0..90).map(|_| [0, random.below(3) as u16, 0, random.below(3) as u16]).collect();
    let documents: Vec<([u16; 4], &[u64])> = lanes.into_iter().zip(sets.iter().map(Vec::as_slice)).collect();
    let mut chunk = chunk(&documents);
    for at in 0..90 {
        chunk.within[at] = [random.below(2), 0];
        chunk.roles[at] =
            [Role::Both, Role::Both, Role::Both, Role::Listed, Role::Asking][random.below(5) as usize];
    }
    chunk
}

#[test]
fn crowds_are_as_loops_over_all_pairs_say() {
    let mut random = SplitMix64::new(3);
    let mut removals = 0;
    for _ in 0..40 {
        let chunk = crowd(&mut random);
        let (mut kept, mut removed, mut found) = (Vec::new(), Vec::new(), Vec::new());
        let forest = Forest::new(number(chunk.len()));
        for at in 0..chunk.len() {
            let first = kept.iter().find_map(|&other| Some((at, other, similar(&chunk, at, other)?)));
            match first {
                Some(first) => removed.push(first),
                None => kept.push(at),
            }
            for other in (0..at).filter(|&other| similar(&chunk, at, other).is_some()) {
                forest.join(number(at), number(other));
            }
            let compared = (0..at).filter(|&other| are_compared(chunk.roles[at], chunk.roles[other]));
            found.extend(compared.filter_map(|other| Some((at, other, alike(&chunk, at, other)?))));
        }
        for threads in [1, 3] {
            assert_eq!(survivors(&chunk, threads).0, removed);
            assert_eq!(all_pairs(&chunk, threads), found);
        }
        assert_eq!(survivors(&chunk, 1).1.verified as usize, removed.len());
        assert_eq!(
            roots(&chunk),
            chunk.numbers.iter().map(|&number| forest.root(number)).collect::<Vec<_>>()
        );
        removals += removed.len();
    }
    assert!(removals > 200, "{removals}");
}
