//! Band keys -> which documents may have a duplicate, and which of them belong together.
//!
//! Documents with an equal key in some band are candidates for each other. What comes out is coarser than the pairs: the
//! documents with a candidate, and the connected sets of them. Sets do not influence each other, so each can be decided
//! by itself, with only its own documents in memory.

pub(crate) mod forest;
pub(crate) mod grouping;

use crate::candidates::forest::Forest;
use crate::candidates::grouping::{Group, Visitor, groups, on_disk};
use crate::copies::Copies;
use crate::limits::bits::Bits;
use crate::limits::ordered::each;
use crate::method::Recipe;
use crate::store::columns::{Class, list};
use crate::store::{Number, Store};
use crate::view::View;
use crate::{Observer, Result, Stage};
use lookalike::minhash::lanes::matching_lanes;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Up to so many documents, the signatures of a group are compared with each other before it is said to be connected.
/// A larger group is taken as it is: comparing comes later, and then only with kept documents.
const COMPARED_GROUP: usize = 128;

/// If the signatures would have to be read more often than this, their keys go to files.
const MOST_PASSES: usize = 3;

/// Keys that are handed out at a time.
const SCANNED: usize = 1 << 10;

/// Documents with candidates, in connected sets.
#[derive(Debug)]
pub(crate) struct Candidates {
    /// Documents with a candidate.
    pub involved: Bits,
    /// Which of them are connected.
    pub forest: Forest,
}

/// Brings equal band keys together.
pub(crate) fn find(view: View<'_>, copies: &Copies) -> Result<Candidates> {
    let View { store, recipe, budget, threads, observer, .. } = view;
    let found =
        Mutex::new(Candidates { involved: Bits::new(store.count()), forest: Forest::new(store.count()) });
    let samples = recipe.method.stores_keys();
    let bands = recipe.bands();
    let (at_a_time, memory) = (budget.key_columns(store.count()), budget.grouping());
    let count = if samples { count_samples(view)? } else { store.count() * bands as u64 };
    let in_memory = if samples {
        count * 32 <= memory
    } else {
        // The signatures are read once for each batch of bands.
        at_a_time * MOST_PASSES >= bands
    };
    // From files it is done in one go.
    observer.started(Stage::Candidates, if samples || !in_memory { 0 } else { bands as u64 });
    let _reserved = budget.for_grouping();
    let room = view.room();
    let connect = |group: Group<'_>| {
        group.visit(|piece| {
            connect(piece, store, recipe, &found);
            Ok(())
        })
    };
    if !in_memory {
        let scan = |take: &mut Visitor<'_>| match samples {
            true => scan_samples(view, copies, take),
            false => scan_bands(view, copies, take),
        };
        on_disk(count, memory, room, &scan, &mut |ranges| {
            each(threads, ranges.len(), |range| ranges.groups(range, &mut |group| connect(group)))
        })?;
    } else if samples {
        let scan = |keys: &mut Visitor<'_>| scan_samples(view, copies, keys);
        groups(count, memory, room, &scan, &mut |group| connect(group))?;
    } else {
        // The keys of several bands are worked out in one pass over the signatures, which are much larger.
        for first in (0..bands).step_by(at_a_time) {
            let columns = KeyColumns::new(view, copies, first..bands.min(first + at_a_time))?;
            each(threads, columns.keys.len(), |column| {
                let scan = |take: &mut Visitor<'_>| columns.scan(column, observer, take);
                let count = columns.numbers.len() as u64;
                groups(count, memory, room, &scan, &mut |group| connect(group))?;
                observer.advanced(Stage::Candidates, 1);
                Ok(())
            })?;
        }
    }
    Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// The keys of some bands, band by band.
struct KeyColumns {
    numbers: Vec<Number>,
    keys: Vec<Vec<u64>>,
}

