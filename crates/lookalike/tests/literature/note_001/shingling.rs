//! Documents become sets.

use std::collections::BTreeSet;

use lookalike::normalization::Normalization;
use lookalike::shingling::{ShingleBag, ShingleBuffer, Shingler, Shingling, Unit};
use lookalike::similarity::{bag_jaccard, jaccard};

use crate::{listed, readable_set};

/// Slide "Documents as High-Dim Data" (also note 004, section 4.2.1, and note 002, section 3): the set of words does
/// not "account for ordering of words"; shingles do.
#[test]
fn the_set_of_words_does_not_see_their_order_and_shingles_do() {
    let similarity = |k| {
        let shingler = Shingler::words(k).unwrap();
        jaccard(&shingler.set("the dog chased the cat"), &shingler.set("the cat chased the dog"))
    };
    assert_eq!(similarity(1), 1.0);
    assert_eq!(similarity(2), 3.0 / 5.0, "the dog, the cat and chased the, of five");
    assert_eq!(similarity(3), 0.0);
}

/// Slide "Define: Shingles" (also note 004, section 4.2.1).
#[test]
fn abcab_has_three_different_2_shingles_and_a_bag_of_four() {
    let shingler = Shingler::characters(2).unwrap();
    assert_eq!(readable_set(&shingler, "abcab"), listed(["ab", "bc", "ca"]));
    assert_eq!(shingler.shingles("abcab"), ["ab", "bc", "ca", "ab"], "the bag, ab twice");

    let (set, bag) = (shingler.set("abcab"), shingler.bag("abcab"));
    assert_eq!(set.len(), 3);
    assert_eq!((bag.distinct(), bag.total()), (3, 4));
    let ab = shingler.set("ab").as_slice()[0];
    assert!(bag.as_slice().contains(&(ab, 2)));
    assert_eq!(bag.to_set(), set);
    // Against "abca", {ab, bc, ca}: equal as sets, three of four as bags.
    assert_eq!(jaccard(&set, &shingler.set("abca")), 1.0);
    assert_eq!(bag_jaccard(&bag, &shingler.bag("abca")), 3.0 / 4.0);
}

/// Slide "Shingles and Similarity".
#[test]
fn which_against_that_replaces_seven_3_shingles() {
    let shingler = Shingler::characters(3).unwrap().with_normalization(Normalization::NONE);
    let which = readable_set(&shingler, "The dog which chased the cat");
    let that = readable_set(&shingler, "The dog that chased the cat");
    let replaced = listed(["g w", " wh", "whi", "hic", "ich", "ch ", "h c"]);
    assert_eq!(&which - &that, replaced);
    // A word of w characters is in w + k - 1 shingles: seven for "which" and six for "that", of which " th" was there
    // before, in "the".
    assert_eq!(replaced.len(), "which".len() + 3 - 1);
    assert_eq!(&that - &which, listed(["g t", "tha", "hat", "at ", "t c"]));
}

const SENTENCE: &str = "changing a word only affects shingles within distance k minus one from the word";

/// Slide "Shingles and Similarity" (also note 004, section 4.2.2): "Changing a word only affects k-shingles within
/// distance k - 1 from the word."
#[test]
fn changing_a_word_changes_only_the_shingles_that_begin_up_to_k_minus_1_before_it() {
    let words: Vec<&str> = SENTENCE.split(' ').collect();
    for k in 1..=6 {
        let shingler = Shingler::words(k).unwrap();
        let hashes =
            |words: &[&str]| shingler.hashes(words.join(" "), &mut ShingleBuffer::default()).to_vec();
        let before = hashes(&words);
        for changed in 0..words.len() {
            let mut edited = words.clone();
            edited[changed] = "ferret";
            let after = hashes(&edited);
            assert_eq!(before.len(), after.len());
            for (start, (old, new)) in before.iter().zip(&after).enumerate() {
                assert_eq!(old != new, (start..start + k).contains(&changed), "k = {k}, shingle {start}");
            }
        }
    }
}

