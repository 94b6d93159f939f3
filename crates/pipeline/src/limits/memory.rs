//! The memory limit -> a ledger from which everything that grows reserves.
//!
//! The limit less the program itself, the buffers of its threads and what is known of its sources is what the stages
//! have: the *total*. Whatever grows with documents, pairs, bad records or rows holds a [`Reservation`] on it, which is
//! given back when it is dropped. Where a reservation cannot grow, its owner spills to a file or streams
//! ([`crate::limits::sorted`], [`crate::limits::lists`]). A chunk of documents that are compared has its share of what is left, and
//! what threads hold at a time is bounded by counts that are written where it is held. `ARCHITECTURE.md` has a table of all of
//! it: a structure that grows and is not in that table is a mistake. Only speed depends on the limit.

use crate::{Error, LEAST_MEMORY, Resources, Result};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// Bytes of memory that every document takes while candidates are sought: its place in the union-find forest, and
/// bits.
pub(crate) const PER_DOCUMENT: u64 = 5;

/// A block of a source, in bytes. Fixed: the blocks of a source must be the same in every run. (Tests want several of
/// everything from small corpora.)
pub(crate) const BLOCK_BYTES: usize = if cfg!(test) { 4 << 10 } else { 256 << 10 };

/// What a thread works with: a block, what it is unpacked to, the buffers of a text, and results that wait for their turn.
/// (While outputs are written: the frames that are compressed, beside which little else is held.)
const PER_THREAD: u64 = 12 << 20;

/// The program itself, and what is too small to count.
const BASE: u64 = 16 << 20;

/// A source: its names, as they are found, written down and reported, about.
const PER_SOURCE: u64 = 1 << 10;

/// A block: where it begins.
const PER_BLOCK: u64 = 40;

/// A block that is longer is worked on while no other such block is: what its text unpacks to is not in the share of a
/// thread.
pub(crate) const LONG_BLOCK: u64 = 1 << 20;

/// What the memory limit leaves to the stages, and who has reserved how much of it. Clones share the reservations.
#[derive(Debug, Clone)]
pub(crate) struct Ledger {
    limit: u64,
    threads: u64,
    /// What no stage can have.
    fixed: u64,
    /// What all stages together can have.
    total: u64,
    reserved: Arc<AtomicU64>,
    long_block: Arc<(Mutex<bool>, Condvar)>,
}

/// Bytes that belong to someone until they are dropped.
#[derive(Debug)]
pub(crate) struct Reservation {
    reserved: Arc<AtomicU64>,
    total: u64,
    bytes: u64,
}

impl Reservation {
    /// Reserves so many bytes more, if all that is reserved leaves them.
    pub(crate) fn try_grow(&mut self, bytes: u64) -> bool {
        let more = |reserved: u64| reserved.checked_add(bytes).filter(|&reserved| reserved <= self.total);
        let grown = self.reserved.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok();
        self.bytes += if grown { bytes } else { 0 };
        grown
    }

    /// Reserves so many bytes more, whether they are there or not: for what cannot be had elsewhere.
    pub(crate) fn grow(&mut self, bytes: u64) {
        self.reserved.fetch_add(bytes, Ordering::Relaxed);
        self.bytes += bytes;
    }

    /// How many bytes it is.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Gives everything back.
    pub(crate) fn release(&mut self) {
        self.reserved.fetch_sub(std::mem::take(&mut self.bytes), Ordering::Relaxed);
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.release();
    }
}

