//! Values of `--keep max:FIELD` and `min:FIELD` -> ranks. With ranks, comparing [`Entry::keep`] is exact.
//!
//! A value of up to 8 bytes is stored in the column of keep values. Of a longer value this column has the first 8 bytes, and
//! the others are in a separate column. If there are longer values, all values are sorted once, after sketching, and each
//! document gets the rank of its value. Equal values have the same rank, so input order breaks ties. For parts in
//! memory the rank replaces the value. For other parts the ranks are written to a file, and replace the values when these
//! are read.
//!
//! The sort reserves the memory that it uses. Sorted runs are written to one spill file and merged, in several passes
//! if there are very many. (The sort of [`crate::limits::sorted`] cannot be used, because the values differ in
//! length.) The ranks do not depend on the memory limit.

use super::columns::list;
use super::entries::{Entries, Entry};
use super::{Number, Part, Store, lost};
use crate::limits::memory::Reservation;
use crate::limits::sorted::Room;
use crate::{Error, Result};
use files::OutFile;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::Write;
use std::ops::Range;
use std::os::unix::fs::FileExt;

/// At least this many bytes of a run are read at a time.
const LEAST_READ: u64 = if cfg!(test) { 64 } else { 8 << 10 };

/// The memory for a document while it is sorted, besides the bytes of its value.
const PER_ITEM: u64 = 64;

/// The ranks of documents whose part is not in memory, in a file. A rank has 8 bytes; its offset is 8 times the
/// document number.
#[derive(Debug)]
pub(super) struct Ranks {
    file: OutFile,
}

/// This many bytes are sorted in memory even if they cannot be reserved.
const LEAST: u64 = if cfg!(test) { 1 } else { 1 << 20 };

/// The number of ranks that are written at a time.
const WRITTEN: usize = 1 << 13;

fn failed(action: &'static str, file: &OutFile) -> impl FnOnce(std::io::Error) -> Error {
    let name = file.path().display().to_string();
    move |cause| Error::Io { action, name, cause }
}

impl Ranks {
    /// Puts the ranks of consecutive documents, beginning with `first`, into their entries.
    pub(super) fn apply(&self, first: Number, entries: &mut Entries<'_>) -> Result<()> {
        self.put(first, 0..entries.len(), entries)
    }

    /// Puts the ranks of `numbers` (ascending) into their entries.
    pub(super) fn apply_to(&self, numbers: &[Number], entries: &mut Entries<'_>) -> Result<()> {
        let mut done = 0;
        for follow in numbers.chunk_by(|a, b| a + 1 == *b) {
            self.put(follow[0], done..done + follow.len(), entries)?;
            done += follow.len();
        }
        Ok(())
    }

    /// Puts the ranks of consecutive documents into their entries, which are at these places.
    fn put(&self, first: Number, places: Range<usize>, entries: &mut Entries<'_>) -> Result<()> {
        let mut ranks = vec![0u64; places.len()];
        let read = self.file.file().read_exact_at(bytemuck::cast_slice_mut(&mut ranks), first * 8);
        read.map_err(failed("read", &self.file))?;
        for (place, rank) in places.zip(ranks) {
            if has_value(&entries.get(place)) {
                entries.keeps.to_mut()[place] = rank;
            }
        }
        Ok(())
    }
}

/// True if the document has a value. A document without a value comes last, and has no rank.
fn has_value(entry: &Entry) -> bool {
    entry.takes_part() && entry.keep != u64::MAX
}

