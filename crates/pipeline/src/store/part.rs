//! A part: the columns of consecutive documents, as one piece of a file.
//!
//! ```text
//! "LKAPART3"  checksum (32 bytes)  length of the whole part  length of the head  head (JSON)  columns, each padded to 8 bytes
//! ```
//!
//! All numbers are little-endian and have 64 bits. The head has the small columns, the length of each large column,
//! the number of the first slot, and the checksum of the part before. (The first part has a hash of the identity of
//! the run instead.) The parts therefore form a chain. A part that is damaged, belongs to another run, or was left by
//! an earlier attempt with other parts does not fit into the chain, and is made again. The checksum is the BLAKE3
//! hash of all bytes that follow it. A part is first written to a temporary file, which is then renamed, so it is
//! either complete or absent.

use super::Number;
use super::columns::{BlockEntry, Columns};
use super::entries::{Class, Entries, Slot, Within};
use crate::report::Counts;
use crate::seen::SeenRow;
use crate::{Error, Result};
use bytemuck::{Pod, cast_slice, cast_slice_mut};
use files::OutFile;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 8] = b"LKAPART3";

/// The number of bytes before the head.
const FIRST: u64 = 8 + 32 + 8 + 8;

/// The checksum of a part.
pub(crate) type Checksum = [u8; 32];

/// The position of a part in the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Link {
    /// The number of the first slot of the part.
    pub first: Number,
    /// The checksum of the part before.
    pub after: Checksum,
}

/// The bytes after the last part of a sketch file. The number of parts follows them.
const END: &[u8; 8] = b"LKAPEND1";

const CUT_SHORT: &str = "it is cut short";

/// Pieces of a column that are at most this many bytes apart are read together: reading the bytes between them costs
/// less than another read.
const GAP: u64 = if cfg!(test) { 64 } else { 1 << 10 };

/// At most this many bytes of a column are read at a time.
const PIECE: u64 = if cfg!(test) { 1 << 10 } else { 256 << 10 };

/// The positions of this many lists are in memory at a time.
const LISTS_AT_A_TIME: usize = if cfg!(test) { 64 } else { 1 << 13 };

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Head {
    first: Number,
    after: String,
    blocks: Vec<BlockEntry>,
    counts: Counts,
    /// The number of items in each column, in the order of [`column_bytes`].
    lengths: [u64; COLUMNS],
    /// A hash of the order of shingles on which the lanes depend. 0 if there can be none, as in sketch files.
    #[serde(default, skip_serializing_if = "is_zero")]
    order: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A part that is in a file, and where its columns are.
#[derive(Debug, Clone)]
pub(crate) struct PartFile {
    pub path: PathBuf,
    /// The offset at which the columns begin.
    data: u64,
    lengths: [u64; COLUMNS],
}

/// The number of large columns. The constants below are their indexes, in stored order.
const COLUMNS: usize = 20;
const SLOTS: usize = 0;
const KEEPS: usize = 1;
const WITHINS: usize = 2;
const LANES: usize = 3;
const LANE_ENDS: usize = 4;
const SAMPLES: usize = 5;
const SAMPLE_ENDS: usize = 6;
const IDS: usize = 7;
const ID_ENDS: usize = 8;
const SHINGLES: usize = 9;
const SHINGLE_ENDS: usize = 10;
const ORDERS: usize = 11;
const ORDER_ENDS: usize = 12;
const BAD: usize = 13;
const REASONS: usize = 14;
const REASON_ENDS: usize = 15;
const CONTENT_HASHES: usize = 16;
const SEEN: usize = 17;
const SEEN_IDS: usize = 18;
const SEEN_ENDS: usize = 19;
const ITEM_BYTES: [u64; COLUMNS] = [
    size_of::<Slot>() as u64,
    8,
    size_of::<Within>() as u64,
    2,
    4,
    8,
    8,
    1,
    8,
    8,
    8,
    1,
    8,
    8,
    1,
    8,
    16,
    size_of::<SeenRow>() as u64,
    1,
    8,
];

fn column_bytes(columns: &Columns) -> [&[u8]; COLUMNS] {
    [
        cast_slice(&columns.slots),
        cast_slice(&columns.keeps),
        cast_slice(&columns.withins),
        cast_slice(&columns.lanes),
        cast_slice(&columns.lane_ends),
        cast_slice(&columns.samples),
        cast_slice(&columns.sample_ends),
        &columns.ids,
        cast_slice(&columns.id_ends),
        cast_slice(&columns.shingles),
        cast_slice(&columns.shingle_ends),
        &columns.orders,
        cast_slice(&columns.order_ends),
        cast_slice(&columns.bad),
        &columns.reasons,
        cast_slice(&columns.reason_ends),
        cast_slice(&columns.content_hashes),
        cast_slice(&columns.seen),
        &columns.seen_ids,
        cast_slice(&columns.seen_ends),
    ]
}

const fn padded(bytes: u64) -> u64 {
    bytes.next_multiple_of(8)
}

fn hex(checksum: &Checksum) -> String {
    blake3::Hash::from_bytes(*checksum).to_hex().to_string()
}

/// The checksum of the two lengths, the head, and the columns with their padding.
fn sum(lengths: &[u8], head: &[u8], columns: &Columns) -> Checksum {
    let mut hasher = blake3::Hasher::new();
    hasher.update(lengths).update(head);
    for column in column_bytes(columns) {
        hasher.update(column).update(padding(column));
    }
    *hasher.finalize().as_bytes()
}

/// The zeros that follow a column, up to the next multiple of 8 bytes.
fn padding(column: &[u8]) -> &'static [u8] {
    &[0; 8][..(padded(column.len() as u64) - column.len() as u64) as usize]
}

