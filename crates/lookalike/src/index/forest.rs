//! Signatures -> the `k` most similar documents, without a threshold.

use std::collections::HashSet;

use super::prefix::PrefixTrees;
use super::store::SignatureStore;
use super::{DocumentId, Match};
use crate::error::{Error, Result};
use crate::minhash::{MAX_HASHES, Signature};

/// The default number of candidates per tree that are collected before the search stops.
const CANDIDATES_PER_TREE: usize = 4;
/// The tail is merged when it is longer than this and longer than a sixteenth of the forest.
const SHORT_TAIL: usize = 64;

/// An LSH forest: top-k search without a threshold. See the [module](super) for other indexes.
///
/// Bands of fixed length suit only one threshold. In the forest the length of a band depends on the query. Each of
/// `l` prefix trees orders the documents by up to `d` slots. A query starts with the documents that agree in all `d`
/// slots of some tree. Then it shortens the prefix by one in all trees at once, until it has found enough documents.
/// The nearest documents share the longest prefixes, so they are found first. The candidates are then ranked by the
/// estimate from the whole signature.
///
/// A document of similarity `s` shares a prefix of length `x` in some tree with probability `1 - (1 - s^x)^l`. This
/// is an S-curve for each `x`.
///
/// The paper is Bawa, Condie, Ganesan: *LSH Forest: self-tuning indexes for similarity search*, WWW 2005. Departures:
/// the trees are sorted arrays, and the search finishes the prefix length on which it has found enough, so that the
/// answer does not depend on the order of the trees.
///
/// Cost of a query: `O(l (d + log n))` for the searches, and one comparison of signatures per candidate. New
/// documents are put in a short unsorted tail, which every query scans. The tail is merged when it has grown to a
/// sixteenth of the forest ([`LshForest::sort`] merges it at once). Removal moves `O(l n)` bytes. Memory: 8 bytes per
/// document and tree, in addition to the slots.
///
/// ```
/// use lookalike::index::LshForest;
/// use lookalike::minhash::{Family, Signature};
///
/// let signature = |slots: [u64; 4]| Signature::from_slots(Family::MultiplyShift, 1, slots.to_vec());
/// let mut forest = LshForest::new(2, 2)?;
/// forest.insert("a", &signature([1, 2, 3, 4])?)?;
/// forest.insert("b", &signature([1, 2, 3, 9])?)?;
/// forest.insert("c", &signature([1, 8, 7, 9])?)?;
/// let best = forest.top_k(&signature([1, 2, 3, 4])?, 2)?;
/// assert_eq!((best[0].id, best[1].id), ("a", "b"));
/// # Ok::<(), lookalike::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct LshForest<Id = u64> {
    depth: usize,
    candidates_per_tree: usize,
    store: SignatureStore<Id>,
    trees: PrefixTrees,
    /// Documents that are in no tree yet.
    tail: Vec<u32>,
}

impl<Id: DocumentId> LshForest<Id> {
    /// An empty forest of `trees` trees, each `depth` slots deep. Both must be at least 1, and their product at most
    /// [`MAX_HASHES`]. More trees find more documents, and deeper trees distinguish close documents better (8 trees
    /// of depth 16 suit 128 hashes).
    pub fn new(trees: usize, depth: usize) -> Result<Self> {
        if trees == 0 || depth == 0 || trees.checked_mul(depth).is_none_or(|hashes| hashes > MAX_HASHES) {
            return Err(Error::invalid(
                "trees * depth",
                format_args!("{trees} * {depth}"),
                format!("both at least 1, the product at most {MAX_HASHES}"),
            ));
        }
        Ok(Self {
            depth,
            candidates_per_tree: CANDIDATES_PER_TREE,
            store: SignatureStore::new(),
            trees: PrefixTrees::new((0..trees).map(|tree| tree * depth..(tree + 1) * depth)),
            tail: Vec::new(),
        })
    }

    /// The same forest, but a search collects at least `candidates` documents for each tree (if there are as many)
    /// before it ranks them, and at least `k` in any case. A larger number finds better answers and takes longer. The
    /// default is 4.
    #[must_use]
    pub fn with_candidates_per_tree(self, candidates: usize) -> Self {
        Self { candidates_per_tree: candidates, ..self }
    }

    /// The number of documents.
    #[must_use]
    pub fn len(&self) -> usize {
        self.store.len()
    }

    /// True if the forest is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True if the forest has a document with this id.
    #[must_use]
    pub fn contains(&self, id: &Id) -> bool {
        self.store.position(id).is_some()
    }

    /// The signature of the document with this id.
    #[must_use]
    pub fn get(&self, id: &Id) -> Option<Signature> {
        self.store.signature(self.store.position(id)?)
    }

