//! The rounds of a fast sketch.

use super::super::EMPTY_SLOT;
use super::bins::{Bins, CHUNKS, MOST_MARKED, Throws, WAITING};
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

/// The largest set whose mixed elements are kept on the stack.
const MEDIUM: usize = 8 * CHUNK;

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
        let mut bins = Bins::<S, MARKED>::new(simd, slots);
        if !bins.end_round() {
            return;
        }
        let patience = (k as u64).min(usual_rounds(k, elements.len()));
        let any_empty = if elements.len() <= MEDIUM {
            let mut spreads = [0; MEDIUM];
            spread_all(elements, seed, &mut spreads);
            later_rounds(&spreads, elements.len(), 1..patience, &mut bins, cut)
        } else {
            let spreads = spreads(elements, seed);
            later_rounds(&spreads, elements.len(), 1..patience, &mut bins, cut)
        };
        if any_empty {
            // Only a list with few different elements is likely to need so many rounds.
            let distinct = without_repetitions(elements);
            let spreads = spreads(&distinct, seed);
            if later_rounds(&spreads, distinct.len(), patience..k as u64, &mut bins, cut) {
                last_rounds(&distinct, seed, slots);
            }
        }
    }
}

/// Mixes all elements with the seed. The elements of a last group of eight that is not full are filled up with any
/// numbers, so that the compiler needs no second loop for the rest.
#[inline(always)]
fn spread_all(elements: &[u64], seed: u64, spreads: &mut [u64]) {
    spreads[..elements.len()].copy_from_slice(elements);
    for x in &mut spreads[..elements.len().next_multiple_of(8)] {
        *x = spread(*x, seed);
    }
}

#[inline(always)]
fn spreads(elements: &[u64], seed: u64) -> Vec<u64> {
    let mut spreads = vec![0; elements.len().next_multiple_of(CHUNK)];
    spread_all(elements, seed, &mut spreads);
    spreads
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
        let mut bins = [0; CHUNK];
        // Entries that are not written here have the largest value, so they are never below the limit.
        let mut values = [EMPTY_SLOT; CHUNK];
        for ((&element, bin), value) in chunk.iter().zip(&mut bins).zip(&mut values) {
            (*bin, *value) = cut.bin_and_value(spread(element, seed));
        }
        if limit == EMPTY_SLOT {
            for (&bin, &value) in bins.iter().zip(&values[..chunk.len()]) {
                let slot = &mut slots[bin as usize];
                *slot = (*slot).min(value);
            }
        } else {
            let mut below = simd.below(&values, limit);
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
    let mut spreads = [0; CHUNK];
    spread_all(elements, seed, &mut spreads);
    throw_chunk(&spreads.map(|spread| cut.bin_and_value(spread)), len, slots);
    let at_once = CHUNK / len;
    // For each lane, the part of the throw that does not change: it depends on the element and on the number of the
    // round among those that run together.
    let (mut starts, mut ranks) = (spreads, [0; CHUNK]);
    if at_once > 1 {
        let rounds = starts.chunks_exact_mut(len).zip(ranks.chunks_exact_mut(len));
        for (round, (starts, ranks)) in (0..).zip(rounds) {
            for (start, &spread) in starts.iter_mut().zip(&spreads) {
                *start = before_mixing(spread, round);
            }
            ranks.fill(round << VALUE_BITS);
        }
    }
    let last = slots.len() as u64;
    let together = |round: u64| (at_once as u64).min(last - round);
    // While most bins are empty, most throws are hits, and finding them first would cost more than it saves.
    let dense = slots.len() * DENSE / 8;
    let (mut round, mut thrown) = (1, len);
    while thrown < dense && round < last {
        let (later, rank) = (before_mixing(0, round), round << VALUE_BITS);
        let mut throws = [(0, 0); CHUNK];
        for i in 0..CHUNK {
            let (bin, value) = cut.bin_and_value(mixed(starts[i].wrapping_add(later)));
            throws[i] = (bin, value + (ranks[i] + rank));
        }
        let used = together(round) as usize * len;
        throw_chunk(&throws, used, slots);
        thrown += used;
        round += together(round);
    }
    let mut bins = Bins::<S, MARKED>::new(simd, slots);
    if !bins.end_round() {
        return false;
    }
    let mut ranks_of_all = [0; WAITING];
    for (chunk, of_all) in (0..).zip(ranks_of_all.as_chunks_mut::<CHUNK>().0) {
        let rank = (chunk * at_once as u64) << VALUE_BITS;
        for (of_all, &rank_of_lane) in of_all.iter_mut().zip(&ranks) {
            *of_all = rank_of_lane + rank;
        }
    }
    let mut throws = Throws::new();
    while round < last {
        let rank = round << VALUE_BITS;
        for chunk in 0..CHUNKS {
            let later = before_mixing(0, round);
            let room = &mut throws.throws.as_chunks_mut::<CHUNK>().0[chunk];
            for (throw, &start) in room.iter_mut().zip(&starts) {
                *throw = mixed(start.wrapping_add(later));
            }
            bins.find_hits(&mut throws, chunk, together(round) as usize * len, rank, cut);
            round += together(round);
            if round == last {
                break;
            }
        }
        bins.lower(&mut throws, &ranks_of_all, rank, cut);
        if !bins.end_round() {
            return false;
        }
    }
    true
}

/// The share of K throws, in eighths, from which on hits are found before they are compared with their slots.
const DENSE: usize = 8;

/// Lowers the slots of the first `used` throws of a chunk.
#[inline(always)]
fn throw_chunk(throws: &[(u64, u64); CHUNK], used: usize, slots: &mut [u64]) {
    for &(bin, value) in &throws[..used] {
        let slot = &mut slots[bin as usize];
        *slot = (*slot).min(value);
    }
}

/// Some of the rounds 1 to K - 1 of a set of `len` elements. Returns true if a bin is still empty.
#[inline(always)]
fn later_rounds<S: Simd, const MARKED: bool>(
    spreads: &[u64],
    len: usize,
    rounds: Range<u64>,
    bins: &mut Bins<'_, S, MARKED>,
    cut: impl Cut,
) -> bool {
    let (chunks, _) = spreads.as_chunks::<CHUNK>();
    let (mut throws, mut ranks) = (Throws::new(), [0; WAITING]);
    // As many whole rounds as can wait, at least one.
    let at_once = (CHUNKS / len.div_ceil(CHUNK).max(1)).max(1);
    let Range { start: mut round, end } = rounds;
    while round < end {
        let after = end.min(round + at_once as u64);
        let (first, mut waiting) = (round << VALUE_BITS, 0);
        for round in round..after {
            let (later, rank) = (before_mixing(0, round), round << VALUE_BITS);
            for (part, spreads) in chunks[..len.div_ceil(CHUNK)].iter().enumerate() {
                if waiting == CHUNKS {
                    bins.lower(&mut throws, &ranks, 0, cut);
                    waiting = 0;
                }
                let room = &mut throws.throws.as_chunks_mut::<CHUNK>().0[waiting];
                for (throw, &spread) in room.iter_mut().zip(spreads) {
                    *throw = mixed(spread.wrapping_add(later));
                }
                ranks.as_chunks_mut::<CHUNK>().0[waiting] = [rank; CHUNK];
                bins.find_hits(&mut throws, waiting, CHUNK.min(len - part * CHUNK), first, cut);
                waiting += 1;
            }
        }
        bins.lower(&mut throws, &ranks, 0, cut);
        if !bins.end_round() {
            return false;
        }
        round = after;
    }
    true
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
