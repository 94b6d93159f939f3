//! The memory limit -> how much of it each stage may use. Only speed depends on it.

use crate::{Error, LEAST_MEMORY, Resources, Result};

/// Bytes of memory that every document takes while candidates are sought: its place in the union-find forest, and
/// bits.
pub(crate) const PER_DOCUMENT: u64 = 5;

/// A block of a source, in bytes. Fixed: the blocks of a source must be the same in every run. (Tests want several of
/// everything from small corpora.)
pub(crate) const BLOCK_BYTES: usize = if cfg!(test) { 4 << 10 } else { 256 << 10 };

/// What a thread works with: a block, what it is unpacked to, and the buffers of a text.
const PER_THREAD: u64 = 12 << 20;

/// The program itself, and what is too small to count.
const BASE: u64 = 16 << 20;

/// How the memory limit is divided.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    limit: u64,
    threads: u64,
    /// What is left for the stages.
    free: u64,
}

impl Budget {
    /// Refuses a limit below what one block per thread needs.
    pub(crate) fn new(resources: &Resources) -> Result<Self> {
        let threads = resources.threads.max(1) as u64;
        let least = least_memory(0, resources.threads);
        if resources.memory < least {
            return Err(Error::Memory {
                what: format!("a run with {threads} threads"),
                needed: least,
                limit: resources.memory,
            });
        }
        Ok(Self { limit: resources.memory, threads, free: resources.memory - BASE - PER_THREAD * threads })
    }

    /// Only so many bytes for the stages: far less than any limit, so that small corpora spill too.
    #[cfg(test)]
    pub(crate) fn with_free(self, free: u64) -> Self {
        Self { free, ..self }
    }

    /// For parts that stay in memory.
    pub(crate) fn parts(&self) -> u64 {
        self.free / 3
    }

    /// For one part.
    pub(crate) fn part(&self) -> u64 {
        (self.free / 32).clamp(1 << 20, 16 << 20)
    }

    /// The longest record.
    pub(crate) fn record_bytes(&self) -> u64 {
        self.free / 4
    }

    /// A record that is longer is an error that says how much memory it takes.
    pub(crate) fn explain(&self, error: corpus::Error) -> Error {
        match error {
            corpus::Error::TooLarge { name, record, what, bytes, .. } => Error::Memory {
                what: format!("{name}, record {record}: a {what} of {}", corpus::readable_size(bytes)),
                needed: bytes.saturating_mul(4) + BASE + PER_THREAD * self.threads,
                limit: self.limit,
            },
            other => other.into(),
        }
    }

    /// The limit itself.
    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    /// The longest text that can be shingled: its shingles and their buffers take `factor` times its length.
    pub(crate) fn longest_text(&self, factor: u64) -> u64 {
        self.free / 2 / factor
    }

    /// The memory limit with which a text of `bytes` can be shingled.
    pub(crate) fn for_text(&self, bytes: u64, factor: u64) -> u64 {
        bytes * factor * 2 + BASE + PER_THREAD * self.threads
    }

    /// For one of the threads that look for equal keys.
    pub(crate) fn grouping(&self) -> u64 {
        self.free / 4 / self.threads
    }

    /// How many columns of keys of `documents` documents fit in memory at a time.
    pub(crate) fn key_columns(&self, documents: u64) -> usize {
        (self.free / 4 / (8 * documents.max(1))).saturating_sub(1) as usize
    }

    /// For the documents that are compared with one another at a time, when `used` bytes are taken for other things.
    pub(crate) fn chunk(&self, used: u64) -> u64 {
        self.free.saturating_sub(used).max(self.free / 8) * 3 / 4
    }

    /// An error if `documents` documents cannot be held.
    pub(crate) fn check_documents(&self, documents: u64) -> Result<()> {
        let needed = documents.saturating_mul(per_document(documents));
        if needed > self.free / 3 {
            return Err(Error::Memory {
                what: format!("a corpus of {documents} documents"),
                needed: needed * 3 + BASE + PER_THREAD * self.threads,
                limit: self.limit,
            });
        }
        Ok(())
    }
}

/// The smallest memory limit for a corpus of `documents` documents on `threads` threads.
#[must_use]
pub fn least_memory(documents: u64, threads: usize) -> u64 {
    let threads = threads.max(1) as u64;
    let for_threads = BASE + PER_THREAD * threads;
    let for_documents = for_threads + documents.saturating_mul(3 * per_document(documents));
    LEAST_MEMORY.max(for_threads + (16 << 20)).max(for_documents)
}

/// Bytes per document: more of them where numbers are longer than 32 bits.
pub(crate) fn per_document(documents: u64) -> u64 {
    if documents > u64::from(u32::MAX) { PER_DOCUMENT + 4 } else { PER_DOCUMENT }
}
