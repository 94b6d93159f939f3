//! Text as it came -> normalised text.
//!
//! Two pages that differ only in capitals, line breaks or in how an accent is encoded should give the same
//! shingles. Normalisation takes such differences away, in this order, each step an option:
//!
//! 1. bytes that are not UTF-8 become U+FFFD, one for each maximal invalid part (as the Unicode standard and
//!    [`String::from_utf8_lossy`] do);
//! 2. case: full Unicode case folding (`Straße` and `STRASSE` become equal), or kept;
//! 3. Unicode normalisation form: NFC by default, so that `é` is one character however it was typed; the
//!    compatibility forms can bring capitals back (`℡` becomes `TEL`), so with them 2 and 3 are done twice;
//! 4. punctuation: kept, or dropped: all that is not a letter, digit, mark or whitespace;
//! 5. whitespace: every run of it becomes one blank and the ends are trimmed, or it is removed, or kept.
//!
//! The notes show why the last choice matters (k = 9): with blanks kept, "The plane was ready for touch down"
//! and "The quarterback scored a touchdown" have no shingle in common; with blanks removed both have
//! `touchdown`.
//!
//! ```
//! use lookalike::normalization::{Normalization, Whitespace};
//!
//! let collapse = Normalization::default();
//! assert_eq!(collapse.normalize("  Touch\n\tDOWN "), "touch down");
//!
//! let remove = Normalization { whitespace: Whitespace::Remove, ..Normalization::default() };
//! assert_eq!(remove.normalize("  Touch\n\tDOWN "), "touchdown");
//! ```
//!
//! **Cost.** One pass. With the default settings, stretches of ASCII that need lower case at most are found in
//! blocks, copied whole and put into lower case together; with others ASCII goes through byte by byte. The general
//! path, with its tables, is entered only for the stretches between blanks that hold something else, and not for
//! those whose characters neither case folding nor NFC changes, as most dashes, quotation marks and small letters. All
//! paths give the same text: the general path alone is [`Normalization::normalize_plainly`], and the tests compare.

mod located;

pub(crate) use located::LocatedText;

use crate::shingling::is_folded_and_composed;
use caseless::Caseless;
use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// What is done to a text before it is cut into shingles. Every field changes the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Normalization {
    /// Capital letters.
    pub case: Case,
    /// How composed characters are written.
    pub form: UnicodeForm,
    /// Everything that is not a letter, digit, mark or whitespace.
    pub punctuation: Punctuation,
    /// Blanks, tabs, line breaks and their Unicode relatives.
    pub whitespace: Whitespace,
}

/// What becomes of capital letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Case {
    /// Full Unicode case folding.
    #[default]
    Fold,
    /// As they are.
    Keep,
}

/// The Unicode normalisation form (UAX 15).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum UnicodeForm {
    /// Canonical composition.
    #[default]
    Nfc,
    /// Canonical decomposition.
    Nfd,
    /// Compatibility composition: ligatures, full-width letters and the like become plain.
    Nfkc,
    /// Compatibility decomposition.
    Nfkd,
    /// As it is.
    Keep,
}

/// What becomes of punctuation and symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Punctuation {
    /// As it is.
    #[default]
    Keep,
    /// Removed, with nothing in its place: `don't` becomes `dont`.
    Drop,
}

/// What becomes of whitespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Whitespace {
    /// Every run of it becomes one blank; none is left at the ends.
    #[default]
    Collapse,
    /// Gone.
    Remove,
    /// As it is.
    Keep,
}

impl Normalization {
    /// Changes nothing.
    pub const NONE: Self = Self {
        case: Case::Keep,
        form: UnicodeForm::Keep,
        punctuation: Punctuation::Keep,
        whitespace: Whitespace::Keep,
    };

    /// The normalised text.
    #[must_use]
    pub fn normalize(&self, text: &str) -> String {
        let mut out = String::new();
        self.normalize_into(text, &mut out);
        out
    }

    /// The normalised text of bytes that may not be UTF-8: invalid parts become U+FFFD.
    #[must_use]
    pub fn normalize_bytes(&self, bytes: &[u8]) -> String {
        self.normalize(&String::from_utf8_lossy(bytes))
    }

