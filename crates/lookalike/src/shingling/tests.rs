//! Shingles against their definition: normalise plainly, cut plainly, hash each shingle by itself.

use super::tokens::character_hash;
use super::*;
use crate::normalization::{Case, Punctuation, UnicodeForm, Whitespace};
use proptest::prelude::*;

/// The definition.
fn plainly(settings: &Shingling, text: &[u8]) -> Vec<u64> {
    let text = settings.normalization.normalize_plainly(&String::from_utf8_lossy(text));
    let tokens: Vec<u64> = match settings.unit {
        Unit::Characters => text.chars().map(character_hash).collect(),
        Unit::Words | Unit::StopWordLed(_) => words(&text).map(|word| hash_bytes(word.as_bytes())).collect(),
    };
    let mut hashes: Vec<u64> = tokens
        .windows(settings.k)
        .filter(|window| match &settings.unit {
            Unit::StopWordLed(stop_words) => stop_words.contains_hash(window[0]),
            Unit::Words | Unit::Characters => true,
        })
        .map(shingle_hash)
        .collect();
    if hashes.is_empty() && !tokens.is_empty() {
        hashes.push(shingle_hash(&tokens));
    }
    hashes.iter().map(|hash| hash >> (64 - settings.hash_bits)).collect()
}

fn check(settings: &Shingling, text: &[u8]) -> std::result::Result<(), TestCaseError> {
    let expected = plainly(settings, text);
    let mut buffer = ShingleBuffer::default();
    for kernel in Kernel::available() {
        let shingler = Shingler::new(settings.clone()).unwrap().with_kernel(kernel);
        // Twice, so that what an earlier document left in the buffer shows if it is ever read.
        for _ in 0..2 {
            prop_assert_eq!(
                shingler.hashes(text, &mut buffer),
                &expected[..],
                "{} {:?}",
                kernel.name(),
                text
            );
        }
    }
    Ok(())
}

fn normalizations() -> impl Strategy<Value = Normalization> {
    (
        prop_oneof![Just(Case::Fold), Just(Case::Keep)],
        prop_oneof![
            4 => Just(UnicodeForm::Nfc),
            1 => Just(UnicodeForm::Keep),
            1 => Just(UnicodeForm::Nfkc),
            1 => Just(UnicodeForm::Nfkd)
        ],
        prop_oneof![4 => Just(Punctuation::Keep), 1 => Just(Punctuation::Drop)],
        prop_oneof![4 => Just(Whitespace::Collapse), 1 => Just(Whitespace::Remove), 1 => Just(Whitespace::Keep)],
    )
        .prop_map(|(case, form, punctuation, whitespace)| Normalization { case, form, punctuation, whitespace })
}

fn settings() -> impl Strategy<Value = Shingling> {
    let unit = prop_oneof![
        6 => Just(Unit::Words),
        1 => Just(Unit::Characters),
        1 => Just(Unit::StopWordLed(StopWords::new(["a", "b", "the"])))
    ];
    (unit, 1usize..8, normalizations(), prop_oneof![3 => Just(64u32), 1 => 8u32..64])
        .prop_map(|(unit, k, normalization, hash_bits)| Shingling { unit, k, normalization, hash_bits })
}

/// Text in which every rule of UAX 29 that matters has a chance to bite, in every place of a block.
const AWKWARD: &str = "([a-cA-C]{1,3}|[0-9]{1,2}|[_.:',;]|[ \\n-]|[éΣßЖ東ター가]|[\\u{301}\\u{338}\\u{1ade}]|\\u{200d}|\\u{202f}|\\u{a0}\
    |[\\u{e01}-\\u{e40}]|[^\\x00-\\x7f]|the ){0,150}";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn fast_equals_plain_on_awkward_text(settings in settings(), text in AWKWARD) {
        check(&settings, text.as_bytes())?;
    }

    #[test]
    fn fast_equals_plain_on_ascii(settings in settings(), text in "[ -~]{0,300}") {
        check(&settings, text.as_bytes())?;
    }

    #[test]
    fn fast_equals_plain_on_any_bytes(settings in settings(), bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        check(&settings, &bytes)?;
    }

    #[test]
    fn fast_equals_plain_on_mostly_ascii_bytes(
        settings in settings(),
        bytes in prop::collection::vec(prop_oneof![9 => 0x20u8..0x7f, 1 => any::<u8>()], 0..400)
    ) {
        check(&settings, &bytes)?;
    }

    #[test]
    fn shingles_for_people_are_the_ones_that_are_hashed(text in AWKWARD, k in 1usize..6) {
        for shingler in [Shingler::words(k).unwrap(), Shingler::characters(k).unwrap(), Shingler::stop_word_led()] {
            let mut buffer = ShingleBuffer::default();
            prop_assert_eq!(shingler.shingles(&text).len(), shingler.hashes(&text, &mut buffer).len());
        }
    }
}

