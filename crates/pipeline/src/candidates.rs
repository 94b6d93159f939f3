//! Band keys -> which documents may have a duplicate, and which of them belong together.
//!
//! Documents with an equal key in some band are candidates for each other. What comes out is coarser than the pairs: the
//! documents with a candidate, and the connected sets of them. Sets do not influence each other, so each can be decided
//! by itself, with only its own documents in memory.

use crate::bits::Bits;
use crate::copies::Copies;
use crate::forest::Forest;
use crate::grouping::{Scan, Taker, groups};
use crate::method::{Means, Sketching};
use crate::store::columns::{Class, list};
use crate::store::{Number, Store};
use crate::view::View;
use crate::{Error, Result, Stage};
use lookalike::minhash::lanes::matching_lanes;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Up to so many documents, the signatures of a group are compared with each other before it is said to be connected.
/// A larger group is taken as it is: comparing comes later, and then only with kept documents.
const COMPARED_GROUP: usize = 128;

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
    let View { store, means, budget, threads, observer, .. } = view;
    let found =
        Mutex::new(Candidates { involved: Bits::new(store.count()), forest: Forest::new(store.count()) });
    let samples = matches!(means.sketching, Sketching::Samples);
    let bands = if samples { 1 } else { means.bands() };
    observer.started(Stage::Candidates, bands as u64);
    let count = if samples { count_samples(store)? } else { store.count() };
    let next_band = AtomicUsize::new(0);
    let threads = threads.min(bands);
    let run = || -> Result<()> {
        loop {
            let band = next_band.fetch_add(1, Ordering::Relaxed);
            if band >= bands {
                return Ok(());
            }
            if observer.interrupted() {
                return Err(Error::Interrupted);
            }
            let by_bands = |visit: &mut Taker<'_>| scan_band(store, means, copies, band, visit);
            let by_samples = |visit: &mut Taker<'_>| scan_samples(store, copies, visit);
            let scan: &Scan<'_> = if samples { &by_samples } else { &by_bands };
            groups(count, budget.grouping(), scan, &mut |group| {
                connect(group, store, means, &found);
            })?;
            observer.advanced(Stage::Candidates, 1);
        }
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(run)).collect();
        let own = run();
        others.into_iter().fold(own, |outcome, other| {
            let other = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            outcome.and(other)
        })
    })?;
    Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner))
}

fn count_samples(store: &Store) -> Result<u64> {
    let mut count = 0;
    for part in 0..store.parts() {
        count += store.samples_of_part(part)?.0.len() as u64;
    }
    Ok(count)
}

/// Hands out the keys of one band.
fn scan_band(
    store: &Store,
    means: &Means,
    copies: &Copies,
    band: usize,
    visit: &mut Taker<'_>,
) -> Result<()> {
    let width = means.lanes();
    let mut keys = Vec::new();
    for part in 0..store.parts() {
        let (first, entries) = store.entries(part)?;
        let lanes = store.lanes_of_part(part)?;
        keys.clear();
        for ((number, entry), lanes) in (first..).zip(entries.iter()).zip(lanes.chunks_exact(width)) {
            if entry.class() == Class::Compared && !copies.contains(number) {
                keys.push((number, means.key(band, lanes, entry.within)));
            }
        }
        visit(&keys);
    }
    Ok(())
}

/// Hands out the sampled shingles.
fn scan_samples(store: &Store, copies: &Copies, visit: &mut Taker<'_>) -> Result<()> {
    let mut keys = Vec::new();
    for part in 0..store.parts() {
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
fn connect(group: &[(Number, u64)], store: &Store, means: &Means, found: &Mutex<Candidates>) {
    let lock = || found.lock().unwrap_or_else(PoisonError::into_inner);
    if let Sketching::Bands { cutoff, .. } = &means.sketching
        && group.len() <= COMPARED_GROUP
        && let Some(lanes) =
            group.iter().map(|&(number, _)| store.lanes_in_memory(number)).collect::<Option<Vec<_>>>()
    {
        for (later, b) in lanes.iter().enumerate() {
            for (earlier, a) in lanes[..later].iter().enumerate() {
                if matching_lanes(a, b) >= *cutoff {
                    lock().join(group[earlier].0, group[later].0);
                }
            }
        }
        return;
    }
    let mut found = lock();
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
