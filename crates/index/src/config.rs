//! The configuration of an index. It is fixed when the index is created.

use crate::{Error, Result};
use pipeline::{BandsAndRows, Kind, Measure, Method, NormalizeSettings, Settings, SignatureSettings};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The most bands that an index can have: a byte of a key says which band it is.
pub(crate) const MOST_BANDS: usize = 256;

/// How many candidates a query looks at, unless the index says otherwise.
const DEFAULT_CANDIDATES: usize = 10_000;

/// What is stored of each document besides its signature. It changes whether similarities are exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum Stored {
    /// Nothing: similarities are estimated.
    #[default]
    Signatures,
    /// The set of its shingles, as hashes: similarities are exact.
    Shingles,
    /// Its text: similarities are exact, and shared passages can be shown.
    Text,
}

impl Stored {
    /// The name in settings.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Signatures => "signatures",
            Self::Shingles => "shingles",
            Self::Text => "text",
        }
    }
}

impl std::fmt::Display for Stored {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::str::FromStr for Stored {
    type Err = String;

    fn from_str(written: &str) -> std::result::Result<Self, String> {
        let all = [Self::Signatures, Self::Shingles, Self::Text];
        let found = all.into_iter().find(|stored| stored.as_str() == written);
        found.ok_or_else(|| format!("`{written}` is not one of signatures, shingles, text"))
    }
}

/// The configuration of an index.
///
/// ```
/// use index::{Config, Stored};
///
/// let config = Config::default().with_threshold(0.7).with_store(Stored::Text);
/// assert_eq!(config.settings.matching.threshold, 0.7);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
#[non_exhaustive]
pub struct Config {
    /// What decides a signature, the threshold, and the recall and the bands that were planned for it. Settings of
    /// runs and files have no effect.
    pub settings: Settings,
    /// What is stored of each document besides its signature.
    pub store: Stored,
    /// How long a document stays, in milliseconds, unless it says otherwise; for ever without.
    pub ttl: Option<u64>,
    /// A query looks at no more candidates than this, the oldest first.
    pub most_candidates: usize,
}

/// A configuration as it is written: one list, without the settings that have no effect.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Written {
    #[serde(flatten)]
    signature: SignatureSettings,
    max_text: u64,
    threshold: f64,
    recall: f64,
    bands: Option<BandsAndRows>,
    distance: u32,
    store: Stored,
    ttl: Option<u64>,
    most_candidates: usize,
}

impl From<Config> for Written {
    fn from(Config { settings, store, ttl, most_candidates }: Config) -> Self {
        Self {
            max_text: settings.files.max_text,
            threshold: settings.matching.threshold,
            recall: settings.matching.recall,
            bands: settings.matching.bands,
            distance: settings.matching.distance,
            signature: settings.signature,
            store,
            ttl,
            most_candidates,
        }
    }
}

impl From<Written> for Config {
    fn from(written: Written) -> Self {
        let mut settings = Settings::default()
            .with_max_text(written.max_text)
            .with_threshold(written.threshold)
            .with_recall(written.recall)
            .with_bands(written.bands)
            .with_distance(written.distance);
        settings.signature = written.signature;
        let Written { store, ttl, most_candidates, .. } = written;
        Self { settings, store, ttl, most_candidates }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            settings: Settings::default(),
            store: Stored::default(),
            ttl: None,
            most_candidates: DEFAULT_CANDIDATES,
        }
    }
}

impl Config {
    /// The configuration with other settings.
    #[must_use]
    pub fn with_settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// The configuration with another threshold.
    #[must_use]
    pub fn with_threshold(mut self, threshold: f64) -> Self {
        self.settings.matching.threshold = threshold;
        self
    }

    /// What is stored of each document besides its signature.
    #[must_use]
    pub fn with_store(mut self, store: Stored) -> Self {
        self.store = store;
        self
    }

