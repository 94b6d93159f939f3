//! Settings -> the chance that a pair is found, by its similarity.

use crate::method::{Means, Sketching};
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
        self.means.probability(similarity, shingles, false)
    }

    /// The plan.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.means.plan
    }

    /// The plan in words.
    #[must_use]
    pub fn label(&self) -> String {
        match &self.means.sketching {
            Sketching::Bands { banding, .. } => {
                format!("{} of {}", number(banding.bands(), "band"), number(banding.rows(), "row"))
            }
            Sketching::Tables { distance, masks, .. } => {
                format!("{} for a distance of {distance}", number(masks.len(), "table"))
            }
            Sketching::Samples => format!("one of {} shingles", crate::SAMPLED_ONE_IN),
        }
    }

    /// What cuts texts into shingles.
    #[must_use]
    pub fn shingler(&self) -> &Shingler {
        &self.means.shingler
    }
}

/// `1 band`, `2 bands`.
fn number(count: usize, of: &str) -> String {
    format!("{count} {of}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BandsAndRows;

    #[test]
    fn chances_are_those_of_the_plan() {
        let settings = Settings { bands: Some(BandsAndRows { bands: 1, rows: 4 }), ..Settings::default() };
        let chances = Chances::new(&settings).unwrap();
        assert_eq!(chances.label(), "1 band of 4 rows");
        assert!((chances.of(0.5, 100) - 0.0625).abs() < 1e-4);
        assert!((chances.of(settings.threshold, 100) - chances.plan().recall_at_threshold).abs() < 1e-12);
    }
}
