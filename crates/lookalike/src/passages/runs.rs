//! Where shingles occur -> runs of equal shingles that cover all shared ones.

use super::occurrences::{NONE, Occurrences, Positions};
use std::ops::Range;

/// Of how many occurrences of a repeated shingle the best is taken.
const CHOICES: usize = 8;
/// How far it is looked to see which is best.
const LOOK_AHEAD: usize = 32;

/// Shingles of A and equal ones of B.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pairing {
    pub(super) a: Stretch,
    pub(super) b: Stretch,
    pub(super) owner: Owner,
}

/// Whose shingles a pairing takes.
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

/// All runs, those of both sides first, in an order that only depends on the texts.
pub(super) fn find(occurrences: &Occurrences) -> Vec<Pairing> {
    let Occurrences { a, b } = occurrences;
    let mut search =
        Search { a, b, taken_a: vec![false; a.len()], taken_b: vec![false; b.len()], runs: Vec::new() };
    search.grow_from_unique();
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
    /// Shingles that occur once in both texts have one partner only.
    fn grow_from_unique(&mut self) {
        for i in 0..self.a.len() {
            let number = self.a.numbers[i] as usize;
            if !self.taken_a[i] && self.a.counts[number] == 1 && self.b.counts[number] == 1 {
                self.grow(i, self.b.first[number] as usize);
            }
        }
    }

    /// Shingles that are free in both texts.
    fn pair_free(&mut self) {
        let mut first_free = self.b.first.clone();
        for i in 0..self.a.len() {
            if self.taken_a[i] {
                continue;
            }
            let first = &mut first_free[self.a.numbers[i] as usize];
            while *first != NONE && self.taken_b[*first as usize] {
                *first = self.b.next[*first as usize];
            }
            if *first == NONE {
                continue;
            }
            let is_free = |a: usize, b: usize| !self.taken_a[a] && !self.taken_b[b];
            if let Some(j) = best(self.a, i, self.b, *first, is_free) {
                self.grow(i, j);
            }
        }
    }

    /// Takes the equal and free shingles around `i` of A and `j` of B, which are equal and free.
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

    /// Shared shingles that found no free partner.
    fn repeat(&mut self) {
        let of_a = repetitions(self.a, &mut self.taken_a, self.b);
        let of_b = repetitions(self.b, &mut self.taken_b, self.a);
        self.runs.extend(of_a.into_iter().map(|(a, b)| Pairing { a, b, owner: Owner::OnlyA }));
        self.runs.extend(of_b.into_iter().map(|(b, a)| Pairing { a, b, owner: Owner::OnlyB }));
    }
}

/// Runs that cover the shared shingles of one text that are not taken yet, wherever they are in the other.
fn repetitions(one: &Positions, taken: &mut [bool], other: &Positions) -> Vec<(Stretch, Stretch)> {
    let mut runs = Vec::new();
    for i in 0..one.len() {
        let first = other.first[one.numbers[i] as usize];
        if taken[i] || first == NONE {
            continue;
        }
        let Some(j) = best(one, i, other, first, |i, _| !taken[i]) else { continue };
        let room = (one.len() - i).min(other.len() - j);
        let goes_on = |len: usize| !taken[i + len] && one.numbers[i + len] == other.numbers[j + len];
        let len = (0..room).take_while(|&len| goes_on(len)).count();
        taken[i..i + len].fill(true);
        runs.push((Stretch { start: i, len }, Stretch { start: j, len }));
    }
    runs
}

/// Of the allowed occurrences in `other`, from `first` on, of the shingle at `i` of `one`: the one from which the texts
/// go on together for longest; the first of those.
fn best(
    one: &Positions,
    i: usize,
    other: &Positions,
    first: u32,
    is_allowed: impl Fn(usize, usize) -> bool,
) -> Option<usize> {
    let mut best = None;
    let mut j = first;
    for _ in 0..CHOICES {
        if j == NONE {
            break;
        }
        let start = j as usize;
        let room = (one.len() - i).min(other.len() - start).min(LOOK_AHEAD);
        let goes_on = |&len: &usize| {
            one.numbers[i + len] == other.numbers[start + len] && is_allowed(i + len, start + len)
        };
        let len = (0..room).take_while(goes_on).count();
        if len > best.map_or(0, |(len, _)| len) {
            best = Some((len, start));
        }
        j = other.next[start];
    }
    best.map(|(_, start)| start)
}
