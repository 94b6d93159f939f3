//! Items in any order -> the same items sorted, in memory while they fit, in a file otherwise.
//!
//! This is an external merge sort. When the memory is full, the items in it are sorted and written as a *run*; at the
//! end the runs are merged. All runs of a sort are in one file without a name: it is private, needs one handle, and
//! the system removes it even if the process is killed. The sorted items can be streamed as often as needed, and
//! looked up.
//!
//! Keys must be unique, or items with equal keys must be equal. Then the order does not depend on the memory.

use crate::limits::memory::{Ledger, Reservation};
use crate::resume::work::Work;
use crate::{Error, Observer, Result};
use bytemuck::{Pod, cast_slice, cast_slice_mut};
use files::OutFile;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::Write;
use std::ops::Range;
use std::os::unix::fs::FileExt;

/// The number of runs that are merged at a time.
const FAN_IN: usize = if cfg!(test) { 3 } else { 64 };

/// The number of bytes that are read or written at a time.
const BUFFER: usize = if cfg!(test) { 256 } else { 64 << 10 };

/// The memory that a sort may use without a reservation, in bytes: it must work even if no memory is free.
const LEAST: u64 = if cfg!(test) { 1 << 10 } else { 1 << 20 };

/// Room for data: memory first, then files in the work folder. The observer can stop the run.
#[derive(Clone, Copy)]
pub(crate) struct Room<'a> {
    pub ledger: &'a Ledger,
    pub work: &'a Work,
    pub observer: &'a dyn Observer,
}

impl<'a> Room<'a> {
    /// A sorter of items by a key, with at most `most` bytes of memory.
    pub(crate) fn sorter<T: Pod, K: Ord, F: Fn(&T) -> K>(self, most: u64, key: F) -> Sorter<'a, T, F> {
        let reservation = self.ledger.reservation();
        Sorter { room: self, most, key, items: Vec::new(), reservation, runs: None, failure: None }
    }
}

/// Collects items in any order.
pub(crate) struct Sorter<'a, T, F> {
    room: Room<'a>,
    most: u64,
    key: F,
    items: Vec<T>,
    reservation: Reservation,
    runs: Option<Runs>,
    failure: Option<Error>,
}

/// Sorted runs in a file, and the positions of their items.
#[derive(Debug)]
struct Runs {
    file: OutFile,
    places: Vec<Range<u64>>,
}

/// A file of items: one that the sort wrote, or an existing one with the offset at which its items begin.
#[derive(Debug)]
enum Spilled {
    Made(OutFile),
    There { file: File, name: String, offset: u64 },
}

impl Spilled {
    fn read<T: Pod>(&self, first: u64, items: &mut [T]) -> Result<()> {
        let (file, offset) = match self {
            Self::Made(out) => (out.file(), 0),
            Self::There { file, offset, .. } => (file, *offset),
        };
        let offset = offset + first * size_of::<T>() as u64;
        file.read_exact_at(cast_slice_mut(items), offset).map_err(|cause| {
            let name = match self {
                Self::Made(out) => out.path().display().to_string(),
                Self::There { name, .. } => name.clone(),
            };
            Error::Io { action: "read", name, cause }
        })
    }
}

/// Writes items at the end of a file.
fn append<T: Pod>(out: &mut OutFile, items: &[T]) -> Result<()> {
    out.write_all(cast_slice(items)).map_err(|cause| Error::Io {
        action: "write",
        name: out.path().display().to_string(),
        cause,
    })
}

