//! The sketches of a corpus, in parts. Parts are in input order; they are in memory while they fit, and in files
//! otherwise.
//!
//! A *slot* is the position of a record. A *document number* counts the slots of all sources in input order from 0;
//! the sources of `against` come first. It has 64 bits. The source and the line of a document are found from its
//! number.

pub(crate) mod columns;
pub(crate) mod entries;
mod lanes;
pub(crate) mod part;
mod ranking;
#[cfg(test)]
mod tests;

pub(crate) use lanes::Lanes;

use crate::limits::memory::Reservation;
use crate::report::Counts;
use crate::seen::SeenRow;
use crate::{Error, Result};
use columns::{BlockEntry, Columns, list};
use entries::{Entries, Entry};
use part::PartFile;
use ranking::Ranks;
use std::borrow::Cow;
use std::ops::Range;

/// The lists of all documents of a part, one after the other, and the position at which each ends.
type Lists<'a> = (Cow<'a, [u64]>, Cow<'a, [u64]>);

/// The number of a document (a record slot) in the whole corpus.
pub(crate) type Number = u64;

/// The parts of a corpus.
#[derive(Debug, Default)]
pub(crate) struct Store {
    parts: Vec<Part>,
    /// Blocks of all parts, each with the number of its first slot.
    blocks: Vec<(Number, BlockEntry)>,
    /// The number of lanes per document.
    lanes: usize,
    /// True if documents differ in the number of their lanes.
    uneven: bool,
    /// A hash of the order of shingles on which the lanes of all parts depend; `None` if there is no part.
    order: Option<u64>,
    count: Number,
    in_memory: u64,
    spilled: bool,
    /// True if some value that the keep order compares is too long to be stored in its entry.
    has_long_values: bool,
    /// The ranks of these values, for documents whose part is not in memory.
    ranks: Option<Ranks>,
    counts: Counts,
    /// Reserved memory for everything that is held until the end of the run.
    reservation: Option<Reservation>,
}

/// One part: in memory, in a file, or both.
#[derive(Debug)]
struct Part {
    first: Number,
    slots: usize,
    memory: Option<Columns>,
    file: Option<PartFile>,
}

impl Part {
    /// The file of the part, if the part is not in memory.
    fn in_file_only(&self) -> Option<&PartFile> {
        self.file.as_ref().filter(|_| self.memory.is_none())
    }
}

impl Store {
    /// An empty store of documents with this many lanes, or of documents that differ in their number.
    pub(crate) fn new(lanes: usize, uneven: bool) -> Self {
        Self { lanes, uneven, ..Self::default() }
    }

    /// Adds a part. It is kept in memory if `memory` bytes are enough for it and all other parts in memory, or if it
    /// has no file.
    pub(crate) fn push(&mut self, mut columns: Columns, file: Option<PartFile>, memory: u64) {
        let (first, slots) = (self.count, columns.slots.len());
        let mut number = first;
        for block in std::mem::take(&mut columns.blocks) {
            self.blocks.push((number, block));
            number += Number::from(block.slots);
        }
        self.counts.add(&columns.counts);
        self.order = self.order.or(Some(columns.order));
        self.has_long_values |= !columns.orders.is_empty();
        // They are for indexes, and no run reads them.
        columns.content_hashes = Vec::new();
        let bytes = columns.bytes();
        let stays = file.is_none() || self.in_memory + bytes <= memory;
        if stays {
            self.in_memory += bytes;
        } else {
            self.spilled = true;
        }
        self.parts.push(Part { first, slots, memory: stays.then_some(columns), file });
        self.count += slots as Number;
    }

    /// True if some value that the keep order compares is too long to be stored in its entry.
    pub(crate) fn has_long_values(&self) -> bool {
        self.has_long_values
    }

    /// A hash of the order of shingles on which the lanes of all parts depend; `None` if there is no part.
    pub(crate) fn order(&self) -> Option<u64> {
        self.order
    }

    /// Says which order of shingles the lanes of all parts depend on.
    pub(crate) fn use_order(&mut self, order: u64) {
        self.order = Some(order);
    }

