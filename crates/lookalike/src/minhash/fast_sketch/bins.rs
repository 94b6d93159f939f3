//! The bins of a fast sketch after its first rounds, when some of them are still empty.

use super::super::EMPTY_SLOT;
use super::Cut;
use crate::arch::{BIT_WORDS, CHUNK, Simd, TOP_WORDS};

/// The number of chunks of throws that wait to be looked up.
pub(super) const CHUNKS: usize = 4;

/// The number of throws that wait. The position of a throw among them fits into a byte.
pub(super) const WAITING: usize = CHUNKS * CHUNK;

/// The largest number of bins of which the empty ones are marked.
pub(super) const MOST_MARKED: usize = 64 * BIT_WORDS;

/// Throws, and which of them are hits.
pub(super) struct Throws {
    pub(super) throws: [u64; WAITING],
    /// The positions of the hits. Each chunk of throws has room for a whole chunk of hits.
    hits: [u8; WAITING + 1],
    count: usize,
}

impl Throws {
    #[inline(always)]
    pub(super) const fn new() -> Self {
        Self { throws: [0; WAITING], hits: [0; WAITING + 1], count: 0 }
    }
}

/// The slots, and which of them are empty. A throw into a bin that was empty before its round is a *hit*. All other
/// throws of later rounds change nothing, and they soon are most of them. So hits are found first, many throws at a
/// time, and only hits are compared with their slots.
///
/// If `MARKED` is true, a byte and a bit for each bin tell whether it is empty. The bytes are current, because a byte
/// is written in one step. The bits are made from the bytes at the end of a round, and throws are looked up in the
/// bits. If `MARKED` is false, the slots themselves are looked up.
pub(super) struct Bins<'a, S, const MARKED: bool> {
    simd: S,
    pub(super) slots: &'a mut [u64],
    marks: [u8; MOST_MARKED],
    bits: [u64; BIT_WORDS],
}

impl<'a, S: Simd, const MARKED: bool> Bins<'a, S, MARKED> {
    #[inline(always)]
    pub(super) fn new(simd: S, slots: &'a mut [u64]) -> Self {
        let mut marks = [0; MOST_MARKED];
        if MARKED {
            for (mark, &slot) in marks.iter_mut().zip(&*slots) {
                *mark = u8::from(slot == EMPTY_SLOT);
            }
        }
        Self { simd, slots, marks, bits: [0; BIT_WORDS] }
    }

    /// Ends a round: bins that were filled in it do not change in later rounds. Returns true if a bin is empty.
    #[inline(always)]
    pub(super) fn end_round(&mut self) -> bool {
        if !MARKED {
            return self.slots.iter().fold(false, |any, &slot| any | (slot == EMPTY_SLOT));
        }
        let (tops, rest) = self.bits.split_at_mut(TOP_WORDS);
        let (marks_of_tops, marks_of_rest) = self.marks.as_chunks().0.split_at(TOP_WORDS);
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

    /// Finds the hits among the first `used` throws of a chunk. `rank` is the first round of these throws in the
    /// form of a slot.
    #[inline(always)]
    pub(super) fn find_hits(&self, throws: &mut Throws, chunk: usize, used: usize, rank: u64, cut: impl Cut) {
        let Throws { throws, hits, count } = throws;
        let throws = &throws.as_chunks::<CHUNK>().0[chunk % CHUNKS];
        let first = chunk % CHUNKS * CHUNK;
        if MARKED {
            let found = if self.slots.len() <= 64 * TOP_WORDS {
                let bits = self.bits.first_chunk().unwrap_or(&[0; TOP_WORDS]);
                self.simd.bits_at_tops(&throws.map(|throw| cut.top(throw)), cut.shift(), bits)
            } else {
                self.simd.bits_at(&throws.map(|throw| cut.bin(throw)), &self.bits)
            };
            if let Some(room) = hits[*count % WAITING..].first_chunk_mut() {
                *count += self.simd.ones(found & (u64::MAX >> (CHUNK - used)), first as u8, room);
            }
        } else {
            // There is no branch on whether a throw is a hit, which could not be predicted.
            let mut found = *count;
            for (i, &throw) in (first..).zip(&throws[..used]) {
                hits[found] = i as u8;
                found += usize::from(self.slots[cut.bin(throw) as usize] >= rank);
            }
            *count = found;
        }
    }

    /// Lowers the slots of all hits. The rank of the i-th throw is `ranks[i] + rank`.
    #[inline(always)]
    pub(super) fn lower(&mut self, throws: &mut Throws, ranks: &[u64; WAITING], rank: u64, cut: impl Cut) {
        for &i in &throws.hits[..throws.count.min(WAITING)] {
            let (bin, value) = cut.bin_and_value_alone(throws.throws[usize::from(i)]);
            let slot = &mut self.slots[bin as usize];
            *slot = (*slot).min(value + (ranks[usize::from(i)] + rank));
            if MARKED {
                self.marks[bin as usize % MOST_MARKED] = 0;
            }
        }
        throws.count = 0;
    }
}
