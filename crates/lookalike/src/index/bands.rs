//! Signatures -> buckets -> the documents that share a bucket.

use super::buckets::Buckets;
use super::pairs::CandidatePairs;
use super::store::SignatureStore;
use super::{DocumentId, Match, Pair};
use crate::banding::{Banding, plan};
use crate::error::Result;
use crate::minhash::Signature;

/// How full the buckets of an [`LshIndex`] are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BucketStats {
    /// The number of documents.
    pub documents: usize,
    /// The number of buckets that hold at least one document, all bands together.
    pub buckets: usize,
    /// The number of documents in the fullest bucket. The cost of
    /// [`candidate_pairs`](LshIndex::candidate_pairs) grows with its square.
    pub largest_bucket: usize,
    /// The sum over all buckets of the number of their pairs. This is the number of comparisons if each bucket is
    /// handled by itself. A pair that shares several buckets is counted in each, so this is at least the number of
    /// candidate pairs.
    pub bucket_pairs: u64,
}

/// An index by bands. Documents that agree in all rows of some band share a bucket, and only these are compared.
///
/// A document of similarity `s` to the query is found with probability `1 - (1 - s^r)^b`
/// ([`SCurve`](crate::banding::SCurve)). The [`Banding`] determines this, and
/// [`with_guarantee`](Self::with_guarantee) plans it. All signatures must have the family, seed and length of the
/// first one inserted; others give an error.
///
/// # How it is stored
///
/// All slots are in one table. A bucket is a doubly linked chain through two arrays (`next`, `previous`: 8 bytes per
/// document and band) and one entry in the band's map from the key to the head of the chain. No bucket has an
/// allocation of its own. Insertion and removal cost `O(b)` whatever the size of the buckets. A query costs `O(b)`
/// plus one comparison of signatures per candidate.
///
/// ```
/// use lookalike::banding::Banding;
/// use lookalike::index::LshIndex;
/// use lookalike::minhash::{Family, Signature};
///
/// let signature = |slots: [u64; 4]| Signature::from_slots(Family::MultiplyShift, 1, slots.to_vec());
/// let mut index = LshIndex::new(Banding::new(2, 2)?);
/// index.insert("a", &signature([1, 2, 3, 4])?)?;
/// index.insert("b", &signature([1, 2, 3, 9])?)?;
/// index.insert("c", &signature([5, 6, 7, 8])?)?;
/// let found = index.query(&signature([1, 2, 3, 4])?, 0.5)?;
/// assert_eq!((found[0].id, found[0].similarity), ("a", 1.0));
/// assert_eq!((found[1].id, found[1].similarity), ("b", 0.75));
/// index.remove(&"a");
/// assert_eq!(index.candidates(&signature([1, 2, 3, 4])?)?, ["b"]);
/// # Ok::<(), lookalike::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct LshIndex<Id = u64> {
    banding: Banding,
    pub(super) store: SignatureStore<Id>,
    buckets: Buckets,
    /// A buffer for the keys of one signature. It saves allocations.
    keys: Vec<u64>,
}

impl<Id: DocumentId> LshIndex<Id> {
    /// An empty index with these bands.
    #[must_use]
    pub fn new(banding: Banding) -> Self {
        Self {
            banding,
            store: SignatureStore::new(),
            buckets: Buckets::new(banding.bands()),
            keys: Vec::with_capacity(banding.bands()),
        }
    }

    /// An empty index for signatures of `num_hashes` hashes. A pair of similarity `threshold` or more is
    /// found with probability at least `1 - delta` (planned by [`plan::by_recall`]).
    ///
    /// The guarantee is that such a pair shares a bucket. So it applies to [`candidates`](Self::candidates) and
    /// [`candidate_pairs`](Self::candidate_pairs). [`query`](Self::query) also filters by an estimate, which is
    /// above or below the true similarity equally often.
    pub fn with_guarantee(num_hashes: usize, threshold: f64, delta: f64) -> Result<Self> {
        plan::check_plannable("delta", delta)?;
        Ok(Self::new(plan::banding_for_delta(num_hashes, threshold, delta, |similarity| similarity)?))
    }

    /// The bands and rows.
    #[must_use]
    pub fn banding(&self) -> Banding {
        self.banding
    }

    /// The number of documents.
    #[must_use]
    pub fn len(&self) -> usize {
        self.store.len()
    }

    /// True if the index is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True if the index has a document with this id.
    #[must_use]
    pub fn contains(&self, id: &Id) -> bool {
        self.store.position(id).is_some()
    }

    /// The signature of the document with this id.
    #[must_use]
    pub fn get(&self, id: &Id) -> Option<Signature> {
        self.store.signature(self.store.position(id)?)
    }

    /// Adds a document. If the id is in the index already, or the signature cannot be compared with the others, this
    /// gives an error and changes nothing.
    pub fn insert(&mut self, id: Id, signature: &Signature) -> Result<()> {
        self.banding.band_keys_into(signature.slots(), &mut self.keys)?;
        let position = self.store.insert(id, signature)?;
        self.buckets.insert(position, &self.keys);
        Ok(())
    }

    /// Removes a document. Returns true if it was in the index.
    pub fn remove(&mut self, id: &Id) -> bool {
        let Some(position) = self.store.remove(id) else { return false };
        let keyed = self.banding.band_keys_into(self.store.slots(position), &mut self.keys);
        debug_assert!(keyed.is_ok(), "it was checked when the document came in");
        self.buckets.remove(position, &self.keys);
        true
    }

