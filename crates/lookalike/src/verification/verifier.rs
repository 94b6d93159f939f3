//! Two sets -> their similarity, if it is at least the threshold.

use crate::arch::Kernel;
use crate::error::{Result, check_unit};
use crate::similarity::{SetMeasure, SortedSet, intersection_at_least};
use crate::verification::OverlapTable;

/// Decides whether two sets are similar enough. Both settings change the answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verifier {
    measure: SetMeasure,
    threshold: f64,
}

impl Verifier {
    /// A verifier that accepts pairs whose `measure` is at least `threshold`, which must be from 0 to 1.
    pub fn new(measure: SetMeasure, threshold: f64) -> Result<Self> {
        check_unit("threshold", threshold)?;
        Ok(Self { measure, threshold })
    }

    /// A verifier that accepts pairs whose Jaccard similarity is at least `threshold`, which must be from 0 to 1.
    pub fn jaccard(threshold: f64) -> Result<Self> {
        Self::new(SetMeasure::Jaccard, threshold)
    }

    /// A verifier that accepts pairs for which the share of the first set that is in the second is at least
    /// `threshold`, which must be from 0 to 1.
    pub fn containment(threshold: f64) -> Result<Self> {
        Self::new(SetMeasure::Containment, threshold)
    }

    /// The similarity that is compared with the threshold.
    #[must_use]
    pub const fn measure(&self) -> SetMeasure {
        self.measure
    }

    /// The least similarity that is accepted.
    #[must_use]
    pub const fn threshold(&self) -> f64 {
        self.threshold
    }

    /// The number of elements that sets of `a` and `b` elements must share to be accepted; `None` if no number is
    /// enough because the sizes differ too much.
    #[must_use]
    pub fn needed_overlap(&self, a: usize, b: usize) -> Option<usize> {
        let Self { measure, threshold } = *self;
        let most = a.min(b);
        let passes = |common| measure.of_counts(a, b, common) >= threshold;
        if !passes(most) {
            return None;
        }
        // The real number is right up to rounding. Then the measure itself, which never falls as the overlap grows,
        // decides between the whole numbers next to it.
        let (length_a, length_b) = (a as f64, b as f64);
        let real = match measure {
            SetMeasure::Jaccard => threshold / (1.0 + threshold) * (length_a + length_b),
            SetMeasure::Containment => threshold * length_a,
            SetMeasure::Overlap => threshold * most as f64,
            SetMeasure::Dice => threshold * (length_a + length_b) / 2.0,
        };
        let mut needed = (real.ceil().max(0.0) as usize).min(most);
        while needed > 0 && passes(needed - 1) {
            needed -= 1;
        }
        while !passes(needed) {
            needed += 1;
        }
        Some(needed)
    }

    /// The similarity of `a` and `b` if it is at least the threshold.
    ///
    /// ```
    /// use lookalike::shingling::ShingleSet;
    /// use lookalike::verification::Verifier;
    ///
    /// let a: ShingleSet = [1, 2, 3, 4].into_iter().collect();
    /// let b: ShingleSet = [1, 2, 3, 4, 5].into_iter().collect();
    /// assert_eq!(Verifier::jaccard(0.8)?.verify(&a, &b), Some(0.8));
    /// assert_eq!(Verifier::jaccard(0.81)?.verify(&a, &b), None);
    /// assert_eq!(Verifier::containment(0.9)?.verify(&a, &b), Some(1.0));
    /// # Ok::<(), lookalike::Error>(())
    /// ```
    #[must_use]
    pub fn verify<'a, 'b>(&self, a: impl Into<SortedSet<'a>>, b: impl Into<SortedSet<'b>>) -> Option<f64> {
        let (a, b) = (a.into(), b.into());
        let needed = self.needed_overlap(a.len(), b.len())?;
        let common = intersection_at_least(Kernel::best(), a.as_slice(), b.as_slice(), needed)?;
        Some(self.measure.of_counts(a.len(), b.len(), common))
    }

    /// Like [`verify`](Self::verify), for the elements `a` and the set that is in the table. The elements may be in
    /// any order and may repeat.
    ///
    /// ```
    /// use lookalike::verification::{OverlapTable, Verifier};
    ///
    /// let mut table = OverlapTable::default();
    /// table.build(&[4, 3, 2, 1]);
    /// assert_eq!(Verifier::jaccard(0.8)?.verify_with(&[5, 1, 1, 2, 3, 4], &mut table), Some(0.8));
    /// assert_eq!(Verifier::jaccard(0.81)?.verify_with(&[5, 1, 1, 2, 3, 4], &mut table), None);
    /// # Ok::<(), lookalike::Error>(())
    /// ```
    #[must_use]
    pub fn verify_with(&self, a: &[u64], table: &mut OverlapTable) -> Option<f64> {
        let b = table.distinct();
        let (distinct, common) = table.overlap_if_like(a, self.most_outside(b))?;
        let similarity = self.measure.of_counts(distinct, b, common);
        (similarity >= self.threshold).then_some(similarity)
    }

