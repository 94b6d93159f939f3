//! Connected sets -> chunks that fit in memory.

use super::refining;
use crate::Result;
use crate::candidates::Candidates;
use crate::memory::per_document;
use crate::method::{Means, SAMPLED_ONE_IN};
use crate::solve::{SMALL_DOCUMENT, SMALL_SET};
use crate::store::Number;
use crate::store::columns::Entry;
use crate::view::View;
use crate::work::Work;

/// Chunks that belong together: one, or a connected set that does not fit, in keep order.
#[derive(Debug)]
pub(crate) struct Series {
    pub chunks: Vec<Members>,
}

/// The documents of a chunk, ascending.
#[derive(Debug, Default)]
pub(crate) struct Members {
    pub numbers: Vec<Number>,
    /// The small connected set of each, or [`NO_SET`].
    pub sets: Vec<u32>,
}

/// Bytes of a key, with its places in buckets.
const PER_KEY: u64 = 36;

/// Bytes of a chunk, at most, with any memory: so that its keys, documents and sets have 32-bit numbers, twice over.
const MOST_BYTES: u64 = PER_KEY * (u32::MAX as u64) / 2;

/// Entries that are looked up at a time.
const ENTRIES_AT_A_TIME: usize = 1 << 20;

/// The document is not in a small set.
pub(crate) const NO_SET: u32 = u32::MAX;

impl Members {
    /// Documents of no small set.
    pub(crate) fn of(numbers: Vec<Number>) -> Self {
        Self { sets: vec![NO_SET; numbers.len()], numbers }
    }

    fn sorted(mut members: Vec<(Number, u32)>) -> Self {
        members.sort_unstable();
        let (numbers, sets) = members.into_iter().unzip();
        Self { numbers, sets }
    }
}

/// Bytes that a document takes in a chunk, with its set, its lanes and its places in buckets.
fn weight(entry: &Entry, means: &Means) -> u64 {
    let size = u64::from(entry.size);
    // A sample is kept beside its places in buckets.
    let keys = match means.bands() as u64 {
        0 => (PER_KEY + 8) * (size / SAMPLED_ONE_IN + 1),
        bands => PER_KEY * bands,
    };
    8 * size + 2 * means.lanes() as u64 + keys + 104
}

/// Bytes that a document of a small set takes: it is in no buckets.
fn weight_in_small(entry: &Entry, means: &Means) -> u64 {
    8 * u64::from(entry.size) + 4 * means.lanes() as u64 + 160
}

/// Packs all documents with candidates; tells small sets apart if they can be decided as such.
pub(crate) fn pack(
    view: View<'_>,
    mut candidates: Candidates,
    small_sets: bool,
    work: &Work,
) -> Result<Vec<Series>> {
    let View { store, means, budget, observer, .. } = view;
    let numbers: Vec<Number> = candidates.involved.iter().collect();
    let mut entries = Vec::with_capacity(numbers.len());
    for some in numbers.chunks(ENTRIES_AT_A_TIME) {
        observer.go_on()?;
        entries.extend(store.entries_of(some)?);
    }
    let mut members: Vec<(Number, usize)> =
        numbers.iter().zip(0..).map(|(&number, at)| (candidates.forest.root(number), at)).collect();
    drop(candidates);
    members.sort_unstable();
    let used = store.bytes_in_memory()
        + store.count() * per_document(store.count())
        + numbers.len() as u64 * (12 + 16 + size_of::<Entry>() as u64);
    let limit = budget.chunk(used).min(MOST_BYTES);
    let mut packer =
        Packer { view, limit, small_sets, packed: Vec::new(), chunk: Vec::new(), bytes: 0, small: 0 };
    for set in members.chunk_by(|a, b| a.0 == b.0) {
        observer.go_on()?;
        let set: Vec<(Number, Entry)> = set.iter().map(|&(_, at)| (numbers[at], entries[at])).collect();
        let size: u64 = set.iter().map(|(_, entry)| weight(entry, means)).sum();
        if size <= limit || !refining::is_possible(view) {
            packer.add(set);
            continue;
        }
        let whole = set.into_iter().map(|(number, _)| number).collect();
        for refined in refining::refine(view, whole, work)? {
            let entries = store.entries_of(&refined)?;
            packer.add(refined.into_iter().zip(entries).collect());
        }
    }
    Ok(packer.finish())
}

