//! Two texts side by side, with the shared passages marked.
//!
//! A passage that is in order begins on the same line on both sides. A passage has the same colour on both sides.
//! Without colours, its number is written in brackets at both ends: `[1 ... 1]`. Passages that are moved or repeated
//! are underlined.

use super::style::{Colors, DIM, MOVED_PASSAGES, PASSAGES, PLAIN, Style};
use super::wrapping::{Column, harmless};
use lookalike::passages::{Comparison, Mark, Place, Segment, Side};
use std::ops::Range;

/// How texts are shown side by side. These options do not change which passages are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SideBySide {
    /// Columns of the terminal.
    pub width: usize,
    /// Whether passages have colours or numbers.
    pub colors: Colors,
    /// This many words are shown at each end of a stretch that is not shared. The words between are only counted.
    pub unshared_words: usize,
    /// This many words are shown at each end of a shared stretch.
    pub shared_words: usize,
    /// Which line breaks are shown.
    pub line_breaks: LineBreaks,
}

/// Which line breaks of a text are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineBreaks {
    /// All of them: for code and verse.
    All,
    /// Only the breaks between paragraphs: for prose.
    Paragraphs,
}

impl Default for SideBySide {
    /// 100 columns without colours, 12 words at each end of an unshared stretch, 60 at each end of a passage, all
    /// line breaks.
    fn default() -> Self {
        Self {
            width: 100,
            colors: Colors::Off,
            unshared_words: 12,
            shared_words: 60,
            line_breaks: LineBreaks::All,
        }
    }
}

/// The texts side by side.
#[must_use]
pub fn side_by_side(a: &str, b: &str, comparison: &Comparison, options: SideBySide) -> String {
    side_by_side_without(a, b, comparison, [&[], &[]], options)
}

/// The same, with what was left out of each text (ascending ranges of bytes) in grey.
#[must_use]
pub fn side_by_side_without(
    a: &str,
    b: &str,
    comparison: &Comparison,
    frames: [&[Range<usize>]; 2],
    options: SideBySide,
) -> String {
    let width = options.width.max(11).saturating_sub(3) / 2;
    let columns = [(a, Side::A, frames[0]), (b, Side::B, frames[1])].map(|(text, side, frame)| Text {
        text,
        segments: with_tails(text, crate::framed::cut(comparison.segments(side, text.len()), frame)),
        frame,
        comparison,
        options,
        column: Column::new(width, options.colors),
    });
    let [mut left, mut right] = columns;
    let cuts = cuts(&left, &right);
    let mut rows = String::new();
    let mut from = (0, 0);
    for to in cuts.into_iter().chain([(left.segments.len(), right.segments.len())]) {
        let (lines_a, lines_b) = (left.lines(from.0..to.0), right.lines(from.1..to.1));
        for row in 0..lines_a.len().max(lines_b.len()) {
            let line =
                |lines: &[String], column: &Column| lines.get(row).cloned().unwrap_or_else(|| column.blank());
            let row = format!("{} │ {}", line(&lines_a, &left.column), line(&lines_b, &right.column));
            rows.push_str(row.trim_end());
            rows.push('\n');
        }
        from = to;
    }
    rows
}

/// The positions, in segments, at which both texts begin a new line together: before and after every passage that is
/// in order.
fn cuts(left: &Text<'_>, right: &Text<'_>) -> Vec<(usize, usize)> {
    let (first_a, first_b) = (left.first_segments(), right.first_segments());
    let end = |text: &Text<'_>, start: usize, passage: usize| {
        let is_it = |segment: &&Segment| segment.mark.is_some_and(|mark| mark.passage == passage);
        let end = start + text.segments[start..].iter().take_while(is_it).count();
        end + usize::from(text.segments.get(end).is_some_and(|next| is_tail(text.text, next)))
    };
    let mut cuts = Vec::new();
    let mut from = (0, 0);
    for (at, passage) in left.comparison.passages.iter().enumerate() {
        // A short passage can lie within others. Then it has no segment of its own.
        let (Some(of_a), Some(of_b)) = (first_a[at], first_b[at]) else { continue };
        if passage.place == Place::InOrder && of_a >= from.0 && of_b >= from.1 {
            from = (end(left, of_a, at), end(right, of_b, at));
            cuts.extend([(of_a, of_b), from]);
        }
    }
    cuts
}

/// Separates the characters directly after a passage, such as a full stop, from the text that follows.
fn with_tails(text: &str, segments: Vec<Segment>) -> Vec<Segment> {
    let mut cut = Vec::with_capacity(segments.len());
    for segment in segments {
        let piece = &text[segment.range.clone()];
        let tail = piece.find(char::is_whitespace).unwrap_or(piece.len());
        let middle = segment.range.start + tail;
        if segment.mark.is_none() && (1..piece.len()).contains(&tail) && !cut.is_empty() {
            cut.push(Segment { range: segment.range.start..middle, mark: None });
            cut.push(Segment { range: middle..segment.range.end, mark: None });
        } else {
            cut.push(segment);
        }
    }
    cut
}