    /// True if documents differ in the number of their lanes.
    pub(crate) fn is_uneven(&self) -> bool {
        self.uneven
    }

    /// The number of slots in all parts.
    pub(crate) fn count(&self) -> Number {
        self.count
    }

    /// The bad records in input order, each with the reason why it is bad.
    pub(crate) fn bad(&self) -> BadRecords<'_> {
        BadRecords { store: self, next_part: 0, first: 0, columns: Default::default(), at: 0 }
    }

    /// Keeps a reservation as long as the store exists: for the store itself, and for the memory that later stages
    /// need for every document.
    pub(crate) fn hold(&mut self, mut reservation: Reservation) {
        reservation.grow(self.in_memory);
        self.reservation = Some(reservation);
    }

    /// The counts of documents and bytes that were made while sketching.
    pub(crate) fn counts(&self) -> &Counts {
        &self.counts
    }

    /// The number of bytes of the parts in memory.
    pub(crate) fn bytes_in_memory(&self) -> u64 {
        self.in_memory
    }

    /// The number of bytes that are reserved as long as the store exists.
    pub(crate) fn bytes_reserved(&self) -> u64 {
        self.reservation.as_ref().map_or(self.in_memory, Reservation::bytes)
    }

    /// True if some part is only in a file.
    pub(crate) fn is_spilled(&self) -> bool {
        self.spilled
    }

    /// All blocks, each with the number of its first slot.
    pub(crate) fn blocks(&self) -> &[(Number, BlockEntry)] {
        &self.blocks
    }

    /// The block of a document.
    pub(crate) fn block_of(&self, number: Number) -> &(Number, BlockEntry) {
        let after = self.blocks.partition_point(|(first, _)| *first <= number);
        &self.blocks[after - 1]
    }

    /// The source of a document.
    pub(crate) fn source_of(&self, number: Number) -> usize {
        self.block_of(number).1.source as usize
    }

    /// The record number of each of `numbers` (ascending) in its source, counted from 1. In JSON Lines it is the
    /// line.
    pub(crate) fn lines_of(&self, numbers: &[Number]) -> Result<Vec<u64>> {
        let mut lines = Vec::with_capacity(numbers.len());
        // If a block has blank lines, the entry of each document says how many of them come before it.
        let mut after_blank: Vec<(usize, Number)> = Vec::new();
        for &number in numbers {
            let (first, block) = self.block_of(number);
            if block.blank_lines > 0 {
                after_blank.push((lines.len(), number));
            }
            lines.push(block.record + (number - first) + 1);
        }
        let asked: Vec<Number> = after_blank.iter().map(|&(_, number)| number).collect();
        for ((at, _), entry) in after_blank.into_iter().zip(self.entries_of(&asked)?) {
            lines[at] += entry.blank_lines_before();
        }
        Ok(lines)
    }

    /// How many parts there are.
    pub(crate) fn parts(&self) -> usize {
        self.parts.len()
    }

    /// The numbers of the documents of a part.
    pub(crate) fn numbers_of_part(&self, part: usize) -> Range<Number> {
        let Part { first, slots, .. } = self.parts[part];
        first..first + slots as Number
    }

    /// The entries of a part, and the number of the first.
    pub(crate) fn entries(&self, part: usize) -> Result<(Number, Entries<'_>)> {
        let Part { first, memory, file, .. } = &self.parts[part];
        let entries = match (memory, file) {
            (Some(columns), _) => columns.entries(),
            (None, Some(file)) => {
                let mut read = file.entries()?;
                if let Some(ranks) = &self.ranks {
                    ranks.apply(*first, &mut read)?;
                }
                read
            }
            (None, None) => return Err(lost()),
        };
        Ok((*first, entries))
    }

    /// The lanes of a part.
    pub(crate) fn lanes_of_part(&self, part: usize) -> Result<Lanes<'_>> {
        let Part { memory, file, .. } = &self.parts[part];
        let lanes = column(memory, file, |c| &c.lanes, PartFile::lanes)?;
        if !self.uneven {
            return Ok(Lanes::even(lanes, self.lanes));
        }
        Ok(Lanes::uneven(lanes, column(memory, file, |c| &c.lane_ends, PartFile::lane_ends)?))
    }

    /// The samples of a part, and the position at which the samples of each document end.
    pub(crate) fn samples_of_part(&self, part: usize) -> Result<Lists<'_>> {
        let Part { memory, file, .. } = &self.parts[part];
        match (memory, file) {
            (Some(columns), _) => Ok((Cow::Borrowed(&columns.samples), Cow::Borrowed(&columns.sample_ends))),
            (None, Some(file)) => {
                file.samples().map(|(samples, ends)| (Cow::Owned(samples), Cow::Owned(ends)))
            }
            (None, None) => Err(lost()),
        }
    }

    /// Hands the samples of each of `numbers` (ascending) to `visit`.
    pub(crate) fn visit_samples(&self, numbers: &[Number], mut visit: impl FnMut(&[u64])) -> Result<()> {
        self.visit_parts(numbers, |at, here| {
            let (samples, ends) = self.samples_of_part(at)?;
            let slot = |number: Number| (number - self.parts[at].first) as usize;
            here.iter().for_each(|&number| visit(list(&samples, &ends, slot(number))));
            Ok(())
        })
    }

    /// The lanes of one document, if its part is in memory.
    #[inline]
    pub(crate) fn lanes_in_memory(&self, number: Number) -> Option<&[u16]> {
        let part = self.part_of(number);
        let slot = (number - part.first) as usize;
        part.memory.as_ref().map(|columns| match self.uneven {
            true => list(&columns.lanes, &columns.lane_ends, slot),
            false => &columns.lanes[slot * self.lanes..(slot + 1) * self.lanes],
        })
    }

    fn part_of(&self, number: Number) -> &Part {
        let after = self.parts.partition_point(|part| part.first <= number);
        &self.parts[after - 1]
    }

    /// Calls `visit` with the index of each part that contains some of `numbers` (ascending), and with these numbers.
    pub(crate) fn visit_parts(
        &self,
        numbers: &[Number],
        mut visit: impl FnMut(usize, &[Number]) -> Result<()>,
    ) -> Result<()> {
        let mut rest = numbers;
        for (at, part) in self.parts.iter().enumerate() {
            let end = part.first + part.slots as Number;
            let (here, after) = rest.split_at(rest.partition_point(|&number| number < end));
            rest = after;
            if !here.is_empty() {
                visit(at, here)?;
            }
        }
        Ok(())
    }

    /// The entries of `numbers` (ascending), in that order.
    pub(crate) fn entries_of(&self, numbers: &[Number]) -> Result<Vec<Entry>> {
        let mut entries = Vec::with_capacity(numbers.len());
        self.visit_parts(numbers, |at, here| {
            let part = &self.parts[at];
            if let Some(file) = part.in_file_only() {
                let slots: Vec<u64> = here.iter().map(|number| number - part.first).collect();
                let mut read = file.entries_at(&slots)?;
                if let Some(ranks) = &self.ranks {
                    ranks.apply_to(here, &mut read)?;
                }
                entries.extend(read.iter());
                return Ok(());
            }
            let (first, column) = self.entries(at)?;
            entries.extend(here.iter().map(|number| column.get((number - first) as usize)));
            Ok(())
        })?;
        Ok(entries)
    }

    /// The lanes of `numbers` (ascending), in that order.
    pub(crate) fn lanes_of(&self, numbers: &[Number]) -> Result<Lanes<'static>> {
        if self.lanes == 0 {
            return Ok(Lanes::even(Cow::Owned(Vec::new()), 0));
        }
        let (mut lanes, mut ends) = (Vec::new(), Vec::new());
        self.visit_parts(numbers, |at, here| {
            let part = &self.parts[at];
            let mut take = |of_one: &[u16]| {
                lanes.extend_from_slice(of_one);
                if self.uneven {
                    ends.push(lanes.len() as u64);
                }
            };
            if let Some(file) = part.in_file_only() {
                let slots: Vec<u64> = here.iter().map(|number| number - part.first).collect();
                if self.uneven {
                    return file.visit_lanes(&slots, take);
                }
                lanes.extend(file.lanes_at(self.lanes, &slots)?);
                return Ok(());
            }
            let column = self.lanes_of_part(at)?;
            here.iter().for_each(|number| take(column.of((number - part.first) as usize)));
            Ok(())
        })?;
        Ok(match self.uneven {
            true => Lanes::gathered(lanes, ends),
            false => Lanes::even(Cow::Owned(lanes), self.lanes),
        })
    }

    /// True if the shingles of all documents are stored.
    pub(crate) fn has_shingles(&self) -> bool {
        let stored = |part: &Part| match (&part.memory, &part.file) {
            (Some(columns), _) => !columns.shingle_ends.is_empty(),
            (None, Some(file)) => file.has_shingles(),
            (None, None) => false,
        };
        !self.parts.is_empty() && self.parts.iter().all(|part| part.slots == 0 || stored(part))
    }

    /// Hands the stored elements of each of `numbers` (ascending) to `visit`.
    pub(crate) fn visit_shingles(
        &self,
        numbers: &[Number],
        mut visit: impl FnMut(Number, &[u64]) -> Result<()>,
    ) -> Result<()> {
        self.visit_parts(numbers, |at, here| {
            let Part { first, memory, file, .. } = &self.parts[at];
            let ends = column(memory, file, |c| &c.shingle_ends, PartFile::shingle_ends)?;
            for &number in here {
                let slot = (number - first) as usize;
                match (memory, file) {
                    (Some(columns), _) => visit(number, list(&columns.shingles, &ends, slot))?,
                    (None, Some(file)) => {
                        let from = if slot == 0 { 0 } else { ends[slot - 1] };
                        visit(number, &file.shingles(from, ends[slot])?)?;
                    }
                    (None, None) => return Err(lost()),
                }
            }
            Ok(())
        })
    }

    /// Hands the id of each of `numbers` (ascending) to `visit`. A document without an id has an empty one.
    pub(crate) fn visit_ids(&self, numbers: &[Number], mut visit: impl FnMut(Number, &str)) -> Result<()> {
        self.visit_parts(numbers, |at, here| {
            let Part { first, memory, file, .. } = &self.parts[at];
            let mut take =
                |slot: u64, id: &[u8]| visit(first + slot, std::str::from_utf8(id).unwrap_or_default());
            match (memory, file) {
                (Some(columns), _) => {
                    for number in here {
                        let slot = number - first;
                        take(slot, list(&columns.ids, &columns.id_ends, slot as usize));
                    }
                    Ok(())
                }
                (None, Some(file)) => {
                    let slots: Vec<u64> = here.iter().map(|number| number - first).collect();
                    file.visit_ids(&slots, |slot, id| {
                        take(slot, id);
                        Ok(())
                    })
                }
                (None, None) => Err(lost()),
            }
        })
    }

    /// The total length of the ids of `numbers` (ascending), in bytes.
    pub(crate) fn id_bytes(&self, numbers: &[Number]) -> Result<u64> {
        let mut bytes = 0;
        self.visit_parts(numbers, |at, here| {
            let Part { first, memory, file, .. } = &self.parts[at];
            let slots = here.iter().map(|number| number - first);
            bytes += match (memory, file) {
                (Some(columns), _) => {
                    let id = |slot: u64| list(&columns.ids, &columns.id_ends, slot as usize).len() as u64;
                    slots.map(id).sum::<u64>()
                }
                (None, Some(file)) => file.id_bytes(&slots.collect::<Vec<_>>())?,
                (None, None) => return Err(lost()),
            };
            Ok(())
        })?;
        Ok(bytes)
    }
}

