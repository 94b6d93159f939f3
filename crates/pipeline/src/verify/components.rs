//! A connected set -> connected components of its verified pairs.
//!
//! If it does not fit in memory, comparing every piece with every other one is quadratic. But of documents that are connected already, none needs to
//! be compared. So each piece is solved by itself; then one document of each component that was found, all of
//! them together; and then only those are compared that still share a band with a document of another component. Of a
//! million near-copies none is left by then.

use super::loading::{Loaded, Loader};
use super::packing::{self, Members, Packed, Series};
use crate::candidates::forest::Forest;
use crate::candidates::grouping::{Visitor, on_disk};
use crate::limits::bits::Bits;
use crate::report::PairCounts;
use crate::solve::{self, Role, Using};
use crate::store::Number;
use crate::view::View;
use crate::{Result, Stage};
use std::collections::BTreeSet;
use std::ops::Range;

/// Documents whose signatures are looked up at a time.
const AT_A_TIME: usize = 1 << 12;

/// Joins in `forest` what is connected by verified pairs of the series.
pub(super) fn run<'a>(
    view: View<'a>,
    packed: &Packed,
    series: &Series,
    loader: &mut Loader<'a>,
    counts: &mut PairCounts,
    forest: &mut Forest,
) -> Result<()> {
    let pieces = series.chunks.clone();
    let mut solver = Solver { view, packed, loader, counts, forest };
    for at in pieces.clone() {
        let numbers = packed.members(at)?.numbers;
        let documents = numbers.len() as u64;
        solver.solve(&[(at, numbers)])?;
        view.observer.advanced(Stage::Verify, documents);
    }
    if pieces.len() == 1 {
        return Ok(());
    }
    if !view.recipe.method.stores_keys()
        && let Some(one_of_each) = solver.one_of_each_component(pieces.clone())?
    {
        let all: Vec<Number> = one_of_each.iter().flat_map(|(_, numbers)| numbers).copied().collect();
        if packing::fits(view, &all)? {
            solver.solve(&one_of_each)?;
        }
    }
    let open = match view.recipe.method.stores_keys() {
        true => None,
        false => Some(solver.open(pieces.clone())?),
    };
    let of_piece = |at: usize| -> Result<Vec<Number>> {
        let is_open = |number: &Number| open.as_ref().is_none_or(|open| open.contains(*number));
        Ok(packed.members(at)?.numbers.into_iter().filter(is_open).collect())
    };
    // Most pieces have nothing that is open: they are not read again and again.
    let mut left = Vec::new();
    for later in pieces {
        if of_piece(later)?.is_empty() {
            continue;
        }
        for &earlier in &left {
            solver.solve(&[(earlier, of_piece(earlier)?), (later, of_piece(later)?)])?;
        }
        left.push(later);
    }
    Ok(())
}

/// Some documents of chunks, by chunk.
type Pieces = Vec<(usize, Vec<Number>)>;

struct Solver<'s, 'a> {
    view: View<'a>,
    packed: &'s Packed,
    loader: &'s mut Loader<'a>,
    counts: &'s mut PairCounts,
    forest: &'s mut Forest,
}

impl Solver<'_, '_> {
    /// Connects what is similar among documents of these chunks.
    fn solve(&mut self, pieces: &[(usize, Vec<Number>)]) -> Result<()> {
        let View { recipe, threads, observer, .. } = self.view;
        observer.go_on()?;
        let against_only = recipe.settings.matching.against_only;
        let role = |protected| Role::of(protected, against_only);
        let mut loaded = Loaded::default();
        for (at, numbers) in pieces {
            self.loader.append(&mut loaded, *at, &Members::of(numbers.clone()), false, role)?;
        }
        let memory = super::memory_for_index(self.view, &loaded.chunk);
        let using = Using { threads, memory, observer };
        solve::components(&loaded.chunk, recipe, using, self.counts, self.forest)
    }

    /// The first document of each component, chunk by chunk; nothing if they cannot fit in memory.
    fn one_of_each_component(&mut self, pieces: Range<usize>) -> Result<Option<Pieces>> {
        let most = packing::most_that_fit(self.view);
        let (mut seen, mut all) = (BTreeSet::new(), Vec::new());
        for at in pieces {
            let mut firsts = Vec::new();
            for number in self.packed.members(at)?.numbers {
                if seen.insert(self.forest.root(number)) {
                    firsts.push(number);
                }
                if seen.len() > most {
                    return Ok(None);
                }
            }
            all.push((at, firsts));
        }
        Ok(Some(all))
    }

    /// Documents that share a band with one of another component.
    fn open(&mut self, pieces: Range<usize>) -> Result<Bits> {
        let View { store, recipe, budget, observer, .. } = self.view;
        let packed = self.packed;
        let room = self.view.room();
        let mut documents = 0;
        for at in pieces.clone() {
            documents += packed.len_of(at);
        }
        let scan = |take: &mut Visitor<'_>| {
            let mut keys = Vec::new();
            for at in pieces.clone() {
                for numbers in packed.members(at)?.numbers.chunks(AT_A_TIME) {
                    let (lanes, entries) = (store.lanes_of(numbers)?, store.entries_of(numbers)?);
                    for (at, &number) in numbers.iter().enumerate() {
                        keys.clear();
                        recipe.visit_keys(lanes.of(at), entries[at].within, |key| keys.push((number, key)));
                        take(&keys);
                    }
                }
            }
            Ok(())
        };
        let mut open = Bits::new(store.count());
        let forest = &mut *self.forest;
        on_disk(documents * recipe.bands() as u64, budget.grouping(), room, &scan, &mut |ranges| {
            (0..ranges.len()).try_for_each(|range| {
                observer.go_on()?;
                ranges.groups(range, &mut |group| {
                    let (mut root, mut differ) = (None, false);
                    group.visit(|piece| {
                        differ = differ
                            || piece.iter().any(|&(number, _)| {
                                let of_this = forest.root(number);
                                *root.get_or_insert(of_this) != of_this
                            });
                        Ok(())
                    })?;
                    if !differ {
                        return Ok(());
                    }
                    group.visit(|piece| {
                        piece.iter().for_each(|&(number, _)| open.insert(number));
                        Ok(())
                    })
                })
            })
        })?;
        Ok(open)
    }
}
