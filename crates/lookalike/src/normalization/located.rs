//! Original text -> normalised text that knows where each of its characters came from.
//!
//! Normalisation changes lengths: whitespace collapses, `ß` becomes `ss`, a letter and its accent become one
//! character. To mark a word of the normalised text in the original, its range must be mapped back.
//!
//! The text is made by the same normaliser as always, with a [`Trail`] that records pieces. A stretch in which every
//! character keeps its length is one piece, so plain text has few pieces.

use super::Normalization;
use super::writer::{Trail, write};
use std::ops::Range;

/// Normalised text, and the positions in the original that it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LocatedText {
    text: String,
    /// The pieces in ascending order. Each ends where the next one begins.
    pieces: Vec<Piece>,
}

/// A piece of normalised text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Piece {
    /// Where the piece begins in the normalised text.
    normalized: usize,
    /// The bytes of the original that the piece was made from.
    original: Range<usize>,
    /// True if every character has the same length as in the original. Any other piece is one cluster and is never
    /// divided.
    is_parallel: bool,
}

impl LocatedText {
    /// Normalises `text` as [`Normalization::normalize`] does and records where each piece came from.
    pub(crate) fn new(normalization: &Normalization, text: &str) -> Self {
        let mut normalized = String::with_capacity(text.len());
        let pieces = write(normalization, text, &mut normalized, Vec::new());
        Self { text: normalized, pieces }
    }

    /// The normalised text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Maps ranges of the normalised text to ranges of the original text. The given ranges must be ascending and not
    /// empty, and must begin and end between characters.
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

    /// The number of the piece that contains `position`. The search starts at piece `at` and only moves forward.
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

impl Trail for Vec<Piece> {
    const LOCATES: bool = true;

    fn push(&mut self, normalized: usize, original: Range<usize>, is_parallel: bool) {
        match self.last_mut() {
            Some(last) if is_parallel && last.is_parallel && last.original.end == original.start => {
                last.original.end = original.end;
            }
            // More characters of the same cluster.
            Some(last) if !is_parallel && !last.is_parallel && last.original == original => {}
            _ => Vec::push(self, Piece { normalized, original, is_parallel }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalization::{Case, Punctuation, UnicodeForm, Whitespace};
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

    /// Texts in which many characters compose, fold and move.
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
