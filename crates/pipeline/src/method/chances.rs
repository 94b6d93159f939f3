//! Settings -> the chance that a pair is found, by its similarity.

use crate::method::Means;
use crate::method::samples::PLANNED_SHINGLES;
use crate::report::Plan;
use crate::{Result, Settings};
use lookalike::shingling::Shingler;

/// What a plan promises.
#[derive(Debug)]
pub struct Chances {
    means: Means,
}

impl Chances {
    /// Of a run with these settings.
    pub fn new(settings: &Settings) -> Result<Self> {
        Ok(Self { means: Means::new(settings)? })
    }

    /// The chance that a pair of this similarity becomes a candidate. With containment it depends on how many shingles
    /// the contained document has.
    #[must_use]
    pub fn of(&self, similarity: f64, shingles: u64) -> f64 {
        self.means.method.probability(similarity, shingles, false)
    }

    /// The chance that a pair of this similarity becomes a candidate, by the number of shingles of the smaller document:
    /// one with few shingles may have none that was sampled for containment.
    #[must_use]
    pub fn by_shingles(&self, similarity: f64) -> Vec<(u64, f64)> {
        [1, 5, 10, 20, PLANNED_SHINGLES, 100, 200]
            .map(|shingles| (shingles, self.of(similarity, shingles)))
            .to_vec()
    }

    /// The plan.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.means.plan
    }

    /// The plan in words.
    #[must_use]
    pub fn label(&self) -> String {
        self.means.method.label()
    }

    /// What cuts texts into shingles.
    #[must_use]
    pub fn shingler(&self) -> &Shingler {
        &self.means.shingler
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
        // Of ten shingles eight are shared, and each is left out with probability 7/8.
        let ten = by_shingles.iter().find(|(shingles, _)| *shingles == 10).unwrap();
        assert!((ten.1 - (1.0 - 0.875f64.powi(8))).abs() < 1e-12);
        // Bands do not ask how long a document is.
        let bands = Chances::new(&Settings::default()).unwrap().by_shingles(0.8);
        assert!(bands.iter().all(|(_, chance)| (chance - bands[0].1).abs() < 1e-12));
    }
}
