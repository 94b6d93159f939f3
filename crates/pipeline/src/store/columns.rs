//! What is known of a stretch of documents, column by column.

use crate::method::{Means, Sketching};
use crate::report::Counts;
use bytemuck::{Pod, Zeroable};
use corpus::Position;
use serde::{Deserialize, Serialize};

/// What is known of one record slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Zeroable, Pod)]
#[repr(C)]
pub(crate) struct Entry {
    /// Equal for texts that are equal after normalisation (and whose `within` is equal).
    pub fingerprint: u64,
    /// Where it stands in keep order: smaller stays.
    pub keep: u64,
    /// A hash of the value of `--within`; 0 without.
    pub within: u64,
    /// Shingles.
    pub size: u32,
    /// A [`Class`].
    class: u32,
}

/// What a record slot is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// Compared by shingles.
    Compared,
    /// Compared by content hash only: over the limit, or with NUL characters.
    HashOnly,
    /// A bad record.
    Bad,
    /// A blank line.
    Blank,
}

impl Entry {
    /// A document.
    pub(crate) fn document(class: Class, fingerprint: u64, keep: u64, within: u64, size: usize) -> Self {
        let size = u32::try_from(size).unwrap_or(u32::MAX);
        Self { fingerprint, keep, within, size, class: class as u32 }
    }

    /// A slot without a document.
    pub(crate) fn other(class: Class) -> Self {
        Self { fingerprint: 0, keep: 0, within: 0, size: 0, class: class as u32 }
    }

    /// What it is.
    pub(crate) fn class(&self) -> Class {
        [Class::Compared, Class::HashOnly, Class::Bad, Class::Blank][(self.class & 3) as usize]
    }

    /// Whether there is a text.
    pub(crate) fn is_document(&self) -> bool {
        matches!(self.class(), Class::Compared | Class::HashOnly)
    }
}

/// A block of a source, and how many slots it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BlockEntry {
    pub source: u32,
    pub offset: u64,
    pub record: u64,
    pub slots: u32,
}

impl BlockEntry {
    pub(crate) fn position(&self) -> Position {
        Position { offset: self.offset, record: self.record }
    }
}

/// The columns of a stretch of documents. Lists of unequal length have a column of ends.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Columns {
    pub blocks: Vec<BlockEntry>,
    pub entries: Vec<Entry>,
    /// A fixed number per document.
    pub lanes: Vec<u16>,
    pub samples: Vec<u64>,
    pub sample_ends: Vec<u64>,
    pub ids: Vec<u8>,
    pub id_ends: Vec<u64>,
    pub shingles: Vec<u64>,
    pub shingle_ends: Vec<u64>,
    /// The slot of each bad record, and the reasons.
    pub bad: Vec<u64>,
    pub reasons: Vec<u8>,
    pub reason_ends: Vec<u64>,
    pub counts: Counts,
}

impl Columns {
    /// Nothing yet, with room for as many documents as `other` has.
    pub(crate) fn with_room_for(other: &Self) -> Self {
        Self {
            entries: Vec::with_capacity(other.entries.len()),
            lanes: Vec::with_capacity(other.lanes.len()),
            ..Self::default()
        }
    }

    /// Bytes, about.
    pub(crate) fn bytes(&self) -> u64 {
        let words = self.samples.len()
            + self.sample_ends.len()
            + self.id_ends.len()
            + self.shingles.len()
            + self.shingle_ends.len()
            + self.bad.len()
            + self.reason_ends.len();
        let bytes = size_of_val(self.entries.as_slice())
            + size_of_val(self.lanes.as_slice())
            + self.ids.len()
            + self.reasons.len()
            + 8 * words
            + 40 * self.blocks.len();
        bytes as u64
    }

    /// Ends the lists of a document: those that there are.
    pub(crate) fn end_lists(&mut self, means: &Means) {
        if matches!(means.sketching, Sketching::Samples) {
            self.sample_ends.push(self.samples.len() as u64);
        }
        if means.settings.id_field.is_some() {
            self.id_ends.push(self.ids.len() as u64);
        }
        if means.settings.store == crate::Store::Shingles {
            self.shingle_ends.push(self.shingles.len() as u64);
        }
    }

    /// The record of a slot is bad.
    pub(crate) fn push_bad(&mut self, slot: u64, reason: &str) {
        self.bad.push(slot);
        self.reasons.extend_from_slice(reason.as_bytes());
        self.reason_ends.push(self.reasons.len() as u64);
    }

    /// Adds what comes after it.
    pub(crate) fn append(&mut self, mut other: Self) {
        fn append_ends(ends: &mut Vec<u64>, more: &[u64]) {
            let base = ends.last().copied().unwrap_or(0);
            ends.extend(more.iter().map(|end| base + end));
        }
        let slots = self.entries.len() as u64;
        self.bad.extend(other.bad.iter().map(|slot| slots + slot));
        self.reasons.append(&mut other.reasons);
        append_ends(&mut self.reason_ends, &other.reason_ends);
        self.blocks.append(&mut other.blocks);
        self.entries.append(&mut other.entries);
        self.lanes.append(&mut other.lanes);
        self.samples.append(&mut other.samples);
        append_ends(&mut self.sample_ends, &other.sample_ends);
        self.ids.append(&mut other.ids);
        append_ends(&mut self.id_ends, &other.id_ends);
        self.shingles.append(&mut other.shingles);
        append_ends(&mut self.shingle_ends, &other.shingle_ends);
        self.counts.add(&other.counts);
    }
}

/// The part of a list column that belongs to one slot.
pub(crate) fn list<'c, T>(items: &'c [T], ends: &[u64], slot: usize) -> &'c [T] {
    let start = if slot == 0 { 0 } else { ends[slot - 1] };
    &items[start as usize..ends[slot] as usize]
}
