//! Connected sets -> chunks that fit in memory.
//!
//! Who is in which set, and then in which chunk, are two [sorts that spill](crate::limits::sorted): a set is gone through one
//! document after the other, and what is in memory of it at a time fits in a chunk.

use super::refining::{self, Way};
use crate::Result;
use crate::candidates::Candidates;
use crate::candidates::forest::Forest;
use crate::limits::sorted::{Room, Sorted, Sorter};
use crate::method::Recipe;
use crate::method::samples::one_in;
use crate::method::short::HEAD;
use crate::solve::{SMALL_DOCUMENT, SMALL_SET};
use crate::store::Number;
use crate::view::View;
use bytemuck::{Pod, Zeroable};
use std::ops::Range;

/// Chunks that belong together: one, or a connected set that does not fit, in keep order.
#[derive(Debug)]
pub(crate) struct Series {
    pub chunks: Range<usize>,
}

/// All chunks.
#[derive(Debug)]
pub(super) struct Packed {
    pub series: Vec<Series>,
    /// Chunk by chunk, ascending in each.
    pub members: Sorted<Member>,
    /// Where each chunk begins among them; one more at the end.
    starts: Vec<u64>,
}

/// A document of a chunk.
#[derive(Debug, Clone, Copy, Zeroable, Pod)]
#[repr(C)]
pub(super) struct Member {
    pub number: Number,
    pub chunk: u32,
    /// Its small connected set, or [`NO_SET`].
    pub set: u32,
}

/// The documents of a chunk, ascending.
#[derive(Debug, Default)]
pub(crate) struct Members {
    pub numbers: Vec<Number>,
    /// The small connected set of each, or [`NO_SET`].
    pub sets: Vec<u32>,
}

/// A document of a connected set, and its shingles.
#[derive(Debug, Clone, Copy, Zeroable, Pod)]
#[repr(C)]
pub(super) struct Connected {
    pub root: Number,
    pub number: Number,
    pub size: u64,
}

/// A document where it stands in keep order, and its shingles.
#[derive(Debug, Clone, Copy, Zeroable, Pod)]
#[repr(C)]
struct Ranked {
    source: u64,
    keep: u64,
    number: Number,
    size: u64,
}

/// Bytes of a key, with its places in buckets.
const PER_KEY: u64 = 36;

/// Bytes of a chunk, at most, with any memory: so that its keys, documents and sets have 32-bit numbers, twice over.
const MOST_BYTES: u64 = PER_KEY * (u32::MAX as u64) / 2;

/// Entries that are looked up at a time.
const ENTRIES_AT_A_TIME: usize = 1 << 14;

/// The document is not in a small set.
pub(crate) const NO_SET: u32 = u32::MAX;

impl Members {
    /// Documents of no small set.
    pub(crate) fn of(numbers: Vec<Number>) -> Self {
        Self { sets: vec![NO_SET; numbers.len()], numbers }
    }
}

impl Packed {
    /// One series of these chunks.
    #[cfg(test)]
    pub(super) fn of(room: Room<'_>, chunks: &[&[Number]]) -> Self {
        let key = |member: &Member| (member.chunk, member.number);
        let mut members = room.sorter(room.ledger.sorting(), key);
        let mut starts = vec![0];
        for (chunk, numbers) in chunks.iter().enumerate() {
            for &number in *numbers {
                members.push(Member { number, chunk: chunk as u32, set: NO_SET });
            }
            starts.push(starts[chunk] + numbers.len() as u64);
        }
        let series = vec![Series { chunks: 0..chunks.len() }];
        Self { series, members: members.finish().expect("it fits in memory"), starts }
    }