/// The one long block that is worked on.
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
    /// For a run over so many sources. Refuses a limit below what these and one block per thread need.
    pub(crate) fn new(resources: &Resources, sources: usize) -> Result<Self> {
        let threads = resources.threads.max(1) as u64;
        let fixed = fixed(threads, sources as u64);
        let least = least_memory(0, resources.threads).max(fixed + LEAST_TOTAL);
        if resources.memory < least {
            let sources = if least > least_memory(0, resources.threads) {
                format!(" over {sources} sources")
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

    /// Only so many bytes for the stages: far less than any limit, so that small corpora spill too.
    #[cfg(test)]
    pub(crate) fn with_free(self, free: u64) -> Self {
        Self { total: free, ..self }
    }

    /// A reservation of nothing yet.
    pub(crate) fn reservation(&self) -> Reservation {
        Reservation { reserved: Arc::clone(&self.reserved), total: self.total, bytes: 0 }
    }

    /// What nobody has reserved.
    pub(crate) fn unreserved(&self) -> u64 {
        self.total.saturating_sub(self.reserved.load(Ordering::Relaxed))
    }

    /// Waits until no long block is worked on: what it became takes memory that is there once. To be called before
    /// a block is read.
    pub(crate) fn wait_for_long_block(&self) {
        let (taken, given_back) = &*self.long_block;
        let taken = taken.lock().unwrap_or_else(PoisonError::into_inner);
        drop(given_back.wait_while(taken, |taken| *taken));
    }

    /// What must be held while a block of `bytes` is worked on, if it is long. Waits for other long ones.
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

    /// A long block for a reader that is about to read it: waits for other long ones.
    pub(crate) fn announced(&self) -> Option<LongBlock> {
        self.long_block(u64::MAX)
    }

    /// For items that are sorted, at most: half of what is left, and no more than a quarter of all.
    pub(crate) fn sorting(&self) -> u64 {
        (self.unreserved() / 2).min(self.total / 4)
    }

    /// For what is collected while documents are compared, which takes most of the memory.
    pub(crate) fn collecting(&self) -> u64 {
        self.total / 16
    }

    /// For parts that stay in memory.
    pub(crate) fn parts(&self) -> u64 {
        self.total / 3
    }

    /// For one part.
    pub(crate) fn part(&self) -> u64 {
        (self.total / 32).clamp(1 << 20, 16 << 20)
    }

    /// The longest record: it, its text and its normalised text, beside the parts.
    pub(crate) fn record_bytes(&self) -> u64 {
        (self.total - self.parts()) / 3
    }

    /// A record that is longer is an error that says how much memory it takes.
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

    /// A text is longer than its record and what it is made of may be.
    pub(crate) fn too_long(&self, text: &str) -> Error {
        let bytes = text.len() as u64;
        Error::Memory {
            what: format!("a text of {}", corpus::readable_size(bytes)),
            needed: (bytes + 1).saturating_mul(9).div_ceil(2).saturating_add(self.fixed),
            limit: self.limit,
        }
    }

    /// The limit itself.
    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    /// The longest text that can be shingled: its shingles and their buffers take `factor` times its length.
    pub(crate) fn longest_text(&self, factor: u64) -> u64 {
        self.total / 2 / factor
    }

    /// The memory limit with which a text of `bytes` can be shingled.
    pub(crate) fn for_text(&self, bytes: u64, factor: u64) -> u64 {
        bytes * factor * 2 + self.fixed
    }

    /// For one of the threads that look for equal keys.
    pub(crate) fn grouping(&self) -> u64 {
        self.for_keys() / self.threads
    }

    /// How many columns of keys of `documents` documents fit in memory at a time.
    pub(crate) fn key_columns(&self, documents: u64) -> usize {
        (self.for_keys() / (8 * documents.max(1))).saturating_sub(1) as usize
    }

    /// Reserves the columns of keys, and what the threads take that look for equal ones.
    pub(crate) fn for_grouping(&self) -> Reservation {
        let mut reservation = self.reservation();
        reservation.grow(2 * self.for_keys());
        reservation
    }

    fn for_keys(&self) -> u64 {
        (self.total / 4).min(self.unreserved() / 3)
    }

    /// For the documents that are compared with one another at a time, when `used` bytes are taken for other things.
    pub(crate) fn chunk(&self, used: u64) -> u64 {
        self.chunk_beside(used.max(self.reserved.load(Ordering::Relaxed)))
    }

    /// The same when `held` bytes are taken for other things, whatever is reserved now.
    pub(crate) fn chunk_beside(&self, held: u64) -> u64 {
        self.total.saturating_sub(held).max(self.total / 8) * 3 / 4
    }

    /// Reserves what `documents` documents in `blocks` blocks take until the end; an error if they cannot be held.
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

/// The least that stages can work with.
const LEAST_TOTAL: u64 = 16 << 20;

fn fixed(threads: u64, sources: u64) -> u64 {
    BASE.saturating_add(PER_THREAD.saturating_mul(threads)).saturating_add(PER_SOURCE.saturating_mul(sources))
}

/// The smallest memory limit for a corpus of `documents` documents on `threads` threads.
#[must_use]
pub fn least_memory(documents: u64, threads: usize) -> u64 {
    let for_threads = fixed(threads.max(1) as u64, 0);
    let for_documents = for_threads.saturating_add(documents.saturating_mul(3 * per_document(documents)));
    LEAST_MEMORY.max(for_threads.saturating_add(LEAST_TOTAL)).max(for_documents)
}

/// Bytes per document: more of them where numbers are longer than 32 bits.
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
