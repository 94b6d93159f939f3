//! The only normaliser. It writes normalised text and tells a [`Trail`] where each piece came from.
//!
//! There are three paths: one for ASCII, one for stretches that are known not to change, and a general one. If the
//! trail needs locations, the general path cuts the text into *clusters*. A cluster is a character and the following
//! characters that case folding or the Unicode form might combine with it. Nothing composes and no mark moves across
//! the edge of a cluster, so each cluster is normalised by itself and its output comes from it alone.

use super::{Case, Normalization, Punctuation, UnicodeForm, Whitespace};
use crate::shingling::is_folded_and_composed;
use crate::unicode::{fold_character, fold_into, is_alphanumeric, is_whitespace};
use std::borrow::Cow;
use std::ops::Range;
use unicode_normalization::char::{canonical_combining_class, is_combining_mark};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// Records where each piece of normalised text came from.
pub(super) trait Trail {
    /// True if the trail needs the origin of every cluster.
    const LOCATES: bool;

    /// Records that the piece that begins at `normalized` in the normalised text came from the bytes `original` of
    /// the original. In a parallel piece every character has the same length as before. Any other piece is one
    /// cluster and is never divided.
    fn push(&mut self, normalized: usize, original: Range<usize>, is_parallel: bool);
}

/// The trail that records nothing.
impl Trail for () {
    const LOCATES: bool = false;

    #[inline(always)]
    fn push(&mut self, _: usize, _: Range<usize>, _: bool) {}
}

/// Writes the normalised text to `out`, which must be empty, and returns the trail.
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

/// The definition of `write`: every step on the whole text.
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

/// Applies the case and the Unicode form to the text. The result is borrowed if nothing changes.
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

/// True for U+0345 and the characters that may decompose to it. Decomposing before case folding makes a difference
/// for these characters only.
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

/// The general path is left when at least this many ASCII bytes follow in a row.
pub(crate) const ASCII_RUN: usize = 16;

/// The first stretch that needs the general path. It begins at the last space (or the start of the text) before a
/// non-ASCII character. It ends at the first space that has no non-ASCII character shortly after it, or at the end.
///
/// Cutting at ASCII whitespace does not change the result: case folding looks at single characters, and no
/// composition reaches across a space.
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

/// True if case folding and NFC change none of the non-ASCII characters, whatever their neighbours are.
fn is_unchanging(text: &str) -> bool {
    text.chars().all(|character| character.is_ascii() || is_folded_and_composed(character))
}

/// The length of the stretch at the beginning in which whitespace is collapsed already. The stretch ends at the first
/// whitespace that is not ' ', or that is followed by more whitespace or by the end.
///
/// The loop handles whole blocks without a branch for each byte, so that the compiler can compare many bytes at once.
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

/// True for the ASCII characters that are whitespace in Unicode.
const fn is_ascii_space(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

/// Writes normalised text. It holds back whitespace until it is known whether a character follows.
struct Writer<'a, T> {
    settings: Normalization,
    out: &'a mut String,
    trail: T,
    space: Option<Range<usize>>,
}

impl<T: Trail> Writer<'_, T> {
    /// Writes ASCII text that begins at byte `at` of the original.
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

    /// The same, but a stretch at a time. For settings under which hardly anything but capitals changes.
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

    /// Writes text in which case folding and composition change nothing except ASCII capitals.
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

    /// True if no character before this one can compose with it or move to a position after it.
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

    /// Writes text with all steps. A single character that becomes one character of the same length is a parallel
    /// piece.
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

    /// Holds back whitespace. Together with whitespace held back before, it becomes one space, unless it is at an end
    /// of the text.
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
