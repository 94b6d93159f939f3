//! Text as it came -> normalised text that knows where each of its characters came from.
//!
//! Normalisation changes lengths: blanks collapse, `ß` becomes `ss`, a letter and its accent become one character. To
//! mark a word of the normalised text in the original, its range must be carried back.
//!
//! The text is cut into *clusters*: a character and those behind it that case folding and the Unicode form might
//! combine it with. Over the edge of a cluster nothing composes and no mark moves, so each is normalised by itself,
//! and what comes out of it came from it. Stretches in which every character keeps its length are one entry of the
//! map, so that plain text needs few.

use super::{
    Normalization, Punctuation, UnicodeForm, Whitespace, fold, fold_and_compose, is_ascii_blank,
    is_folded_and_composed,
};
use crate::normalization::Case;
use std::borrow::Cow;
use std::ops::Range;
use unicode_normalization::char::{canonical_combining_class, is_combining_mark};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// Normalised text, and where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LocatedText {
    text: String,
    /// Ascending; each reaches to the next one.
    pieces: Vec<Piece>,
}

/// A piece of normalised text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Piece {
    /// Where it begins.
    normalized: usize,
    /// What it was made of.
    original: Range<usize>,
    /// Whether its characters have their old lengths; otherwise it is one cluster and is not divided.
    is_parallel: bool,
}

impl LocatedText {
    /// The text that [`Normalization::normalize`] gives, located.
    pub(crate) fn new(normalization: &Normalization, text: &str) -> Self {
        let mut writer = Writer {
            settings: *normalization,
            is_simple: matches!(normalization.form, UnicodeForm::Nfc | UnicodeForm::Keep),
            located: Self { text: String::with_capacity(text.len()), pieces: Vec::new() },
            blank: None,
        };
        writer.push_all(text);
        writer.located
    }

    /// The normalised text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The ranges of the original text that these ranges of the normalised one came from. They must be ascending, not
    /// empty, and end where characters do.
    pub(crate) fn originals(
        &self,
        ranges: impl Iterator<Item = Range<usize>>,
    ) -> impl Iterator<Item = Range<usize>> {
        let mut at = 0;
        ranges.map(move |range| {
            at = self.advance(at, range.start);
            let start = self.pieces.get(at).map_or(0, |piece| piece.start(range.start));
            at = self.advance(at, range.end.saturating_sub(1));
            let end = self.pieces.get(at).map_or(0, |piece| piece.end(range.end));
            start..end.max(start)
        })
    }

    /// The piece that has `position`, which is not before piece `at`.
    fn advance(&self, mut at: usize, position: usize) -> usize {
        while self.pieces.get(at + 1).is_some_and(|next| next.normalized <= position) {
            at += 1;
        }
        at
    }
}

impl Piece {
    fn start(&self, normalized: usize) -> usize {
        self.original.start + if self.is_parallel { normalized - self.normalized } else { 0 }
    }

    fn end(&self, normalized: usize) -> usize {
        if self.is_parallel {
            self.original.start + (normalized - self.normalized)
        } else {
            self.original.end
        }
    }
}

struct Writer {
    settings: Normalization,
    /// Whether characters that are folded and composed can be told by their class.
    is_simple: bool,
    located: LocatedText,
    /// Whitespace that becomes a blank when something follows it.
    blank: Option<Range<usize>>,
}

