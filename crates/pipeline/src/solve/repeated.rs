//! Keys of the documents of a chunk -> those that occur more than once, in order, each with its document.
//!
//! Most keys occur once. Two bits per slot of a table tell nearly all of these from the others, so that only the
//! others are sorted. A table for many keys is larger than the caches, and every key would wait for memory. So many
//! keys are first divided into *parts* by their highest bits, and each part has a table that fits.

use super::Using;
use crate::{Error, Observer, Result};
use rayon::prelude::*;

/// Bits of a table for each key, and so its slots of two bits.
const SLOTS_PER_KEY: usize = 8;

/// Keys whose table fits in a cache beside what else is in it.
const KEYS_OF_PART: usize = if cfg!(test) { 64 } else { 1 << 17 };

/// Parts at most: as many places are written to in turn.
const MOST_PARTS: usize = 1 << 10;

/// How often the keys are made anew at most so that each time a share of them is divided.
const MOST_ROUNDS: usize = 4;

/// Bytes that a key takes while it is in its part.
const PARTED_BYTES: usize = 12;

/// A key, and the document that has it.
pub(super) type Keyed = (u64, u32);

/// Finds the keys that occur more than once; each document has each of its keys once in the answer. Some keys that occur
/// once may be among them. `keys` hands out the keys of a document, the same ones each time.
pub(super) fn repeated(
    documents: usize,
    Using { threads, memory, observer }: Using<'_>,
    keys: impl Fn(usize, &mut dyn FnMut(u64)),
) -> Result<Vec<Keyed>> {
    let parts = Parts::new(documents, observer, &keys)?;
    let count = parts.count();
    if u32::try_from(count).is_err() {
        let keys = "keys are more than documents that are compared at a time can have";
        return Err(Error::Invalid(format!("{count} {keys}; a smaller memory limit divides them")));
    }
    let room = (memory / 2).max(4 << 20) as usize / PARTED_BYTES;
    let mut found = if count > KEYS_OF_PART && count.div_ceil(room) <= MOST_ROUNDS {
        return parts.repeated(room, threads, observer, documents, &keys);
    } else {
        in_one_table(documents, count, observer, &keys)?
    };
    if threads > 1 {
        found.par_sort_unstable();
    } else {
        found.sort_unstable();
    }
    found.dedup();
    Ok(found)
}

/// Two bits for each slot: whether a key of it was met, and whether one was met again.
struct Table {
    met: Vec<u64>,
    shift: u32,
}

impl Table {
    fn new(keys: usize) -> Self {
        let slots = (keys * SLOTS_PER_KEY).next_power_of_two().max(64);
        Self { met: vec![0; slots / 32], shift: 64 - slots.trailing_zeros() }
    }

    #[inline]
    fn slot(&self, key: u64) -> usize {
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize
    }

    #[inline]
    fn meet(&mut self, key: u64) {
        let slot = self.slot(key);
        let (word, bit) = (&mut self.met[slot / 32], slot % 32 * 2);
        let again = *word >> bit & 1;
        *word |= (1 | again << 1) << bit;
    }

    #[inline]
    fn is_repeated(&self, key: u64) -> bool {
        let slot = self.slot(key);
        self.met[slot / 32] >> (slot % 32 * 2 + 1) & 1 == 1
    }
}

/// The keys made twice: once for the table, once to ask it.
fn in_one_table(
    documents: usize,
    count: usize,
    observer: &dyn Observer,
    keys: &impl Fn(usize, &mut dyn FnMut(u64)),
) -> Result<Vec<Keyed>> {
    let mut table = Table::new(count);
    for at in 0..documents {
        observer.go_on()?;
        keys(at, &mut |key| table.meet(key));
    }
    let mut found = Vec::new();
    for at in 0..documents {
        observer.go_on()?;
        keys(at, &mut |key| {
            if table.is_repeated(key) {
                found.push((key, at as u32));
            }
        });
    }
    Ok(found)
}

/// Keys divided by their highest bits.
struct Parts {
    /// How far a key is shifted to get its part.
    shift: u32,
    /// Keys of each part.
    counts: Vec<usize>,
}

impl Parts {
    fn new(
        documents: usize,
        observer: &dyn Observer,
        keys: &impl Fn(usize, &mut dyn FnMut(u64)),
    ) -> Result<Self> {
        let mut made = Self { shift: 64 - MOST_PARTS.trailing_zeros(), counts: vec![0; MOST_PARTS] };
        for at in 0..documents {
            observer.go_on()?;
            keys(at, &mut |key| made.counts[(key >> made.shift) as usize] += 1);
        }
        let parts = made.count().div_ceil(KEYS_OF_PART).next_power_of_two().clamp(2, MOST_PARTS);
        made.counts = made.counts.chunks(MOST_PARTS / parts).map(|counts| counts.iter().sum()).collect();
        made.shift = 64 - parts.trailing_zeros();
        Ok(made)
    }

