//! Two lists of vectors, or one with itself -> their near pairs that share a band.

use super::super::dense::rounded::{Asked, Rows, screen};
use super::BandedVectors;
use crate::arch::Kernel;
use std::ops::Range;

/// The number of vectors that are compared with so many others at a time.
const AT_ONCE: usize = 512;

/// What a vector costs in a bucket, in comparisons of two vectors.
const COST_OF_BUCKET: u64 = 50;

/// A near pair that shares a band.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearPair {
    /// The position of the vector in the first list; where there is one list, the first of both.
    pub a: u32,
    /// The position of the other vector.
    pub b: u32,
    /// The cosine, or the distance.
    pub value: f64,
    /// The band that they share, if it is the only one.
    pub only_band: Option<u32>,
}

/// What is compared with what. The work has parts, which may be done in any order and at the same time.
#[derive(Debug, Clone, Copy)]
pub struct Join<'j> {
    a: (&'j BandedVectors, &'j [u32]),
    b: (&'j BandedVectors, &'j [u32]),
    is_within: bool,
    /// Whether all are compared, because that is cheaper.
    is_of_all: bool,
}

/// Working memory.
#[derive(Debug, Default)]
pub struct JoinBuffers {
    a: Buckets,
    b: Buckets,
    block: Block,
    hits: Vec<(u32, u32)>,
}

#[derive(Debug, Default)]
struct Block {
    rows: Rows,
    asked: Asked,
}

impl<'j> Join<'j> {
    /// The vectors at some positions, which ascend, with each other.
    #[must_use]
    pub fn within(vectors: &'j BandedVectors, positions: &'j [u32]) -> Self {
        Self::new((vectors, positions), (vectors, positions), true)
    }

    /// Vectors of one collection with those of another, which has the same bands and the same functions. It may be the same
    /// collection, if no position is in both lists. Positions ascend.
    #[must_use]
    pub fn between(a: (&'j BandedVectors, &'j [u32]), b: (&'j BandedVectors, &'j [u32])) -> Self {
        Self::new(a, b, false)
    }

    fn new(a: (&'j BandedVectors, &'j [u32]), b: (&'j BandedVectors, &'j [u32]), is_within: bool) -> Self {
        let mut join = Self { a, b, is_within, is_of_all: true };
        let bands = a.0.bands.bands as u64;
        let all = join.all();
        let mut cost = bands * COST_OF_BUCKET * (a.1.len() + b.1.len()) as u64;
        if is_within {
            cost /= 2;
        }
        // Bands are counted only if they can be cheaper, and until they are not.
        let mut buffers = JoinBuffers::default();
        for band in 0..bands as usize {
            if cost >= all {
                return join;
            }
            cost = cost.saturating_add(join.in_band(band, &mut buffers));
        }
        join.is_of_all = cost >= all;
        join
    }

    /// The same, comparing all pairs or not, whatever is cheaper; for tests.
    #[cfg(test)]
    pub(super) fn of_all(self, is_of_all: bool) -> Self {
        Self { is_of_all, ..self }
    }

    /// The number of pairs that all comparisons are.
    fn all(&self) -> u64 {
        let (a, b) = (self.a.1.len() as u64, self.b.1.len() as u64);
        if self.is_within { a * a.saturating_sub(1) / 2 } else { a * b }
    }

    /// The number of pairs that share a band, and how often they are compared.
    fn in_band(&self, band: usize, buffers: &mut JoinBuffers) -> u64 {
        buffers.a.count(self.a, band);
        if self.is_within {
            return buffers.a.sizes().map(|size| size * size.saturating_sub(1) / 2).sum();
        }
        buffers.b.count(self.b, band);
        buffers.a.sizes().zip(buffers.b.sizes()).map(|(a, b)| a * b).sum()
    }

    /// The number of parts.
    #[must_use]
    pub fn parts(&self) -> usize {
        if self.is_of_all { self.b.1.len().div_ceil(AT_ONCE) } else { self.a.0.bands.bands }
    }

    /// Does one part: hands out its pairs, each of which is in one part only. Pairs for which `consider` says no are not
    /// compared exactly. Returns the number of pairs that were compared.
    pub fn visit(
        &self,
        part: usize,
        buffers: &mut JoinBuffers,
        consider: impl Fn(u32, u32) -> bool,
        mut visit: impl FnMut(NearPair),
    ) -> u64 {
        if self.is_of_all {
            let at = part * AT_ONCE..((part + 1) * AT_ONCE).min(self.b.1.len());
            let before = if self.is_within { at.end } else { self.a.1.len() };
            let JoinBuffers { block, hits, .. } = buffers;
            return self.compare(&self.a.1[..before], self.b.1, at, block, hits, &mut |a, b| {
                self.check(a, b, None, &consider, &mut visit);
            });
        }
        buffers.a.fill(self.a, part);
        if !self.is_within {
            buffers.b.fill(self.b, part);
        }
        let mut compared = 0;
        let JoinBuffers { a, b, block, hits } = buffers;
        for key in 0..a.len() {
            let of_a = a.of(key);
            let of_b = if self.is_within { of_a } else { b.of(key) };
            if of_a.is_empty() || of_b.is_empty() || (self.is_within && of_a.len() < 2) {
                continue;
            }
            let mut at = 0;
            while at < of_b.len() {
                let some = at..(at + AT_ONCE).min(of_b.len());
                at = some.end;
                let before = if self.is_within { some.end } else { of_a.len() };
                compared += self.compare(&of_a[..before], of_b, some, block, hits, &mut |a, b| {
                    self.check(a, b, Some(part), &consider, &mut visit);
                });
            }
        }
        compared
    }