    /// Adds a document. If the id is in the forest already, or the signature cannot be compared with the others, this
    /// gives an error and changes nothing.
    pub fn insert(&mut self, id: Id, signature: &Signature) -> Result<()> {
        self.check_hashes(signature)?;
        self.tail.push(self.store.insert(id, signature)?);
        if self.tail.len() > SHORT_TAIL.max(self.len() / 16) {
            self.sort();
        }
        Ok(())
    }

    /// Merges the tail of new documents into the trees now. This changes only the speed.
    pub fn sort(&mut self) {
        self.trees.extend(&self.tail, &self.store);
        self.tail.clear();
    }

    /// Removes a document. Returns true if it was in the forest.
    pub fn remove(&mut self, id: &Id) -> bool {
        let Some(position) = self.store.remove(id) else { return false };
        match self.tail.iter().position(|&other| other == position) {
            Some(place) => {
                self.tail.swap_remove(place);
            }
            None => {
                self.trees.remove(position, &self.store);
            }
        }
        true
    }

    /// The `k` documents with the highest estimated similarity among those that the search has found, most similar
    /// first. Equally similar ones are sorted by id.
    ///
    /// Documents that do not agree with the query in the first slot of any tree are never found, so there may be
    /// fewer than `k`.
    pub fn top_k(&self, query: &Signature, k: usize) -> Result<Vec<Match<Id>>> {
        self.check_hashes(query)?;
        self.store.check(query)?;
        if k == 0 {
            return Ok(Vec::new());
        }
        let mut matches = self.store.matches(&self.gather(query.slots(), k), query.slots());
        matches.truncate(k);
        Ok(matches)
    }

    /// The first `k` documents that the search finds. It goes from the longest prefix to the shortest, for each
    /// length tree by tree, and inside a tree in the order of the slots. Documents with equal slots are in the order
    /// of insertion (if no document was removed). The documents are not ranked by an estimate, so this costs less
    /// than [`top_k`](Self::top_k) and its answers are less good.
    pub fn first_k(&self, query: &Signature, k: usize) -> Result<Vec<Id>> {
        self.check_hashes(query)?;
        self.store.check(query)?;
        let slots = query.slots();
        let prefix_of = |position: u32| self.trees.longest_prefix(self.store.slots(position), slots);
        let tail: Vec<(u32, usize)> = self.tail.iter().map(|&p| (p, prefix_of(p))).collect();
        let paths: Vec<_> =
            (0..self.trees.len()).map(|tree| self.trees.subtrees(tree, slots, &self.store)).collect();
        let (mut met, mut found) = (HashSet::new(), Vec::new());
        for depth in (1..=self.depth).rev() {
            let subtrees = paths.iter().filter_map(|path| path.get(depth - 1));
            let leaves = subtrees.flat_map(|subtree| subtree.iter().map(|leaf| leaf.position));
            let tail = tail.iter().filter(|(_, prefix)| *prefix >= depth).map(|(position, _)| *position);
            for position in leaves.chain(tail) {
                if found.len() == k {
                    return Ok(found);
                }
                if met.insert(position) {
                    found.extend(self.store.id(position).cloned());
                }
            }
        }
        Ok(found)
    }

    /// The documents with the longest common prefixes with the query. Whole prefix lengths are added until there are
    /// enough documents.
    fn gather(&self, slots: &[u64], k: usize) -> Vec<u32> {
        let enough = k.max(self.candidates_per_tree.saturating_mul(self.trees.len()));
        let prefix_of = |position: u32| self.trees.longest_prefix(self.store.slots(position), slots);
        let tail: Vec<(u32, usize)> = self.tail.iter().map(|&p| (p, prefix_of(p))).collect();
        let paths: Vec<_> =
            (0..self.trees.len()).map(|tree| self.trees.subtrees(tree, slots, &self.store)).collect();
        let mut found = Vec::new();
        for depth in (1..=self.depth).rev() {
            found.clear();
            found.extend(tail.iter().filter(|(_, prefix)| *prefix >= depth).map(|(position, _)| position));
            for subtree in paths.iter().filter_map(|path| path.get(depth - 1)) {
                found.extend(subtree.iter().map(|leaf| leaf.position));
            }
            found.sort_unstable();
            found.dedup();
            if found.len() >= enough {
                break;
            }
        }
        found
    }

    fn check_hashes(&self, signature: &Signature) -> Result<()> {
        let used = self.trees.len() * self.depth;
        if signature.num_hashes() < used {
            return Err(Error::invalid(
                "trees * depth",
                format_args!("{} * {}", self.trees.len(), self.depth),
                format!("at most the {} hashes of the signature", signature.num_hashes()),
            ));
        }
        Ok(())
    }
}
