//! Words of several lists, in any order of lists -> one spill file, from which each list can be read.
//!
//! Each list collects words in a buffer. When the buffer is full, it is appended to the file. The pieces of a list in
//! the file are its *stretches*. All lists share one file without a name: it needs one handle, and the system removes
//! it even if the process is killed.

use crate::resume::work::Work;
use crate::{Error, Result};
use bytemuck::{cast_slice, cast_slice_mut};
use files::OutFile;
use std::io::Write;
use std::ops::Range;
use std::os::unix::fs::FileExt;

/// The largest number of words that a list collects before they are written.
const MOST_GATHERED: u64 = if cfg!(test) { 64 } else { 32 << 10 };

/// The smallest number of words that a list collects before they are written, even if that exceeds the memory limit.
const LEAST_GATHERED: u64 = 16;

/// Collects the words of several lists.
#[derive(Debug)]
pub(crate) struct ListsWriter {
    file: OutFile,
    gathered: usize,
    buffers: Vec<Vec<u64>>,
    stretches: Vec<Vec<Range<u64>>>,
}

/// Several lists in one file.
#[derive(Debug)]
pub(crate) struct Lists {
    file: OutFile,
    stretches: Vec<Vec<Range<u64>>>,
}

impl ListsWriter {
    /// A writer for `count` lists, whose buffers take about `memory` bytes together.
    pub(crate) fn new(work: &Work, count: usize, memory: u64) -> Result<Self> {
        let gathered = (memory / 8 / count.max(1) as u64).clamp(LEAST_GATHERED, MOST_GATHERED) as usize;
        Ok(Self {
            file: work.spill_file()?,
            gathered,
            buffers: vec![Vec::new(); count],
            stretches: vec![Vec::new(); count],
        })
    }

    /// Adds words to a list.
    #[inline]
    pub(crate) fn push(&mut self, list: usize, words: &[u64]) -> Result<()> {
        let buffer = &mut self.buffers[list];
        if buffer.len() + words.len() > self.gathered {
            self.flush(list)?;
            return self.begin(list, words);
        }
        buffer.extend_from_slice(words);
        Ok(())
    }

    /// Adds words to a list whose buffer is empty.
    fn begin(&mut self, list: usize, words: &[u64]) -> Result<()> {
        if words.len() > self.gathered {
            return self.write(list, words);
        }
        let buffer = &mut self.buffers[list];
        buffer.reserve_exact(self.gathered);
        buffer.extend_from_slice(words);
        Ok(())
    }

    fn flush(&mut self, list: usize) -> Result<()> {
        let mut buffer = std::mem::take(&mut self.buffers[list]);
        let written = self.write(list, &buffer);
        buffer.clear();
        self.buffers[list] = buffer;
        written
    }

    fn write(&mut self, list: usize, words: &[u64]) -> Result<()> {
        if words.is_empty() {
            return Ok(());
        }
        let start = self.file.bytes() / 8;
        self.file.write_all(cast_slice(words)).map_err(|cause| failed("write", &self.file, cause))?;
        let end = start + words.len() as u64;
        match self.stretches[list].last_mut() {
            Some(last) if last.end == start => last.end = end,
            _ => self.stretches[list].push(start..end),
        }
        Ok(())
    }

    /// Writes the remaining words, and returns the lists.
    pub(crate) fn finish(mut self) -> Result<Lists> {
        (0..self.buffers.len()).try_for_each(|list| self.flush(list))?;
        Ok(Lists { file: self.file, stretches: self.stretches })
    }
}

fn failed(action: &'static str, file: &OutFile, cause: std::io::Error) -> Error {
    Error::Io { action, name: file.path().display().to_string(), cause }
}

impl Lists {
    /// How many lists there are.
    pub(crate) fn len(&self) -> usize {
        self.stretches.len()
    }

    /// The number of words in a list.
    pub(crate) fn words(&self, list: usize) -> u64 {
        self.stretches[list].iter().map(|stretch| stretch.end - stretch.start).sum()
    }

