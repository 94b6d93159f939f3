//! Signatures and sizes -> the documents that contain a given share of a query.

use std::borrow::Borrow;

use super::DocumentId;
use super::prefix::PrefixTrees;
use super::store::SignatureStore;
use crate::banding::{check_threshold, plan};
use crate::error::{Error, Result};
use crate::math::{ln, powi};
use crate::minhash::Signature;

/// A candidate is dropped if a document at the threshold would agree with the query in so few slots with a
/// probability below this.
const FILTER_MISS: f64 = 1e-6;

/// How an [`LshEnsemble`] is built.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct EnsembleConfig {
    /// The number of partitions by size, with equally many documents each. More partitions give fewer false
    /// candidates and more searches per query. The number changes which false candidates are found, but never the
    /// guarantee. The default is 32, as in the paper.
    pub partitions: usize,
    /// A document at the threshold is missed with at most this probability. It changes the answer. The default is
    /// 0.01.
    pub delta: f64,
}

impl Default for EnsembleConfig {
    fn default() -> Self {
        Self { partitions: 32, delta: 0.01 }
    }
}

impl EnsembleConfig {
    /// The same settings with this number of partitions.
    #[must_use]
    pub const fn with_partitions(self, partitions: usize) -> Self {
        Self { partitions, ..self }
    }

    /// The same settings with this probability of a miss.
    #[must_use]
    pub const fn with_delta(self, delta: f64) -> Self {
        Self { delta, ..self }
    }
}

/// A document that probably contains much of the query.
#[derive(Debug, Clone, PartialEq)]
pub struct ContainmentMatch<Id = u64> {
    /// The id of the document.
    pub id: Id,
    /// The number of elements of its set.
    pub size: usize,
    /// The share of the query's elements that the document contains, estimated from the signatures and the sizes.
    pub containment: f64,
    /// The estimated standard deviation of `containment`. It grows with the size of the document.
    pub standard_error: f64,
}

/// Documents of one range of sizes.
#[derive(Debug, Clone)]
struct Partition {
    largest: usize,
    members: Vec<u32>,
    /// The trees. Tree `i` orders the members by the slots from `i` on.
    trees: PrefixTrees,
}

/// An index for containment search. See the [module](super) for other indexes.
///
/// Containment is `|Q and X| / |Q|`: the share of the query that is in the document. A short text quoted in a long
/// one has containment 1 and a Jaccard similarity near 0, so bands planned for a Jaccard threshold miss it. But if
/// the sizes are known, the Jaccard similarity follows from the containment:
///
/// ```text
/// J = t / (x/q + 1 - t)        t containment, q = |Q|, x = |X|
/// ```
///
/// The documents are partitioned by size. In a partition of sizes up to `u`, containment `t` means a Jaccard
/// similarity of at least `t / (u/q + 1 - t)`. Bands and rows are chosen for this similarity, for each partition and
/// each query, so that a document of containment `t` or more is found with probability at least `1 - delta`.
/// Partitions (and documents) smaller than `t q` cannot reach `t` and are skipped.
///
/// Any `b * r <= K` can be chosen at query time. For each slot there is a prefix tree that starts with it, and band
/// `i` of `r` rows is a prefix of length `r` in the tree of slot `i r`. If even `K` bands of one row are not
/// enough (the partition's documents are far larger than the query), all documents of the partition are compared.
///
/// The paper is Zhu, Nargesian, Pu, Miller: *LSH Ensemble: Internet-scale domain search*, VLDB 2016. Departures: `b`
/// and `r` are chosen for a stated recall instead of the least sum of error areas; every `r` is available instead of
/// a few; candidates come with an estimate, and those that are surely below the threshold are dropped.
///
/// Cost: the trees take `8 K` bytes per document, as much as the slots, and `K` sorts to build. A query takes
/// `O(b log n)` per partition and one comparison of signatures per candidate.
///
/// ```
/// use lookalike::index::{EnsembleConfig, LshEnsemble};
/// # use lookalike::hashing::mix64;
/// # use lookalike::minhash::{Family, Signature};
/// # let sketch = |set: std::ops::Range<u64>| {
/// #     let slot = |seed: u64| set.clone().map(|x| mix64(x ^ mix64(seed)) >> 32).min().unwrap();
/// #     Signature::from_slots(Family::MultiplyShift, 1, (0..128).map(slot).collect())
/// # };
/// // (id, size of the set, signature): a book of 1,000 shingles and an unrelated one.
/// let documents = [("book", 1000, sketch(0..1000)?), ("other", 1000, sketch(5000..6000)?)];
/// let ensemble = LshEnsemble::build(documents, EnsembleConfig::default())?;
/// // A chapter of 200 shingles: its Jaccard similarity to the book is 0.2, its containment 1.
/// let found = ensemble.query(&sketch(300..500)?, 200, 0.9)?;
/// assert_eq!(found.len(), 1);
/// assert_eq!(found[0].id, "book");
/// # Ok::<(), lookalike::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct LshEnsemble<Id = u64> {
    delta: f64,
    store: SignatureStore<Id>,
    /// The size of the set at each position.
    sizes: Vec<usize>,
    /// The partitions, by ascending size.
    partitions: Vec<Partition>,
}

