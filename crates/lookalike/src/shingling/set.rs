//! Shingle hashes -> the set or the bag that represents a document.

use super::distribution::{SortBuffer, sort_distinct};
use std::ops::Deref;

/// The set of a document's shingles: 64-bit hashes, ascending, without repeats.
///
/// It can be used wherever a slice of hashes is expected, so `hasher.sketch(&set)` works.
///
/// ```
/// use lookalike::minhash::{FastSketch, MinHasher};
/// use lookalike::shingling::ShingleSet;
///
/// let set: ShingleSet = [30, 10, 20, 10].into_iter().collect();
/// assert_eq!(set.as_slice(), [10, 20, 30]);
/// let hasher = FastSketch::new(64, 1)?;
/// assert_eq!(hasher.sketch(&set), hasher.sketch(&[30, 10, 20, 10]));
/// # Ok::<(), lookalike::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct ShingleSet {
    hashes: Vec<u64>,
}

impl ShingleSet {
    /// The set of these hashes. They may be in any order and may repeat.
    #[must_use]
    pub fn from_hashes(mut hashes: Vec<u64>) -> Self {
        Self::sort_hashes(&mut hashes, &mut SortBuffer::default());
        Self { hashes }
    }

    /// Sorts `hashes` and removes repeats. The working memory in `buffer` can be reused.
    ///
    /// ```
    /// use lookalike::shingling::{ShingleSet, SortBuffer};
    ///
    /// let (mut hashes, mut buffer) = (vec![30, 10, 20, 10], SortBuffer::default());
    /// ShingleSet::sort_hashes(&mut hashes, &mut buffer);
    /// assert_eq!(hashes, [10, 20, 30]);
    /// ```
    pub fn sort_hashes(hashes: &mut Vec<u64>, buffer: &mut SortBuffer) {
        sort_distinct(hashes, buffer);
    }

    /// The hashes, ascending.
    #[must_use]
    pub fn as_slice(&self) -> &[u64] {
        &self.hashes
    }

    /// The number of different shingles.
    #[must_use]
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// True if the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// True if the shingle is in the set. This is a binary search.
    #[must_use]
    pub fn contains(&self, shingle: u64) -> bool {
        self.hashes.binary_search(&shingle).is_ok()
    }
}

impl Deref for ShingleSet {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        &self.hashes
    }
}

impl AsRef<[u64]> for ShingleSet {
    fn as_ref(&self) -> &[u64] {
        &self.hashes
    }
}

impl FromIterator<u64> for ShingleSet {
    fn from_iter<I: IntoIterator<Item = u64>>(hashes: I) -> Self {
        Self::from_hashes(hashes.into_iter().collect())
    }
}

/// The bag (multiset) of a document's shingles: each shingle with the number of times it occurs, ascending by hash.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct ShingleBag {
    counts: Vec<(u64, u32)>,
}

impl ShingleBag {
    /// The bag of these hashes. They may be in any order. Repeats are counted, up to `u32::MAX`.
    #[must_use]
    pub fn from_hashes(mut hashes: Vec<u64>) -> Self {
        hashes.sort_unstable();
        let mut counts: Vec<(u64, u32)> = Vec::new();
        for hash in hashes {
            match counts.last_mut() {
                Some((last, count)) if *last == hash => *count = count.saturating_add(1),
                _ => counts.push((hash, 1)),
            }
        }
        Self { counts }
    }

    /// The shingles with their counts, ascending by hash.
    #[must_use]
    pub fn as_slice(&self) -> &[(u64, u32)] {
        &self.counts
    }

    /// The number of different shingles.
    #[must_use]
    pub fn distinct(&self) -> usize {
        self.counts.len()
    }

    /// The number of shingles, repeats included.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.iter().map(|&(_, count)| u64::from(count)).sum()
    }

    /// True if the bag is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// The set of the shingles, without their counts.
    #[must_use]
    pub fn to_set(&self) -> ShingleSet {
        ShingleSet { hashes: self.counts.iter().map(|&(hash, _)| hash).collect() }
    }
}

impl FromIterator<u64> for ShingleBag {
    fn from_iter<I: IntoIterator<Item = u64>>(hashes: I) -> Self {
        Self::from_hashes(hashes.into_iter().collect())
    }
}