    /// The documents that share a bucket with the query, by ascending id.
    pub fn candidates(&self, query: &Signature) -> Result<Vec<Id>> {
        let positions = self.candidate_positions(query)?;
        let mut ids: Vec<Id> = positions.iter().filter_map(|&p| self.store.id(p).cloned()).collect();
        ids.sort_unstable();
        Ok(ids)
    }

    /// The candidates whose estimated similarity is at least `threshold`, most similar first. Equally similar ones
    /// are sorted by id.
    pub fn query(&self, query: &Signature, threshold: f64) -> Result<Vec<Match<Id>>> {
        crate::banding::check_threshold(threshold)?;
        let mut matches = self.store.matches(&self.candidate_positions(query)?, query.slots());
        matches.retain(|found| found.similarity >= threshold);
        Ok(matches)
    }

    /// The `k` candidates with the highest estimated similarity, most similar first. Equally similar ones are sorted
    /// by id.
    ///
    /// Only documents that share a bucket with the query are found, so there may be fewer than `k`.
    /// [`LshForest`](super::LshForest) continues the search until there are enough.
    pub fn top_k(&self, query: &Signature, k: usize) -> Result<Vec<Match<Id>>> {
        let mut matches = self.store.matches(&self.candidate_positions(query)?, query.slots());
        matches.truncate(k);
        Ok(matches)
    }

    /// All pairs of documents that share a bucket, sorted. Each pair is there once, with the smaller id first.
    ///
    /// A bucket of `m` documents has `m (m - 1) / 2` pairs, and all of them are in the vector. Look at
    /// [`stats`](Self::stats) first. To keep only some pairs, use
    /// [`iter_candidate_pairs`](Self::iter_candidate_pairs). To work on whole buckets in linear time, use
    /// [`for_each_bucket`](Self::for_each_bucket).
    #[must_use]
    pub fn candidate_pairs(&self) -> Vec<(Id, Id)> {
        self.iter_candidate_pairs().map(|(a, b)| (a.clone(), b.clone())).collect()
    }

    /// The same pairs one by one. Only the candidates of one document at a time are in memory.
    ///
    /// The call sorts the ids. After that, the cost of each document is the size of its buckets.
    #[must_use]
    pub fn iter_candidate_pairs(&self) -> CandidatePairs<'_, Id> {
        CandidatePairs::new(self)
    }

    /// The candidate pairs whose estimated similarity is at least `threshold`, sorted by ids. The smaller id comes
    /// first in each pair.
    pub fn similar_pairs(&self, threshold: f64) -> Result<Vec<Pair<Id>>> {
        crate::banding::check_threshold(threshold)?;
        Ok(self.iter_candidate_pairs().similar(threshold).collect())
    }

    /// Calls `visit` for every bucket of at least two documents, with the number of its band and its documents by
    /// ascending id. Within a band, buckets are in the order of their smallest ids.
    ///
    /// Use this if a bucket has very many documents. All calls together cost `O(n b)` and a sort, while the number of
    /// pairs would be quadratic. For example, compare the documents with a few representatives only.
    pub fn for_each_bucket(&self, mut visit: impl FnMut(usize, &[&Id])) {
        let order = self.store.by_id();
        let mut rank = vec![0_usize; self.store.capacity()];
        for (place, &position) in order.iter().enumerate() {
            rank[position as usize] = place;
        }
        let mut ranks = Vec::new();
        for band in 0..self.banding.bands() {
            let mut visited = vec![false; order.len()];
            for (place, &position) in order.iter().enumerate() {
                if visited[place] {
                    continue;
                }
                ranks.clear();
                ranks.push(place);
                ranks.extend(self.neighbours(position, band).map(|p| rank[p as usize]));
                if ranks.len() < 2 {
                    continue;
                }
                ranks.sort_unstable();
                for &place in &ranks {
                    visited[place] = true;
                }
                let ids: Vec<&Id> = ranks.iter().filter_map(|&place| self.store.id(order[place])).collect();
                visit(band, &ids);
            }
        }
    }

    /// How full the buckets are. The cost is `O(n b)`.
    #[must_use]
    pub fn stats(&self) -> BucketStats {
        let mut stats = BucketStats { documents: self.len(), buckets: 0, largest_bucket: 0, bucket_pairs: 0 };
        for position in self.store.by_id() {
            for band in 0..self.banding.bands() {
                if self.buckets.is_head(position, band) {
                    let size = self.buckets.size_from(position, band);
                    stats.buckets += 1;
                    stats.largest_bucket = stats.largest_bucket.max(size);
                    stats.bucket_pairs += size as u64 * (size as u64 - 1) / 2;
                }
            }
        }
        stats
    }

    /// The other documents in the bucket of `position` in `band`.
    pub(super) fn neighbours(&self, position: u32, band: usize) -> impl Iterator<Item = u32> + '_ {
        self.buckets.neighbours(position, band)
    }

    /// The positions of the documents that share a bucket with the query, each once.
    fn candidate_positions(&self, query: &Signature) -> Result<Vec<u32>> {
        self.store.check(query)?;
        Ok(self.buckets.candidates(&self.banding.band_keys(query)?))
    }
}
