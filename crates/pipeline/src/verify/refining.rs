//! A connected set that does not fit in memory -> smaller ones.
//!
//! Documents that share half of their text share a band now and then. Among many of them that connects all, though hardly
//! any two are similar enough. A set that does not fit in memory must be compared piece by piece with itself,
//! which is quadratic; so it is looked at once more before. Similar documents have a shingle in common among their first
//! ones, in an order that puts rare shingles first (see [`prefixes`](crate::solve)): these shingles are brought together like
//! the keys of bands, in files, and only what they connect, and the signatures do not rule out, stays connected. Nothing is lost.
//!
//! **Cost.** Two passes over the texts of the set, and the memory of [`grouping`](crate::grouping).

use super::loading::visit_elements;
use super::packing::Members;
use crate::forest::Forest;
use crate::grouping::{Taker, on_disk};
use crate::method::Sketching;
use crate::solve::prefix_length;
use crate::store::Number;
use crate::view::View;
use crate::work::Work;
use crate::{Measure, Result, Verify};
use lookalike::minhash::lanes::matching_lanes;

/// Slots of the table in which shingles are counted. Two shingles in one slot count as one more frequent one, which
/// changes the order for all documents alike.
const COUNTED: usize = 1 << 21;

/// Up to so many documents, the signatures of a group are compared with each other before it is said to be connected.
const COMPARED_GROUP: usize = 128;

/// Whether sets can be refined: the measure and the method must allow it.
pub(super) fn is_possible(view: View<'_>) -> bool {
    let settings = &view.means.settings;
    matches!(view.means.sketching, Sketching::Bands { .. })
        && settings.verify == Verify::Exact
        && settings.measure == Measure::Jaccard
}

/// The sets of at least two documents that are still connected, each ascending, of a connected set (ascending).
pub(super) fn refine(view: View<'_>, numbers: Vec<Number>, work: &Work) -> Result<Vec<Vec<Number>>> {
    let members = Members::of(numbers);
    let counts = count(view, &members)?;
    let count_of = |element: u64| counts[slot(element)];
    let shown: u64 = {
        let entries = view.store.entries_of(&members.numbers)?;
        entries.iter().map(|entry| prefix_length(entry.size as usize, view.means) as u64).sum()
    };
    let mut forest = Forest::new(members.numbers.len() as u64);
    let scan = |take: &mut Taker<'_>| {
        let (mut ordered, mut keys) = (Vec::new(), Vec::new());
        let mut visit = |place: usize, set: &[u64]| {
            ordered.clear();
            ordered.extend(set.iter().map(|&element| (count_of(element), element)));
            let length = prefix_length(set.len(), view.means);
            if length < ordered.len() {
                ordered.select_nth_unstable(length);
            }
            keys.clear();
            // What occurs once meets nothing.
            let shared = ordered[..length.min(ordered.len())].iter().filter(|(count, _)| *count > 1);
            keys.extend(shared.map(|&(_, element)| (place as Number, element)));
            if set.is_empty() {
                keys.push((place as Number, u64::MAX));
            }
            take(&keys);
        };
        visit_sets(view, &members, &mut visit)
    };
    let mut failure = None;
    on_disk(shown.max(1), view.budget.grouping(), work.spill_folder()?, &scan, &mut |files| {
        for file in files {
            file.groups(view.observer, &mut |group| {
                if failure.is_none() {
                    failure = connect(view, &members.numbers, group, &mut forest).err();
                }
            })?;
        }
        Ok(())
    })?;
    if let Some(failure) = failure {
        return Err(failure);
    }
    let mut by_root: Vec<(Number, Number)> = (0..members.numbers.len() as Number)
        .map(|place| (forest.root(place), members.numbers[place as usize]))
        .collect();
    by_root.sort_unstable();
    let sets = by_root.chunk_by(|a, b| a.0 == b.0).filter(|set| set.len() > 1);
    Ok(sets.map(|set| set.iter().map(|&(_, number)| number).collect()).collect())
}

fn slot(element: u64) -> usize {
    (element.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - COUNTED.trailing_zeros())) as usize
}

/// In how many documents the shingles of each slot are.
fn count(view: View<'_>, members: &Members) -> Result<Vec<u32>> {
    let mut counts = vec![0u32; COUNTED];
    visit_sets(view, members, &mut |_, set| {
        set.iter().for_each(|&element| counts[slot(element)] += 1);
    })?;
    Ok(counts)
}

/// Hands the sorted set of each document to `visit`, with the document's place.
fn visit_sets(
    view: View<'_>,
    members: &Members,
    visit: &mut (dyn FnMut(usize, &[u64]) + Send),
) -> Result<()> {
    visit_elements(view, members, None, |made| {
        for (place, span) in made.spans() {
            view.observer.go_on()?;
            visit(place, &made.elements[span.start as usize..span.end as usize]);
        }
        Ok(())
    })
}

/// Connects the documents of a group, by place; those of a small one only where their signatures allow it.
fn connect(view: View<'_>, numbers: &[Number], group: &[(Number, u64)], forest: &mut Forest) -> Result<()> {
    let Sketching::Bands { cutoff, .. } = &view.means.sketching else { return Ok(()) };
    if group.len() > COMPARED_GROUP {
        group.windows(2).for_each(|pair| {
            forest.join(pair[0].0, pair[1].0);
        });
        return Ok(());
    }
    // Most were connected by an earlier shingle.
    let root = forest.root(group[0].0);
    if group.iter().all(|&(place, _)| forest.root(place) == root) {
        return Ok(());
    }
    let here: Vec<Number> = group.iter().map(|&(place, _)| numbers[place as usize]).collect();
    let (lanes, width) = (view.store.lanes_of(&here)?, view.means.lanes());
    let lanes_of = |at: usize| &lanes[at * width..(at + 1) * width];
    for later in 0..group.len() {
        for earlier in 0..later {
            let (a, b) = (group[earlier].0, group[later].0);
            if forest.root(a) != forest.root(b)
                && matching_lanes(lanes_of(earlier), lanes_of(later)) >= *cutoff
            {
                forest.join(a, b);
            }
        }
    }
    Ok(())
}