impl KeyColumns {
    fn new(view: View<'_>, copies: &Copies, bands: Range<usize>) -> Result<Self> {
        let View { store, recipe, observer, .. } = view;
        let width = recipe.lanes();
        let mut made = Self { numbers: Vec::new(), keys: vec![Vec::new(); bands.len()] };
        made.numbers.reserve_exact(store.count() as usize);
        made.keys.iter_mut().for_each(|keys| keys.reserve_exact(store.count() as usize));
        for part in 0..store.parts() {
            observer.go_on()?;
            let (first, entries) = store.entries(part)?;
            let lanes = store.lanes_of_part(part)?;
            for ((number, entry), lanes) in (first..).zip(entries.iter()).zip(lanes.chunks_exact(width)) {
                if entry.class() == Class::Compared && !copies.contains(number) {
                    made.numbers.push(number);
                    for (keys, band) in made.keys.iter_mut().zip(bands.clone()) {
                        keys.push(recipe.key(band, lanes, entry.within));
                    }
                }
            }
        }
        Ok(made)
    }

    fn scan(&self, column: usize, observer: &dyn Observer, take: &mut Visitor<'_>) -> Result<()> {
        let mut items = Vec::with_capacity(SCANNED);
        for (numbers, keys) in self.numbers.chunks(SCANNED).zip(self.keys[column].chunks(SCANNED)) {
            observer.go_on()?;
            items.clear();
            items.extend(numbers.iter().copied().zip(keys.iter().copied()));
            take(&items);
        }
        Ok(())
    }
}

fn count_samples(View { store, observer, .. }: View<'_>) -> Result<u64> {
    let mut count = 0;
    for part in 0..store.parts() {
        observer.go_on()?;
        count += store.samples_of_part(part)?.0.len() as u64;
    }
    Ok(count)
}

/// Hands out the keys of all bands.
fn scan_bands(view: View<'_>, copies: &Copies, visit: &mut Visitor<'_>) -> Result<()> {
    let View { store, recipe, observer, .. } = view;
    let width = recipe.lanes();
    let mut keys = Vec::with_capacity(recipe.bands());
    for part in 0..store.parts() {
        observer.go_on()?;
        let (first, entries) = store.entries(part)?;
        let lanes = store.lanes_of_part(part)?;
        for ((number, entry), lanes) in (first..).zip(entries.iter()).zip(lanes.chunks_exact(width)) {
            if entry.class() == Class::Compared && !copies.contains(number) {
                keys.clear();
                keys.extend((0..recipe.bands()).map(|band| (number, recipe.key(band, lanes, entry.within))));
                visit(&keys);
            }
        }
    }
    Ok(())
}

/// Hands out the sampled shingles.
fn scan_samples(view: View<'_>, copies: &Copies, visit: &mut Visitor<'_>) -> Result<()> {
    let View { store, observer, .. } = view;
    let mut keys = Vec::new();
    for part in 0..store.parts() {
        observer.go_on()?;
        let (first, entries) = store.entries(part)?;
        let (samples, ends) = store.samples_of_part(part)?;
        keys.clear();
        for (slot, number) in (0..entries.len()).zip(first..) {
            if entries[slot].class() == Class::Compared && !copies.contains(number) {
                keys.extend(list(&samples, &ends, slot).iter().map(|&key| (number, key)));
            }
        }
        visit(&keys);
    }
    Ok(())
}

/// Connects the documents of a group, those of a small one only where their signatures allow it.
fn connect(group: &[(Number, u64)], store: &Store, recipe: &Recipe, found: &Mutex<Candidates>) {
    let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(cutoff) = recipe.method.least_matching()
        && group.len() <= COMPARED_GROUP
        && store.lanes_in_memory(group[0].0).is_some()
    {
        for (place, &(later, _)) in group.iter().enumerate() {
            for &(earlier, _) in &group[..place] {
                // Most were connected by an earlier band.
                if found.forest.root(earlier) == found.forest.root(later) {
                    continue;
                }
                let similar = match (store.lanes_in_memory(earlier), store.lanes_in_memory(later)) {
                    (Some(a), Some(b)) => matching_lanes(a, b) >= cutoff,
                    _ => true,
                };
                if similar {
                    found.join(earlier, later);
                }
            }
        }
        return;
    }
    for pair in group.windows(2) {
        // A sampled shingle can come twice from one document only if hashes collide.
        if pair[0].0 != pair[1].0 {
            found.join(pair[0].0, pair[1].0);
        }
    }
}

impl Candidates {
    fn join(&mut self, a: Number, b: Number) {
        self.involved.insert(a);
        self.involved.insert(b);
        self.forest.join(a, b);
    }
}