impl Store {
    /// True if an index has some of the documents.
    pub(crate) fn has_seen(&self) -> bool {
        let has = |part: &Part| match (&part.memory, &part.file) {
            (Some(columns), _) => !columns.seen.is_empty(),
            (None, file) => file.as_ref().is_some_and(PartFile::has_seen),
        };
        self.parts.iter().any(has)
    }

    /// What an index has of the documents of a part, and the number of the first slot of the part.
    pub(crate) fn seen_rows(&self, part: usize) -> Result<(Number, Cow<'_, [SeenRow]>)> {
        let Part { first, memory, file, .. } = &self.parts[part];
        Ok((*first, column(memory, file, |c| &c.seen, PartFile::seen)?))
    }

    /// Hands the id that each of `numbers` (ascending) has in the index to `visit`. All must be documents that the index
    /// has.
    pub(crate) fn visit_seen_ids(
        &self,
        numbers: &[Number],
        mut visit: impl FnMut(Number, &str),
    ) -> Result<()> {
        self.visit_parts(numbers, |at, here| {
            let (first, rows) = self.seen_rows(at)?;
            let read: (Vec<u8>, Vec<u64>);
            let (ids, ends) = match (&self.parts[at].memory, &self.parts[at].file) {
                (Some(columns), _) => (&columns.seen_ids, &columns.seen_ends),
                (None, Some(file)) => {
                    read = file.seen_ids()?;
                    (&read.0, &read.1)
                }
                (None, None) => return Err(lost()),
            };
            for &number in here {
                let Ok(row) = rows.binary_search_by_key(&(number - first), |row| row.slot) else {
                    return Err(Error::Invalid("the sketches lack the id of a document of the index".into()));
                };
                visit(number, std::str::from_utf8(list(ids, ends, row)).unwrap_or_default());
            }
            Ok(())
        })
    }
}

