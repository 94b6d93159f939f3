//! Positions and band keys -> chains of the positions that share a bucket.
//!
//! A bucket is a doubly linked chain through two arrays (`next`, `previous`: 8 bytes per position and band) and one
//! entry in the band's map from the key to the head of the chain. No bucket has an allocation of its own. Insertion
//! and removal cost `O(b)` whatever the size of the buckets.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};

use crate::hashing::mix64;

/// The value that marks the end of a chain.
pub(super) const NONE: u32 = u32::MAX;

/// A hash for keys that are hashes already. It mixes once, so that reduced keys (`0..buckets`) are spread as well.
#[derive(Debug, Clone, Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        mix64(self.0)
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = mix64(self.0 ^ u64::from(byte));
        }
    }
}

/// The beginning of the chain of a bucket. The count takes space that would be padding otherwise. With it, a bucket
/// of one position is read without its links.
#[derive(Debug, Clone, Copy)]
struct Head {
    position: u32,
    count: u32,
}

type Heads = HashMap<u64, Head, BuildHasherDefault<KeyHasher>>;

#[derive(Debug, Clone)]
pub(super) struct Buckets {
    bands: usize,
    /// For each band, the position that was inserted last into each bucket.
    heads: Vec<Heads>,
    /// At index `position * bands + band`, the neighbours in the chain of the bucket.
    next: Vec<u32>,
    previous: Vec<u32>,
}

impl Buckets {
    pub(super) fn new(bands: usize) -> Self {
        Self { bands, heads: vec![Heads::default(); bands], next: Vec::new(), previous: Vec::new() }
    }

    pub(super) fn bands(&self) -> usize {
        self.bands
    }

    /// Puts `position` in the bucket of each band's key. It must not be in any bucket.
    pub(super) fn insert(&mut self, position: u32, keys: &[u64]) {
        let links = (position as usize + 1) * self.bands;
        if self.next.len() < links {
            self.next.resize(links, NONE);
            self.previous.resize(links, NONE);
        }
        for (band, (&key, heads)) in keys.iter().zip(&mut self.heads).enumerate() {
            let old = heads.entry(key).or_insert(Head { position: NONE, count: 0 });
            let second = old.position;
            *old = Head { position, count: old.count + 1 };
            self.next[position as usize * self.bands + band] = second;
            self.previous[position as usize * self.bands + band] = NONE;
            if second != NONE {
                self.previous[second as usize * self.bands + band] = position;
            }
        }
    }

    /// Removes `position` from the buckets of these keys, which must be the keys it was inserted with.
    pub(super) fn remove(&mut self, position: u32, keys: &[u64]) {
        let bands = self.bands;
        for (band, (&key, heads)) in keys.iter().zip(&mut self.heads).enumerate() {
            let next = self.next[position as usize * bands + band];
            let previous = self.previous[position as usize * bands + band];
            if next != NONE {
                self.previous[next as usize * bands + band] = previous;
            }
            if previous != NONE {
                self.next[previous as usize * bands + band] = next;
            }
            if let Entry::Occupied(mut head) = heads.entry(key) {
                let Head { position, count } = *head.get();
                if count == 1 {
                    head.remove();
                } else {
                    let position = if previous == NONE { next } else { position };
                    head.insert(Head { position, count: count - 1 });
                }
            }
        }
    }

    /// The positions that share a bucket with these keys, ascending, each once.
    pub(super) fn candidates(&self, keys: &[u64]) -> Vec<u32> {
        let mut positions = Vec::with_capacity(keys.len());
        let mut found = Vec::new();
        // All heads are looked up first. Each lookup waits for memory, and a CPU can wait for several at once.
        for (band, (key, heads)) in keys.iter().zip(&self.heads).enumerate() {
            if let Some(head) = heads.get(key) {
                positions.push(head.position);
                if head.count > 1 {
                    found.push((band, head.position));
                }
            }
        }
        for (band, head) in found {
            positions.extend(self.chain(&self.next, head, band));
        }
        positions.sort_unstable();
        positions.dedup();
        positions
    }

    /// The positions in one bucket, the newest first.
    pub(super) fn bucket(&self, band: usize, key: u64) -> impl Iterator<Item = u32> + '_ {
        let head = self.heads.get(band).and_then(|heads| heads.get(&key)).map(|head| head.position);
        head.into_iter().chain(head.into_iter().flat_map(move |head| self.chain(&self.next, head, band)))
    }

    /// True if `position` is the newest of its bucket in `band`. This is true of exactly one position of each bucket.
    pub(super) fn is_head(&self, position: u32, band: usize) -> bool {
        self.previous[position as usize * self.bands + band] == NONE
    }

    /// The number of positions in the bucket of which `head` is the newest.
    pub(super) fn size_from(&self, head: u32, band: usize) -> usize {
        1 + self.chain(&self.next, head, band).count()
    }

    /// The number of buckets of a band that are not empty.
    pub(super) fn count(&self, band: usize) -> usize {
        self.heads.get(band).map_or(0, Heads::len)
    }

    /// Follows `links` from `position`. The position itself is not included.
    fn chain<'a>(&self, links: &'a [u32], position: u32, band: usize) -> impl Iterator<Item = u32> + use<'a> {
        let bands = self.bands;
        let follow = move |at: u32| Some(links[at as usize * bands + band]).filter(|&found| found != NONE);
        std::iter::successors(follow(position), move |&at| follow(at))
    }
}
