//! Bands and rows -> the probability that a pair becomes a candidate.

use super::keys::Banding;
use super::quadrature::integrate;
use crate::error::{Error, Result, check_unit};
use crate::math::{exp, exp_m1, ln, ln_1p, pow, powi};

/// The probability that two objects of a given similarity agree in one row. It must be between 0 and 1 and must not
/// decrease as the similarity grows. Any `Fn(f64) -> f64` implements this trait.
///
/// For min-hashing it is the similarity itself. For b-bit signatures it is `2^-b + (1 - 2^-b) s`
/// ([`bbit::row_probability`](crate::minhash::bbit::row_probability)). For random hyperplanes it is
/// `1 - acos(s) / pi`.
pub trait RowProbability: Fn(f64) -> f64 {}

impl<F: Fn(f64) -> f64> RowProbability for F {}

/// Probabilities at which the curve is cut into pieces for integration. Each piece is smooth at its own scale,
/// however steep the whole curve is.
const CUTS: [f64; 9] = [1e-12, 1e-9, 1e-6, 1e-3, 0.05, 0.2, 0.4, 0.6, 0.8];
/// The same near 1, as probabilities of a miss.
const MISS_CUTS: [f64; 7] = [0.1, 0.03, 1e-2, 1e-3, 1e-6, 1e-9, 1e-12];

/// The S-curve `p(s) = 1 - (1 - q(s)^r)^b` of a [`Banding`], where `q(s)` is the probability that one row agrees
/// (`q(s) = s` for min-hashing).
///
/// If the number of buckets is limited to `n`, different bands still share a bucket with probability `1/n`. Then
/// `p(s) = 1 - ((1 - q^r)(1 - 1/n))^b`.
///
/// Everything is computed with `ln_1p` and `exp_m1`, so that neither `p` near 0 nor
/// [`miss_probability`](Self::miss_probability) near 0 loses digits.
///
/// ```
/// use lookalike::banding::{Banding, SCurve};
/// use lookalike::minhash::bbit;
///
/// let curve = SCurve::new(Banding::new(16, 8)?);
/// assert!((curve.probability(0.8) - 0.947).abs() < 1e-3);
/// assert!((curve.similarity_at(0.947)? - 0.8).abs() < 1e-3);
/// // Slots of 1-bit signatures agree with probability (1 + s) / 2.
/// let one_bit = SCurve::with_row_probability(Banding::new(16, 8)?, bbit::row_probability(1)?);
/// assert!(one_bit.probability(0.1) > curve.probability(0.1));
/// # Ok::<(), lookalike::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct SCurve<P = fn(f64) -> f64> {
    banding: Banding,
    row_probability: P,
}

impl SCurve {
    /// The curve of min-hash signatures: a row agrees with probability `s`.
    #[must_use]
    pub fn new(banding: Banding) -> Self {
        Self { banding, row_probability: |similarity| similarity }
    }
}

impl<P: RowProbability> SCurve<P> {
    /// The curve of another family of hash functions, given by its [`RowProbability`].
    #[must_use]
    pub fn with_row_probability(banding: Banding, row_probability: P) -> Self {
        Self { banding, row_probability }
    }

    /// The bands and rows of this curve.
    #[must_use]
    pub fn banding(&self) -> Banding {
        self.banding
    }

    /// The probability that a pair of similarity `s` becomes a candidate pair. An `s` below 0 counts as 0, and one
    /// above 1 counts as 1. NaN gives NaN.
    #[must_use]
    pub fn probability(&self, s: f64) -> f64 {
        // If a miss is certain, the result is -0. The absolute value makes it 0.
        exp_m1(self.ln_miss(s)).abs()
    }

    /// The probability that a pair of similarity `s` is missed: `1 - p(s)`. It is exact to the last digits even if
    /// `p(s)` rounds to 1.
    #[must_use]
    pub fn miss_probability(&self, s: f64) -> f64 {
        exp(self.ln_miss(s))
    }

    /// The inverse: the least similarity that is found with at least `probability`.
    ///
    /// It is an error if even identical objects are found with a lower probability. This is possible with a
    /// [`RowProbability`] below 1 at similarity 1, but never with min-hashing.
    pub fn similarity_at(&self, probability: f64) -> Result<f64> {
        check_unit("probability", probability)?;
        let best = self.probability(1.0);
        if probability > best {
            return Err(Error::invalid(
                "probability",
                probability,
                format!("at most {best}, the probability at similarity 1"),
            ));
        }
        Ok(self.similarity_at_ln_miss(ln_1p(-probability)))
    }

    /// The usual approximation of the point where the curve rises: the similarity at which a row agrees with
    /// probability `(1/b)^(1/r)`. There about `1 - 1/e = 63 %` of the pairs are found (if `b` is not small).
    #[must_use]
    pub fn approximate_threshold(&self) -> f64 {
        let (bands, rows) = (self.banding.bands() as f64, self.banding.rows() as f64);
        self.similarity_at_row(pow(1.0 / bands, 1.0 / rows))
    }

    /// The similarity at which the curve is steepest as a function of the row probability `q`:
    /// `q^r = (r - 1) / (b r - 1)`. For min-hashing and b-bit signatures, where `q` is linear in the similarity, it is
    /// the steepest point of the curve itself. For one row it is 0, because the curve becomes flatter all the way.
    #[must_use]
    pub fn steepest(&self) -> f64 {
        let (bands, rows) = (self.banding.bands() as f64, self.banding.rows() as f64);
        if self.banding.rows() == 1 {
            return 0.0;
        }
        self.similarity_at_row(pow((rows - 1.0) / (bands * rows - 1.0), 1.0 / rows))
    }

