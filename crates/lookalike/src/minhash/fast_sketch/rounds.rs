//! The rounds of a fast sketch.

use super::super::EMPTY_SLOT;
use super::bins::{Bins, CHUNKS, MOST_MARKED, Scratch};
use super::{AnyNumber, Cut, PowerOfTwo, VALUE_BITS, before_mixing, mixed, spread, throw};
use crate::arch::{CHUNK, Simd, task};
use std::ops::Range;

pub(super) struct Sketch<'a> {
    pub(super) elements: &'a [u64],
    pub(super) seed: u64,
    pub(super) slots: &'a mut [u64],
}

task! {
    impl['a] Sketch<'a> => (), |task, simd: S| {
        let k = task.slots.len() as u64;
        if k.is_power_of_two() && k > 1 {
            task.with_marks(simd, PowerOfTwo { log: k.trailing_zeros() });
        } else {
            task.with_marks(simd, AnyNumber { k });
        }
    }
}

/// The largest set whose mixed elements are kept on the stack, in chunks.
const MEDIUM: usize = 8;

/// Numbers that begin at a cache line. A load of 64 bytes takes twice as long if it crosses one.
#[repr(align(64))]
struct Aligned<T>(T);

impl Sketch<'_> {
    #[inline(always)]
    fn with_marks<S: Simd>(self, simd: S, cut: impl Cut) {
        if S::LOOKS_UP_BITS && self.slots.len() <= MOST_MARKED {
            self.rounds::<S, true>(simd, cut);
        } else {
            self.rounds::<S, false>(simd, cut);
        }
    }

    #[inline(always)]
    fn rounds<S: Simd, const MARKED: bool>(self, simd: S, cut: impl Cut) {
        let Self { elements, seed, slots } = self;
        let k = slots.len();
        if elements.len() <= CHUNK {
            if small::<S, MARKED>(simd, elements, seed, slots, cut) {
                last_rounds(elements, seed, slots);
            }
            return;
        }
        first_round(simd, elements, seed, slots, cut);
        if slots.iter().fold(true, |all, &slot| all & (slot != EMPTY_SLOT)) {
            return;
        }
        let patience = (k as u64).min(usual_rounds(k, elements.len()));
        let any_empty = if elements.len() <= MEDIUM * CHUNK {
            let mut spreads = Aligned([[0; CHUNK]; MEDIUM]);
            for (chunk, spreads) in elements.chunks(CHUNK).zip(&mut spreads.0) {
                spread_all(chunk, seed, spreads);
            }
            later_rounds::<S, MARKED>(simd, &spreads.0, elements.len(), 1..patience, slots, cut)
        } else {
            let spreads = spreads(elements, seed);
            later_rounds::<S, MARKED>(simd, &spreads, elements.len(), 1..patience, slots, cut)
        };
        if any_empty {
            // Only a list with few different elements is likely to need so many rounds.
            let distinct = without_repetitions(elements);
            let spreads = spreads(&distinct, seed);
            let rounds = patience..k as u64;
            if later_rounds::<S, MARKED>(simd, &spreads, distinct.len(), rounds, slots, cut) {
                last_rounds(&distinct, seed, slots);
            }
        }
    }
}

/// Mixes the elements of a chunk with the seed.
#[inline(always)]
fn spread_all(elements: &[u64], seed: u64, spreads: &mut [u64; CHUNK]) {
    // Whole groups of eight, and then the last eight, so that no elements are left over to be mixed one by one.
    let whole = elements.len() & !7;
    for (to, &element) in spreads.iter_mut().zip(&elements[..whole]) {
        *to = spread(element, seed);
    }
    let to = spreads.get_mut(..elements.len()).and_then(<[u64]>::last_chunk_mut::<8>);
    if let Some((last, to)) = elements.last_chunk().zip(to) {
        *to = last.map(|element| spread(element, seed));
    } else {
        for (to, &element) in spreads.iter_mut().zip(elements) {
            *to = spread(element, seed);
        }
    }
}

/// The mixed elements in chunks.
#[inline(always)]
fn spreads(elements: &[u64], seed: u64) -> Vec<[u64; CHUNK]> {
    let mut all = vec![[0; CHUNK]; elements.len().div_ceil(CHUNK)];
    for (chunk, spreads) in elements.chunks(CHUNK).zip(&mut all) {
        spread_all(chunk, seed, spreads);
    }
    all
}