#[test]
fn words_of_every_length_at_every_place() {
    for len in 1..80 {
        for start in 0..130 {
            let text = format!("{}{} end", " ".repeat(start), "Ab".repeat(40).get(..len).unwrap());
            check(&Shingling { k: 1, ..Shingling::default() }, text.as_bytes()).unwrap();
        }
    }
}

#[test]
fn joiners_at_every_place() {
    for joined in [
        "don't",
        "3.14",
        "1,000",
        "a:b",
        "a.1",
        "1.a",
        "a_.b",
        "__",
        "a'",
        "x;y",
        "1;2",
        "é.a",
        "a.é",
        "a.\u{301}b",
    ] {
        for start in 0..140 {
            // At the end of the text too: the last block has no byte after it that would end the word.
            for (gap, end) in [(" ", ""), ("y", ""), (" ", " b"), ("y", " b")] {
                let before = "x ".repeat(start / 2) + &gap.repeat(start % 2);
                let text = format!("{before}{joined}{end}");
                check(&Shingling { k: 1, ..Shingling::default() }, text.as_bytes()).unwrap();
            }
        }
    }
}

#[test]
fn empty_and_short_documents() {
    let shingler = Shingler::words(5).unwrap();
    assert!(shingler.set("").is_empty());
    assert!(shingler.set(" \n -- !! ___ ").is_empty());
    assert_eq!(shingler.set("one two").len(), 1);
    assert_eq!(shingler.shingles("one two"), ["one two"]);
    assert_ne!(shingler.set("one two"), shingler.set("one"));
    assert_eq!(shingler.set("One, two!"), shingler.set("one two"));
    assert_eq!(Shingler::stop_word_led().shingles("nothing remarkable here"), ["nothing remarkable here"]);
}

#[test]
fn scripts_without_spaces_have_a_token_per_character() {
    let words = |text| words(text).collect::<Vec<_>>();
    assert_eq!(words("我来到北京"), ["我", "来", "到", "北", "京"]);
    assert_eq!(words("ひらがな"), ["ひ", "ら", "が", "な"]);
    assert_eq!(words("カタカナ"), ["カ", "タ", "カ", "ナ"]);
    assert_eq!(words("ガ_abc"), ["ガ", "_abc"]);
    assert_eq!(words("ﾊﾟﾝ"), ["ﾊﾟ", "ﾝ"]);
    assert_eq!(words("ที่นี่"), ["ที่", "นี่"]);
    assert_eq!(words("ລາວ").len(), 3);
    assert_eq!(words("ខ្មែរ").len(), 3);
    assert_eq!(words("한국어 단어"), ["한국어", "단어"]);
}

#[test]
fn news_shingles_begin_with_a_stop_word() {
    let found = Shingler::stop_word_led().shingles("A spokesperson for the Sudzo Corporation revealed today");
    assert_eq!(found, ["a spokesperson for", "for the sudzo", "the sudzo corporation"]);
}

#[test]
fn stop_words_are_matched_with_both_apostrophes() {
    let english = StopWords::english();
    for word in ["it's", "it\u{2019}s", "don't", "don\u{2019}t", "it"] {
        assert!(english.contains(word), "{word}");
    }
    assert!(!english.contains("it\u{2018}s") && !english.contains("cat\u{2019}s"));
    let (typed, typeset) = (StopWords::new(["it's", "a"]), StopWords::new(["it\u{2019}s", "a", "it's"]));
    assert_eq!(typed, typeset);
    assert_eq!((typed.len(), StopWords::none().len(), StopWords::none().is_empty()), (2, 0, true));
    let news = Shingler::stop_word_led();
    assert_eq!(news.shingles("Ferrets say it\u{2019}s raining ferrets"), ["it\u{2019}s raining ferrets"]);
    let mut buffer = ShingleBuffer::default();
    assert_eq!(news.hashes("Ferrets say it\u{2019}s raining ferrets", &mut buffer).len(), 1);
}

