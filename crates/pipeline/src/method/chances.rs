//! Settings -> the probability that a pair is found, as a function of its similarity.

use crate::method::Recipe;
use crate::method::samples::PLANNED_SHINGLES;
use crate::report::Plan;
use crate::{Result, Settings};
use lookalike::shingling::Shingler;

/// The probabilities with which a run finds similar pairs.
#[derive(Debug)]
pub struct Chances {
    recipe: Recipe,
}

impl Chances {
    /// The probabilities for a run with these settings.
    pub fn new(settings: &Settings) -> Result<Self> {
        Ok(Self { recipe: Recipe::new(settings)? })
    }

    /// The probability that a pair of this similarity becomes a candidate. With containment it depends on `shingles`,
    /// the number of shingles of the contained document; otherwise `shingles` is ignored.
    #[must_use]
    pub fn of(&self, similarity: f64, shingles: u64) -> f64 {
        self.recipe.method.probability(similarity, shingles, false)
    }

    /// The probability that a pair of this similarity becomes a candidate, for several sizes of the smaller document:
    /// pairs of a number of shingles and a probability. Containment finds documents by sampled shingles, and a
    /// document with few shingles may have no sampled one.
    #[must_use]
    pub fn by_shingles(&self, similarity: f64) -> Vec<(u64, f64)> {
        [1, 5, 10, 20, PLANNED_SHINGLES, 100, 200]
            .map(|shingles| (shingles, self.of(similarity, shingles)))
            .to_vec()
    }

    /// The plan of the run.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.recipe.plan
    }

    /// The plan as a phrase: `21 bands of 6 rows`.
    #[must_use]
    pub fn label(&self) -> String {
        self.recipe.method.label()
    }

    /// The shingler, which cuts texts into shingles.
    #[must_use]
    pub fn shingler(&self) -> &Shingler {
        &self.recipe.shingler
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BandsAndRows;

    #[test]
    fn chances_are_those_of_the_plan() {
        let settings = Settings::default().with_bands(Some(BandsAndRows { bands: 1, rows: 4 }));
        let chances = Chances::new(&settings).unwrap();
        assert_eq!(chances.label(), "1 band of 4 rows");
        assert!((chances.of(0.5, 100) - 0.0625).abs() < 1e-4);
        assert!(
            (chances.of(settings.matching.threshold, 100) - chances.plan().recall_at_threshold).abs() < 1e-12
        );
    }

    #[test]
    fn short_documents_are_found_less_often_by_samples() {
        let settings = Settings::default().with_measure(crate::Measure::Containment);
        let chances = Chances::new(&settings).unwrap();
        let by_shingles = chances.by_shingles(settings.matching.threshold);
        assert!(by_shingles.is_sorted_by(|a, b| a.0 < b.0 && a.1 < b.1), "{by_shingles:?}");
        let planned = by_shingles.iter().find(|(shingles, _)| *shingles == PLANNED_SHINGLES).unwrap();
        assert!((planned.1 - chances.plan().recall_at_threshold).abs() < 1e-12);
        // Eight of ten shingles are shared, and each is left out of the sample with probability 7/8.
        let ten = by_shingles.iter().find(|(shingles, _)| *shingles == 10).unwrap();
        assert!((ten.1 - (1.0 - 0.875f64.powi(8))).abs() < 1e-12);
        // With bands the length of a document does not matter.
        let bands = Chances::new(&Settings::default()).unwrap().by_shingles(0.8);
        assert!(bands.iter().all(|(_, chance)| (chance - bands[0].1).abs() < 1e-12));
    }
}
