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
                format!("{} bands of {} rows", banding.bands(), banding.rows())
            }
            Sketching::Tables { distance, masks, .. } => {
                format!("{} tables for a distance of {distance}", masks.len())
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
