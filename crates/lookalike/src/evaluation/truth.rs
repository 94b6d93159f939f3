//! What is true: which documents belong together.

use std::collections::{HashMap, HashSet};

/// Which pairs of documents are true.
#[derive(Debug, Clone)]
pub struct Truth {
    kind: Kind,
    len: u64,
}

#[derive(Debug, Clone)]
enum Kind {
    Pairs { pairs: HashSet<(usize, usize)>, partners: HashMap<usize, Vec<usize>> },
    Groups(Vec<Option<usize>>),
}

impl Truth {
    /// The truth is these pairs. A pair that is listed twice, in either order, is one pair; a document is no pair with itself.
    #[must_use]
    pub fn pairs(pairs: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let pairs: HashSet<_> =
            pairs.into_iter().filter(|(a, b)| a != b).map(|(a, b)| ordered(a, b)).collect();
        let mut partners: HashMap<usize, Vec<usize>> = HashMap::new();
        let mut sorted: Vec<_> = pairs.iter().copied().collect();
        sorted.sort_unstable();
        for (a, b) in sorted {
            partners.entry(a).or_default().push(b);
            partners.entry(b).or_default().push(a);
        }
        let len = pairs.len() as u64;
        Self { kind: Kind::Pairs { pairs, partners }, len }
    }

    /// The truth is the group of each document. Documents of one group are pairs; those without a group are in none.
    #[must_use]
    pub fn groups(groups: Vec<Option<usize>>) -> Self {
        let mut sizes: HashMap<usize, u64> = HashMap::new();
        groups.iter().flatten().for_each(|group| *sizes.entry(*group).or_default() += 1);
        let len = sizes.values().map(|&size| pairs_of(size)).sum();
        Self { kind: Kind::Groups(groups), len }
    }

    /// The number of true pairs.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// True if no pair is true.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// True if two documents belong together.
    #[must_use]
    pub fn has(&self, a: usize, b: usize) -> bool {
        match &self.kind {
            Kind::Pairs { pairs, .. } => pairs.contains(&ordered(a, b)),
            Kind::Groups(groups) => {
                a != b && group_of(groups, a).is_some_and(|group| group_of(groups, b) == Some(group))
            }
        }
    }

    /// The group of a document, if the truth is groups and the document has one.
    #[must_use]
    pub fn group(&self, document: usize) -> Option<usize> {
        match &self.kind {
            Kind::Pairs { .. } => None,
            Kind::Groups(groups) => group_of(groups, document),
        }
    }

    /// The documents that belong together with this one, ascending, if the truth is pairs.
    pub(super) fn partners(&self, document: usize) -> &[usize] {
        match &self.kind {
            Kind::Pairs { partners, .. } => partners.get(&document).map_or(&[], Vec::as_slice),
            Kind::Groups(_) => &[],
        }
    }
}

fn group_of(groups: &[Option<usize>], document: usize) -> Option<usize> {
    groups.get(document).copied().flatten()
}

fn ordered(a: usize, b: usize) -> (usize, usize) {
    (a.min(b), a.max(b))
}

/// The number of pairs among so many documents.
pub(super) fn pairs_of(documents: u64) -> u64 {
    documents * documents.saturating_sub(1) / 2
}
