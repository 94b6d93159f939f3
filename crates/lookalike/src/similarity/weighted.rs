//! Two bags or weighted sets -> weighted Jaccard: the sum of the minima over the sum of the maxima.
//!
//! If all weights are 0 or 1, it is the Jaccard similarity. If they are whole numbers, it is the Jaccard similarity
//! of the sets of (element, occurrence) pairs, and bags are min-hashed in this way. It is also called Ruzicka
//! similarity. 1 minus it is a metric. The cost is one pass over both inputs.

use super::sparse::{Joined, common, join};
use crate::error::{Result, check_weight};
use crate::shingling::ShingleBag;

/// Weighted Jaccard of two bags: the sum of the smaller counts over the sum of the larger ones. It is 1 for two empty
/// bags.
///
/// ```
/// use lookalike::shingling::ShingleBag;
/// use lookalike::similarity::bag_jaccard;
///
/// let a: ShingleBag = [1, 1, 1, 2].into_iter().collect();
/// let b: ShingleBag = [1, 2, 2, 3].into_iter().collect();
/// assert_eq!(bag_jaccard(&a, &b), 2.0 / 6.0);
/// ```
#[must_use]
pub fn bag_jaccard(a: &ShingleBag, b: &ShingleBag) -> f64 {
    let common: u64 = common(a.as_slice(), b.as_slice()).map(|(x, y)| u64::from(x.min(y))).sum();
    // min(x, y) + max(x, y) = x + y, so the maxima need no sum of their own.
    let union = a.total() + b.total() - common;
    if union == 0 { 1.0 } else { common as f64 / union as f64 }
}

/// Weighted Jaccard of two lists of (element, weight), each strictly ascending by element. Weights must be finite and
/// at least 0. An element that is absent has weight 0. The similarity is 1 if neither list has a positive weight.
///
/// ```
/// use lookalike::similarity::weighted_jaccard;
///
/// let a = [(1, 0.5), (2, 2.0)];
/// let b = [(2, 1.0), (3, 0.5)];
/// assert_eq!(weighted_jaccard(&a, &b)?, 1.0 / 3.0);
/// # Ok::<(), lookalike::Error>(())
/// ```
pub fn weighted_jaccard(a: &[(u64, f64)], b: &[(u64, f64)]) -> Result<f64> {
    let largest = check(a)?.max(check(b)?);
    if largest == 0.0 {
        return Ok(1.0);
    }
    // Weights may be so large or so small that sums could overflow or lose digits. These are scaled to near 1 first.
    let scale = if (1e-200..1e200).contains(&largest) { 1.0 } else { largest };
    let (mut minima, mut maxima) = (0.0, 0.0);
    for joined in join(a, b) {
        let (x, y) = match joined {
            Joined::Left(x) => (x, 0.0),
            Joined::Right(y) => (0.0, y),
            Joined::Both(x, y) => (x, y),
        };
        minima += x.min(y) / scale;
        maxima += x.max(y) / scale;
    }
    Ok(minima / maxima)
}

/// The largest weight, or an error if the set is invalid.
fn check(set: &[(u64, f64)]) -> Result<f64> {
    super::sparse::check_ascending(set)?;
    let mut largest = 0.0f64;
    for &(_, weight) in set {
        check_weight("weight", weight)?;
        largest = largest.max(weight);
    }
    Ok(largest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::similarity::jaccard;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn empty_bags_are_defined() {
        let (empty, one) = (ShingleBag::default(), ShingleBag::from_hashes(vec![3]));
        assert_eq!(bag_jaccard(&empty, &empty), 1.0);
        assert_eq!(bag_jaccard(&empty, &one), 0.0);
        assert_eq!(weighted_jaccard(&[], &[]), Ok(1.0));
        assert_eq!(weighted_jaccard(&[], &[(1, 0.0)]), Ok(1.0));
        assert_eq!(weighted_jaccard(&[], &[(1, 0.5)]), Ok(0.0));
    }

    #[test]
    fn impossible_weights_are_refused() {
        for weight in [f64::NAN, f64::INFINITY, -1.0, -f64::MIN_POSITIVE] {
            assert!(weighted_jaccard(&[(1, weight)], &[(2, 1.0)]).is_err(), "{weight}");
            assert!(weighted_jaccard(&[(2, 1.0)], &[(1, weight)]).is_err(), "{weight}");
        }
        assert!(weighted_jaccard(&[(2, 1.0), (1, 1.0)], &[]).is_err());
        assert!(weighted_jaccard(&[(2, 1.0), (2, 1.0)], &[]).is_err());
    }

    #[test]
    fn extreme_weights_keep_their_ratio() {
        let huge = f64::MAX;
        assert_eq!(weighted_jaccard(&[(1, huge), (2, huge)], &[(1, huge), (3, huge)]), Ok(1.0 / 3.0));
        let tiny = f64::from_bits(1);
        assert_eq!(weighted_jaccard(&[(1, tiny)], &[(1, tiny), (2, tiny)]), Ok(0.5));
    }

    type Weights = BTreeMap<u64, u8>;

    fn bag(weights: &Weights) -> ShingleBag {
        weights.iter().flat_map(|(&hash, &count)| (0..count).map(move |_| hash)).collect()
    }

    fn real(weights: &Weights) -> Vec<(u64, f64)> {
        weights.iter().map(|(&hash, &weight)| (hash, f64::from(weight))).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn equal_the_definition(
            a in prop::collection::btree_map(0u64..30, 0u8..6, 0..25),
            b in prop::collection::btree_map(0u64..30, 0u8..6, 0..25),
        ) {
            let weight = |of: &Weights, element: &u64| u32::from(of.get(element).copied().unwrap_or(0));
            let universe: BTreeSet<u64> = a.keys().chain(b.keys()).copied().collect();
            let minima: u32 = universe.iter().map(|x| weight(&a, x).min(weight(&b, x))).sum();
            let maxima: u32 = universe.iter().map(|x| weight(&a, x).max(weight(&b, x))).sum();
            let expected = if maxima == 0 { 1.0 } else { f64::from(minima) / f64::from(maxima) };
            prop_assert_eq!(bag_jaccard(&bag(&a), &bag(&b)), expected);
            prop_assert_eq!(bag_jaccard(&bag(&b), &bag(&a)), expected);
            prop_assert_eq!(weighted_jaccard(&real(&a), &real(&b)), Ok(expected));
        }

        #[test]
        fn a_bag_is_the_set_of_its_occurrences(
            a in prop::collection::vec(0u64..12, 0..40),
            b in prop::collection::vec(0u64..12, 0..40),
        ) {
            let occurrences = |hashes: &[u64]| {
                let mut seen = [0u64; 12];
                hashes.iter().map(|&hash| { seen[hash as usize] += 1; hash * 1000 + seen[hash as usize] })
                    .collect::<crate::shingling::ShingleSet>()
            };
            prop_assert_eq!(
                bag_jaccard(&a.iter().copied().collect(), &b.iter().copied().collect()),
                jaccard(&occurrences(&a), &occurrences(&b))
            );
        }
    }
}
