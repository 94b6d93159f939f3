//! The positions of shingles -> runs of equal shingles that cover all shared shingles.

use super::occurrences::{Occurrences, Positions};
use super::order::in_order;
use std::ops::Range;

/// The best of this many occurrences of a repeated shingle is chosen.
const CHOICES: usize = 8;
/// The choice of the best occurrence compares at most this many shingles.
const LOOK_AHEAD: usize = 32;

/// Shingles of A and equal shingles of B.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pairing {
    pub(super) a: Stretch,
    pub(super) b: Stretch,
    pub(super) owner: Owner,
}

/// The side or sides whose shingles belong to a pairing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Owner {
    Both,
    OnlyA,
    OnlyB,
}

/// Shingles that follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) start: usize,
    pub(super) len: usize,
}

impl Stretch {
    pub(super) fn range(self) -> Range<usize> {
        self.start..self.start + self.len
    }
}

/// All runs, in an order that depends only on the texts. Runs that belong to both sides come first.
pub(super) fn find(occurrences: &Occurrences) -> Vec<Pairing> {
    let Occurrences { a, b } = occurrences;
    let mut search =
        Search { a, b, taken_a: vec![false; a.len()], taken_b: vec![false; b.len()], runs: Vec::new() };
    search.grow_from_unique();
    search.pair_in_gaps();
    search.pair_free();
    search.repeat();
    search.runs
}

struct Search<'o> {
    a: &'o Positions,
    b: &'o Positions,
    taken_a: Vec<bool>,
    taken_b: Vec<bool>,
    runs: Vec<Pairing>,
}

impl Search<'_> {
    /// Grows runs from the shingles that occur once in each text, and so have only one possible partner.
    fn grow_from_unique(&mut self) {
        for i in 0..self.a.len() {
            let number = self.a.numbers[i];
            if let ([_], [j], false) = (self.a.of(number), self.b.of(number), self.taken_a[i]) {
                self.grow(i, *j as usize);
            }
        }
    }

    /// Pairs free shingles between two runs that are in order with free shingles between the same runs in the other
    /// text.
    fn pair_in_gaps(&mut self) {
        let anchors = in_order(&self.runs);
        let mut gap = (0, 0);
        let ends = [(self.a.len(), self.b.len())];
        let starts = anchors.iter().map(|run| (run.a.start, run.b.start)).chain(ends);
        let mut behind = anchors.iter().map(|run| (run.a.range().end, run.b.range().end));
        for start in starts {
            for i in gap.0..start.0 {
                if self.taken_a[i] {
                    continue;
                }
                let all = self.b.of(self.a.numbers[i]);
                let from = all.partition_point(|&j| (j as usize) < gap.1);
                let to = all.partition_point(|&j| (j as usize) < start.1);
                if let Some(j) = self.best_free(i, all.get(from..to).unwrap_or_default()) {
                    self.grow(i, j);
                }
            }
            gap = behind.next().unwrap_or(start);
        }
    }

    /// Pairs shingles that are free in both texts, at any position.
    fn pair_free(&mut self) {
        // For each shingle, how many of its first occurrences in B are known to be taken.
        let mut known = vec![0u32; self.b.different()];
        for i in 0..self.a.len() {
            if self.taken_a[i] {
                continue;
            }
            let number = self.a.numbers[i] as usize;
            let all = self.b.of(self.a.numbers[i]);
            let mut free = &all[known[number] as usize..];
            while let Some((_, rest)) = free.split_first().filter(|(first, _)| self.taken_b[**first as usize])
            {
                free = rest;
            }
            known[number] = (all.len() - free.len()) as u32;
            if let Some(j) = self.best_free(i, free) {
                self.grow(i, j);
            }
        }
    }

    /// The best of the first free positions among `choices` for position `i` of A, which is free.
    fn best_free(&self, i: usize, choices: &[u32]) -> Option<usize> {
        best(self.a, i, self.b, choices, |a, b| !self.taken_a[a] && !self.taken_b[b])
    }

    /// Makes a run of the equal and free shingles around `i` of A and `j` of B, which are equal and free.
    fn grow(&mut self, i: usize, j: usize) {
        let goes_on = |search: &Self, i: usize, j: usize| {
            search.a.numbers[i] == search.b.numbers[j] && !search.taken_a[i] && !search.taken_b[j]
        };
        let (mut start, mut len) = ((i, j), 1);
        while start.0 > 0 && start.1 > 0 && goes_on(self, start.0 - 1, start.1 - 1) {
            start = (start.0 - 1, start.1 - 1);
            len += 1;
        }
        let room = (self.a.len() - start.0).min(self.b.len() - start.1);
        while len < room && goes_on(self, start.0 + len, start.1 + len) {
            len += 1;
        }
        self.taken_a[start.0..start.0 + len].fill(true);
        self.taken_b[start.1..start.1 + len].fill(true);
        let (a, b) = (Stretch { start: start.0, len }, Stretch { start: start.1, len });
        self.runs.push(Pairing { a, b, owner: Owner::Both });
    }

    /// Makes repetitions of the shared shingles that found no free partner.
    fn repeat(&mut self) {
        let of_a = repetitions(self.a, &mut self.taken_a, self.b);
        let of_b = repetitions(self.b, &mut self.taken_b, self.a);
        self.runs.extend(of_a.into_iter().map(|(a, b)| Pairing { a, b, owner: Owner::OnlyA }));
        self.runs.extend(of_b.into_iter().map(|(b, a)| Pairing { a, b, owner: Owner::OnlyB }));
    }
}

/// Runs that cover all shared shingles of one text that are not taken yet. Their partners in the other text may be at
/// any position.
fn repetitions(one: &Positions, taken: &mut [bool], other: &Positions) -> Vec<(Stretch, Stretch)> {
    let mut runs = Vec::new();
    for i in 0..one.len() {
        if taken[i] {
            continue;
        }
        let Some(j) = best(one, i, other, other.of(one.numbers[i]), |i, _| !taken[i]) else { continue };
        let room = (one.len() - i).min(other.len() - j);
        let goes_on = |len: usize| !taken[i + len] && one.numbers[i + len] == other.numbers[j + len];
        let len = (0..room).take_while(|&len| goes_on(len)).count();
        taken[i..i + len].fill(true);
        runs.push((Stretch { start: i, len }, Stretch { start: j, len }));
    }
    runs
}

/// Chooses a partner for the shingle at `i` of `one` among the first of `choices`, its occurrences in `other`. It is
/// the occurrence from which the texts agree for longest, over pairs that are allowed; the first one if several are
/// equal.
fn best(
    one: &Positions,
    i: usize,
    other: &Positions,
    choices: &[u32],
    is_allowed: impl Fn(usize, usize) -> bool,
) -> Option<usize> {
    let mut best = None;
    for &start in choices.iter().take(CHOICES) {
        let start = start as usize;
        let room = (one.len() - i).min(other.len() - start).min(LOOK_AHEAD);
        let goes_on = |&len: &usize| {
            one.numbers[i + len] == other.numbers[start + len] && is_allowed(i + len, start + len)
        };
        let len = (0..room).take_while(goes_on).count();
        if len > best.map_or(0, |(len, _)| len) {
            best = Some((len, start));
        }
    }
    best.map(|(_, start)| start)
}
