//! Passages -> a text cut into pieces, each of which is in one passage or in none.

use super::{Comparison, Side};
use std::ops::Range;

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// The bytes of the piece.
    pub range: Range<usize>,
    /// The passage that the piece belongs to; `None` if it belongs to no passage.
    pub mark: Option<Mark>,
}

/// The passage that a piece of text belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// The index of the passage in [`Comparison::passages`].
    pub passage: usize,
    /// True if the piece is in a run. Text between two runs of a passage is different in the other text.
    pub is_shared: bool,
}

impl Comparison {
    /// Cuts one of the texts, of `len` bytes, into pieces that follow each other without gap or overlap. A token that
    /// is in two runs is put in the earlier one. A passage whose shingles on this side belong to other passages has
    /// no piece here.
    #[must_use]
    pub fn segments(&self, side: Side, len: usize) -> Vec<Segment> {
        let own = self.passages.iter().enumerate().filter(|(_, passage)| passage.is_own(side));
        let mut runs: Vec<(Range<usize>, usize)> =
            own.flat_map(|(at, passage)| passage.runs.iter().map(move |run| (run.range(side), at))).collect();
        runs.sort_by_key(|(range, passage)| (range.start, range.end, *passage));
        let mut segments = Segments { list: Vec::new(), end: 0 };
        let mut last = None;
        for (range, passage) in runs {
            let between = (last == Some(passage)).then_some(Mark { passage, is_shared: false });
            segments.push(range.start.min(len), between);
            segments.push(range.end.min(len), Some(Mark { passage, is_shared: true }));
            last = Some(passage);
        }
        segments.push(len, None);
        segments.list
    }
}

struct Segments {
    list: Vec<Segment>,
    end: usize,
}

impl Segments {
    /// Adds the piece from the end of the last piece to `end`, unless it is empty.
    fn push(&mut self, end: usize, mark: Option<Mark>) {
        if end <= self.end {
            return;
        }
        match self.list.last_mut() {
            Some(last) if last.mark == mark => last.range.end = end,
            _ => self.list.push(Segment { range: self.end..end, mark }),
        }
        self.end = end;
    }
}
