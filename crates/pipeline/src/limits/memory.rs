//! The memory limit -> a ledger, in which every structure that grows reserves its memory.
//!
//! The *total* is the memory that the stages share: the limit minus the program itself, the buffers of its threads
//! and the list of sources. Every structure that grows with documents, pairs, bad records or rows holds a
//! [`Reservation`] of the total, which is released when it is dropped. If a reservation cannot grow, its owner writes
//! to a file or streams ([`crate::limits::sorted`], [`crate::limits::lists`]). The documents that are compared at a
//! time get a share of the rest. The memory of each thread is bounded by constants, which are defined where the
//! memory is used. `ARCHITECTURE.md` has a table of all structures that grow; a structure that is missing there is a
//! mistake. Only the speed depends on the limit.

use crate::{Error, LEAST_MEMORY, Resources, Result};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// The memory that every document needs while candidates are sought, in bytes: its entry in the union-find forest,
/// and some bits.
pub(crate) const PER_DOCUMENT: u64 = 5;

/// The size of a block of a source, in bytes. It is fixed, because the blocks of a source must be the same in every
/// run. (It is small in tests, so that small corpora have several blocks.)
pub(crate) const BLOCK_BYTES: usize = if cfg!(test) { 4 << 10 } else { 256 << 10 };

/// The memory of a thread, in bytes: a block, its decompressed text, the buffers for a document, and results that
/// wait for their turn. (While outputs are written, it is used for the frames that are compressed.)
const PER_THREAD: u64 = 12 << 20;

/// The memory of the program itself, and of everything that is too small to count, in bytes.
const BASE: u64 = 16 << 20;

/// The approximate memory of a source, in bytes: its names, in the list of sources, in `run.json` and in the report.
const PER_SOURCE: u64 = 1 << 10;

/// The memory for the position of a block, in bytes.
const PER_BLOCK: u64 = 40;

/// Blocks of more bytes than this are *long*. Only one long block is processed at a time, because the memory of a
/// thread is too small for it.
pub(crate) const LONG_BLOCK: u64 = 1 << 20;

/// The memory that the limit leaves to the stages, and how much of it is reserved. Clones share the reservations.
#[derive(Debug, Clone)]
pub(crate) struct Ledger {
    limit: u64,
    threads: u64,
    /// The memory that no stage can use.
    fixed: u64,
    /// The memory that all stages together can use.
    total: u64,
    reserved: Arc<AtomicU64>,
    long_block: Arc<(Mutex<bool>, Condvar)>,
}

/// Reserved bytes. They are released when the value is dropped.
#[derive(Debug)]
pub(crate) struct Reservation {
    reserved: Arc<AtomicU64>,
    total: u64,
    bytes: u64,
}

impl Reservation {
    /// Reserves this many bytes more if they are free. Returns false if they are not.
    pub(crate) fn try_grow(&mut self, bytes: u64) -> bool {
        let more = |reserved: u64| reserved.checked_add(bytes).filter(|&reserved| reserved <= self.total);
        let grown = self.reserved.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok();
        self.bytes += if grown { bytes } else { 0 };
        grown
    }

    /// Reserves this many bytes more, even if they are not free: for data that cannot be stored elsewhere.
    pub(crate) fn grow(&mut self, bytes: u64) {
        self.reserved.fetch_add(bytes, Ordering::Relaxed);
        self.bytes += bytes;
    }

    /// How many bytes are reserved.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Releases all bytes.
    pub(crate) fn release(&mut self) {
        self.reserved.fetch_sub(std::mem::take(&mut self.bytes), Ordering::Relaxed);
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.release();
    }
}

/// The right to process a long block; only one exists at a time.
#[derive(Debug)]
pub(crate) struct LongBlock {
    long_block: Arc<(Mutex<bool>, Condvar)>,
}

impl Drop for LongBlock {
    fn drop(&mut self) {
        *self.long_block.0.lock().unwrap_or_else(PoisonError::into_inner) = false;
        self.long_block.1.notify_all();
    }
}

impl Ledger {
    /// The ledger of a run over this many sources. A memory limit that is too small for the sources and the threads
    /// is an error.
    pub(crate) fn new(resources: &Resources, sources: usize) -> Result<Self> {
        let threads = resources.threads.max(1) as u64;
        let fixed = fixed(threads, sources as u64);
        let least = least_memory(0, resources.threads).max(fixed + LEAST_TOTAL);
        if resources.memory < least {
            let sources = if least > least_memory(0, resources.threads) {
                format!(" over {sources} source{}", if sources == 1 { "" } else { "s" })
            } else {
                String::new()
            };
            return Err(Error::Memory {
                what: format!("a run with {threads} threads{sources}"),
                needed: least,
                limit: resources.memory,
            });
        }
        Ok(Self {
            limit: resources.memory,
            threads,
            fixed,
            total: resources.memory - fixed,
            reserved: Arc::default(),
            long_block: Arc::default(),
        })
    }

