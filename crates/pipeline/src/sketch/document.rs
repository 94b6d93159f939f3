//! One document at a time, by the same means as a whole run: for engines that bring equal keys together themselves.

use crate::method::{Likeness, Means, TextBuffers, within_hash};
use crate::store::columns::Columns;
use crate::{Result, Settings, Verify};
use lookalike::shingling::ShingleSet;
use lookalike::similarity::SetMeasure;
use memchr::memchr;

/// The stages of a run as functions on single documents and pairs.
#[derive(Debug)]
pub struct Documents {
    means: Means,
}

/// What is known of a document: what a run would know.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sketch {
    /// 128 bits of the hash of the normalised text.
    pub content_hash: u128,
    /// Shingles: different ones for containment, otherwise with repeats.
    pub shingles: u64,
    /// 16 bits of each slot of its signature, or of its fingerprint; as many for every document.
    pub lanes: Vec<u16>,
    /// Documents that share a key are candidates. None for one that is compared by content hash only.
    pub keys: Vec<u64>,
}

/// Working memory; use it again and again.
#[derive(Debug, Default)]
pub struct DocumentBuffers {
    texts: TextBuffers,
    columns: Columns,
}

impl Documents {
    /// Checks the settings and works out what they mean. Texts are compared with a random key of this value's own.
    pub fn new(settings: &Settings) -> Result<Self> {
        Ok(Self { means: Means::new(settings)? })
    }

    /// What decides the answer.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.means.settings
    }

    /// How many lanes a sketch has.
    #[must_use]
    pub fn lanes(&self) -> usize {
        self.means.lanes()
    }

    /// Sketches a text over `sketch`. Only documents with an equal `within` share keys.
    pub fn sketch(
        &self,
        text: &str,
        within: Option<&str>,
        buffers: &mut DocumentBuffers,
        sketch: &mut Sketch,
    ) -> Result<()> {
        let means = &self.means;
        let within = within.map_or([0; 2], within_hash);
        let DocumentBuffers { texts, columns } = buffers;
        sketch.content_hash = means.content_hash(text, texts);
        sketch.lanes.clear();
        sketch.keys.clear();
        if text.len() as u64 > means.settings.files.max_text || memchr(0, text.as_bytes()).is_some() {
            sketch.shingles = 0;
            sketch.lanes.resize(means.lanes(), 0);
            return Ok(());
        }
        columns.lanes.clear();
        columns.samples.clear();
        sketch.shingles = means.sketch(text, within, texts, columns)?.size as u64;
        sketch.lanes.extend_from_slice(&columns.lanes);
        if means.method.stores_keys() {
            sketch.keys.extend_from_slice(&columns.samples);
        } else {
            sketch.keys.extend((0..means.bands()).map(|band| means.key(band, &sketch.lanes, within)));
        }
        texts.shrink_after(text.len());
        Ok(())
    }

    /// What the lanes of two sketches say. Containment has none, and is always compared.
    #[must_use]
    pub fn likeness(&self, a: &[u16], b: &[u16]) -> Likeness {
        self.means.method.likeness(a, b)
    }

    /// The exact similarity of two texts; of containment, how much of `a` is in `b`.
    pub fn similarity(&self, a: &str, b: &str, buffers: &mut DocumentBuffers) -> Result<f64> {
        let set = |text: &str, buffers: &mut DocumentBuffers| -> Result<ShingleSet> {
            let elements = self.means.elements(text, &mut buffers.texts)?.to_vec();
            buffers.texts.shrink_after(text.len());
            Ok(ShingleSet::from_hashes(elements))
        };
        let (a, b) = (set(a, buffers)?, set(b, buffers)?);
        Ok(self.measure().similarity(&a, &b))
    }

    /// Whether a pair of this exact similarity is one of duplicates. Without exact verification every compared pair is.
    #[must_use]
    pub fn is_duplicate(&self, similarity: f64) -> bool {
        self.means.settings.matching.verify != Verify::Exact
            || similarity >= self.means.settings.matching.threshold
    }

    fn measure(&self) -> SetMeasure {
        self.means.verifier.measure()
    }
}
