//! The pairs that an answer has wrong, and those that it misses.

use super::{Found, Labelled, UNKNOWN};
use crate::failure::Result;
use crate::output::{Mistake, Printer};
use std::collections::{BTreeMap, HashMap, HashSet};

pub(super) struct Mistakes<'a> {
    pub(super) found: &'a Found,
    pub(super) truth: &'a Labelled,
    pub(super) names: &'a [String],
}

impl<'a> Mistakes<'a> {
    fn mistake(&self, (a, b): (usize, usize), similarity: f64) -> Mistake<'a> {
        let similarity = (similarity != UNKNOWN).then_some(similarity);
        Mistake { a: &self.names[a], b: &self.names[b], similarity }
    }

    /// Found pairs that are not true. Those with a similarity come first, the most similar first; within clusters, in the order
    /// of the documents.
    pub(super) fn wrong(&self) -> Box<dyn Iterator<Item = Mistake<'a>> + '_> {
        match self.found {
            Found::Pairs(pairs) => {
                let mut pairs: Vec<_> = pairs.iter().filter(|it| !self.truth.truth.has(it.a, it.b)).collect();
                pairs.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
                Box::new(pairs.into_iter().map(|pair| self.mistake(pair.ids(), pair.similarity)))
            }
            Found::Clusters(members) => {
                let mut clusters: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
                members.iter().for_each(|it| clusters.entry(it.cluster).or_default().push(it.document));
                let wrong = move |pair: &(usize, usize)| !self.truth.truth.has(pair.0, pair.1);
                let pairs = clusters.into_values().flat_map(pairs_of).filter(wrong);
                Box::new(pairs.map(|pair| self.mistake(pair, UNKNOWN)))
            }
        }
    }

    /// True pairs that were not found, in the order of the truth.
    pub(super) fn missed(&self) -> Box<dyn Iterator<Item = Mistake<'a>> + '_> {
        let found = self.found_pairs();
        let groups = self.truth.groups.values().cloned().flat_map(pairs_of);
        let all = self.truth.pairs.iter().copied().chain(groups);
        Box::new(all.filter(move |pair| !found.has(*pair)).map(|pair| self.mistake(pair, UNKNOWN)))
    }

    fn found_pairs(&self) -> FoundPairs {
        match self.found {
            Found::Pairs(pairs) => {
                FoundPairs::Pairs(pairs.iter().map(|pair| (pair.a.min(pair.b), pair.a.max(pair.b))).collect())
            }
            Found::Clusters(members) => {
                FoundPairs::Clusters(members.iter().map(|it| (it.document, it.cluster)).collect())
            }
        }
    }

    /// Lists all pairs that were missed.
    pub(super) fn print_missed(&self, printer: &Printer) -> Result<()> {
        printer.mistakes(self.missed())
    }

    /// Lists all pairs that are wrong.
    pub(super) fn print_wrong(&self, printer: &Printer) -> Result<()> {
        printer.mistakes(self.wrong())
    }
}

/// What was found, to be asked for pairs.
enum FoundPairs {
    Pairs(HashSet<(usize, usize)>),
    Clusters(HashMap<usize, usize>),
}

impl FoundPairs {
    fn has(&self, (a, b): (usize, usize)) -> bool {
        match self {
            Self::Pairs(pairs) => pairs.contains(&(a.min(b), a.max(b))),
            Self::Clusters(clusters) => {
                clusters.get(&a).is_some_and(|cluster| clusters.get(&b) == Some(cluster))
            }
        }
    }
}

/// All pairs of these documents, one after the other: a large group is not written out in memory.
fn pairs_of(documents: Vec<usize>) -> impl Iterator<Item = (usize, usize)> {
    let count = documents.len();
    (0..count)
        .flat_map(move |a| (a + 1..count).map(move |b| (a, b)))
        .map(move |(a, b)| (documents[a], documents[b]))
}