    /// Leaves only this many bytes for the stages: far less than any real limit, so that small corpora spill too.
    #[cfg(test)]
    pub(crate) fn with_free(self, free: u64) -> Self {
        Self { total: free, ..self }
    }

    /// A new reservation of 0 bytes.
    pub(crate) fn reservation(&self) -> Reservation {
        Reservation { reserved: Arc::clone(&self.reserved), total: self.total, bytes: 0 }
    }

    /// The bytes that are not reserved.
    pub(crate) fn unreserved(&self) -> u64 {
        self.total.saturating_sub(self.reserved.load(Ordering::Relaxed))
    }

    /// Waits until no long block is being processed. This is called before a block is read, because there is memory
    /// for only one long block.
    pub(crate) fn wait_for_long_block(&self) {
        let (taken, given_back) = &*self.long_block;
        let taken = taken.lock().unwrap_or_else(PoisonError::into_inner);
        drop(given_back.wait_while(taken, |taken| *taken));
    }

    /// The right to process a block of `bytes` bytes, if it is long. Waits until no other long block is being
    /// processed.
    pub(crate) fn long_block(&self, bytes: u64) -> Option<LongBlock> {
        if bytes <= LONG_BLOCK {
            return None;
        }
        let (taken, given_back) = &*self.long_block;
        let taken = taken.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = given_back.wait_while(taken, |taken| *taken);
        *taken.unwrap_or_else(PoisonError::into_inner) = true;
        Some(LongBlock { long_block: Arc::clone(&self.long_block) })
    }

    /// The right to process a long block, for a reader that is about to read it. Waits until no other long block is
    /// being processed.
    pub(crate) fn announced(&self) -> Option<LongBlock> {
        self.long_block(u64::MAX)
    }

    /// The most memory for one sort: half of the free memory, and no more than a quarter of the total.
    pub(crate) fn sorting(&self) -> u64 {
        (self.unreserved() / 2).min(self.total / 4)
    }

    /// The memory for results that are collected while documents are compared. The comparison itself needs most of
    /// the memory.
    pub(crate) fn collecting(&self) -> u64 {
        self.total / 16
    }

    /// The memory for all parts that are kept in memory.
    pub(crate) fn parts(&self) -> u64 {
        self.total / 3
    }

    /// The memory for one part.
    pub(crate) fn part(&self) -> u64 {
        (self.total / 32).clamp(1 << 20, 16 << 20)
    }

    /// The length of the longest record, in bytes. The record, its text and its normalised text must fit in memory
    /// besides the parts.
    pub(crate) fn record_bytes(&self) -> u64 {
        (self.total - self.parts()) / 3
    }

    /// Turns the error for a record that is too long into one that says how much memory it needs.
    pub(crate) fn explain(&self, error: corpus::Error) -> Error {
        match error {
            corpus::Error::TooLarge { name, record, what, bytes, .. } => Error::Memory {
                what: format!("{name}, record {record}: a {what} of {}", corpus::readable_size(bytes)),
                needed: (bytes + 1).saturating_mul(9).div_ceil(2).saturating_add(self.fixed),
                limit: self.limit,
            },
            other => other.into(),
        }
    }

    /// The error for a text that is too long for the memory, although its record was not.
    pub(crate) fn too_long(&self, text: &str) -> Error {
        let bytes = text.len() as u64;
        Error::Memory {
            what: format!("a text of {}", corpus::readable_size(bytes)),
            needed: (bytes + 1).saturating_mul(9).div_ceil(2).saturating_add(self.fixed),
            limit: self.limit,
        }
    }

    /// The memory limit.
    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    /// The length of the longest text that can be shingled. Its shingles and their buffers take `factor` times its
    /// length.
    pub(crate) fn longest_text(&self, factor: u64) -> u64 {
        self.total / 2 / factor
    }

    /// The memory limit with which a text of `bytes` can be shingled.
    pub(crate) fn for_text(&self, bytes: u64, factor: u64) -> u64 {
        bytes * factor * 2 + self.fixed
    }

    /// The memory for each of the threads that look for equal keys.
    pub(crate) fn grouping(&self) -> u64 {
        self.for_keys() / self.threads
    }

    /// How many columns of keys fit in memory at a time. A column has one key for each of `documents` documents.
    pub(crate) fn key_columns(&self, documents: u64) -> usize {
        (self.for_keys() / (8 * documents.max(1))).saturating_sub(1) as usize
    }

    /// Reserves memory for the columns of keys, and for the threads that look for equal keys.
    pub(crate) fn for_grouping(&self) -> Reservation {
        let mut reservation = self.reservation();
        reservation.grow(2 * self.for_keys());
        reservation
    }

    fn for_keys(&self) -> u64 {
        (self.total / 4).min(self.unreserved() / 3)
    }