/// True if [`with_tails`] has separated this segment: it begins directly after a word and has no white space.
fn is_tail(text: &str, segment: &Segment) -> bool {
    segment.mark.is_none()
        && !text[..segment.range.start].ends_with(char::is_whitespace)
        && !text[segment.range.clone()].contains(char::is_whitespace)
}

/// One of the two texts.
struct Text<'t> {
    text: &'t str,
    segments: Vec<Segment>,
    /// What was left out of the comparison.
    frame: &'t [Range<usize>],
    comparison: &'t Comparison,
    options: SideBySide,
    column: Column,
}

impl Text<'_> {
    /// The first segment of each passage.
    fn first_segments(&self) -> Vec<Option<usize>> {
        let mut first = vec![None; self.comparison.passages.len()];
        for (at, segment) in self.segments.iter().enumerate().rev() {
            if let Some(mark) = segment.mark {
                first[mark.passage] = Some(at);
            }
        }
        first
    }

    /// The lines that these segments take.
    fn lines(&mut self, segments: Range<usize>) -> Vec<String> {
        for at in segments.clone() {
            let segment = self.segments[at].clone();
            let text = &self.text[segment.range.clone()];
            let glues = at > segments.start
                && !self.text[..segment.range.start].ends_with(char::is_whitespace)
                && !text.starts_with(char::is_whitespace);
            if self.ends_line(leading_blank(text)) {
                self.column.end_paragraph();
            }
            let words = self.words(at, glues);
            let keep = match segment.mark {
                None => self.options.unshared_words,
                Some(_) => self.options.shared_words,
            };
            let is_framed = crate::framed::has(self.frame, segment.range.start);
            let style = if is_framed { DIM } else { self.style(segment.mark) };
            self.push_words(&words, style, keep);
        }
        self.column.take_lines()
    }

    /// The words of a segment. Without colours, the number of the passage is added at its ends.
    fn words(&self, at: usize, glues: bool) -> Vec<Word> {
        let segment = &self.segments[at];
        let mut words: Vec<Word> = Vec::new();
        let mut rest = self.text[segment.range.clone()].trim_start();
        while !rest.is_empty() {
            let (word, behind) = rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()));
            words.push(Word {
                text: harmless(word),
                glues: glues && words.is_empty(),
                ends_line: self.ends_line(leading_blank(behind)),
            });
            rest = behind.trim_start();
        }
        let Some(mark) = segment.mark.filter(|_| self.options.colors == Colors::Off) else { return words };
        let goes_on = |neighbour: Option<&Segment>| {
            neighbour.and_then(|segment| segment.mark).is_some_and(|other| other.passage == mark.passage)
        };
        let number = mark.passage + 1;
        if let (Some(first), false) = (words.first_mut(), goes_on(self.segments[..at].last())) {
            first.text.insert_str(0, &format!("[{number} "));
        }
        if let (Some(last), false) = (words.last_mut(), goes_on(self.segments.get(at + 1))) {
            last.text.push_str(&format!(" {number}]"));
        }
        words
    }

    /// True if a line ends at this white space.
    fn ends_line(&self, blank: &str) -> bool {
        let breaks = blank.matches('\n').count();
        match self.options.line_breaks {
            LineBreaks::All => breaks > 0,
            LineBreaks::Paragraphs => breaks > 1,
        }
    }

    fn push_words(&mut self, words: &[Word], style: Style, keep: usize) {
        let folded = words.len().saturating_sub(2 * keep);
        // A few words take no more room than the note that counts them.
        if folded <= 4 {
            return self.push_all(words, style);
        }
        self.push_all(&words[..keep], style);
        self.column.push_word(&format!("… {} words …", crate::count(folded as u64)), DIM, false);
        self.push_all(&words[words.len() - keep..], style);
    }

    fn push_all(&mut self, words: &[Word], style: Style) {
        for word in words {
            self.column.push_word(&word.text, style, word.glues);
            if word.ends_line {
                self.column.end_paragraph();
            }
        }
    }

    fn style(&self, mark: Option<Mark>) -> Style {
        let Some(mark) = mark else { return PLAIN };
        if !mark.is_shared {
            return DIM;
        }
        let is_in_order =
            self.comparison.passages.get(mark.passage).is_some_and(|p| p.place == Place::InOrder);
        let styles = if is_in_order { PASSAGES } else { MOVED_PASSAGES };
        styles[mark.passage % styles.len()]
    }
}

/// The white space at the beginning of the text.
fn leading_blank(text: &str) -> &str {
    &text[..text.len() - text.trim_start().len()]
}

/// A word as it is shown.
struct Word {
    text: String,
    /// True if no space comes before the word.
    glues: bool,
    ends_line: bool,
}
