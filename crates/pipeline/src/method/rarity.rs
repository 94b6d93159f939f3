//! How often shingles occur in a sample of the corpus -> an order of all shingles, rare ones first.

use super::content_hash;

/// Slots of the table in which shingles are counted. Two shingles in one slot count as one more frequent one, which
/// changes the order for all documents alike.
const SLOTS: usize = 1 << 21;

/// The number of bits of a place that are the class: how frequent the shingle is.
const CLASS_BITS: u32 = 4;

/// Spreads hashes over the slots and over the places of a class.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// How often shingles occur in a sample, while it is read.
pub(crate) struct Counts {
    counts: Vec<u8>,
}

/// How frequent shingles are. The sample decides about the order of shingles only, never about an answer.
pub(crate) struct Rarity {
    /// The classes of two slots in each byte: half a table of counts, so that more of it is in the processor's cache when the
    /// places of all shingles of all documents are looked up.
    classes: Vec<u8>,
}

impl std::fmt::Debug for Rarity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Rarity of {} slots", 2 * self.classes.len())
    }
}

impl Counts {
    /// Nothing is counted yet.
    pub(crate) fn new() -> Self {
        Self { counts: vec![0; SLOTS] }
    }

    /// Counts the elements of a document of the sample.
    pub(crate) fn count(&mut self, elements: &[u64]) {
        for &element in elements {
            let count = &mut self.counts[slot(element.wrapping_mul(SPREAD))];
            *count = count.saturating_add(1);
        }
    }

    /// How frequent the shingles are by these counts.
    pub(crate) fn finish(self) -> Rarity {
        let both = |pair: &[u8]| (class(pair[0]) | class(pair[1]) << CLASS_BITS) as u8;
        Rarity { classes: self.counts.chunks_exact(2).map(both).collect() }
    }
}

impl Rarity {
    /// A hash of the order. It is never 0.
    pub(crate) fn order(&self) -> u64 {
        content_hash(&self.classes) as u64 | 1
    }

    /// The place of an element in the order: first its class, then its hash. Different elements have different places,
    /// unless 60 bits of their hashes are equal.
    #[inline]
    pub(super) fn place(&self, element: u64) -> u64 {
        let spread = element.wrapping_mul(SPREAD);
        let slot = slot(spread);
        let class = u64::from(self.classes[slot / 2]) >> (slot % 2 * CLASS_BITS as usize);
        // What is left of the other class is shifted out.
        class << (u64::BITS - CLASS_BITS) | spread >> CLASS_BITS
    }

    /// The place of an element if nothing was counted.
    #[inline]
    pub(super) fn place_of_unknown(element: u64) -> u64 {
        element.wrapping_mul(SPREAD) >> CLASS_BITS
    }
}

fn slot(spread: u64) -> usize {
    (spread >> (u64::BITS - SLOTS.trailing_zeros())) as usize
}

/// A number from 0 to 15 that grows with the count: two classes for each power of two.
fn class(count: u8) -> u64 {
    let count = u64::from(count);
    if count < 4 {
        return count;
    }
    let log = u64::from(count.ilog2());
    2 * log + (count >> (log - 1) & 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_grow_with_counts_and_fit() {
        let classes: Vec<u64> = (0..=255).map(class).collect();
        assert!(classes.is_sorted());
        assert_eq!((classes[0], classes[1], classes[4], classes[6], classes[255]), (0, 1, 4, 5, 15));
    }

    #[test]
    fn frequent_elements_come_last() {
        let mut counts = Counts::new();
        (0..300).for_each(|_| counts.count(&[7, 8]));
        counts.count(&[8, 9]);
        let rarity = counts.finish();
        assert!(rarity.place(9) < rarity.place(7));
        assert!(rarity.place(10) < rarity.place(9));
        assert_eq!(rarity.place(7) >> 60, 15);
    }

    #[test]
    fn the_class_of_an_element_is_that_of_its_count() {
        let mut counts = Counts::new();
        for element in 0..2_000u64 {
            (0..element % 300).for_each(|_| counts.count(&[element]));
        }
        let plain = counts.counts.clone();
        let rarity = counts.finish();
        for element in 0..4_000u64 {
            let spread = element.wrapping_mul(SPREAD);
            let place = class(plain[slot(spread)]) << (u64::BITS - CLASS_BITS) | spread >> CLASS_BITS;
            assert_eq!(rarity.place(element), place);
        }
    }
}
