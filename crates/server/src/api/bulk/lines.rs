//! Pieces of a stream -> its lines, each up to a limit.

use bytes::{Buf, Bytes, BytesMut};

/// A line of a stream, without its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Line {
    /// The line.
    Whole(Bytes),
    /// The line was longer than the limit. It is not kept.
    TooLong,
}

impl Line {
    /// The bytes that it takes in memory.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Whole(line) => line.len(),
            Self::TooLong => 0,
        }
    }
}

/// Cuts a stream into lines. No more than one line and one piece are kept.
#[derive(Debug)]
pub(super) struct Lines {
    kept: BytesMut,
    /// No line ends before this byte of what is kept.
    searched: usize,
    /// True if the rest of a line that is too long is thrown away.
    skipping: bool,
    limit: usize,
}

impl Lines {
    pub(super) fn new(limit: usize) -> Self {
        Self { kept: BytesMut::new(), searched: 0, skipping: false, limit }
    }

    /// Takes the next piece of the stream.
    pub(super) fn push(&mut self, piece: &[u8]) {
        self.kept.extend_from_slice(piece);
    }

    /// The next line that has ended. Empty lines are left out.
    pub(super) fn next(&mut self) -> Option<Line> {
        loop {
            match memchr::memchr(b'\n', &self.kept[self.searched..]) {
                Some(end) => {
                    let line = self.kept.split_to(self.searched + end).freeze();
                    self.kept.advance(1);
                    self.searched = 0;
                    if let Some(line) = self.checked(line) {
                        return Some(line);
                    }
                }
                None if self.kept.len() > self.limit => {
                    self.skipping = true;
                    self.kept.clear();
                    self.searched = 0;
                    return None;
                }
                None => {
                    self.searched = self.kept.len();
                    return None;
                }
            }
        }
    }

    /// The last line, if the stream does not end with the end of a line.
    pub(super) fn last(&mut self) -> Option<Line> {
        let line = self.kept.split().freeze();
        self.searched = 0;
        self.checked(line)
    }

    fn checked(&mut self, line: Bytes) -> Option<Line> {
        if std::mem::take(&mut self.skipping) || line.len() > self.limit {
            return Some(Line::TooLong);
        }
        (!line.trim_ascii().is_empty()).then_some(Line::Whole(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(pieces: &[&[u8]], limit: usize) -> Vec<Line> {
        let mut lines = Lines::new(limit);
        let mut all = Vec::new();
        for piece in pieces {
            lines.push(piece);
            all.extend(std::iter::from_fn(|| lines.next()));
        }
        all.extend(lines.last());
        all
    }

    #[test]
    fn lines_do_not_depend_on_the_pieces() {
        let stream = b"{\"a\": 1}\n\n  \r\nsecond\r\n0123456789012\nlast";
        let whole = lines(&[stream], 12);
        assert_eq!(whole.len(), 4);
        assert_eq!(whole[2], Line::TooLong);
        assert_eq!(whole[3], Line::Whole(Bytes::from_static(b"last")));
        for size in 1..stream.len() {
            let pieces: Vec<&[u8]> = stream.chunks(size).collect();
            assert_eq!(lines(&pieces, 12), whole, "pieces of {size}");
        }
    }

    #[test]
    fn a_line_without_end_takes_no_more_memory_than_the_limit() {
        let mut lines = Lines::new(100);
        for _ in 0..1_000 {
            lines.push(&[b'x'; 64]);
            assert!(lines.next().is_none());
            assert!(lines.kept.len() <= 164);
        }
        assert_eq!(lines.last(), Some(Line::TooLong));
        assert_eq!(lines.last(), None);
    }
}
