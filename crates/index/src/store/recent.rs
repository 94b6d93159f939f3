//! Which keys may be in memory, and which can be in tables only.
//!
//! What was written lately is in memtables, which fjall searches before its tables. That takes 1 to 2 us, also for a key
//! that was never seen, and a question has one for each band. So the keys that are written are noted here, in filters that
//! never deny a key: a key that is in none of them is looked for in tables only.
//!
//! ```text
//! memtables:    1 (in a table)   2 (being written to a table)   3 (the active one)
//! generations:  -                a filter, up to 2              a filter, up to 3
//! ```
//!
//! A generation of keys is forgotten when all memtables that may have its keys are in tables. So there are as many
//! generations as memtables, or a few more.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

/// The generations of keys that may be in memory.
pub(super) type Generations = Arc<[Arc<Generation>]>;

/// The keys of a keyspace that may be in memory.
#[derive(Debug)]
pub(super) struct Recent {
    generations: RwLock<Generations>,
    /// Held while something is written, so that it is known which memtable it went to.
    writing: Mutex<()>,
    /// The words of a new filter.
    words: usize,
}

/// What a keyspace has in memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct InMemory {
    /// The number of the memtable that is written to. The next one has a larger number.
    pub(super) active: u64,
    /// How many others are not yet in tables. It must be read after `active`.
    pub(super) sealed: usize,
}

/// Keys that were written one after the other.
#[derive(Debug)]
pub(super) struct Generation {
    /// A filter of the keys; without one it may be any key.
    filter: Option<Filter>,
    /// No memtable with a larger number has any of the keys.
    last: AtomicU64,
}

/// A write that goes on.
#[derive(Debug)]
pub(super) struct Writing<'r> {
    generation: Arc<Generation>,
    _only: MutexGuard<'r, ()>,
}

impl Recent {
    /// For a keyspace whose memtables have so many bytes. If there is something in memory already, it may be anything.
    pub(super) fn new(memtable: u64, memory: InMemory, is_empty: bool) -> Self {
        let all: Option<Arc<Generation>> =
            (!is_empty).then(|| Arc::new(Generation { filter: None, last: AtomicU64::new(memory.active) }));
        Self {
            generations: RwLock::new(all.into_iter().collect()),
            writing: Mutex::new(()),
            words: Filter::words_for(memtable),
        }
    }

