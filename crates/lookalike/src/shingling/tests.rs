//! Compares shingles with their definition: normalise plainly, cut plainly, hash each shingle by itself.

use super::*;
use crate::normalization::{Case, Punctuation, UnicodeForm, Whitespace};
use proptest::prelude::*;

/// The definition.
fn plainly(settings: &Shingling, key: &Key, text: &[u8]) -> Vec<u64> {
    let text = settings.normalization.normalize_plainly(&String::from_utf8_lossy(text));
    let cut: Vec<&str> = match settings.unit {
        Unit::Characters => text.split("").filter(|character| !character.is_empty()).collect(),
        Unit::Words | Unit::StopWordLed(_) => words(&text).collect(),
    };
    let hash = |tokens: &[&str]| {
        let token = |token: &&str| match settings.unit {
            Unit::Characters => key.character(token.chars().next().unwrap()),
            Unit::Words | Unit::StopWordLed(_) => key.token(token.as_bytes()),
        };
        key.shingle(&tokens.iter().map(token).collect::<Vec<u64>>())
    };
    let mut hashes: Vec<u64> = cut
        .windows(settings.k)
        .filter(|window| match &settings.unit {
            Unit::StopWordLed(stop_words) => stop_words.contains(window[0]),
            Unit::Words | Unit::Characters => true,
        })
        .map(hash)
        .collect();
    if hashes.is_empty() && !cut.is_empty() {
        hashes.push(hash(&cut));
    }
    hashes.iter().map(|hash| hash >> (64 - settings.hash_bits)).collect()
}

fn check(settings: &Shingling, text: &[u8]) -> std::result::Result<(), TestCaseError> {
    check_with(settings, Key::FIXED, text)?;
    // Every text has its own key, and the same one when it is tried again.
    check_with(settings, &Key::from_seed(crate::hashing::hash_bytes(text)), text)
}