    /// The largest number of elements that a set may have outside of another set of `size` elements, if the pair is
    /// to be accepted.
    fn most_outside(&self, size: usize) -> usize {
        let real = size as f64 * (1.0 - self.threshold) / self.threshold;
        // No sequence has so many elements.
        let any = real.is_nan() || real >= 1e15;
        if self.measure != SetMeasure::Jaccard || any {
            return usize::MAX;
        }
        // The best case is that the set has all elements of the other set.
        let passes = |outside: usize| self.measure.of_counts(size + outside, size, size) >= self.threshold;
        let mut most = real as usize;
        while passes(most + 1) {
            most += 1;
        }
        while most > 0 && !passes(most) {
            most -= 1;
        }
        most
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shingling::ShingleSet;
    use proptest::prelude::*;

    const MEASURES: [SetMeasure; 4] =
        [SetMeasure::Jaccard, SetMeasure::Containment, SetMeasure::Overlap, SetMeasure::Dice];

    /// Sets of `a` and `b` elements that share `common`.
    fn sets(a: usize, b: usize, common: usize) -> (ShingleSet, ShingleSet) {
        // Shared elements are spread over the whole range, so that early exits happen at many positions.
        let spread = |at: usize, salt: u64| crate::hashing::mix64(at as u64 + salt);
        let shared = (0..common).map(|at| spread(at, 0));
        (
            shared.clone().chain((common..a).map(|at| spread(at, 1 << 40))).collect(),
            shared.chain((common..b).map(|at| spread(at, 2 << 40))).collect(),
        )
    }

    fn jaccard(a: &ShingleSet, b: &ShingleSet, threshold: f64) -> Option<f64> {
        Verifier::jaccard(threshold).unwrap().verify(a, b)
    }

    fn containment(a: &ShingleSet, b: &ShingleSet, threshold: f64) -> Option<f64> {
        Verifier::containment(threshold).unwrap().verify(a, b)
    }

    #[test]
    fn impossible_thresholds_are_refused() {
        for threshold in [f64::NAN, -0.1, 1.000_000_1, f64::INFINITY] {
            let error = Verifier::jaccard(threshold).unwrap_err().to_string();
            assert!(error.contains("between 0 and 1"), "{error}");
            assert!(Verifier::containment(threshold).is_err());
        }
        assert!(Verifier::jaccard(0.0).is_ok() && Verifier::jaccard(1.0).is_ok());
    }

    #[test]
    fn boundaries_are_met_exactly() {
        // Compare J = k / n with the f64 nearest to k / n, its neighbour above and its neighbour below.
        for union in 1..=60usize {
            for common in 0..=union {
                let (a, b) = sets(union - (union - common) / 2, common + (union - common) / 2, common);
                let exact = common as f64 / union as f64;
                assert_eq!(jaccard(&a, &b, exact), Some(exact), "{common}/{union}");
                if common < union {
                    assert_eq!(jaccard(&a, &b, exact.next_up()), None, "{common}/{union}");
                }
                if common > 0 {
                    assert_eq!(jaccard(&a, &b, exact.next_down()), Some(exact), "{common}/{union}");
                }
            }
        }
        let (a, b) = sets(4, 5, 4);
        assert_eq!(jaccard(&a, &b, 0.8), Some(0.8));
    }

    #[test]
    fn the_empty_set_passes_only_where_it_is_defined_to() {
        let (empty, some) = sets(0, 5, 0);
        assert_eq!(jaccard(&empty, &empty, 1.0), Some(1.0));
        assert_eq!(jaccard(&empty, &some, 0.01), None);
        assert_eq!(jaccard(&empty, &some, 0.0), Some(0.0));
        assert_eq!(containment(&empty, &some, 1.0), Some(1.0));
        assert_eq!(containment(&some, &empty, 0.5), None);
    }

    #[test]
    fn the_length_bound_is_the_ratio_of_lengths() {
        let verifier = Verifier::jaccard(0.8).unwrap();
        assert_eq!(verifier.needed_overlap(80, 100), Some(80));
        assert_eq!(verifier.needed_overlap(79, 100), None);
        assert_eq!(verifier.needed_overlap(100, 100), Some(89));
        assert_eq!(Verifier::containment(0.8).unwrap().needed_overlap(79, 100), Some(64));
        assert_eq!(Verifier::containment(0.8).unwrap().needed_overlap(100, 79), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        #[test]
        fn equals_computing_and_comparing(
            a in 0usize..300, b in 0usize..300, part in 0.0f64..=1.0, threshold in 0.0f64..=1.0,
        ) {
            let common = (part * a.min(b) as f64) as usize;
            let (x, y) = sets(a, b, common);
            for measure in MEASURES {
                let exact = measure.similarity(&x, &y);
                for threshold in [threshold, exact, exact.next_up().min(1.0), 0.8, 1.0] {
                    let found = Verifier::new(measure, threshold).unwrap().verify(&x, &y);
                    prop_assert_eq!(found, (exact >= threshold).then_some(exact), "{:?} {}", measure, threshold);
                    let mut table = OverlapTable::default();
                    table.build(y.as_slice());
                    let verifier = Verifier::new(measure, threshold).unwrap();
                    // Run twice: elements that only one sequence has must be gone from the table.
                    for elements in [x.as_slice(), &[x.as_slice(), x.as_slice()].concat()] {
                        prop_assert_eq!(verifier.verify_with(elements, &mut table), found, "{:?}", measure);
                    }
                }
            }
        }

        #[test]
        fn the_needed_overlap_is_the_least_that_passes(
            a in 0usize..200, b in 0usize..200, threshold in 0.0f64..=1.0,
        ) {
            for measure in MEASURES {
                let least = (0..=a.min(b)).find(|&common| measure.of_counts(a, b, common) >= threshold);
                prop_assert_eq!(Verifier::new(measure, threshold).unwrap().needed_overlap(a, b), least);
            }
        }
    }
}
