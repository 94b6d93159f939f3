//! The one normaliser: it writes normalised text, and tells a [`Trail`] where each piece came from.
//!
//! ASCII, stretches that are known not to change, and everything else have a path each. For a trail that locates, the
//! last one cuts the text into *clusters*: a character and those behind it that case folding and the Unicode form might
//! combine it with. Over the edge of a cluster nothing composes and no mark moves, so each is normalised by itself, and
//! what comes out of it came from it.

use super::{Case, Normalization, Punctuation, UnicodeForm, Whitespace};
use crate::shingling::is_folded_and_composed;
use crate::unicode::{fold_character, fold_into, is_alphanumeric, is_whitespace};
use std::borrow::Cow;
use std::ops::Range;
use unicode_normalization::char::{canonical_combining_class, is_combining_mark};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// What keeps track of where the text came from.
pub(super) trait Trail {
    /// True if it must know the origin of every cluster.
    const LOCATES: bool;

    /// What begins at `normalized` in the normalised text came from these bytes of the original. If it is parallel, its
    /// characters have their old lengths; otherwise it is one cluster and is not divided.
    fn push(&mut self, normalized: usize, original: Range<usize>, is_parallel: bool);
}

/// Nobody asks.
impl Trail for () {
    const LOCATES: bool = false;

    #[inline(always)]
    fn push(&mut self, _: usize, _: Range<usize>, _: bool) {}
}

/// Appends the normalised text to `out`, which is empty, and returns the trail.
pub(super) fn write<T: Trail>(settings: &Normalization, text: &str, out: &mut String, trail: T) -> T {
    let mut writer = Writer { settings: *settings, out, trail, space: None };
    let is_simple = matches!(settings.form, UnicodeForm::Nfc | UnicodeForm::Keep);
    let mut at = 0;
    while let Some(stretch) = next_general_stretch(&text.as_bytes()[at..]) {
        let (start, end) = (at + stretch.start, at + stretch.end);
        writer.push_ascii(&text[at..start], at);
        let general = &text[start..end];
        if is_simple && is_unchanging(general) {
            writer.push_unchanging(general, start);
        } else if T::LOCATES {
            writer.push_clusters(general, start);
        } else {
            writer.push_general(general, start, false);
        }
        at = end;
    }
    writer.push_ascii(&text[at..], at);
    writer.trail
}

/// The definition.
pub(super) fn write_plainly(settings: &Normalization, text: &str) -> String {
    let mut out = String::new();
    let fold = |text: String| match settings.case {
        Case::Fold => text.chars().flat_map(fold_character).collect(),
        Case::Keep => text,
    };
    let settled: String = match (settings.form, settings.case) {
        (UnicodeForm::Keep, _) => fold(text.to_owned()),
        (_, Case::Fold) => fold(text.nfd().collect()),
        (_, Case::Keep) => text.to_owned(),
    };
    let settled: String = match settings.form {
        UnicodeForm::Keep => settled,
        UnicodeForm::Nfc => settled.nfc().collect(),
        UnicodeForm::Nfd => settled.nfd().collect(),
        UnicodeForm::Nfkc => fold(settled.nfkc().collect()).nfkc().collect(),
        UnicodeForm::Nfkd => fold(settled.nfkd().collect()).nfkd().collect(),
    };
    let mut writer = Writer { settings: *settings, out: &mut out, trail: (), space: None };
    for character in settled.chars() {
        writer.push(character, 0..0, false);
    }
    out
}

/// The text with its case and form settled, borrowed where nothing changes.
pub(crate) fn fold_and_compose(text: &str, case: Case, form: UnicodeForm) -> Cow<'_, str> {
    let settled = compose(fold(Cow::Borrowed(text), case, form), form);
    match form {
        UnicodeForm::Nfkc | UnicodeForm::Nfkd if case == Case::Fold => {
            compose(fold(settled, case, form), form)
        }
        _ => settled,
    }
}

