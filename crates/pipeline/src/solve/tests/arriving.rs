//! Documents that arrive one by one against loops over all pairs.

use super::super::chunk::{Chunk, Role};
use super::super::{Arrival, Arriving, NearMisses, greedy};
use super::solvers::{crowd, similar};
use super::{by_place, chunk, recipe, using};
use crate::Silent;
use crate::report::PairCounts;
use lookalike::hashing::SplitMix64;

type Removed = (usize, usize, f64);

/// What is removed of the documents of a chunk if they arrive one by one, shuffled and with repeats; and whether all of them were decided on arrival.
fn arrive(documents: &Chunk, memory: u64, random: &mut SplitMix64) -> (Vec<Removed>, bool) {
    let (recipe, near_misses) = (recipe(), NearMisses::default());
    let mut arriving = Arriving::new(&recipe, &near_misses, &Silent, documents.len(), memory);
    for at in 0..documents.len() {
        let mut elements = documents.set(at).as_slice().to_vec();
        if let Some(last) = elements.len().checked_sub(1) {
            elements.rotate_left(random.below(1 + last as u64) as usize);
            elements.push(elements[last]);
        }
        let arrival = Arrival {
            number: documents.numbers[at],
            role: documents.roles[at],
            within: documents.within[at],
            lanes: documents.lanes(at),
            elements: &elements,
        };
        arriving.arrive(&arrival).unwrap();
    }
    let (decided, rest) = arriving.finish();
    let mut removed: Vec<Removed> = decided.found.iter().map(by_place).collect();
    let visit = &mut |found| removed.push(by_place(&found));
    greedy(&rest, &recipe, using(1), &near_misses, &mut PairCounts::default(), visit).unwrap();
    removed.sort_by_key(|&(at, ..)| at);
    (removed, rest.len() == 0)
}

/// The rule, pair by pair.
fn expected(documents: &Chunk) -> Vec<Removed> {
    let (mut kept, mut removed) = (Vec::new(), Vec::new());
    for at in 0..documents.len() {
        match kept.iter().find_map(|&other| Some((at, other, similar(documents, at, other)?))) {
            Some(first) => removed.push(first),
            None => kept.push(at),
        }
    }
    removed
}

/// Pages of which each has a beginning of a template, of any length, and text of its own; some have the text of another one.
fn pages(random: &mut SplitMix64) -> Chunk {
    let sets: Vec<Vec<u64>> = (0..120u64)
        .map(|page| {
            let text = if random.below(4) == 0 { random.below(page + 1) } else { page };
            let (template, common) = (10_000 * random.below(2), random.below(60));
            let mut set: Vec<u64> = (template..template + common).collect();
            set.extend(100_000 + 100 * text..100_000 + 100 * text + random.below(40));
            set
        })
        .collect();
    let documents: Vec<([u16; 4], &[u64])> =
        sets.iter().map(|set| ([0, 0, 0, random.below(2) as u16], set.as_slice())).collect();
    let mut chunk = chunk(&documents);
    for at in 0..chunk.len() {
        chunk.roles[at] =
            [Role::Both, Role::Both, Role::Both, Role::Listed, Role::Asking][random.below(5) as usize];
    }
    chunk
}

#[test]
fn what_arrives_is_decided_as_loops_over_all_pairs_say() {
    let mut random = SplitMix64::new(5);
    let (mut removals, mut on_arrival) = (0, [0, 0]);
    for round in 0..60 {
        let documents = if round % 2 == 0 { pages(&mut random) } else { crowd(&mut random) };
        let expected = expected(&documents);
        removals += expected.len();
        for memory in [0, 40_000, 1 << 30] {
            let (removed, all) = arrive(&documents, memory, &mut random);
            assert_eq!(removed, expected, "{memory} bytes");
            on_arrival[usize::from(all)] += 1;
        }
    }
    assert!(removals > 100 && on_arrival.iter().all(|&times| times > 20), "{removals} {on_arrival:?}");
}

#[test]
fn documents_without_elements_are_equal_to_each_other() {
    let documents = chunk(&[([1, 2, 3, 4], &[]), ([1, 2, 3, 4], &[5]), ([1, 2, 3, 4], &[])]);
    let (removed, all) = arrive(&documents, 1 << 30, &mut SplitMix64::new(1));
    assert_eq!((removed, all), (vec![(2, 0, 1.0)], true));
}