impl<T: Pod, K: Ord, F: Fn(&T) -> K> Sorter<'_, T, F> {
    /// Adds an item. Errors are reported by `finish`.
    #[inline]
    pub(crate) fn push(&mut self, item: T) {
        if self.items.len() == self.items.capacity() {
            self.make_room();
        }
        if self.failure.is_none() {
            self.items.push(item);
        }
    }

    /// Makes room for at least one more item: takes more memory, or writes a run.
    #[cold]
    fn make_room(&mut self) {
        let item = size_of::<T>() as u64;
        let (held, reserved) = (self.items.capacity() as u64 * item, self.reservation.bytes());
        // At first the memory doubles each time; later it grows by half.
        let more = held.clamp(LEAST / 256, (16 << 20).max(held / 2)).max(item);
        let more = more.min(self.most.max(LEAST).saturating_sub(held)) / item * item;
        let free = LEAST.saturating_sub(held);
        if more > 0 && (more <= free || self.reservation.try_grow(held + more - reserved)) {
            self.items.reserve_exact((more / item) as usize);
            return;
        }
        if self.failure.is_none() {
            self.failure = self.spill().err();
        }
        self.items.clear();
    }

    /// Writes the items in memory as a run.
    fn spill(&mut self) -> Result<()> {
        self.room.observer.go_on()?;
        self.items.sort_unstable_by_key(&self.key);
        let runs = match &mut self.runs {
            Some(runs) => runs,
            none => none.insert(Runs { file: self.room.work.spill_file()?, places: Vec::new() }),
        };
        let first = runs.places.last().map_or(0, |last| last.end);
        append(&mut runs.file, &self.items)?;
        runs.places.push(first..first + self.items.len() as u64);
        Ok(())
    }

    /// Returns all items in order, or the first error.
    pub(crate) fn finish(mut self) -> Result<Sorted<T>> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        if self.runs.is_none() {
            self.items.sort_unstable_by_key(&self.key);
            return Ok(Sorted {
                items: self.items,
                _reservation: Some(self.reservation),
                file: None,
                len: 0,
            });
        }
        self.spill()?;
        self.items = Vec::new();
        self.reservation.release();
        let Some(mut runs) = self.runs.take() else { return Ok(Sorted::empty()) };
        while runs.places.len() > 1 {
            runs = self.merge(runs)?;
        }
        let len = runs.places.last().map_or(0, |last| last.end);
        Ok(Sorted { items: Vec::new(), _reservation: None, file: Some(Spilled::Made(runs.file)), len })
    }

    /// Merges groups of runs, so that there are fewer.
    fn merge(&self, runs: Runs) -> Result<Runs> {
        let from = Spilled::Made(runs.file);
        let mut merged = Runs { file: self.room.work.spill_file()?, places: Vec::new() };
        let mut first = 0;
        let mut gathered: Vec<T> = Vec::new();
        for some in runs.places.chunks(FAN_IN) {
            let mut streams: Vec<Stream<'_, T>> =
                some.iter().map(|places| Stream::of_file(&from, places.clone())).collect();
            let mut heads: Vec<Option<T>> = Vec::with_capacity(streams.len());
            let mut heap = BinaryHeap::with_capacity(streams.len());
            for (at, stream) in streams.iter_mut().enumerate() {
                heads.push(stream.next().transpose()?);
                heap.extend(heads[at].as_ref().map(|item| Reverse(((self.key)(item), at))));
            }
            while let Some(Reverse((_, at))) = heap.pop() {
                gathered.extend(heads[at].take());
                if size_of_val(gathered.as_slice()) >= BUFFER {
                    self.room.observer.go_on()?;
                    append(&mut merged.file, &gathered)?;
                    gathered.clear();
                }
                heads[at] = streams[at].next().transpose()?;
                heap.extend(heads[at].as_ref().map(|item| Reverse(((self.key)(item), at))));
            }
            let last = first + some.iter().map(|places| places.end - places.start).sum::<u64>();
            merged.places.push(first..last);
            first = last;
        }
        append(&mut merged.file, &gathered)?;
        Ok(merged)
    }
}

/// Items in order.
#[derive(Debug)]
pub(crate) struct Sorted<T> {
    /// All items, if they are not in a file.
    items: Vec<T>,
    /// The reservation for the items in memory.
    _reservation: Option<Reservation>,
    file: Option<Spilled>,
    /// The number of items in the file.
    len: u64,
}

impl<T: Pod> Sorted<T> {
    /// No items.
    pub(crate) fn empty() -> Self {
        Self { items: Vec::new(), _reservation: None, file: None, len: 0 }
    }