    /// How many chunks there are.
    pub(super) fn chunks(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many documents a chunk has.
    pub(super) fn len_of(&self, chunk: usize) -> u64 {
        self.starts[chunk + 1] - self.starts[chunk]
    }

    /// The documents of a chunk.
    pub(super) fn members(&self, chunk: usize) -> Result<Members> {
        let (start, len) = (self.starts[chunk], self.len_of(chunk) as usize);
        let mut members = Members { numbers: Vec::with_capacity(len), sets: Vec::with_capacity(len) };
        for member in self.members.iter_from(start).take(len) {
            let Member { number, set, .. } = member?;
            members.numbers.push(number);
            members.sets.push(set);
        }
        Ok(members)
    }
}

/// Bytes that a document of `size` shingles takes in a chunk, with its set, its lanes and its places in buckets.
pub(super) fn weight(size: u32, recipe: &Recipe) -> u64 {
    let size = u64::from(size);
    // A sample is kept beside its places in buckets.
    let keys = match recipe.method.stores_keys() {
        true => (PER_KEY + 8) * (size / one_in(&recipe.settings) + 1),
        false => PER_KEY * (recipe.bands() as u64 + listed_keys(size, recipe)),
    };
    8 * size + 2 * most_lanes(size, recipe) + keys + 112
}

/// How many keys of a short document are listed, at the most.
fn listed_keys(size: u64, recipe: &Recipe) -> u64 {
    let short = recipe.method.short().filter(|short| size <= short.most_elements() as u64);
    short.map_or(0, |short| short.most_keys() as u64)
}

/// How many lanes a document of `size` shingles has, at the most.
fn most_lanes(size: u64, recipe: &Recipe) -> u64 {
    let keys = listed_keys(size, recipe);
    recipe.lanes() as u64 + if keys > 0 { HEAD as u64 + 2 * keys } else { 0 }
}

/// Bytes that a document of a small set takes: it is in no buckets.
pub(super) fn weight_in_small(size: u32, recipe: &Recipe) -> u64 {
    8 * u64::from(size) + 4 * most_lanes(u64::from(size), recipe) + 168
}

/// Packs all documents with candidates; tells small sets apart if they can be decided as such.
pub(super) fn pack(view: View<'_>, mut candidates: Candidates, small_sets: bool) -> Result<Packed> {
    let View { store, budget, observer, .. } = view;
    let room = view.room();
    let mut connected = room.sorter(budget.sorting(), |it: &Connected| (it.root, it.number));
    let Candidates { involved, forest } = &mut candidates;
    let mut numbers = involved.iter();
    loop {
        observer.go_on()?;
        let some: Vec<Number> = numbers.by_ref().take(ENTRIES_AT_A_TIME).collect();
        if some.is_empty() {
            break;
        }
        for (&number, entry) in some.iter().zip(store.entries_of(&some)?) {
            connected.push(Connected { root: forest.root(number), number, size: u64::from(entry.size) });
        }
    }
    drop(numbers);
    drop(candidates);
    let connected = connected.finish()?;
    // The list of members stays while chunks are compared, and this one does not.
    let members = (connected.len() * size_of::<Member>() as u64).min(budget.collecting());
    let held = store.bytes_reserved() + members + budget.collecting();
    let mut packer = Packer {
        view,
        room,
        limit: budget.chunk_beside(held).min(MOST_BYTES),
        small_sets,
        members: room.sorter(budget.collecting(), |it: &Member| (it.chunk, it.number)),
        lengths: Vec::new(),
        series: Vec::new(),
        filling: None,
        bytes: 0,
        small: 0,
        forest: None,
    };
    packer.add_sets(&connected, refining::ways(view))?;
    drop(connected);
    packer.finish()
}

/// Puts connected sets into chunks, one after the other.
struct Packer<'a, F> {
    view: View<'a>,
    room: Room<'a>,
    /// Bytes of a chunk.
    limit: u64,
    small_sets: bool,
    members: Sorter<'a, Member, F>,
    /// Documents of each chunk.
    lengths: Vec<u64>,
    series: Vec<Series>,
    /// The chunk that is being filled, and its bytes.
    filling: Option<usize>,
    bytes: u64,
    /// How many small sets there are.
    small: u32,
    /// What is still connected in the sets that were refined: one forest for all, since no two sets have a document in
    /// common.
    forest: Option<Forest>,
}

