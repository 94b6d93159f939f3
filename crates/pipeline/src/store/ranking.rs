//! Values of `--keep max:FIELD` and `min:FIELD` -> ranks: what stands in [`Entry::keep`] is exact then.
//!
//! A short value is in the entry as it is. Of a longer one the entry has the first 8 bytes, and the others are in a column
//! of their own. If there are longer ones, all values are sorted once, after sketching, and each document gets the rank of
//! its value among them: equal values have one rank, so input order breaks ties. Ranks of parts in memory are written over
//! the entries; those of other parts go to a file, and are put in when entries are read.
//!
//! The sort uses about as many bytes as it may: sorted runs go to one file and are merged, in several passes if there are
//! very many. The ranks do not depend on it.

use super::columns::{Entry, list};
use super::{Number, Part, Store, lost};
use crate::{Error, Observer, Result};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Documents that are gone through before the observer is asked whether to stop.
const BETWEEN_QUESTIONS: u64 = 1 << 14;

/// The least that is read of a run at a time.
const LEAST_READ: u64 = if cfg!(test) { 64 } else { 8 << 10 };

/// What a document takes in memory while it is sorted, beside its value.
const PER_ITEM: u64 = 64;

/// Ranks of documents whose part is not in memory: 8 bytes each, at 8 times the number.
#[derive(Debug)]
pub(super) struct Ranks {
    file: File,
}

fn io(cause: std::io::Error) -> Error {
    Error::Io { action: "use", name: "a temporary file of ranks".into(), cause }
}

impl Ranks {
    /// Puts the ranks of documents that follow each other from `first` into their entries.
    pub(super) fn apply(&self, first: Number, entries: &mut [Entry]) -> Result<()> {
        let mut ranks = vec![0u64; entries.len()];
        self.file.read_exact_at(bytemuck::cast_slice_mut(&mut ranks), first * 8).map_err(io)?;
        entries.iter_mut().zip(ranks).for_each(|(entry, rank)| put(entry, rank));
        Ok(())
    }
}

fn put(entry: &mut Entry, rank: u64) {
    if has_value(entry) {
        entry.keep = rank;
    }
}

/// Whether the document has a value; without one it is last, and has no rank.
fn has_value(entry: &Entry) -> bool {
    entry.is_document() && entry.keep != u64::MAX
}

impl Store {
    /// Ranks all documents by the value that the keep order compares, if it needs to. Temporary files are in `folder`.
    pub(crate) fn rank_values(&mut self, folder: &Path, memory: u64, observer: &dyn Observer) -> Result<()> {
        if !self.has_long_values {
            return Ok(());
        }
        let mut sorter = Sorter::new(folder, memory);
        for part in &self.parts {
            let (entries, values, ends) = part.values()?;
            for (slot, entry) in entries.iter().enumerate().filter(|(_, entry)| has_value(entry)) {
                let number = part.first + slot as Number;
                sorter.push(Item { keep: entry.keep, rest: list(&values, &ends, slot).into(), number })?;
                if number.is_multiple_of(BETWEEN_QUESTIONS) && observer.interrupted() {
                    return Err(Error::Interrupted);
                }
            }
        }
        let file = if self.parts.iter().any(|part| part.memory.is_none()) {
            let file = tempfile::tempfile_in(folder).map_err(io)?;
            // What has no rank reads as zeros.
            file.set_len(self.count * 8).map_err(io)?;
            Some(file)
        } else {
            None
        };
        let (mut rank, mut ranked, mut last) = (0, 0u64, None);
        sorter.finish(&mut |Item { keep, rest, number }| {
            let value = (keep, rest);
            if last.as_ref().is_some_and(|last| *last != value) {
                rank += 1;
            }
            last = Some(value);
            ranked += 1;
            if ranked.is_multiple_of(BETWEEN_QUESTIONS) && observer.interrupted() {
                return Err(Error::Interrupted);
            }
            let at = self.parts.partition_point(|part| part.first <= number) - 1;
            let part = &mut self.parts[at];
            match (&mut part.memory, &file) {
                (Some(columns), _) => columns.entries[(number - part.first) as usize].keep = rank,
                (None, Some(file)) => file.write_all_at(&rank.to_ne_bytes(), number * 8).map_err(io)?,
                (None, None) => return Err(lost()),
            }
            Ok(())
        })?;
        for columns in self.parts.iter_mut().filter_map(|part| part.memory.as_mut()) {
            self.in_memory -= columns.orders.len() as u64 + 8 * columns.order_ends.len() as u64;
            (columns.orders, columns.order_ends) = Default::default();
        }
        self.ranks = file.map(|file| Ranks { file });
        Ok(())
    }
}

