//! Text -> shingles, and where they stand in it.
//!
//! A shingle is a hash of normalised text; to show it to people, one must know which bytes of the original it came
//! from. [`Shingler::locate`] gives the hashes of [`Shingler::hashes`] with the range of every token.

use super::{ShingleBuffer, Shingler, Unit, words};
use crate::normalization::LocatedText;
use std::ops::Range;

/// The shingles of a text in order, repeats included, and where they stand in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocatedShingles {
    hashes: Vec<u64>,
    /// Byte ranges of the tokens.
    tokens: Vec<Range<usize>>,
    /// The first token of each shingle, if that is not the shingle's own number.
    firsts: Option<Vec<usize>>,
    /// Tokens per shingle.
    width: usize,
}

impl LocatedShingles {
    /// The hashes of the shingles: those of [`Shingler::hashes`].
    #[must_use]
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// The bytes of each token in the text as it was given, normalisation undone. They begin and end between
    /// characters. Tokens of one character that normalisation made several of have the same range.
    #[must_use]
    pub fn tokens(&self) -> &[Range<usize>] {
        &self.tokens
    }

    /// The tokens of a shingle; nothing if there is no such shingle.
    #[must_use]
    pub fn tokens_of(&self, shingle: usize) -> Option<Range<usize>> {
        self.hashes.get(shingle)?;
        let first = self.firsts.as_ref().map_or(Some(shingle), |firsts| firsts.get(shingle).copied())?;
        Some(first..first + self.width)
    }

    /// The bytes from the first token of the first of these shingles to the last token of the last one; nothing if
    /// there is no such shingle.
    #[must_use]
    pub fn range(&self, shingles: Range<usize>) -> Option<Range<usize>> {
        let first = self.tokens_of(shingles.start)?;
        let last = self.tokens_of(shingles.end.checked_sub(1)?)?;
        let (first, last) = (self.tokens.get(first.start)?, self.tokens.get(last.end.checked_sub(1)?)?);
        Some(first.start..last.end)
    }
}

impl Shingler {
    /// The shingles of `text` with their places in it.
    ///
    /// ```
    /// use lookalike::shingling::Shingler;
    ///
    /// let text = "To be,  or NOT to be";
    /// let shingles = Shingler::words(2)?.locate(text);
    /// assert_eq!(&text[shingles.range(1..3).unwrap()], "be,  or NOT");
    /// assert_eq!(shingles.hashes()[0], shingles.hashes()[4]);
    /// # Ok::<(), lookalike::Error>(())
    /// ```
    #[must_use]
    pub fn locate(&self, text: &str) -> LocatedShingles {
        let located = LocatedText::new(&self.settings.normalization, text);
        let normalized = located.text();
        let mut buffer = ShingleBuffer::default();
        let mut ranges = Vec::new();
        if self.settings.unit == Unit::Characters {
            for (at, character) in normalized.char_indices() {
                buffer.tokens.push(self.key.character(character));
                ranges.push(at..at + character.len_utf8());
            }
        } else {
            for range in word_ranges(normalized) {
                buffer.tokens.push(self.key.token(&normalized.as_bytes()[range.clone()]));
                ranges.push(range);
            }
        }
        let tokens: Vec<Range<usize>> = located.originals(ranges.into_iter()).collect();
        self.combine(&mut buffer);
        let mut width = self.settings.k;
        let mut firsts = None;
        if let Unit::StopWordLed(_) = &self.settings.unit {
            let windows = buffer.tokens.as_slice().windows(width).enumerate();
            let led = windows.filter(|(_, window)| self.is_stop_token(window[0]));
            firsts = Some(led.map(|(at, _)| at).collect::<Vec<_>>()).filter(|led| !led.is_empty());
            if firsts.is_none() {
                width = tokens.len();
            }
        }
        LocatedShingles { hashes: buffer.hashes, width: width.min(tokens.len()), tokens, firsts }
    }
}

/// Bytes that are cut into words at once, at least: text that is ASCII takes a faster path.
const STRETCH: usize = 512;

/// Where the [`words`] of a text stand.
fn word_ranges(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    let stretches = std::iter::from_fn(move || {
        // In front of a blank no word goes on, and what follows it does not depend on what precedes it.
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        let blank = rest.as_bytes().iter().skip(STRETCH).position(|&byte| byte == b' ');
        let end = blank.map_or(rest.len(), |offset| offset + STRETCH);
        start += end;
        Some((start - end, &rest[..end]))
    });
    stretches.flat_map(|(offset, stretch)| {
        let begin = stretch.as_ptr().addr();
        words(stretch).map(move |word| {
            let at = offset + (word.as_ptr().addr() - begin);
            at..at + word.len()
        })
    })
}