    /// The area below the curve left of `threshold`. It measures the useless comparisons if all similarities are
    /// equally frequent. The integral is accurate to about 1e-10.
    pub fn false_positive_area(&self, threshold: f64) -> Result<f64> {
        check_threshold(threshold)?;
        Ok(self.found_area(0.0, threshold))
    }

    /// The area above the curve right of `threshold`. It measures the missed pairs if all similarities are equally
    /// frequent. The integral is accurate to about 1e-10.
    pub fn false_negative_area(&self, threshold: f64) -> Result<f64> {
        check_threshold(threshold)?;
        Ok(self.missed_area(threshold, 1.0))
    }

    /// The area below the curve between two similarities; 0 if they are not in order.
    pub(super) fn found_area(&self, from: f64, to: f64) -> f64 {
        if from < to { integrate(|s| self.probability(s), from, to, &self.knots()) } else { 0.0 }
    }

    /// The area above the curve between two similarities; 0 if they are not in order.
    pub(super) fn missed_area(&self, from: f64, to: f64) -> f64 {
        if from < to { integrate(|s| self.miss_probability(s), from, to, &self.knots()) } else { 0.0 }
    }

    /// The share of all pairs that become candidates if similarities have the given `density` on `[0, 1]`. The
    /// density must be smooth on each tenth of that interval.
    pub fn expected_candidates(&self, density: impl Fn(f64) -> f64) -> f64 {
        let mut knots = self.knots();
        knots.extend((1..10).map(|tenth| f64::from(tenth) / 10.0));
        knots.sort_by(f64::total_cmp);
        integrate(|s| self.probability(s) * density(s), 0.0, 1.0, &knots)
    }

    /// `ln(1 - p(s))`.
    fn ln_miss(&self, s: f64) -> f64 {
        let row = (self.row_probability)(s.clamp(0.0, 1.0)).clamp(0.0, 1.0);
        let ln_band = self.banding.rows() as f64 * ln(row);
        // ln(1 - e^x) is computed with exp_m1 if e^x is near 1, and with ln_1p if it is small (Mächler 2012).
        let ln_differ =
            if ln_band > -std::f64::consts::LN_2 { ln(-exp_m1(ln_band)) } else { ln_1p(-exp(ln_band)) };
        self.banding.bands() as f64 * (ln_differ + self.ln_no_collision())
    }

    /// `ln(1 - 1/n)`, the logarithm of the probability that different band contents fall into different buckets.
    fn ln_no_collision(&self) -> f64 {
        self.banding.buckets().map_or(0.0, |buckets| ln_1p(-1.0 / buckets as f64))
    }

    fn similarity_at_ln_miss(&self, ln_miss: f64) -> f64 {
        let ln_differ = ln_miss / self.banding.bands() as f64 - self.ln_no_collision();
        if ln_differ.is_nan() || ln_differ >= 0.0 {
            return 0.0;
        }
        self.similarity_at_row(pow(-exp_m1(ln_differ), 1.0 / self.banding.rows() as f64))
    }

    /// The least similarity at which a row agrees with probability `row` or more; 1 if there is no such similarity.
    ///
    /// This is a bisection over the bit patterns of the numbers in `[0, 1]`, which are in the same order as the
    /// numbers. It takes 62 steps to the last bit, even near 0.
    fn similarity_at_row(&self, row: f64) -> f64 {
        let (mut below, mut reached) = (0_u64, 1.0_f64.to_bits());
        while below < reached {
            let middle = below + (reached - below) / 2;
            if (self.row_probability)(f64::from_bits(middle)) >= row {
                reached = middle;
            } else {
                below = middle + 1;
            }
        }
        f64::from_bits(reached)
    }

    fn knots(&self) -> Vec<f64> {
        let ln_misses = CUTS.iter().map(|cut| ln_1p(-cut)).chain(MISS_CUTS.iter().map(|cut| ln(*cut)));
        ln_misses.map(|ln_miss| self.similarity_at_ln_miss(ln_miss)).collect()
    }
}

/// The probability that all of `count` independent events happen, each with probability `p`.
pub(crate) fn all_of(p: f64, count: usize) -> f64 {
    powi(p, count)
}

/// The probability that at least one of `count` independent events happens, each with probability `p`.
pub(crate) fn any_of(p: f64, count: f64) -> f64 {
    if count == 0.0 { 0.0 } else { exp_m1(count * ln_1p(-p)).abs() }
}

/// The probability that two documents with `shared` shingles in common have a sampled shingle in common. One in
/// `one_in` of all shingles is sampled, chosen by its hash (Broder 1997). The probability is
/// `1 - (1 - 1/one_in)^shared`.
///
/// ```
/// use lookalike::banding::sample_probability;
///
/// assert!((sample_probability(8, 20.0) - 0.931).abs() < 0.001);
/// ```
#[must_use]
pub fn sample_probability(one_in: u64, shared: f64) -> f64 {
    any_of(1.0 / one_in.max(1) as f64, shared.max(0.0))
}

/// Returns an error unless `threshold` is a similarity.
pub(crate) fn check_threshold(threshold: f64) -> Result<()> {
    check_unit("threshold", threshold)
}