    fn count(&self) -> usize {
        self.counts.iter().sum()
    }

    /// As many parts at a time as there is `room` for their keys, but at least one.
    fn repeated(
        &self,
        room: usize,
        threads: usize,
        observer: &dyn Observer,
        documents: usize,
        keys: &impl Fn(usize, &mut dyn FnMut(u64)),
    ) -> Result<Vec<Keyed>> {
        let mut found = Vec::new();
        let mut first = 0;
        while first < self.counts.len() {
            let mut ends = Vec::new();
            let mut total = 0;
            for &count in &self.counts[first..] {
                if total + count > room && !ends.is_empty() {
                    break;
                }
                total += count;
                ends.push(total);
            }
            let past = first + ends.len();
            // Where the next key of each part goes.
            let mut next: Vec<usize> = std::iter::once(0).chain(ends.iter().copied()).collect();
            let (mut parted, mut owners) = (vec![0u64; total], vec![0u32; total]);
            for at in 0..documents {
                observer.go_on()?;
                keys(at, &mut |key| {
                    let part = (key >> self.shift) as usize;
                    if (first..past).contains(&part) {
                        let place = &mut next[part - first];
                        (parted[*place], owners[*place]) = (key, at as u32);
                        *place += 1;
                    }
                });
            }
            let of_part = |part: usize| {
                let start = if part == 0 { 0 } else { ends[part - 1] };
                in_part(&parted[start..ends[part]], &owners[start..ends[part]])
            };
            if threads > 1 {
                let sorted: Vec<Vec<Keyed>> = (0..ends.len()).into_par_iter().map(of_part).collect();
                sorted.into_iter().for_each(|part| found.extend(part));
            } else {
                for part in 0..ends.len() {
                    observer.go_on()?;
                    found.extend(of_part(part));
                }
            }
            first = past;
        }
        Ok(found)
    }
}

/// The repeated keys of one part, in order.
fn in_part(keys: &[u64], owners: &[u32]) -> Vec<Keyed> {
    let mut table = Table::new(keys.len());
    keys.iter().for_each(|&key| table.meet(key));
    let keyed = keys.iter().copied().zip(owners.iter().copied());
    let mut found: Vec<Keyed> = keyed.filter(|&(key, _)| table.is_repeated(key)).collect();
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use lookalike::hashing::mix64;
    use std::collections::BTreeMap;

    /// Sorts all keys, and drops those of one document.
    fn plainly(documents: &[Vec<u64>]) -> Vec<Keyed> {
        let mut owners: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
        for (at, keys) in documents.iter().enumerate() {
            for &key in keys {
                let owners = owners.entry(key).or_default();
                if owners.last() != Some(&(at as u32)) {
                    owners.push(at as u32);
                }
            }
        }
        let repeated = owners.into_iter().filter(|(_, owners)| owners.len() > 1);
        repeated.flat_map(|(key, owners)| owners.into_iter().map(move |at| (key, at))).collect()
    }

    /// What is left once keys of one document are dropped, as whoever makes buckets of it does.
    fn shared(found: Vec<Keyed>) -> Vec<Keyed> {
        found.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() > 1).flatten().copied().collect()
    }

    #[test]
    fn repeated_keys_are_those_of_a_plain_sort_however_they_are_divided() {
        // Even keys, small ones that are all in the first part, and one key that nearly all have.
        let shapes: [&dyn Fn(u64) -> u64; 3] = [&|n| mix64(n % 3_000), &|n| n % 700, &|n| {
            if n.is_multiple_of(10) { mix64(n) } else { u64::MAX }
        }];
        for (shape, make) in shapes.iter().enumerate() {
            for documents in [0, 1, 5, 400] {
                let corpus: Vec<Vec<u64>> =
                    (0..documents).map(|at| (0..12).map(|n| make(mix64(at * 12 + n))).collect()).collect();
                let expected = plainly(&corpus);
                let visit =
                    |at: usize, visit: &mut dyn FnMut(u64)| corpus[at].iter().for_each(|&key| visit(key));
                for threads in [1, 2] {
                    let using = Using { threads, memory: 0, observer: &Silent };
                    let found = repeated(corpus.len(), using, visit).unwrap();
                    assert!(found.is_sorted(), "shape {shape}, {documents} documents");
                    assert_eq!(shared(found), expected, "shape {shape}, {documents} documents");
                }
                // So little room that each part is a round of its own.
                let parts = Parts::new(corpus.len(), &Silent, &visit).unwrap();
                let found = parts.repeated(1, 1, &Silent, corpus.len(), &visit).unwrap();
                assert_eq!(shared(found), expected, "shape {shape}, {documents} documents");
            }
        }
    }
}
