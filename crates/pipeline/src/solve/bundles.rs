//! Sets of shingles -> lists of *bundles*: shingles that occur in the same documents of a chunk.
//!
//! Pages of a template are made of a few pieces of text: the frame, and one of several values in each slot. The shingles
//! of a piece always come together. Taken as one, they make a page a list of a dozen bundles instead of hundreds of
//! shingles, and the overlap of two pages is the sum of the sizes of the bundles that they share. Nothing is lost by that:
//! whoever has one shingle of a bundle has all of them. Shingles that only one document has are in no bundle, since they
//! are in no overlap.
//!
//! A bundle is recognised by the sum of random numbers, one for each document that has a shingle: equal for the same
//! documents, and otherwise different but for chance (2^-64).
//!
//! **Cost.** Two lookups per shingle in a table of the shingles that occur more than once.

use super::chunk::Chunk;
use crate::{Observer, Result};
use lookalike::hashing::mix64;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Slots of the table in which shingles are counted before those that occur more than once are looked at one by one.
const COUNTED: usize = 1 << 21;

/// Bytes that a shingle which occurs more than once takes while bundles are made.
const SHINGLE_BYTES: u64 = 48;

/// The bundles of a chunk. They have a rank, from the one in the fewest documents to the one in the most.
#[derive(Debug)]
pub(super) struct Bundles {
    /// The ranks of each document's bundles, ascending; and where they begin, one more at the end.
    ranks: Vec<u32>,
    starts: Vec<usize>,
    /// Of each bundle, how many shingles it has, and how many documents have it.
    sizes: Vec<u32>,
    documents: Vec<u32>,
}

impl Bundles {
    /// The bundles of a chunk with sets; nothing if `memory` bytes are not enough.
    pub(super) fn new(chunk: &Chunk, memory: u64, observer: &dyn Observer) -> Result<Option<Self>> {
        let Some(mut shingles) = repeated(chunk, memory, observer)? else { return Ok(None) };
        // Rank by the number of documents, then by what tells bundles apart.
        let mut found: Vec<(u32, u64)> = shingles.values().copied().collect();
        found.sort_unstable();
        let mut sizes: Vec<u32> = Vec::new();
        let mut documents: Vec<u32> = Vec::new();
        for same in found.chunk_by(|a, b| a == b) {
            sizes.push(same.len() as u32);
            documents.push(same[0].0);
        }
        found.dedup();
        // The second number of a shingle is the rank of its bundle from here on.
        #[expect(clippy::iter_over_hash_type, reason = "every value is worked out by itself")]
        for bundle in shingles.values_mut() {
            bundle.1 = found.partition_point(|other| *other < *bundle) as u64;
        }
        drop(found);
        let mut made = Self { ranks: Vec::new(), starts: vec![0], sizes, documents };
        let mut here: Vec<u32> = Vec::new();
        for at in 0..chunk.len() {
            observer.go_on()?;
            here.clear();
            let set = chunk.set(at).as_slice();
            here.extend(set.iter().filter_map(|shingle| Some(shingles.get(shingle)?.1 as u32)));
            here.sort_unstable();
            here.dedup();
            made.ranks.extend_from_slice(&here);
            made.starts.push(made.ranks.len());
        }
        Ok(Some(made))
    }

    /// The bundles of a document by rank, those in the fewest documents first.
    #[inline]
    pub(super) fn of(&self, at: usize) -> &[u32] {
        &self.ranks[self.starts[at]..self.starts[at + 1]]
    }

    /// How many shingles a bundle has.
    #[inline]
    pub(super) fn size(&self, rank: u32) -> usize {
        self.sizes[rank as usize] as usize
    }

    /// How many documents have a bundle.
    #[inline]
    pub(super) fn documents(&self, rank: u32) -> u32 {
        self.documents[rank as usize]
    }
}

/// Shingles, each with the number of documents that have it and what tells these documents from others.
type Shingles = HashMap<u64, (u32, u64), BuildHasherDefault<ShingleHasher>>;

/// The shingles that more than one document has; nothing if they do not fit in `memory` bytes.
fn repeated(chunk: &Chunk, memory: u64, observer: &dyn Observer) -> Result<Option<Shingles>> {
    let slot = |shingle: u64| {
        (shingle.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - COUNTED.trailing_zeros())) as usize
    };
    // Two bits per slot: met, met again. Most shingles are met once.
    let mut met = vec![0u64; COUNTED / 32];
    for at in 0..chunk.len() {
        observer.go_on()?;
        for &shingle in chunk.set(at).as_slice() {
            let (word, bit) = (&mut met[slot(shingle) / 32], slot(shingle) % 32 * 2);
            let again = *word >> bit & 1;
            *word |= (1 | again << 1) << bit;
        }
    }
    let mut shingles = Shingles::default();
    for at in 0..chunk.len() {
        observer.go_on()?;
        let document = mix64(at as u64 + 1);
        for &shingle in chunk.set(at).as_slice() {
            if met[slot(shingle) / 32] >> (slot(shingle) % 32 * 2 + 1) & 1 == 0 {
                continue;
            }
            let (documents, sum) = shingles.entry(shingle).or_default();
            *documents += 1;
            *sum = sum.wrapping_add(document);
        }
        if shingles.len() as u64 * SHINGLE_BYTES > memory {
            return Ok(None);
        }
    }
    shingles.retain(|_, (documents, _)| *documents > 1);
    Ok(Some(shingles))
}

/// Shingles are hashes already.
#[derive(Debug, Default)]
struct ShingleHasher(u64);

impl Hasher for ShingleHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0.rotate_left(8) ^ u64::from(byte));
    }

    fn write_u64(&mut self, shingle: u64) {
        self.0 = shingle;
    }
}