#[test]
fn tokens_have_bags_and_sets_as_text_does() {
    let (shingler, tokens) = (Shingler::words(2).unwrap(), ["a", "b", "a", "b"]);
    assert_eq!(shingler.bag_of_tokens(tokens), shingler.bag("a b a b"));
    assert_eq!(shingler.bag_of_tokens(tokens).to_set(), shingler.set_of_tokens(tokens));
    assert_eq!(shingler.bag_of_tokens(tokens).total(), 3);
}

#[test]
fn normalization_can_be_changed() {
    let exact = Shingler::words(1).unwrap().with_normalization(Normalization::NONE);
    assert_eq!(exact.settings().normalization, Normalization::NONE);
    assert_ne!(exact.set("Cat"), exact.set("cat"));
    assert_eq!(exact.with_normalization(Normalization::default()).set("Cat").len(), 1);
}

#[test]
fn impossible_settings_are_typed_errors() {
    for k in [0, MAX_K + 1] {
        assert!(matches!(Shingler::words(k), Err(Error::InvalidParameter { name: "k", .. })));
    }
    for hash_bits in [0, 7, 65] {
        let settings = Shingling { hash_bits, ..Shingling::default() };
        assert!(matches!(Shingler::new(settings), Err(Error::InvalidParameter { name: "hash_bits", .. })));
    }
    assert!(Shingler::words(MAX_K).is_ok());
}

#[test]
fn narrow_hashes_stay_in_their_range_and_fill_it() {
    let settings = Shingling { unit: Unit::Characters, k: 2, hash_bits: 10, ..Shingling::default() };
    let mut random = crate::hashing::SplitMix64::new(1);
    let text: String = (0..40_000).map(|_| char::from(b'a' + random.below(26) as u8)).collect();
    let set = Shingler::new(settings).unwrap().set(text);
    assert!(set.as_slice().iter().all(|&hash| hash < 1024));
    assert!(set.len() > 300);
}

#[test]
fn hashes_of_words_are_fixed() {
    // Known answers: a change here is a change of every stored signature.
    let mut buffer = ShingleBuffer::default();
    let hashes = Shingler::words(2).unwrap().hashes("The quick brown fox", &mut buffer);
    assert_eq!(hashes, KNOWN_WORDS);
    let hashes = Shingler::characters(3).unwrap().hashes("fünf", &mut buffer);
    assert_eq!(hashes, KNOWN_CHARACTERS);
    assert_eq!(hash_bytes(b"a word that has more than sixteen bytes"), KNOWN_LONG_WORD);
}

// Computed from the definition with another program.
const KNOWN_WORDS: [u64; 3] =
    [3_434_959_758_866_380_330, 17_222_771_799_999_748_664, 1_738_838_284_861_449_714];
const KNOWN_CHARACTERS: [u64; 2] = [2_457_572_769_539_822_286, 11_799_355_888_488_220_185];
const KNOWN_LONG_WORD: u64 = 8_509_443_699_064_532_413;

#[test]
fn structured_tokens_do_not_collide() {
    // Tokens that differ in the last bytes of both halves of 16 bytes: pairs of numbers, and words of eight
    // two-byte letters of which the fourth and the eighth vary. No two of 10^6 should meet (chance 3e-8).
    let shingler = Shingler::words(1).unwrap();
    let numbers: Vec<[u8; 16]> = (0..65_536u64)
        .map(|i| {
            let mut token = [0; 16];
            token[..8].copy_from_slice(&(i / 256).to_be_bytes());
            token[8..].copy_from_slice(&(i % 256).to_be_bytes());
            token
        })
        .collect();
    assert_eq!(shingler.set_of_tokens(&numbers).len(), numbers.len());
    let hexadecimal: Vec<String> =
        (0..1_000_000).map(|i| format!("{:08x}{:08x}", i % 1000, i / 1000)).collect();
    assert_eq!(shingler.set_of_tokens(&hexadecimal).len(), hexadecimal.len());
    let letters: Vec<char> = ('а'..='я').collect();
    let cyrillic: Vec<String> =
        letters.iter().flat_map(|a| letters.iter().map(move |b| format!("адб{a}зпш{b}"))).collect();
    assert_eq!(shingler.set_of_tokens(&cyrillic).len(), cyrillic.len());
}

