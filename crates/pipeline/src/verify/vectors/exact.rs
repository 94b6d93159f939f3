//! A batch of vectors and a segment -> which of them are near, by comparing all.
//!
//! A thousand look-alikes are half a million near pairs. So pairs are handed over in pieces, and survivors within a batch are found by
//! halves, as in [`banded`](super::banded): what is left of the first half removes what it is near to from the second, and then
//! the rest of the second half is decided in the same way.

use super::{QUERIES, Segment};
use crate::limits::bits::Bits;
use crate::limits::ordered::lock;
use crate::solve::{Role, are_compared};
use lookalike::vectors::Near;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Mutex;

/// So many vectors are decided by the list of their near pairs.
const FEW: usize = if cfg!(test) { 4 } else { 64 };

/// The number of vectors of a segment that some of a batch are compared with at a time: what is near is collected before it is
/// handed out.
const PIECE: usize = if cfg!(test) { 7 } else { 1024 };

/// The number of pairs that a thread collects before it hands them over.
const PAIRS: usize = if cfg!(test) { 5 } else { 4096 };

/// A vector of a batch, one of a segment that is near and may be compared with it, and the value of the two.
#[derive(Debug, Clone, Copy)]
pub(super) struct NearPair {
    pub(super) of_batch: usize,
    pub(super) of_segment: usize,
    pub(super) value: f64,
}

impl Segment {
    /// Hands out the near pairs of some vectors of a batch with some of this segment.
    fn visit_near(
        &self,
        batch: &Self,
        of: Range<usize>,
        positions: Range<usize>,
        mut visit: impl FnMut(NearPair),
    ) {
        let (first, mut begin) = (of.start, positions.start);
        while begin < positions.end {
            let end = (begin + PIECE).min(positions.end);
            self.vectors.visit_near_of(
                &batch.vectors,
                of.clone(),
                begin..end,
                |Near { query, position, value }| {
                    let (item, other) = (&batch.items[first + query], &self.items[position]);
                    if item.within == other.within && are_compared(item.role, other.role) {
                        visit(NearPair { of_batch: first + query, of_segment: position, value });
                    }
                },
            );
            begin = end;
        }
    }

    /// Hands over all near pairs, in any order. Without a batch, those of the segment itself, each vector with those before it.
    pub(super) fn each_near(&self, batch: Option<&Self>, visit: &mut (dyn FnMut(NearPair) + Send)) {
        let visit = Mutex::new(visit);
        parts(0..batch.unwrap_or(self).items.len()).into_par_iter().for_each(|of| {
            let last = if batch.is_none() { of.end } else { self.items.len() };
            let mut found = Vec::new();
            let hand_over = |found: &mut Vec<NearPair>| {
                let mut visit = lock(&visit);
                found.drain(..).for_each(&mut *visit);
            };
            self.visit_near(batch.unwrap_or(self), of, 0..last, |pair| {
                if batch.is_some() || pair.of_segment < pair.of_batch {
                    found.push(pair);
                }
                if found.len() == PAIRS {
                    hand_over(&mut found);
                }
            });
            hand_over(&mut found);
        });
    }

    /// For some vectors of a batch, the first one of some of this segment that may remove it. Nothing is found for vectors that
    /// are not removed.
    pub(super) fn first_near(
        &self,
        batch: &Self,
        of: Range<usize>,
        positions: Range<usize>,
        may_remove: impl Fn(usize) -> bool + Sync,
    ) -> Vec<NearPair> {
        let found: Vec<Vec<NearPair>> = parts(of)
            .into_par_iter()
            .map(|of| {
                let begin = of.start;
                let mut first: Vec<Option<NearPair>> = vec![None; of.len()];
                self.visit_near(batch, of, positions.clone(), |pair| {
                    let known = &mut first[pair.of_batch - begin];
                    let is_earlier = known.is_none_or(|known| pair.of_segment < known.of_segment);
                    let is_removed = batch.items[pair.of_batch].role != Role::Listed;
                    if is_earlier && is_removed && may_remove(pair.of_segment) {
                        *known = Some(pair);
                    }
                });
                first.into_iter().flatten().collect()
            })
            .collect();
        found.into_iter().flatten().collect()
    }

    /// Decides which of some vectors are left, among themselves. Those that are removed are added to `gone`, and handed to `visit` with
    /// the first one that is left and near.
    pub(super) fn decide(&self, some: Range<usize>, gone: &mut Bits, visit: &mut dyn FnMut(NearPair)) {
        if some.len() <= FEW {
            self.decide_few(some, gone, visit);
            return;
        }
        let middle = some.start + some.len() / 2;
        let (early, late) = (some.start..middle, middle..some.end);
        self.decide(early.clone(), gone, visit);
        let is_left =
            |position: usize| self.may_remove(position) && !gone.contains(self.items[position].number);
        let found = self.first_near(self, late.clone(), early, is_left);
        // What is gone already was removed by a vector that comes earlier.
        for pair in found {
            let number = self.items[pair.of_batch].number;
            if !gone.contains(number) {
                gone.insert(number);
                visit(pair);
            }
        }
        self.decide(late, gone, visit);
    }

    fn decide_few(&self, some: Range<usize>, gone: &mut Bits, visit: &mut dyn FnMut(NearPair)) {
        let mut pairs = Vec::new();
        self.visit_near(self, some.clone(), some, |pair| {
            let is_removed = self.items[pair.of_batch].role != Role::Listed;
            if pair.of_segment < pair.of_batch && is_removed && self.may_remove(pair.of_segment) {
                pairs.push(pair);
            }
        });
        pairs.sort_unstable_by_key(|pair| (pair.of_batch, pair.of_segment));
        for pair in pairs {
            let numbers = [pair.of_batch, pair.of_segment].map(|position| self.items[position].number);
            if numbers.iter().all(|&number| !gone.contains(number)) {
                gone.insert(numbers[0]);
                visit(pair);
            }
        }
    }

    fn may_remove(&self, position: usize) -> bool {
        self.items[position].role != Role::Asking
    }
}

/// Some vectors in parts, one for a thread at a time.
fn parts(of: Range<usize>) -> Vec<Range<usize>> {
    of.clone().step_by(QUERIES).map(|first| first..(first + QUERIES).min(of.end)).collect()
}
