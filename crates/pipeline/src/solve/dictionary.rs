//! Documents as sequences of shingles -> each of them as a few *runs* of one long sequence, the dictionary.
//!
//! Pages of a template repeat long stretches of the same shingles in the same order. The dictionary has every different
//! shingle once, in the order in which shingles were first met. So what a page has of its template is a few runs of
//! consecutive positions, and its own text is one run at the end. Two documents share the positions that are in runs of
//! both: counting these takes a step per run, where sorted sets take a step per shingle.
//!
//! This is exact for any documents. Those that share no stretches have short runs, and gain nothing.
//!
//! The idea is that of dictionary compression: Ziv and Lempel, *A universal algorithm for sequential data compression*
//! (1977); here the elements are shingles, and the runs are used for counting.
//!
//! **Cost.** Less than a nanosecond for a shingle within a run. A shingle that was not met before takes a place in a hash table,
//! and so 10 to 20 ns if the table is larger than the caches; its memory is 8 bytes and 16 to 32 in the table.

use std::hash::{BuildHasher, RandomState};

/// Positions of the dictionary from `start` up to `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Run {
    pub start: u32,
    pub end: u32,
}

impl Run {
    /// How many elements it has.
    pub(super) fn len(self) -> usize {
        (self.end - self.start) as usize
    }
}

/// Every different element that was met, once.
#[derive(Debug)]
pub(super) struct Dictionary {
    elements: Vec<u64>,
    /// A hash table by open addressing with linear probing, at most half full. A used slot has 32 bits of the element,
    /// and its position plus 1.
    slots: Vec<u64>,
    /// A random odd number: nobody can prepare elements that crowd in few slots.
    factor: u64,
    /// A table for documents that are still expected has at most so many slots.
    most_slots: usize,
    /// How many documents are expected in all, and how many came so far.
    expected: usize,
    documents: usize,
    /// The last document: its runs of elements that were met before, and the slots of those that were not.
    runs: Vec<Run>,
    added: Vec<u32>,
}

/// Slots of a new table.
const FIRST_SLOTS: usize = 1 << 10;

/// What the documents so far say about all of them is believed as if they were at least this share.
const LEAST_SHARE: f64 = 1.0 / 16.0;

/// Positions are 32-bit numbers.
const MOST_ELEMENTS: usize = (u32::MAX / 2) as usize;

impl Dictionary {
    /// An empty dictionary for `expected` documents, about. So much `memory` is not exceeded by expectations.
    pub(super) fn new(expected: usize, memory: u64) -> Self {
        Self {
            elements: Vec::new(),
            slots: vec![0; FIRST_SLOTS],
            most_slots: 1 << (memory / 16).max(1).ilog2(),
            factor: RandomState::new().hash_one(expected) | 1,
            expected,
            documents: 0,
            runs: Vec::new(),
            added: Vec::new(),
        }
    }

    /// How many different elements there are.
    pub(super) fn len(&self) -> usize {
        self.elements.len()
    }

    /// The elements of a run.
    pub(super) fn elements(&self, run: Run) -> &[u64] {
        &self.elements[run.start as usize..run.end as usize]
    }

    /// Bytes that it takes.
    pub(super) fn bytes(&self) -> u64 {
        let last = 8 * self.runs.capacity() + 4 * self.added.capacity();
        8 * (self.elements.capacity() + self.slots.len()) as u64 + last as u64
    }

    /// Bytes that it would take with a document of `more` elements; nothing if it has no positions for them.
    pub(super) fn bytes_with(&self, more: usize) -> Option<u64> {
        let elements = self.elements.len() + more;
        let slots = if 2 * elements > self.slots.len() { self.slots_for(elements) } else { 0 };
        let room = if elements > self.elements.capacity() { 16 * self.elements.len() + 8 * more } else { 0 };
        (elements <= MOST_ELEMENTS).then_some(self.bytes() + (8 * slots + room + 12 * more) as u64)
    }

