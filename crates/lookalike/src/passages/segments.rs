//! Passages -> a text cut into pieces that are in one passage or in none.

use super::{Comparison, Side};
use std::ops::Range;

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// Its bytes.
    pub range: Range<usize>,
    /// What it belongs to; nothing if it is not shared.
    pub mark: Option<Mark>,
}

/// Which passage a piece of text belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// The passage, by its place in [`Comparison::passages`].
    pub passage: usize,
    /// Whether it is in a run: what lies between two runs of a passage differs in the other text.
    pub is_shared: bool,
}

impl Comparison {
    /// One of the texts, of `len` bytes, as pieces that follow each other without gap or overlap. A token that two
    /// runs have goes to the earlier one. Passages that only repeat on this side what belongs to others have no
    /// piece here.
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
    /// Adds what lies between the end so far and `end`, if anything.
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