impl Store {
    /// Ranks all documents by the value that the keep order compares, if some value is too long for its entry.
    pub(crate) fn rank_values(&mut self, room: Room<'_>) -> Result<()> {
        if !self.has_long_values {
            return Ok(());
        }
        let mut sorter = Sorter::new(room, room.ledger.sorting());
        for part in &self.parts {
            let (entries, values, ends) = part.values()?;
            for (slot, entry) in entries.iter().enumerate().filter(|(_, entry)| has_value(entry)) {
                room.observer.go_on_at(slot)?;
                let number = part.first + slot as Number;
                sorter.push(Item { keep: entry.keep, rest: list(&values, &ends, slot).into(), number })?;
            }
        }
        // The numbers and ranks of documents whose part is not in memory.
        let mut elsewhere = room.sorter(room.ledger.sorting(), |item: &[u64; 2]| *item);
        let (mut rank, mut ranked, mut last) = (0, 0, None);
        sorter.finish(&mut |Item { keep, rest, number }| {
            let value = (keep, rest);
            if last.as_ref().is_some_and(|last| *last != value) {
                rank += 1;
            }
            last = Some(value);
            ranked += 1;
            room.observer.go_on_at(ranked)?;
            let at = self.parts.partition_point(|part| part.first <= number) - 1;
            let part = &mut self.parts[at];
            match &mut part.memory {
                Some(columns) => columns.keeps[(number - part.first) as usize] = rank,
                None => elsewhere.push([number, rank]),
            }
            Ok(())
        })?;
        let elsewhere = elsewhere.finish()?;
        if self.parts.iter().any(|part| part.memory.is_none()) {
            let mut file = room.work.spill_file()?;
            let mut written = Vec::with_capacity(WRITTEN);
            let mut items = elsewhere.iter();
            for number in 0..self.count {
                room.observer.go_on_at(number as usize)?;
                // A document without a rank gets a zero, which is never used.
                let next = items.peek()?.filter(|item| item[0] == number);
                written.push(next.map_or(0, |item| item[1]));
                if next.is_some() {
                    items.next().transpose()?;
                }
                if written.len() == WRITTEN || number + 1 == self.count {
                    let words = bytemuck::cast_slice(&written);
                    file.write_all(words).map_err(failed("write", &file))?;
                    written.clear();
                }
            }
            self.ranks = Some(Ranks { file });
        }
        for columns in self.parts.iter_mut().filter_map(|part| part.memory.as_mut()) {
            self.in_memory -= columns.orders.len() as u64 + 8 * columns.order_ends.len() as u64;
            (columns.orders, columns.order_ends) = Default::default();
        }
        Ok(())
    }
}

/// The entries, the further bytes of all values, and the position at which the bytes of each document end.
type Values<'a> = (Entries<'a>, Cow<'a, [u8]>, Cow<'a, [u64]>);

