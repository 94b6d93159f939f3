//! Hashes -> positions: an open hash table of five bytes per slot.
//!
//! A slot has a tag of one byte (8 bits of the hash; 0 marks a free slot) and a value of four bytes. Hashes and keys
//! are not stored: the caller compares a value by what it stands for, and hashes it again when the table grows. A
//! search reads eight tags at a time, and a value only where the tag agrees, so that a search for something that is
//! not there reads one line of memory, and one value in some forty searches.
//!
//! Nothing is ever removed from a table. Tables grow by half when seven eighths are in use, so that an entry takes 5.7
//! to 8.6 bytes.

/// The number of tags that are compared at once.
const GROUP: usize = 8;
/// The lowest and (below) the highest bit of every byte.
const LOWEST: u64 = u64::MAX / 255;
const HIGHEST: u64 = LOWEST << 7;

#[derive(Debug, Clone, Default)]
pub(super) struct Positions {
    /// The tag of each slot. The first `GROUP - 1` are repeated at the end, so that a group can begin at any slot.
    tags: Vec<u8>,
    values: Vec<u32>,
    used: usize,
    first_capacity: usize,
}

impl Positions {
    /// An empty table that begins with this many slots. Tables that grow together begin with different numbers, so
    /// that they do not all have their growth behind them at the same time.
    pub(super) fn new(first_capacity: usize) -> Self {
        Self { first_capacity: first_capacity.max(GROUP), ..Self::default() }
    }

    /// The slot with this hash whose value is the `same`.
    #[inline]
    pub(super) fn find(&self, hash: u64, mut same: impl FnMut(u32) -> bool) -> Option<usize> {
        if self.values.is_empty() {
            return None;
        }
        let tag = u64::from(tag(hash)) * LOWEST;
        let mut start = self.home(hash);
        loop {
            let group = self.group(start);
            let free = zero_bytes(group);
            // Only what comes before the first free slot. Of the bytes that `zero_bytes` marks, the first is right.
            let mut agreeing = zero_bytes(group ^ tag) & (free & free.wrapping_neg()).wrapping_sub(1);
            while agreeing != 0 {
                let slot = self.wrapped(start + agreeing.trailing_zeros() as usize / 8);
                if same(self.values[slot]) {
                    return Some(slot);
                }
                agreeing &= agreeing - 1;
            }
            if free != 0 {
                return None;
            }
            start = self.wrapped(start + GROUP);
        }
    }

    pub(super) fn value(&self, slot: usize) -> u32 {
        self.values[slot]
    }

    pub(super) fn set(&mut self, slot: usize, value: u32) {
        self.values[slot] = value;
    }

    /// Adds a value that is not in the table. `hash_of` gives the hash of each value that was added before.
    pub(super) fn insert(&mut self, hash: u64, value: u32, hash_of: impl Fn(u32) -> u64) {
        if (self.used + 1) * 8 > self.values.len() * 7 {
            let capacity = (self.values.len() + self.values.len() / 2).max(self.first_capacity);
            let tags = vec![0; capacity + GROUP - 1];
            let mut grown =
                Self { tags, values: vec![0; capacity], used: 0, first_capacity: self.first_capacity };
            self.values().for_each(|value| grown.place(hash_of(value), value));
            *self = grown;
        }
        self.place(hash, value);
    }

    /// Puts a value into the first free slot for its hash. There is always one.
    fn place(&mut self, hash: u64, value: u32) {
        let mut start = self.home(hash);
        let slot = loop {
            let free = zero_bytes(self.group(start));
            if free != 0 {
                break self.wrapped(start + free.trailing_zeros() as usize / 8);
            }
            start = self.wrapped(start + GROUP);
        };
        self.tags[slot] = tag(hash);
        if slot < GROUP - 1 {
            self.tags[self.values.len() + slot] = tag(hash);
        }
        self.values[slot] = value;
        self.used += 1;
    }

    /// All values, in no particular order.
    pub(super) fn values(&self) -> impl Iterator<Item = u32> + '_ {
        self.tags.iter().zip(&self.values).filter(|(tag, _)| **tag != 0).map(|(_, value)| *value)
    }

    pub(super) fn size_in_bytes(&self) -> usize {
        self.tags.capacity() + self.values.capacity() * size_of::<u32>()
    }

    /// The slot where the search for a hash begins. It is proportional to the hash, so that it depends on the highest
    /// bits and the tag on the lowest.
    #[inline]
    fn home(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.values.len() as u128) >> 64) as usize
    }

    #[inline]
    fn group(&self, start: usize) -> u64 {
        let tags = self.tags[start..].first_chunk::<GROUP>().expect("the first tags are repeated at the end");
        u64::from_le_bytes(*tags)
    }

    #[inline]
    fn wrapped(&self, slot: usize) -> usize {
        if slot < self.values.len() { slot } else { slot - self.values.len() }
    }
}

#[inline]
fn tag(hash: u64) -> u8 {
    (hash as u8).max(1)
}

/// Marks the bytes that are 0 by their highest bits. A byte after one that is 0 may be marked too.
#[inline]
fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(LOWEST) & !word & HIGHEST
}

#[cfg(test)]
mod tests {
    use super::Positions;
    use crate::hashing::mix64;
    use std::collections::BTreeMap;

    /// Hashes that collide in tags, in homes, in both, at the end of the table, and not at all.
    const HASHES: [fn(u64) -> u64; 5] =
        [mix64, |x| mix64(x) << 8, |x| mix64(x) & 0xff, |_| 0, |x| u64::MAX - x % 3];

    #[test]
    fn equals_a_map() {
        for (kind, hash) in HASHES.into_iter().enumerate() {
            let (mut table, mut map) = (Positions::new(kind), BTreeMap::new());
            for value in 0..500_u32 {
                table.insert(hash(u64::from(value)), value, |value| hash(u64::from(value)));
                map.insert(value, value);
                for asked in [0, value / 2, value, value + 1, value + 1000] {
                    let found = table.find(hash(u64::from(asked)), |value| value == asked);
                    assert_eq!(
                        found.map(|slot| table.value(slot)),
                        map.get(&asked).copied(),
                        "{kind} {asked}"
                    );
                }
            }
            let mut values: Vec<u32> = table.values().collect();
            values.sort_unstable();
            assert_eq!(values, map.into_keys().collect::<Vec<_>>());
            assert!(table.size_in_bytes() <= 500 * 9 + 7, "{} bytes", table.size_in_bytes());
        }
    }
}
