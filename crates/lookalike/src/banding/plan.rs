//! Number of hashes and threshold -> bands and rows.
//!
//! There are four rules, from the simplest to the most careful:
//!
//! | rule | chooses | 128 hashes, threshold 0.8 |
//! |---|---|---|
//! | [`by_notes_rule`] | `b` divides `n`, and the rise of the curve, `(1/b)^(1/r)`, is nearest to `t` | 8 x 16 |
//! | [`by_areas`] | least weighted sum of the two areas of error | 9 x 13 |
//! | [`by_recall`] | wanted recall at `t`; all hashes used; fewest candidates | 21 x 6 (recall 0.99) |
//! | [`by_recall_leanest`] | wanted recall at `t`; fewest candidates; hashes may be unused | 16 x 6 (recall 0.99) |
//!
//! The first two rules consider only the shape of the curve, and miss many pairs just above the threshold: 9 x 13
//! finds a pair of similarity 0.8 with probability 0.40. If few pairs may be missed, plan by recall.
//!
//! # The prior
//!
//! The number of candidates of a banding depends on how similar the documents of the collection are. A plan is
//! made before the documents are read, and the same configuration must give the same plan everywhere. So the planners
//! use one fixed density of similarities, [`prior`]: `20 (1 - s)^19`, with mean 1/21. Under it most pairs are nearly
//! unrelated: the density is a tenth of its maximum at 0.11 and a hundredth at 0.22. In real collections of word
//! shingles, unrelated documents are far less similar. The prior serves to compare bandings and is not a forecast.
//!
//! # Why the two recall rules differ
//!
//! Fewer bands always give fewer candidates, whatever the prior. So [`by_recall_leanest`] only just reaches the
//! wanted recall (16 x 6 reaches 0.9923). [`by_recall`] uses the hashes that are left for more bands of the same
//! number of rows (21 x 6 reaches 0.9983). These hashes are computed anyway, and the extra candidates are few. Among
//! the bandings that use all hashes, `K / r` bands of `r` rows, the curves do not cross. So the one with most rows
//! has the fewest candidates under every prior.
//!
//! # The same plan everywhere
//!
//! A plan consists of integers that are chosen by comparing floating-point numbers. These are computed with this
//! crate's own logarithms and powers, which have the same bits on every machine, so the plan is the same everywhere.
//! Only a [`RowProbability`] that the caller supplies may differ in the last bits. The tests pin the plans of the
//! usual configurations. There the nearest decision of [`by_recall`] is half a percent of the allowed misses away
//! from a tie.

use super::curve::{RowProbability, SCurve, check_threshold};
use super::keys::Banding;
use crate::error::{Error, Result, check_weight};
use crate::math::{pow, powi};
use crate::minhash::{MAX_HASHES, check_num_hashes};

/// A choice of bands and rows, and its effects.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// The bands and rows.
    pub banding: Banding,
    /// The similarity for which the plan was made.
    pub threshold: f64,
    /// The probability that a pair of similarity exactly `threshold` becomes a candidate. More similar pairs are
    /// found more often.
    pub recall: f64,
    /// The share of all pairs that become candidates if similarities follow the [`prior`].
    pub candidate_share: f64,
    /// The area below the curve left of the threshold.
    pub false_positive_area: f64,
    /// The area above the curve right of the threshold.
    pub false_negative_area: f64,
}

impl Plan {
    /// The plan for the banding of `curve` at `threshold`.
    ///
    /// ```
    /// use lookalike::banding::{plan::Plan, Banding, SCurve};
    ///
    /// let popular = Plan::of(&SCurve::new(Banding::new(16, 8)?), 0.8)?;
    /// assert!(popular.recall < 0.95); // one pair in twenty at the threshold is lost
    /// # Ok::<(), lookalike::Error>(())
    /// ```
    pub fn of<P: RowProbability>(curve: &SCurve<P>, threshold: f64) -> Result<Self> {
        check_threshold(threshold)?;
        Ok(Self {
            banding: curve.banding(),
            threshold,
            recall: curve.probability(threshold),
            candidate_share: curve.expected_candidates(prior),
            false_positive_area: curve.false_positive_area(threshold)?,
            false_negative_area: curve.false_negative_area(threshold)?,
        })
    }
}