impl<F: Fn(&Member) -> (u32, Number)> Packer<'_, F> {
    /// Adds all sets of at least two documents; those that do not fit are taken apart in these `ways` first.
    fn add_sets(&mut self, connected: &Sorted<Connected>, ways: &[Way]) -> Result<()> {
        let View { recipe, observer, .. } = self.view;
        let mut stream = connected.iter();
        let (mut first, mut set, mut step) = (0, Vec::new(), 0);
        while let Some(Connected { root, .. }) = stream.peek()? {
            let (mut len, mut bytes) = (0u64, 0);
            set.clear();
            stream.take_until(
                |it| it.root != root,
                |document| {
                    observer.go_on_at(step)?;
                    step += 1;
                    len += 1;
                    bytes += weight(document.size as u32, recipe);
                    // What does not fit is not needed as a list.
                    if bytes <= self.limit || len <= SMALL_SET as u64 {
                        set.push(document);
                    }
                    Ok(())
                },
            )?;
            let is_whole = set.len() as u64 == len;
            if len > 1 && bytes > self.limit && !ways.is_empty() {
                set = Vec::new();
                self.add_refined(connected, first, len, ways)?;
            } else if len > 1 && !(is_whole && self.add(&set)) {
                self.add_series(connected, first, len)?;
            }
            first += len;
        }
        Ok(())
    }

    /// Adds the sets that a set falls into: so many documents from a place on.
    fn add_refined(
        &mut self,
        connected: &Sorted<Connected>,
        first: u64,
        len: u64,
        ways: &[Way],
    ) -> Result<()> {
        let Some((&way, others)) = ways.split_first() else {
            return self.add_series(connected, first, len);
        };
        let forest = self.forest.get_or_insert_with(|| Forest::new(self.view.store.count()));
        let documents = || connected.iter_from(first).take(len as usize);
        match refining::refine(self.view, self.room, way, documents, forest)? {
            Some(refined) => self.add_sets(&refined, others),
            None => self.add_refined(connected, first, len, others),
        }
    }

    fn push(&mut self, chunk: usize, number: Number, set: u32) {
        self.lengths[chunk] += 1;
        self.members.push(Member { number, chunk: chunk as u32, set });
    }

    fn begin_chunk(&mut self) -> usize {
        self.lengths.push(0);
        self.lengths.len() - 1
    }

    /// Adds a connected set to a chunk; false if it does not fit in one.
    fn add(&mut self, set: &[Connected]) -> bool {
        let View { recipe, .. } = self.view;
        let is_small = self.small_sets
            && set.len() <= SMALL_SET
            && self.small < NO_SET
            && set.iter().all(|document| document.size <= u64::from(SMALL_DOCUMENT));
        let weigh = if is_small { weight_in_small } else { weight };
        let size: u64 = set.iter().map(|document| weigh(document.size as u32, recipe)).sum();
        if size > self.limit {
            return false;
        }
        if self.bytes + size > self.limit {
            self.filling = None;
        }
        let chunk = match self.filling {
            Some(chunk) => chunk,
            None => {
                self.bytes = 0;
                let chunk = self.begin_chunk();
                self.series.push(Series { chunks: chunk..chunk + 1 });
                *self.filling.insert(chunk)
            }
        };
        self.bytes += size;
        let name = if is_small { self.small } else { NO_SET };
        self.small += u32::from(is_small);
        set.iter().for_each(|document| self.push(chunk, document.number, name));
        true
    }

    /// Adds a set that does not fit, in keep order, in pieces of which two are in memory at a time.
    fn add_series(&mut self, connected: &Sorted<Connected>, first: u64, len: u64) -> Result<()> {
        let View { store, order, observer, budget, .. } = self.view;
        let mut documents = connected.iter_from(first).take(len as usize);
        let first_chunk = self.lengths.len();
        let mut left = 0;
        if order.is_input_order() {
            for (step, document) in documents.enumerate() {
                observer.go_on_at(step)?;
                let Connected { number, size, .. } = document?;
                self.add_to_series(first_chunk, number, size, &mut left);
            }
        } else {
            let key = |it: &Ranked| (it.source, it.keep, it.number);
            let mut ranked = self.room.sorter(budget.sorting(), key);
            loop {
                observer.go_on()?;
                let some = documents.by_ref().take(ENTRIES_AT_A_TIME).collect::<Result<Vec<Connected>>>()?;
                if some.is_empty() {
                    break;
                }
                let numbers: Vec<Number> = some.iter().map(|document| document.number).collect();
                for (Connected { number, size, .. }, entry) in some.iter().zip(store.entries_of(&numbers)?) {
                    let (source, keep, number) = order.rank(store.source_of(*number), &entry, *number);
                    ranked.push(Ranked { source: u64::from(source), keep, number, size: *size });
                }
            }
            for (step, document) in ranked.finish()?.iter().enumerate() {
                observer.go_on_at(step)?;
                let Ranked { number, size, .. } = document?;
                self.add_to_series(first_chunk, number, size, &mut left);
            }
        }
        self.series.push(Series { chunks: first_chunk..self.lengths.len() });
        Ok(())
    }

    /// Adds a document to the last chunk of a series, if that has so many bytes `left`; otherwise to another one.
    fn add_to_series(&mut self, first_chunk: usize, number: Number, size: u64, left: &mut u64) {
        let weight = weight(size as u32, self.view.recipe);
        if self.lengths.len() == first_chunk || weight > *left {
            self.begin_chunk();
            *left = (self.limit / 2).max(weight);
        }
        *left -= weight;
        self.push(self.lengths.len() - 1, number, NO_SET);
    }

    fn finish(self) -> Result<Packed> {
        let mut starts = vec![0];
        let mut before = 0;
        starts.extend(self.lengths.iter().map(|length| {
            before += length;
            before
        }));
        Ok(Packed { series: self.series, members: self.members.finish()?, starts })
    }
}

