//! The sketches of consecutive documents, stored in columns.

use crate::method::Recipe;
use crate::report::Counts;
use crate::seen::{SeenMatch, SeenRow};
use crate::store::entries::{Entries, Entry, Slot, Within};
use corpus::Position;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::Add;

/// A block of a source: where it begins, and how many slots it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BlockEntry {
    pub source: u32,
    pub offset: u64,
    pub record: u64,
    pub slots: u32,
    /// The number of blank lines. They are not slots.
    #[serde(default)]
    pub blank_lines: u32,
}

impl BlockEntry {
    pub(crate) fn position(&self) -> Position {
        Position { offset: self.offset, record: self.record }
    }
}

/// The columns of consecutive documents. A column of lists that differ in length has a second column, which says
/// where each list ends.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Columns {
    pub blocks: Vec<BlockEntry>,
    /// What every slot has of its [`Entry`].
    pub slots: Vec<Slot>,
    /// What the keep order compares. Empty if documents of one source are kept in input order.
    pub keeps: Vec<u64>,
    /// Empty if the settings have no `within`.
    pub withins: Vec<Within>,
    /// All documents have equally many lanes, unless the next column says where those of each end.
    pub lanes: Vec<u16>,
    pub lane_ends: Vec<u32>,
    /// A hash of the order of shingles on which the lanes depend; 0 if they depend on none.
    pub order: u64,
    pub samples: Vec<u64>,
    pub sample_ends: Vec<u64>,
    pub ids: Vec<u8>,
    pub id_ends: Vec<u64>,
    pub shingles: Vec<u64>,
    pub shingle_ends: Vec<u64>,
    /// The values of `--keep max:FIELD` and `min:FIELD` without their first 8 bytes, which are in the entries.
    pub orders: Vec<u8>,
    pub order_ends: Vec<u64>,
    /// The slot of each bad record. The reasons are in the next column.
    pub bad: Vec<u64>,
    pub reasons: Vec<u8>,
    pub reason_ends: Vec<u64>,
    /// The content hash of each slot, low half first; zeros for a bad record. Only sketch files have them.
    pub content_hashes: Vec<[u64; 2]>,
    /// What an index has of the documents that it has, ascending by slot. The ids are in the next column.
    pub seen: Vec<SeenRow>,
    pub seen_ids: Vec<u8>,
    pub seen_ends: Vec<u64>,
    pub counts: Counts,
}

impl Columns {
    /// Empty columns, with room for as many documents as `other` has.
    pub(crate) fn with_room_for(other: &Self) -> Self {
        Self {
            slots: Vec::with_capacity(other.slots.len()),
            lanes: Vec::with_capacity(other.lanes.len()),
            lane_ends: Vec::with_capacity(other.lane_ends.len()),
            ..Self::default()
        }
    }