    /// Hands out the pairs of `a` with some of `b` that their bytes do not rule out. Returns how many pairs there are.
    fn compare(
        &self,
        a: &[u32],
        b: &[u32],
        of_b: Range<usize>,
        Block { rows, asked }: &mut Block,
        hits: &mut Vec<(u32, u32)>,
        visit: &mut dyn FnMut(u32, u32),
    ) -> u64 {
        let nearness = self.a.0.bands.nearness;
        asked.clear();
        for &position in &b[of_b.clone()] {
            let (bytes, rounded, norm) = self.b.0.rounded_at(position);
            asked.push(nearness, bytes, rounded, norm);
        }
        let mut compared = 0;
        for some in a.chunks(AT_ONCE) {
            rows.clear();
            for &position in some {
                let (bytes, rounded, norm) = self.a.0.rounded_at(position);
                rows.push(nearness, bytes, rounded, norm);
            }
            screen(Kernel::best(), rows, asked, 0..rows.len(), |query, row| {
                let (a, b) = (some[row], b[of_b.start + query]);
                if !self.is_within || a < b {
                    hits.push((a, b));
                }
            });
            compared += (some.len() * of_b.len()) as u64;
            hits.drain(..).for_each(|(a, b)| visit(a, b));
        }
        compared
    }

    /// Compares a pair exactly. It is handed out in the first band that it shares.
    fn check(
        &self,
        a: u32,
        b: u32,
        band: Option<usize>,
        consider: &impl Fn(u32, u32) -> bool,
        visit: &mut impl FnMut(NearPair),
    ) {
        if consider(a, b)
            && let Some(first) = self.shared(a, b, 0)
            && band.is_none_or(|band| band == first)
            && let Some(pair) = self.pair_from(a, b, first)
        {
            visit(pair);
        }
    }

    /// A pair, if it is near and shares a band.
    #[must_use]
    pub fn pair(&self, a: u32, b: u32) -> Option<NearPair> {
        self.pair_from(a, b, self.shared(a, b, 0)?)
    }

    /// A pair of which the first band that it shares is known.
    fn pair_from(&self, a: u32, b: u32, first: usize) -> Option<NearPair> {
        let value = self.a.0.value(a, self.b.0, b);
        if !self.a.0.bands.nearness.is_near(value) {
            return None;
        }
        let only_band = self.shared(a, b, first + 1).is_none().then_some(first as u32);
        Some(NearPair { a, b, value, only_band })
    }

    /// The first band from `from` on that a pair shares.
    fn shared(&self, a: u32, b: u32, from: usize) -> Option<usize> {
        let (a, b) = (&self.a.0.keys_at(a)[from..], &self.b.0.keys_at(b)[from..]);
        a.iter().zip(b).position(|(a, b)| a == b).map(|at| from + at)
    }
}

/// The positions of a list by their keys in one band.
#[derive(Debug, Default)]
struct Buckets {
    /// Where the positions of each key begin.
    starts: Vec<u32>,
    positions: Vec<u32>,
}

impl Buckets {
    /// Counts the positions of each key. `starts[key + 1]` is then how many have it.
    fn count(&mut self, (vectors, positions): (&BandedVectors, &[u32]), band: usize) {
        let keys = if vectors.bands.nearness.is_cosine() { 1 << vectors.bands.rows } else { 1 << 16 };
        self.starts.clear();
        self.starts.resize(keys + 1, 0);
        for &position in positions {
            self.starts[usize::from(vectors.keys_at(position)[band]) + 1] += 1;
        }
    }

    fn sizes(&self) -> impl Iterator<Item = u64> {
        self.starts[1..].iter().map(|&size| size.into())
    }

    fn fill(&mut self, (vectors, positions): (&BandedVectors, &[u32]), band: usize) {
        self.count((vectors, positions), band);
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        self.positions.clear();
        self.positions.resize(positions.len(), 0);
        // The first position of each key is found by counting up; afterwards the starts are those of the next keys.
        for &position in positions {
            let start = &mut self.starts[usize::from(vectors.keys_at(position)[band])];
            self.positions[*start as usize] = position;
            *start += 1;
        }
    }

    /// The number of keys.
    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The positions with a key, ascending.
    fn of(&self, key: usize) -> &[u32] {
        let start = if key == 0 { 0 } else { self.starts[key - 1] };
        &self.positions[start as usize..self.starts[key] as usize]
    }
}
