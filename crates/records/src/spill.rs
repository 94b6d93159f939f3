//! Numbers in any order -> the same numbers ascending, each once: in memory while they fit, in a file otherwise.
//!
//! When the memory for them is full, they are sorted and written as a *run*; at the end the runs are merged. The file has no
//! name, so the system removes it even if the process is killed. How much memory there is changes the speed only.

use crate::threads::Stopped;
use bytemuck::{cast_slice, cast_slice_mut};
use files::{Files, OutFile};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::Write;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Mutex;

/// The numbers of a run that are read at a time, at the most.
const READ: usize = if cfg!(test) { 5 } else { 8_192 };

/// Room for what grows with pairs: so much memory, and then files in a folder.
#[derive(Debug)]
pub(crate) struct Room {
    /// Bytes of memory.
    pub(crate) bytes: u64,
    folder: PathBuf,
    failure: Mutex<Option<files::Error>>,
}

impl Room {
    pub(crate) fn new(bytes: u64, folder: PathBuf) -> Self {
        Self { bytes, folder, failure: Mutex::new(None) }
    }

    /// A file without a name.
    pub(crate) fn file(&self) -> Result<OutFile, Stopped> {
        let made = Files::default().temp_folder(&self.folder).and_then(|folder| folder.create("spilled"));
        made.map_err(|error| self.failed(error))
    }

    /// Writes at the end of a file.
    pub(crate) fn append(&self, file: &mut OutFile, bytes: &[u8]) -> Result<(), Stopped> {
        file.write_all(bytes).map_err(|cause| self.failed(failure("write", file, cause)))
    }

    /// Reads bytes from a place in a file.
    pub(crate) fn read(&self, file: &OutFile, bytes: &mut [u8], from: u64) -> Result<(), Stopped> {
        file.file().read_exact_at(bytes, from).map_err(|cause| self.failed(failure("read", file, cause)))
    }

    fn failed(&self, error: files::Error) -> Stopped {
        let mut failure = self.failure.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        failure.get_or_insert(error);
        Stopped
    }

    /// Why work was stopped, if it was a file.
    pub(crate) fn into_failure(self) -> Option<files::Error> {
        self.failure.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

fn failure(action: &'static str, file: &OutFile, cause: std::io::Error) -> files::Error {
    files::Error { action, name: file.path().display().to_string(), cause }
}

/// Collects numbers.
pub(crate) struct Sorter<'r> {
    room: &'r Room,
    /// So many are in memory, at the most.
    most: usize,
    items: Vec<u64>,
    runs: Option<(OutFile, Vec<Range<u64>>)>,
}

impl<'r> Sorter<'r> {
    /// A sorter with at most so many bytes of memory.
    pub(crate) fn new(room: &'r Room, bytes: u64) -> Self {
        Self { room, most: (bytes / 8).max(16) as usize, items: Vec::new(), runs: None }
    }

    /// Adds numbers.
    pub(crate) fn extend(&mut self, numbers: &[u64]) -> Result<(), Stopped> {
        for part in numbers.chunks(self.most) {
            if self.items.len() + part.len() > self.most {
                self.spill()?;
            }
            let needed = self.items.len() + part.len();
            if needed > self.items.capacity() {
                let size = (2 * self.items.capacity()).clamp(needed, self.most);
                self.items.reserve_exact(size - self.items.len());
            }
            self.items.extend_from_slice(part);
        }
        Ok(())
    }

    fn spill(&mut self) -> Result<(), Stopped> {
        self.items.sort_unstable();
        self.items.dedup();
        if self.runs.is_none() {
            self.runs = Some((self.room.file()?, Vec::new()));
        }
        if let Some((file, runs)) = &mut self.runs {
            let first = runs.last().map_or(0, |last| last.end);
            self.room.append(file, cast_slice(&self.items))?;
            runs.push(first..first + self.items.len() as u64);
        }
        self.items.clear();
        Ok(())
    }

    /// Hands all numbers to `visit`, ascending, each once.
    pub(crate) fn finish(mut self, visit: &mut dyn FnMut(u64) -> Result<(), Stopped>) -> Result<(), Stopped> {
        if self.runs.is_none() {
            self.items.sort_unstable();
            self.items.dedup();
            return self.items.into_iter().try_for_each(visit);
        }
        self.spill()?;
        let Some((file, places)) = self.runs.take() else { return Ok(()) };
        self.items = Vec::new();
        let length = (self.most / places.len()).clamp(READ.min(16), READ);
        let mut runs: Vec<Run> =
            places.into_iter().map(|left| Run { left, read: Vec::new(), at: 0 }).collect();
        let mut heap: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::with_capacity(runs.len());
        for (at, run) in runs.iter_mut().enumerate() {
            heap.extend(run.next(self.room, &file, length)?.map(|number| Reverse((number, at))));
        }
        let mut before = None;
        while let Some(Reverse((number, at))) = heap.pop() {
            if before != Some(number) {
                before = Some(number);
                visit(number)?;
            }
            heap.extend(runs[at].next(self.room, &file, length)?.map(|number| Reverse((number, at))));
        }
        Ok(())
    }
}

/// A run that is being read.
struct Run {
    /// What was not read yet.
    left: Range<u64>,
    read: Vec<u64>,
    at: usize,
}

impl Run {
    fn next(&mut self, room: &Room, file: &OutFile, length: usize) -> Result<Option<u64>, Stopped> {
        if self.at == self.read.len() {
            let count = (self.left.end - self.left.start).min(length as u64);
            self.read.resize(count as usize, 0);
            room.read(file, cast_slice_mut(&mut self.read), 8 * self.left.start)?;
            self.left.start += count;
            self.at = 0;
        }
        let number = self.read.get(self.at).copied();
        self.at += 1;
        if number.is_none() {
            self.at = self.read.len();
        }
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike::hashing::SplitMix64;

    #[test]
    fn the_order_is_that_of_a_vector_for_any_memory() {
        let mut random = SplitMix64::new(3);
        for count in [0usize, 1, 16, 17, 1_000, 5_000] {
            let numbers: Vec<u64> = (0..count).map(|_| random.below(count as u64)).collect();
            let mut expected = numbers.clone();
            expected.sort_unstable();
            expected.dedup();
            for bytes in [0, 1_000, 1 << 20] {
                let room = Room::new(bytes, std::env::temp_dir());
                let mut sorter = Sorter::new(&room, bytes);
                numbers.chunks(7).for_each(|part| sorter.extend(part).unwrap());
                assert_eq!(sorter.runs.is_some(), 8 * count as u64 > bytes.max(128), "{count}, {bytes}");
                let mut found = Vec::new();
                sorter
                    .finish(&mut |number| {
                        found.push(number);
                        Ok(())
                    })
                    .unwrap();
                assert_eq!(found, expected, "{count} numbers, {bytes} bytes");
            }
        }
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_said() {
        let room = Room::new(0, "/nowhere/at/all".into());
        let mut sorter = Sorter::new(&room, 0);
        assert_eq!(sorter.extend(&[1; 100]), Err(Stopped));
        drop(sorter);
        let failure = room.into_failure().unwrap().to_string();
        assert!(failure.contains("/nowhere/at/all"), "{failure}");
    }
}
