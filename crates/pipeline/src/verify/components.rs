//! Connected components of a set that does not fit in memory.
//!
//! Comparing every piece with every other one is quadratic. But of documents that are connected already, none needs to
//! be compared. So each piece is solved by itself; then one document of each component that was found, all of
//! them together; and then only those are compared that still share a band with a document of another component. Of a
//! million near-copies none is left by then.

use super::loading::{Loaded, Loader};
use super::packing::{self, Members, Series};
use crate::bits::Bits;
use crate::forest::Forest;
use crate::grouping::{Taker, on_disk};
use crate::report::PairCounts;
use crate::solve::{self, Role, Using};
use crate::store::Number;
use crate::view::View;
use crate::work::Work;
use crate::{Result, Stage};
use std::collections::BTreeSet;

/// Documents whose signatures are looked up at a time.
const AT_A_TIME: usize = 1 << 12;

/// Joins in `forest` what is connected by verified pairs of the series, whose first chunk is number `first_chunk` of all.
pub(super) fn run<'a>(
    view: View<'a>,
    series: &Series,
    first_chunk: usize,
    loader: &mut Loader<'a>,
    work: &Work,
    counts: &mut PairCounts,
    forest: &mut Forest,
) -> Result<()> {
    let pieces: Vec<(usize, &Members)> = (first_chunk..).zip(&series.chunks).collect();
    let mut solver = Solver { view, loader, counts, forest };
    for &(at, members) in &pieces {
        solver.solve(&[(at, members.numbers.clone())])?;
        view.observer.advanced(Stage::Verify, members.numbers.len() as u64);
    }
    if view.means.bands() > 0 {
        let one_of_each = solver.one_of_each_component(&pieces);
        let all: Vec<Number> = one_of_each.iter().flat_map(|(_, numbers)| numbers).copied().collect();
        if packing::fits(view, &all)? {
            solver.solve(&one_of_each)?;
        }
    }
    let open = match view.means.bands() {
        0 => None,
        _ => Some(solver.open(&pieces, work)?),
    };
    let of_piece = |members: &Members| -> Vec<Number> {
        let is_open = |number: &Number| open.as_ref().is_none_or(|open| open.contains(*number));
        members.numbers.iter().copied().filter(is_open).collect()
    };
    for (place, &(later, members)) in pieces.iter().enumerate() {
        for &(earlier, before) in &pieces[..place] {
            let (before, here) = (of_piece(before), of_piece(members));
            if !before.is_empty() && !here.is_empty() {
                solver.solve(&[(earlier, before), (later, here)])?;
            }
        }
    }
    Ok(())
}

struct Solver<'s, 'a> {
    view: View<'a>,
    loader: &'s mut Loader<'a>,
    counts: &'s mut PairCounts,
    forest: &'s mut Forest,
}

impl Solver<'_, '_> {
    /// Connects what is similar among documents of these chunks.
    fn solve(&mut self, pieces: &[(usize, Vec<Number>)]) -> Result<()> {
        let View { means, threads, observer, .. } = self.view;
        observer.go_on()?;
        let against_only = means.settings.against_only;
        let role = |protected| Role::of(protected, against_only);
        let mut loaded = Loaded::default();
        for (at, numbers) in pieces {
            self.loader.append(&mut loaded, *at, &Members::of(numbers.clone()), false, role)?;
        }
        let memory = super::memory_for_index(self.view, &loaded.chunk);
        let using = Using { threads, memory, observer };
        solve::components(&loaded.chunk, means, using, self.counts, self.forest)
    }

    /// The first document of each component in each chunk, chunk by chunk.
    fn one_of_each_component(&mut self, pieces: &[(usize, &Members)]) -> Vec<(usize, Vec<Number>)> {
        let mut seen = BTreeSet::new();
        pieces
            .iter()
            .map(|&(at, members)| {
                let firsts = members.numbers.iter().filter(|&&number| seen.insert(self.forest.root(number)));
                (at, firsts.copied().collect())
            })
            .collect()
    }

    /// Documents that share a band with one of another component.
    fn open(&mut self, pieces: &[(usize, &Members)], work: &Work) -> Result<Bits> {
        let View { store, means, budget, observer, .. } = self.view;
        let documents: u64 = pieces.iter().map(|(_, members)| members.numbers.len() as u64).sum();
        let scan = |take: &mut Taker<'_>| {
            let (width, mut keys) = (means.lanes(), Vec::new());
            for (_, members) in pieces {
                for numbers in members.numbers.chunks(AT_A_TIME) {
                    let (lanes, entries) = (store.lanes_of(numbers)?, store.entries_of(numbers)?);
                    for (at, &number) in numbers.iter().enumerate() {
                        let lanes = &lanes[at * width..(at + 1) * width];
                        keys.clear();
                        keys.extend(
                            (0..means.bands())
                                .map(|band| (number, means.key(band, lanes, entries[at].within))),
                        );
                        take(&keys);
                    }
                }
            }
            Ok(())
        };
        let mut open = Bits::new(store.count());
        let forest = &mut *self.forest;
        on_disk(
            documents * means.bands() as u64,
            budget.grouping(),
            work.spill_folder()?,
            &scan,
            &mut |files| {
                for file in files {
                    observer.go_on()?;
                    file.groups(observer, &mut |group| {
                        let root = forest.root(group[0].0);
                        if group.iter().any(|&(number, _)| forest.root(number) != root) {
                            group.iter().for_each(|&(number, _)| open.insert(number));
                        }
                    })?;
                }
                Ok(())
            },
        )?;
        Ok(open)
    }
}
