//! Pieces of a text -> the same, cut where a frame begins and ends: what was left out of the comparison is shown in grey.

use lookalike::passages::Segment;
use std::ops::Range;

/// Cuts pieces at the ends of the frame, whose ranges ascend. Pieces in the frame belong to no passage.
pub(crate) fn cut(segments: Vec<Segment>, frame: &[Range<usize>]) -> Vec<Segment> {
    if frame.is_empty() {
        return segments;
    }
    let mut pieces = Vec::with_capacity(segments.len() + 2 * frame.len());
    for Segment { range, mark } in segments {
        let mut from = range.start;
        while from < range.end {
            let next = frame.partition_point(|part| part.end <= from);
            let (end, is_framed) = match frame.get(next) {
                Some(part) if part.start <= from => (part.end, true),
                Some(part) => (part.start, false),
                None => (range.end, false),
            };
            let to = end.min(range.end);
            pieces.push(Segment { range: from..to, mark: mark.filter(|_| !is_framed) });
            from = to;
        }
    }
    pieces
}

/// True if a byte is in the frame.
pub(crate) fn has(frame: &[Range<usize>], byte: usize) -> bool {
    frame.get(frame.partition_point(|part| part.end <= byte)).is_some_and(|part| part.start <= byte)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike::passages::Mark;

    #[test]
    fn pieces_are_cut_at_the_frame_and_cover_the_text() {
        let mark = Some(Mark { passage: 0, is_shared: true });
        let segments = vec![Segment { range: 0..4, mark: None }, Segment { range: 4..20, mark }];
        let frame = [2..6, 10..12];
        let cut = cut(segments, &frame);
        let ranges: Vec<_> = cut.iter().map(|piece| (piece.range.clone(), piece.mark.is_some())).collect();
        let expected =
            [(0..2, false), (2..4, false), (4..6, false), (6..10, true), (10..12, false), (12..20, true)];
        assert_eq!(ranges, expected);
        assert_eq!(
            [1, 2, 5, 6, 11, 12].map(|byte| has(&frame, byte)),
            [false, true, true, false, true, false]
        );
    }
}
