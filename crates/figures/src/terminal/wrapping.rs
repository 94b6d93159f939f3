//! Styled words -> lines of a column.

use super::style::{Colors, PLAIN, Style};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// A column of text that grows word by word.
#[derive(Debug)]
pub(super) struct Column {
    width: usize,
    colors: Colors,
    lines: Vec<String>,
    /// The current line, as stretches of text with one style each.
    line: Vec<(String, Style)>,
    used: usize,
}

impl Column {
    pub(super) fn new(width: usize, colors: Colors) -> Self {
        Self { width: width.max(2), colors, lines: Vec::new(), line: Vec::new(), used: 0 }
    }

    /// Adds a word. A space comes before it unless it begins a line or `glue` is true.
    pub(super) fn push_word(&mut self, word: &str, style: Style, glue: bool) {
        let width = word.width();
        let blank = usize::from(!glue && self.used > 0);
        if self.used > 0 && self.used + blank + width > self.width {
            self.end_line();
        } else if blank == 1 {
            // The space between two words of a passage has the style of the passage.
            let style = if self.line.last().is_some_and(|last| last.1 == style) { style } else { PLAIN };
            self.append(" ", style);
        }
        if width <= self.width {
            self.append(word, style);
            return;
        }
        for character in word.chars() {
            // This variation selector makes the character before it wide.
            let width = if character == '\u{fe0f}' { 1 } else { character.width().unwrap_or(0) };
            if self.used + width > self.width {
                self.end_line();
            }
            self.append(character.encode_utf8(&mut [0; 4]), style);
            self.used += usize::from(character == '\u{fe0f}');
        }
    }

    fn append(&mut self, text: &str, style: Style) {
        self.used += text.width();
        match self.line.last_mut() {
            Some((last, of)) if *of == style => last.push_str(text),
            _ => self.line.push((text.to_owned(), style)),
        }
    }

    /// Ends the line and fills it to the width of the column.
    pub(super) fn end_line(&mut self) {
        let text: String = self.line.iter().map(|(text, style)| self.colors.paint(text, style)).collect();
        self.lines.push(format!("{text}{}", " ".repeat(self.width.saturating_sub(self.used))));
        self.line.clear();
        self.used = 0;
    }

    /// Ends a paragraph. If the current line is empty, nothing happens.
    pub(super) fn end_paragraph(&mut self) {
        if self.used > 0 {
            self.end_line();
        }
    }

    /// Takes the lines so far. Each has the width of the column.
    pub(super) fn take_lines(&mut self) -> Vec<String> {
        self.end_paragraph();
        std::mem::take(&mut self.lines)
    }

    /// An empty line of the column's width.
    pub(super) fn blank(&self) -> String {
        " ".repeat(self.width)
    }
}

/// True if a terminal would interpret the character instead of showing it. These are the control characters of ASCII
/// and Latin-1, line and paragraph separators, and characters that change the direction of text.
#[must_use]
pub fn is_obeyed(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{200e}' | '\u{200f}' | '\u{61c}')
}

/// Text without characters that a terminal would interpret. Control characters are replaced by their Unicode
/// pictures, others by U+FFFD. The number of characters stays the same.
#[must_use]
pub fn harmless(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            '\u{7f}' => '\u{2421}',
            '\0'..' ' => char::from_u32(0x2400 + character as u32).unwrap_or('\u{fffd}'),
            _ if is_obeyed(character) => '\u{fffd}',
            _ => character,
        })
        .collect()
}