/// The slots of bad records, their reasons, and the position at which each reason ends.
type Reasons<'s> = (Cow<'s, [u64]>, Cow<'s, [u8]>, Cow<'s, [u64]>);

/// The bad records in input order. The reasons of only one part are in memory at a time.
#[derive(Debug)]
pub(crate) struct BadRecords<'s> {
    store: &'s Store,
    next_part: usize,
    /// These three describe the current part: the number of its first slot, its bad records, and how many of them
    /// were handed out.
    first: Number,
    columns: Reasons<'s>,
    at: usize,
}

impl BadRecords<'_> {
    /// Moves to the next part that has bad records if all records of the current part were handed out. Returns false
    /// at the end.
    fn fill(&mut self) -> Result<bool> {
        while self.at == self.columns.0.len() {
            let Some(part) = self.store.parts.get(self.next_part) else { return Ok(false) };
            self.next_part += 1;
            self.first = part.first;
            self.at = 0;
            self.columns = match (&part.memory, &part.file) {
                (Some(columns), _) => (
                    Cow::Borrowed(columns.bad.as_slice()),
                    Cow::Borrowed(columns.reasons.as_slice()),
                    Cow::Borrowed(columns.reason_ends.as_slice()),
                ),
                (None, Some(file)) if file.has_bad() => {
                    let (slots, reasons, ends) = file.bad()?;
                    (Cow::Owned(slots), Cow::Owned(reasons), Cow::Owned(ends))
                }
                (None, Some(_)) => Default::default(),
                (None, None) => return Err(lost()),
            };
        }
        Ok(true)
    }
}

impl Iterator for BadRecords<'_> {
    type Item = Result<(Number, String)>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.fill() {
            Ok(true) => {}
            Ok(false) => return None,
            Err(error) => return Some(Err(error)),
        }
        let (slots, reasons, ends) = &self.columns;
        let reason = String::from_utf8_lossy(list(reasons, ends, self.at)).into_owned();
        let number = self.first + slots[self.at];
        self.at += 1;
        Some(Ok((number, reason)))
    }
}

fn column<'c, T: Clone>(
    memory: &'c Option<Columns>,
    file: &Option<PartFile>,
    of: impl Fn(&'c Columns) -> &'c Vec<T>,
    read: impl Fn(&PartFile) -> Result<Vec<T>>,
) -> Result<Cow<'c, [T]>> {
    match (memory, file) {
        (Some(columns), _) => Ok(Cow::Borrowed(of(columns))),
        (None, Some(file)) => read(file).map(Cow::Owned),
        (None, None) => Err(lost()),
    }
}

fn lost() -> Error {
    Error::Invalid("a part of the sketches is neither in memory nor in a file".into())
}
