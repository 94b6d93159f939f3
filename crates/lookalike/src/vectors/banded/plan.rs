//! A threshold and the wanted recall -> bands and rows, and from how many vectors on they are cheaper than comparing all.
//!
//! A band of r functions collides with probability `p^r`, where p is that of one function: `1 - angle/pi` for a hyperplane,
//! and the formula of [`StableProjections`](super::super::StableProjections) for cells of four times the distance. So b
//! bands find a pair with probability `1 - (1 - p^r)^b`, and for every r there is a least b with the wanted recall.
//!
//! Of these plans the cheapest for a million vectors is taken. Costs are counted in comparisons of two vectors with 8-bit
//! coordinates: a vector is multiplied with b r functions, is copied to b buckets, and meets strangers in them. Strangers are
//! taken to have cosine 0.2, or three times the distance. The plan follows from the threshold and the recall alone.

use super::super::Nearness;
use super::super::sign_signature::same_side_probability;
use super::super::stable_projections::gaussian_collision;
use crate::banding::{all_of, any_of};
use crate::error::{Error, Result};
use crate::math::ln_1p;

/// The most rows of a band. A key has so many bits.
pub const MAX_ROWS: usize = 16;

/// The most bands. A vector has so many keys.
pub const MAX_BANDS: usize = 4096;

/// The number of vectors for which the cheapest plan is chosen.
const PLANNED_VECTORS: f64 = 1e6;

/// The cosine of vectors that have nothing to do with each other.
const STRANGERS: f64 = 0.2;

/// The distance of such vectors, in distances that are looked for.
const FAR: f64 = 3.0;

/// The width of a cell, in distances that are looked for.
const WIDTH: f64 = 4.0;

/// What one function costs, in comparisons.
const COST_OF_FUNCTION: f64 = 1.5;

/// What a vector costs in a bucket besides comparisons, in comparisons.
const COST_OF_BAND: f64 = 50.0;

/// Bands are worth it if they take at most this share of the time of comparing all, since they miss pairs.
const SHARE: f64 = 1.0 / 3.0;

/// Bands of functions that find near vectors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearBands {
    pub(super) nearness: Nearness,
    pub(super) bands: usize,
    pub(super) rows: usize,
}

impl NearBands {
    /// The cheapest bands that find a pair at the threshold with this probability, which is above 0 and below 1.
    pub fn planned(nearness: Nearness, recall: f64) -> Result<Self> {
        if !(recall > 0.0 && recall < 1.0) {
            return Err(Error::invalid("recall", recall, "above 0 and below 1"));
        }
        let plans = (1..=MAX_ROWS).filter_map(|rows| {
            let p = all_of(one(nearness, nearness.threshold()), rows);
            // Less than one band is none.
            let bands = if p < 1.0 { (ln_1p(-recall) / ln_1p(-p)).ceil().max(1.0) } else { 1.0 };
            (bands <= MAX_BANDS as f64).then_some(Self { nearness, bands: bands as usize, rows })
        });
        let cheapest = plans.min_by(|a, b| a.cost(PLANNED_VECTORS).total_cmp(&b.cost(PLANNED_VECTORS)));
        // With one row every threshold has a plan, unless it is so low that all pairs are alike.
        Ok(cheapest.unwrap_or(Self { nearness, bands: MAX_BANDS, rows: 1 }))
    }

    /// This many bands (1 to [`MAX_BANDS`]) of this many rows (1 to [`MAX_ROWS`]).
    pub fn new(nearness: Nearness, bands: usize, rows: usize) -> Result<Self> {
        if bands == 0 || bands > MAX_BANDS {
            return Err(Error::invalid("bands", bands, format!("1 to {MAX_BANDS}")));
        }
        if rows == 0 || rows > MAX_ROWS {
            return Err(Error::invalid("rows", rows, format!("1 to {MAX_ROWS}")));
        }
        Ok(Self { nearness, bands, rows })
    }

    /// When vectors are near.
    #[must_use]
    pub fn nearness(&self) -> Nearness {
        self.nearness
    }

    /// The number of bands.
    #[must_use]
    pub fn bands(&self) -> usize {
        self.bands
    }

    /// The number of functions of each band.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The probability that two vectors share a band if their cosine, or their distance, is `value`.
    #[must_use]
    pub fn chance(&self, value: f64) -> f64 {
        self.chance_of(value, self.bands)
    }

