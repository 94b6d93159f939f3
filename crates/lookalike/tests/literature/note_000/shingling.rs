//! Documents become sets.

use std::collections::BTreeSet;

use lookalike::normalization::{Normalization, Whitespace};
use lookalike::shingling::{Shingler, Shingling, Unit, usual_k};

use crate::{listed, readable_set};

/// Slide "Shingling". (ab occurs twice and is in the set once.)
#[test]
fn abcdabd_has_five_different_2_shingles() {
    let shingler = Shingler::characters(2).unwrap();
    assert_eq!(readable_set(&shingler, "abcdabd"), listed(["ab", "bc", "cd", "da", "bd"]));
    assert_eq!(shingler.set("abcdabd").len(), 5);
}

/// Slide "Shingling in Practice". The slide speaks of "the 27 chars in the ASCII character set", which has 128: it
/// means the 26 letters and the blank. All 27^2 shingles of two are told apart by the shingler; the 27^5 of five are
/// the slide's arithmetic.
#[test]
fn there_are_14_348_907_possible_5_shingles() {
    let alphabet: Vec<char> = ('a'..='z').chain([' ']).collect();
    let keep_blanks = Normalization::default().with_whitespace(Whitespace::Keep);
    let settings = Shingling::default().with_unit(Unit::Characters).with_k(2).with_normalization(keep_blanks);
    let shingler = Shingler::new(settings).unwrap();
    let mut possible = BTreeSet::new();
    for first in &alphabet {
        for second in &alphabet {
            possible.extend(shingler.set(format!("{first}{second}")).as_slice().iter().copied());
        }
    }
    assert_eq!(possible.len(), alphabet.len().pow(2));
    assert_eq!(alphabet.len().pow(5), 14_348_907);
}

/// Slide "Shingling in Practice": k = 5 for emails, 10 for large documents (also note 001, "Working Assumption", and
/// note 004; note 001, "Compression Option", has 8, 9 or 10 as usual in practice).
#[test]
fn the_usual_k_is_5_for_mails_and_10_for_large_documents() {
    assert_eq!(usual_k(1_000), 5);
    assert_eq!(usual_k(30_000), 9);
    assert_eq!(usual_k(1_000_000), 10);
}

/// Slide "Shingling in Practice": {ab, bc, cd, da, bd} -> {342, 825, 312, 54}, 10 bits each. Five shingles, four
/// values: one is missing (a collision of a fair 10-bit hash would be possible, with probability 1 %, but it does not
/// show in a set). Ten bits are enough to *number* the 27^2 = 729 possible shingles, and five shingles then have
/// five numbers. They are not enough to *hash* without collisions: of the 729, a fair hash leaves
/// 1024 (1 - (1 - 1/1024)^729) = 522 different values, with a standard deviation of 9.
#[test]
fn five_shingles_need_five_values_of_ten_bits() {
    let printed = BTreeSet::from([342, 825, 312, 54]);
    assert!(printed.iter().all(|&value| value < 1 << 10));
    assert_eq!(printed.len(), 4, "one less than there are shingles");

    let number = |shingle: &str| shingle.bytes().fold(0, |sum, c| sum * 27 + u64::from(c - b'a') + 1);
    let numbers = BTreeSet::from(["ab", "bc", "cd", "da", "bd"].map(number));
    assert_eq!(numbers.len(), 5);
    assert!(27u64.pow(2) <= 1 << 10 && numbers.iter().all(|&number| number < 27 * 27));

    let settings = Shingling::default()
        .with_unit(Unit::Characters)
        .with_k(2)
        .with_normalization(Normalization::NONE)
        .with_hash_bits(10);
    let shingler = Shingler::new(settings).unwrap();
    assert_eq!(shingler.set("abcdabd").len(), 5);
    let letters = || ('a'..='z').chain([' ']);
    let all = letters().flat_map(|first| letters().map(move |second| format!("{first}{second}")));
    let hashes: BTreeSet<u64> = all.flat_map(|shingle| shingler.set(shingle).as_slice().to_vec()).collect();
    assert!(hashes.iter().all(|&hash| hash < 1 << 10));
    assert!((hashes.len() as f64 - 522.0).abs() < 5.0 * 9.0, "{} different values", hashes.len());
}
