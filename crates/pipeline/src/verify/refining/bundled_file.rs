//! Documents as lists of bundles, one behind the other in a file, each at an *offset*.
//!
//! A page of slots has hundreds of shingles and a dozen bundles: what does not fit in memory as shingles is a short file here.

use crate::resume::work::Work;
use crate::solve::Bundled;
use crate::store::Number;
use crate::{Error, Result};
use bytemuck::{cast_slice, cast_slice_mut};
use files::OutFile;
use std::io::Write;
use std::os::unix::fs::FileExt;

/// Words that are gathered before they are written, and that are read at a time where all documents are.
const GATHERED: usize = if cfg!(test) { 64 } else { 16 << 10 };

/// Words that are read at a time where one document is. Most are shorter.
const GUESSED: usize = if cfg!(test) { 8 } else { 64 };

/// Words of a document before the ranks of its bundles: its number and what it is compared within in two each, the size of its
/// set, and how many bundles there are.
const HEAD: usize = 6;

/// Takes documents.
#[derive(Debug)]
pub(super) struct BundledWriter {
    file: OutFile,
    gathered: Vec<u32>,
}

/// The documents in their order.
#[derive(Debug)]
pub(super) struct BundledFile {
    file: OutFile,
}

/// A document that was read.
#[derive(Debug, Clone, Default)]
pub(super) struct BundledDocument {
    words: Vec<u32>,
}

impl BundledDocument {
    pub(super) fn number(&self) -> Number {
        self.pair(0)
    }

    /// What sets its keys apart from those of another value of `--within`.
    pub(super) fn within(&self) -> u64 {
        self.pair(2)
    }

    /// Bytes that it takes in memory.
    pub(super) fn bytes(&self) -> u64 {
        4 * self.words.len() as u64
    }

    pub(super) fn bundled(&self) -> Bundled<'_> {
        Bundled { size: self.words[4] as usize, ranks: &self.words[HEAD..] }
    }

    fn pair(&self, at: usize) -> u64 {
        u64::from(self.words[at]) | u64::from(self.words[at + 1]) << 32
    }
}

impl BundledWriter {
    pub(super) fn new(work: &Work) -> Result<Self> {
        Ok(Self { file: work.spill_file()?, gathered: Vec::new() })
    }

    pub(super) fn push(&mut self, number: Number, within: u64, document: Bundled<'_>) -> Result<()> {
        let Bundled { size, ranks } = document;
        let halves = |word: u64| [word as u32, (word >> 32) as u32];
        self.gathered
            .extend([halves(number), halves(within), [size as u32, ranks.len() as u32]].as_flattened());
        self.gathered.extend_from_slice(ranks);
        if self.gathered.len() >= GATHERED { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        let written = self.file.write_all(cast_slice(&self.gathered));
        self.gathered.clear();
        written.map_err(|cause| failed("write", &self.file, cause))
    }

    pub(super) fn finish(mut self) -> Result<BundledFile> {
        self.flush()?;
        Ok(BundledFile { file: self.file })
    }
}

fn failed(action: &'static str, file: &OutFile, cause: std::io::Error) -> Error {
    Error::Io { action, name: file.path().display().to_string(), cause }
}

impl BundledFile {
    /// Words of all documents.
    fn words(&self) -> u64 {
        self.file.bytes() / 4
    }

    fn read_words(&self, offset: u64, into: &mut [u32]) -> Result<()> {
        let read = self.file.file().read_exact_at(cast_slice_mut(into), offset * 4);
        read.map_err(|cause| failed("read", &self.file, cause))
    }

    /// Reads the document at an offset.
    pub(super) fn read(&self, offset: u64, document: &mut BundledDocument) -> Result<()> {
        let words = &mut document.words;
        words.resize(GUESSED.min((self.words() - offset) as usize), 0);
        self.read_words(offset, words)?;
        let (known, length) = (words.len(), HEAD + words[5] as usize);
        words.resize(length, 0);
        if length > known {
            self.read_words(offset + known as u64, &mut words[known..])?;
        }
        Ok(())
    }

    /// Hands all documents to `visit`, with their offsets.
    pub(super) fn visit(&self, mut visit: impl FnMut(u64, &BundledDocument) -> Result<()>) -> Result<()> {
        let (mut offset, mut document) = (0, BundledDocument::default());
        // What was read and not handed on, from `at` on.
        let (mut read, mut at): (Vec<u32>, usize) = (Vec::new(), 0);
        while offset < self.words() {
            let known = read.len() - at;
            let length = if known < HEAD { HEAD } else { HEAD + read[at + 5] as usize };
            if known < length {
                read.drain(..at);
                at = 0;
                let more = (length - known).max(GATHERED) as u64;
                let more = more.min(self.words() - offset - known as u64) as usize;
                read.resize(known + more, 0);
                self.read_words(offset + known as u64, &mut read[known..])?;
                continue;
            }
            document.words.clear();
            document.words.extend_from_slice(&read[at..at + length]);
            visit(offset, &document)?;
            at += length;
            offset += length as u64;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike::hashing::SplitMix64;

    #[test]
    fn documents_come_back_from_their_offsets_and_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let work = Work::temporary(folder.path()).unwrap();
        let mut random = SplitMix64::new(1);
        let documents: Vec<(Number, u64, Vec<u32>)> = (0..100)
            .map(|_| {
                let ranks =
                    (0..random.below(30) * random.below(8)).map(|_| random.next_u64() as u32).collect();
                (random.next_u64(), random.next_u64(), ranks)
            })
            .collect();
        let mut writer = BundledWriter::new(&work).unwrap();
        for (number, within, ranks) in &documents {
            writer.push(*number, *within, Bundled { size: ranks.len() + 7, ranks }).unwrap();
        }
        let file = writer.finish().unwrap();
        let (mut seen, mut again) = (0, BundledDocument::default());
        file.visit(|offset, document| {
            file.read(offset, &mut again)?;
            for document in [document, &again] {
                let (number, within, ranks) = &documents[seen];
                assert_eq!((document.number(), document.within()), (*number, *within));
                assert_eq!(document.bundled().size, ranks.len() + 7);
                assert_eq!(document.bundled().ranks, ranks);
            }
            seen += 1;
            Ok(())
        })
        .unwrap();
        assert_eq!(seen, 100);
        BundledWriter::new(&work).unwrap().finish().unwrap().visit(|_, _| panic!("there is none")).unwrap();
    }
}