    /// Like [`normalize`](Self::normalize), into a string that can be used again. What it held is replaced.
    pub fn normalize_into(&self, text: &str, out: &mut String) {
        out.clear();
        out.reserve(text.len());
        let mut writer = Writer { settings: *self, out, blank_is_due: false };
        let mut rest = text;
        while let Some(stretch) = next_general_stretch(rest.as_bytes()) {
            writer.push_ascii(&rest[..stretch.start]);
            let general = &rest[stretch.clone()];
            if matches!(self.form, UnicodeForm::Nfc | UnicodeForm::Keep) && is_unchanging(general) {
                writer.push_unchanging(general);
            } else {
                writer.push_general(general);
            }
            rest = &rest[stretch.end..];
        }
        writer.push_ascii(rest);
    }

    /// The definition: one character after the other, without the ASCII path.
    #[must_use]
    pub fn normalize_plainly(&self, text: &str) -> String {
        let mut out = String::new();
        Writer { settings: *self, out: &mut out, blank_is_due: false }.push_general(text);
        out
    }
}

/// The text with its case and form settled, borrowed where nothing changes.
pub(crate) fn fold_and_compose(text: &str, case: Case, form: UnicodeForm) -> Cow<'_, str> {
    let settled = compose(fold(Cow::Borrowed(text), case), form);
    match form {
        UnicodeForm::Nfkc | UnicodeForm::Nfkd if case == Case::Fold => compose(fold(settled, case), form),
        _ => settled,
    }
}

