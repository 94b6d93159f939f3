//! Bytes of text that were read -> the progress of a stage, in bytes of its source files.
//!
//! The text length of a compressed source is known only at its end. Until then the usual compression ratio of text is
//! assumed, and the difference is corrected at the end. Therefore the progress is correct after every source, and
//! never exceeds its size.

use crate::sketch::Sources;
use corpus::{Compression, Format, Source};

/// The assumed number of bytes of text per byte of a compressed source.
const PACKED: u64 = 4;

/// The progress in one source.
#[derive(Debug, Default)]
pub(crate) struct SourcePace {
    packed: bool,
    /// The bytes that are left in the source; `None` if its size is not known.
    left: Option<u64>,
}

impl SourcePace {
    /// Begins a source.
    pub(crate) fn new(source: &Source) -> Self {
        let packed = source.compression != Compression::None || source.format == Format::Parquet;
        Self { packed, left: (source.size > 0).then_some(source.size) }
    }

    /// Records that `bytes` more bytes of text were read, and returns the progress in bytes of the source.
    pub(crate) fn advance(&mut self, bytes: u64) -> u64 {
        let Some(left) = &mut self.left else { return bytes };
        let amount = (if self.packed { bytes / PACKED } else { bytes }).min(*left);
        *left -= amount;
        amount
    }

    /// Records the end of the source, and returns the remaining progress.
    pub(crate) fn end(&mut self) -> u64 {
        self.left.take().unwrap_or(0)
    }
}

/// The progress in all sources, which are read one after the other.
#[derive(Debug)]
pub(crate) struct Pace<'a> {
    sources: Sources<'a>,
    at: usize,
    current: SourcePace,
}

impl<'a> Pace<'a> {
    /// Begins the first source.
    pub(crate) fn new(sources: Sources<'a>) -> Self {
        let current =
            if sources.len() == 0 { SourcePace::default() } else { SourcePace::new(sources.get(0)) };
        Self { sources, at: 0, current }
    }

    /// Records that `bytes` more bytes of text were read from a source, and that the sources before it are done.
    pub(crate) fn advance(&mut self, source: usize, bytes: u64) -> u64 {
        let mut amount = 0;
        while self.at < source {
            amount += self.current.end();
            self.at += 1;
            self.current = SourcePace::new(self.sources.get(self.at));
        }
        amount + self.current.advance(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use corpus::{Location, Stamp};

    fn source(size: u64, compression: Compression) -> Source {
        Source {
            name: "a".into(),
            output: "a".into(),
            location: Location::Stdin,
            format: Format::Jsonl,
            compression,
            size,
            stamp: Stamp::Unknown,
            ids: None,
        }
    }

    #[test]
    fn every_source_counts_as_much_as_its_size() {
        let corpus =
            [source(1_000, Compression::None), source(100, Compression::Zstd), source(10, Compression::None)];
        let mut pace = Pace::new(Sources { against: &[], corpus: &corpus, seen: None });
        assert_eq!([pace.advance(0, 600), pace.advance(0, 400)], [600, 400]);
        assert_eq!([pace.advance(1, 200), pace.advance(1, 300)], [50, 50], "more than it was taken to hold");
        assert_eq!(pace.advance(2, 10), 10);
        let mut pace = Pace::new(Sources { against: &[], corpus: &corpus, seen: None });
        assert_eq!(pace.advance(1, 40), 1_010);
        assert_eq!(pace.advance(2, 10), 100);
    }

    #[test]
    fn a_source_of_unknown_size_counts_as_much_as_it_gives() {
        let corpus = [source(0, Compression::Gzip)];
        let mut pace = Pace::new(Sources { against: &[], corpus: &corpus, seen: None });
        assert_eq!([pace.advance(0, 600), pace.advance(0, 400)], [600, 400]);
    }
}
