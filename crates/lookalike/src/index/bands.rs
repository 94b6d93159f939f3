//! Signatures -> buckets -> the documents that share a bucket.

use super::buckets::Buckets;
use super::documents::{Documents, lanes_of};
use super::pairs::CandidatePairs;
use super::{DocumentId, Match, Pair};
use crate::banding::{Banding, plan};
use crate::error::Result;
use crate::minhash::{BBitSignature, Kind, Signature};

/// The least number of removed documents that are swept out, and (below) the share of the others that they must be: one
/// in so many.
const SWEEP_AT: usize = 64;
const SWEEP_SHARE: usize = 4;

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
/// Of each slot its [lane](crate::minhash::lanes) is kept, 16 bits, in one table. Bands are bands of lanes, and
/// similarities are the share of equal lanes. Different slots have equal lanes with probability 2^-16, which adds at most
/// 0.000016 to a similarity on average; equal slots always have equal lanes, so that nothing is missed.
///
/// Each band has a table without keys, with 6 to 9 bytes per document. With 128 hashes and 21 bands it is below 470
/// bytes a document, and [`size_in_bytes`](Self::size_in_bytes) says how many these are at the moment. Insertion costs
/// `O(b)` whatever the size of the buckets, and removal as much on average: removed documents are left where they are,
/// out of all answers, and swept out together when they are a fifth of all. A query costs `O(b)` plus one comparison of
/// lanes per candidate.
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
    pub(super) documents: Documents<Id>,
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
            documents: Documents::new(),
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
        self.documents.len()
    }

    /// True if the index is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True if the index has a document with this id.
    #[must_use]
    pub fn contains(&self, id: &Id) -> bool {
        self.documents.position(id).is_some()
    }

    /// The signature of the document with this id, as far as it is kept: 16 bits of each slot.
    #[must_use]
    pub fn get(&self, id: &Id) -> Option<BBitSignature> {
        self.documents.signature(self.documents.position(id)?)
    }

    /// The memory of the index in bytes, without what ids point to.
    #[must_use]
    pub fn size_in_bytes(&self) -> usize {
        size_of::<Self>() + self.documents.size_in_bytes() + self.buckets.size_in_bytes()
    }

    /// Adds a document. If the id is in the index already, or the signature cannot be compared with the others, this
    /// gives an error and changes nothing.
    pub fn insert(&mut self, id: Id, signature: &Signature) -> Result<()> {
        self.insert_lanes(id, signature.kind(), &lanes_of(signature))
    }

    pub(super) fn insert_lanes(&mut self, id: Id, kind: Kind, lanes: &[u16]) -> Result<()> {
        let Self { banding, documents, buckets, keys } = self;
        banding.band_keys_of_lanes_into(lanes, keys)?;
        let position = documents.insert(id, kind, lanes)?;
        let key_of = |band, position| key_of(*banding, documents, band, position);
        buckets.insert(position, keys, key_of, |position| !documents.is_present(position));
        Ok(())
    }

    /// Removes a document. Returns true if it was in the index.
    pub fn remove(&mut self, id: &Id) -> bool {
        let removed = self.documents.remove(id);
        let Self { banding, documents, buckets, keys } = self;
        if documents.num_removed() >= SWEEP_AT && documents.num_removed() > documents.len() / SWEEP_SHARE {
            documents.sweep();
            *buckets = Buckets::new(banding.bands());
            for position in 0..documents.capacity() as u32 {
                let keyed = banding.band_keys_of_lanes_into(documents.lanes(position), keys);
                debug_assert!(keyed.is_ok(), "it was checked when the document came in");
                let key_of = |band, position| key_of(*banding, documents, band, position);
                buckets.insert(position, keys, key_of, |_| false);
            }
        }
        removed
    }

    /// The documents that share a bucket with the query, by ascending id.
    pub fn candidates(&self, query: &Signature) -> Result<Vec<Id>> {
        let positions = self.candidate_positions(query, &lanes_of(query))?;
        let mut ids: Vec<Id> = positions.iter().filter_map(|&p| self.documents.id(p).cloned()).collect();
        ids.sort_unstable();
        Ok(ids)
    }

    /// The candidates whose estimated similarity is at least `threshold`, most similar first. Equally similar ones
    /// are sorted by id.
    pub fn query(&self, query: &Signature, threshold: f64) -> Result<Vec<Match<Id>>> {
        crate::banding::check_threshold(threshold)?;
        let mut matches = self.matches(query)?;
        matches.retain(|found| found.similarity >= threshold);
        Ok(matches)
    }

    /// The `k` candidates with the highest estimated similarity, most similar first. Equally similar ones are sorted
    /// by id.
    ///
    /// Only documents that share a bucket with the query are found, so there may be fewer than `k`.
    /// [`LshForest`](super::LshForest) continues the search until there are enough.
    pub fn top_k(&self, query: &Signature, k: usize) -> Result<Vec<Match<Id>>> {
        let mut matches = self.matches(query)?;
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
        let order = self.documents.by_id();
        let mut rank = vec![0_usize; self.documents.capacity()];
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
                let ids: Vec<&Id> =
                    ranks.iter().filter_map(|&place| self.documents.id(order[place])).collect();
                visit(band, &ids);
            }
        }
    }

    /// How full the buckets are. The cost is `O(n b)`.
    #[must_use]
    pub fn stats(&self) -> BucketStats {
        let mut stats = BucketStats { documents: self.len(), buckets: 0, largest_bucket: 0, bucket_pairs: 0 };
        for band in 0..self.banding.bands() {
            for bucket in self.buckets.of_band(band) {
                let size = bucket.filter(|&position| self.documents.is_present(position)).count();
                stats.buckets += usize::from(size > 0);
                stats.largest_bucket = stats.largest_bucket.max(size);
                stats.bucket_pairs += size as u64 * (size as u64).saturating_sub(1) / 2;
            }
        }
        stats
    }

    /// The other documents in the bucket of `position` in `band`.
    pub(super) fn neighbours(&self, position: u32, band: usize) -> impl Iterator<Item = u32> + '_ {
        let key_of = |band, position| key_of(self.banding, &self.documents, band, position);
        let bucket = self.buckets.bucket(band, key_of(band, position), key_of);
        bucket.filter(move |&other| other != position && self.documents.is_present(other))
    }

    /// The candidates as matches, best first.
    fn matches(&self, query: &Signature) -> Result<Vec<Match<Id>>> {
        let lanes = lanes_of(query);
        Ok(self.documents.matches(&self.candidate_positions(query, &lanes)?, &lanes))
    }

    /// The positions that share a bucket with the query, each once, with those of removed documents.
    fn candidate_positions(&self, query: &Signature, lanes: &[u16]) -> Result<Vec<u32>> {
        self.documents.check(query.kind())?;
        let mut keys = Vec::with_capacity(self.banding.bands());
        self.banding.band_keys_of_lanes_into(lanes, &mut keys)?;
        let key_of = |band, position| key_of(self.banding, &self.documents, band, position);
        Ok(self.buckets.candidates(&keys, key_of))
    }
}

/// The key of a band of the document at `position`.
#[inline]
fn key_of<Id: DocumentId>(banding: Banding, documents: &Documents<Id>, band: usize, position: u32) -> u64 {
    let lanes = &documents.lanes(position)[band * banding.rows()..][..banding.rows()];
    banding.key_of_lanes(band, lanes)
}