/// Writes a part to `out`, and returns where its columns can be read, and its checksum. `path` is the final name of
/// the file, and `start` the offset of the part in it.
pub(crate) fn write(
    columns: &Columns,
    out: &mut dyn Write,
    path: &Path,
    start: u64,
    link: Link,
) -> Result<(PartFile, Checksum)> {
    let io = |cause| Error::Io { action: "write", name: path.display().to_string(), cause };
    let bytes = column_bytes(columns);
    let mut lengths = [0; COLUMNS];
    for (length, (column, item)) in lengths.iter_mut().zip(bytes.iter().zip(ITEM_BYTES)) {
        *length = column.len() as u64 / item;
    }
    let head = Head {
        first: link.first,
        after: hex(&link.after),
        blocks: columns.blocks.clone(),
        counts: columns.counts.clone(),
        lengths,
        order: columns.order,
    };
    let mut head = serde_json::to_vec(&head).expect("a head is plain data");
    head.resize(padded(head.len() as u64) as usize, b' ');
    let total: u64 =
        FIRST + head.len() as u64 + bytes.iter().map(|column| padded(column.len() as u64)).sum::<u64>();
    let mut two_lengths = [0; 16];
    two_lengths[..8].copy_from_slice(&total.to_le_bytes());
    two_lengths[8..].copy_from_slice(&(head.len() as u64).to_le_bytes());
    let checksum = sum(&two_lengths, &head, columns);
    let mut first = Vec::with_capacity(FIRST as usize + head.len());
    first.extend_from_slice(MAGIC);
    first.extend_from_slice(&checksum);
    first.extend_from_slice(&two_lengths);
    first.extend_from_slice(&head);
    out.write_all(&first).map_err(io)?;
    for column in bytes {
        out.write_all(column).and_then(|()| out.write_all(padding(column))).map_err(io)?;
    }
    Ok((PartFile { path: path.to_owned(), data: start + first.len() as u64, lengths }, checksum))
}

/// Writes the end of a file of `parts` parts. Without an end, nobody would notice if the last parts were missing.
pub(crate) fn write_end(file: &mut OutFile, parts: usize) -> Result<()> {
    let name = file.path().display().to_string();
    let io = |cause| Error::Io { action: "write", name, cause };
    file.write_all(END).and_then(|()| file.write_all(&(parts as u64).to_le_bytes())).map_err(io)
}

