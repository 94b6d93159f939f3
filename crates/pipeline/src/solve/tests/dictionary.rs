//! The dictionary against sets.

use super::super::dictionary::{Dictionary, Run, overlap};
use lookalike::hashing::SplitMix64;
use std::collections::BTreeSet;

/// A document of pieces that others have too, of elements of its own, and of repeats.
fn document(random: &mut SplitMix64, pieces: u64) -> Vec<u64> {
    let mut elements = Vec::new();
    for _ in 0..random.below(9) {
        let (piece, from) = (1_000 * random.below(pieces), random.below(12));
        match random.below(3) {
            0 => elements.push(random.next_u64()),
            _ => elements.extend(piece + from..piece + from + random.below(40)),
        }
    }
    elements
}

fn set(elements: &[u64]) -> BTreeSet<u64> {
    elements.iter().copied().collect()
}

#[test]
fn runs_are_the_sets_and_overlaps_those_of_sets() {
    let mut random = SplitMix64::new(1);
    for pieces in [1, 3, 50] {
        let mut dictionary = Dictionary::new(20, 1 << 20);
        let mut kept: Vec<(BTreeSet<u64>, Vec<Run>)> = Vec::new();
        for at in 0..120 {
            let document = document(&mut random, pieces);
            let before = dictionary.len();
            let (runs, own) = dictionary.add(&document);
            assert!(runs.windows(2).all(|pair| pair[0].end < pair[1].start), "there are gaps between runs");
            assert!(runs.iter().all(|run| run.len() > 0 && run.end as usize <= before));
            let runs: Vec<Run> =
                runs.iter().copied().chain([own].into_iter().filter(|own| own.len() > 0)).collect();
            let elements: Vec<u64> = runs.iter().flat_map(|&run| dictionary.elements(run)).copied().collect();
            assert_eq!((set(&elements), elements.len()), (set(&document), set(&document).len()));
            for (other, of_other) in &kept {
                assert_eq!(overlap(&runs, of_other), set(&document).intersection(other).count());
            }
            if at % 3 == 0 {
                dictionary.take_back();
                assert_eq!(dictionary.len(), before);
            } else {
                kept.push((set(&document), runs));
            }
        }
        let all: BTreeSet<u64> = kept.iter().flat_map(|(set, _)| set).copied().collect();
        assert_eq!(dictionary.len(), all.len());
    }
}

#[test]
fn what_it_will_take_is_known_before() {
    let mut random = SplitMix64::new(2);
    let mut dictionary = Dictionary::new(1_000, 1 << 16);
    for _ in 0..300 {
        let document: Vec<u64> = (0..random.below(200)).map(|_| random.next_u64()).collect();
        let expected = dictionary.bytes_with(document.len()).unwrap();
        dictionary.add(&document);
        assert!(dictionary.bytes() <= expected);
    }
    assert_eq!(dictionary.bytes_with(u32::MAX as usize), None);
}

#[test]
fn elements_of_few_bits() {
    let mut dictionary = Dictionary::new(3, 0);
    let all: Vec<u64> = (0..256).collect();
    assert_eq!(dictionary.add(&all).1, Run { start: 0, end: 256 });
    let high: Vec<u64> = (0..256).map(|element| element << 32).collect();
    let (runs, own) = dictionary.add(&high);
    assert_eq!((runs, own.len()), (&[Run { start: 0, end: 1 }][..], 255));
    assert_eq!(
        dictionary.add(&[7, 8, 8, 9, 7, 3, 4]).0,
        [Run { start: 3, end: 5 }, Run { start: 7, end: 10 }]
    );
}
