//! Compares the bit-parallel distance with the textbook table.

use super::*;
use crate::hashing::SplitMix64;
use proptest::prelude::*;

fn assert_equals_table(a: &[u8], b: &[u8]) {
    let expected = token_edit_distance_plainly(a, b);
    assert_eq!(token_edit_distance(a, b), expected);
    assert_eq!(token_edit_distance(b, a), expected);
    if let (Ok(a), Ok(b)) = (std::str::from_utf8(a), std::str::from_utf8(b)) {
        assert_eq!(edit_distance(a, b), expected);
    }
    for limit in [0, 1, expected.saturating_sub(1), expected, expected + 1, 2 * expected, usize::MAX] {
        let answer = (expected <= limit).then_some(expected);
        assert_eq!(
            token_edit_distance_at_most(a, b, limit),
            answer,
            "{} against {}, limit {limit}",
            a.len(),
            b.len()
        );
    }
}

/// `count` random edits.
fn edited(random: &mut SplitMix64, text: &[u8], count: usize, alphabet: u64) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..count {
        let at = random.below(text.len() as u64 + 1) as usize;
        let symbol = random.below(alphabet) as u8;
        match random.below(3) {
            0 => text.insert(at, symbol),
            1 if at < text.len() => drop(text.remove(at)),
            _ if at < text.len() => text[at] = symbol,
            _ => {}
        }
    }
    text
}

#[test]
fn known_answers() {
    for (a, b, distance) in [
        ("", "", 0),
        ("", "abc", 3),
        ("kitten", "sitting", 3),
        ("saturday", "sunday", 3),
        ("flaw", "lawn", 2),
        ("Nadal", "Nadia", 2),
        ("größe", "grosse", 3),
        ("東京都", "京都府", 2),
        ("ab", "ba", 2),
    ] {
        assert_eq!(edit_distance(a, b), distance, "{a} {b}");
        assert_eq!(edit_distance(b, a), distance, "{b} {a}");
        assert_eq!(edit_distance_at_most(a, b, distance), Some(distance));
        if distance > 0 {
            assert_eq!(edit_distance_at_most(a, b, distance - 1), None);
        }
    }
}

#[test]
fn similarity_is_relative_to_the_longer_text() {
    assert_eq!(edit_similarity("", ""), 1.0);
    assert_eq!(edit_similarity("", "abc"), 0.0);
    assert_eq!(edit_similarity("abcd", "abcx"), 0.75);
    assert_eq!(edit_similarity("öö", "öä"), 0.5);
}

#[test]
fn equals_the_table_around_the_word_size() {
    let mut random = SplitMix64::new(3);
    for len_a in [1, 2, 62, 63, 64, 65, 127, 128, 129, 191, 192, 193] {
        for len_b in [1, 63, 64, 65, 128, 130, 192, 200, 257] {
            let mut text = |len| (0..len).map(|_| random.below(3) as u8).collect::<Vec<_>>();
            assert_equals_table(&text(len_a), &text(len_b));
        }
    }
}

#[test]
fn equals_the_table_near_the_diagonal_of_long_strings() {
    let mut random = SplitMix64::new(4);
    for (len, edits, alphabet) in [(300, 5, 4), (600, 70, 2), (900, 150, 20), (900, 300, 5), (1500, 40, 250)]
    {
        let a: Vec<u8> = (0..len).map(|_| random.below(alphabet) as u8).collect();
        let b = edited(&mut random, &a, edits, alphabet);
        assert!(token_edit_distance(&a, &b) <= edits);
        assert_equals_table(&a, &b);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn equals_the_token_edit_distance_plainly(a in prop::collection::vec(0u8..4, 0..150), b in prop::collection::vec(0u8..4, 0..150)) {
        assert_equals_table(&a, &b);
    }

    #[test]
    fn texts_equal_their_characters(a in "[abäß東]{0,20}", b in "[abäß東]{0,20}") {
        let (x, y): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
        prop_assert_eq!(edit_distance(&a, &b), token_edit_distance_plainly(&x, &y));
    }

    #[test]
    fn is_a_metric(a in "[ab]{0,12}", b in "[ab]{0,12}", c in "[ab]{0,12}") {
        prop_assert_eq!(edit_distance(&a, &b) == 0, a == b);
        prop_assert!(edit_distance(&a, &c) <= edit_distance(&a, &b) + edit_distance(&b, &c));
    }
}