/// True if the next bytes of `file` are the end of a file of `parts` parts. If not, the position in the file is
/// unchanged.
pub(crate) fn at_end(file: &mut File, path: &Path, parts: usize) -> Result<bool> {
    let damaged = |cause: &str| Error::Damaged { name: path.display().to_string(), cause: cause.into() };
    let io = |cause| Error::Io { action: "read", name: path.display().to_string(), cause };
    let start = file.stream_position().map_err(io)?;
    let mut end = [0; 16];
    file.read_exact(&mut end).map_err(|_| damaged(CUT_SHORT))?;
    if &end[..8] != END {
        file.seek(SeekFrom::Start(start)).map_err(io)?;
        return Ok(false);
    }
    if end[8..] != (parts as u64).to_le_bytes() {
        return Err(damaged("the number of its parts differs from the number at its end"));
    }
    if start + end.len() as u64 != file.metadata().map_err(io)?.len() {
        return Err(damaged(
            "it goes on after its end; if it was joined from several files, name each of them",
        ));
    }
    Ok(true)
}

/// Reads the part at the current position of `file`, with its columns, and moves the position after the part. Also
/// returns its checksum. A part that is damaged, or does not follow `link`, is an error.
pub(crate) fn read(file: &mut File, path: &Path, link: Link) -> Result<(PartFile, Columns, Checksum)> {
    let name = || path.display().to_string();
    let damaged = |cause: &str| Error::Damaged { name: name(), cause: cause.into() };
    let io = |cause| Error::Io { action: "read", name: name(), cause };
    let start = file.stream_position().map_err(io)?;
    let length = file.metadata().map_err(io)?.len();
    let mut first = [0; FIRST as usize];
    file.read_exact(&mut first).map_err(|_| damaged(CUT_SHORT))?;
    let number = |at: usize| u64::from_le_bytes(first[at..at + 8].try_into().expect("8 bytes"));
    let (total, head_bytes) = (number(40), number(48));
    if &first[..8] != MAGIC {
        return Err(damaged("a part does not begin with the expected bytes"));
    }
    if total > length - start || head_bytes > total.saturating_sub(FIRST) {
        return Err(damaged(CUT_SHORT));
    }
    let mut head_json = vec![0; head_bytes as usize];
    file.read_exact(&mut head_json).map_err(|_| damaged(CUT_SHORT))?;
    let head: Head =
        serde_json::from_slice(&head_json).map_err(|_| damaged("the head of a part cannot be read"))?;
    let needed = head.lengths.iter().zip(ITEM_BYTES).try_fold(0u64, |sum, (&length, item)| {
        sum.checked_add(padded(length.checked_mul(item)?.checked_add(7)? - 7))
    });
    if needed != Some(total - FIRST - head_bytes) {
        return Err(damaged("the length of the columns of a part differs from the length in its head"));
    }
    let stored = PartFile { path: path.to_owned(), data: start + FIRST + head_bytes, lengths: head.lengths };
    let mut columns = stored.columns(file)?;
    let checksum = sum(&first[40..], &head_json, &columns);
    if checksum[..] != first[8..40] {
        return Err(damaged("the checksum of a part is wrong"));
    }
    if head.first != link.first || head.after != hex(&link.after) {
        return Err(damaged("a part does not belong after the part before it"));
    }
    columns.blocks = head.blocks;
    columns.counts = head.counts;
    columns.order = head.order;
    if !is_consistent(&columns) {
        return Err(damaged("the columns of a part contradict each other"));
    }
    file.seek(SeekFrom::Start(start + total)).map_err(io)?;
    Ok((stored, columns, checksum))
}