    /// The memory for the documents that are compared with each other at a time, if `used` bytes are used for other
    /// things.
    pub(crate) fn chunk(&self, used: u64) -> u64 {
        self.chunk_beside(used.max(self.reserved.load(Ordering::Relaxed)))
    }

    /// The same if `held` bytes are used for other things. Current reservations are ignored.
    pub(crate) fn chunk_beside(&self, held: u64) -> u64 {
        self.total.saturating_sub(held).max(self.total / 8) * 3 / 4
    }

    /// Reserves the memory that `documents` documents in `blocks` blocks need until the end of the run. It is an
    /// error if there is not enough.
    pub(crate) fn for_documents(&self, documents: u64, blocks: usize) -> Result<Reservation> {
        let blocks = blocks as u64 * PER_BLOCK;
        let needed = documents.saturating_mul(per_document(documents)).saturating_add(blocks);
        if needed > self.total / 3 {
            return Err(Error::Memory {
                what: format!("a corpus of {documents} documents"),
                needed: needed.saturating_mul(3).saturating_add(self.fixed),
                limit: self.limit,
            });
        }
        let mut reservation = self.reservation();
        reservation.grow(needed);
        Ok(reservation)
    }
}

/// The stages need at least this much memory together, in bytes.
const LEAST_TOTAL: u64 = 16 << 20;

/// The memory of the program, its threads and its sources, in bytes.
pub(crate) fn fixed(threads: u64, sources: u64) -> u64 {
    BASE.saturating_add(PER_THREAD.saturating_mul(threads)).saturating_add(PER_SOURCE.saturating_mul(sources))
}

/// The smallest memory limit, in bytes, with which a corpus of `documents` documents can be run on `threads` threads.
#[must_use]
pub fn least_memory(documents: u64, threads: usize) -> u64 {
    let for_threads = fixed(threads.max(1) as u64, 0);
    let for_documents = for_threads.saturating_add(documents.saturating_mul(3 * per_document(documents)));
    LEAST_MEMORY.max(for_threads.saturating_add(LEAST_TOTAL)).max(for_documents)
}

/// The memory per document, in bytes. It is larger if document numbers need more than 32 bits.
pub(crate) fn per_document(documents: u64) -> u64 {
    if documents > u64::from(u32::MAX) { PER_DOCUMENT + 4 } else { PER_DOCUMENT }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledger(memory: u64, threads: usize, sources: usize) -> Result<Ledger> {
        Ledger::new(&Resources { memory, threads, temp_dir: None, max_pairs: None }, sources)
    }

    #[test]
    fn what_is_reserved_is_gone_until_it_is_given_back() {
        let ledger = ledger(1 << 30, 2, 1).unwrap().with_free(1_000);
        let mut first = ledger.reservation();
        assert!(first.try_grow(600) && !first.try_grow(401));
        assert_eq!((first.bytes(), ledger.unreserved()), (600, 400));
        let mut second = ledger.clone().reservation();
        assert!(!second.try_grow(401) && second.try_grow(400));
        assert!(!second.try_grow(u64::MAX));
        second.grow(50);
        assert_eq!(ledger.unreserved(), 0);
        drop(first);
        assert_eq!(ledger.unreserved(), 550);
        second.release();
        assert_eq!(ledger.unreserved(), 1_000);
    }

    #[test]
    fn a_limit_below_the_least_is_refused_and_the_least_is_enough() {
        for (threads, sources) in [(1, 1), (2, 100_000), (16, 3), (1, 0)] {
            let Err(Error::Memory { needed, .. }) = ledger(1 << 20, threads, sources) else {
                panic!("{threads} threads cannot do with 1 MiB");
            };
            assert!(ledger(needed - 1, threads, sources).is_err());
            assert!(ledger(needed, threads, sources).is_ok());
        }
    }

    #[test]
    fn documents_that_cannot_be_held_are_refused_with_what_can() {
        let documents = 40_000_000;
        let little = ledger(128 << 20, 2, 1).unwrap();
        let Err(Error::Memory { needed, .. }) = little.for_documents(documents, 100) else {
            panic!("they do not fit");
        };
        assert!(ledger(needed, 2, 1).unwrap().for_documents(documents, 100).is_ok());
    }

    #[test]
    fn long_blocks_take_turns() {
        let ledger = ledger(1 << 30, 2, 1).unwrap();
        ledger.wait_for_long_block();
        assert!(ledger.long_block(1_000).is_none());
        let first = ledger.long_block(2 << 20);
        let second = std::thread::spawn({
            let ledger = ledger.clone();
            move || {
                ledger.wait_for_long_block();
                ledger.long_block(2 << 20).is_some()
            }
        });
        assert!(first.is_some() && !second.is_finished());
        drop(first);
        assert!(second.join().unwrap());
    }
}
