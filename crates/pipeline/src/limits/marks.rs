//! Which keys occur more than once, as far as two bits per slot of a small table can tell.
//!
//! Each key has a slot. A first scan over the keys marks which slots were met once, and which were met again. A second
//! scan takes the keys of the latter: all keys that occur more than once, and a few others that share a slot.

/// The number of slots per key. With so many, different keys rarely have the same slot.
const SLOTS: u64 = 8;

/// The least number of slots.
const LEAST: u64 = 1 << 10;

/// The largest number of slots.
const MOST: u64 = 1 << 60;

/// The marks of keys that were met.
#[derive(Debug)]
pub(crate) struct Marks {
    words: Vec<u64>,
    shift: u32,
}

impl Marks {
    /// Bytes of a table for `count` keys.
    pub(crate) const fn bytes_for(count: u64) -> u64 {
        Self::slots(count) / 4
    }

    const fn slots(count: u64) -> u64 {
        let slots = count.saturating_mul(SLOTS);
        if slots < LEAST {
            LEAST
        } else if slots > MOST {
            MOST
        } else {
            slots.next_power_of_two()
        }
    }

    /// A table for `count` keys. If there are more, more of them share a slot.
    pub(crate) fn new(count: u64) -> Self {
        let slots = Self::slots(count);
        Self { words: vec![0; (slots / 32) as usize], shift: 64 - slots.trailing_zeros() }
    }

    /// Forgets all keys.
    pub(crate) fn clear(&mut self) {
        self.words.fill(0);
    }

    /// The word of a key, and its bit there. Keys are divided by their leading bits elsewhere, so this depends on all
    /// bits.
    fn slot(&self, key: u64) -> (usize, u64) {
        let slot = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift;
        ((slot / 32) as usize, slot % 32 * 2)
    }

    /// Marks the slot of a key.
    pub(crate) fn meet(&mut self, key: u64) {
        let (word, bit) = self.slot(key);
        let again = self.words[word] >> bit & 1;
        self.words[word] |= (1 | again << 1) << bit;
    }

    /// True if the slot of a key was met more than once.
    pub(crate) fn is_met_again(&self, key: u64) -> bool {
        let (word, bit) = self.slot(key);
        self.words[word] >> (bit + 1) & 1 == 1
    }

    /// Adds the marks of another table, which is for as many keys.
    pub(crate) fn add(&mut self, other: &Self) {
        const ONCE: u64 = 0x5555_5555_5555_5555;
        for (word, &more) in self.words.iter_mut().zip(&other.words) {
            *word |= more | (*word & more & ONCE) << 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike::hashing::mix64;

    #[test]
    fn keys_that_were_met_twice_are_known_in_one_table_or_in_two() {
        let keys: Vec<u64> = (0..3_000).map(|number| mix64(number % 2_000)).collect();
        let (mut all, mut first, mut second) = (Marks::new(3_000), Marks::new(3_000), Marks::new(3_000));
        keys.iter().for_each(|&key| all.meet(key));
        keys[..1_500].iter().for_each(|&key| first.meet(key));
        keys[1_500..].iter().for_each(|&key| second.meet(key));
        first.add(&second);
        assert_eq!(first.words, all.words);
        assert!((0..1_000).all(|number| all.is_met_again(mix64(number))));
        let mistaken = (1_000..2_000).filter(|&number| all.is_met_again(mix64(number))).count();
        assert!(mistaken < 200, "{mistaken} of 1,000 keys share a slot");
        all.clear();
        assert!(!all.is_met_again(mix64(0)));
    }
}