/// Entries, the further bytes of all values, and where each document's end.
type Values<'a> = (Cow<'a, [Entry]>, Cow<'a, [u8]>, Cow<'a, [u64]>);

impl Part {
    fn values(&self) -> Result<Values<'_>> {
        match (&self.memory, &self.file) {
            (Some(columns), _) => Ok((
                Cow::Borrowed(&columns.entries),
                Cow::Borrowed(&columns.orders),
                Cow::Borrowed(&columns.order_ends),
            )),
            (None, Some(file)) => {
                let (orders, ends) = file.orders()?;
                Ok((Cow::Owned(file.entries()?), Cow::Owned(orders), Cow::Owned(ends)))
            }
            (None, None) => Err(lost()),
        }
    }
}

/// A document and its value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Item {
    keep: u64,
    rest: Box<[u8]>,
    number: Number,
}

/// Sorts items with a bounded number of bytes in memory.
struct Sorter<'a> {
    folder: &'a Path,
    memory: u64,
    items: Vec<Item>,
    bytes: u64,
    /// One file for all runs, and where each begins and ends in it.
    file: Option<File>,
    end: u64,
    runs: Vec<(u64, u64)>,
}

impl<'a> Sorter<'a> {
    fn new(folder: &'a Path, memory: u64) -> Self {
        Self { folder, memory, items: Vec::new(), bytes: 0, file: None, end: 0, runs: Vec::new() }
    }

    fn push(&mut self, item: Item) -> Result<()> {
        self.bytes += PER_ITEM + item.rest.len() as u64;
        self.items.push(item);
        if self.bytes > self.memory {
            self.items.sort_unstable();
            let mut items = std::mem::take(&mut self.items);
            let mut run = self.begin_run()?;
            for item in items.drain(..) {
                run.write(&item)?;
            }
            let run = run.finish()?;
            self.end = run.1;
            self.runs.push(run);
            (self.items, self.bytes) = (items, 0);
        }
        Ok(())
    }

    fn begin_run(&mut self) -> Result<RunWriter<'_>> {
        if self.file.is_none() {
            self.file = Some(tempfile::tempfile_in(self.folder).map_err(io)?);
        }
        let file = self.file.as_ref().expect("it was just made");
        Ok(RunWriter { file, begin: self.end, end: self.end, buffer: Vec::new() })
    }

    /// Hands all items to `visit` in order.
    fn finish(mut self, visit: &mut dyn FnMut(Item) -> Result<()>) -> Result<()> {
        self.items.sort_unstable();
        if self.runs.is_empty() {
            return self.items.into_iter().try_for_each(visit);
        }
        // The last items join as they are; the others are read from their runs.
        let most = (self.memory / LEAST_READ).clamp(2, 1 << 12) as usize;
        while self.runs.len() > most {
            let some: Vec<(u64, u64)> = self.runs.drain(..most).collect();
            let file = self.file.as_ref().expect("there are runs");
            let mut run = RunWriter { file, begin: self.end, end: self.end, buffer: Vec::new() };
            merge(file, &some, self.memory, Vec::new(), &mut |item| run.write(&item))?;
            let run = run.finish()?;
            self.end = run.1;
            self.runs.push(run);
        }
        let file = self.file.as_ref().expect("there are runs");
        merge(file, &self.runs, self.memory, self.items, visit)
    }
}