    /// The approximate size of all columns, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let words = self.keeps.len()
            + 2 * self.withins.len()
            + self.samples.len()
            + self.sample_ends.len()
            + self.id_ends.len()
            + self.shingles.len()
            + self.shingle_ends.len()
            + self.order_ends.len()
            + self.bad.len()
            + self.reason_ends.len()
            + self.seen_ends.len()
            + 2 * self.content_hashes.len();
        let bytes = size_of_val(self.slots.as_slice())
            + size_of_val(self.lanes.as_slice())
            + size_of_val(self.lane_ends.as_slice())
            + self.ids.len()
            + self.orders.len()
            + self.reasons.len()
            + size_of_val(self.seen.as_slice())
            + self.seen_ids.len()
            + 8 * words
            + 40 * self.blocks.len();
        bytes as u64
    }

    /// Adds the entry of a slot, as far as the settings use it.
    pub(crate) fn push_entry(&mut self, entry: Entry, recipe: &Recipe) {
        self.slots.push(entry.slot());
        if recipe.stores_keeps {
            self.keeps.push(entry.keep);
        }
        if recipe.stores_withins() {
            self.withins.push(entry.within);
        }
    }

    /// All entries.
    pub(crate) fn entries(&self) -> Entries<'_> {
        Entries {
            slots: Cow::Borrowed(&self.slots),
            keeps: Cow::Borrowed(&self.keeps),
            withins: Cow::Borrowed(&self.withins),
        }
    }

    /// Adds the lanes of a slot that is not compared: none, or zeros if all slots have equally many.
    pub(crate) fn push_no_lanes(&mut self, recipe: &Recipe) {
        if !recipe.has_uneven_lanes() {
            self.lanes.resize(self.lanes.len() + recipe.lanes(), 0);
        }
    }

    /// Ends the lists of a document, for all columns that the settings use.
    pub(crate) fn end_lists(&mut self, recipe: &Recipe) {
        if recipe.has_uneven_lanes() {
            let end = u32::try_from(self.lanes.len()).expect("a part ends long before");
            self.lane_ends.push(end);
        }
        if recipe.method.stores_keys() {
            self.sample_ends.push(self.samples.len() as u64);
        }
        if recipe.settings.files.id_field.is_some() {
            self.id_ends.push(self.ids.len() as u64);
        }
        if recipe.settings.files.store == crate::Stored::Shingles {
            self.shingle_ends.push(self.shingles.len() as u64);
        }
        if recipe.fields.order.is_some() {
            self.order_ends.push(self.orders.len() as u64);
        }
    }

    /// True if every slot has its lanes and all lists that the settings of `recipe` need.
    pub(crate) fn has_all_of(&self, recipe: &Recipe) -> bool {
        let slots = self.slots.len();
        let has = |wanted: bool, ends: &[u64]| !wanted || ends.len() == slots;
        self.has_lanes_of(recipe)
            && has(recipe.stores_keeps, &self.keeps)
            && (!recipe.stores_withins() || self.withins.len() == slots)
            && has(recipe.method.stores_keys(), &self.sample_ends)
            && has(recipe.settings.files.id_field.is_some(), &self.id_ends)
            && has(recipe.settings.files.store == crate::Stored::Shingles, &self.shingle_ends)
            && has(recipe.fields.order.is_some(), &self.order_ends)
    }

    fn has_lanes_of(&self, recipe: &Recipe) -> bool {
        let slots = self.slots.len();
        if !recipe.has_uneven_lanes() {
            return self.lanes.len() == slots * recipe.lanes();
        }
        let is_sketch = |(slot, entry): (usize, Entry)| {
            let lanes = list(&self.lanes, &self.lane_ends, slot);
            if entry.is_sketched() { recipe.method.is_sketch(lanes) } else { lanes.is_empty() }
        };
        self.lane_ends.len() == slots && self.entries().iter().enumerate().all(is_sketch)
    }

    /// Notes that the record of a slot is bad, and why.
    pub(crate) fn push_bad(&mut self, slot: u64, reason: &str) {
        self.bad.push(slot);
        self.reasons.extend_from_slice(reason.as_bytes());
        self.reason_ends.push(self.reasons.len() as u64);
    }

    /// Notes that an index has the document of a slot.
    pub(crate) fn push_seen(&mut self, slot: usize, found: &SeenMatch) {
        self.seen.push(SeenRow::new(slot, found));
        self.seen_ids.extend_from_slice(found.id.as_bytes());
        self.seen_ends.push(self.seen_ids.len() as u64);
    }

    /// Appends the columns of the documents that follow.
    pub(crate) fn append(&mut self, mut other: Self) {
        fn append_ends<E: Copy + Default + Add<Output = E>>(ends: &mut Vec<E>, more: &[E]) {
            let base = ends.last().copied().unwrap_or_default();
            ends.extend(more.iter().map(|&end| base + end));
        }
        let slots = self.slots.len() as u64;
        self.bad.extend(other.bad.iter().map(|slot| slots + slot));
        self.reasons.append(&mut other.reasons);
        append_ends(&mut self.reason_ends, &other.reason_ends);
        self.seen.extend(other.seen.iter().map(|row| SeenRow { slot: slots + row.slot, ..*row }));
        self.seen_ids.append(&mut other.seen_ids);
        append_ends(&mut self.seen_ends, &other.seen_ends);
        self.blocks.append(&mut other.blocks);
        self.slots.append(&mut other.slots);
        self.keeps.append(&mut other.keeps);
        self.withins.append(&mut other.withins);
        self.lanes.append(&mut other.lanes);
        append_ends(&mut self.lane_ends, &other.lane_ends);
        self.samples.append(&mut other.samples);
        append_ends(&mut self.sample_ends, &other.sample_ends);
        self.ids.append(&mut other.ids);
        append_ends(&mut self.id_ends, &other.id_ends);
        self.shingles.append(&mut other.shingles);
        append_ends(&mut self.shingle_ends, &other.shingle_ends);
        self.orders.append(&mut other.orders);
        append_ends(&mut self.order_ends, &other.order_ends);
        self.content_hashes.append(&mut other.content_hashes);
        self.counts.add(&other.counts);
    }
}

/// The list of one slot.
pub(crate) fn list<'c, T, E: Copy + Into<u64>>(items: &'c [T], ends: &[E], slot: usize) -> &'c [T] {
    let start = if slot == 0 { 0 } else { ends[slot - 1].into() };
    &items[start as usize..ends[slot].into() as usize]
}