impl<Id: DocumentId> LshEnsemble<Id> {
    /// Builds the index from ids, numbers of elements and signatures.
    pub fn build<S: Borrow<Signature>>(
        documents: impl IntoIterator<Item = (Id, usize, S)>,
        config: EnsembleConfig,
    ) -> Result<Self> {
        plan::check_plannable("delta", config.delta)?;
        if config.partitions == 0 {
            return Err(Error::invalid("partitions", config.partitions, "at least 1"));
        }
        let (mut store, mut sizes, mut num_hashes) = (SignatureStore::new(), Vec::new(), 0);
        for (id, size, signature) in documents {
            num_hashes = signature.borrow().num_hashes();
            store.insert(id, signature.borrow())?;
            sizes.push(size);
        }
        let mut by_size = store.by_id();
        by_size.sort_by_key(|&position| sizes[position as usize]);
        let per_partition = by_size.len().div_ceil(config.partitions).max(1);
        let partitions = by_size.chunks(per_partition).map(|members| {
            let mut trees = PrefixTrees::new((0..num_hashes).map(|slot| slot..num_hashes));
            trees.extend(members, &store);
            let largest = members.last().map_or(0, |&last| sizes[last as usize]);
            Partition { largest, members: members.to_vec(), trees }
        });
        let partitions = partitions.collect();
        Ok(Self { delta: config.delta, store, sizes, partitions })
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

    /// The documents that may contain at least `threshold` of the query, which is a set of `query_size` elements. The
    /// best estimate comes first, and equal ones are sorted by id.
    ///
    /// A document whose containment is at least `threshold` is in the answer with probability at least `1 - delta`
    /// (minus 1e-6 for the filter). The answer also has other candidates, whose signature does not rule out the
    /// threshold. For a list without bias, keep only those with `containment >= threshold`, or verify them.
    pub fn query(
        &self,
        query: &Signature,
        query_size: usize,
        threshold: f64,
    ) -> Result<Vec<ContainmentMatch<Id>>> {
        self.store.check(query)?;
        check_threshold(threshold)?;
        if threshold == 0.0 {
            return Err(Error::invalid(
                "threshold",
                threshold,
                "above 0, because every document contains a share of 0",
            ));
        }
        if query_size == 0 {
            return Err(Error::invalid(
                "query_size",
                query_size,
                "at least 1, because an empty query has no parts",
            ));
        }
        let mut matches = Vec::new();
        for partition in &self.partitions {
            let positions = self.candidates(partition, query, query_size, threshold)?;
            let found = positions.iter().filter_map(|&p| self.check(p, query, query_size, threshold));
            matches.extend(found);
        }
        matches.sort_by(|a, b| b.containment.total_cmp(&a.containment).then_with(|| a.id.cmp(&b.id)));
        Ok(matches)
    }

    /// The documents of a partition that share a band with the query. The bands are planned for the least Jaccard
    /// similarity that a document of the partition can have at the threshold.
    fn candidates(
        &self,
        partition: &Partition,
        query: &Signature,
        query_size: usize,
        threshold: f64,
    ) -> Result<Vec<u32>> {
        let Some(similarity) = jaccard(threshold, query_size, partition.largest) else {
            return Ok(Vec::new());
        };
        let planned =
            plan::banding_for_delta(query.num_hashes(), similarity, self.delta, |similarity| similarity);
        // The only possible error is a recall that cannot be reached. Then all documents must be compared.
        let Ok(banding) = planned else { return Ok(partition.members.clone()) };
        let rows = banding.rows();
        let mut found = Vec::new();
        for band in 0..banding.bands() {
            let tree = band * rows;
            let subtree = partition.trees.subtree(tree, rows, query.slots(), &self.store);
            found.extend(subtree.iter().map(|leaf| leaf.position));
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// The candidate as a match; `None` if it is surely below the threshold.
    fn check(
        &self,
        position: u32,
        query: &Signature,
        query_size: usize,
        threshold: f64,
    ) -> Option<ContainmentMatch<Id>> {
        let size = self.sizes[position as usize];
        let wanted = jaccard(threshold, query_size, size)?;
        let hashes = query.num_hashes() as f64;
        let similarity = self.store.similarity(position, query.slots());
        if similarity < wanted && hashes * divergence(similarity, wanted) > -ln(FILTER_MISS) {
            return None;
        }
        // |Q and X| = J / (1 + J) * (q + x), and its error follows from the derivative. Half an agreement and half a
        // disagreement are added for the error only, because 0 agreements in K do not prove that the similarity is 0.
        let (q, x) = (query_size as f64, size as f64);
        let containment = similarity / (1.0 + similarity) * (q + x) / q;
        let smoothed = (hashes * similarity + 0.5) / (hashes + 1.0);
        let slope = (q + x) / q / powi(1.0 + smoothed, 2);
        Some(ContainmentMatch {
            id: self.store.id(position)?.clone(),
            size,
            containment: containment.min(1.0).min(x / q),
            standard_error: slope * (smoothed * (1.0 - smoothed) / hashes).sqrt(),
        })
    }
}

/// The Jaccard similarity of a query and a document of these sizes, if the document contains the share `containment`
/// of the query; `None` if the document is too small for that.
fn jaccard(containment: f64, query_size: usize, size: usize) -> Option<f64> {
    let ratio = size as f64 / query_size as f64;
    (ratio >= containment).then(|| (containment / (ratio + 1.0 - containment)).min(1.0))
}

/// The Kullback-Leibler divergence of a coin of probability `p` from one of probability `q`. In `k` tosses of the
/// second coin, `k p` or fewer heads (`p < q`) have a probability of at most `exp(-k divergence)` (Chernoff).
fn divergence(p: f64, q: f64) -> f64 {
    let term = |p: f64, q: f64| if p == 0.0 { 0.0 } else { p * ln(p / q) };
    term(p, q) + term(1.0 - p, 1.0 - q)
}