    /// Reads a list from its beginning.
    pub(crate) fn read(&self, list: usize) -> ListReader<'_> {
        ListReader {
            file: &self.file,
            stretches: self.stretches[list].iter(),
            stretch: 0..0,
            buffer: Vec::new(),
            at: 0,
        }
    }
}

/// Reads a list.
#[derive(Debug)]
pub(crate) struct ListReader<'l> {
    file: &'l OutFile,
    stretches: std::slice::Iter<'l, Range<u64>>,
    /// The part of the current stretch that was not read yet.
    stretch: Range<u64>,
    /// The words that were read. The next field says how many of them were handed out.
    buffer: Vec<u64>,
    at: usize,
}

impl ListReader<'_> {
    /// Fills `into` with the next words.
    pub(crate) fn take(&mut self, mut into: &mut [u64]) -> Result<()> {
        while !into.is_empty() {
            let here = self.available()?.min(into.len());
            let (filled, rest) = into.split_at_mut(here);
            filled.copy_from_slice(&self.buffer[self.at..self.at + here]);
            self.at += here;
            into = rest;
        }
        Ok(())
    }

    /// Skips words.
    pub(crate) fn skip(&mut self, mut words: u64) -> Result<()> {
        while words > 0 {
            let read = (self.buffer.len() - self.at) as u64;
            if read == 0 && !self.stretch.is_empty() {
                let passed = words.min(self.stretch.end - self.stretch.start);
                self.stretch.start += passed;
                words -= passed;
                continue;
            }
            let passed = words.min(self.available()? as u64);
            self.at += passed as usize;
            words -= passed;
        }
        Ok(())
    }

    /// How many words can be handed out without reading. Reads some if there are none, so it is at least one.
    fn available(&mut self) -> Result<usize> {
        if self.at == self.buffer.len() {
            if self.stretch.is_empty() {
                let ended = || failed("read", self.file, std::io::ErrorKind::UnexpectedEof.into());
                self.stretch = self.stretches.next().cloned().ok_or_else(ended)?;
            }
            let words = MOST_GATHERED.min(self.stretch.end - self.stretch.start);
            self.buffer.resize(words as usize, 0);
            self.file
                .file()
                .read_exact_at(cast_slice_mut(&mut self.buffer), self.stretch.start * 8)
                .map_err(|cause| failed("read", self.file, cause))?;
            self.stretch.start += words;
            self.at = 0;
        }
        Ok(self.buffer.len() - self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike::hashing::SplitMix64;

    #[test]
    fn every_list_comes_back_in_its_order_for_any_memory() {
        let folder = tempfile::tempdir().unwrap();
        let work = Work::temporary(folder.path()).unwrap();
        for memory in [0, 1_000, 1 << 20] {
            let mut random = SplitMix64::new(1);
            let mut expected: Vec<Vec<u64>> = vec![Vec::new(); 5];
            let mut writer = ListsWriter::new(&work, 5, memory).unwrap();
            for _ in 0..500 {
                // The last list remains empty.
                let list = random.below(4) as usize;
                let words: Vec<u64> = (0..random.below(200)).map(|_| random.below(1 << 40)).collect();
                writer.push(list, &words).unwrap();
                expected[list].extend(words);
            }
            let lists = writer.finish().unwrap();
            assert_eq!(lists.len(), 5);
            for (list, expected) in expected.iter().enumerate() {
                assert_eq!(lists.words(list), expected.len() as u64);
                let mut reader = lists.read(list);
                let (mut at, mut some) = (0, [0; 150]);
                while at < expected.len() {
                    let words = (1 + random.below(150) as usize).min(expected.len() - at);
                    if random.below(2) == 0 {
                        reader.skip(words as u64).unwrap();
                    } else {
                        reader.take(&mut some[..words]).unwrap();
                        assert_eq!(some[..words], expected[at..at + words]);
                    }
                    at += words;
                }
                assert!(reader.take(&mut some[..1]).is_err() && reader.skip(1).is_err());
            }
        }
    }
}
