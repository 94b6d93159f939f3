//! Names, ids and messages -> the same without characters that a terminal would interpret or that would break a line.
//!
//! The author of a document chooses its id. Without escaping, an id could move the cursor, rename the window or hide
//! the text that follows. Everything that is printed as text or in columns is escaped here. JSON has its own rules.

use figures::terminal::is_obeyed;
use std::fmt::Write as _;

/// Text on one line. A tab becomes `\t` and the end of a line `\n` or `\r`. Other characters that a terminal would
/// interpret are written like `\u{1b}`.
pub(crate) fn escaped(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\t' => line.push_str("\\t"),
            '\n' => line.push_str("\\n"),
            '\r' => line.push_str("\\r"),
            other if is_obeyed(other) => {
                let _ = write!(line, "\\u{{{:x}}}", other as u32);
            }
            other => line.push(other),
        }
    }
    line
}

/// Escapes each line of a message, and keeps its line breaks.
pub(super) fn escaped_lines(text: &str) -> String {
    text.split('\n').map(escaped).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_that_a_terminal_would_obey() {
        let all: String = (0..=0x10_ffff).filter_map(char::from_u32).collect();
        let shown = escaped(&all);
        assert!(!shown.chars().any(is_obeyed));
        for dangerous in
            ['\u{1b}', '\u{7f}', '\u{9b}', '\u{9d}', '\u{202e}', '\u{2066}', '\u{200f}', '\u{2028}']
        {
            assert!(!shown.contains(dangerous), "{dangerous:?}");
            assert!(shown.contains(&format!("\\u{{{:x}}}", dangerous as u32)), "{dangerous:?}");
        }
    }

    #[test]
    fn what_is_harmless_stays_as_it_is() {
        for text in [
            "",
            "a.jsonl:17",
            "C:\\a",
            "\u{441}\u{43b}\u{43e}\u{432}\u{430}",
            "\u{5e9}\u{5dc}\u{5d5}\u{5dd}",
            "e\u{301} \u{1f600}",
        ] {
            assert_eq!(escaped(text), text);
        }
        assert_eq!(escaped("a\tb\r\nc\u{1b}[2J"), "a\\tb\\r\\nc\\u{1b}[2J");
        assert_eq!(escaped_lines("a\u{7}\nb"), "a\\u{7}\nb");
    }
}
