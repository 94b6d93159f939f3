//! Connected documents -> the removed documents. Each component keeps its first document in keep order. The others
//! are removed, and each gets its similarity to the kept document.

use super::Removal;
use crate::candidates::forest::Forest;
use crate::limits::sorted::Sorted;
use crate::method::FoundBy;
use crate::sketch::order::Rank;
use crate::solve::{Evidence, Found};
use crate::store::Number;
use crate::verify::similarities;
use crate::view::View;
use crate::write::naming::BATCH;
use crate::{Result, Verify};

/// The memory for a pair whose similarity is computed, in bytes: its numbers twice, the same numbers sorted, two
/// entries, and the similarity.
const PER_ASKED: u64 = 160;

impl View<'_> {
    /// Hands all documents of each component, except the first in keep order, to `visit`. Each has its similarity to
    /// the first.
    pub(super) fn visit_components(self, forest: Forest, visit: &mut dyn FnMut(Removal)) -> Result<()> {
        let (store, room) = (self.store, self.room());
        let mut members = room.sorter(self.budget.sorting(), |item: &[u64; 2]| *item);
        for number in 0..store.count() {
            room.observer.go_on_at(number as usize)?;
            let root = forest.root(number);
            if root != number {
                members.push([root, number]);
            }
        }
        drop(forest);
        let members = members.finish()?;
        let firsts = self.firsts(&members)?;
        let mut pairs = room.sorter(self.budget.sorting(), |item: &[u64; 2]| *item);
        let mut firsts = firsts.iter();
        let mut last = None;
        for (step, member) in members.iter().enumerate() {
            room.observer.go_on_at(step)?;
            let [root, number] = member?;
            let (_, first) = match last.filter(|&(last, _)| last == root) {
                Some(known) => known,
                None => {
                    let Some([root, first]) = firsts.next().transpose()? else { break };
                    if root != first && !self.is_protected(root) {
                        pairs.push([first, root]);
                    }
                    *last.insert((root, first))
                }
            };
            if number != first && !self.is_protected(number) {
                pairs.push([first, number]);
            }
        }
        drop(members);
        let pairs = pairs.finish()?;
        let mut pairs = pairs.iter();
        // As many as are read from the sources in one go, if they fit.
        let at_a_time = (self.budget.sorting() / PER_ASKED).clamp(1 << 10, 1 << 16);
        let mut reservation = self.budget.reservation();
        reservation.grow(at_a_time * PER_ASKED);
        loop {
            let some = pairs.by_ref().take(at_a_time as usize).collect::<Result<Vec<[u64; 2]>>>()?;
            if some.is_empty() {
                return Ok(());
            }
            let some: Vec<(Number, Number)> = some.iter().map(|&[first, number]| (number, first)).collect();
            let distances = self.distances(&some)?;
            let method = &self.recipe.method;
            let similarities = if method.similarity_at(0).is_some() {
                distances.iter().map(|&distance| method.similarity_at(distance).unwrap_or(f64::NAN)).collect()
            } else if self.recipe.settings.matching.verify == Verify::Exact {
                similarities(self, &some)?
            } else {
                vec![f64::NAN; some.len()]
            };
            for ((&(number, other), similarity), distance) in some.iter().zip(similarities).zip(distances) {
                let evidence = Evidence { similarity, distance, found_by: FoundBy::Several };
                visit(Removal::near(&Found { number, other, evidence }));
            }
        }
    }

    /// The Hamming distances of pairs, with SimHash. Other methods do not use them, and get 0.
    fn distances(self, pairs: &[(Number, Number)]) -> Result<Vec<u32>> {
        if !self.recipe.method.has_distances() {
            return Ok(vec![0; pairs.len()]);
        }
        let mut numbers: Vec<Number> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let lanes = self.store.lanes_of(&numbers)?;
        let of = |number: Number| lanes.of(numbers.partition_point(|&other| other < number));
        Ok(pairs.iter().map(|&(a, b)| self.recipe.method.distance(of(a), of(b)).unwrap_or(0)).collect())
    }

    /// The first document in keep order of each component, by root. The root itself is not among `members`.
    fn firsts(self, members: &Sorted<[u64; 2]>) -> Result<Sorted<[u64; 2]>> {
        let (store, room) = (self.store, self.room());
        let mut firsts = room.sorter(self.budget.sorting(), |item: &[u64; 2]| *item);
        let mut members = members.iter();
        let mut best: Option<(Number, Rank)> = None;
        loop {
            room.observer.go_on()?;
            let some = members.by_ref().take(BATCH).collect::<Result<Vec<[u64; 2]>>>()?;
            if some.is_empty() {
                break;
            }
            let mut numbers: Vec<Number> = some.iter().flatten().copied().collect();
            numbers.sort_unstable();
            numbers.dedup();
            let entries = store.entries_of(&numbers)?;
            let rank = |number: Number| {
                let entry = &entries[numbers.partition_point(|&other| other < number)];
                self.order.rank(store.source_of(number), entry, number)
            };
            for [root, number] in some {
                let so_far = match best {
                    Some((last, so_far)) if last == root => so_far,
                    other => {
                        if let Some((root, (_, _, first))) = other {
                            firsts.push([root, first]);
                        }
                        rank(root)
                    }
                };
                best = Some((root, so_far.min(rank(number))));
            }
        }
        if let Some((root, (_, _, first))) = best {
            firsts.push([root, first]);
        }
        firsts.finish()
    }
}
