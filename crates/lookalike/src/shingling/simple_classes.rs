//! The characters of the Basic Multilingual Plane for which UAX 29, case folding and NFC are simple.
//!
//! Most text outside ASCII consists of characters that need none of the finer rules: letters that join like ASCII
//! letters, dashes and signs that part words like a space, ideographs that stand for themselves. For those a
//! class is enough; whatever is not listed is left to the full algorithms.
//!
//! The list is generated: the test `the_list_is_what_the_unicode_crates_say` derives it from `unicode-segmentation`,
//! `unicode-normalization` and our table of case folding, and compares. `cargo xtask tables` writes it.

use std::sync::OnceLock;

/// What a character does to words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Class {
    /// Not simple: ask the full algorithms.
    Complex,
    /// Parts words, and is in none.
    Separator,
    /// Joins other letters and digits; case folding and NFC leave it alone.
    Letter,
    /// The same, but case folding makes another such letter of it.
    Capital,
    /// A word by itself.
    Ideograph,
    /// Joins two letters, or two digits, between which it stands.
    Joiner,
}

/// The class of a character.
pub(super) fn class(character: char) -> Class {
    static TABLE: OnceLock<Box<[Class]>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let mut table = vec![Class::Complex; 1 << 16];
        for &(first, last, class) in super::simple_ranges::RANGES {
            table[usize::from(first)..=usize::from(last)].fill(class);
        }
        table.into_boxed_slice()
    });
    table.get(character as usize).copied().unwrap_or(Class::Complex)
}

/// True if case folding and NFC are known to leave a character alone, whatever stands beside it.
pub(crate) fn is_folded_and_composed(character: char) -> bool {
    !matches!(class(character), Class::Complex | Class::Capital)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shingling::words;
    use crate::unicode::fold_character;
    use std::fmt::Write;
    use unicode_normalization::char::canonical_combining_class;
    use unicode_normalization::{IsNormalized, is_nfc_quick};

    /// Derives the class by asking the full algorithms about texts with the character in them.
    fn derive(character: char) -> Class {
        let c = character;
        let parts = |text: String| words(&text).map(str::to_owned).collect::<Vec<_>>();
        // A mark may move; what the quick check is not sure of may compose.
        let is_stable = |c: char| {
            is_nfc_quick(std::iter::once(c)) == IsNormalized::Yes && canonical_combining_class(c) == 0
        };
        if c.is_ascii() || !is_stable(c) {
            return Class::Complex;
        }
        let whole = |text: String| parts(text.clone()) == [text];
        let is_letter = |c: char| {
            whole(format!("{c}"))
                && ["a", "1", "_"].iter().all(|x| whole(format!("{x}{c}{x}")))
                && ["a.", "a'", "a:", "_a."].iter().all(|x| whole(format!("{x}{c}")))
                && [".a", "'a", ":a", "\u{2019}a"].iter().all(|x| whole(format!("{c}{x}")))
                && [",", ";", "\"", "..", ".1"].iter().all(|x| parts(format!("{c}{x}{c}")).len() == 2)
                && parts(format!("a\"{c}")).len() == 2
                && parts(format!("1.{c}")).len() == 2
                && parts(format!("{c}'")) == [c.to_string()]
        };
        let folded: Vec<char> = fold_character(c).collect();
        let [folded] = folded[..] else { return Class::Complex };
        if !is_stable(folded) {
            return Class::Complex;
        }
        let between = |x: &str| parts(format!("{x}{c}{x}"));
        if is_letter(c) {
            let folds = folded != c;
            return match (folds, is_letter(folded)) {
                (false, _) => Class::Letter,
                (true, true) => Class::Capital,
                (true, false) => Class::Complex,
            };
        }
        if folded != c || c == '\u{202f}' {
            return Class::Complex;
        }
        let stands_alone = parts(format!("{c}{c}")) == [c.to_string(), c.to_string()]
            && ["a", "1", "_a", "é", "東"]
                .iter()
                .all(|x| between(x) == [(*x).to_owned(), c.to_string(), (*x).to_owned()])
            && parts(format!("a.{c}.a")).len() == 3
            && parts(format!("_{c}_")) == [c.to_string()];
        if stands_alone {
            return Class::Ideograph;
        }
        let has_no_word = parts(format!("{c}")).is_empty() && parts(format!("{c}{c}")).is_empty();
        let parted = |x: &str| between(x) == [x.to_owned(), x.to_owned()];
        if has_no_word
            && ["a", "1", "_a", "é", "東"].iter().all(|x| parted(x))
            && parts(format!("a.{c}a")).len() == 2
            && parts(format!("a{c}.a")).len() == 2
        {
            return Class::Separator;
        }
        let joins = has_no_word
            && whole(format!("a{c}a"))
            && whole(format!("1{c}1"))
            && whole(format!("é{c}a"))
            && parts(format!("a{c}1")).len() == 2
            && parts(format!("a{c}{c}a")).len() == 2
            && parts(format!("_{c}a")) == ["a"]
            && parts(format!("a{c}_")) == ["a"];
        if joins { Class::Joiner } else { Class::Complex }
    }

    #[test]
    fn the_list_is_what_the_unicode_crates_say() {
        let mut ranges: Vec<(u32, u32, Class)> = Vec::new();
        for code in 0..=0xffff {
            let class = char::from_u32(code).map_or(Class::Complex, derive);
            match ranges.last_mut() {
                _ if class == Class::Complex => {}
                Some((_, last, of)) if *of == class && *last + 1 == code => *last = code,
                _ => ranges.push((code, code, class)),
            }
        }
        let mut text = String::from(
            "//! Generated by the test `the_list_is_what_the_unicode_crates_say`; see `simple_classes`.\n\n\
             use super::simple_classes::Class::{self, Capital, Ideograph, Joiner, Letter, Separator};\n\n\
             #[rustfmt::skip]\npub(super) static RANGES: &[(u16, u16, Class)] = &[\n",
        );
        for line in ranges.chunks(4) {
            let entries: Vec<String> = line
                .iter()
                .map(|(first, last, class)| format!("({first:#06x}, {last:#06x}, {class:?})"))
                .collect();
            writeln!(text, "    {},", entries.join(", ")).unwrap();
        }
        text.push_str("];\n");
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/shingling/simple_ranges.rs");
        if std::env::var_os("UPDATE_TABLES").is_some() {
            std::fs::write(path, &text).unwrap();
        }
        assert!(
            std::fs::read_to_string(path).unwrap() == text,
            "run this test with UPDATE_TABLES=1 and look at the change"
        );
    }

    #[test]
    fn usual_characters_are_simple() {
        for (characters, expected) in [
            ("éñμλжб가한ابجऄ", Class::Letter),
            ("ÉÑΜΛЖБ\u{b5}", Class::Capital),
            ("–—“”…×±°→≤\u{a0}\u{2009}。、", Class::Separator),
            ("東京ひタ", Class::Ideograph),
            ("’‘", Class::Joiner),
            ("\u{301}\u{200d}\u{202f}ßא", Class::Complex),
        ] {
            for character in characters.chars() {
                assert_eq!(class(character), expected, "{character:?} {:x}", character as u32);
            }
        }
    }
}