/// A number of rounds that is nearly always enough to fill `k` bins with `len` different elements. About K ln K
/// throws fill the bins on average, and twice that many nearly always.
fn usual_rounds(k: usize, len: usize) -> u64 {
    let log2 = (usize::BITS - k.leading_zeros()) as usize;
    4 + (2 * k * log2 / len) as u64
}

#[cold]
#[inline(never)]
fn without_repetitions(elements: &[u64]) -> Vec<u64> {
    let mut distinct = elements.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    distinct
}

/// Round 0. Once every bin is filled, an element matters only if its value is below the largest slot. This soon
/// becomes rare, and most elements are then skipped many at a time.
#[inline(always)]
fn first_round<S: Simd>(simd: S, elements: &[u64], seed: u64, slots: &mut [u64], cut: impl Cut) {
    let mut limit = EMPTY_SLOT;
    let patience = (4 * slots.len() / CHUNK).max(4);
    for (number, chunk) in elements.chunks(CHUNK).enumerate() {
        let Aligned([bins, values]) = &mut Aligned([[0; CHUNK]; 2]);
        // Entries that are not written here have the largest value, so they are never below the limit.
        *values = [EMPTY_SLOT; CHUNK];
        for ((&element, bin), value) in chunk.iter().zip(&mut *bins).zip(&mut *values) {
            (*bin, *value) = cut.bin_and_value(spread(element, seed));
        }
        if limit == EMPTY_SLOT {
            for (&bin, &value) in bins.iter().zip(&values[..chunk.len()]) {
                let slot = &mut slots[bin as usize];
                *slot = (*slot).min(value);
            }
        } else {
            let mut below = simd.below(values, limit);
            while below != 0 {
                let i = below.trailing_zeros() as usize;
                below &= below - 1;
                let slot = &mut slots[bins[i] as usize];
                *slot = (*slot).min(values[i]);
            }
        }
        if number % patience == patience - 1 {
            limit = slots.iter().copied().max().unwrap_or(EMPTY_SLOT);
        }
    }
}

/// Rounds 0 to K - 1 of a set of at most [`CHUNK`] elements. Returns true if a bin is still empty.
///
/// As many rounds as fit into a chunk are run at a time, and several chunks before the bins are looked at. It does no
/// harm if some of these rounds are not needed, because the values of a later round are larger than all values of
/// earlier rounds.
#[inline(always)]
fn small<S: Simd, const MARKED: bool>(
    simd: S,
    elements: &[u64],
    seed: u64,
    slots: &mut [u64],
    cut: impl Cut,
) -> bool {
    let len = elements.len();
    let mut scratch = Scratch::new();
    spread_all(elements, seed, &mut scratch.starts);
    scratch.throws[0] = scratch.starts;
    throw_all(&mut scratch, 0, len, slots, cut);
    let at_once = CHUNK / len;
    if at_once > 1 {
        let (first, others) = scratch.starts.split_at_mut(len);
        for (round, starts) in (1..).zip(others.chunks_exact_mut(len)) {
            for (start, &spread) in starts.iter_mut().zip(&*first) {
                *start = before_mixing(spread, round);
            }
        }
        for (round, lanes) in (0..).zip(scratch.rounds[0].chunks_exact_mut(len)) {
            lanes.fill(round);
        }
    }
    let last = slots.len() as u64;
    let together = |round: u64| (at_once as u64).min(last - round);
    let (mut round, mut thrown) = (1, len);
    while is_dense(thrown, slots.len()) && round < last {
        let used = together(round) as usize * len;
        let Scratch { starts, throws: [throws, ..], .. } = &mut scratch;
        throw_part(starts, round, used, throws);
        throw_all(&mut scratch, round << VALUE_BITS, used, slots, cut);
        thrown += used;
        round += together(round);
    }
    let [rounds, others @ ..] = &mut scratch.rounds;
    for (chunk, others) in (1..).zip(others) {
        *others = rounds.map(|round| round + chunk * at_once as u16);
    }
    let mut bins = Bins::<S, MARKED>::new(simd, slots, &mut scratch);
    if !bins.end_round() {
        return false;
    }
    while round < last {
        let rank = round << VALUE_BITS;
        for chunk in 0..CHUNKS {
            let used = together(round) as usize * len;
            let Scratch { starts, throws, .. } = &mut *bins.scratch;
            throw_part(starts, round, used, &mut throws[chunk]);
            bins.find_hits(chunk, used, rank, cut);
            round += together(round);
            if round == last {
                break;
            }
        }
        bins.lower(rank, cut);
        if !bins.end_round() {
            return false;
        }
    }
    true
}

