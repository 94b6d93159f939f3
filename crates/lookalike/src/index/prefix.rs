//! Signatures -> prefix trees, each stored as a sorted array.
//!
//! A tree orders the documents by a range of their slots. Documents that agree with a query in the first `d` slots of
//! the range are neighbours in that order. So a subtree of depth `d` is a slice of the array, which is found by
//! binary search inside the slice of depth `d - 1`.
//!
//! The first slot is nearly always enough to order two documents. So 32 bits of its hash are stored next to the
//! position and come first in the order. The search stays in the array and reads slots (in the store) only if those
//! bits agree. A tree takes eight bytes per document.

use std::cmp::Ordering;
use std::ops::Range;

use super::DocumentId;
use super::store::SignatureStore;
use crate::hashing::mix64;

/// A document in a tree.
#[derive(Debug, Clone, Copy)]
pub(super) struct Leaf {
    /// 32 bits of the hash of the first slot.
    first: u32,
    pub(super) position: u32,
}

#[derive(Debug, Clone)]
struct PrefixTree {
    /// The slots by which the tree is ordered; at least one.
    rows: Range<usize>,
    leaves: Vec<Leaf>,
}

#[derive(Debug, Clone)]
pub(super) struct PrefixTrees {
    trees: Vec<PrefixTree>,
}

impl PrefixTrees {
    /// One empty tree for each range of slots.
    pub(super) fn new(rows: impl IntoIterator<Item = Range<usize>>) -> Self {
        Self { trees: rows.into_iter().map(|rows| PrefixTree { rows, leaves: Vec::new() }).collect() }
    }

    pub(super) fn len(&self) -> usize {
        self.trees.len()
    }

    /// Adds documents to all trees.
    pub(super) fn extend<Id: DocumentId>(&mut self, positions: &[u32], store: &SignatureStore<Id>) {
        for PrefixTree { rows, leaves } in &mut self.trees {
            let known = leaves.len();
            leaves.extend(positions.iter().map(|&position| leaf(rows, position, store)));
            leaves[known..].sort_unstable_by(|a, b| compare(rows, a, b, store));
            // A stable sort recognises two sorted runs and merges them.
            leaves.sort_by(|a, b| compare(rows, a, b, store));
        }
    }

    /// Removes a document from all trees. Its slots must be the same as when it was added.
    pub(super) fn remove<Id: DocumentId>(&mut self, position: u32, store: &SignatureStore<Id>) {
        for PrefixTree { rows, leaves } in &mut self.trees {
            let gone = leaf(rows, position, store);
            if let Ok(place) = leaves.binary_search_by(|other| compare(rows, other, &gone, store)) {
                leaves.remove(place);
            }
        }
    }

    /// The documents that agree with `slots` in the first `depth` rows of a tree (at least 1).
    pub(super) fn subtree<Id: DocumentId>(
        &self,
        tree: usize,
        depth: usize,
        slots: &[u64],
        store: &SignatureStore<Id>,
    ) -> &[Leaf] {
        let rows = &self.trees[tree].rows;
        let prefix = rows.start..rows.start + depth;
        equal_range(self.alike(tree, slots), |leaf| {
            store.slots(leaf.position)[prefix.clone()].cmp(&slots[prefix.clone()])
        })
    }

    /// The subtrees of depth 1, 2, ... that agree with `slots`, down to the last one that is not empty.
    pub(super) fn subtrees<Id: DocumentId>(
        &self,
        tree: usize,
        slots: &[u64],
        store: &SignatureStore<Id>,
    ) -> Vec<&[Leaf]> {
        let rows = self.trees[tree].rows.clone();
        let mut path = Vec::new();
        let mut inside = self.alike(tree, slots);
        for (row, wanted) in rows.clone().zip(&slots[rows]) {
            // All these documents agree in the rows above, so they are ordered by this row alone.
            inside = equal_range(inside, |leaf| store.slots(leaf.position)[row].cmp(wanted));
            if inside.is_empty() {
                break;
            }
            path.push(inside);
        }
        path
    }

    /// The documents whose first slot has the same hash.
    fn alike(&self, tree: usize, slots: &[u64]) -> &[Leaf] {
        let PrefixTree { rows, leaves } = &self.trees[tree];
        let first = hash_slot(slots[rows.start]);
        equal_range(leaves, |leaf| leaf.first.cmp(&first))
    }

    /// The longest prefix, over all trees, in which `left` and `right` agree.
    pub(super) fn longest_prefix(&self, left: &[u64], right: &[u64]) -> usize {
        let agreeing = |rows: &Range<usize>| {
            left[rows.clone()].iter().zip(&right[rows.clone()]).take_while(|(a, b)| a == b).count()
        };
        self.trees.iter().map(|tree| agreeing(&tree.rows)).max().unwrap_or(0)
    }
}

fn hash_slot(slot: u64) -> u32 {
    (mix64(slot) >> 32) as u32
}

fn leaf<Id: DocumentId>(rows: &Range<usize>, position: u32, store: &SignatureStore<Id>) -> Leaf {
    Leaf { first: hash_slot(store.slots(position)[rows.start]), position }
}

/// The part of `sorted` that compares as equal.
fn equal_range<T>(sorted: &[T], compare: impl Fn(&T) -> Ordering) -> &[T] {
    let start = sorted.partition_point(|item| compare(item) == Ordering::Less);
    let rest = &sorted[start..];
    &rest[..rest.partition_point(|item| compare(item) == Ordering::Equal)]
}

/// Compares by slots, and equal documents by position. This is a total order, so that a document can be found again.
fn compare<Id: DocumentId>(rows: &Range<usize>, a: &Leaf, b: &Leaf, store: &SignatureStore<Id>) -> Ordering {
    let slots = |leaf: &Leaf| &store.slots(leaf.position)[rows.clone()];
    a.first.cmp(&b.first).then_with(|| slots(a).cmp(slots(b))).then(a.position.cmp(&b.position))
}
