//! Text -> shingles with their positions in the text.
//!
//! A shingle is a hash of normalised text. To show it to people, one must know which bytes of the original it came
//! from. [`Shingler::locate`] gives the hashes of [`Shingler::hashes`] together with the byte range of every token.

use super::{ShingleBuffer, Shingler, Unit, words};
use crate::normalization::LocatedText;
use std::ops::Range;

/// The shingles of a text in order, repeats included, with their positions in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocatedShingles {
    hashes: Vec<u64>,
    /// The byte ranges of the tokens.
    tokens: Vec<Range<usize>>,
    /// The number of the first token of each shingle; `None` if shingle i begins with token i.
    firsts: Option<Vec<usize>>,
    /// The number of tokens per shingle.
    width: usize,
}

impl LocatedShingles {
    /// The hashes of the shingles, the same as from [`Shingler::hashes`].
    #[must_use]
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// The byte range of each token in the original text, before normalisation. Ranges begin and end between
    /// characters. If normalisation turned one character into several tokens, these have the same range.
    #[must_use]
    pub fn tokens(&self) -> &[Range<usize>] {
        &self.tokens
    }

    /// The numbers of the tokens of a shingle; `None` if there is no such shingle.
    #[must_use]
    pub fn tokens_of(&self, shingle: usize) -> Option<Range<usize>> {
        self.hashes.get(shingle)?;
        let first = self.firsts.as_ref().map_or(Some(shingle), |firsts| firsts.get(shingle).copied())?;
        Some(first..first + self.width)
    }

    /// The byte range from the first token of the first of these shingles to the last token of the last one; `None`
    /// if there is no such shingle.
    #[must_use]
    pub fn range(&self, shingles: Range<usize>) -> Option<Range<usize>> {
        let first = self.tokens_of(shingles.start)?;
        let last = self.tokens_of(shingles.end.checked_sub(1)?)?;
        let (first, last) = (self.tokens.get(first.start)?, self.tokens.get(last.end.checked_sub(1)?)?);
        Some(first.start..last.end)
    }
}

impl Shingler {
    /// The shingles of `text` with their positions in it.
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

/// Text is cut into words in stretches of at least this many bytes, because stretches of pure ASCII take a faster
/// path.
const STRETCH: usize = 512;

/// The byte ranges of the [`words`] of a text.
fn word_ranges(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    let stretches = std::iter::from_fn(move || {
        // No word continues across a space, and the words after it do not depend on the text before it.
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
