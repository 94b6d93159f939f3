//! Vectors -> what each task makes of them. Every vector is compared with every other one, and none is missed; or near vectors are
//! found [by bands](banded).
//!
//! If all are compared, the vectors are taken in keep order, in *segments* that fit into memory. Each batch of vectors is compared with those of
//! the segment that were taken before; while the segment has room, the batch is added to it. For survivors only what is kept is added:
//! a vector near a kept one is removed, and names the first such one. So a million look-alikes cost each of them one
//! comparison. When the segment is full, all later vectors are compared with it, and what is left of them
//! forms the next segments. The answer is the same for any size of segments.

mod banded;
mod exact;

use super::Task;
use crate::copies::Copies;
use crate::limits::bits::Bits;
use crate::limits::sorted::Sorted;
use crate::method::FoundBy;
use crate::method::vectors::{coordinates, similarity_of};
use crate::report::PairCounts;
use crate::solve::{Evidence, Found, Role};
use crate::store::Number;
use crate::store::entries::{Class, Within};
use crate::view::View;
use crate::{Error, Result, Stage};
use exact::NearPair;
use lookalike::vectors::{DenseVectors, Nearness};

/// The number of vectors that are compared with a segment at a time.
const BATCH: usize = if cfg!(test) { 16 } else { 1024 };

/// The number of vectors of a batch that a thread compares at a time.
const QUERIES: usize = if cfg!(test) { 3 } else { 64 };

/// The memory for a vector besides its numbers: its number, role and value of `--within`, and what it is removed by.
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
    if let Some(bands) = view.recipe.method.near_bands() {
        return banded::verify(view, &order, bands, dimension, task);
    }
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
            let mut batch = Segment::new(dimension, nearness)?;
            load(view, &task, &ranked, &gone, dimension, |item, vector| batch.push(item, vector))?;
            counts.candidates += (segment.items.len() * batch.items.len()) as u64;
            if is_open && !matches!(task, Task::Survivors { .. }) {
                counts.candidates += pairs_of(batch.items.len());
            }
            match &mut task {
                Task::Survivors { visit, .. } => {
                    let (asking, before) = (0..batch.items.len(), 0..segment.items.len());
                    for pair in segment.first_near(&batch, asking, before, |_| true) {
                        gone.insert(batch.items[pair.of_batch].number);
                        counts.verified += 1;
                        visit(found(nearness, (&segment, &batch), pair));
                    }
                    if is_open {
                        let mut rest = Segment::new(dimension, nearness)?;
                        for (i, item) in batch.items.iter().enumerate() {
                            if !gone.contains(item.number) {
                                rest.push(item.clone(), batch.vectors.vector(i))?;
                            }
                        }
                        counts.candidates += pairs_of(rest.items.len());
                        rest.decide(0..rest.items.len(), &mut gone, &mut |pair| {
                            counts.verified += 1;
                            visit(found(nearness, (&rest, &rest), pair));
                        });
                        for (i, item) in rest.items.iter().enumerate() {
                            if item.role != Role::Asking && !gone.contains(item.number) {
                                segment.push(item.clone(), rest.vectors.vector(i))?;
                            }
                        }
                    }
                }
                Task::Pairs { visit, .. } => {
                    counts.verified += all_pairs(nearness, &mut segment, &batch, is_open, *visit)?;
                }
                Task::Components { forest } => {
                    let forest = &**forest;
                    let mut join = |found: Found| {
                        forest.join(found.number, found.other);
                    };
                    counts.verified += all_pairs(nearness, &mut segment, &batch, is_open, &mut join)?;
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

/// Hands the vectors of a batch that are not decided yet to `push`, in keep order.
fn load(
    view: View<'_>,
    task: &Task<'_>,
    ranked: &[[u64; 3]],
    gone: &Bits,
    dimension: usize,
    mut push: impl FnMut(Item, &[f32]) -> Result<()>,
) -> Result<()> {
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
    let mut vector = Vec::with_capacity(dimension);
    for number in numbers {
        let place = sorted.partition_point(|&other| other < number);
        vector.clear();
        vector.extend(coordinates(lanes.of(place)));
        if vector.len() != dimension {
            return Err(Error::Invalid("the stored vectors differ in length".into()));
        }
        push(Item { number, role: role(number), within: entries[place].within }, &vector)?;
    }
    Ok(())
}

/// A near pair of a segment and a batch, as it is handed over.
fn found(nearness: Nearness, (segment, batch): (&Segment, &Segment), pair: NearPair) -> Found {
    let similarity = similarity_of(nearness, pair.value);
    Found {
        number: batch.items[pair.of_batch].number,
        other: segment.items[pair.of_segment].number,
        evidence: Evidence { similarity, distance: 0, found_by: FoundBy::Proof },
    }
}

/// Hands over all near pairs of a batch with a segment, and, if that is open, those within the batch, which is then added to the
/// segment. Returns how many there were.
fn all_pairs(
    nearness: Nearness,
    segment: &mut Segment,
    batch: &Segment,
    is_open: bool,
    visit: &mut (dyn FnMut(Found) + Send),
) -> Result<u64> {
    let mut verified = 0;
    let mut hand_over = |here: &Segment, pair| {
        verified += 1;
        visit(found(nearness, (here, batch), pair));
    };
    segment.each_near(Some(batch), &mut |pair| hand_over(segment, pair));
    if is_open {
        batch.each_near(None, &mut |pair| hand_over(batch, pair));
        for (i, item) in batch.items.iter().enumerate() {
            segment.push(item.clone(), batch.vectors.vector(i))?;
        }
    }
    Ok(verified)
}

/// The number of pairs of so many vectors.
fn pairs_of(count: usize) -> u64 {
    (count * count.saturating_sub(1) / 2) as u64
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