/// True if every slot has the data that it should have. A malicious file must not make us read outside the columns.
fn is_consistent(columns: &Columns) -> bool {
    fn ends_fit<E: Copy + PartialOrd + Into<u64>>(ends: &[E], lists: usize, items: usize) -> bool {
        ends.len() == lists
            && ends.is_sorted()
            && ends.last().map_or(0, |&end| Into::<u64>::into(end)) == items as u64
    }
    let slots = columns.slots.len();
    let is_column = |items: usize| items == 0 || items == slots;
    let lists = |ends: &[u64], items: usize| ends_fit(ends, slots, items) || ends.is_empty() && items == 0;
    columns.blocks.iter().map(|block| u64::from(block.slots)).sum::<u64>() == slots as u64
        && (ends_fit(&columns.lane_ends, slots, columns.lanes.len())
            || columns.lane_ends.is_empty() && columns.lanes.len().is_multiple_of(slots.max(1)))
        && columns.bad.is_sorted()
        && columns.bad.last().is_none_or(|slot| *slot < slots as u64)
        && ends_fit(&columns.reason_ends, columns.bad.len(), columns.reasons.len())
        && seen_slots(columns).eq(columns.seen.iter().map(|row| row.slot))
        && ends_fit(&columns.seen_ends, columns.seen.len(), columns.seen_ids.len())
        && lists(&columns.sample_ends, columns.samples.len())
        && lists(&columns.id_ends, columns.ids.len())
        && lists(&columns.shingle_ends, columns.shingles.len())
        && lists(&columns.order_ends, columns.orders.len())
        && is_column(columns.keeps.len())
        && is_column(columns.withins.len())
        && (columns.order_ends.is_empty() || columns.keeps.len() == slots)
        && is_column(columns.content_hashes.len())
}

/// The slots of documents that an index has.
fn seen_slots(columns: &Columns) -> impl Iterator<Item = u64> {
    let entries = (0..).zip((0..columns.slots.len()).map(|slot| columns.entries().get(slot)));
    entries.filter(|(_, entry)| entry.class() == Class::Seen).map(|(slot, _)| slot)
}

/// Cuts slots (ascending) into groups that are read together. Each slot has `row` bytes.
fn pieces(slots: &[u64], row: u64) -> impl Iterator<Item = &[u64]> {
    let mut rest = slots;
    std::iter::from_fn(move || {
        let first = *rest.first()?;
        let apart = |pair: &[u64]| (pair[1] - pair[0]) * row > GAP || (pair[1] - first) * row > PIECE;
        let end = rest.windows(2).position(apart).map_or(rest.len(), |at| at + 1);
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(piece)
    })
}

impl PartFile {
    fn column<T: Pod>(&self, file: &File, column: usize) -> Result<Vec<T>> {
        self.items(file, column, 0, self.lengths[column])
    }

    /// Some items of a column.
    fn items<T: Pod>(&self, file: &File, column: usize, from: u64, count: u64) -> Result<Vec<T>> {
        let before: u64 =
            self.lengths.iter().zip(ITEM_BYTES).take(column).map(|(n, item)| padded(n * item)).sum();
        let mut items = vec![T::zeroed(); count as usize];
        file.read_exact_at(cast_slice_mut(&mut items), self.data + before + from * ITEM_BYTES[column])
            .map_err(|cause| Error::Io { action: "read", name: self.path.display().to_string(), cause })?;
        Ok(items)
    }

    fn columns(&self, file: &File) -> Result<Columns> {
        Ok(Columns {
            slots: self.column(file, SLOTS)?,
            keeps: self.column(file, KEEPS)?,
            withins: self.column(file, WITHINS)?,
            lanes: self.column(file, LANES)?,
            lane_ends: self.column(file, LANE_ENDS)?,
            samples: self.column(file, SAMPLES)?,
            sample_ends: self.column(file, SAMPLE_ENDS)?,
            ids: self.column(file, IDS)?,
            id_ends: self.column(file, ID_ENDS)?,
            shingles: self.column(file, SHINGLES)?,
            shingle_ends: self.column(file, SHINGLE_ENDS)?,
            orders: self.column(file, ORDERS)?,
            order_ends: self.column(file, ORDER_ENDS)?,
            bad: self.column(file, BAD)?,
            reasons: self.column(file, REASONS)?,
            reason_ends: self.column(file, REASON_ENDS)?,
            content_hashes: self.column(file, CONTENT_HASHES)?,
            seen: self.column(file, SEEN)?,
            seen_ids: self.column(file, SEEN_IDS)?,
            seen_ends: self.column(file, SEEN_ENDS)?,
            ..Columns::default()
        })
    }

    fn open(&self) -> Result<File> {
        File::open(&self.path).map_err(|cause| Error::Io {
            action: "read",
            name: self.path.display().to_string(),
            cause,
        })
    }