#[test]
fn a_hash_has_no_weak_bits_on_structured_words() {
    // 65,536 numbers as words: every bit of the hash is set in half of them. The standard deviation is 128, so
    // six of them are exceeded by chance once in ten million runs of 64 bits.
    let mut counts = [0i64; 64];
    for number in 0..65_536u32 {
        let hash = Shingler::words(1).unwrap().set(number.to_string()).as_slice()[0];
        for (bit, count) in counts.iter_mut().enumerate() {
            *count += (hash >> bit & 1) as i64;
        }
    }
    for (bit, count) in counts.iter().enumerate() {
        assert!((count - 32_768).abs() < 6 * 128, "bit {bit}: {count}");
    }
}

#[test]
fn suggestion_rejects_nonsense_and_finds_longer_k_for_characters() {
    let documents: Vec<String> = (0..40u64)
        .map(|i| {
            let mut random = crate::hashing::SplitMix64::new(i);
            (0..300)
                .map(|_| ["tion", "ing", "the", " of", "er", "a", " "][random.below(7) as usize])
                .collect()
        })
        .collect();
    let characters = Shingling { unit: Unit::Characters, ..Shingling::default() };
    let found = suggest_k(&characters, &documents, 30, 0.02).unwrap();
    assert!(found.k > 8, "{found:?}");
    assert!(found.chance_share.windows(2).all(|pair| pair[1] <= pair[0] + 0.05), "{found:?}");
    assert!(suggest_k(&characters, &documents[..1], 10, 0.02).is_err());
    assert!(suggest_k(&characters, &documents, 10, f64::NAN).is_err());
    assert!(suggest_k(&characters, &documents, 0, 0.02).is_err());
    assert!(suggest_k(&characters, &documents, MAX_K + 1, 0.02).is_err());
    assert!(suggest_k(&characters, &["", "", "", ""], 10, 0.02).is_err());
    assert!(suggest_k(&characters, &["", "one text", ""], 10, 0.02).is_err());
    assert_eq!((usual_k(800), usual_k(20_000), usual_k(1_000_000)), (5, 9, 10));
}

fn fifty_letters(seed: u64) -> String {
    let mut random = crate::hashing::SplitMix64::new(seed);
    (0..50).map(|_| char::from(b'a' + random.below(26) as u8)).collect()
}

/// 799 documents, of which 400 are looked at. Were they the first 400, which are all the same, no k would be enough.
#[test]
fn suggestion_looks_at_the_whole_sample() {
    let documents: Vec<String> = (0..799).map(|i| fifty_letters(i.max(400))).collect();
    let characters = Shingling { unit: Unit::Characters, ..Shingling::default() };
    let found = suggest_k(&characters, &documents, 12, 0.02).unwrap();
    assert!(found.k < 6, "{found:?}");
    assert_eq!(suggest_k(&characters, &documents[..400], 12, 0.02).unwrap().k, 12);
}

/// One pair in three is of duplicates, which the median does not see and a mean would.
#[test]
fn a_minority_of_duplicates_does_not_change_the_suggestion() {
    let documents: Vec<String> =
        (0..60).map(|i| fifty_letters(if i >= 30 && i % 3 == 0 { i - 30 } else { i })).collect();
    let characters = Shingling { unit: Unit::Characters, ..Shingling::default() };
    let found = suggest_k(&characters, &documents, 12, 0.02).unwrap();
    assert!(found.k < 6, "{found:?}");
}

#[test]
fn a_set_is_a_slice_that_is_searched_quickly() {
    let set: ShingleSet = [5, 1, 9, 5].into_iter().collect();
    let slice: &[u64] = &set;
    assert_eq!((slice, set.as_ref()), (&[1, 5, 9][..], set.as_slice()));
    let found: Vec<u64> = (0..12).filter(|&shingle| set.contains(shingle)).collect();
    assert_eq!(found, [1, 5, 9]);
    assert!(!ShingleSet::default().contains(0));
}

#[test]
fn a_shrunken_buffer_gives_the_same_hashes() {
    let (long, short) = ("many words of a long text ".repeat(5000), "a few words of a short text");
    let shingler = Shingler::words(3).unwrap();
    let mut buffer = ShingleBuffer::default();
    let expected = shingler.hashes(short, &mut buffer).to_vec();
    shingler.hashes(&long, &mut buffer);
    let before = (buffer.folded.capacity(), buffer.hashes.capacity());
    buffer.shrink_to(100);
    assert!(buffer.folded.capacity() < before.0 / 100 && buffer.hashes.capacity() < before.1 / 10);
    assert_eq!(shingler.hashes(short, &mut buffer), expected);
}