impl Part {
    fn values(&self) -> Result<Values<'_>> {
        match (&self.memory, &self.file) {
            (Some(columns), _) => {
                Ok((columns.entries(), Cow::Borrowed(&columns.orders), Cow::Borrowed(&columns.order_ends)))
            }
            (None, Some(file)) => {
                let (orders, ends) = file.orders()?;
                Ok((file.entries()?, Cow::Owned(orders), Cow::Owned(ends)))
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
    room: Room<'a>,
    /// The memory limit of the sort, in bytes.
    memory: u64,
    items: Vec<Item>,
    bytes: u64,
    reservation: Reservation,
    /// One file for all runs.
    file: Option<OutFile>,
    /// The offsets at which each run begins and ends in the file.
    runs: Vec<(u64, u64)>,
}

impl<'a> Sorter<'a> {
    fn new(room: Room<'a>, memory: u64) -> Self {
        let reservation = room.ledger.reservation();
        Self { room, memory, items: Vec::new(), bytes: 0, reservation, file: None, runs: Vec::new() }
    }

    fn push(&mut self, item: Item) -> Result<()> {
        self.bytes += PER_ITEM + item.rest.len() as u64;
        self.items.push(item);
        let missing = self.bytes.saturating_sub(LEAST.max(self.reservation.bytes()));
        let is_full = self.bytes > self.memory.max(LEAST);
        if is_full || missing > 0 && !self.reservation.try_grow(missing) {
            self.items.sort_unstable();
            let mut items = std::mem::take(&mut self.items);
            let mut run = RunWriter::new(self.file()?);
            for item in items.drain(..) {
                run.write(&item)?;
            }
            let run = run.finish()?;
            self.runs.push(run);
            (self.items, self.bytes) = (items, 0);
        }
        Ok(())
    }

    fn file(&mut self) -> Result<&mut OutFile> {
        match &mut self.file {
            Some(file) => Ok(file),
            none => Ok(none.insert(self.room.work.spill_file()?)),
        }
    }

    /// Hands all items to `visit` in order.
    fn finish(mut self, visit: &mut dyn FnMut(Item) -> Result<()>) -> Result<()> {
        self.items.sort_unstable();
        if self.runs.is_empty() {
            return self.items.into_iter().try_for_each(visit);
        }
        // The last items are merged from memory; the others are read from their runs.
        let most = (self.memory / LEAST_READ).clamp(2, 1 << 8) as usize;
        while self.runs.len() > most {
            let some: Vec<(u64, u64)> = self.runs.drain(..most).collect();
            let mut merged = self.room.work.spill_file()?;
            let (from, mut run) = (self.file()?, RunWriter::new(&mut merged));
            merge(from, &some, LEAST_READ, Vec::new(), &mut |item| run.write(&item))?;
            let (_, bytes) = run.finish()?;
            let begin = from.bytes();
            append(from, &merged, bytes)?;
            self.runs.push((begin, begin + bytes));
        }
        let read = (self.memory / 2 / self.runs.len().max(1) as u64).clamp(LEAST_READ, 1 << 18);
        let Some(file) = &self.file else { return Ok(()) };
        merge(file, &self.runs, read, self.items, visit)
    }
}

/// Appends the first `bytes` bytes of the file `from` to the file `to`.
fn append(to: &mut OutFile, from: &OutFile, bytes: u64) -> Result<()> {
    let mut some = vec![0; 64 << 10];
    let mut at = 0;
    while at < bytes {
        let here = (bytes - at).min(some.len() as u64) as usize;
        from.file().read_exact_at(&mut some[..here], at).map_err(failed("read", from))?;
        to.write_all(&some[..here]).map_err(failed("write", to))?;
        at += here as u64;
    }
    Ok(())
}

/// Merges some runs with `others`, which are sorted too, and hands all items to `visit` in order.
fn merge(
    file: &OutFile,
    runs: &[(u64, u64)],
    read: u64,
    others: Vec<Item>,
    visit: &mut dyn FnMut(Item) -> Result<()>,
) -> Result<()> {
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

/// Writes a run. Each item is written as the first 8 bytes of its value, its number, the length of the other bytes,
/// and the other bytes.
struct RunWriter<'a> {
    file: &'a mut OutFile,
    begin: u64,
    buffer: Vec<u8>,
}

impl<'a> RunWriter<'a> {
    /// Begins a run at the end of a file.
    fn new(file: &'a mut OutFile) -> Self {
        Self { begin: file.bytes(), file, buffer: Vec::new() }
    }

    fn write(&mut self, item: &Item) -> Result<()> {
        self.buffer.extend_from_slice(&item.keep.to_le_bytes());
        self.buffer.extend_from_slice(&item.number.to_le_bytes());
        self.buffer.extend_from_slice(&(item.rest.len() as u64).to_le_bytes());
        self.buffer.extend_from_slice(&item.rest);
        if self.buffer.len() >= 64 << 10 { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        self.file.write_all(&self.buffer).map_err(failed("write", self.file))?;
        self.buffer.clear();
        Ok(())
    }

    fn finish(mut self) -> Result<(u64, u64)> {
        self.flush()?;
        Ok((self.begin, self.file.bytes()))
    }
}

/// Reads a run.
struct RunReader<'a> {
    file: &'a OutFile,
    at: u64,
    end: u64,
    read: u64,
    buffer: Vec<u8>,
    /// The number of bytes of the buffer that were handed out.
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
            let read = self.file.file().read_exact_at(&mut self.buffer[filled..], self.at);
            read.map_err(failed("read", self.file))?;
            self.at += wanted as u64;
        }
        let end = self.taken + bytes;
        let cut_short = || failed("read", self.file)(std::io::ErrorKind::UnexpectedEof.into());
        let taken = self.buffer.get(std::mem::replace(&mut self.taken, end)..end);
        taken.ok_or_else(cut_short)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::memory::Ledger;
    use crate::resume::work::Work;
    use crate::{Resources, Silent};
    use lookalike::hashing::SplitMix64;

    #[test]
    fn items_come_out_sorted_with_any_memory() {
        let resources = Resources { memory: 1 << 30, threads: 1, temp_dir: None, max_pairs: None };
        let ledger = Ledger::new(&resources, 1).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let work = Work::temporary(folder.path()).unwrap();
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
        // No run on disk, some runs, and so many that merging takes several passes.
        for memory in [1 << 30, 20_000, 300, 0] {
            let room = Room { ledger: &ledger, work: &work, observer: &Silent };
            let mut sorter = Sorter::new(room, memory);
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
