//! Vectors -> what each task makes of them, where near vectors are found by bands of random functions ([`lookalike::vectors::banded`]).
//!
//! Two vectors are *linked* if they are near and share a band. That follows from the two, the bands and the seed. The tasks make of the linked
//! pairs what they make of near ones: survivors are not linked to one another, and each removed vector is linked to the first kept one that it
//! is linked to.
//!
//! Vectors are taken in keep order, in batches of half of what fits into memory. A batch is joined with the *segment*, which has what was taken
//! before, and with itself; while the segment has room, the batch is added to it. When it is full, all later vectors are joined with it, and what is left forms the
//! next segments. Survivors within a batch are found by halves: those of the first half remove what they are linked to from the
//! second, and then the rest of the second half is decided in the same way. So a million look-alikes cost each of them few comparisons.

use super::{BATCH, Item, PER_VECTOR, load};
use crate::limits::bits::Bits;
use crate::limits::ordered::lock;
use crate::limits::sorted::Sorted;
use crate::method::FoundBy;
use crate::method::vectors::similarity_of;
use crate::report::PairCounts;
use crate::solve::{Evidence, Found, Role, are_compared};
use crate::verify::Task;
use crate::view::View;
use crate::{Error, Result, Stage};
use lookalike::vectors::{BandFunctions, BandedVectors, Join, JoinBuffers, NearBands, NearPair};
use rayon::prelude::*;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// So many vectors are decided by the list of their linked pairs.
const FEW: usize = if cfg!(test) { 8 } else { 512 };

/// The number of vectors whose keys a thread computes at a time.
const HASHED: usize = if cfg!(test) { 20 } else { 256 };

/// The number of pairs that a thread collects before it hands them over.
const PAIRS: usize = if cfg!(test) { 5 } else { 4096 };

/// The memory of a thread besides what grows with vectors: its buckets, and pairs.
const PER_THREAD: u64 = 4 << 20;

/// No vector.
const NONE: u32 = u32::MAX;

/// Vectors in memory, in keep order.
struct Batch {
    items: Vec<Item>,
    vectors: BandedVectors,
}

impl Batch {
    fn new(bands: NearBands, dimension: usize) -> Result<Self> {
        Ok(Self { items: Vec::new(), vectors: BandedVectors::new(bands, dimension)? })
    }

    fn all(&self) -> Vec<u32> {
        (0..self.items.len() as u32).collect()
    }

    /// Computes the keys of all vectors.
    fn hash(&mut self, functions: &BandFunctions) {
        let per_vector = functions.bands().bands();
        let mut keys = vec![0; self.items.len() * per_vector];
        keys.par_chunks_mut(HASHED * per_vector).enumerate().for_each(|(part, keys)| {
            let first = part * HASHED;
            self.vectors.keys_of(functions, first..first + keys.len() / per_vector, keys);
        });
        self.vectors.set_keys(keys);
    }
}

/// How many vectors fit into memory.
fn most(view: View<'_>, bands: NearBands, dimension: usize) -> Result<usize> {
    let memory = view.budget.chunk(view.store.bytes_in_memory());
    let functions = BandFunctions::bytes(bands, dimension);
    if functions > memory / 2 {
        return Err(Error::Memory {
            what: format!("{} bands for vectors of {dimension} coordinates", bands.bands()),
            needed: view.budget.limit() + 2 * (functions - memory / 2) * 4 / 3,
            limit: view.budget.limit(),
        });
    }
    let threads = view.threads as u64;
    let left = memory.saturating_sub(functions).saturating_sub(threads * PER_THREAD);
    // The lanes are in memory too while a batch is loaded, and every thread sorts positions.
    let lanes = 4 * dimension as u64;
    let per_vector = BandedVectors::bytes_per_vector(bands, dimension) + lanes + PER_VECTOR + 8 * threads;
    Ok(usize::try_from(left / per_vector / 2).unwrap_or(usize::MAX).clamp(BATCH, u32::MAX as usize / 2))
}