/// True while so few throws have been made that most bins are empty. Then most throws are hits, and finding them
/// first would cost more than it saves. After K throws, about one bin in three is empty.
#[inline(always)]
const fn is_dense(thrown: usize, k: usize) -> bool {
    thrown < k
}

/// Lowers the slots of the first `used` throws of the first chunk, whether they are hits or not.
#[inline(always)]
fn throw_all(scratch: &mut Scratch, rank: u64, used: usize, slots: &mut [u64], cut: impl Cut) {
    let Scratch { throws: [throws, values, ..], rounds: [rounds, ..], .. } = scratch;
    for i in 0..CHUNK {
        let (bin, value) = cut.bin_and_value(throws[i]);
        throws[i] = bin;
        values[i] = (u64::from(rounds[i]) << VALUE_BITS) + (value + rank);
    }
    for (&bin, &value) in throws[..used].iter().zip(&*values) {
        let slot = &mut slots[bin as usize];
        *slot = (*slot).min(value);
    }
}

/// Some of the rounds 1 to K - 1 of a set of `len` elements. Returns true if a bin is still empty.
#[inline(always)]
fn later_rounds<S: Simd, const MARKED: bool>(
    simd: S,
    spreads: &[[u64; CHUNK]],
    len: usize,
    rounds: Range<u64>,
    slots: &mut [u64],
    cut: impl Cut,
) -> bool {
    let chunks = &spreads[..len.div_ceil(CHUNK)];
    let used = |part: usize| CHUNK.min(len - part * CHUNK);
    let mut scratch = Scratch::new();
    let Range { start: mut round, end } = rounds;
    while is_dense(round as usize * len, slots.len()) && round < end {
        for (part, spreads) in chunks.iter().enumerate() {
            throw_part(spreads, round, used(part), &mut scratch.throws[0]);
            throw_all(&mut scratch, round << VALUE_BITS, used(part), slots, cut);
        }
        round += 1;
    }
    let mut bins = Bins::<S, MARKED>::new(simd, slots, &mut scratch);
    if !bins.end_round() {
        return false;
    }
    // As many whole rounds as can wait, at least one.
    let at_once = (CHUNKS / chunks.len().max(1)).max(1) as u64;
    while round < end {
        let after = end.min(round + at_once);
        let (rank, mut waiting) = (round << VALUE_BITS, 0);
        for (number, round) in (0..).zip(round..after) {
            for (part, spreads) in chunks.iter().enumerate() {
                if waiting == CHUNKS {
                    bins.lower(rank, cut);
                    waiting = 0;
                }
                throw_part(spreads, round, used(part), &mut bins.scratch.throws[waiting]);
                bins.scratch.rounds[waiting] = [number; CHUNK];
                bins.find_hits(waiting, used(part), rank, cut);
                waiting += 1;
            }
        }
        bins.lower(rank, cut);
        if !bins.end_round() {
            return false;
        }
        round = after;
    }
    true
}

/// The throws of the first `used` lanes in a round, and of others up to a whole group of eight.
#[inline(always)]
fn throw_part(starts: &[u64; CHUNK], round: u64, used: usize, throws: &mut [u64; CHUNK]) {
    let later = before_mixing(0, round);
    let whole = used.next_multiple_of(8).min(CHUNK);
    for (throw, &start) in throws[..whole].iter_mut().zip(starts) {
        *throw = mixed(start.wrapping_add(later));
    }
}

/// Rounds K to 2K - 1, for the bins that are still empty. Each round gives all elements to one bin.
#[inline(always)]
fn last_rounds(elements: &[u64], seed: u64, slots: &mut [u64]) {
    let k = slots.len() as u64;
    for (bin, slot) in slots.iter_mut().enumerate() {
        if *slot == EMPTY_SLOT {
            let round = k + bin as u64;
            let least = elements.iter().map(|&element| throw(spread(element, seed), round)).min();
            *slot = round << VALUE_BITS | least.unwrap_or(u64::MAX) >> (64 - VALUE_BITS);
        }
    }
}