/// The density of similarities under which plans are compared: `20 (1 - s)^19`. See the [module](self).
#[must_use]
pub fn prior(similarity: f64) -> f64 {
    20.0 * powi(1.0 - similarity, 19)
}

/// The rule of the lecture notes. Among the `b` that divide `num_hashes`, it chooses the one with the least
/// `|(1/b)^(b/num_hashes) - threshold|`, and the smallest of equally good ones.
///
/// The curve then rises around the threshold, so more than a third of the pairs *at* the threshold are missed.
pub fn by_notes_rule(num_hashes: usize, threshold: f64) -> Result<Plan> {
    check_num_hashes(num_hashes)?;
    check_threshold(threshold)?;
    let (mut best, mut least_error) = (1, 1.0);
    for bands in (1..=num_hashes).filter(|bands| num_hashes.is_multiple_of(*bands)) {
        let rise = pow(1.0 / bands as f64, bands as f64 / num_hashes as f64);
        let error = (rise - threshold).abs();
        if error < least_error {
            (best, least_error) = (bands, error);
        }
    }
    Plan::of(&SCurve::new(Banding::new(best, num_hashes / best)?), threshold)
}

/// The banding of at most `num_hashes` hashes that has the least
/// `false_positive_weight * false-positive area + false_negative_weight * false-negative area`. Of equally good
/// bandings it is the one with the fewest bands, then the fewest rows. This is the rule of the Python library
/// datasketch, with exact integrals.
///
/// It tries all `b * r <= num_hashes`. These are about `num_hashes * ln(num_hashes)` curves, which take some ten
/// milliseconds for 128 hashes.
pub fn by_areas(
    num_hashes: usize,
    threshold: f64,
    false_positive_weight: f64,
    false_negative_weight: f64,
) -> Result<Plan> {
    check_num_hashes(num_hashes)?;
    check_threshold(threshold)?;
    check_weight("false_positive_weight", false_positive_weight)?;
    check_weight("false_negative_weight", false_negative_weight)?;
    let mut best: Option<(f64, SCurve)> = None;
    for bands in 1..=num_hashes {
        for rows in 1..=num_hashes / bands {
            let curve = SCurve::new(Banding::new(bands, rows)?);
            let least = best.map_or(f64::INFINITY, |(least, _)| least);
            let false_positives = false_positive_weight * curve.false_positive_area(threshold)?;
            if false_positives >= least {
                continue;
            }
            let error = false_positives + false_negative_weight * curve.false_negative_area(threshold)?;
            if error < least {
                best = Some((error, curve));
            }
        }
    }
    match best {
        Some((_, curve)) => Plan::of(&curve, threshold),
        None => Err(Error::invalid("false_positive_weight", false_positive_weight, "a smaller number")),
    }
}

/// The banding with the fewest candidates among those that find a pair of similarity `threshold` with probability at
/// least `recall` and use all hashes (`num_hashes / r` bands of `r` rows).
///
/// If even `num_hashes` bands of one row do not reach the recall, the error says which recall they reach.
///
/// ```
/// use lookalike::banding::plan;
///
/// let plan = plan::by_recall(128, 0.8, 0.99)?;
/// assert_eq!((plan.banding.bands(), plan.banding.rows()), (21, 6));
/// assert!(plan.recall > 0.998);
/// let error = plan::by_recall(16, 0.1, 0.99).unwrap_err();
/// assert!(error.to_string().contains("at most 0.8146"));
/// # Ok::<(), lookalike::Error>(())
/// ```
pub fn by_recall(num_hashes: usize, threshold: f64, recall: f64) -> Result<Plan> {
    by_recall_with(num_hashes, threshold, recall, |similarity| similarity)
}

/// [`by_recall`] for another [`RowProbability`]: b-bit signatures, hyperplanes, ...
pub fn by_recall_with<P: RowProbability + Copy>(
    num_hashes: usize,
    threshold: f64,
    recall: f64,
    row_probability: P,
) -> Result<Plan> {
    check_plannable("recall", recall)?;
    let banding = banding_for_delta(num_hashes, threshold, 1.0 - recall, row_probability)?;
    Plan::of(&SCurve::with_row_probability(banding, row_probability), threshold)
}

