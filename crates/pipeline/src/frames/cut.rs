//! How many documents have each element -> the number above which an element is part of a frame.
//!
//! Elements of stories are in one document or a few; elements of frames are in very many. Between the two there is a range that
//! few occurrences fall in. The occurrences are added up by powers of two of the number of documents (8 to 15, 16 to 31, ...).
//! The frame is the range with the most occurrences, if that and what is above the valley is a good part of all; the valley is the
//! range with the fewest between 8 and there, and N is where it begins. Below 8 nothing is a frame: a story may well be on eight
//! sites.

use std::collections::BTreeMap;

/// An element of at most this many documents is never left out by `auto`.
pub(super) const LEAST: u64 = 8;

/// There is a frame if this share of all occurrences is above the valley.
const FRAME_SHARE: f64 = 0.1;

/// The largest number of documents that an element of a story has; `None` if there is no frame. `frequencies` has how many
/// elements so many documents have.
pub(super) fn find(frequencies: &BTreeMap<u64, u64>) -> Option<u64> {
    let range = |documents: u64| documents.max(1).ilog2() as usize;
    let mut occurrences = [0u64; 64];
    for (&documents, &elements) in frequencies {
        occurrences[range(documents)] += documents * elements;
    }
    let first = range(LEAST);
    let frame = (first..64).rev().max_by_key(|&at| occurrences[at])?;
    // Of ranges with equally few, the one next to the frame: a range may be empty below the stories too.
    let valley = (first..=frame).rev().min_by_key(|&at| occurrences[at])?;
    let above: u64 = occurrences[valley..].iter().sum();
    let all: u64 = occurrences.iter().sum();
    (all > 0 && above as f64 >= FRAME_SHARE * all as f64).then(|| 1 << valley)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cut_is_in_the_valley_and_prose_has_none() {
        let found = |frequencies: &[(u64, u64)]| find(&frequencies.iter().copied().collect());
        assert_eq!(found(&[]), None);
        // Prose: the longer the tail, the fewer.
        assert_eq!(found(&[(1, 530_000), (2, 39_000), (5, 600), (10, 82), (35, 37)]), None);
        // A frame that 30 pages have, with teasers that some have.
        assert_eq!(
            found(&[(1, 165_000), (2, 30_000), (3, 12_000), (9, 300), (18, 4), (34, 10_000)]),
            Some(16)
        );
        // Stories on 20 sites, and a frame that 1,000 pages have.
        assert_eq!(found(&[(1, 100_000), (20, 9_000), (40, 10), (1_000, 500)]), Some(256));
        // All share everything.
        assert_eq!(found(&[(100, 1_000)]), Some(32));
    }
}