fn fold(text: Cow<'_, str>, case: Case) -> Cow<'_, str> {
    match case {
        Case::Fold => Cow::Owned(text.chars().default_case_fold().collect()),
        Case::Keep => text,
    }
}

fn compose(text: Cow<'_, str>, form: UnicodeForm) -> Cow<'_, str> {
    match form {
        UnicodeForm::Keep => text,
        UnicodeForm::Nfc if unicode_normalization::is_nfc(&text) => text,
        UnicodeForm::Nfc => Cow::Owned(text.nfc().collect()),
        UnicodeForm::Nfd => Cow::Owned(text.nfd().collect()),
        UnicodeForm::Nfkc => Cow::Owned(text.nfkc().collect()),
        UnicodeForm::Nfkd => Cow::Owned(text.nfkd().collect()),
    }
}

/// How many ASCII bytes in a row make it worthwhile to leave the general path.
pub(crate) const ASCII_RUN: usize = 16;

/// The first stretch that needs the general path: from a blank (or the beginning) before a non-ASCII character
/// to a blank (or the end) after the last one that is near.
///
/// Cutting at an ASCII blank is exact: case folding looks at single characters, and no composition reaches over
/// a blank.
fn next_general_stretch(bytes: &[u8]) -> Option<std::ops::Range<usize>> {
    let first = first_non_ascii(bytes)?;
    let start = bytes[..first].iter().rposition(|&byte| is_ascii_blank(byte)).unwrap_or(0);
    let mut end = first;
    loop {
        match bytes[end..].iter().position(|&byte| is_ascii_blank(byte)) {
            None => return Some(start..bytes.len()),
            Some(offset) => end += offset,
        }
        if bytes[end..bytes.len().min(end + ASCII_RUN)].is_ascii() {
            return Some(start..end);
        }
        end += 1;
    }
}

fn first_non_ascii(bytes: &[u8]) -> Option<usize> {
    const STEP: usize = 128;
    let mut start = 0;
    for step in bytes.chunks(STEP) {
        if !step.is_ascii() {
            return step.iter().position(|byte| !byte.is_ascii()).map(|offset| start + offset);
        }
        start += step.len();
    }
    None
}

/// Whether each character, if it is not ASCII, is left alone by case folding and NFC, wherever it stands.
fn is_unchanging(text: &str) -> bool {
    text.chars().all(|character| character.is_ascii() || is_folded_and_composed(character))
}

/// The length of the stretch at the beginning that, but for capitals, is collapsed already: up to the first blank
/// that is not ' ', or has another blank or nothing behind it.
///
/// Written so that the compiler compares many bytes at once: whole blocks without a branch for each byte.
fn collapsed_stretch(bytes: &[u8]) -> usize {
    const BLOCK: usize = 32;
    let mut start = 0;
    while let Some(block) = bytes.get(start..start + BLOCK + 1) {
        let pairs = block[..BLOCK].iter().zip(&block[1..]);
        let end = |(&byte, &next): (&u8, &u8)| {
            let is_control = |byte: u8| byte.wrapping_sub(b'\t') < 5;
            is_control(byte) | ((byte == b' ') & ((next == b' ') | is_control(next)))
        };
        if pairs.clone().fold(false, |any, pair| any | end(pair)) {
            break;
        }
        start += BLOCK;
    }
    let is_end = |at: usize| {
        is_ascii_blank(bytes[at])
            && (bytes[at] != b' ' || bytes.get(at + 1).is_none_or(|&next| is_ascii_blank(next)))
    };
    (start..bytes.len()).find(|&at| is_end(at)).unwrap_or(bytes.len())
}

/// The ASCII characters for which `char::is_whitespace` holds.
const fn is_ascii_blank(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

/// Writes normalised text and remembers a blank that is due when something follows it.
struct Writer<'a> {
    settings: Normalization,
    out: &'a mut String,
    blank_is_due: bool,
}

impl Writer<'_> {
    fn push_ascii(&mut self, text: &str) {
        if self.settings.whitespace == Whitespace::Collapse && self.settings.punctuation == Punctuation::Keep
        {
            self.push_ascii_collapsed(text);
            return;
        }
        let fold = self.settings.case == Case::Fold;
        let drop = self.settings.punctuation == Punctuation::Drop;
        for byte in text.bytes() {
            if is_ascii_blank(byte) {
                self.push_whitespace(char::from(byte));
            } else if !drop || byte.is_ascii_alphanumeric() {
                self.push_character(char::from(if fold { byte.to_ascii_lowercase() } else { byte }));
            }
        }
    }

    /// The same by stretches, for the settings that change little else than capitals.
    fn push_ascii_collapsed(&mut self, text: &str) {
        let mut rest = text;
        while let Some(start) = rest.bytes().position(|byte| !is_ascii_blank(byte)) {
            self.blank_is_due |= start > 0 && !self.out.is_empty();
            let end = start + collapsed_stretch(&rest.as_bytes()[start..]);
            if std::mem::take(&mut self.blank_is_due) {
                self.out.push(' ');
            }
            let written = self.out.len();
            self.out.push_str(&rest[start..end]);
            if self.settings.case == Case::Fold {
                self.out[written..].make_ascii_lowercase();
            }
            rest = &rest[end..];
        }
        self.blank_is_due |= !rest.is_empty() && !self.out.is_empty();
    }

    /// Text that only capitals of ASCII distinguish from its folded and composed form.
    fn push_unchanging(&mut self, text: &str) {
        let fold = self.settings.case == Case::Fold;
        let drop = self.settings.punctuation == Punctuation::Drop;
        for character in text.chars() {
            if character.is_whitespace() {
                self.push_whitespace(character);
            } else if !drop || character.is_alphanumeric() || is_combining_mark(character) {
                self.push_character(if fold { character.to_ascii_lowercase() } else { character });
            }
        }
    }

    fn push_general(&mut self, text: &str) {
        let drop = self.settings.punctuation == Punctuation::Drop;
        for character in fold_and_compose(text, self.settings.case, self.settings.form).chars() {
            if character.is_whitespace() {
                self.push_whitespace(character);
            } else if !drop || character.is_alphanumeric() || is_combining_mark(character) {
                self.push_character(character);
            }
        }
    }

    #[inline]
    fn push_whitespace(&mut self, character: char) {
        match self.settings.whitespace {
            Whitespace::Collapse => self.blank_is_due = !self.out.is_empty(),
            Whitespace::Remove => {}
            Whitespace::Keep => self.out.push(character),
        }
    }

    #[inline]
    fn push_character(&mut self, character: char) {
        if self.blank_is_due {
            self.out.push(' ');
            self.blank_is_due = false;
        }
        self.out.push(character);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all_settings() -> Vec<Normalization> {
        let mut all = Vec::new();
        for case in [Case::Fold, Case::Keep] {
            for form in
                [UnicodeForm::Nfc, UnicodeForm::Nfd, UnicodeForm::Nfkc, UnicodeForm::Nfkd, UnicodeForm::Keep]
            {
                for punctuation in [Punctuation::Keep, Punctuation::Drop] {
                    for whitespace in [Whitespace::Collapse, Whitespace::Remove, Whitespace::Keep] {
                        all.push(Normalization { case, form, punctuation, whitespace });
                    }
                }
            }
        }
        all
    }

    #[test]
    fn each_option_does_what_it_says() {
        let base = Normalization::default();
        assert_eq!(base.normalize(" It's\r\n\tA  Test. "), "it's a test.");
        assert_eq!(base.normalize("Straße ΣΊΣΥΦΟΣ"), "strasse σίσυφοσ");
        assert_eq!(Normalization { case: Case::Keep, ..base }.normalize("A  b"), "A b");
        assert_eq!(
            Normalization { punctuation: Punctuation::Drop, ..base }.normalize("Don't, stop_it €5!"),
            "dont stopit 5"
        );
        assert_eq!(Normalization { whitespace: Whitespace::Remove, ..base }.normalize(" a b\u{a0}c "), "abc");
        assert_eq!(Normalization { whitespace: Whitespace::Keep, ..base }.normalize(" A\n b "), " a\n b ");
        assert_eq!(Normalization::NONE.normalize(" A\u{301}\n"), " A\u{301}\n");
    }

    #[test]
    fn forms_compose_and_decompose() {
        let with = |form| Normalization { form, ..Normalization::default() };
        assert_eq!(with(UnicodeForm::Nfc).normalize("cafe\u{301}"), "caf\u{e9}");
        assert_eq!(with(UnicodeForm::Nfd).normalize("caf\u{e9}"), "cafe\u{301}");
        assert_eq!(with(UnicodeForm::Nfkc).normalize("\u{fb01}n \u{ff21}"), "fin a");
        assert_eq!(with(UnicodeForm::Nfkd).normalize("\u{fb01}n\u{e9}"), "fine\u{301}");
        assert_eq!(with(UnicodeForm::Keep).normalize("cafe\u{301}"), "cafe\u{301}");
        assert_eq!(with(UnicodeForm::Nfkc).normalize("℡ ㎆ ™ 𝐀"), "tel mb tm a");
    }

    #[test]
    fn invalid_utf8_becomes_the_replacement_character() {
        assert_eq!(Normalization::default().normalize_bytes(b"ab\xffc \xe2\x82 d"), "ab\u{fffd}c \u{fffd} d");
    }

    #[test]
    fn a_far_non_ascii_character_does_not_change_the_ascii_before_it() {
        let text = format!("{} É {}", "Plain Words. ".repeat(50), "MORE words ".repeat(50));
        for settings in all_settings() {
            assert_eq!(settings.normalize(&text), settings.normalize_plainly(&text), "{settings:?}");
        }
    }

    #[test]
    fn blanks_at_every_place_of_a_block() {
        for len in 0..80 {
            let text: String = (0..len).map(|i| char::from(b"aBcDEfg"[i % 7])).collect();
            for at in 0..=len {
                for blanks in
                    [" ", "  ", "\t", "\n\n", " \r", "\u{b}", "\u{c} ", "\u{1c}", "\u{8}", " \u{e}", "\u{a0}"]
                {
                    let text = format!("{}{blanks}{}", &text[..at], &text[at..]);
                    for settings in [
                        Normalization::default(),
                        Normalization { case: Case::Keep, ..Normalization::default() },
                    ] {
                        assert_eq!(settings.normalize(&text), settings.normalize_plainly(&text), "{text:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_character_is_treated_like_the_definition_says() {
        // With what composes, what joins, and what is changed on both sides.
        for character in (0..=0x1_ffff).filter_map(char::from_u32) {
            let text = format!(
                "A {character} B{character}\u{301}X x{character}y E\u{301}{character} {character}{character}Z"
            );
            let settings = Normalization::default();
            assert_eq!(
                settings.normalize(&text),
                settings.normalize_plainly(&text),
                "{:x}",
                character as u32
            );
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn the_ascii_path_equals_the_definition(
            text in "([ -~\\t\\n]{0,40}|[\\u{300}-\\u{345}ÀéßſKİΣςﬁ½ 　\\u{a0}¨´가각각<=>]{0,3}){0,12}"
        ) {
            for settings in all_settings() {
                prop_assert_eq!(settings.normalize(&text), settings.normalize_plainly(&text), "{:?}", settings);
            }
        }

        #[test]
        fn a_second_time_changes_nothing(text in any::<String>()) {
            // What is dropped or removed can bring a letter and a mark together that then compose.
            let keeps = |s: &Normalization| s.punctuation == Punctuation::Keep && s.whitespace != Whitespace::Remove;
            for settings in all_settings().iter().filter(|settings| keeps(settings)) {
                let once = settings.normalize(&text);
                prop_assert_eq!(settings.normalize(&once), once, "{:?}", settings);
            }
        }

        #[test]
        fn any_text_at_all(text in any::<String>()) {
            for settings in all_settings() {
                prop_assert_eq!(settings.normalize(&text), settings.normalize_plainly(&text), "{:?}", settings);
            }
        }
    }
}