    /// All entries.
    pub(crate) fn entries(&self) -> Result<Entries<'static>> {
        let file = self.open()?;
        Ok(Entries {
            slots: self.column(&file, SLOTS)?.into(),
            keeps: self.column(&file, KEEPS)?.into(),
            withins: self.column(&file, WITHINS)?.into(),
        })
    }

    /// The entries of some slots (ascending).
    pub(crate) fn entries_at(&self, slots: &[u64]) -> Result<Entries<'static>> {
        Ok(Entries {
            slots: self.rows(SLOTS, 1, slots)?.into(),
            keeps: self.rows_if_any(KEEPS, slots)?.into(),
            withins: self.rows_if_any(WITHINS, slots)?.into(),
        })
    }

    /// All lanes.
    pub(crate) fn lanes(&self) -> Result<Vec<u16>> {
        self.column(&self.open()?, LANES)
    }

    /// The position at which the lanes of each slot end, if they differ in number.
    pub(crate) fn lane_ends(&self) -> Result<Vec<u32>> {
        self.column(&self.open()?, LANE_ENDS)
    }

    /// Hands the lanes of some slots (ascending) to `visit`, where slots differ in the number of lanes.
    pub(crate) fn visit_lanes(&self, slots: &[u64], mut visit: impl FnMut(&[u16])) -> Result<()> {
        self.visit_lists::<_, u32>(LANES, LANE_ENDS, slots, |_, lanes| {
            visit(lanes);
            Ok(())
        })
    }

    /// The lanes of some slots, `width` each.
    pub(crate) fn lanes_at(&self, width: usize, slots: &[u64]) -> Result<Vec<u16>> {
        self.rows(LANES, width, slots)
    }

    /// The rows of some slots (ascending), in a column that has `width` items for each slot. Rows that are close
    /// together are read together.
    fn rows<T: Pod>(&self, column: usize, width: usize, slots: &[u64]) -> Result<Vec<T>> {
        let file = self.open()?;
        let row = width as u64 * ITEM_BYTES[column];
        let mut rows = Vec::with_capacity(slots.len() * width);
        for piece in pieces(slots, row) {
            let (first, last) = (piece[0], piece[piece.len() - 1]);
            let items: Vec<T> =
                self.items(&file, column, first * width as u64, (last - first + 1) * width as u64)?;
            for slot in piece {
                let at = (slot - first) as usize * width;
                rows.extend_from_slice(&items[at..at + width]);
            }
        }
        Ok(rows)
    }

    /// The items of some slots (ascending), in a column that has one for each slot or none at all.
    fn rows_if_any<T: Pod>(&self, column: usize, slots: &[u64]) -> Result<Vec<T>> {
        if self.lengths[column] == 0 { Ok(Vec::new()) } else { self.rows(column, 1, slots) }
    }

    /// All samples, and the position at which the samples of each document end.
    pub(crate) fn samples(&self) -> Result<(Vec<u64>, Vec<u64>)> {
        let file = self.open()?;
        Ok((self.column(&file, SAMPLES)?, self.column(&file, SAMPLE_ENDS)?))
    }

    /// Hands the ids of some slots (ascending) to `visit`.
    pub(crate) fn visit_ids(&self, slots: &[u64], visit: impl FnMut(u64, &[u8]) -> Result<()>) -> Result<()> {
        self.visit_lists::<_, u64>(IDS, ID_ENDS, slots, visit)
    }

    /// Hands the lists of some slots (ascending) to `visit`: of a column of lists, and the column of their ends. Only
    /// these lists are read from the file, and what is between lists that are close together.
    fn visit_lists<T: Pod, E: Pod + Into<u64>>(
        &self,
        items: usize,
        ends: usize,
        slots: &[u64],
        mut visit: impl FnMut(u64, &[T]) -> Result<()>,
    ) -> Result<()> {
        let file = self.open()?;
        let (gap, most) = (GAP / ITEM_BYTES[items], PIECE / ITEM_BYTES[items]);
        for slots in slots.chunks(LISTS_AT_A_TIME) {
            let spans = self.spans::<E>(&file, ends, slots)?;
            let mut done = 0;
            while done < slots.len() {
                let begin = spans[done].0;
                let close = |&(place, next): &(usize, &(u64, u64))| {
                    place == done || next.0 - spans[place - 1].1 <= gap && next.1 - begin <= most
                };
                let piece = spans.iter().enumerate().skip(done).take_while(close).count();
                let end = spans[done + piece - 1].1;
                let read: Vec<T> = self.items(&file, items, begin, end - begin)?;
                for (slot, &(from, to)) in slots[done..done + piece].iter().zip(&spans[done..done + piece]) {
                    visit(*slot, &read[(from - begin) as usize..(to - begin) as usize])?;
                }
                done += piece;
            }
        }
        Ok(())
    }

    /// The total length of the ids of some slots (ascending), in bytes.
    pub(crate) fn id_bytes(&self, slots: &[u64]) -> Result<u64> {
        let file = self.open()?;
        let mut bytes = 0;
        for slots in slots.chunks(LISTS_AT_A_TIME) {
            bytes +=
                self.spans::<u64>(&file, ID_ENDS, slots)?.iter().map(|(from, to)| to - from).sum::<u64>();
        }
        Ok(bytes)
    }

    /// Where the lists of some slots (ascending) begin and end.
    fn spans<E: Pod + Into<u64>>(
        &self,
        file: &File,
        ends_column: usize,
        slots: &[u64],
    ) -> Result<Vec<(u64, u64)>> {
        let mut spans = Vec::with_capacity(slots.len());
        for piece in pieces(slots, ITEM_BYTES[ends_column]) {
            // The end of the slot before the first is read too: the first list begins there.
            let first = piece[0].saturating_sub(1);
            let ends: Vec<E> = self.items(file, ends_column, first, piece[piece.len() - 1] - first + 1)?;
            let end = |slot: u64| Into::<u64>::into(ends[(slot - first) as usize]);
            spans.extend(piece.iter().map(|&slot| (if slot == 0 { 0 } else { end(slot - 1) }, end(slot))));
        }
        Ok(spans)
    }

    /// True if some record is bad.
    pub(crate) fn has_bad(&self) -> bool {
        self.lengths[BAD] > 0
    }

    /// The slots of bad records, the reasons, and the position at which each reason ends.
    pub(crate) fn bad(&self) -> Result<(Vec<u64>, Vec<u8>, Vec<u64>)> {
        let file = self.open()?;
        Ok((self.column(&file, BAD)?, self.column(&file, REASONS)?, self.column(&file, REASON_ENDS)?))
    }

    /// True if an index has some document.
    pub(crate) fn has_seen(&self) -> bool {
        self.lengths[SEEN] > 0
    }

    /// What an index has of the documents that it has.
    pub(crate) fn seen(&self) -> Result<Vec<SeenRow>> {
        self.column(&self.open()?, SEEN)
    }

    /// The ids of these documents in the index, and the position at which each ends.
    pub(crate) fn seen_ids(&self) -> Result<(Vec<u8>, Vec<u64>)> {
        let file = self.open()?;
        Ok((self.column(&file, SEEN_IDS)?, self.column(&file, SEEN_ENDS)?))
    }

    /// True if shingles are stored.
    pub(crate) fn has_shingles(&self) -> bool {
        self.lengths[SHINGLE_ENDS] > 0
    }

    /// The values that the keep order compares, without their first 8 bytes, and the position at which each ends.
    pub(crate) fn orders(&self) -> Result<(Vec<u8>, Vec<u64>)> {
        let file = self.open()?;
        Ok((self.column(&file, ORDERS)?, self.column(&file, ORDER_ENDS)?))
    }

    /// The position at which the shingles of each document end; empty if no shingles are stored.
    pub(crate) fn shingle_ends(&self) -> Result<Vec<u64>> {
        self.column(&self.open()?, SHINGLE_ENDS)
    }

    /// Some of the stored shingles.
    pub(crate) fn shingles(&self, from: u64, to: u64) -> Result<Vec<u64>> {
        self.items(&self.open()?, SHINGLES, from, to - from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::entries::Entry;

    fn columns() -> Columns {
        let entries = [
            Entry::document(Class::HashOnly, 5, 6, [7, 0], 8),
            Entry::document(Class::Compared, 1, 2, [3, 0], 4),
            Entry::bad(),
        ];
        Columns {
            blocks: vec![BlockEntry { source: 0, offset: 0, record: 0, slots: 3, blank_lines: 0 }],
            slots: entries.iter().map(Entry::slot).collect(),
            keeps: entries.iter().map(|entry| entry.keep).collect(),
            withins: entries.iter().map(|entry| entry.within).collect(),
            lanes: (0..12).collect(),
            ids: b"abc".to_vec(),
            id_ends: vec![0, 3, 3],
            bad: vec![2],
            reasons: b"why".to_vec(),
            reason_ends: vec![3],
            ..Columns::default()
        }
    }

    fn read_bytes(bytes: &[u8], link: Link) -> Result<Columns> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("part");
        std::fs::write(&path, bytes).unwrap();
        read(&mut File::open(&path).unwrap(), &path, link).map(|(_, columns, _)| columns)
    }

    #[test]
    fn a_part_is_read_back_and_any_damage_is_noticed() {
        let link = Link { first: 5, after: [1; 32] };
        let mut bytes = Vec::new();
        write(&columns(), &mut bytes, Path::new("part"), 0, link).unwrap();
        assert_eq!(read_bytes(&bytes, link).unwrap(), columns());
        for other in [Link { first: 6, ..link }, Link { after: [2; 32], ..link }] {
            assert!(matches!(read_bytes(&bytes, other), Err(Error::Damaged { .. })));
        }
        for at in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << (at % 8);
            match read_bytes(&flipped, link) {
                // A byte of padding, which nothing reads.
                Ok(found) => assert_eq!(found, columns(), "byte {at}"),
                Err(error) => assert!(matches!(error, Error::Damaged { .. }), "byte {at}: {error}"),
            }
            assert!(matches!(read_bytes(&bytes[..at], link), Err(Error::Damaged { .. })), "cut at {at}");
        }
    }

    #[test]
    fn the_columns_of_a_part_are_the_bytes_of_the_format() {
        let mut bytes = Vec::new();
        write(&columns(), &mut bytes, Path::new("part"), 0, Link { first: 0, after: [0; 32] }).unwrap();
        let head = u64::from_le_bytes(bytes[48..56].try_into().unwrap()) as usize;
        let mut expected: Vec<u8> = Vec::new();
        for (fingerprint, size, flags) in [(5u64, 8u32, 1u32), (1, 4, 0), (0, 0, 2)] {
            expected.extend(fingerprint.to_le_bytes());
            expected.extend(size.to_le_bytes());
            expected.extend(flags.to_le_bytes());
        }
        let words = |words: &[u64]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        expected.extend(words(&[6, 2, 0]));
        expected.extend(words(&[7, 0, 3, 0, 0, 0]));
        expected.extend((0..12u16).flat_map(u16::to_le_bytes));
        expected.extend(b"abc\0\0\0\0\0");
        expected.extend(words(&[0, 3, 3]));
        expected.extend(words(&[2]));
        expected.extend(b"why\0\0\0\0\0");
        expected.extend(words(&[3]));
        assert_eq!((&bytes[..8], &bytes[56 + head..]), (&b"LKAPART3"[..], expected.as_slice()));
    }

    #[test]
    fn columns_that_do_not_agree_are_refused() {
        type Change = fn(&mut Columns);
        let changes: [Change; 10] = [
            |columns| columns.blocks[0].slots = 4,
            |columns| columns.keeps.truncate(2),
            |columns| columns.withins.truncate(1),
            |columns| columns.id_ends[0] = 4,
            |columns| columns.id_ends.truncate(2),
            |columns| columns.bad[0] = 3,
            |columns| columns.reason_ends[0] = 4,
            |columns| columns.reason_ends.clear(),
            |columns| columns.orders = vec![1],
            |columns| columns.lanes.truncate(11),
        ];
        let link = Link { first: 0, after: [0; 32] };
        for change in changes {
            let mut other = columns();
            change(&mut other);
            let mut bytes = Vec::new();
            write(&other, &mut bytes, Path::new("part"), 0, link).unwrap();
            assert!(matches!(read_bytes(&bytes, link), Err(Error::Damaged { .. })));
        }
    }
}
