//! Connected sets of candidates -> what each task makes of them, with a bounded number of documents in memory.
//!
//! Connected sets are packed into *chunks* that fit in memory. If there is more than one chunk, the sets of shingles go
//! to a file per chunk in one pass over the sources. A connected set that does not fit becomes a *series* of chunks in
//! keep order: each is compared with what the earlier ones kept, in order, and then within itself, which is the same
//! rule. Before that it is [refined](refining), since most sets that large fall apart on a closer look.

pub(crate) mod reread;

mod components;
mod loading;
mod packing;
mod pairs;
mod refining;
#[cfg(test)]
mod tests;
pub(crate) mod vectors;

use crate::candidates::Candidates;
use crate::candidates::forest::Forest;
use crate::limits::bits::Bits;
use crate::report::PairCounts;
use crate::solve::{self, Chunk, Found, NearMisses, Role, Using};
use crate::store::Number;
use crate::view::View;
use crate::{Result, Stage};
use loading::{Loaded, Loader};
use packing::{Members, Packed, Series};

/// What to make of the candidates.
pub(crate) enum Task<'t> {
    /// Survivors: hands the removed documents to `visit`.
    Survivors { near_misses: &'t NearMisses, visit: &'t mut dyn FnMut(Found) },
    /// All verified pairs that are asked for. Protected documents in `shared` have copies that are not protected.
    Pairs { shared: &'t Bits, visit: &'t mut (dyn FnMut(Found) + Send) },
    /// Connected components of the verified pairs.
    Components { forest: &'t mut Forest },
}

/// Does the task for all connected sets.
pub(crate) fn verify(view: View<'_>, candidates: Candidates, mut task: Task<'_>) -> Result<PairCounts> {
    let small_sets = matches!(task, Task::Survivors { .. }) && !view.recipe.method.stores_keys();
    let packed = packing::pack(view, candidates, small_sets)?;
    view.observer.started(Stage::Verify, packed.members.len());
    let mut counts = PairCounts::default();
    let no_near_misses = NearMisses::default();
    let near_misses = match task {
        Task::Survivors { near_misses, .. } => near_misses,
        Task::Pairs { .. } | Task::Components { .. } => &no_near_misses,
    };
    let mut loader = Loader::new(view, &packed, small_sets, near_misses)?;
    for series in &packed.series {
        match &mut task {
            Task::Survivors { near_misses, visit } => {
                let decide = Survivors { view, packed: &packed, near_misses, visit, counts: &mut counts };
                decide.run(series, &mut loader)?;
            }
            Task::Pairs { shared, visit } => {
                pairs::run(view, &packed, series, &mut loader, shared, &mut counts, visit)?;
            }
            Task::Components { forest } => {
                components::run(view, &packed, series, &mut loader, &mut counts, forest)?;
            }
        }
    }
    Ok(counts)
}

/// What decides the documents of a series.
struct Survivors<'s, 'a> {
    view: View<'a>,
    packed: &'s Packed,
    near_misses: &'s NearMisses,
    visit: &'s mut dyn FnMut(Found),
    counts: &'s mut PairCounts,
}

impl Survivors<'_, '_> {
    fn run(mut self, series: &Series, loader: &mut Loader<'_>) -> Result<()> {
        let Self { view, packed, .. } = self;
        let one_chunk = series.chunks.len() == 1;
        // Chunks of which something is kept, and what is not.
        let mut kept: Vec<usize> = Vec::new();
        let mut gone = Bits::new(if one_chunk { 0 } else { view.store.count() });
        let against_only = view.recipe.settings.matching.against_only;
        let role = |protected| Role::of(protected, against_only);
        for at in series.chunks.clone() {
            let members = packed.members(at)?;
            let documents = members.numbers.len() as u64;
            let mut loaded = Loaded::default();
            if one_chunk {
                loader.append(&mut loaded, at, &members, true, role)?;
                self.solve(&loaded, &mut |_| {})?;
                view.observer.advanced(Stage::Verify, documents);
                return Ok(());
            }
            let mut left = members.numbers;
            for &earlier in &kept {
                if left.is_empty() {
                    break;
                }
                let mut listed = packed.members(earlier)?.numbers;
                // Of these, only the ones that may remove others are compared with what follows.
                listed.retain(|&number| {
                    !gone.contains(number) && role(view.is_protected(number)) != Role::Asking
                });
                let mut loaded = Loaded::default();
                loader.append(&mut loaded, earlier, &Members::of(listed), false, |_| Role::Listed)?;
                // Protected documents have their turn below: a kept one of a chunk between may come before them.
                let asking = left.iter().copied().filter(|number| !view.is_protected(*number)).collect();
                loader.append(&mut loaded, at, &Members::of(asking), false, |_| Role::Asking)?;
                self.solve(&loaded, &mut |number| gone.insert(number))?;
                left.retain(|&number| !gone.contains(number));
            }
            loader.append(&mut loaded, at, &Members::of(left.clone()), false, role)?;
            self.solve(&loaded, &mut |number| gone.insert(number))?;
            view.observer.advanced(Stage::Verify, documents);
            if left.iter().any(|&number| !gone.contains(number)) {
                kept.push(at);
            }
        }
        Ok(())
    }

    /// Decides what is loaded; `removed` hears which documents need not be compared any more.
    fn solve(&mut self, Loaded { chunk, decided }: &Loaded, removed: &mut dyn FnMut(Number)) -> Result<()> {
        let View { recipe, threads, observer, .. } = self.view;
        observer.go_on()?;
        let using = Using { threads, memory: memory_for_index(self.view, chunk), observer };
        let mut visit = |found: Found| {
            removed(found.number);
            (self.visit)(found);
        };
        self.counts.add(&decided.counts);
        decided.found.iter().copied().for_each(&mut visit);
        solve::greedy(chunk, recipe, using, self.near_misses, self.counts, &mut visit)
    }
}

/// What the documents of a chunk leave of their share of the memory, for finding candidates among them.
fn memory_for_index(view: View<'_>, chunk: &Chunk) -> u64 {
    let share = view.budget.chunk(view.store.bytes_in_memory());
    share.saturating_sub(chunk.bytes()).max(share / 8)
}

/// The exact similarities of given pairs, in their order: of the first document's set to the second's.
pub(crate) fn similarities(view: View<'_>, pairs: &[(Number, Number)]) -> Result<Vec<f64>> {
    if let Some(nearness) = view.recipe.method.nearness() {
        return vectors::similarities(view, nearness, pairs);
    }
    let mut similarities = Vec::with_capacity(pairs.len());
    let limit = view.budget.chunk(view.store.bytes_in_memory());
    let mut rest = pairs;
    while !rest.is_empty() {
        let taken = packing::pairs_that_fit(view, rest, limit)?;
        let (here, after) = rest.split_at(taken);
        rest = after;
        let mut numbers: Vec<Number> = here.iter().flat_map(|&(a, b)| [a, b]).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut loaded = Loaded::default();
        Loader::of_sources(view, &NearMisses::default()).append(
            &mut loaded,
            0,
            &Members::of(numbers),
            false,
            |_| Role::Both,
        )?;
        let chunk = loaded.chunk;
        let mut places: Vec<(Number, usize)> = chunk.numbers.iter().copied().zip(0..).collect();
        places.sort_unstable();
        let place = |number: Number| places[places.partition_point(|(other, _)| *other < number)].1;
        for &(a, b) in here {
            view.observer.go_on()?;
            similarities.push(chunk.similarity(place(a), place(b), view.recipe));
        }
    }
    Ok(similarities)
}
