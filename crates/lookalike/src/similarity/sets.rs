//! Two sets -> Jaccard, containment, overlap coefficient, Dice.
//!
//! All four are functions of three counts, |A|, |B| and |A and B|, and are defined in [`SetMeasure::of_counts`].
//! Counting takes one pass over both sets, about a nanosecond per element.

use super::intersection::intersection_at_least;
use crate::arch::Kernel;
use crate::error::{Error, Result};
use crate::shingling::ShingleSet;

/// The kind of set that these functions take: ascending elements without repeats.
///
/// A [`&ShingleSet`](ShingleSet) converts to it automatically, so `jaccard(&a, &b)` just works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SortedSet<'a> {
    elements: &'a [u64],
}

impl<'a> SortedSet<'a> {
    /// Checks that `elements` are strictly ascending.
    pub fn new(elements: &'a [u64]) -> Result<Self> {
        match elements.windows(2).position(|pair| pair[0] >= pair[1]) {
            None => Ok(Self { elements }),
            Some(at) => Err(Error::invalid(
                "elements",
                format_args!("[.., {}, {}, ..] at {at}", elements[at], elements[at + 1]),
                "the elements of a set must be strictly ascending (sort and deduplicate them)",
            )),
        }
    }

    /// Does not check that `elements` are strictly ascending. If they are not, similarities are wrong, but nothing
    /// else breaks.
    #[must_use]
    pub const fn assume_sorted(elements: &'a [u64]) -> Self {
        Self { elements }
    }

    /// The elements, ascending.
    #[must_use]
    pub const fn as_slice(self) -> &'a [u64] {
        self.elements
    }

    /// The number of elements.
    #[must_use]
    pub const fn len(self) -> usize {
        self.elements.len()
    }

    /// True if the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.elements.is_empty()
    }
}

impl<'a> From<&'a ShingleSet> for SortedSet<'a> {
    fn from(set: &'a ShingleSet) -> Self {
        Self { elements: set.as_slice() }
    }
}

/// A similarity of two sets, as a value that can be chosen at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SetMeasure {
    /// The number of shared elements divided by the size of the union.
    Jaccard,
    /// The share of the first set that is in the second. It is the only measure here that is not symmetric.
    Containment,
    /// The share of the smaller set that is in the larger.
    Overlap,
    /// The number of shared elements divided by the mean size of the two sets.
    Dice,
}

impl SetMeasure {
    /// The similarity of two sets of `a` and `b` elements that share `common` elements. It never falls as `common`
    /// grows.
    #[must_use]
    pub fn of_counts(self, a: usize, b: usize, common: usize) -> f64 {
        let (part, whole) = match self {
            Self::Jaccard => (common, (a - common.min(a)).saturating_add(b)),
            Self::Containment => (common, a),
            Self::Overlap => (common, a.min(b)),
            Self::Dice => (common.saturating_mul(2), a.saturating_add(b)),
        };
        if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
    }

    /// The similarity of `a` and `b`.
    #[must_use]
    pub fn similarity<'a, 'b>(self, a: impl Into<SortedSet<'a>>, b: impl Into<SortedSet<'b>>) -> f64 {
        let (a, b) = (a.into(), b.into());
        self.of_counts(a.len(), b.len(), intersection_size(a, b))
    }
}

/// |A and B|: the number of elements that are in both sets.
#[must_use]
pub fn intersection_size<'a, 'b>(a: impl Into<SortedSet<'a>>, b: impl Into<SortedSet<'b>>) -> usize {
    intersection_size_with(Kernel::best(), a, b)
}

/// Like [`intersection_size`], with these CPU instructions. The answer is the same; only the speed differs.
///
/// ```
/// use lookalike::Kernel;
/// use lookalike::similarity::{SortedSet, intersection_size_with};
///
/// let (a, b) = (SortedSet::new(&[1, 3, 5])?, SortedSet::new(&[2, 3, 5, 8])?);
/// for kernel in Kernel::available() {
///     assert_eq!(intersection_size_with(kernel, a, b), 2);
/// }
/// # Ok::<(), lookalike::Error>(())
/// ```
#[must_use]
pub fn intersection_size_with<'a, 'b>(
    kernel: Kernel,
    a: impl Into<SortedSet<'a>>,
    b: impl Into<SortedSet<'b>>,
) -> usize {
    intersection_at_least(kernel, a.into().elements, b.into().elements, 0).unwrap_or(0)
}

/// |A or B|: the number of elements that are in at least one of the sets.
#[must_use]
pub fn union_size<'a, 'b>(a: impl Into<SortedSet<'a>>, b: impl Into<SortedSet<'b>>) -> usize {
    let (a, b) = (a.into(), b.into());
    (a.len() + b.len()).saturating_sub(intersection_size(a, b))
}

/// Jaccard similarity |A and B| / |A or B|, which Broder calls resemblance. It is 1 for two empty sets.
#[must_use]
pub fn jaccard<'a, 'b>(a: impl Into<SortedSet<'a>>, b: impl Into<SortedSet<'b>>) -> f64 {
    SetMeasure::Jaccard.similarity(a, b)
}

/// `1 - jaccard`, which is a metric.
#[must_use]
pub fn jaccard_distance<'a, 'b>(a: impl Into<SortedSet<'a>>, b: impl Into<SortedSet<'b>>) -> f64 {
    1.0 - jaccard(a, b)
}

