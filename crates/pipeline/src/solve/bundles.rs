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
use crate::limits::marks::Marks;
use crate::{Observer, Result};
use lookalike::hashing::mix64;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// There are marks for at least this many shingles.
const FEWEST_MARKED: u64 = 1 << 18;

/// Bytes that a counted shingle takes at most: 25 in a table that is half full, in two of them while it grows, and 16 while bundles
/// are ranked.
const SHINGLE_BYTES: u64 = 96;

/// Shingles of documents, which are gone through twice: first to tell which shingles occur more than once, then to tell in which
/// documents these are.
#[derive(Debug)]
pub(crate) struct Tally {
    /// Which shingles of the first round were met again.
    marks: Marks,
    shingles: HashMap<u64, Counted, BuildHasherDefault<ShingleHasher>>,
    documents: u64,
}

/// In how many documents a shingle is, and what tells these documents from others.
type Counted = (u32, u64);

impl Tally {
    /// Bytes that it takes before anything is counted.
    pub(crate) const LEAST_BYTES: u64 = Marks::bytes_for(FEWEST_MARKED);

    /// Nothing is met. With marks for so many `shingles`, few are counted that only one document has.
    pub(crate) fn new(shingles: u64) -> Self {
        let marks = Marks::new(shingles.max(FEWEST_MARKED));
        Self { marks, shingles: HashMap::default(), documents: 0 }
    }

    /// Takes a set of the first round.
    pub(crate) fn meet(&mut self, set: &[u64]) {
        set.iter().for_each(|&shingle| self.marks.meet(shingle));
    }

    /// Takes a set of the second round.
    pub(crate) fn count(&mut self, set: &[u64]) {
        self.documents += 1;
        let document = mix64(self.documents);
        for &shingle in set.iter().filter(|&&shingle| self.marks.is_met_again(shingle)) {
            let (documents, sum) = self.shingles.entry(shingle).or_default();
            *documents += 1;
            *sum = sum.wrapping_add(document);
        }
    }

    /// Bytes that the counted shingles take, about.
    pub(crate) fn bytes(&self) -> u64 {
        self.shingles.len() as u64 * SHINGLE_BYTES
    }

    /// The bundles of all documents.
    pub(crate) fn finish(self) -> BundleNames {
        let mut shingles = self.shingles;
        shingles.retain(|_, (documents, _)| *documents > 1);
        // Rank by the number of documents, then by what tells bundles apart.
        let mut found: Vec<Counted> = shingles.values().copied().collect();
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
        BundleNames { shingles, sizes, documents }
    }
}

/// Which bundle a shingle is in. Bundles have a rank, from the one in the fewest documents to the one in the most.
#[derive(Debug)]
pub(crate) struct BundleNames {
    /// Shingles that more than one document has, with the rank of their bundle in the second place.
    shingles: HashMap<u64, Counted, BuildHasherDefault<ShingleHasher>>,
    /// Of each bundle, how many shingles it has, and how many documents have it.
    sizes: Vec<u32>,
    documents: Vec<u32>,
}

impl BundleNames {
    /// The ranks of the bundles of a set, ascending, in place of what is in `ranks`.
    pub(crate) fn of(&self, set: &[u64], ranks: &mut Vec<u32>) {
        ranks.clear();
        ranks.extend(set.iter().filter_map(|shingle| Some(self.shingles.get(shingle)?.1 as u32)));
        ranks.sort_unstable();
        ranks.dedup();
    }

    /// Bytes that the names take, about.
    fn bytes(&self) -> u64 {
        self.shingles.len() as u64 * SHINGLE_BYTES
    }

    /// The same bundles, whose shingles are not needed any more.
    pub(crate) fn into_kinds(self) -> BundleKinds {
        BundleKinds { sizes: self.sizes, documents: self.documents }
    }
}

/// What is known of bundles, by rank.
#[derive(Debug)]
pub(crate) struct BundleKinds {
    sizes: Vec<u32>,
    documents: Vec<u32>,
}

impl BundleKinds {
    /// How many shingles a bundle has.
    #[inline]
    pub(crate) fn size(&self, rank: u32) -> usize {
        self.sizes[rank as usize] as usize
    }

    /// How many documents have a bundle.
    #[inline]
    pub(crate) fn documents(&self, rank: u32) -> u32 {
        self.documents[rank as usize]
    }

    /// Bytes that it takes.
    pub(crate) fn bytes(&self) -> u64 {
        8 * self.sizes.len() as u64
    }

    /// How many shingles two documents share, by the ranks of their bundles.
    pub(crate) fn overlap(&self, a: &[u32], b: &[u32]) -> usize {
        let (mut i, mut j, mut common) = (0, 0, 0);
        while i < a.len() && j < b.len() {
            if a[i] == b[j] {
                common += self.size(a[i]);
            }
            let (x, y) = (a[i], b[j]);
            i += usize::from(x <= y);
            j += usize::from(y <= x);
        }
        common
    }
}

/// The bundles of a chunk.
#[derive(Debug)]
pub(super) struct Bundles {
    /// The ranks of each document's bundles, ascending; and where they begin, one more at the end.
    ranks: Vec<u32>,
    starts: Vec<usize>,
    pub(super) kinds: BundleKinds,
}

impl Bundles {
    /// The bundles of a chunk with sets; nothing if `memory` bytes are not enough.
    pub(super) fn new(chunk: &Chunk, memory: u64, observer: &dyn Observer) -> Result<Option<Self>> {
        // The marks take a quarter of the memory at most.
        let elements: u64 = (0..chunk.len()).map(|at| chunk.set(at).len() as u64).sum();
        let mut tally = Tally::new(elements.min(memory / 16));
        for at in 0..chunk.len() {
            observer.go_on()?;
            tally.meet(chunk.set(at).as_slice());
        }
        for at in 0..chunk.len() {
            observer.go_on()?;
            tally.count(chunk.set(at).as_slice());
            if tally.bytes() > memory {
                return Ok(None);
            }
        }
        let names = tally.finish();
        let (mut ranks, mut starts) = (Vec::new(), vec![0]);
        let mut here: Vec<u32> = Vec::new();
        for at in 0..chunk.len() {
            observer.go_on()?;
            names.of(chunk.set(at).as_slice(), &mut here);
            ranks.extend_from_slice(&here);
            starts.push(ranks.len());
            // A list that grows is there twice for a moment.
            if names.bytes() + 12 * ranks.len() as u64 > memory {
                return Ok(None);
            }
        }
        Ok(Some(Self { ranks, starts, kinds: names.into_kinds() }))
    }

    /// How many bundles all documents have.
    pub(super) fn len(&self) -> u64 {
        self.ranks.len() as u64
    }

    /// The bundles of a document by rank, those in the fewest documents first.
    #[inline]
    pub(super) fn of(&self, at: usize) -> &[u32] {
        &self.ranks[self.starts[at]..self.starts[at + 1]]
    }
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