/// Does the task for all vectors.
pub(super) fn verify(
    view: View<'_>,
    order: &Sorted<[u64; 3]>,
    bands: NearBands,
    dimension: usize,
    mut task: Task<'_>,
) -> Result<PairCounts> {
    // A batch may be added to a segment that is nearly full: four fifths of what fits, and a quarter of that.
    let most = (most(view, bands, dimension)? / 5 * 4).max(1);
    let functions = BandFunctions::new(bands, dimension, view.recipe.settings.signature.seed);
    let work = Work { view, bands, compared: AtomicU64::new(0), verified: AtomicU64::new(0) };
    let mut gone = Bits::new(view.store.count());
    let mut begin = 0;
    while begin < order.len() {
        let mut segment = Batch::new(bands, dimension)?;
        let mut next = order.len();
        let mut at = begin;
        while at < order.len() {
            view.observer.go_on()?;
            let is_open = next == order.len();
            let left = most - if is_open { segment.items.len().min(most) } else { 0 };
            let ranked = order.iter_from(at).take(left.max(most / 4).max(1));
            let ranked = ranked.collect::<Result<Vec<[u64; 3]>>>()?;
            at += ranked.len() as u64;
            let mut batch = Batch::new(bands, dimension)?;
            load(view, &task, &ranked, &gone, dimension, |item, vector| {
                batch.vectors.push(vector)?;
                batch.items.push(item);
                Ok(())
            })?;
            batch.hash(&functions);
            let left = work.do_task(&mut task, &segment, &batch, is_open, &mut gone)?;
            if is_open {
                for position in left {
                    segment.vectors.push_of(&batch.vectors, position as usize);
                    segment.items.push(batch.items[position as usize].clone());
                }
                view.observer.advanced(Stage::Verify, ranked.len() as u64);
                if segment.items.len() >= most {
                    next = at;
                }
            }
        }
        begin = next;
    }
    let (compared, verified) = (work.compared.into_inner(), work.verified.into_inner());
    Ok(PairCounts { candidates: compared, compared, verified, ..PairCounts::default() })
}

struct Work<'w> {
    view: View<'w>,
    bands: NearBands,
    compared: AtomicU64,
    verified: AtomicU64,
}

