//! Number of hashes and threshold -> bands and rows.
//!
//! Four rules, from the simplest to the most careful:
//!
//! | rule | chooses | 128 hashes, threshold 0.8 |
//! |---|---|---|
//! | [`by_notes_rule`] | `b` divides `n`, the rise of the curve `(1/b)^(1/r)` nearest to `t` | 8 x 16 |
//! | [`by_areas`] | least weighted sum of the two areas of error | 9 x 13 |
//! | [`by_recall`] | wanted recall at `t`; all hashes used; fewest candidates | 21 x 6 (recall 0.99) |
//! | [`by_recall_leanest`] | wanted recall at `t`; fewest candidates, even if hashes stay unused | 16 x 6 (recall 0.99) |
//!
//! The first two look at the curve only, and miss many pairs just above the threshold: 9 x 13 finds a pair of
//! similarity 0.8 with probability 0.40. When nothing may be lost, plan by recall.
//!
//! # The prior
//!
//! How many candidates a banding makes depends on how similar the documents of the collection are. A plan is
//! made before they are read, and the same configuration must give the same plan everywhere, so the planners use
//! one fixed density, [`prior`]: `20 (1 - s)^19`, with mean 1/21. Most pairs are nearly unrelated; the density is a
//! tenth of its top at 0.11 and a hundredth at 0.22. Real collections of word shingles have far less similarity between unrelated
//! documents; the prior is a yardstick to compare bandings with, not a forecast.
//!
//! # Why the two recall rules differ
//!
//! Fewer bands always mean fewer candidates, whatever the prior. So the strict minimum takes the recall it was
//! asked for and no more (16 x 6 reaches 0.9923). [`by_recall`] spends the hashes that are left on more bands of
//! the same number of rows (21 x 6 reaches 0.9983): they have been computed anyway, and the extra candidates are
//! few. Among the bandings that use all hashes, `K / r` bands of `r` rows, the curves do not cross, so the one
//! with most rows has the fewest candidates under every prior.
//!
//! # The same plan everywhere
//!
//! A plan is integers, chosen by comparing floating-point numbers that come from the platform's `ln` and `exp` and
//! may differ in the last bits from one machine to the next. The choice can differ only where two numbers are within
//! such a rounding of each other. The tests pin the plans of the usual configurations, and there the nearest
//! decision of [`by_recall`] is half a percent of the allowed misses away from a tie.

use super::curve::{RowProbability, SCurve, check_threshold};
use super::keys::Banding;
use crate::error::{Error, Result, check_weight};
use crate::math::{pow, powi};
use crate::minhash::{MAX_HASHES, check_num_hashes};

/// A choice of bands and rows, and what it does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// The bands and rows.
    pub banding: Banding,
    /// The similarity it was planned for.
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
    /// What the banding of `curve` does at `threshold`.
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

/// The density of similarities that plans are compared under: `20 (1 - s)^19`. See the [module](self).
#[must_use]
pub fn prior(similarity: f64) -> f64 {
    20.0 * powi(1.0 - similarity, 19)
}

/// The lecture notes' rule: among the `b` that divide `num_hashes`, the one with the least
/// `|(1/b)^(b/num_hashes) - threshold|`; of equal ones the smallest.
///
/// The curve then rises around the threshold, which means that more than a third of the pairs *at* the threshold
/// are missed.
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

/// The banding of at most `num_hashes` hashes with the least
/// `false_positive_weight * false-positive area + false_negative_weight * false-negative area`; of equal ones
/// that with the fewest bands, then the fewest rows. It is the rule of the Python library datasketch, with exact
/// integrals.
///
/// Tries all `b * r <= num_hashes`: about `num_hashes * ln(num_hashes)` curves, some ten milliseconds for 128.
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
        None => Err(Error::invalid("false_positive_weight", false_positive_weight, "a smaller weight")),
    }
}

/// The banding that finds a pair of similarity `threshold` with probability at least `recall`, makes use of all
/// hashes (`num_hashes / r` bands of `r` rows), and has the fewest candidates among those.
///
/// When even `num_hashes` bands of one row do not reach the recall, the error says what they reach.
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

/// The choice of [`by_recall_with`] alone, with `delta` the probability of a miss (so that tiny ones keep their
/// digits).
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

/// Among all `b * r <= num_hashes` with at least `recall` at `threshold`, the banding with the fewest expected
/// candidates under the [`prior`]; of equal ones that with the fewest hashes.
///
/// The recall is met with little to spare, and hashes may stay unused; see the [module](self).
pub fn by_recall_leanest(num_hashes: usize, threshold: f64, recall: f64) -> Result<Plan> {
    check_num_hashes(num_hashes)?;
    check_threshold(threshold)?;
    check_plannable("recall", recall)?;
    let mut best: Option<(f64, SCurve)> = None;
    for rows in 1..=num_hashes {
        // The hashes needed grow with the rows, so the first that does not fit is the last to try.
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

/// The least number of bands, up to `max_bands`, with which `rows` rows reach the recall.
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

/// An error unless the probability of a find (`recall`) or of a miss (`delta`) is one that can be planned for.
pub(crate) fn check_plannable(name: &'static str, probability: f64) -> Result<()> {
    if probability > 0.0 && probability < 1.0 {
        Ok(())
    } else {
        Err(Error::invalid(name, probability, "above 0 and below 1 (certainty cannot be planned for)"))
    }
}
