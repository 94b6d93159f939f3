//! Vectors -> what each task makes of them. Every vector is compared with every other one, and none is missed.
//!
//! The vectors are taken in keep order, in *segments* that fit into memory. Each batch of vectors is compared with those of
//! the segment that were taken before; while the segment has room, the batch is added to it. For survivors only what is kept is added:
//! a vector near a kept one is removed, and names the first such one. So a million look-alikes cost each of them one
//! comparison. When the segment is full, all later vectors are compared with it, and what is left of them
//! forms the next segments. The answer is the same for any size of segments.

use super::Task;
use crate::copies::Copies;
use crate::limits::bits::Bits;
use crate::limits::sorted::Sorted;
use crate::method::FoundBy;
use crate::method::vectors::{coordinates, similarity_of};
use crate::report::PairCounts;
use crate::solve::{Evidence, Found, Role, are_compared};
use crate::store::Number;
use crate::store::entries::{Class, Within};
use crate::view::View;
use crate::{Error, Result, Stage};
use lookalike::vectors::{DenseVectors, Near, Nearness};
use rayon::prelude::*;

/// The number of vectors that are compared with a segment at a time.
const BATCH: usize = if cfg!(test) { 16 } else { 1024 };

/// The number of vectors of a batch that a thread compares at a time.
const QUERIES: usize = if cfg!(test) { 3 } else { 64 };

/// The memory for a vector besides its numbers: its number, role and value of `--within`, and the same for the pairs of a
/// batch.
const PER_VECTOR: u64 = 64;

/// A vector on its way.
#[derive(Debug, Clone)]
struct Item {
    number: Number,
    role: Role,
    within: Within,
}

/// Vectors in memory.
struct Segment {
    items: Vec<Item>,
    vectors: DenseVectors,
}

impl Segment {
    fn new(dimension: usize, nearness: Nearness) -> Result<Self> {
        Ok(Self { items: Vec::new(), vectors: DenseVectors::new(dimension, nearness)? })
    }

    fn push(&mut self, item: Item, vector: &[f32]) -> Result<()> {
        self.vectors.push(vector)?;
        self.items.push(item);
        Ok(())
    }
}

/// What a batch found: for each of its vectors, those of a segment that are near and may be compared with it, ascending.
type Matches = Vec<Vec<(usize, f64)>>;

/// Does the task for all vectors.
pub(crate) fn verify(
    view: View<'_>,
    copies: &Copies,
    nearness: Nearness,
    mut task: Task<'_>,
) -> Result<PairCounts> {
    let mut counts = PairCounts::default();
    let order = in_order(view, copies)?;
    view.observer.started(Stage::Verify, order.len());
    let Some(first) = order.iter().next().transpose()? else { return Ok(counts) };
    let dimension = view.store.lanes_of(&[first[2]])?.of(0).len() / 2;
    let per_vector = DenseVectors::bytes_per_vector(dimension) + PER_VECTOR;
    let memory = view.budget.chunk(view.store.bytes_in_memory());
    let most =
        usize::try_from(memory / per_vector).unwrap_or(usize::MAX).saturating_sub(2 * BATCH).max(BATCH);
    let mut gone = Bits::new(view.store.count());
    let mut begin = 0;
    while begin < order.len() {
        let mut segment = Segment::new(dimension, nearness)?;
        let mut next = order.len();
        let mut at = begin;
        while at < order.len() {
            view.observer.go_on()?;
            let ranked = order.iter_from(at).take(BATCH).collect::<Result<Vec<[u64; 3]>>>()?;
            let is_open = next == order.len();
            at += ranked.len() as u64;
            let batch = load(view, &task, &ranked, &gone, dimension, nearness)?;
            let found = near(&segment, &batch, None);
            counts.candidates += (segment.items.len() * batch.items.len()) as u64;
            let mut add =
                |here: &Segment, number, (position, value): (usize, f64), visit: &mut dyn FnMut(Found)| {
                    counts.verified += 1;
                    let evidence = Evidence {
                        similarity: similarity_of(nearness, value),
                        distance: 0,
                        found_by: FoundBy::Proof,
                    };
                    visit(Found { number, other: here.items[position].number, evidence });
                };
            match &mut task {
                Task::Survivors { visit, .. } => {
                    let mut left: Vec<usize> = Vec::new();
                    for (i, item) in batch.items.iter().enumerate() {
                        match found[i].first() {
                            Some(&matched) if item.role != Role::Listed => {
                                gone.insert(item.number);
                                add(&segment, item.number, matched, *visit);
                            }
                            _ => left.push(i),
                        }
                    }
                    if is_open {
                        let mut rest = Segment::new(dimension, nearness)?;
                        for &i in &left {
                            rest.push(batch.items[i].clone(), batch.vectors.vector(i))?;
                        }
                        let within = near(&rest, &rest, Some(()));
                        counts.candidates += (left.len() * left.len().saturating_sub(1) / 2) as u64;
                        for (i, item) in rest.items.iter().enumerate() {
                            let matched = within[i].iter().find(|&&(other, _)| {
                                let other = &rest.items[other];
                                other.role != Role::Asking && !gone.contains(other.number)
                            });
                            match matched {
                                Some(&matched) if item.role != Role::Listed => {
                                    gone.insert(item.number);
                                    add(&rest, item.number, matched, *visit);
                                }
                                _ if item.role == Role::Asking => {}
                                _ => segment.push(item.clone(), rest.vectors.vector(i))?,
                            }
                        }
                    }
                }
                Task::Pairs { visit, .. } => {
                    for (item, found) in batch.items.iter().zip(&found) {
                        found.iter().for_each(|&matched| add(&segment, item.number, matched, *visit));
                    }
                    if is_open {
                        let within = near(&batch, &batch, Some(()));
                        counts.candidates +=
                            (batch.items.len() * batch.items.len().saturating_sub(1) / 2) as u64;
                        for (i, item) in batch.items.iter().enumerate() {
                            within[i].iter().for_each(|&matched| add(&batch, item.number, matched, *visit));
                            segment.push(item.clone(), batch.vectors.vector(i))?;
                        }
                    }
                }
                Task::Components { forest } => {
                    let mut join = |found: Found| {
                        forest.join(found.number, found.other);
                    };
                    for (item, found) in batch.items.iter().zip(&found) {
                        found.iter().for_each(|&matched| add(&segment, item.number, matched, &mut join));
                    }
                    if is_open {
                        let within = near(&batch, &batch, Some(()));
                        counts.candidates +=
                            (batch.items.len() * batch.items.len().saturating_sub(1) / 2) as u64;
                        for (i, item) in batch.items.iter().enumerate() {
                            within[i]
                                .iter()
                                .for_each(|&matched| add(&batch, item.number, matched, &mut join));
                            segment.push(item.clone(), batch.vectors.vector(i))?;
                        }
                    }
                }
            }
            if is_open {
                view.observer.advanced(Stage::Verify, ranked.len() as u64);
                if segment.items.len() >= most {
                    next = at;
                }
            }
        }
        begin = next;
    }
    counts.compared = counts.candidates;
    Ok(counts)
}