    /// Notes keys, given by their hashes, that are going to be written.
    pub(super) fn note(
        &self,
        hashes: impl Iterator<Item = u64>,
        memory: impl Fn() -> InMemory,
    ) -> Writing<'_> {
        let only = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let memory = memory();
        self.forget(memory);
        let current = self.generations().last().filter(|last| last.last() >= memory.active).cloned();
        let generation = current.filter(|current| current.filter.is_some()).unwrap_or_else(|| self.begin());
        // Until the write is done, nobody knows which memtable it goes to.
        generation.last.store(u64::MAX, Ordering::SeqCst);
        if let Some(filter) = &generation.filter {
            hashes.for_each(|hash| filter.insert(hash));
        }
        Writing { generation, _only: only }
    }

    fn begin(&self) -> Arc<Generation> {
        let filter = Some(Filter::new(self.words));
        let generation = Arc::new(Generation { filter, last: AtomicU64::new(u64::MAX) });
        let mut generations = self.generations.write().unwrap_or_else(PoisonError::into_inner);
        *generations = generations.iter().chain([&generation]).cloned().collect();
        generation
    }

    /// Waits until what is being written is written.
    pub(super) fn wait_for_writes(&self) {
        drop(self.writing.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Forgets what is in tables, while nothing is written: a write that has begun must not lose its filter.
    pub(super) fn forget_written(&self, memory: impl Fn() -> InMemory) {
        let _only = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        self.forget(memory());
    }

    /// Forgets what is in tables.
    fn forget(&self, memory: InMemory) {
        let is_in_tables = |generation: &Generation| memory.sealed == 0 && generation.last() < memory.active;
        if self.generations().iter().any(|generation| is_in_tables(generation)) {
            let mut generations = self.generations.write().unwrap_or_else(PoisonError::into_inner);
            *generations =
                generations.iter().filter(|generation| !is_in_tables(generation)).cloned().collect();
        }
    }

    /// The generations, which stay as they are while this is held.
    pub(super) fn generations(&self) -> RwLockReadGuard<'_, Generations> {
        self.generations.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Generation {
    fn last(&self) -> u64 {
        self.last.load(Ordering::SeqCst)
    }

    /// False if the key with this hash is not one of them.
    pub(super) fn may_have(&self, hash: u64) -> bool {
        self.filter.as_ref().is_none_or(|filter| filter.may_have(hash))
    }
}

impl Writing<'_> {
    /// The write is done; the memtable that is written to now, or one before it, has it.
    pub(super) fn done(self, active: u64) {
        self.generation.last.store(active, Ordering::SeqCst);
    }
}

/// A Bloom filter whose bits for a key lie in one line of the processor's cache.
#[derive(Debug)]
struct Filter {
    words: Box<[AtomicU64]>,
}

/// Words of a line of the cache.
const LINE: usize = 8;

/// Bits per key.
const BITS: usize = 4;

/// About what a key takes in a memtable, in bytes.
const KEY_BYTES: u64 = 80;

impl Filter {
    /// Two bytes for each key of a memtable: about 1 in 500 keys that were never written passes.
    fn words_for(memtable: u64) -> usize {
        let words = (memtable / KEY_BYTES / 4).clamp(64, 1 << 24) as usize;
        words.next_multiple_of(LINE)
    }

    fn new(words: usize) -> Self {
        Self { words: std::iter::repeat_with(AtomicU64::default).take(words).collect() }
    }

    /// The words and the bits of a key: the upper half of its hash says which line, the lower half which bits.
    fn places(&self, hash: u64) -> impl Iterator<Item = (&AtomicU64, u64)> {
        let lines = (self.words.len() / LINE) as u64;
        let line = (((hash >> 32) * lines) >> 32) as usize * LINE;
        // The lower half has 32 bits, and four places of 9 bits take 36.
        let places = u64::from(hash as u32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (0..BITS).map(move |bit| {
            let place = (places >> (64 - 9 * (bit + 1))) as usize % (64 * LINE);
            (&self.words[line + place / 64], 1 << (place % 64))
        })
    }

    fn insert(&self, hash: u64) {
        // What is written is published later, with a stronger order.
        self.places(hash).for_each(|(word, bit)| {
            word.fetch_or(bit, Ordering::Relaxed);
        });
    }

    fn may_have(&self, hash: u64) -> bool {
        self.places(hash).all(|(word, bit)| word.load(Ordering::Relaxed) & bit != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike::hashing::SplitMix64;

    const QUIET: InMemory = InMemory { active: 3, sealed: 0 };

    fn may_have(recent: &Recent, hash: u64) -> bool {
        recent.generations().iter().any(|generation| generation.may_have(hash))
    }

    #[test]
    fn every_key_passes_and_few_others() {
        let recent = Recent::new(16 << 20, QUIET, true);
        let mut random = SplitMix64::new(1);
        let keys: Vec<u64> = (0..200_000).map(|_| random.next_u64()).collect();
        recent.note(keys.iter().copied(), || QUIET).done(3);
        assert!(keys.iter().all(|&key| may_have(&recent, key)));
        let others = (0..100_000).filter(|_| may_have(&recent, random.next_u64())).count();
        assert!(others < 500, "{others} of 100,000");
    }

    #[test]
    fn keys_are_forgotten_when_they_are_in_tables() {
        let recent = Recent::new(1 << 20, QUIET, true);
        recent.note([7].into_iter(), || QUIET).done(3);
        // Memtable 3 is sealed, then in a table.
        recent.note([8].into_iter(), || InMemory { active: 4, sealed: 1 }).done(4);
        assert!(may_have(&recent, 7) && may_have(&recent, 8));
        recent.forget(InMemory { active: 4, sealed: 0 });
        assert!(!may_have(&recent, 7) && may_have(&recent, 8));
        recent.forget(InMemory { active: 5, sealed: 1 });
        assert!(may_have(&recent, 8));
        recent.forget(InMemory { active: 5, sealed: 0 });
        assert!(recent.generations().is_empty());
    }

    #[test]
    fn a_write_that_goes_on_is_not_forgotten() {
        let recent = Recent::new(1 << 20, QUIET, true);
        let writing = recent.note([7].into_iter(), || QUIET);
        recent.forget(InMemory { active: 9, sealed: 0 });
        assert!(may_have(&recent, 7));
        // It went to memtable 5, and only that is known.
        writing.done(5);
        recent.forget(InMemory { active: 5, sealed: 0 });
        assert!(may_have(&recent, 7));
        recent.forget(InMemory { active: 6, sealed: 0 });
        assert!(!may_have(&recent, 7));
    }

    #[test]
    fn what_was_there_before_may_be_anything() {
        let recent = Recent::new(1 << 20, QUIET, false);
        assert!(may_have(&recent, 1));
        recent.note([7].into_iter(), || QUIET).done(3);
        recent.forget(InMemory { active: 4, sealed: 0 });
        assert!(!may_have(&recent, 1));
    }
}