/// Only the choice of [`by_recall_with`]. `delta` is the probability of a miss, so that tiny probabilities keep their
/// digits.
pub(crate) fn banding_for_delta<P: RowProbability + Copy>(
    num_hashes: usize,
    threshold: f64,
    delta: f64,
    row_probability: P,
) -> Result<Banding> {
    check_num_hashes(num_hashes)?;
    check_threshold(threshold)?;
    let mut best = None;
    // The recall falls with every row added, so the last banding that reaches it has the most rows.
    for rows in 1..=num_hashes {
        let banding = Banding::new(num_hashes / rows, rows)?;
        if SCurve::with_row_probability(banding, row_probability).miss_probability(threshold) > delta {
            break;
        }
        best = Some(banding);
    }
    best.ok_or_else(|| {
        let reached = Banding::new(num_hashes, 1)
            .map(|banding| SCurve::with_row_probability(banding, row_probability).probability(threshold));
        unreachable_recall(1.0 - delta, threshold, num_hashes, reached.unwrap_or(0.0))
    })
}

/// The banding with the fewest expected candidates under the [`prior`], among all `b * r <= num_hashes` with at least
/// `recall` at `threshold`. Of equally good bandings it is the one with the fewest hashes.
///
/// The recall is only just reached, and some hashes may be unused; see the [module](self).
pub fn by_recall_leanest(num_hashes: usize, threshold: f64, recall: f64) -> Result<Plan> {
    check_num_hashes(num_hashes)?;
    check_threshold(threshold)?;
    check_plannable("recall", recall)?;
    let mut best: Option<(f64, SCurve)> = None;
    for rows in 1..=num_hashes {
        // The number of hashes needed grows with the rows, so the search ends at the first that does not fit.
        let Some(bands) = fewest_bands(rows, num_hashes / rows, threshold, recall)? else { break };
        let curve = SCurve::new(Banding::new(bands, rows)?);
        let candidates = curve.expected_candidates(prior);
        if best.is_none_or(|(fewest, _)| candidates < fewest) {
            best = Some((candidates, curve));
        }
    }
    match best {
        Some((_, curve)) => Plan::of(&curve, threshold),
        None => {
            let reached = SCurve::new(Banding::new(num_hashes, 1)?).probability(threshold);
            Err(unreachable_recall(recall, threshold, num_hashes, reached))
        }
    }
}

/// The least number of hashes with which bands of `rows` rows find a pair of similarity `threshold` with
/// probability at least `recall`.
///
/// ```
/// assert_eq!(lookalike::banding::plan::hashes_for_recall(8, 0.8, 0.99)?, 208); // 26 bands
/// # Ok::<(), lookalike::Error>(())
/// ```
pub fn hashes_for_recall(rows: usize, threshold: f64, recall: f64) -> Result<usize> {
    Banding::new(1, rows)?;
    check_threshold(threshold)?;
    check_plannable("recall", recall)?;
    match fewest_bands(rows, MAX_HASHES / rows, threshold, recall)? {
        Some(bands) => Ok(bands * rows),
        None => {
            let reached = SCurve::new(Banding::new(MAX_HASHES / rows, rows)?).probability(threshold);
            Err(unreachable_recall(recall, threshold, MAX_HASHES, reached))
        }
    }
}

/// The least number of bands, up to `max_bands`, with which bands of `rows` rows reach the recall.
fn fewest_bands(rows: usize, max_bands: usize, threshold: f64, recall: f64) -> Result<Option<usize>> {
    let reaches = |bands| -> Result<bool> {
        Ok(SCurve::new(Banding::new(bands, rows)?).miss_probability(threshold) <= 1.0 - recall)
    };
    if !reaches(max_bands)? {
        return Ok(None);
    }
    let (mut fewest, mut enough) = (1, max_bands);
    while fewest < enough {
        let middle = usize::midpoint(fewest, enough);
        if reaches(middle)? {
            enough = middle;
        } else {
            fewest = middle + 1;
        }
    }
    Ok(Some(fewest))
}

fn unreachable_recall(recall: f64, threshold: f64, hashes: usize, reached: f64) -> Error {
    Error::UnreachableRecall { recall, reached, threshold, hashes }
}

/// Returns an error unless this probability of a find (`recall`) or of a miss (`delta`) can be planned for.
pub(crate) fn check_plannable(name: &'static str, probability: f64) -> Result<()> {
    if probability > 0.0 && probability < 1.0 {
        Ok(())
    } else {
        Err(Error::invalid(name, probability, "above 0 and below 1 (certainty cannot be planned for)"))
    }
}