fn check_with(settings: &Shingling, key: &Key, text: &[u8]) -> std::result::Result<(), TestCaseError> {
    let expected = plainly(settings, key, text);
    let mut buffer = ShingleBuffer::default();
    for kernel in Kernel::available() {
        let shingler = Shingler::new(settings.clone()).unwrap().with_kernel(kernel).with_key(key.clone());
        // Run twice, so that the test fails if old contents of the buffer are ever read.
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
    (
        unit,
        prop_oneof![4 => 1usize..8, 1 => 8usize..30],
        normalizations(),
        prop_oneof![3 => Just(64u32), 1 => 8u32..64],
    )
        .prop_map(|(unit, k, normalization, hash_bits)| Shingling { unit, k, normalization, hash_bits })
}

/// Text in which every relevant rule of UAX 29 can apply, in every position of a block.
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
            // Also at the end of the text, where no byte after the last block ends the word.
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
        assert!(matches!(Shingler::words(k), Err(Error::OutOfRange { name: "k", .. })));
    }
    for hash_bits in [0, 7, 65] {
        let settings = Shingling { hash_bits, ..Shingling::default() };
        assert!(matches!(Shingler::new(settings), Err(Error::OutOfRange { name: "hash_bits", .. })));
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

/// Hashes of some texts with a key, computed from [the format](crate::format) with another program.
struct Known {
    seed: u64,
    words: [u64; 3],
    characters: [u64; 2],
    long_word: u64,
    longer_word: u64,
    twelve: u64,
    hundred: u64,
}

const KNOWN: [Known; 2] = [
    Known {
        seed: 0x243f_6a88_85a3_08d3,
        words: [13_835_531_587_668_747_783, 11_298_471_941_893_573_523, 15_564_091_880_629_292_870],
        characters: [14_690_918_223_568_307_317, 18_183_208_934_445_715_449],
        long_word: 4_393_021_155_478_264_583,
        longer_word: 1_827_145_083_202_861_148,
        twelve: 14_429_777_538_296_332_073,
        hundred: 13_988_768_722_606_021_177,
    },
    Known {
        seed: 7,
        words: [17_375_554_938_916_490_228, 15_877_146_457_767_864_972, 14_812_841_517_403_774_001],
        characters: [13_720_403_209_184_158_981, 16_928_484_766_298_460_752],
        long_word: 8_371_549_215_474_957_095,
        longer_word: 15_501_285_401_683_549_622,
        twelve: 11_663_696_120_183_194_539,
        hundred: 5_569_402_141_592_189_801,
    },
];

#[test]
fn hashes_of_words_are_fixed() {
    // Known answers. If an answer for the fixed key changes, every stored signature changes.
    let numbers: Vec<String> = (0..100).map(|number| number.to_string()).collect();
    let mut buffer = ShingleBuffer::default();
    for known in KNOWN {
        let key = Key::from_seed(known.seed);
        let words = |k| Shingler::words(k).unwrap().with_key(key.clone());
        assert_eq!(words(2).hashes("The quick brown fox", &mut buffer), known.words);
        let characters = Shingler::characters(3).unwrap().with_key(key.clone());
        assert_eq!(characters.hashes("fünf", &mut buffer), known.characters);
        assert_eq!(key.token(b"a word that has more than sixteen bytes"), known.long_word);
        assert_eq!(key.token(&[b'x'; 200]), known.longer_word);
        assert_eq!(words(12).hashes_of_tokens(&numbers[..12], &mut buffer), [known.twelve]);
        let none_is_a_stop_word = Shingler::stop_word_led().with_key(key.clone());
        assert_eq!(none_is_a_stop_word.hashes_of_tokens(&numbers, &mut buffer), [known.hundred]);
    }
    let fixed = Shingler::words(2).unwrap();
    assert_eq!(fixed.hashes("The quick brown fox", &mut buffer), KNOWN[0].words);
    let hash = crate::hashing::hash_bytes(b"a word that has more than sixteen bytes");
    assert_eq!(hash, 9_541_391_453_705_391_645);
}

proptest! {
    #[test]
    fn how_alike_texts_are_does_not_depend_on_the_key(
        settings in settings(),
        a in AWKWARD,
        b in AWKWARD,
        shared in AWKWARD,
        seed in any::<u64>()
    ) {
        use crate::similarity::SetMeasure;
        let settings = Shingling { hash_bits: 64, ..settings };
        let (a, b) = (format!("{a} {shared}"), format!("{b} {shared}"));
        let fixed = Shingler::new(settings).unwrap();
        let keyed = fixed.clone().with_key(Key::from_seed(seed));
        for measure in [SetMeasure::Jaccard, SetMeasure::Containment] {
            let expected = measure.similarity(&fixed.set(&a), &fixed.set(&b));
            prop_assert_eq!(measure.similarity(&keyed.set(&a), &keyed.set(&b)), expected);
        }
        let counts = |shingler: &Shingler| {
            let mut counts: Vec<u32> = shingler.bag(&a).as_slice().iter().map(|&(_, count)| count).collect();
            counts.sort_unstable();
            counts
        };
        prop_assert_eq!(counts(&fixed), counts(&keyed));
        let (located, mut buffer) = (keyed.locate(&a), ShingleBuffer::default());
        prop_assert_eq!(located.hashes(), keyed.hashes(&a, &mut buffer));
        let expected = fixed.locate(&a);
        prop_assert_eq!(located.tokens(), expected.tokens());
    }
}

#[test]
fn structured_tokens_do_not_collide() {
    // Tokens that differ in the last bytes of both halves of 16 bytes: pairs of numbers, and words of eight
    // two-byte letters of which the fourth and the eighth vary. No two of 10^6 should collide (chance 3e-8).
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

/// 400 of 799 documents are used. If they were the first 400, which are all the same, no k would be enough.
#[test]
fn suggestion_looks_at_the_whole_sample() {
    let documents: Vec<String> = (0..799).map(|i| fifty_letters(i.max(400))).collect();
    let characters = Shingling { unit: Unit::Characters, ..Shingling::default() };
    let found = suggest_k(&characters, &documents, 12, 0.02).unwrap();
    assert!(found.k < 6, "{found:?}");
    assert_eq!(suggest_k(&characters, &documents[..400], 12, 0.02).unwrap().k, 12);
}

/// One pair in three is a pair of duplicates. This does not change the median but would change a mean.
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