fn fold(text: Cow<'_, str>, case: Case, form: UnicodeForm) -> Cow<'_, str> {
    match case {
        Case::Fold => {
            let mut folded = String::with_capacity(text.len());
            if form != UnicodeForm::Keep && text.contains(may_have_iota_subscript) {
                fold_into(text.nfd(), &mut folded);
            } else {
                fold_into(text.chars(), &mut folded);
            }
            Cow::Owned(folded)
        }
        Case::Keep => text,
    }
}

/// U+0345, and what may decompose to it: the only characters for which decomposing first makes a difference.
const fn may_have_iota_subscript(character: char) -> bool {
    matches!(character, '\u{345}' | '\u{1f80}'..='\u{1ffc}')
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

/// The first stretch that needs the general path: from a space (or the beginning) before a non-ASCII character
/// to a space (or the end) after the last one that is near.
///
/// Cutting at ASCII whitespace is exact: case folding looks at single characters, and no composition reaches over
/// a space.
fn next_general_stretch(bytes: &[u8]) -> Option<Range<usize>> {
    let first = first_non_ascii(bytes)?;
    let start = bytes[..first].iter().rposition(|&byte| is_ascii_space(byte)).unwrap_or(0);
    let mut end = first;
    loop {
        match bytes[end..].iter().position(|&byte| is_ascii_space(byte)) {
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

/// True if each character, unless it is ASCII, is left alone by case folding and NFC, whatever stands beside it.
fn is_unchanging(text: &str) -> bool {
    text.chars().all(|character| character.is_ascii() || is_folded_and_composed(character))
}

/// The length of the stretch at the beginning that, but for capitals, is collapsed already: up to the first whitespace
/// that is not ' ', or has other whitespace or nothing behind it.
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
        is_ascii_space(bytes[at])
            && (bytes[at] != b' ' || bytes.get(at + 1).is_none_or(|&next| is_ascii_space(next)))
    };
    (start..bytes.len()).find(|&at| is_end(at)).unwrap_or(bytes.len())
}

/// The ASCII characters that are whitespace to Unicode.
const fn is_ascii_space(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

/// Writes normalised text and remembers whitespace that becomes a space when something follows it.
struct Writer<'a, T> {
    settings: Normalization,
    out: &'a mut String,
    trail: T,
    space: Option<Range<usize>>,
}

impl<T: Trail> Writer<'_, T> {
    /// ASCII that stands at `at` in the original.
    fn push_ascii(&mut self, text: &str, at: usize) {
        if self.settings.whitespace == Whitespace::Collapse && self.settings.punctuation == Punctuation::Keep
        {
            self.push_ascii_collapsed(text, at);
            return;
        }
        for (offset, &byte) in text.as_bytes().iter().enumerate() {
            self.push_ascii_byte(byte, at + offset);
        }
    }

    /// The same by stretches, for the settings that change little else than capitals.
    fn push_ascii_collapsed(&mut self, text: &str, at: usize) {
        let mut done = 0;
        while let Some(offset) = text.as_bytes()[done..].iter().position(|&byte| !is_ascii_space(byte)) {
            let start = done + offset;
            if offset > 0 {
                self.collapse(at + done..at + start);
            }
            let end = start + collapsed_stretch(&text.as_bytes()[start..]);
            self.push_space_that_is_due();
            let written = self.out.len();
            self.out.push_str(&text[start..end]);
            if self.settings.case == Case::Fold {
                self.out[written..].make_ascii_lowercase();
            }
            self.trail.push(written, at + start..at + end, true);
            done = end;
        }
        if done < text.len() {
            self.collapse(at + done..at + text.len());
        }
    }

    fn push_ascii_byte(&mut self, byte: u8, at: usize) {
        if is_ascii_space(byte) {
            self.push_whitespace(char::from(byte), at..at + 1, true);
        } else if self.settings.punctuation == Punctuation::Keep || byte.is_ascii_alphanumeric() {
            let byte = if self.settings.case == Case::Fold { byte.to_ascii_lowercase() } else { byte };
            self.push_character(char::from(byte), at..at + 1, true);
        }
    }

    /// Text that only capitals of ASCII distinguish from its folded and composed form.
    fn push_unchanging(&mut self, text: &str, at: usize) {
        let fold = self.settings.case == Case::Fold;
        for (offset, character) in text.char_indices() {
            let original = at + offset..at + offset + character.len_utf8();
            self.push(if fold { character.to_ascii_lowercase() } else { character }, original, true);
        }
    }

    fn push_clusters(&mut self, text: &str, at: usize) {
        let bytes = text.as_bytes();
        let mut start = 0;
        while start < bytes.len() {
            if bytes[start].is_ascii() && bytes.get(start + 1).is_none_or(u8::is_ascii) {
                self.push_ascii_byte(bytes[start], at + start);
                start += 1;
                continue;
            }
            let mut others = text[start..].char_indices().skip(1);
            let end = others.find(|&(_, character)| self.begins_cluster(character));
            let end = end.map_or(text.len(), |(offset, _)| start + offset);
            let cluster = &text[start..end];
            self.push_general(cluster, at + start, cluster.chars().nth(1).is_none());
            start = end;
        }
    }

    /// True if nothing before a character can compose with it or move behind it.
    fn begins_cluster(&self, character: char) -> bool {
        if character.is_ascii() || self.settings.form == UnicodeForm::Keep {
            return true;
        }
        let mut utf8 = [0; 4];
        let text = &*character.encode_utf8(&mut utf8);
        let is_starter = |first: Option<char>| first.is_some_and(|c| canonical_combining_class(c) == 0);
        let folded = fold(Cow::Borrowed(text), self.settings.case, self.settings.form);
        let first = match self.settings.form {
            UnicodeForm::Nfkc | UnicodeForm::Nfkd => folded.nfkd().next(),
            UnicodeForm::Nfc | UnicodeForm::Nfd | UnicodeForm::Keep => folded.nfd().next(),
        };
        is_starter(text.nfd().next())
            && is_starter(first)
            && first.is_some_and(|first| is_nfc_quick(std::iter::once(first)) == IsNormalized::Yes)
    }

    /// All steps. What is one character, and becomes one of the same length, is parallel.
    fn push_general(&mut self, text: &str, at: usize, is_one_character: bool) {
        let original = at..at + text.len();
        let settled = fold_and_compose(text, self.settings.case, self.settings.form);
        let is_parallel = is_one_character && settled.len() == text.len() && settled.chars().nth(1).is_none();
        for character in settled.chars() {
            self.push(character, original.clone(), is_parallel);
        }
    }

    #[inline]
    fn push(&mut self, character: char, original: Range<usize>, is_parallel: bool) {
        if is_whitespace(character) {
            self.push_whitespace(character, original, is_parallel);
        } else if self.settings.punctuation == Punctuation::Keep
            || is_alphanumeric(character)
            || is_combining_mark(character)
        {
            self.push_character(character, original, is_parallel);
        }
    }

    #[inline]
    fn push_whitespace(&mut self, character: char, original: Range<usize>, is_parallel: bool) {
        match self.settings.whitespace {
            Whitespace::Collapse => self.collapse(original),
            Whitespace::Remove => {}
            Whitespace::Keep => self.append(character, original, is_parallel),
        }
    }

    /// Whitespace that becomes a space, together with what was before it, unless it stands at an end.
    #[inline]
    fn collapse(&mut self, original: Range<usize>) {
        if !self.out.is_empty() {
            let start = self.space.as_ref().map_or(original.start, |space| space.start);
            self.space = Some(start..original.end);
        }
    }

    #[inline]
    fn push_space_that_is_due(&mut self) {
        if let Some(space) = self.space.take() {
            let is_one_byte = space.len() == 1;
            self.append(' ', space, is_one_byte);
        }
    }

    #[inline]
    fn push_character(&mut self, character: char, original: Range<usize>, is_parallel: bool) {
        self.push_space_that_is_due();
        self.append(character, original, is_parallel);
    }

    #[inline]
    fn append(&mut self, character: char, original: Range<usize>, is_parallel: bool) {
        self.trail.push(self.out.len(), original, is_parallel);
        self.out.push(character);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_these_characters_decompose_to_an_iota_subscript() {
        for character in '\0'..=char::MAX {
            if std::iter::once(character).nfd().any(|c| c == '\u{345}') {
                assert!(may_have_iota_subscript(character), "{:x}", character as u32);
            }
        }
    }
}
