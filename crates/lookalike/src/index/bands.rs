//! Signatures -> buckets -> the documents that share one.

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
    /// The number of documents in the fullest bucket. A hot bucket costs its square in
    /// [`candidate_pairs`](LshIndex::candidate_pairs).
    pub largest_bucket: usize,
    /// The sum over all buckets of their pairs: the comparisons if each bucket is taken by itself. A pair that
    /// shares several buckets is counted in each, so this is at least the number of candidate pairs.
    pub bucket_pairs: u64,
}

/// An index by bands: documents that agree in all rows of some band share a bucket, and only they are compared.
///
/// A document of similarity `s` to the query is found with probability `1 - (1 - s^r)^b`
/// ([`SCurve`](crate::banding::SCurve)); the [`Banding`] decides, and [`with_guarantee`](Self::with_guarantee)
/// plans it. Kind, seed and length of the signatures are those of the first one inserted; others are a typed error.
///
/// # How it is kept
///
/// Slots lie in one table. A bucket is a doubly linked chain through two arrays (`next`, `previous`: 8 bytes per
/// document and band) and one entry in the band's map from key to the chain's head; no bucket has an allocation
/// of its own. Insertion and removal cost `O(b)` whatever the size of the buckets; a query costs `O(b)` plus one
/// comparison of signatures per candidate.
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
    /// The keys of one signature: kept to save allocations.
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

    /// An empty index for signatures of `num_hashes` hashes, in which a pair of similarity `threshold` or more is
    /// found with probability at least `1 - delta` (planned by [`plan::by_recall`]).
    ///
    /// The promise is about sharing a bucket, so about [`candidates`](Self::candidates) and
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

    /// How many documents there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.store.len()
    }

    /// True if there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True if `id` is there.
    #[must_use]
    pub fn contains(&self, id: &Id) -> bool {
        self.store.position(id).is_some()
    }

    /// The signature of `id`.
    #[must_use]
    pub fn get(&self, id: &Id) -> Option<Signature> {
        self.store.signature(self.store.position(id)?)
    }

    /// Adds a document. An error, and no change, if `id` is already there or the signature does not fit.
    pub fn insert(&mut self, id: Id, signature: &Signature) -> Result<()> {
        self.banding.band_keys_into(signature.slots(), &mut self.keys)?;
        let position = self.store.insert(id, signature)?;
        self.buckets.insert(position, &self.keys);
        Ok(())
    }

    /// Takes a document out. Says whether it was there.
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

    /// The candidates whose estimated similarity is at least `threshold`, most similar first, equals by id.
    pub fn query(&self, query: &Signature, threshold: f64) -> Result<Vec<Match<Id>>> {
        crate::banding::check_threshold(threshold)?;
        let mut matches = self.store.matches(&self.candidate_positions(query)?, query.slots());
        matches.retain(|found| found.similarity >= threshold);
        Ok(matches)
    }

    /// The `k` candidates with the highest estimated similarity, most similar first, equals by id.
    ///
    /// Only documents that share a bucket with the query are seen, so there may be fewer than `k`;
    /// [`LshForest`](super::LshForest) searches on.
    pub fn top_k(&self, query: &Signature, k: usize) -> Result<Vec<Match<Id>>> {
        let mut matches = self.store.matches(&self.candidate_positions(query)?, query.slots());
        matches.truncate(k);
        Ok(matches)
    }

    /// All pairs of documents that share a bucket: each once, the smaller id first, sorted.
    ///
    /// The pairs of a bucket of `m` documents are `m (m - 1) / 2`, and all are in the vector. Look at
    /// [`stats`](Self::stats) first, go through [`iter_candidate_pairs`](Self::iter_candidate_pairs) to keep only
    /// some, or take whole buckets with [`for_each_bucket`](Self::for_each_bucket), which costs linear time.
    #[must_use]
    pub fn candidate_pairs(&self) -> Vec<(Id, Id)> {
        self.iter_candidate_pairs().map(|(a, b)| (a.clone(), b.clone())).collect()
    }

    /// The same pairs one by one, with memory for the candidates of one document at a time.
    ///
    /// Setting up costs a sort of the ids; then each document costs the sizes of its buckets.
    #[must_use]
    pub fn iter_candidate_pairs(&self) -> CandidatePairs<'_, Id> {
        CandidatePairs::new(self)
    }

    /// The candidate pairs whose estimated similarity is at least `threshold`, the smaller id first, sorted by ids.
    pub fn similar_pairs(&self, threshold: f64) -> Result<Vec<Pair<Id>>> {
        crate::banding::check_threshold(threshold)?;
        Ok(self.iter_candidate_pairs().similar(threshold).collect())
    }

    /// Visits every bucket of at least two documents: the number of its band, and its documents by ascending id.
    /// Within a band the buckets come in the order of their smallest ids.
    ///
    /// This is the linear way through a hot bucket: all visits together cost `O(n b)` and a sort, while its
    /// pairs would be quadratic. Compare its documents with a few representatives, for instance.
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

    /// How full the buckets are. Costs `O(n b)`.
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
