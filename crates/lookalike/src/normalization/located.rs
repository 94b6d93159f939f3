//! Text as it came -> normalised text that knows where each of its characters came from.
//!
//! Normalisation changes lengths: whitespace collapses, `ß` becomes `ss`, a letter and its accent become one character. To
//! mark a word of the normalised text in the original, its range must be carried back.
//!
//! It is the one normaliser, with a [`Trail`] that notes pieces. Stretches in which every character keeps its length
//! are one piece, so that plain text needs few.

use super::Normalization;
use super::writer::{Trail, write};
use std::ops::Range;

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
    /// True if its characters have their old lengths; otherwise it is one cluster and is not divided.
    is_parallel: bool,
}

impl LocatedText {
    /// The text that [`Normalization::normalize`] gives, located.
    pub(crate) fn new(normalization: &Normalization, text: &str) -> Self {
        let mut normalized = String::with_capacity(text.len());
        let pieces = write(normalization, text, &mut normalized, Vec::new());
        Self { text: normalized, pieces }
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