impl Work<'_> {
    /// Does the task for a batch and a segment, and, if it is open, within the batch. Returns what is then added to the segment.
    fn do_task(
        &self,
        task: &mut Task<'_>,
        segment: &Batch,
        batch: &Batch,
        is_open: bool,
        gone: &mut Bits,
    ) -> Result<Vec<u32>> {
        let (before, all) = (segment.all(), batch.all());
        let between = Join::between((&segment.vectors, &before), (&batch.vectors, &all));
        let within = is_open.then(|| Join::within(&batch.vectors, &all));
        match task {
            Task::Survivors { visit, .. } => {
                let first = first_of_none(batch);
                let left = self.remove(segment, batch, (&before, &all), &first, gone, *visit)?;
                if !is_open {
                    return Ok(Vec::new());
                }
                let mut left = self.decide(batch, &left, &first, gone, *visit)?;
                left.retain(|&position| batch.items[position as usize].role != Role::Asking);
                Ok(left)
            }
            Task::Pairs { visit, .. } => {
                self.pairs(&between, (segment, batch), &mut |found| visit(found))?;
                within.map_or(Ok(()), |join| self.pairs(&join, (batch, batch), &mut |found| visit(found)))?;
                Ok(all)
            }
            Task::Components { forest } => {
                let forest = &**forest;
                let mut join = |found: Found| {
                    forest.join(found.number, found.other);
                };
                self.pairs(&between, (segment, batch), &mut join)?;
                within.map_or(Ok(()), |within| self.pairs(&within, (batch, batch), &mut join))?;
                Ok(all)
            }
        }
    }

    /// Hands out all linked pairs, in any order.
    fn pairs(
        &self,
        join: &Join<'_>,
        (a, b): (&Batch, &Batch),
        visit: &mut (dyn FnMut(Found) + Send),
    ) -> Result<()> {
        let visit = Mutex::new(visit);
        let consider = |of_a: u32, of_b: u32| {
            let (of_a, of_b) = (&a.items[of_a as usize], &b.items[of_b as usize]);
            of_a.within == of_b.within && are_compared(of_b.role, of_a.role)
        };
        (0..join.parts()).into_par_iter().try_for_each_init(JoinBuffers::default, |buffers, part| {
            self.view.observer.go_on()?;
            let mut found = Vec::new();
            let hand_over = |found: &mut Vec<Found>| {
                let mut visit = lock(&visit);
                found.drain(..).for_each(&mut *visit);
            };
            let compared = join.visit(part, buffers, consider, |pair| {
                found.push(self.found(pair, a, b));
                if found.len() == PAIRS {
                    hand_over(&mut found);
                }
            });
            hand_over(&mut found);
            self.compared.fetch_add(compared, Ordering::Relaxed);
            Ok(())
        })
    }

    fn found(&self, pair: NearPair, a: &Batch, b: &Batch) -> Found {
        self.verified.fetch_add(1, Ordering::Relaxed);
        let evidence = Evidence {
            similarity: similarity_of(self.bands.nearness(), pair.value),
            distance: 0,
            found_by: pair.only_band.map_or(FoundBy::Several, FoundBy::Band),
        };
        let (number, other) = (b.items[pair.b as usize].number, a.items[pair.a as usize].number);
        Found { number, other, evidence }
    }

    /// Removes the vectors of `batch` that are linked to one of `by`. Returns the positions of the others.
    fn remove(
        &self,
        by: &Batch,
        batch: &Batch,
        (removing, asking): (&[u32], &[u32]),
        first: &[AtomicU32],
        gone: &mut Bits,
        visit: &mut dyn FnMut(Found),
    ) -> Result<Vec<u32>> {
        let join = Join::between((&by.vectors, removing), (&batch.vectors, asking));
        let consider = |a: u32, b: u32| {
            let (of_a, of_b) = (&by.items[a as usize], &batch.items[b as usize]);
            // Only an earlier one than what was found already is of interest.
            a < first[b as usize].load(Ordering::Relaxed)
                && of_a.within == of_b.within
                && of_b.role != Role::Listed
                && are_compared(of_b.role, of_a.role)
        };
        (0..join.parts()).into_par_iter().try_for_each_init(JoinBuffers::default, |buffers, part| {
            self.view.observer.go_on()?;
            let compared = join.visit(part, buffers, consider, |pair| {
                first[pair.b as usize].fetch_min(pair.a, Ordering::Relaxed);
            });
            self.compared.fetch_add(compared, Ordering::Relaxed);
            Ok::<(), Error>(())
        })?;
        let mut left = Vec::new();
        for &position in asking {
            match first[position as usize].swap(NONE, Ordering::Relaxed) {
                NONE => left.push(position),
                remover => {
                    if let Some(pair) = join.pair(remover, position) {
                        gone.insert(batch.items[position as usize].number);
                        visit(self.found(pair, by, batch));
                    }
                }
            }
        }
        Ok(left)
    }

    /// Decides which of some vectors of a batch are left, among themselves.
    fn decide(
        &self,
        batch: &Batch,
        some: &[u32],
        first: &[AtomicU32],
        gone: &mut Bits,
        visit: &mut dyn FnMut(Found),
    ) -> Result<Vec<u32>> {
        self.view.observer.go_on()?;
        if some.len() <= FEW {
            return Ok(self.decide_few(batch, some, gone, visit));
        }
        let (early, late) = some.split_at(some.len() / 2);
        let mut left = self.decide(batch, early, first, gone, visit)?;
        let removing: Vec<u32> = left.iter().copied().filter(|&a| may_remove(batch, a)).collect();
        let late = self.remove(batch, batch, (&removing, late), first, gone, visit)?;
        left.extend(self.decide(batch, &late, first, gone, visit)?);
        Ok(left)
    }

    fn decide_few(
        &self,
        batch: &Batch,
        some: &[u32],
        gone: &mut Bits,
        visit: &mut dyn FnMut(Found),
    ) -> Vec<u32> {
        let join = Join::within(&batch.vectors, some);
        let (mut pairs, mut buffers) = (Vec::new(), JoinBuffers::default());
        let consider = |a: u32, b: u32| {
            let (of_a, of_b) = (&batch.items[a as usize], &batch.items[b as usize]);
            of_a.within == of_b.within
                && of_b.role != Role::Listed
                && may_remove(batch, a)
                && are_compared(of_b.role, of_a.role)
        };
        for part in 0..join.parts() {
            let compared = join.visit(part, &mut buffers, consider, |pair| pairs.push(pair));
            self.compared.fetch_add(compared, Ordering::Relaxed);
        }
        pairs.sort_unstable_by_key(|pair| (pair.b, pair.a));
        for pair in pairs {
            let (number, other) = (batch.items[pair.b as usize].number, batch.items[pair.a as usize].number);
            if !gone.contains(number) && !gone.contains(other) {
                gone.insert(number);
                visit(self.found(pair, batch, batch));
            }
        }
        some.iter()
            .copied()
            .filter(|&position| !gone.contains(batch.items[position as usize].number))
            .collect()
    }
}

/// A place for the first vector that each of a batch is linked to.
fn first_of_none(batch: &Batch) -> Vec<AtomicU32> {
    batch.items.iter().map(|_| AtomicU32::new(NONE)).collect()
}

fn may_remove(batch: &Batch, position: u32) -> bool {
    batch.items[position as usize].role != Role::Asking
}