impl Writer {
    fn push_all(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            if bytes[at].is_ascii() && bytes.get(at + 1).is_none_or(u8::is_ascii) {
                self.push_ascii(bytes[at], at);
                at += 1;
            } else {
                let end = self.end_of_cluster(text, at);
                self.push_cluster(&text[at..end], at);
                at = end;
            }
        }
    }

    fn end_of_cluster(&self, text: &str, start: usize) -> usize {
        let mut characters = text[start..].char_indices().skip(1);
        characters
            .find(|&(_, character)| self.begins_cluster(character))
            .map_or(text.len(), |(offset, _)| start + offset)
    }

    /// Whether nothing before a character can compose with it or move behind it.
    fn begins_cluster(&self, character: char) -> bool {
        if character.is_ascii()
            || self.settings.form == UnicodeForm::Keep
            || (self.is_simple && is_folded_and_composed(character))
        {
            return true;
        }
        let mut utf8 = [0; 4];
        let folded = fold(Cow::Borrowed(character.encode_utf8(&mut utf8)), self.settings.case);
        let first = match self.settings.form {
            UnicodeForm::Nfkc | UnicodeForm::Nfkd => folded.nfkd().next(),
            UnicodeForm::Nfc | UnicodeForm::Nfd | UnicodeForm::Keep => folded.nfd().next(),
        };
        first.is_some_and(|first| {
            canonical_combining_class(first) == 0 && is_nfc_quick(std::iter::once(first)) == IsNormalized::Yes
        })
    }

    fn push_ascii(&mut self, byte: u8, at: usize) {
        if is_ascii_blank(byte) {
            self.push_whitespace(char::from(byte), at..at + 1, true);
        } else if self.settings.punctuation == Punctuation::Keep || byte.is_ascii_alphanumeric() {
            let folds = self.settings.case == Case::Fold;
            let byte = if folds { byte.to_ascii_lowercase() } else { byte };
            self.push_character(char::from(byte), at..at + 1, true);
        }
    }

    fn push_cluster(&mut self, cluster: &str, at: usize) {
        let original = at..at + cluster.len();
        let mut characters = cluster.chars();
        let only = characters.next().filter(|_| characters.next().is_none());
        if let Some(character) = only
            && self.is_simple
            && is_folded_and_composed(character)
            && !character.is_ascii()
        {
            self.push(character, original, true);
            return;
        }
        let settled = fold_and_compose(cluster, self.settings.case, self.settings.form);
        let is_parallel = only.is_some() && settled.len() == cluster.len() && settled.chars().count() == 1;
        for character in settled.chars() {
            self.push(character, original.clone(), is_parallel);
        }
    }

    fn push(&mut self, character: char, original: Range<usize>, is_parallel: bool) {
        let drops = self.settings.punctuation == Punctuation::Drop;
        if character.is_whitespace() {
            self.push_whitespace(character, original, is_parallel);
        } else if !drops || character.is_alphanumeric() || is_combining_mark(character) {
            self.push_character(character, original, is_parallel);
        }
    }

    fn push_whitespace(&mut self, character: char, original: Range<usize>, is_parallel: bool) {
        match self.settings.whitespace {
            Whitespace::Remove => {}
            Whitespace::Keep => self.append(character, original, is_parallel),
            Whitespace::Collapse if self.located.text.is_empty() => {}
            Whitespace::Collapse => {
                let start = self.blank.as_ref().map_or(original.start, |blank| blank.start);
                self.blank = Some(start..original.end);
            }
        }
    }

    #[inline]
    fn push_character(&mut self, character: char, original: Range<usize>, is_parallel: bool) {
        if let Some(blank) = self.blank.take() {
            let is_one_byte = blank.len() == 1;
            self.append(' ', blank, is_one_byte);
        }
        self.append(character, original, is_parallel);
    }

    #[inline]
    fn append(&mut self, character: char, original: Range<usize>, is_parallel: bool) {
        let normalized = self.located.text.len();
        self.located.text.push(character);
        match self.located.pieces.last_mut() {
            Some(last) if is_parallel && last.is_parallel && last.original.end == original.start => {
                last.original.end = original.end;
            }
            // More characters of the same cluster.
            Some(last) if !is_parallel && !last.is_parallel && last.original == original => {}
            _ => self.located.pieces.push(Piece { normalized, original, is_parallel }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn settings() -> impl Strategy<Value = Normalization> {
        use UnicodeForm::{Keep, Nfc, Nfd, Nfkc, Nfkd};
        (
            prop_oneof![Just(Case::Fold), Just(Case::Keep)],
            prop_oneof![Just(Nfc), Just(Nfd), Just(Nfkc), Just(Nfkd), Just(Keep)],
            prop_oneof![Just(Punctuation::Keep), Just(Punctuation::Drop)],
            prop_oneof![Just(Whitespace::Collapse), Just(Whitespace::Remove), Just(Whitespace::Keep)],
        )
            .prop_map(|(case, form, punctuation, whitespace)| Normalization {
                case,
                form,
                punctuation,
                whitespace,
            })
    }

    /// Texts in which much composes, folds and moves.
    const DIFFICULT: &str = "[ a-cA-CéÉßſĐ\u{300}-\u{303}\u{323}\u{327}\u{345}\u{340}ᄀ각ᅡᆨ\u{ff9e}カ\u{3099}ﬁℌΣσς\u{1f80}\
                             \u{37a}\u{202f}\n\t.,'’·東א\u{5b0}\u{93c}क𝒜]{0,24}";

    fn difficult() -> impl Strategy<Value = String> {
        proptest::string::string_regex(DIFFICULT).unwrap()
    }

    proptest! {
        #[test]
        fn it_is_the_normalised_text(text in prop_oneof![difficult(), any::<String>()], settings in settings()) {
            let located = LocatedText::new(&settings, &text);
            prop_assert_eq!(located.text(), settings.normalize(&text));
            let characters = located.text().char_indices().map(|(at, c)| at..at + c.len_utf8());
            let mut last = 0;
            for range in located.originals(characters) {
                prop_assert!(text.get(range.clone()).is_some_and(|origin| !origin.is_empty()));
                prop_assert!(range.start >= last);
                last = range.start;
            }
        }
    }
}
