//! Candidates -> connected components of the verified pairs.
//!
//! Two documents that are connected already need not be compared. In each bucket the documents are kept together with
//! those they are connected with, so that a bucket of a million look-alikes costs each of them one comparison here too.

use super::Using;
use super::chunk::{Chunk, Role, Verdict};
use super::index::Symmetric;
use crate::candidates::forest::Forest;
use crate::method::Recipe;
use crate::report::PairCounts;
use crate::{Observer, Result};

/// Documents of a bucket that are connected.
type Connected = Vec<u32>;

/// Joins in `forest` what is connected by verified pairs of this chunk.
pub(crate) fn components(
    chunk: &Chunk,
    recipe: &Recipe,
    using: Using<'_>,
    counts: &mut PairCounts,
    forest: &mut Forest,
) -> Result<()> {
    let index = Symmetric::new(chunk, recipe, using)?;
    let mut joiner = Joiner { chunk, recipe, observer: using.observer, counts };
    let (buckets, met_by_all): (_, &[u32]) = match &index {
        Symmetric::Bands(buckets) => (buckets, &[]),
        Symmetric::Combined(combinations) => (combinations.buckets(), combinations.met_by_all()),
        Symmetric::Neighbours(neighbours) => {
            for at in 0..chunk.len() {
                for &other in neighbours.of(at) {
                    joiner.join_if_similar(at, other as usize, forest)?;
                }
            }
            return Ok(());
        }
    };
    let mut members: Vec<Vec<Connected>> = vec![Vec::new(); buckets.len()];
    for at in 0..chunk.len() {
        for &bucket in buckets.asked_by(at) {
            joiner.meet(at, &mut members[bucket as usize], forest)?;
        }
        if chunk.roles[at] != Role::Asking {
            for &bucket in buckets.of(at) {
                list(at, &mut members[bucket as usize], chunk, forest);
            }
        }
    }
    for &at in met_by_all {
        for other in 0..chunk.len() {
            joiner.join_if_similar(at as usize, other, forest)?;
        }
    }
    Ok(())
}

/// Lists a document in a bucket, with those that it is connected with.
fn list(at: usize, sets: &mut Vec<Connected>, chunk: &Chunk, forest: &mut Forest) {
    let root = forest.root(chunk.numbers[at]);
    match sets.iter_mut().rev().find(|set| forest.root(chunk.numbers[set[0] as usize]) == root) {
        Some(set) => set.push(at as u32),
        None => sets.push(vec![at as u32]),
    }
}

struct Joiner<'a> {
    chunk: &'a Chunk,
    recipe: &'a Recipe,
    observer: &'a dyn Observer,
    counts: &'a mut PairCounts,
}

impl Joiner<'_> {
    /// Compares a document with those of a bucket that it is not connected with, up to the first of each set that is
    /// similar. Sets that are connected by then become one.
    fn meet(&mut self, at: usize, sets: &mut Vec<Connected>, forest: &mut Forest) -> Result<()> {
        let mut own: Connected = Vec::new();
        let mut place = 0;
        while place < sets.len() {
            self.observer.go_on()?;
            let (number, first) = (self.chunk.numbers[at], self.chunk.numbers[sets[place][0] as usize]);
            let mut connected = forest.root(first) == forest.root(number);
            for &other in &sets[place] {
                if connected {
                    break;
                }
                connected = self.join_if_similar(at, other as usize, forest)?;
            }
            if connected {
                let mut joined = sets.swap_remove(place);
                if own.len() < joined.len() {
                    std::mem::swap(&mut own, &mut joined);
                }
                own.extend(joined);
            } else {
                place += 1;
            }
        }
        if !own.is_empty() {
            sets.push(own);
        }
        Ok(())
    }

    /// Compares two documents, unless they are connected, and connects them if they are similar.
    fn join_if_similar(&mut self, a: usize, b: usize, forest: &mut Forest) -> Result<bool> {
        let Self { chunk, recipe, observer, ref mut counts } = *self;
        observer.go_on()?;
        let (at, other) = (a.max(b), a.min(b));
        let (number, earlier) = (chunk.numbers[at], chunk.numbers[other]);
        if at == other || chunk.roles[at] == Role::Listed || chunk.roles[other] == Role::Asking {
            return Ok(false);
        }
        if forest.root(number) == forest.root(earlier) {
            return Ok(true);
        }
        let shared = chunk.shared_keys(at, other, recipe);
        let verdict = if shared > 0 { chunk.compare(at, other, shared, recipe)? } else { Verdict::Unlike };
        counts.candidates += u64::from(verdict != Verdict::Unlike);
        counts.filtered += u64::from(verdict == Verdict::Filtered);
        counts.compared += u64::from(!matches!(verdict, Verdict::Unlike | Verdict::Filtered));
        let similar = matches!(verdict, Verdict::Similar(_));
        if similar {
            forest.join(number, earlier);
        }
        Ok(similar)
    }
}
