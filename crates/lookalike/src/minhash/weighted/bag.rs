//! Bags -> sets of (shingle, occurrence) elements.

use crate::error::{Error, Result};
use crate::hashing::mix64;
use crate::shingling::ShingleBag;

/// The largest number of elements that [`bag_elements`] returns (128 MiB).
pub const MAX_BAG_ELEMENTS: u64 = 1 << 24;

/// Turns a bag into a plain set. A shingle that occurs n times becomes the n elements `(shingle, 0)` to
/// `(shingle, n - 1)`.
///
/// Two bags then share `min(m, n)` of `max(m, n)` elements of a shingle. So the Jaccard similarity of the
/// sets *is* the weighted Jaccard similarity of the bags (up to collisions of 64-bit hashes), and every
/// [`MinHasher`](crate::minhash::MinHasher) estimates it. The first occurrence keeps the shingle's own hash, so
/// a bag without repeats has the same signature as its set.
///
/// The cost is proportional to the total count. A bag of more than [`MAX_BAG_ELEMENTS`] elements gives an error and
/// is never cut short. [`WeightedMinHash`](super::WeightedMinHash) takes counts as weights, and its cost does not
/// grow with them.
///
/// ```
/// use lookalike::minhash::bag_elements;
/// use lookalike::shingling::ShingleBag;
///
/// let elements = bag_elements(&ShingleBag::from_hashes(vec![7, 7, 9]))?;
/// assert_eq!(elements.len(), 3);
/// assert!(elements.contains(&7) && elements.contains(&9));
/// # Ok::<(), lookalike::Error>(())
/// ```
pub fn bag_elements(bag: &ShingleBag) -> Result<Vec<u64>> {
    let total = bag.total();
    if total > MAX_BAG_ELEMENTS {
        return Err(Error::invalid(
            "total count",
            total,
            format!("at most {MAX_BAG_ELEMENTS} elements; use WeightedMinHash with the counts as weights"),
        ));
    }
    let mut elements = Vec::with_capacity(total as usize);
    for &(shingle, count) in bag.as_slice() {
        elements.push(shingle);
        elements.extend((1..u64::from(count)).map(|occurrence| occurrence_hash(shingle, occurrence)));
    }
    Ok(elements)
}

/// The element of a later occurrence. The shingle is mixed first, so that structured hashes (consecutive integers) do
/// not collide with each other's occurrences.
fn occurrence_hash(shingle: u64, occurrence: u64) -> u64 {
    mix64(mix64(shingle) ^ mix64(!occurrence))
}
