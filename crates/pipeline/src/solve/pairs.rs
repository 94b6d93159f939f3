//! Candidates -> all verified pairs.

use super::buckets::Lookup;
use super::chunk::{Chunk, Role, Verdict, are_compared};
use super::index::Symmetric;
use super::{Found, Using};
use crate::Result;
use crate::method::Recipe;
use crate::report::PairCounts;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

/// Pairs that a thread finds before they are handed on, about.
const PAIRS_AT_A_TIME: usize = 1 << 14;

/// Ranges of documents that a thread looks at before all pairs are handed on.
const RANGES_PER_THREAD: usize = 8;

/// Compares every document with all its candidates before it; hands the verified pairs to `visit`. Listed documents are
/// not compared with each other, nor are asking ones.
pub(crate) fn pairs(
    chunk: &Chunk,
    recipe: &Recipe,
    using: Using<'_>,
    counts: &mut PairCounts,
    visit: &mut dyn FnMut(Found),
) -> Result<()> {
    let Using { threads, observer, .. } = using;
    let index = Symmetric::new(chunk, recipe, using)?;
    // Before this one nobody has anybody to be compared with.
    let first = chunk.roles.iter().position(|&role| role != Role::Listed).unwrap_or(chunk.len());
    let look = |range: std::ops::Range<usize>| -> Result<(Vec<Found>, PairCounts)> {
        let (mut lookup, mut found, mut counts) = (Lookup::default(), Vec::new(), PairCounts::default());
        for at in range.filter(|&at| at >= first) {
            observer.go_on()?;
            index.look_up_members(at, &mut lookup);
            for (step, &(other, shared)) in lookup.found.iter().enumerate() {
                observer.go_on_at(step)?;
                if !are_compared(chunk.roles[at], chunk.roles[other as usize]) {
                    continue;
                }
                let shared = index.shared_keys(chunk, recipe, at, other as usize, shared);
                if shared == 0 {
                    continue;
                }
                let verdict = chunk.compare(at, other as usize, shared, recipe)?;
                if verdict == Verdict::Unlike {
                    continue;
                }
                counts.candidates += 1;
                match verdict {
                    Verdict::Unlike | Verdict::Filtered => counts.filtered += 1,
                    Verdict::Below => counts.compared += 1,
                    Verdict::Similar(evidence) => {
                        counts.compared += 1;
                        counts.verified += 1;
                        let (number, other) = (chunk.numbers[at], chunk.numbers[other as usize]);
                        found.push(Found { number, other, evidence });
                    }
                }
            }
        }
        Ok((found, counts))
    };
    // Where all are alike, a document has as many pairs as there are documents before it: so many documents at a time
    // that their pairs are few.
    let step = (PAIRS_AT_A_TIME / chunk.len().max(1)).clamp(8, 256);
    let ranges: Vec<_> =
        (0..chunk.len()).step_by(step).map(|start| start..(start + step).min(chunk.len())).collect();
    let mut take = |(found, more): (Vec<Found>, PairCounts)| {
        counts.add(&more);
        found.into_iter().for_each(&mut *visit);
    };
    if threads <= 1 {
        return ranges.into_iter().try_for_each(|range| look(range).map(&mut take));
    }
    for some in ranges.chunks(RANGES_PER_THREAD * threads) {
        let looks: Vec<_> = some.par_iter().map(|range| look(range.clone())).collect();
        looks.into_iter().try_for_each(|look| look.map(&mut take))?;
    }
    Ok(())
}
