//! Many short strings or lists in one place: the bytes of all, and four bytes for where each ends.

use lookalike::hashing::hash_bytes;
use std::ops::Range;

/// Where the pieces of something end, in their order.
#[derive(Debug, Clone, Default)]
struct Ends {
    /// The lower half of each end.
    low: Vec<u32>,
    /// The pieces from which on the upper half is one more. There are none below 4 GiB.
    wraps: Vec<u32>,
}

impl Ends {
    fn push(&mut self, end: usize) {
        while self.wraps.len() < end >> 32 {
            self.wraps.push(self.low.len() as u32);
        }
        self.low.push(end as u32);
    }

    fn end(&self, at: u32) -> usize {
        let upper = if self.wraps.is_empty() { 0 } else { self.wraps.partition_point(|from| *from <= at) };
        upper << 32 | self.low[at as usize] as usize
    }

    fn range(&self, at: u32) -> Range<usize> {
        at.checked_sub(1).map_or(0, |before| self.end(before))..self.end(at)
    }

    fn bytes(&self) -> usize {
        4 * (self.low.capacity() + self.wraps.capacity())
    }
}

/// Strings by their number.
#[derive(Debug, Clone, Default)]
pub(crate) struct Texts {
    text: String,
    ends: Ends,
}

impl Texts {
    pub(crate) fn push(&mut self, string: &str) {
        self.text.push_str(string);
        self.ends.push(self.text.len());
    }

    /// The string with a number.
    pub(crate) fn get(&self, number: u32) -> &str {
        &self.text[self.ends.range(number)]
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.low.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len() as u32).map(|number| self.get(number))
    }

    /// Gives back memory for more.
    pub(crate) fn settle(&mut self) {
        self.text.shrink_to_fit();
        self.ends.low.shrink_to_fit();
    }

    /// The bytes of memory that it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.text.capacity() + self.ends.bytes()
    }
}

/// Lists by their number.
#[derive(Debug, Clone)]
pub(crate) struct Lists<T> {
    items: Vec<T>,
    ends: Ends,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self { items: Vec::new(), ends: Ends::default() }
    }
}

impl<T> Lists<T> {
    pub(crate) fn push(&mut self, items: impl IntoIterator<Item = T>) {
        self.items.extend(items);
        self.ends.push(self.items.len());
    }

    /// The list with a number.
    pub(crate) fn get(&self, number: u32) -> &[T] {
        &self.items[self.ends.range(number)]
    }

    /// Gives back memory for more.
    pub(crate) fn settle(&mut self) {
        self.items.shrink_to_fit();
        self.ends.low.shrink_to_fit();
    }

    /// The bytes of memory that it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.items.capacity() * size_of::<T>() + self.ends.bytes()
    }
}

/// A slot without a string.
const FREE: u32 = u32::MAX;

/// Strings, each kept once, with a number for each. A string is found by a table of numbers whose strings are looked up, at most
/// half of which is taken.
#[derive(Debug, Clone, Default)]
pub(crate) struct Strings {
    texts: Texts,
    slots: Vec<u32>,
}

impl Strings {
    /// The number of a string; it is added if it is new.
    pub(crate) fn number(&mut self, string: &str) -> u32 {
        if self.slots.len() <= 2 * self.texts.len() {
            self.spread();
        }
        let slot = self.slot(string);
        if self.slots[slot] == FREE {
            self.slots[slot] = self.texts.len() as u32;
            self.texts.push(string);
        }
        self.slots[slot]
    }

    /// The slot of a string: its own, or a free one.
    fn slot(&self, string: &str) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = hash_bytes(string.as_bytes()) as usize & mask;
        while self.slots[slot] != FREE && self.texts.get(self.slots[slot]) != string {
            slot = (slot + 1) & mask;
        }
        slot
    }

    /// Makes a larger table.
    fn spread(&mut self) {
        let size = (4 * self.texts.len()).next_power_of_two().max(16);
        self.slots.clear();
        self.slots.shrink_to_fit();
        self.slots.resize(size, FREE);
        for number in 0..self.texts.len() as u32 {
            let slot = self.slot(self.texts.get(number));
            self.slots[slot] = number;
        }
    }

    /// The string with a number.
    pub(crate) fn get(&self, number: u32) -> &str {
        self.texts.get(number)
    }

    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.texts.iter()
    }

    /// Gives back what is only needed to find strings, and memory for more; it is made again when a string is added.
    pub(crate) fn settle(&mut self) {
        self.slots = Vec::new();
        self.texts.settle();
    }

    /// The strings without what finds them.
    pub(crate) fn into_texts(mut self) -> Texts {
        self.settle();
        self.texts
    }

    /// The bytes of memory that it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.texts.bytes() + 4 * self.slots.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn strings_are_kept_once() {
        let (mut strings, mut plain) = (Strings::default(), BTreeMap::new());
        for at in 0..5_000u32 {
            if at == 3_000 {
                strings.settle();
            }
            let string = (at * at % 1_009).to_string();
            let next = plain.len() as u32;
            let expected = *plain.entry(string.clone()).or_insert(next);
            assert_eq!(strings.number(&string), expected);
            assert_eq!(strings.get(expected), string);
        }
        assert_eq!(strings.len(), plain.len());
        assert!(strings.iter().all(|string| plain.contains_key(string)));
        assert!(strings.bytes() >= strings.into_texts().bytes());
    }

    #[test]
    fn ends_beyond_four_gibibytes_are_kept() {
        let mut ends = Ends::default();
        let all = [5usize, 5, (1 << 32) - 1, 1 << 32, (1 << 32) + 7, (2 << 32) + 1, 5 << 32, 5 << 32];
        all.iter().for_each(|&end| ends.push(end));
        for (at, &end) in all.iter().enumerate() {
            let begin = if at == 0 { 0 } else { all[at - 1] };
            assert_eq!(ends.range(at as u32), begin..end, "{at}");
        }
    }

    #[test]
    fn lists_are_those_that_were_pushed() {
        let mut lists = Lists::default();
        let all = [vec![1u32, 2], vec![], vec![3]];
        all.iter().for_each(|list| lists.push(list.iter().copied()));
        lists.settle();
        assert!((0..3).all(|at| lists.get(at) == all[at as usize]));
        assert_eq!(lists.bytes(), 4 * 3 + 4 * 3);
    }
}
