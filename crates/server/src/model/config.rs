//! The configuration of a collection as JSON: what is asked for when it is created, and what it has.

use crate::problem::{Problem, Result};
use index::{Config, Stored};
use pipeline::{BandsAndRows, Elements, Method, NormalizeSettings, Settings};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use utoipa::ToSchema;

/// The settings of a new collection. What is left out has its default.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConfigIn {
    /// Two documents match if their similarity is at least this.
    #[schema(minimum = 0, maximum = 1, example = 0.8)]
    threshold: Option<f64>,
    /// The wanted probability that a document at the threshold is found.
    #[schema(minimum = 0, maximum = 1)]
    recall: Option<f64>,
    /// What is stored of each document: `signatures` (similarities are estimated), `shingles` (they are exact) or
    /// `text` (and shared passages can be shown).
    #[schema(value_type = Option<String>, example = "text")]
    store: Option<Stored>,
    /// What a shingle is.
    #[schema(example = "words:5")]
    shingles: Option<String>,
    /// How text is normalised.
    #[schema(value_type = Option<std::collections::BTreeMap<String, String>>)]
    normalize: Option<NormalizeSettings>,
    /// Whether repeated shingles count: `set` or `bag`.
    #[schema(value_type = Option<String>)]
    elements: Option<Elements>,
    /// The kind of sketch: `minhash` or `simhash`.
    #[schema(value_type = Option<String>)]
    method: Option<Method>,
    /// The number of hashes in a signature.
    #[schema(minimum = 1)]
    hashes: Option<usize>,
    /// The seed from which the hash functions are drawn.
    seed: Option<u64>,
    /// The number of bands and rows, such as `21x6`. Without it they are planned from the recall.
    #[schema(value_type = Option<String>)]
    bands: Option<BandsAndRows>,
    /// The largest Hamming distance of fingerprints that match, with SimHash.
    distance: Option<u32>,
    /// Texts longer than this, in bytes, are compared by content hash only.
    max_text: Option<u64>,
    /// How long a document is kept, in seconds, unless it says otherwise; for ever without.
    #[schema(minimum = 1)]
    ttl_seconds: Option<u64>,
    /// A query looks at no more candidates than this, the oldest first.
    #[schema(minimum = 1)]
    candidates: Option<usize>,
}

impl ConfigIn {
    pub(crate) fn config(&self) -> Result<Config> {
        let Self { threshold, recall, store, shingles, normalize, elements, method, hashes, .. } =
            self.clone();
        let Self { seed, bands, distance, max_text, ttl_seconds, candidates, .. } = *self;
        let mut settings = Settings::default();
        let (signature, matching) = (&mut settings.signature, &mut settings.matching);
        set(&mut signature.shingles, shingles);
        set(&mut signature.normalize, normalize);
        set(&mut signature.elements, elements);
        set(&mut signature.method, method);
        set(&mut signature.hashes, hashes);
        set(&mut signature.seed, seed);
        set(&mut matching.threshold, threshold);
        set(&mut matching.recall, recall);
        matching.bands = bands;
        set(&mut matching.distance, distance);
        set(&mut settings.files.max_text, max_text);
        if ttl_seconds == Some(0) {
            return Err(Problem::invalid("`ttl_seconds` must be at least 1"));
        }
        let mut config =
            Config::default().with_settings(settings).with_ttl(ttl_seconds.map(Duration::from_secs));
        set(&mut config.store, store);
        set(&mut config.most_candidates, candidates);
        Ok(config)
    }

    /// True if a setting was asked for, by the name that contradictions use.
    pub(crate) fn is_asked(&self, setting: &str) -> bool {
        match setting {
            "threshold" => self.threshold.is_some(),
            "recall" => self.recall.is_some(),
            "store" => self.store.is_some(),
            "shingles" => self.shingles.is_some(),
            "normalize" => self.normalize.is_some(),
            "elements" => self.elements.is_some(),
            "method" => self.method.is_some(),
            "hashes" => self.hashes.is_some(),
            "seed" => self.seed.is_some(),
            "bands" => self.bands.is_some(),
            "distance" => self.distance.is_some(),
            "max-text" => self.max_text.is_some(),
            "ttl" => self.ttl_seconds.is_some(),
            "candidates" => self.candidates.is_some(),
            _ => false,
        }
    }
}

fn set<T>(setting: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *setting = value;
    }
}

/// The configuration of a collection.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ConfigOut {
    threshold: f64,
    recall: f64,
    #[schema(value_type = String)]
    store: Stored,
    shingles: String,
    #[schema(value_type = std::collections::BTreeMap<String, String>)]
    normalize: NormalizeSettings,
    #[schema(value_type = String)]
    elements: Elements,
    #[schema(value_type = String)]
    method: Method,
    hashes: usize,
    seed: u64,
    #[schema(value_type = Option<String>)]
    bands: Option<BandsAndRows>,
    distance: u32,
    max_text: u64,
    ttl_seconds: Option<f64>,
    candidates: usize,
}

impl ConfigOut {
    pub(crate) fn new(config: &Config) -> Self {
        let Settings { signature, matching, files, .. } = config.settings.clone();
        Self {
            threshold: matching.threshold,
            recall: matching.recall,
            store: config.store,
            shingles: signature.shingles,
            normalize: signature.normalize,
            elements: signature.elements,
            method: signature.method,
            hashes: signature.hashes,
            seed: signature.seed,
            bands: matching.bands,
            distance: matching.distance,
            max_text: files.max_text,
            ttl_seconds: config.ttl.map(|millis| millis as f64 / 1_000.0),
            candidates: config.most_candidates,
        }
    }
}