/// All documents that are compared, in keep order: the two parts of their rank, and their numbers.
fn in_order(view: View<'_>, copies: &Copies) -> Result<Sorted<[u64; 3]>> {
    let View { store, order, .. } = view;
    let room = view.room();
    let mut sorter = room.sorter(view.budget.sorting(), |item: &[u64; 3]| *item);
    for part in 0..store.parts() {
        view.observer.go_on()?;
        let (first, entries) = store.entries(part)?;
        for (number, entry) in (first..).zip(entries.iter()) {
            if entry.class() == Class::Compared && !copies.contains(number) {
                let (source, keep, _) = order.rank(store.source_of(number), &entry, number);
                sorter.push([u64::from(source), keep, number]);
            }
        }
    }
    sorter.finish()
}

/// The vectors of a batch that are not decided yet.
fn load(
    view: View<'_>,
    task: &Task<'_>,
    ranked: &[[u64; 3]],
    gone: &Bits,
    dimension: usize,
    nearness: Nearness,
) -> Result<Segment> {
    let against_only = view.recipe.settings.matching.against_only;
    let role = |number| {
        let protected = view.is_protected(number);
        match task {
            Task::Pairs { shared, .. } if protected && shared.contains(number) => Role::Both,
            _ => Role::of(protected, against_only),
        }
    };
    let numbers: Vec<Number> =
        ranked.iter().map(|&[_, _, number]| number).filter(|&number| !gone.contains(number)).collect();
    let mut sorted = numbers.clone();
    sorted.sort_unstable();
    let (lanes, entries) = (view.store.lanes_of(&sorted)?, view.store.entries_of(&sorted)?);
    let mut batch = Segment::new(dimension, nearness)?;
    let mut vector = Vec::with_capacity(dimension);
    for number in numbers {
        let place = sorted.partition_point(|&other| other < number);
        vector.clear();
        vector.extend(coordinates(lanes.of(place)));
        if vector.len() != dimension {
            return Err(Error::Invalid("the stored vectors differ in length".into()));
        }
        batch.push(Item { number, role: role(number), within: entries[place].within }, &vector)?;
    }
    Ok(batch)
}

/// The matches of a batch in a segment; `itself` if the batch is the segment, and each is compared with those before it.
fn near(segment: &Segment, batch: &Segment, itself: Option<()>) -> Matches {
    let count = batch.items.len();
    let parts: Vec<Matches> = (0..count.div_ceil(QUERIES))
        .into_par_iter()
        .map(|part| {
            let (first, end) = (part * QUERIES, (part * QUERIES + QUERIES).min(count));
            let mut matches = vec![Vec::new(); end - first];
            let mut add = |Near { query, position, value }| {
                let (item, other) = (&batch.items[first + query], &segment.items[position]);
                if item.within == other.within && are_compared(item.role, other.role) {
                    matches[query].push((position, value));
                }
            };
            let last = if itself.is_some() { end } else { segment.items.len() };
            segment.vectors.visit_near_of(&batch.vectors, first..end, 0..last, |near| {
                if itself.is_none() || near.position < first + near.query {
                    add(near);
                }
            });
            matches
        })
        .collect();
    let mut matches: Matches = parts.into_iter().flatten().collect();
    matches.iter_mut().for_each(|found| found.sort_unstable_by_key(|&(position, _)| position));
    matches
}

/// The exact similarities of given pairs, in their order.
pub(super) fn similarities(
    view: View<'_>,
    nearness: Nearness,
    pairs: &[(Number, Number)],
) -> Result<Vec<f64>> {
    let mut similarities = Vec::with_capacity(pairs.len());
    for some in pairs.chunks(BATCH) {
        view.observer.go_on()?;
        let mut numbers: Vec<Number> = some.iter().flat_map(|&(a, b)| [a, b]).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let lanes = view.store.lanes_of(&numbers)?;
        let vector = |number: Number| -> Vec<f32> {
            coordinates(lanes.of(numbers.partition_point(|&other| other < number))).collect()
        };
        similarities.extend(
            some.iter().map(|&(a, b)| similarity_of(nearness, nearness.value(&vector(a), &vector(b)))),
        );
    }
    Ok(similarities)
}
