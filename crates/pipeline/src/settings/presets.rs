//! Presets: settings that other tools use.
//!
//! A preset sets the shingles, the hashes, the bands and the threshold. It does not imitate the hash functions or the
//! mistakes of the other tool: candidates are verified, and the kept documents chosen, as in any other run. Several
//! of these tools treat every candidate as a duplicate and have no threshold. For them the preset has a round number
//! that we chose to suit their usual purpose.

use crate::{BandsAndRows, Common, Error, Result, Settings};
use lookalike::banding::{Banding, SCurve, plan};

/// A preset: settings with a name.
#[derive(Debug, Clone, Copy)]
pub struct Preset {
    /// The name of the preset.
    pub name: &'static str,
    /// The tool or data set that uses these settings.
    pub about: &'static str,
    /// The shingles that the tool uses. `None` if it prescribes none; then the setting is not changed.
    shingles: Option<&'static str>,
    hashes: usize,
    threshold: f64,
    bands: Bands,
    /// Whether elements that very many documents share are left out.
    common: Option<Common>,
}

/// How a tool chooses its bands and rows.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Bands {
    /// It has a fixed number of bands and rows.
    Fixed(usize, usize),
    /// It plans them from the threshold, and gives false positives and false negatives the same weight.
    ByAreas,
    /// It plans them from the recall that a run wants.
    ByRecall,
}

/// All presets, by name.
pub const ALL: [Preset; 6] = [
    Preset {
        name: "data-juicer",
        about: "data-juicer's document_minhash_deduplicator",
        shingles: Some("words:5"),
        hashes: 256,
        threshold: 0.7,
        bands: Bands::ByAreas,
        common: None,
    },
    Preset {
        name: "datasketch",
        about: "datasketch's MinHash and MinHashLSH",
        shingles: None,
        hashes: 128,
        threshold: 0.9,
        bands: Bands::ByAreas,
        common: None,
    },
    Preset {
        name: "dolma",
        about: "the bands of Dolma 3",
        shingles: None,
        hashes: 286,
        threshold: 0.8,
        bands: Bands::Fixed(26, 11),
        common: None,
    },
    Preset {
        name: "fineweb",
        about: "FineWeb, with datatrove",
        shingles: Some("words:5"),
        hashes: 112,
        threshold: 0.75,
        bands: Bands::Fixed(14, 8),
        common: None,
    },
    Preset {
        name: "nemo-curator",
        about: "NeMo Curator's fuzzy deduplication",
        shingles: Some("characters:24"),
        hashes: 260,
        threshold: 0.8,
        bands: Bands::Fixed(20, 13),
        common: None,
    },
    Preset {
        name: "news",
        about: "the same story on many sites, without their frames",
        shingles: Some("words:5"),
        hashes: 512,
        threshold: 0.135,
        bands: Bands::ByRecall,
        common: Some(Common::Auto),
    },
];

/// The names of all presets, in alphabetical order.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|preset| preset.name)
}

/// The preset with this name; an unknown name is an error.
pub fn find(name: &str) -> Result<Preset> {
    ALL.into_iter().find(|preset| preset.name == name).ok_or_else(|| {
        let names = names().collect::<Vec<_>>().join(", ");
        Error::Invalid(format!("there is no preset `{name}`; the presets are {names}"))
    })
}

/// What a preset finds, in numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    /// The bands and rows of the preset.
    pub banding: Banding,
    /// The share of the pairs at the threshold that becomes candidates.
    pub recall: f64,
    /// The similarity at which 99 of 100 pairs become candidates.
    pub found_at: f64,
}

impl Preset {
    /// Changes the settings that the preset names, and leaves the others unchanged.
    pub fn apply(&self, settings: &mut Settings) -> Result<()> {
        let banding = self.banding()?;
        if let Some(shingles) = self.shingles {
            settings.signature.shingles = shingles.into();
        }
        settings.signature.hashes = self.hashes;
        settings.matching.threshold = self.threshold;
        settings.matching.bands = match self.bands {
            Bands::ByRecall => None,
            _ => Some(BandsAndRows { bands: banding.bands(), rows: banding.rows() }),
        };
        if self.common.is_some() {
            settings.matching.common = self.common;
        }
        Ok(())
    }

    /// True if the preset changes the setting of this name, as it is written in reports and settings files.
    #[must_use]
    pub fn changes(&self, setting: &str) -> bool {
        match setting {
            "shingles" => self.shingles.is_some(),
            "hashes" | "threshold" => true,
            "bands" => self.bands != Bands::ByRecall,
            "common" => self.common.is_some(),
            _ => false,
        }
    }

    /// Computes from the S-curve of the preset what it finds.
    pub fn figures(&self) -> Result<Figures> {
        let curve = SCurve::new(self.banding()?);
        let found_at = curve.similarity_at(0.99)?;
        Ok(Figures { banding: curve.banding(), recall: curve.probability(self.threshold), found_at })
    }

    fn banding(&self) -> Result<Banding> {
        let banding = match self.bands {
            Bands::Fixed(bands, rows) => Banding::new(bands, rows),
            Bands::ByAreas => plan::by_areas(self.hashes, self.threshold, 0.5, 0.5).map(|plan| plan.banding),
            Bands::ByRecall => {
                let recall = Settings::default().matching.recall;
                plan::by_recall(self.hashes, self.threshold, recall).map(|plan| plan.banding)
            }
        };
        Ok(banding?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_preset_fits_its_hashes_and_states_its_recall() {
        for preset in ALL {
            let Figures { banding, recall, found_at } = preset.figures().unwrap();
            assert!(banding.bands() * banding.rows() <= preset.hashes, "{}", preset.name);
            assert!((0.3..1.0).contains(&recall), "{}: {recall}", preset.name);
            assert!((0.0..1.0).contains(&found_at), "{}: {found_at}", preset.name);
        }
    }

    #[test]
    fn each_preset_names_the_settings_that_it_changes() {
        let written = |settings: &Settings| serde_json::to_value(settings).unwrap();
        for preset in ALL {
            // No preset has these values, so that every setting that is set is seen to change.
            let before =
                Settings::default().with_shingles("words:1".into()).with_hashes(1).with_threshold(0.1);
            let mut after = before.clone();
            preset.apply(&mut after).unwrap();
            let (before, after) = (written(&before), written(&after));
            for (name, value) in after.as_object().unwrap() {
                assert_eq!(preset.changes(name), before[name] != *value, "{}: {name}", preset.name);
            }
        }
    }

    #[test]
    fn names_are_in_order_and_found() {
        assert!(names().is_sorted());
        for name in names() {
            assert_eq!(find(name).unwrap().name, name);
        }
        assert!(find("fine-web").unwrap_err().to_string().contains("fineweb"));
    }
}
