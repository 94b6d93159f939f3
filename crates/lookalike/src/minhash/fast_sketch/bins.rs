//! The bins of a fast sketch, and which of them are still empty.

use super::super::EMPTY_SLOT;
use crate::arch::{BIT_WORDS, CHUNK, Simd};

/// The slots, and which of them are still empty.
pub(super) struct Bins<'a, S> {
    simd: S,
    pub(super) slots: &'a mut [u64],
    /// The number of empty slots. It is used only if `open` is `None`.
    empty: usize,
    /// The empty bins as bits, before this round and now; `None` on a CPU where the bits do not help. Soon most
    /// elements fall into bins that are filled, and the bits let them be skipped many at a time.
    open: Option<Open>,
}

#[derive(Clone, Copy)]
struct Open {
    before: [u64; BIT_WORDS],
    now: [u64; BIT_WORDS],
}

impl<'a, S: Simd> Bins<'a, S> {
    #[inline(always)]
    pub(super) fn new(simd: S, slots: &'a mut [u64]) -> Self {
        if !S::LOOKS_UP_BITS || slots.len() > 64 * BIT_WORDS {
            let empty = slots.iter().filter(|&&slot| slot == EMPTY_SLOT).count();
            return Self { simd, slots, empty, open: None };
        }
        let mut before = [0; BIT_WORDS];
        for (word, slots) in before.iter_mut().zip(slots.chunks(CHUNK)) {
            // Slots beyond the last one count as filled.
            let mut chunk = [0; CHUNK];
            chunk[..slots.len()].copy_from_slice(slots);
            *word = !simd.below(&chunk, EMPTY_SLOT);
        }
        Self { simd, slots, empty: 0, open: Some(Open { before, now: before }) }
    }

    #[inline(always)]
    pub(super) fn any_empty(&self) -> bool {
        match &self.open {
            Some(open) => open.now != [0; BIT_WORDS],
            None => self.empty > 0,
        }
    }

    /// Lowers the slots of the first `used` of these bins. `value(i)` is the value for the i-th bin; it is called
    /// only where it may matter.
    #[inline(always)]
    pub(super) fn lower(&mut self, bins: &[u64; CHUNK], used: usize, value: impl Fn(usize) -> u64) {
        let Some(open) = &mut self.open else {
            for (i, &bin) in bins[..used].iter().enumerate() {
                let slot = &mut self.slots[bin as usize];
                self.empty -= usize::from(*slot == EMPTY_SLOT);
                *slot = (*slot).min(value(i));
            }
            return;
        };
        let mut hits = self.simd.bits_at(bins, &open.before) & (u64::MAX >> (CHUNK - used));
        while hits != 0 {
            let i = hits.trailing_zeros() as usize;
            hits &= hits - 1;
            let bin = bins[i] as usize;
            let slot = &mut self.slots[bin];
            *slot = (*slot).min(value(i));
            open.now[bin / 64 % BIT_WORDS] &= !(1 << (bin % 64));
        }
    }

    /// Ends the round. Bins that were filled in it do not change in the next round.
    #[inline(always)]
    pub(super) fn end_round(&mut self) {
        if let Some(open) = &mut self.open {
            open.before = open.now;
        }
    }
}