    /// How long a document stays unless it says otherwise.
    #[must_use]
    pub fn with_ttl(mut self, ttl: Option<Duration>) -> Self {
        self.ttl = ttl.map(|ttl| u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX));
        self
    }

    /// How many candidates a query looks at, at the most.
    #[must_use]
    pub fn with_most_candidates(mut self, most: usize) -> Self {
        self.most_candidates = most;
        self
    }

    /// The configuration without settings that have no effect on an index, as it is read back from its folder.
    pub(crate) fn normalized(&self) -> Self {
        Written::from(self.clone()).into()
    }

    /// Refuses what an index cannot have.
    pub(crate) fn check(&self) -> Result<()> {
        let Settings { signature, .. } = &self.settings;
        if signature.kind != Kind::Text {
            let reason = "an index has texts; use dedup, pairs, clusters or query on the files";
            return Err(Error::Unsuitable { setting: "kind", value: signature.kind.to_string(), reason });
        }
        if signature.measure == Measure::Containment {
            let reason = "the keys of containment grow with the document; use jaccard";
            let value = signature.measure.to_string();
            return Err(Error::Unsuitable { setting: "measure", value, reason });
        }
        if let Some(weights) = &signature.weights {
            let reason = "a file of weights can change while the index stays";
            let value = weights.display().to_string();
            return Err(Error::Unsuitable { setting: "weights", value, reason });
        }
        if self.most_candidates == 0 {
            return Err(Error::Zero { what: "the number of candidates" });
        }
        if self.ttl == Some(0) {
            return Err(Error::Zero { what: "the time that documents stay" });
        }
        self.settings.check_ranges()?;
        Ok(())
    }

    /// An error that names the first setting in which a run would compare texts differently.
    pub(crate) fn check_comparable(&self, run: &Settings) -> Result<()> {
        let decides = ["method", "measure", "shingles", "normalize", "elements", "max-text"];
        let distance = self.settings.signature.method == Method::Simhash;
        let decides = |setting: &str| decides.contains(&setting) || (distance && setting == "distance");
        self.check_same(&self.clone().with_settings(run.clone()), decides)
    }

    /// The settings that make an index what it is, with their names.
    fn identity(&self) -> Vec<(&'static str, String)> {
        let Settings { signature, matching, files, .. } = &self.settings;
        vec![
            ("method", signature.method.to_string()),
            ("measure", signature.measure.to_string()),
            ("shingles", signature.shingles.clone()),
            ("normalize", written(&signature.normalize)),
            ("elements", signature.elements.to_string()),
            ("hashes", signature.hashes.to_string()),
            ("seed", signature.seed.to_string()),
            ("max-text", files.max_text.to_string()),
            ("threshold", matching.threshold.to_string()),
            ("recall", matching.recall.to_string()),
            ("bands", matching.bands.map_or_else(|| "planned".into(), |bands| bands.to_string())),
            ("distance", matching.distance.to_string()),
            ("store", self.store.to_string()),
            ("ttl", self.ttl.map_or_else(|| "none".into(), |ttl| ttl.to_string())),
            ("candidates", self.most_candidates.to_string()),
        ]
    }

    /// An error that names the first setting in which another configuration differs, with both values. `is_asked` says
    /// which settings were asked for; others may differ.
    pub fn check_same(&self, asked: &Self, is_asked: impl Fn(&str) -> bool) -> Result<()> {
        for ((setting, index), (_, asked)) in self.identity().into_iter().zip(asked.identity()) {
            if index != asked && is_asked(setting) {
                return Err(Error::Contradiction { setting: setting.into(), index, asked });
            }
        }
        Ok(())
    }

    /// An error if documents of the other cannot be in this one.
    pub(crate) fn check_mergeable(&self, other: &Self) -> Result<()> {
        self.check_same(other, |setting| !matches!(setting, "ttl" | "candidates"))
    }
}

/// How the normalisation is shown in an error.
fn written(normalize: &NormalizeSettings) -> String {
    let NormalizeSettings { case, form, punctuation, whitespace } = normalize;
    format!("case {case}, form {form}, punctuation {punctuation}, whitespace {whitespace}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contradiction_names_the_setting_and_both_values() {
        let config = Config::default();
        let other = Config::default().with_threshold(0.5).with_store(Stored::Text);
        let wrong = config.check_same(&other, |_| true).unwrap_err();
        assert_eq!(wrong.to_string(), "the index has threshold 0.8, not 0.5");
        let wrong = config.check_same(&other, |setting| setting == "store").unwrap_err();
        assert_eq!(wrong.to_string(), "the index has store signatures, not text");
        assert!(config.check_same(&other, |setting| setting == "seed").is_ok());
        assert!(config.check_same(&config.clone(), |_| true).is_ok());
    }

    #[test]
    fn settings_of_runs_are_left_out() {
        let settings =
            Settings::default().with_seed(7).with_verify(pipeline::Verify::None).with_annotate(true);
        let config = Config::default().with_settings(settings).normalized();
        assert_eq!(config.settings, Settings::default().with_seed(7));
        let written = serde_json::to_value(&config).unwrap();
        assert_eq!((written["seed"].as_u64(), written.get("verify")), (Some(7), None));
        assert_eq!(serde_json::from_value::<Config>(written).unwrap(), config);
    }

    #[test]
    fn what_an_index_cannot_have_is_refused() {
        let with = |settings| Config::default().with_settings(settings).check();
        assert!(with(Settings::default()).is_ok());
        assert!(with(Settings::default().with_measure(Measure::Containment)).is_err());
        assert!(with(Settings::default().with_weights(Some("a".into()))).is_err());
        assert!(with(Settings::default().with_recall(2.0)).is_err());
        assert!(Config::default().with_most_candidates(0).check().is_err());
        assert!(Config::default().with_ttl(Some(Duration::ZERO)).check().is_err());
    }
}
