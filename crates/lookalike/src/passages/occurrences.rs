//! Shingle hashes of two texts -> which shingles are equal, and where each occurs.

use super::SharedCounts;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// The shingles of two texts, numbered so that equal ones have equal numbers.
#[derive(Debug)]
pub(super) struct Occurrences {
    pub(super) a: Positions,
    pub(super) b: Positions,
}

/// The shingles of one text.
#[derive(Debug)]
pub(super) struct Positions {
    /// The number of the shingle at each position.
    pub(super) numbers: Vec<u32>,
    /// For each shingle number the beginning of its part of `occurrences`, and one more entry for the end.
    starts: Vec<u32>,
    /// The positions of all shingles, by shingle number, then ascending.
    occurrences: Vec<u32>,
}

impl Occurrences {
    /// Numbers the shingles of two texts. Each text must have fewer than 2^32 hashes.
    pub(super) fn new(a: &[u64], b: &[u64]) -> Self {
        let mut numbers: HashMap<u64, u32, BuildHasherDefault<Spread>> = HashMap::default();
        numbers.reserve(a.len().max(b.len()));
        // For each number the position in A where it occurs first.
        let mut first = Vec::new();
        let mut numbers_a = Vec::with_capacity(a.len());
        for &hash in a {
            let number = *numbers.entry(hash).or_insert(first.len() as u32);
            if number as usize == first.len() {
                first.push(numbers_a.len());
            }
            numbers_a.push(number);
        }
        // Where the texts agree, the next shingle of B is the next one of A, and is found without a lookup.
        let mut expected = 0;
        let mut numbers_b = Vec::with_capacity(b.len());
        for &hash in b {
            if a.get(expected) != Some(&hash) {
                let new = numbers.len() as u32;
                let number = *numbers.entry(hash).or_insert(new);
                numbers_b.push(number);
                expected = first.get(number as usize).map_or(usize::MAX, |position| position + 1);
                continue;
            }
            numbers_b.push(numbers_a[expected]);
            expected += 1;
        }
        let different = numbers.len();
        Self { a: Positions::new(numbers_a, different), b: Positions::new(numbers_b, different) }
    }

    /// The numbers of different shingles.
    pub(super) fn counts(&self) -> SharedCounts {
        let is_in = |text: &Positions, number: usize| !text.of(number as u32).is_empty();
        let different = self.a.different();
        SharedCounts {
            a: (0..different).filter(|&number| is_in(&self.a, number)).count(),
            b: (0..different).filter(|&number| is_in(&self.b, number)).count(),
            common: (0..different).filter(|&number| is_in(&self.a, number) && is_in(&self.b, number)).count(),
        }
    }
}

impl Positions {
    fn new(numbers: Vec<u32>, different: usize) -> Self {
        // Counting sort: first the counts, then the end of each number, and from there down to its beginning.
        let mut starts = vec![0; different + 1];
        for &number in &numbers {
            starts[number as usize] += 1;
        }
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        let mut occurrences = vec![0; numbers.len()];
        for (position, &number) in numbers.iter().enumerate().rev() {
            let start = &mut starts[number as usize];
            *start -= 1;
            occurrences[*start as usize] = position as u32;
        }
        Self { numbers, starts, occurrences }
    }

    /// The positions of a shingle, ascending.
    pub(super) fn of(&self, number: u32) -> &[u32] {
        let number = number as usize;
        &self.occurrences[self.starts[number] as usize..self.starts[number + 1] as usize]
    }

    /// The number of different shingles of both texts together.
    pub(super) fn different(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }
}

/// Spreads hashes, which may have few bits, over the hash table.
#[derive(Debug, Default)]
struct Spread {
    state: u64,
}

impl Hasher for Spread {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, hash: u64) {
        let product = (self.state ^ hash).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.state = product ^ (product >> 32);
    }

    fn finish(&self) -> u64 {
        self.state
    }
}
