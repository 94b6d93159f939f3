//! Candidates -> survivors, by the rule of the contract.
//!
//! On several threads the documents are taken in batches. First every document of a batch is compared with the
//! documents kept before the batch, all at once; then those that are left are decided one after the other, with what
//! can be compared ahead compared ahead. What is decided, and which comparisons count, is the same as one after the
//! other.

use super::buckets::{Buckets, Lookup};
use super::chunk::{Chunk, Role, Verdict};
use super::index::Index;
use super::near_misses::NearMisses;
use super::{Evidence, Found, Using};
use crate::method::Recipe;
use crate::report::PairCounts;
use crate::{Observer, Result};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

/// The first batch; each is twice as long as the one before, up to the last.
const FIRST_BATCH: usize = 64;
const LAST_BATCH: usize = 16_384;

/// So many pairs per document are compared ahead.
const AHEAD: usize = 8;

/// What one document came to, against some of its candidates.
#[derive(Debug, Default)]
pub(super) struct Look {
    pub found: Option<(u32, Evidence)>,
    pub counts: PairCounts,
    /// Pairs below the threshold that may be in the sample.
    pub near: Vec<u32>,
}

/// What is needed to look at a document.
pub(super) struct Looker<'a> {
    pub chunk: &'a Chunk,
    pub recipe: &'a Recipe,
    pub near_misses: &'a NearMisses,
    pub observer: &'a dyn Observer,
    /// Whether candidates share as many bands as they were met in buckets.
    pub by_bands: bool,
}

impl Looker<'_> {
    /// Looks at one pair that was met in `met` buckets.
    fn compare(&self, at: usize, other: u32, met: u32) -> Result<Verdict> {
        let other = other as usize;
        let shared = if self.by_bands { met } else { self.chunk.shared_keys(at, other, self.recipe) };
        if shared == 0 {
            return Ok(Verdict::Unlike);
        }
        self.chunk.compare(at, other, shared, self.recipe)
    }

    /// Compares a document with candidates in order, up to the first that is similar enough. Verdicts that are known
    /// already are not found again.
    pub(super) fn look(
        &self,
        at: usize,
        candidates: &[(u32, u32)],
        known: &[(u32, Verdict)],
    ) -> Result<Look> {
        let mut look = Look::default();
        self.observer.go_on()?;
        for (step, &(other, shared)) in candidates.iter().enumerate() {
            self.observer.go_on_at(step)?;
            let verdict = match known.binary_search_by_key(&other, |(other, _)| *other) {
                Ok(place) => known[place].1,
                Err(_) => self.compare(at, other, shared)?,
            };
            if verdict == Verdict::Unlike {
                continue;
            }
            look.counts.candidates += 1;
            match verdict {
                Verdict::Unlike | Verdict::Filtered => look.counts.filtered += 1,
                Verdict::Below => {
                    look.counts.compared += 1;
                    if self.near_misses.may_take(self.chunk.numbers[at], self.chunk.numbers[other as usize]) {
                        look.near.push(other);
                    }
                }
                Verdict::Similar(evidence) => {
                    look.counts.compared += 1;
                    look.counts.verified += 1;
                    look.found = Some((other, evidence));
                    break;
                }
            }
        }
        Ok(look)
    }
}

/// Decides every document of a chunk; hands the removed ones to `visit`.
pub(crate) fn greedy(
    chunk: &Chunk,
    recipe: &Recipe,
    using: Using<'_>,
    near_misses: &NearMisses,
    counts: &mut PairCounts,
    visit: &mut dyn FnMut(Found),
) -> Result<()> {
    let Using { threads, observer, .. } = using;
    let mut index = Index::new(chunk, recipe, using)?;
    let looker = Looker { chunk, recipe, near_misses, observer, by_bands: matches!(index, Index::Bands(_)) };
    let mut lookup = Lookup::default();
    let mut take = |at: usize, look: Look| -> bool {
        counts.add(&look.counts);
        for other in look.near {
            near_misses.take(chunk, at, other as usize, recipe);
        }
        if let Some((other, evidence)) = look.found {
            visit(Found { number: chunk.numbers[at], other: chunk.numbers[other as usize], evidence });
            return true;
        }
        false
    };
    let (mut start, mut length) = (0, FIRST_BATCH);
    while start < chunk.len() {
        let end = chunk.len().min(if threads > 1 { start + length } else { usize::MAX });
        length = (length * 2).min(LAST_BATCH);
        let asking: Vec<usize> = (start..end).filter(|&at| chunk.roles[at] != Role::Listed).collect();
        let mut left: Vec<usize> = asking;
        let mut known: Vec<Vec<(u32, Verdict)>> = Vec::new();
        if threads > 1 {
            let looks: Vec<Result<Look>> = left.par_iter_in_order(|&at, lookup: &mut Lookup| {
                index.look_up_listed(at, 0, lookup);
                looker.look(at, &lookup.found, &[])
            });
            let mut undecided = Vec::new();
            for (&at, look) in left.iter().zip(looks) {
                if !take(at, look?) {
                    undecided.push(at);
                }
            }
            left = undecided;
            if let Index::Bands(buckets) = &index {
                known = ahead(&looker, buckets, &left, start as u32)?;
            }
        }
        let mut place = 0;
        for at in start..end {
            if chunk.roles[at] == Role::Listed {
                index.list(at);
                continue;
            }
            if left.get(place) != Some(&at) {
                continue;
            }
            let from = if threads > 1 { start as u32 } else { 0 };
            index.look_up_listed(at, from, &mut lookup);
            let known = known.get(place).map_or(&[][..], Vec::as_slice);
            let look = looker.look(at, &lookup.found, known)?;
            if !take(at, look) && chunk.roles[at] == Role::Both {
                index.list(at);
            }
            place += 1;
        }
        start = end;
    }
    Ok(())
}

/// Verdicts on pairs within a batch that will probably be asked for: where a document has few candidates in it.
fn ahead(
    looker: &Looker<'_>,
    buckets: &Buckets,
    left: &[usize],
    from: u32,
) -> Result<Vec<Vec<(u32, Verdict)>>> {
    let verdicts: Vec<Result<Vec<(u32, Verdict)>>> = left.par_iter_in_order(|&at, lookup: &mut Lookup| {
        buckets.look_up_members(at, from, lookup);
        if lookup.found.len() > AHEAD {
            return Ok(Vec::new());
        }
        let open = lookup.found.iter().filter(|(other, _)| left.binary_search(&(*other as usize)).is_ok());
        open.map(|&(other, shared)| Ok((other, looker.compare(at, other, shared)?))).collect()
    });
    verdicts.into_iter().collect()
}

/// Results on all threads of the pool, in order, with a state per thread.
trait InOrder<T> {
    fn par_iter_in_order<S: Default, R: Send>(&self, work: impl Fn(&T, &mut S) -> R + Sync) -> Vec<R>;
}

impl<T: Sync> InOrder<T> for Vec<T> {
    fn par_iter_in_order<S: Default, R: Send>(&self, work: impl Fn(&T, &mut S) -> R + Sync) -> Vec<R> {
        self.as_slice().par_iter_in_order(work)
    }
}

impl<T: Sync> InOrder<T> for [T] {
    fn par_iter_in_order<S: Default, R: Send>(&self, work: impl Fn(&T, &mut S) -> R + Sync) -> Vec<R> {
        self.chunks(16)
            .collect::<Vec<_>>()
            .into_par_iter()
            .flat_map_iter(|items| {
                let mut state = S::default();
                items.iter().map(|item| work(item, &mut state)).collect::<Vec<_>>()
            })
            .collect()
    }
}
