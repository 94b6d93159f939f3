//! Positions in bytes -> positions in characters.

use std::ops::Range;

/// Converts byte positions of a text to character positions. Counts are stored for stretches of the text.
#[derive(Debug)]
pub struct Characters<'t> {
    text: &'t str,
    stretches: Vec<usize>,
}

impl<'t> Characters<'t> {
    const STRETCH: usize = 1024;

    /// Counts the characters of this text.
    #[must_use]
    pub fn new(text: &'t str) -> Self {
        let mut before = 0;
        let count = |stretch: &[u8]| {
            let here = before;
            before += begun(stretch);
            here
        };
        Self { text, stretches: text.as_bytes().chunks(Self::STRETCH).map(count).collect() }
    }

    /// The number of characters before a byte position, which must be between characters.
    #[must_use]
    pub fn at(&self, position: usize) -> usize {
        let stretch = (position / Self::STRETCH).min(self.stretches.len().saturating_sub(1));
        let before = self.stretches.get(stretch).copied().unwrap_or(0);
        before + begun(&self.text.as_bytes()[stretch * Self::STRETCH..position])
    }

    /// A range of bytes as a range of characters.
    #[must_use]
    pub fn convert(&self, range: &Range<usize>) -> Range<usize> {
        self.at(range.start)..self.at(range.end)
    }
}

/// The number of characters that begin in these bytes of UTF-8.
fn begun(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xc0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_counted_as_by_the_iterator() {
        let text = "aé漢🎈 ".repeat(700);
        let characters = Characters::new(&text);
        for (number, (position, character)) in text.char_indices().enumerate() {
            let end = position + character.len_utf8();
            assert_eq!(characters.convert(&(position..end)), number..number + 1);
        }
        assert_eq!(Characters::new("").at(0), 0);
    }
}
