//! Shingles of any bytes, with any settings and on every kernel, compared with their definition.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use lookalike::Kernel;
use lookalike::hashing::Key;
use lookalike::normalization::{Case, Normalization, Punctuation, UnicodeForm, Whitespace};
use lookalike::shingling::{MAX_K, ShingleBuffer, Shingler, Shingling, StopWords, Unit, words};
use std::collections::BTreeMap;

#[derive(Debug, Arbitrary)]
struct Input {
    text: Vec<Piece>,
    unit: u8,
    k: u8,
    hash_bits: u8,
    case: bool,
    form: u8,
    punctuation: bool,
    whitespace: u8,
}

/// Text is composed of pieces, so that words and joiners are likely at every position of a block.
#[derive(Debug, Arbitrary)]
enum Piece {
    Bytes(Vec<u8>),
    Character(char),
    /// This many letters in a row.
    Letters(u8),
    /// This many spaces in a row.
    Blanks(u8),
    Awkward(u8),
}

/// Pieces of text for which the rules for words matter.
const AWKWARD: [&str; 24] = [
    "the ",
    "a",
    "1",
    "_",
    ".",
    ":",
    "'",
    ",",
    ";",
    "\u{2019}",
    "é",
    "ß",
    "Σ",
    "İ",
    "東",
    "ター",
    "ﾊﾟ",
    "ที่",
    "가",
    "\u{301}",
    "\u{200d}",
    "\u{202f}",
    "\u{a0}",
    "א\"",
];

fn text(pieces: &[Piece]) -> Vec<u8> {
    let mut text = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Bytes(bytes) => text.extend_from_slice(bytes),
            Piece::Character(character) => text.extend_from_slice(character.to_string().as_bytes()),
            Piece::Letters(count) => text.resize(text.len() + usize::from(*count), b'X'),
            Piece::Blanks(count) => text.resize(text.len() + usize::from(*count), b' '),
            Piece::Awkward(which) => text.extend_from_slice(choose(&AWKWARD, *which).as_bytes()),
        }
    }
    text.truncate(4096);
    text
}

fn choose<T: Copy>(choices: &[T], which: u8) -> T {
    choices[usize::from(which) % choices.len()]
}

fn settings(input: &Input) -> Shingling {
    let forms = [UnicodeForm::Nfc, UnicodeForm::Nfd, UnicodeForm::Nfkc, UnicodeForm::Nfkd, UnicodeForm::Keep];
    let unit = match input.unit % 4 {
        0 | 1 => Unit::Words,
        2 => Unit::Characters,
        _ => Unit::StopWordLed(StopWords::new(["the", "x", "a", "1"])),
    };
    let normalization = Normalization::default()
        .with_case(choose(&[Case::Fold, Case::Keep], input.case.into()))
        .with_form(choose(&forms, input.form))
        .with_punctuation(choose(&[Punctuation::Keep, Punctuation::Drop], input.punctuation.into()))
        .with_whitespace(choose(
            &[Whitespace::Collapse, Whitespace::Remove, Whitespace::Keep],
            input.whitespace,
        ));
    Shingling::default()
        .with_unit(unit)
        .with_k(usize::from(input.k) % MAX_K + 1)
        .with_normalization(normalization)
        .with_hash_bits(if input.hash_bits % 2 == 0 { 64 } else { 8 + u32::from(input.hash_bits) % 57 })
}

/// The hashes of word shingles, by definition.
fn word_shingles(settings: &Shingling, key: &Key, normalized: &str) -> Vec<u64> {
    let words: Vec<&str> = words(normalized).collect();
    let hash = |words: &[&str]| {
        let tokens: Vec<u64> = words.iter().map(|word| key.token(word.as_bytes())).collect();
        key.shingle(&tokens) >> (64 - settings.hash_bits)
    };
    let is_shingle = |window: &&[&str]| match &settings.unit {
        Unit::StopWordLed(stop_words) => stop_words.contains(window[0]),
        _ => true,
    };
    let mut shingles: Vec<u64> = words.windows(settings.k).filter(is_shingle).map(hash).collect();
    if shingles.is_empty() && !words.is_empty() {
        shingles.push(hash(&words));
    }
    shingles
}

/// Checks that shingles of characters are equal exactly if their hashes are equal.
fn check_characters(settings: &Shingling, normalized: &str, hashes: &[u64]) {
    let characters: Vec<char> = normalized.chars().collect();
    let k = settings.k.min(characters.len()).max(1);
    let mut hash_of = BTreeMap::new();
    let windows: Vec<&[char]> = characters.windows(k).collect();
    assert_eq!(windows.len(), hashes.len());
    for (window, hash) in windows.into_iter().zip(hashes) {
        assert_eq!(hash_of.entry(window).or_insert(hash), &hash);
    }
    if settings.hash_bits == 64 {
        let mut different: Vec<_> = hash_of.values().collect();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), hash_of.len());
    }
}

fuzz_target!(|input: Input| {
    let (settings, text) = (settings(&input), text(&input.text));
    let normalized = settings.normalization.normalize_plainly(&String::from_utf8_lossy(&text));
    assert_eq!(settings.normalization.normalize_bytes(&text), normalized);

    let shingler = Shingler::new(settings.clone()).expect("these settings are allowed");
    // One buffer is used for all documents. If data of an earlier document were ever read, the result would be wrong.
    let mut buffer = ShingleBuffer::default();
    shingler.hashes("what an earlier document left, ".repeat(40), &mut buffer);
    let hashes = shingler.clone().with_kernel(Kernel::PORTABLE).hashes(&text, &mut buffer).to_vec();
    if settings.unit == Unit::Characters {
        check_characters(&settings, &normalized, &hashes);
        let as_it_is = settings.clone().with_normalization(Normalization::NONE);
        let as_it_is = Shingler::new(as_it_is).expect("these settings are allowed");
        assert_eq!(as_it_is.hashes(&normalized, &mut buffer), hashes);
    } else {
        assert_eq!(hashes, word_shingles(&settings, Key::FIXED, &normalized));
        let key = Key::from_seed(u64::from(input.k) << 8 | u64::from(input.hash_bits));
        let keyed = shingler.clone().with_key(key.clone());
        assert_eq!(keyed.hashes(&text, &mut buffer), word_shingles(&settings, &key, &normalized));
    }
    for kernel in Kernel::available() {
        let shingler = shingler.clone().with_kernel(kernel);
        assert_eq!(shingler.hashes(&text, &mut buffer), hashes, "{}", kernel.name());
    }
    if let Ok(text) = std::str::from_utf8(&text) {
        assert_eq!(shingler.shingles(text).len(), hashes.len());
    }
});
