//! Connected sets -> chunks that fit in memory.

use crate::Result;
use crate::candidates::Candidates;
use crate::memory::per_document;
use crate::method::{Means, SAMPLED_ONE_IN};
use crate::solve::{SMALL_DOCUMENT, SMALL_SET};
use crate::store::Number;
use crate::store::columns::Entry;
use crate::view::View;

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
    let keys = if means.bands() > 0 { means.bands() as u64 } else { size / SAMPLED_ONE_IN + 1 };
    8 * size + 2 * means.lanes() as u64 + 36 * keys + 96
}

/// Bytes that a document of a small set takes: it is in no buckets.
fn weight_in_small(entry: &Entry, means: &Means) -> u64 {
    8 * u64::from(entry.size) + 4 * means.lanes() as u64 + 160
}

/// Packs all documents with candidates; tells small sets apart if they can be decided as such.
pub(crate) fn pack(view: View<'_>, mut candidates: Candidates, small_sets: bool) -> Result<Vec<Series>> {
    let View { store, means, order, budget, .. } = view;
    let numbers: Vec<Number> = candidates.involved.iter().collect();
    let entries = store.entries_of(&numbers)?;
    let mut members: Vec<(Number, u32)> =
        numbers.iter().zip(0..).map(|(&number, at)| (candidates.forest.root(number), at)).collect();
    drop(candidates);
    members.sort_unstable();
    let used = store.bytes_in_memory()
        + store.count() * per_document(store.count())
        + numbers.len() as u64 * (12 + 16 + size_of::<Entry>() as u64);
    let limit = budget.chunk(used);
    let mut packed = Vec::new();
    let (mut chunk, mut bytes, mut small) = (Vec::new(), 0, 0);
    for set in members.chunk_by(|a, b| a.0 == b.0) {
        let is_small = small_sets
            && set.len() <= SMALL_SET
            && small < NO_SET
            && set.iter().all(|&(_, at)| entries[at as usize].size <= SMALL_DOCUMENT);
        let weigh = if is_small { weight_in_small } else { weight };
        let size: u64 = set.iter().map(|&(_, at)| weigh(&entries[at as usize], means)).sum();
        if size > limit {
            let rank = |at: usize| order.rank(store.source_of(numbers[at]), &entries[at], numbers[at]);
            let mut by_rank: Vec<usize> = set.iter().map(|&(_, at)| at as usize).collect();
            by_rank.sort_by_cached_key(|&at| rank(at));
            // Two chunks are in memory at a time.
            let chunks = cut(by_rank, limit / 2, |&at| weight(&entries[at], means))
                .into_iter()
                .map(|places| Members::sorted(places.into_iter().map(|at| (numbers[at], NO_SET)).collect()))
                .collect();
            packed.push(Series { chunks });
            continue;
        }
        if bytes + size > limit {
            packed.push(Series { chunks: vec![Members::sorted(std::mem::take(&mut chunk))] });
            bytes = 0;
        }
        bytes += size;
        let name = if is_small { small } else { NO_SET };
        small += u32::from(is_small);
        chunk.extend(set.iter().map(|&(_, at)| (numbers[at as usize], name)));
    }
    if !chunk.is_empty() {
        packed.push(Series { chunks: vec![Members::sorted(chunk)] });
    }
    Ok(packed)
}

/// Cuts a list into pieces of at most `limit`, of at least one item each.
fn cut<T>(items: Vec<T>, limit: u64, weight: impl Fn(&T) -> u64) -> Vec<Vec<T>> {
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