    /// `len` sorted items of a file, which begin at `offset`. They are read into memory if `ledger` has room for
    /// them.
    pub(crate) fn open(file: File, name: String, offset: u64, len: u64, ledger: &Ledger) -> Result<Self> {
        let file = Spilled::There { file, name, offset };
        let bytes = len * size_of::<T>() as u64;
        let mut reservation = ledger.reservation();
        if bytes <= ledger.collecting() && reservation.try_grow(bytes) {
            let mut items = vec![T::zeroed(); len as usize];
            file.read(0, &mut items)?;
            return Ok(Self { items, _reservation: Some(reservation), file: None, len: 0 });
        }
        Ok(Self { items: Vec::new(), _reservation: None, file: Some(file), len })
    }

    /// How many items there are.
    pub(crate) fn len(&self) -> u64 {
        if self.file.is_some() { self.len } else { self.items.len() as u64 }
    }

    /// True if the items are in a file.
    #[cfg(test)]
    pub(crate) fn is_spilled(&self) -> bool {
        self.file.is_some()
    }

    /// All items.
    pub(crate) fn iter(&self) -> Stream<'_, T> {
        self.iter_from(0)
    }

    /// The items from the position `first` on.
    pub(crate) fn iter_from(&self, first: u64) -> Stream<'_, T> {
        match &self.file {
            Some(file) => Stream::of_file(file, first..self.len),
            None => Stream { memory: &self.items[first as usize..], ..Stream::empty() },
        }
    }

    /// The item at a position.
    fn get(&self, at: u64) -> Result<T> {
        let Some(file) = &self.file else { return Ok(self.items[at as usize]) };
        let mut item = [T::zeroed()];
        file.read(at, &mut item)?;
        Ok(item[0])
    }

    /// The number of items for which `before` is true. It must be true for the first items, and false for all others.
    pub(crate) fn partition_point(&self, before: impl Fn(&T) -> bool) -> Result<u64> {
        if self.file.is_none() {
            return Ok(self.items.partition_point(before) as u64);
        }
        let (mut low, mut high) = (0, self.len);
        while low < high {
            let middle = low + (high - low) / 2;
            if before(&self.get(middle)?) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(low)
    }

    /// The item with this key, if there is one. The items must be sorted by `key`.
    pub(crate) fn find<K: Ord>(&self, wanted: &K, key: impl Fn(&T) -> K) -> Result<Option<T>> {
        let at = self.partition_point(|item| key(item) < *wanted)?;
        if at == self.len() {
            return Ok(None);
        }
        let item = self.get(at)?;
        Ok((key(&item) == *wanted).then_some(item))
    }
}

/// Items one after the other.
#[derive(Debug)]
pub(crate) struct Stream<'s, T> {
    /// The next items, if they are in memory.
    memory: &'s [T],
    /// The file, if the items are in one. The next fields are the items that were read, and the positions of the
    /// others.
    file: Option<&'s Spilled>,
    read: Vec<T>,
    at: usize,
    places: Range<u64>,
}

impl<'s, T: Pod> Stream<'s, T> {
    fn empty() -> Self {
        Self { memory: &[], file: None, read: Vec::new(), at: 0, places: 0..0 }
    }

    fn of_file(file: &'s Spilled, places: Range<u64>) -> Self {
        Self { file: Some(file), places, ..Self::empty() }
    }

    fn refill(&mut self) -> Result<bool> {
        let Some(file) = self.file.filter(|_| !self.places.is_empty()) else { return Ok(false) };
        let most = (BUFFER / size_of::<T>()).max(1) as u64;
        let count = most.min(self.places.end - self.places.start);
        self.read.resize(count as usize, T::zeroed());
        file.read(self.places.start, &mut self.read)?;
        self.places.start += count;
        self.at = 0;
        Ok(true)
    }

    /// Hands items to `visit`, up to the first item for which `end` is true. That item is not consumed.
    pub(crate) fn take_until(
        &mut self,
        mut end: impl FnMut(&T) -> bool,
        mut visit: impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        while let Some(item) = self.peek()? {
            if end(&item) {
                return Ok(());
            }
            self.skip();
            visit(item)?;
        }
        Ok(())
    }

