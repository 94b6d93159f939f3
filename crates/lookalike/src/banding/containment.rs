//! Number of hashes, containment threshold and ratio of sizes -> bands and rows.
//!
//! A document of `x` elements that contains the share `t` of a query of `q` elements has the Jaccard similarity
//! `t / (1 + x/q - t)`. So as a function of containment, the S-curve of a banding is
//! `1 - (1 - (t / (1 + x/q - t))^r)^b`. The two areas of error are left and right of the threshold, as for
//! similarities ([`plan::by_areas`](super::plan::by_areas)). They end at the largest possible containment,
//! `min(1, x/q)`.

use super::curve::{SCurve, check_threshold};
use super::keys::Banding;
use crate::error::{Error, Result, check_weight};
use crate::minhash::check_num_hashes;

/// The banding of at most `num_hashes` hashes and `max_rows` rows that has the least
/// `false_positive_weight * false-positive area + false_negative_weight * false-negative area` for documents that are
/// `ratio` times as large as the query. Of equally good bandings it is the one with the fewest bands, then the fewest
/// rows.
///
/// This is the rule of the Python library datasketch for its LSH ensemble, with exact integrals.
///
/// ```
/// use lookalike::banding::containment;
///
/// // Documents of the size of the query, and documents 20 times as large, which need looser bands.
/// let equal = containment::by_areas(128, 8, 0.8, 1.0, 0.5, 0.5)?;
/// let large = containment::by_areas(128, 8, 0.8, 20.0, 0.5, 0.5)?;
/// assert!(equal.rows() > large.rows());
/// # Ok::<(), lookalike::Error>(())
/// ```
pub fn by_areas(
    num_hashes: usize,
    max_rows: usize,
    threshold: f64,
    ratio: f64,
    false_positive_weight: f64,
    false_negative_weight: f64,
) -> Result<Banding> {
    check_num_hashes(num_hashes)?;
    check_threshold(threshold)?;
    check_weight("ratio", ratio)?;
    check_weight("false_positive_weight", false_positive_weight)?;
    check_weight("false_negative_weight", false_negative_weight)?;
    let most = ratio.min(1.0);
    let similarity = |containment: f64| containment.min(most) / (1.0 + ratio - containment.min(most));
    let mut best: Option<(f64, Banding)> = None;
    for bands in 1..=num_hashes {
        for rows in 1..=max_rows.min(num_hashes / bands) {
            let banding = Banding::new(bands, rows)?;
            let curve = SCurve::with_row_probability(banding, similarity);
            let false_positives = curve.found_area(0.0, threshold.min(most));
            let false_negatives = curve.missed_area(threshold, most);
            let error = false_positive_weight * false_positives + false_negative_weight * false_negatives;
            if best.is_none_or(|(least, _)| error < least) {
                best = Some((error, banding));
            }
        }
    }
    best.map(|(_, banding)| banding).ok_or_else(|| Error::invalid("max_rows", max_rows, "at least 1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The areas by their definition: sums over a fine grid.
    fn error(banding: Banding, threshold: f64, ratio: f64, weights: (f64, f64)) -> f64 {
        const STEPS: usize = 20_000;
        let found = |t: f64| {
            let row = t / (1.0 + ratio - t);
            1.0 - (1.0 - row.powi(banding.rows() as i32)).powi(banding.bands() as i32)
        };
        let step = ratio.min(1.0) / STEPS as f64;
        let value = |i: usize| {
            let t = (i as f64 + 0.5) * step;
            if t < threshold { weights.0 * found(t) } else { weights.1 * (1.0 - found(t)) }
        };
        (0..STEPS).map(value).sum::<f64>() * step
    }

    #[test]
    fn no_other_banding_has_a_smaller_error() {
        for (threshold, ratio) in [(0.5, 0.2), (0.5, 0.7), (0.8, 1.0), (0.9, 3.0), (0.2, 50.0)] {
            for weights in [(0.5, 0.5), (0.1, 0.9)] {
                let chosen = by_areas(32, 6, threshold, ratio, weights.0, weights.1).unwrap();
                let least = error(chosen, threshold, ratio, weights);
                for bands in 1..=32 {
                    for rows in 1..=6.min(32 / bands) {
                        let other = error(Banding::new(bands, rows).unwrap(), threshold, ratio, weights);
                        assert!(least <= other + 1e-6, "{chosen} {bands} x {rows} at {threshold}, {ratio}");
                    }
                }
            }
        }
    }

    #[test]
    fn impossible_settings_are_errors() {
        assert!(by_areas(0, 8, 0.5, 1.0, 0.5, 0.5).is_err());
        assert!(by_areas(128, 0, 0.5, 1.0, 0.5, 0.5).is_err());
        assert!(by_areas(128, 8, 1.5, 1.0, 0.5, 0.5).is_err());
        for impossible in [f64::NAN, -1.0, f64::INFINITY] {
            assert!(by_areas(128, 8, 0.5, impossible, 0.5, 0.5).is_err());
            assert!(by_areas(128, 8, 0.5, 1.0, impossible, 0.5).is_err());
        }
    }
}
