//! A connected set -> those that share a rare shingle.
//!
//! Similar documents have a shingle in common among their first
//! ones, in an order that puts rare shingles first (see [`prefixes`](crate::solve)): these shingles are brought together like
//! the keys of bands, in files, and only what they connect, and the signatures do not rule out, stays connected.
//!
//! **Cost.** Two passes over the texts of the set, and the memory of [`grouping`](crate::candidates::grouping).

use crate::Result;
use crate::candidates::forest::Forest;
use crate::candidates::grouping::{Visitor, on_disk};
use crate::limits::sorted::Room;
use crate::method::short::prefix_length;
use crate::store::Number;
use crate::verify::loading::stream_elements;
use crate::verify::packing::Connected;
use crate::view::View;

/// Slots of the table in which shingles are counted. Two shingles in one slot count as one more frequent one, which
/// changes the order for all documents alike.
const COUNTED: usize = 1 << 21;

/// Up to so many documents, the signatures of a group are compared with each other before it is said to be connected.
const COMPARED_GROUP: usize = 128;

/// Connects in `forest` what must stay connected of a set, which `documents` hands out ascending.
pub(super) fn connect<S>(
    view: View<'_>,
    room: Room<'_>,
    documents: &impl Fn() -> S,
    forest: &mut Forest,
) -> Result<()>
where
    S: Iterator<Item = Result<Connected>> + Send,
{
    let mut reservation = view.budget.reservation();
    reservation.grow((COUNTED * size_of::<u32>()) as u64);
    let numbers = || documents().map(|document| document.map(|document| document.number));
    let counts = count(view, numbers())?;
    let count_of = |element: u64| counts[slot(element)];
    let mut shown = 0;
    for (step, document) in documents().enumerate() {
        view.observer.go_on_at(step)?;
        shown += prefix_length(document?.size as usize, &view.recipe.verifier) as u64;
    }
    let scan = |take: &mut Visitor<'_>| {
        let (mut ordered, mut keys) = (Vec::new(), Vec::new());
        stream_elements(
            view,
            numbers(),
            |_| true,
            |number, set| {
                ordered.clear();
                ordered.extend(set.iter().map(|&element| (count_of(element), element)));
                let length = prefix_length(set.len(), &view.recipe.verifier);
                if length < ordered.len() {
                    ordered.select_nth_unstable(length);
                }
                keys.clear();
                // What occurs once meets nothing.
                let shared = ordered[..length.min(ordered.len())].iter().filter(|(count, _)| *count > 1);
                keys.extend(shared.map(|&(_, element)| (number, element)));
                if set.is_empty() {
                    keys.push((number, u64::MAX));
                }
                take(&keys);
                Ok(())
            },
        )
    };
    on_disk(shown.max(1), view.budget.grouping(), room, &scan, &mut |ranges| {
        (0..ranges.len()).try_for_each(|range| {
            ranges.groups(range, &mut |group| group.visit(|piece| connect_group(view, piece, forest)))
        })
    })
}

fn slot(element: u64) -> usize {
    (element.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - COUNTED.trailing_zeros())) as usize
}

/// In how many documents the shingles of each slot are.
fn count(view: View<'_>, numbers: impl Iterator<Item = Result<Number>> + Send) -> Result<Vec<u32>> {
    let mut counts = vec![0u32; COUNTED];
    let every = |_: Number, set: &[u64]| {
        set.iter().for_each(|&element| counts[slot(element)] += 1);
        Ok(())
    };
    stream_elements(view, numbers, |_| true, every)?;
    Ok(counts)
}

/// Connects the documents of a group; those of a small one only where their signatures allow it.
fn connect_group(view: View<'_>, group: &[(Number, u64)], forest: &mut Forest) -> Result<()> {
    if group.len() > COMPARED_GROUP {
        group.windows(2).for_each(|pair| {
            forest.join(pair[0].0, pair[1].0);
        });
        return Ok(());
    }
    // Most were connected by an earlier shingle.
    let root = forest.root(group[0].0);
    if group.iter().all(|&(number, _)| forest.root(number) == root) {
        return Ok(());
    }
    let here: Vec<Number> = group.iter().map(|&(number, _)| number).collect();
    let lanes = view.store.lanes_of(&here)?;
    for later in 0..group.len() {
        for earlier in 0..later {
            let (a, b) = (group[earlier].0, group[later].0);
            if forest.root(a) != forest.root(b)
                && view.recipe.method.may_be_similar(lanes.of(earlier), lanes.of(later))
            {
                forest.join(a, b);
            }
        }
    }
    Ok(())
}
