//! How often shingles occur in a sample of the corpus -> an order of all shingles, rare ones first.

use super::content_hash;

/// Slots of the table in which shingles are counted. Two shingles in one slot count as one more frequent one, which
/// changes the order for all documents alike.
const SLOTS: usize = 1 << 21;

/// The number of bits of a place that are the class: how frequent the shingle is.
const CLASS_BITS: u32 = 4;

/// Spreads hashes over the slots and over the places of a class.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// How often shingles occur in a sample. The sample decides about the order of shingles only, never about an answer.
pub(crate) struct Rarity {
    counts: Vec<u8>,
}

impl std::fmt::Debug for Rarity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Rarity of {} slots", self.counts.len())
    }
}

impl Rarity {
    /// Nothing is counted yet.
    pub(crate) fn new() -> Self {
        Self { counts: vec![0; SLOTS] }
    }

    /// A hash of the order that follows from the counts. It is never 0.
    pub(crate) fn order(&self) -> u64 {
        content_hash(&self.counts) as u64 | 1
    }

    /// Counts the elements of a document of the sample.
    pub(crate) fn count(&mut self, elements: &[u64]) {
        for &element in elements {
            let count = &mut self.counts[slot(element.wrapping_mul(SPREAD))];
            *count = count.saturating_add(1);
        }
    }

    /// The place of an element in the order: first its class, then its hash. Different elements have different places,
    /// unless 60 bits of their hashes are equal.
    #[inline]
    pub(super) fn place(&self, element: u64) -> u64 {
        let spread = element.wrapping_mul(SPREAD);
        class(self.counts[slot(spread)]) << (u64::BITS - CLASS_BITS) | spread >> CLASS_BITS
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
        let mut rarity = Rarity::new();
        (0..300).for_each(|_| rarity.count(&[7, 8]));
        rarity.count(&[8, 9]);
        assert!(rarity.place(9) < rarity.place(7));
        assert!(rarity.place(10) < rarity.place(9));
        assert_eq!(rarity.place(7) >> 60, 15);
    }
}