    /// The next item, which is not consumed.
    #[inline]
    pub(crate) fn peek(&mut self) -> Result<Option<T>> {
        if let Some(item) = self.memory.first() {
            return Ok(Some(*item));
        }
        if self.at < self.read.len() || self.refill()? {
            return Ok(Some(self.read[self.at]));
        }
        Ok(None)
    }

    /// Consumes the item that was peeked at.
    #[inline]
    fn skip(&mut self) {
        match self.memory.split_first() {
            Some((_, rest)) => self.memory = rest,
            None => self.at += 1,
        }
    }
}

impl<T: Pod> Iterator for Stream<'_, T> {
    type Item = Result<T>;

    #[inline]
    fn next(&mut self) -> Option<Result<T>> {
        let item = self.peek().transpose()?;
        match &item {
            Ok(_) => self.skip(),
            // After an error the stream ends.
            Err(_) => *self = Self::empty(),
        }
        Some(item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Resources, Silent};
    use lookalike::hashing::SplitMix64;

    #[test]
    fn the_order_is_that_of_a_vector_for_any_memory() {
        let resources = Resources { memory: 1 << 30, threads: 1, temp_dir: None, max_pairs: None };
        let folder = tempfile::tempdir().unwrap();
        let work = Work::temporary(folder.path()).unwrap();
        let mut random = SplitMix64::new(1);
        for count in [0, 1, 2, 63, 64, 65, 1_000, 20_000] {
            let items: Vec<[u64; 2]> = (0..count).map(|at| [random.below(count / 3 + 1), at]).collect();
            let mut expected = items.clone();
            expected.sort_unstable();
            for free in [0, 3_000, 100_000, 100_000_000] {
                let ledger = Ledger::new(&resources, 1).unwrap().with_free(free);
                let room = Room { ledger: &ledger, work: &work, observer: &Silent };
                let mut sorter = room.sorter(ledger.sorting(), |item: &[u64; 2]| *item);
                items.iter().for_each(|&item| sorter.push(item));
                let sorted = sorter.finish().unwrap();
                assert_eq!(sorted.len(), count);
                assert_eq!(
                    sorted.is_spilled(),
                    count * 16 > (free / 4).max(LEAST),
                    "{count} items, {free} bytes"
                );
                let again: Vec<[u64; 2]> = sorted.iter().map(Result::unwrap).collect();
                assert!(again == expected, "{count} items, {free} bytes");
                for key in 0..(count / 3 + 2).min(40) {
                    let at = sorted.partition_point(|item| item[0] < key).unwrap();
                    assert_eq!(at, expected.partition_point(|item| item[0] < key) as u64);
                    let mut some = Vec::new();
                    let mut stream = sorted.iter_from(at);
                    stream
                        .take_until(
                            |item| item[0] > key,
                            |item| {
                                some.push(item);
                                Ok(())
                            },
                        )
                        .unwrap();
                    let wanted: Vec<_> = expected.iter().copied().filter(|item| item[0] == key).collect();
                    assert_eq!(some, wanted);
                    assert_eq!(stream.peek().unwrap(), expected.iter().copied().find(|item| item[0] > key));
                    let found = sorted.find(&key, |item| item[0]).unwrap();
                    assert_eq!(found, wanted.first().copied());
                }
                drop(sorted);
                assert_eq!(ledger.unreserved(), free, "everything is given back");
            }
        }
        drop(work);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_an_error_and_memory_holds() {
        let resources = Resources { memory: 1 << 30, threads: 1, temp_dir: None, max_pairs: None };
        let folder = tempfile::tempdir().unwrap();
        let work = Work::temporary(folder.path()).unwrap();
        std::fs::remove_dir_all(folder.path()).unwrap();
        std::fs::write(folder.path(), "a file where the folder was").unwrap();
        let ledger = Ledger::new(&resources, 1).unwrap().with_free(0);
        let mut sorter =
            Room { ledger: &ledger, work: &work, observer: &Silent }.sorter(0, |item: &u64| *item);
        (0..100_000).for_each(|item| sorter.push(item));
        assert!(sorter.items.capacity() as u64 * 8 <= LEAST);
        assert!(matches!(sorter.finish(), Err(Error::Io { .. })));
        std::fs::remove_file(folder.path()).unwrap();
    }
}
