//! The bins of a fast sketch after its first rounds, when some of them are still empty.

use super::super::EMPTY_SLOT;
use super::{Cut, VALUE_BITS};
use crate::arch::{BIT_WORDS, CHUNK, Simd, TOP_WORDS};

/// The number of chunks of throws that wait.
pub(super) const CHUNKS: usize = 2;

/// The number of throws that wait. The position of a throw among them fits into a byte.
pub(super) const WAITING: usize = CHUNKS * CHUNK;

/// The largest number of bins of which the empty ones are marked.
pub(super) const MOST_MARKED: usize = 64 * BIT_WORDS;

/// The arrays that a sketch works on. They are together in one place and smaller than 4096 bytes, because a CPU takes
/// a store and a later load for dependent if their addresses differ by a multiple of 4096. They are aligned, because a
/// load of 64 bytes takes twice as long if it crosses a cache line.
#[repr(C, align(64))]
pub(super) struct Scratch {
    /// The part of the throws of a small set that does not change from chunk to chunk.
    pub(super) starts: [u64; CHUNK],
    pub(super) throws: [[u64; CHUNK]; CHUNKS],
    /// The number of the round of each throw, counted from the first round among the throws that wait.
    pub(super) rounds: [[u16; CHUNK]; CHUNKS],
    /// For each bin, a byte that is not 0 if the bin is empty.
    marks: [u8; MOST_MARKED],
    /// The positions of the hits. There is room for a whole chunk of hits after those of earlier chunks.
    hits: [u8; WAITING + 1],
}

impl Scratch {
    #[inline(always)]
    pub(super) const fn new() -> Self {
        Self {
            starts: [0; CHUNK],
            throws: [[0; CHUNK]; CHUNKS],
            rounds: [[0; CHUNK]; CHUNKS],
            hits: [0; WAITING + 1],
            marks: [0; MOST_MARKED],
        }
    }
}

/// The slots, and which of them are empty. A throw into a bin that was empty before its round is a *hit*. All other
/// throws change nothing, and they soon are most of them. So hits are found first, many throws at a time, and only
/// hits are compared with their slots.
///
/// If `MARKED` is true, a byte and a bit for each bin tell whether it is empty. Throws are looked up in the bits. The
/// bytes are written, because a byte is written in one step, and at the end of a round the bits are made from the
/// bytes. If `MARKED` is false, the slots themselves are looked up.
pub(super) struct Bins<'a, S, const MARKED: bool> {
    simd: S,
    slots: &'a mut [u64],
    pub(super) scratch: &'a mut Scratch,
    /// The number of hits that wait.
    hits: usize,
    /// The number of empty slots. It is used only if `MARKED` is false.
    empty: usize,
    bits: [u64; BIT_WORDS],
}

impl<'a, S: Simd, const MARKED: bool> Bins<'a, S, MARKED> {
    #[inline(always)]
    pub(super) fn new(simd: S, slots: &'a mut [u64], scratch: &'a mut Scratch) -> Self {
        let mut empty = 0;
        if MARKED {
            for (mark, &slot) in scratch.marks.iter_mut().zip(&*slots) {
                *mark = u8::from(slot == EMPTY_SLOT);
            }
        } else {
            empty = slots.iter().filter(|&&slot| slot == EMPTY_SLOT).count();
        }
        Self { simd, slots, scratch, hits: 0, empty, bits: [0; BIT_WORDS] }
    }

    /// Ends a round: bins that were filled in it do not change in later rounds. Returns true if a bin is empty.
    #[inline(always)]
    pub(super) fn end_round(&mut self) -> bool {
        if !MARKED {
            return self.empty > 0;
        }
        let (tops, rest) = self.bits.split_at_mut(TOP_WORDS);
        let (marks_of_tops, marks_of_rest) = self.scratch.marks.as_chunks().0.split_at(TOP_WORDS);
        let mut any = 0;
        for (word, marks) in tops.iter_mut().zip(marks_of_tops) {
            *word = self.simd.nonzero_bytes(marks);
            any |= *word;
        }
        if self.slots.len() > 64 * TOP_WORDS {
            for (word, marks) in rest.iter_mut().zip(marks_of_rest) {
                *word = self.simd.nonzero_bytes(marks);
                any |= *word;
            }
        }
        any != 0
    }

    /// Finds the hits among the first `used` throws of a chunk that waits. `rank` is the slot of the least value in
    /// the first round of the throws that wait.
    #[inline(always)]
    pub(super) fn find_hits(&mut self, chunk: usize, used: usize, rank: u64, cut: impl Cut) {
        let chunk = chunk % CHUNKS;
        let (throws, first) = (&self.scratch.throws[chunk], chunk * CHUNK);
        if MARKED {
            let found = if self.slots.len() <= 64 * TOP_WORDS {
                let bits = self.bits.first_chunk().unwrap_or(&[0; TOP_WORDS]);
                self.simd.bits_at_tops(&throws.map(|throw| cut.top(throw)), cut.shift(), bits)
            } else {
                self.simd.bits_at(&throws.map(|throw| cut.bin(throw)), &self.bits)
            };
            if let Some(room) = self.scratch.hits[self.hits..].first_chunk_mut() {
                self.hits += self.simd.ones(found & (u64::MAX >> (CHUNK - used)), first as u8, room);
            }
        } else {
            // Without a branch on whether the throw is a hit, because the CPU could not predict it.
            let mut hits = self.hits;
            for (i, &throw) in (first..).zip(&throws[..used]) {
                self.scratch.hits[hits] = i as u8;
                hits += usize::from(self.slots[cut.bin(throw) as usize] >= rank);
            }
            self.hits = hits;
        }
    }

    /// Lowers the slots of all hits that wait. `rank` is as in [`Self::find_hits`].
    #[inline(always)]
    pub(super) fn lower(&mut self, rank: u64, cut: impl Cut) {
        let Scratch { throws, rounds, hits, marks, .. } = &mut *self.scratch;
        let (throws, rounds) = (throws.as_flattened(), rounds.as_flattened());
        for &i in &hits[..self.hits.min(WAITING)] {
            let i = usize::from(i) % WAITING;
            let (bin, value) = cut.bin_and_value_of_one(throws[i]);
            let slot = &mut self.slots[bin as usize];
            if MARKED {
                marks[bin as usize % MOST_MARKED] = 0;
            } else {
                self.empty -= usize::from(*slot == EMPTY_SLOT);
            }
            *slot = (*slot).min((u64::from(rounds[i]) << VALUE_BITS) + (value + rank));
        }
        self.hits = 0;
    }
}