/// Slide "Shingles and Similarity": "Reordering paragraphs only affects the 2k shingles that cross paragraph
/// boundaries." That is exact for two paragraphs that change places, shingles of characters, and one blank between:
/// k shingles hold the blank before and k hold it after. Without a blank, as with words, k - 1 cross the boundary.
/// With more paragraphs there are more boundaries, each with as many.
#[test]
fn two_paragraphs_that_change_places_affect_2k_shingles_of_characters() {
    let first = "Mirror sites should not both be shown in a search.";
    let second = "Plagiarism may include large quotations!";
    let third = "Similar news articles tell the same story?";
    let changed = |shingler: &Shingler, before: &[&str], after: &[&str]| {
        let (before, after) = (shingler.bag(before.join(" ")), shingler.bag(after.join(" ")));
        (missing_from(&before, &after), missing_from(&after, &before))
    };
    for k in 3..=10 {
        let characters = Shingler::characters(k).unwrap();
        assert_eq!(changed(&characters, &[first, second], &[second, first]), (k as u64, k as u64));
    }
    for k in 2..=6 {
        let words = Shingler::words(k).unwrap();
        let crossing = k as u64 - 1;
        assert_eq!(changed(&words, &[first, second], &[second, first]), (crossing, crossing));
        let reversed = changed(&words, &[first, second, third], &[third, second, first]);
        assert_eq!(reversed, (2 * crossing, 2 * crossing));
    }
}

/// How many shingles of `bag` are not in `other`, repeats counted.
fn missing_from(bag: &ShingleBag, other: &ShingleBag) -> u64 {
    let count_in = |bag: &ShingleBag, wanted| {
        bag.as_slice().iter().find(|&&(shingle, _)| shingle == wanted).map_or(0, |&(_, count)| count)
    };
    let missing = |&(shingle, count): &(u64, u32)| u64::from(count.saturating_sub(count_in(other, shingle)));
    bag.as_slice().iter().map(missing).sum()
}

/// Slide "Compressing Shingles" (also note 004, section 4.2.2): h(D1) = {1, 5, 7} stands for any hash; three shingles
/// give three tokens of 4 bytes.
#[test]
fn abcab_is_compressed_to_three_tokens_of_four_bytes() {
    let shingler = |hash_bits| {
        Shingler::new(Shingling::default().with_unit(Unit::Characters).with_k(2).with_hash_bits(hash_bits))
            .unwrap()
    };
    let tokens = shingler(32).set("abcab");
    assert_eq!(tokens.len(), 3);
    assert!(tokens.as_slice().iter().all(|&token| u32::try_from(token).is_ok()));
    let top_halves: Vec<u64> = shingler(64).set("abcab").as_slice().iter().map(|hash| hash >> 32).collect();
    assert_eq!(tokens.as_slice(), top_halves);
}

/// Slide "Compressing Shingles": "Two documents could (rarely) appear to have shingles in common, when in fact only
/// the hash-values were shared." With 8 bits it must happen among the 676 pairs of letters; with 32 it is rare: the
/// chance that any two of the 676 share a value is 676^2 / 2^33 = 5e-5, and here none do.
#[test]
fn different_shingles_may_share_a_hash_value() {
    let distinct = |hash_bits| {
        let settings = Shingling::default().with_unit(Unit::Characters).with_k(2).with_hash_bits(hash_bits);
        let shingler = Shingler::new(settings).unwrap();
        let pairs = ('a'..='z').flat_map(|first| ('a'..='z').map(move |second| format!("{first}{second}")));
        pairs.flat_map(|pair| shingler.set(pair).as_slice().to_vec()).collect::<BTreeSet<u64>>().len()
    };
    assert!(distinct(8) <= 256);
    assert_eq!(distinct(32), 676);
    assert_eq!(distinct(64), 676);
}