    /// The same with one band less.
    #[must_use]
    pub fn chance_without_one(&self, value: f64) -> f64 {
        self.chance_of(value, self.bands - 1)
    }

    fn chance_of(&self, value: f64, bands: usize) -> f64 {
        any_of(all_of(one(self.nearness, value), self.rows), bands as f64)
    }

    /// The least number of vectors for which bands take at most a third of the time that comparing all of them takes.
    /// `None` if there is no such number: strangers share a band too often.
    #[must_use]
    pub fn worth_it_from(&self) -> Option<u64> {
        let per_stranger = SHARE - self.strangers();
        if per_stranger <= 0.0 {
            return None;
        }
        // cost(n) <= SHARE n / 2, solved for n.
        let exactly = 2.0 * self.fixed_cost() / per_stranger;
        // Two digits say all that the costs are known to.
        let mut unit = 1.0;
        while exactly / unit >= 100.0 {
            unit *= 10.0;
        }
        Some(((exactly / unit).ceil() * unit).min(u64::MAX as f64) as u64)
    }

    /// What a vector costs among so many, in comparisons.
    fn cost(&self, vectors: f64) -> f64 {
        self.fixed_cost() + self.strangers() * vectors / 2.0
    }

    fn fixed_cost(&self) -> f64 {
        self.bands as f64 * (COST_OF_FUNCTION * self.rows as f64 + COST_OF_BAND)
    }

    /// How many bands a pair of strangers shares, on average.
    fn strangers(&self) -> f64 {
        let value = if self.nearness.is_cosine() { STRANGERS } else { FAR * self.nearness.threshold() };
        self.bands as f64 * all_of(one(self.nearness, value), self.rows)
    }

    /// The width of a cell.
    pub(super) fn width(&self) -> f64 {
        let width = WIDTH * self.nearness.threshold();
        // At distance 0, only equal vectors are near, and these share every cell.
        if width > 0.0 { width } else { 1.0 }
    }
}

/// The probability that one function collides.
fn one(nearness: Nearness, value: f64) -> f64 {
    if nearness.is_cosine() {
        return same_side_probability(value.clamp(-1.0, 1.0)).unwrap_or(0.0);
    }
    let width = WIDTH * nearness.threshold();
    match (width > 0.0, value > 0.0) {
        (true, _) => gaussian_collision(width / value),
        (false, far) => f64::from(u8::from(!far)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_reach_their_recall_with_as_few_bands_as_possible() {
        let mut nearnesses: Vec<_> =
            [0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.99, 1.0].map(|least| Nearness::cosine(least).unwrap()).into();
        nearnesses.extend([0.0, 1e-9, 0.5, 1e9].map(|most| Nearness::euclidean(most).unwrap()));
        for nearness in nearnesses {
            for recall in [0.5, 0.9, 0.99, 0.9999] {
                let plan = NearBands::planned(nearness, recall).unwrap();
                let at = nearness.threshold();
                assert!(plan.chance(at) >= recall - 1e-12, "{plan:?} {recall}");
                assert!(plan.bands == 1 || plan.chance_without_one(at) < recall, "{plan:?} {recall}");
            }
        }
    }

    #[test]
    fn the_plan_of_the_guide() {
        let plan = NearBands::planned(Nearness::cosine(0.8).unwrap(), 0.99).unwrap();
        assert_eq!((plan.bands, plan.rows), (178, 16));
        assert!((plan.chance(0.8) - 0.99).abs() < 1e-3);
        // Beyond the threshold the chance rises, and below it falls.
        assert!(plan.chance(0.9) > 0.9999 && plan.chance(0.2) < 0.03);
        let from = plan.worth_it_from().unwrap();
        assert!((50_000..150_000).contains(&from), "{from}");
        // So low a threshold brings all vectors together.
        assert_eq!(NearBands::planned(Nearness::cosine(0.2).unwrap(), 0.99).unwrap().worth_it_from(), None);
    }

    #[test]
    fn numbers_that_make_no_sense_are_refused() {
        let near = Nearness::cosine(0.8).unwrap();
        for (bands, rows) in [(0, 1), (1, 0), (MAX_BANDS + 1, 1), (1, MAX_ROWS + 1)] {
            assert!(NearBands::new(near, bands, rows).is_err(), "{bands} {rows}");
        }
        for recall in [0.0, 1.0, f64::NAN] {
            assert!(NearBands::planned(near, recall).is_err(), "{recall}");
        }
        assert_eq!(NearBands::new(near, 20, 10).unwrap().rows(), 10);
    }
}
