//! The elements of the first documents, kept in memory between the two passes of counting.
//!
//! The second pass looks at the elements of every document once more. Reading, decompressing and shingling take most of its
//! time, so the elements of as many documents as a part of the free memory holds are kept, from the first document on. What
//! is counted does not depend on how many these are.

use crate::limits::memory::{Ledger, Reservation};
use crate::store::Number;
use std::sync::atomic::{AtomicBool, Ordering};

/// The elements take at most one part in so many of the free memory.
const SHARE: u64 = 4;

/// The memory grows by this many bytes at a time.
const STEP: u64 = if cfg!(test) { 1 << 12 } else { 1 << 22 };

/// The elements of one document: its site, 0 if it has none, and its elements.
pub(super) type Elements<'a> = (u64, &'a [u64]);

/// The elements of the first documents, in input order.
pub(super) struct Retained {
    hashes: Vec<u64>,
    /// The site of each document, and where its elements end.
    documents: Vec<(u64, usize)>,
    held: Reservation,
    reserved: u64,
    most: u64,
    /// The number of the first document that is not kept.
    end: Number,
}

/// Says to all threads whether documents are still kept, so that they do not copy elements for nothing.
pub(super) struct Door(AtomicBool);

impl Door {
    pub(super) fn open() -> Self {
        Self(AtomicBool::new(true))
    }

    pub(super) fn is_open(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Retained {
    pub(super) fn new(ledger: &Ledger) -> Self {
        Self {
            hashes: Vec::new(),
            documents: Vec::new(),
            held: ledger.reservation(),
            reserved: 0,
            most: ledger.unreserved() / SHARE,
            end: Number::MAX,
        }
    }

    /// Keeps the elements of the next document. When there is no room for them, the door is shut, and this and all later
    /// documents must be read again.
    pub(super) fn push(&mut self, door: &Door, number: Number, site: u64, hashes: &[u64]) {
        if self.end != Number::MAX {
            return;
        }
        let size = |hashes: usize, documents: usize| {
            (hashes * size_of::<u64>() + documents * size_of::<(u64, usize)>()) as u64
        };
        let needed = size(self.hashes.len() + hashes.len(), self.documents.len() + 1);
        // A vector that grows is copied into one that is twice as large.
        while 3 * needed > self.reserved {
            if self.reserved + STEP > self.most || !self.held.try_grow(STEP) {
                self.end = number;
                door.0.store(false, Ordering::Relaxed);
                return;
            }
            self.reserved += STEP;
        }
        self.hashes.extend_from_slice(hashes);
        self.documents.push((site, self.hashes.len()));
    }

    /// The number of the first document that must be read again; `None` if all are kept.
    pub(super) fn end(&self) -> Option<Number> {
        (self.end != Number::MAX).then_some(self.end)
    }

    /// The number of documents that are kept.
    pub(super) fn len(&self) -> usize {
        self.documents.len()
    }

    /// A document that is kept.
    pub(super) fn get(&self, at: usize) -> Elements<'_> {
        let begin = if at == 0 { 0 } else { self.documents[at - 1].1 };
        let (site, end) = self.documents[at];
        (site, &self.hashes[begin..end])
    }
}
