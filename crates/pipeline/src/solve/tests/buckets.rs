//! Buckets: who meets whom, and how often.

use super::super::buckets::{Buckets, Lookup};
use super::{chunk, recipe, using};

/// Document 0 has the keys 5 and 7, 1 has 7, 2 has both, 3 has one that nobody else has.
fn buckets() -> Buckets {
    let keys: [&[u64]; 4] = [&[7, 5], &[7], &[5, 7, 7], &[9]];
    Buckets::new(4, using(1), |at, visit| keys[at].iter().for_each(|&key| visit(key))).unwrap()
}

fn found(look: impl FnOnce(&mut Lookup)) -> Vec<(u32, u32)> {
    let mut lookup = Lookup::default();
    look(&mut lookup);
    lookup.found
}

#[test]
fn documents_with_an_equal_key_are_together() {
    let buckets = buckets();
    assert_eq!(
        (buckets.len(), buckets.pairs()),
        (2, 1 + 3),
        "a key that occurs twice in a document counts once"
    );
    assert_eq!([0, 1, 2, 3].map(|at| buckets.of(at).to_vec()), [vec![0, 1], vec![1], vec![0, 1], vec![]]);
    assert_eq!(found(|lookup| buckets.look_up_members(2, 0, lookup)), [(0, 2), (1, 1)]);
    assert_eq!(found(|lookup| buckets.look_up_members(2, 1, lookup)), [(1, 1)]);
    assert_eq!(found(|lookup| buckets.look_up_members(0, 0, lookup)), [], "only those before it");
    assert_eq!(found(|lookup| buckets.look_up_members(3, 0, lookup)), []);
}

#[test]
fn only_what_is_listed_is_found_among_the_kept() {
    let mut buckets = buckets();
    assert_eq!(found(|lookup| buckets.look_up_listed(2, 0, lookup)), []);
    buckets.list(0);
    assert_eq!(found(|lookup| buckets.look_up_listed(2, 0, lookup)), [(0, 2)]);
    buckets.list(1);
    assert_eq!(found(|lookup| buckets.look_up_listed(2, 0, lookup)), [(0, 2), (1, 1)]);
    assert_eq!(found(|lookup| buckets.look_up_listed(2, 1, lookup)), [(1, 1)]);
}

#[test]
fn a_document_may_look_into_its_first_buckets_only() {
    let buckets = buckets().with_asked(vec![1; 4]);
    assert_eq!(buckets.asked_by(2), [0]);
    assert_eq!(
        found(|lookup| buckets.look_up_members(2, 0, lookup)),
        [(0, 1)],
        "1 is in the second bucket only"
    );
}

#[test]
fn threads_make_the_same_buckets() {
    let keys = |at: usize| (0..7u64).map(move |band| (at as u64 * 31 + band * band) % 40);
    let make = |threads| {
        let made = Buckets::new(300, using(threads), |at, visit| keys(at).for_each(visit)).unwrap();
        (0..300).map(|at| found(|lookup| made.look_up_members(at, 0, lookup))).collect::<Vec<_>>()
    };
    let plain = |at: usize, other: usize| {
        let here: std::collections::BTreeSet<u64> = keys(at).collect();
        let there: std::collections::BTreeSet<u64> = keys(other).collect();
        here.intersection(&there).count() as u32
    };
    let expected: Vec<Vec<(u32, u32)>> = (0..300)
        .map(|at| (0..at).map(|other| (other as u32, plain(at, other))).filter(|(_, met)| *met > 0).collect())
        .collect();
    assert!(make(1) == expected && make(3) == expected);
}

#[test]
fn bands_are_keys_and_the_same_lanes_in_another_band_are_not() {
    let chunk = chunk(&[([1, 2, 3, 4], &[]), ([1, 2, 9, 9], &[]), ([3, 4, 1, 2], &[]), ([1, 2, 3, 4], &[])]);
    let buckets = Buckets::by_bands(&chunk, &recipe(), using(1)).unwrap();
    assert_eq!(found(|lookup| buckets.look_up_members(3, 0, lookup)), [(0, 2), (1, 1)]);
    assert_eq!(found(|lookup| buckets.look_up_members(2, 0, lookup)), []);
}