/// Puts connected sets into chunks, one after the other.
struct Packer<'a> {
    view: View<'a>,
    /// Bytes of a chunk.
    limit: u64,
    small_sets: bool,
    packed: Vec<Series>,
    /// The chunk that is being filled, and its bytes.
    chunk: Vec<(Number, u32)>,
    bytes: u64,
    /// How many small sets there are.
    small: u32,
}

impl Packer<'_> {
    /// Adds a connected set.
    fn add(&mut self, set: Vec<(Number, Entry)>) {
        let View { means, .. } = self.view;
        let is_small = self.small_sets
            && set.len() <= SMALL_SET
            && self.small < NO_SET
            && set.iter().all(|(_, entry)| entry.size <= SMALL_DOCUMENT);
        let weigh = if is_small { weight_in_small } else { weight };
        let size: u64 = set.iter().map(|(_, entry)| weigh(entry, means)).sum();
        if size > self.limit {
            self.packed.push(self.series(set));
            return;
        }
        if self.bytes + size > self.limit {
            self.end_chunk();
        }
        self.bytes += size;
        let name = if is_small { self.small } else { NO_SET };
        self.small += u32::from(is_small);
        self.chunk.extend(set.into_iter().map(|(number, _)| (number, name)));
    }

    /// A set that does not fit, in keep order, in pieces of which two are in memory at a time.
    fn series(&self, mut set: Vec<(Number, Entry)>) -> Series {
        let View { store, means, order, .. } = self.view;
        set.sort_by_cached_key(|(number, entry)| order.rank(store.source_of(*number), entry, *number));
        let chunks = cut(set, self.limit / 2, |(_, entry)| weight(entry, means))
            .into_iter()
            .map(|piece| Members::sorted(piece.into_iter().map(|(number, _)| (number, NO_SET)).collect()))
            .collect();
        Series { chunks }
    }

    fn end_chunk(&mut self) {
        if !self.chunk.is_empty() {
            let members = Members::sorted(std::mem::take(&mut self.chunk));
            self.packed.push(Series { chunks: vec![members] });
        }
        self.bytes = 0;
    }

    fn finish(mut self) -> Vec<Series> {
        self.end_chunk();
        self.packed
    }
}

/// Cuts a list into pieces of at most `limit`, of at least one item each.
pub(super) fn cut<T>(items: Vec<T>, limit: u64, weight: impl Fn(&T) -> u64) -> Vec<Vec<T>> {
    let mut pieces: Vec<Vec<T>> = Vec::new();
    let mut left = 0;
    for item in items {
        let weight = weight(&item);
        match pieces.last_mut() {
            Some(piece) if weight <= left => {
                left -= weight;
                piece.push(item);
            }
            _ => {
                left = limit.saturating_sub(weight);
                pieces.push(vec![item]);
            }
        }
    }
    pieces
}

/// Whether documents (any order) fit in a chunk.
pub(super) fn fits(view: View<'_>, numbers: &[Number]) -> Result<bool> {
    let mut numbers = numbers.to_vec();
    numbers.sort_unstable();
    let limit = view.budget.chunk(view.store.bytes_in_memory());
    let entries = view.store.entries_of(&numbers)?;
    Ok(entries.iter().map(|entry| weight(entry, view.means)).sum::<u64>() <= limit / 2)
}

/// How many of the pairs, from the first on, fit in `limit` bytes: at least one.
pub(crate) fn pairs_that_fit(view: View<'_>, pairs: &[(Number, Number)], limit: u64) -> Result<usize> {
    // Entries are read for so many pairs at a time.
    let some = &pairs[..pairs.len().min(1 << 16)];
    let mut numbers: Vec<Number> = some.iter().flat_map(|&(a, b)| [a, b]).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let entries = view.store.entries_of(&numbers)?;
    let weight_of = |number: Number| weight(&entries[numbers.partition_point(|&n| n < number)], view.means);
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