/// Containment |A and B| / |A|: the share of `a` that is in `b`. It is not symmetric: swap the sets for the other
/// direction. It is 1 if `a` is empty, because the empty set is a subset of every set.
#[must_use]
pub fn containment<'a, 'b>(a: impl Into<SortedSet<'a>>, b: impl Into<SortedSet<'b>>) -> f64 {
    SetMeasure::Containment.similarity(a, b)
}

/// Overlap coefficient |A and B| / min(|A|, |B|): the containment of the smaller set in the larger, so 1 if
/// either is empty.
#[must_use]
pub fn overlap_coefficient<'a, 'b>(a: impl Into<SortedSet<'a>>, b: impl Into<SortedSet<'b>>) -> f64 {
    SetMeasure::Overlap.similarity(a, b)
}

/// Dice coefficient 2 |A and B| / (|A| + |B|). It is 1 for two empty sets. It equals 2J / (1 + J), where J is the
/// Jaccard similarity, so both put pairs in the same order.
#[must_use]
pub fn dice<'a, 'b>(a: impl Into<SortedSet<'a>>, b: impl Into<SortedSet<'b>>) -> f64 {
    SetMeasure::Dice.similarity(a, b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn set(elements: &[u64]) -> ShingleSet {
        elements.iter().copied().collect()
    }

    #[test]
    fn the_empty_set_is_defined() {
        let (empty, one) = (set(&[]), set(&[7]));
        for measure in [SetMeasure::Jaccard, SetMeasure::Containment, SetMeasure::Overlap, SetMeasure::Dice] {
            assert_eq!(measure.similarity(&empty, &empty), 1.0, "{measure:?}");
        }
        assert_eq!(jaccard(&empty, &one), 0.0);
        assert_eq!(dice(&one, &empty), 0.0);
        assert_eq!(containment(&empty, &one), 1.0);
        assert_eq!(containment(&one, &empty), 0.0);
        assert_eq!(overlap_coefficient(&empty, &one), 1.0);
    }

    #[test]
    fn counts_larger_than_the_sets_do_not_panic() {
        for measure in [SetMeasure::Jaccard, SetMeasure::Containment, SetMeasure::Overlap, SetMeasure::Dice] {
            let _ = measure.of_counts(0, usize::MAX, usize::MAX);
            let _ = measure.of_counts(usize::MAX, usize::MAX, 0);
        }
    }

    #[test]
    fn elements_out_of_order_are_refused() {
        assert!(SortedSet::new(&[]).is_ok());
        assert!(SortedSet::new(&[1, 2, 9]).is_ok());
        let error = SortedSet::new(&[1, 5, 5]).unwrap_err().to_string();
        assert!(error.contains("strictly ascending") && error.contains("5, 5"), "{error}");
        assert!(SortedSet::new(&[2, 1]).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn equal_the_definitions_on_hash_sets(
            a in prop::collection::hash_set(0u64..60, 0..50),
            b in prop::collection::hash_set(0u64..60, 0..50),
        ) {
            let (common, union) = (a.intersection(&b).count(), a.union(&b).count());
            let ratio = |part: usize, whole: usize| if whole == 0 { 1.0 } else { part as f64 / whole as f64 };
            let sorted = |set: &HashSet<u64>| -> ShingleSet { set.iter().copied().collect() };
            let (x, y) = (sorted(&a), sorted(&b));
            prop_assert_eq!(intersection_size(&x, &y), common);
            prop_assert_eq!(union_size(&x, &y), union);
            prop_assert_eq!(jaccard(&x, &y), ratio(common, union));
            prop_assert_eq!(jaccard_distance(&x, &y), 1.0 - ratio(common, union));
            prop_assert_eq!(containment(&x, &y), ratio(common, a.len()));
            prop_assert_eq!(containment(&y, &x), ratio(common, b.len()));
            prop_assert_eq!(overlap_coefficient(&x, &y), ratio(common, a.len().min(b.len())));
            prop_assert_eq!(dice(&x, &y), ratio(2 * common, a.len() + b.len()));
        }

        #[test]
        fn laws(
            a in prop::collection::btree_set(0u64..40, 0..40),
            b in prop::collection::btree_set(0u64..40, 0..40),
            c in prop::collection::btree_set(0u64..40, 0..40),
        ) {
            let [a, b, c] = [a, b, c].map(|set| set.into_iter().collect::<ShingleSet>());
            let j = jaccard(&a, &b);
            prop_assert_eq!(j, jaccard(&b, &a));
            prop_assert_eq!(j == 1.0, a == b);
            prop_assert!(j <= dice(&a, &b));
            prop_assert!((dice(&a, &b) - 2.0 * j / (1.0 + j)).abs() < 1e-12);
            prop_assert_eq!(overlap_coefficient(&a, &b), containment(&a, &b).max(containment(&b, &a)));
            // Triangle inequality.
            prop_assert!(jaccard_distance(&a, &c) <= jaccard_distance(&a, &b) + jaccard_distance(&b, &c) + 1e-12);
        }

        #[test]
        fn similarity_never_falls_as_the_intersection_grows(a in 0usize..500, b in 0usize..500) {
            for measure in [SetMeasure::Jaccard, SetMeasure::Containment, SetMeasure::Overlap, SetMeasure::Dice] {
                let values: Vec<f64> = (0..=a.min(b)).map(|common| measure.of_counts(a, b, common)).collect();
                prop_assert!(values.windows(2).all(|pair| pair[0] < pair[1]));
            }
        }
    }
}