    /// Adds a document, whose elements may be in any order and may repeat. The runs that it has of earlier documents
    /// are ascending and have gaps between them; all its other elements are a run at the end.
    pub(super) fn add(&mut self, document: &[u64]) -> (&[Run], Run) {
        if 2 * (self.elements.len() + document.len()) > self.slots.len() {
            self.grow(self.elements.len() + document.len());
        }
        self.documents += 1;
        let own = self.elements.len();
        self.elements.reserve(document.len());
        self.runs.clear();
        self.added.clear();
        let mut rest = document;
        while let [first, after @ ..] = rest {
            rest = after;
            match self.find(*first) {
                Ok(position) if position < own => {
                    let more = common_prefix(&self.elements[position + 1..own], after);
                    self.runs.push(Run { start: position as u32, end: (position + 1 + more) as u32 });
                    rest = &after[more..];
                }
                // A repeat of what is new.
                Ok(_) => {}
                Err(slot) => {
                    self.elements.push(*first);
                    self.slots[slot] = used(*first, self.elements.len());
                    self.added.push(slot as u32);
                }
            }
        }
        merge(&mut self.runs);
        (&self.runs, Run { start: own as u32, end: self.elements.len() as u32 })
    }

    /// Takes the document out that was added last. This can be done once.
    pub(super) fn take_back(&mut self) {
        // The last one first, so that no search for an element ends before it.
        for slot in self.added.drain(..).rev() {
            self.slots[slot as usize] = 0;
            self.elements.pop();
        }
    }

    /// Frees the table. Nothing can be added or taken back any more.
    pub(super) fn forget_slots(&mut self) {
        self.slots = Vec::new();
    }

    /// The position of an element, or the slot in which it belongs.
    #[inline]
    fn find(&self, element: u64) -> Result<usize, usize> {
        let last_slot = self.slots.len() - 1;
        let mut slot = self.home(element);
        loop {
            let held = self.slots[slot];
            if held == 0 {
                return Err(slot);
            }
            if held >> 32 == element & TAG {
                let position = (held & TAG) as usize - 1;
                if self.elements[position] == element {
                    return Ok(position);
                }
            }
            slot = (slot + 1) & last_slot;
        }
    }

    /// The slot where the search for an element begins.
    #[inline]
    fn home(&self, element: u64) -> usize {
        (element.wrapping_mul(self.factor) >> (self.slots.len() as u64 - 1).leading_zeros()) as usize
    }

    /// How many slots a table for this many elements gets: enough for all documents, if the others bring as many as
    /// those so far.
    fn slots_for(&self, elements: usize) -> usize {
        let share = (self.documents + 1) as f64 / self.expected.max(self.documents + 1) as f64;
        let expected = (elements as f64 / share.max(LEAST_SHARE)) as usize;
        let [least, wanted] =
            [elements, expected].map(|elements| (2 * elements.min(MOST_ELEMENTS)).next_power_of_two());
        wanted.min(self.most_slots).max(least)
    }

    #[cold]
    fn grow(&mut self, elements: usize) {
        let slots = self.slots_for(elements);
        self.slots = Vec::new();
        self.slots = vec![0; slots];
        for at in 0..self.elements.len() {
            let mut slot = self.home(self.elements[at]);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (slots - 1);
            }
            self.slots[slot] = used(self.elements[at], at + 1);
        }
    }
}

/// The bits of an element that are in its slot.
const TAG: u64 = u32::MAX as u64;

fn used(element: u64, position_plus_1: usize) -> u64 {
    (element & TAG) << 32 | position_plus_1 as u64
}

/// How many elements two sequences have in common at their beginnings.
#[inline]
fn common_prefix(a: &[u64], b: &[u64]) -> usize {
    let (blocks_a, blocks_b) = (a.as_chunks::<8>().0, b.as_chunks::<8>().0);
    let equal = 8 * blocks_a.iter().zip(blocks_b).take_while(|(a, b)| a == b).count();
    equal + a[equal..].iter().zip(&b[equal..]).take_while(|(a, b)| a == b).count()
}

/// Puts runs in order; those that overlap or touch become one.
fn merge(runs: &mut Vec<Run>) {
    if !runs.is_sorted() {
        runs.sort_unstable();
    }
    runs.dedup_by(|next, last| {
        let touches = next.start <= last.end;
        if touches {
            last.end = last.end.max(next.end);
        }
        touches
    });
}

/// How many positions are in runs of both; the runs of each are ascending and do not overlap.
pub(super) fn overlap(a: &[Run], b: &[Run]) -> usize {
    let (mut i, mut j, mut common) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        common += x.end.min(y.end).saturating_sub(x.start.max(y.start)) as usize;
        i += usize::from(x.end <= y.end);
        j += usize::from(y.end <= x.end);
    }
    common
}
