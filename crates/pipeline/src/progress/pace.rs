//! Bytes that were read -> how far along a stage is, in bytes of its sources.
//!
//! How much a compressed source holds is known only at its end. Until then it is taken to be packed as text usually is;
//! at its end whatever is missing is made up for. So the sum is right after every source, and never more than its size.

use crate::sketch::Sources;
use corpus::{Compression, Format, Source};

/// How many bytes of text a byte of a compressed source is taken to hold.
const PACKED: u64 = 4;

/// How far along a source is.
#[derive(Debug, Default)]
pub(crate) struct SourcePace {
    packed: bool,
    /// Bytes of it that are left; nothing if its size is not known.
    left: Option<u64>,
}

impl SourcePace {
    /// At the beginning of a source.
    pub(crate) fn new(source: &Source) -> Self {
        let packed = source.compression != Compression::None || source.format == Format::Parquet;
        Self { packed, left: (source.size > 0).then_some(source.size) }
    }

    /// So many bytes more were read of it: how far that brings it.
    pub(crate) fn advance(&mut self, bytes: u64) -> u64 {
        let Some(left) = &mut self.left else { return bytes };
        let amount = (if self.packed { bytes / PACKED } else { bytes }).min(*left);
        *left -= amount;
        amount
    }

    /// It is at its end: what was missing.
    pub(crate) fn end(&mut self) -> u64 {
        self.left.take().unwrap_or(0)
    }
}

/// How far along all sources are, read one after the other.
#[derive(Debug)]
pub(crate) struct Pace<'a> {
    sources: Sources<'a>,
    at: usize,
    current: SourcePace,
}

impl<'a> Pace<'a> {
    /// At the beginning.
    pub(crate) fn new(sources: Sources<'a>) -> Self {
        let current =
            if sources.len() == 0 { SourcePace::default() } else { SourcePace::new(sources.get(0)) };
        Self { sources, at: 0, current }
    }

    /// So many bytes more were read of a source, and those before it are done.
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
        }
    }

    #[test]
    fn every_source_counts_as_much_as_its_size() {
        let corpus =
            [source(1_000, Compression::None), source(100, Compression::Zstd), source(10, Compression::None)];
        let mut pace = Pace::new(Sources { against: &[], corpus: &corpus });
        assert_eq!([pace.advance(0, 600), pace.advance(0, 400)], [600, 400]);
        assert_eq!([pace.advance(1, 200), pace.advance(1, 300)], [50, 50], "more than it was taken to hold");
        assert_eq!(pace.advance(2, 10), 10);
        let mut pace = Pace::new(Sources { against: &[], corpus: &corpus });
        assert_eq!(pace.advance(1, 40), 1_010);
        assert_eq!(pace.advance(2, 10), 100);
    }

    #[test]
    fn a_source_of_unknown_size_counts_as_much_as_it_gives() {
        let corpus = [source(0, Compression::Gzip)];
        let mut pace = Pace::new(Sources { against: &[], corpus: &corpus });
        assert_eq!([pace.advance(0, 600), pace.advance(0, 400)], [600, 400]);
    }
}