/// Whether documents (any order) fit in a chunk.
pub(super) fn fits(view: View<'_>, numbers: &[Number]) -> Result<bool> {
    let mut numbers = numbers.to_vec();
    numbers.sort_unstable();
    let limit = view.budget.chunk(view.store.bytes_in_memory());
    let entries = view.store.entries_of(&numbers)?;
    Ok(entries.iter().map(|entry| weight(entry.size, view.recipe)).sum::<u64>() <= limit / 2)
}

/// As many documents as can fit in half a chunk, at the most.
pub(super) fn most_that_fit(view: View<'_>) -> usize {
    (view.budget.chunk(view.store.bytes_in_memory()) / 2 / weight(0, view.recipe)) as usize
}

/// How many of the pairs, from the first on, fit in `limit` bytes: at least one.
pub(crate) fn pairs_that_fit(view: View<'_>, pairs: &[(Number, Number)], limit: u64) -> Result<usize> {
    // Entries are read for so many pairs at a time.
    let some = &pairs[..pairs.len().min(1 << 16)];
    let mut numbers: Vec<Number> = some.iter().flat_map(|&(a, b)| [a, b]).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let entries = view.store.entries_of(&numbers)?;
    let weight_of =
        |number: Number| weight(entries[numbers.partition_point(|&n| n < number)].size, view.recipe);
    let mut bytes = 0;
    let fitting = some
        .iter()
        .take_while(|&&(a, b)| {
            bytes += weight_of(a) + weight_of(b);
            bytes <= limit
        })
        .count();
    Ok(fitting.max(1))
}