/// Hands the items of some runs, and `others`, which are sorted too, to `visit` in order.
fn merge(
    file: &File,
    runs: &[(u64, u64)],
    memory: u64,
    others: Vec<Item>,
    visit: &mut dyn FnMut(Item) -> Result<()>,
) -> Result<()> {
    let read = (memory / runs.len().max(1) as u64).clamp(LEAST_READ, 1 << 18);
    let mut readers: Vec<RunReader<'_>> = runs
        .iter()
        .map(|&(at, end)| RunReader { file, at, end, read, buffer: Vec::new(), taken: 0 })
        .collect();
    let mut others = others.into_iter();
    let mut next = |run: usize| match readers.get_mut(run) {
        Some(reader) => reader.next(),
        None => Ok(others.next()),
    };
    let mut heap = BinaryHeap::new();
    for run in 0..=runs.len() {
        heap.extend(next(run)?.map(|item| Reverse((item, run))));
    }
    while let Some(Reverse((item, run))) = heap.pop() {
        visit(item)?;
        heap.extend(next(run)?.map(|item| Reverse((item, run))));
    }
    Ok(())
}

/// Writes a run: of each item its first bytes, its number, the length of the other bytes and these.
struct RunWriter<'a> {
    file: &'a File,
    begin: u64,
    end: u64,
    buffer: Vec<u8>,
}

impl RunWriter<'_> {
    fn write(&mut self, item: &Item) -> Result<()> {
        self.buffer.extend_from_slice(&item.keep.to_le_bytes());
        self.buffer.extend_from_slice(&item.number.to_le_bytes());
        self.buffer.extend_from_slice(&(item.rest.len() as u64).to_le_bytes());
        self.buffer.extend_from_slice(&item.rest);
        if self.buffer.len() >= 64 << 10 { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        self.file.write_all_at(&self.buffer, self.end).map_err(io)?;
        self.end += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    fn finish(mut self) -> Result<(u64, u64)> {
        self.flush()?;
        Ok((self.begin, self.end))
    }
}

/// Reads a run.
struct RunReader<'a> {
    file: &'a File,
    at: u64,
    end: u64,
    read: u64,
    buffer: Vec<u8>,
    /// Bytes of the buffer that were handed out.
    taken: usize,
}

impl RunReader<'_> {
    fn next(&mut self) -> Result<Option<Item>> {
        if self.at == self.end && self.taken == self.buffer.len() {
            return Ok(None);
        }
        let head: [u8; 24] = self.take(24)?.try_into().expect("24 bytes were asked for");
        let number = |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().expect("8 bytes"));
        let rest = self.take(number(16) as usize)?.into();
        Ok(Some(Item { keep: number(0), number: number(8), rest }))
    }

    fn take(&mut self, bytes: usize) -> Result<&[u8]> {
        if self.buffer.len() - self.taken < bytes {
            self.buffer.drain(..self.taken);
            self.taken = 0;
            let filled = self.buffer.len();
            let wanted = self.read.max((bytes - filled) as u64).min(self.end - self.at) as usize;
            self.buffer.resize(filled + wanted, 0);
            self.file.read_exact_at(&mut self.buffer[filled..], self.at).map_err(io)?;
            self.at += wanted as u64;
        }
        let end = self.taken + bytes;
        let cut_short = || io(std::io::ErrorKind::UnexpectedEof.into());
        let taken = self.buffer.get(std::mem::replace(&mut self.taken, end)..end);
        taken.ok_or_else(cut_short)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike::hashing::SplitMix64;

    #[test]
    fn items_come_out_sorted_with_any_memory() {
        let folder = tempfile::tempdir().unwrap();
        let mut random = SplitMix64::new(3);
        let mut items: Vec<Item> = (0..3_000)
            .map(|number| {
                let rest: Vec<u8> = (0..random.below(40)).map(|_| random.below(3) as u8).collect();
                Item { keep: random.below(3), rest: rest.into(), number }
            })
            .collect();
        let mut sorted = items.clone();
        sorted.sort();
        items.push(Item { keep: 9, rest: vec![7; 5_000].into(), number: 3_000 });
        sorted.push(items[3_000].clone());
        // One run only, some, and so many that they take several passes.
        for memory in [1 << 30, 20_000, 300, 0] {
            let mut sorter = Sorter::new(folder.path(), memory);
            items.iter().cloned().try_for_each(|item| sorter.push(item)).unwrap();
            assert_eq!(sorter.runs.is_empty(), memory == 1 << 30);
            let mut found = Vec::new();
            sorter
                .finish(&mut |item| {
                    found.push(item);
                    Ok(())
                })
                .unwrap();
            assert!(found == sorted, "{memory}");
        }
    }
}
