//! The stages of a run for single documents and pairs, for other engines that bring documents with equal keys
//! together themselves.

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

/// The sketch of a document, as a run computes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sketch {
    /// 128 bits of a cryptographic hash of the normalised text.
    pub content_hash: u128,
    /// The number of shingles: distinct ones for containment, otherwise with repeats.
    pub shingles: u64,
    /// 16 bits of each slot of the signature, or the fingerprint in pieces of 16 bits. All documents have equally
    /// many.
    pub lanes: Vec<u16>,
    /// The keys of the document. Documents that share a key are candidates. A document that is compared by content
    /// hash only has no keys.
    pub keys: Vec<u64>,
}

/// Working memory, to be reused for many documents.
#[derive(Debug, Default)]
pub struct DocumentBuffers {
    texts: TextBuffers,
    columns: Columns,
}

impl Documents {
    /// Checks the settings and prepares everything that follows from them. Texts are compared with a random key,
    /// which is drawn here.
    pub fn new(settings: &Settings) -> Result<Self> {
        Ok(Self { means: Means::new(settings)? })
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.means.settings
    }

    /// How many lanes a sketch has.
    #[must_use]
    pub fn lanes(&self) -> usize {
        self.means.lanes()
    }

    /// Sketches a text and overwrites `sketch` with the result. Only documents with equal `within` can share keys.
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

    /// The similarity that the lanes of two sketches estimate. Containment has no lanes: its similarity is NaN, and
    /// all candidates are compared.
    #[must_use]
    pub fn likeness(&self, a: &[u16], b: &[u16]) -> Likeness {
        self.means.method.likeness(a, b)
    }

    /// The exact similarity of two texts. With containment, it is the share of the shingles of `a` that are in `b`.
    pub fn similarity(&self, a: &str, b: &str, buffers: &mut DocumentBuffers) -> Result<f64> {
        let set = |text: &str, buffers: &mut DocumentBuffers| -> Result<ShingleSet> {
            let elements = self.means.elements(text, &mut buffers.texts)?.to_vec();
            buffers.texts.shrink_after(text.len());
            Ok(ShingleSet::from_hashes(elements))
        };
        let (a, b) = (set(a, buffers)?, set(b, buffers)?);
        Ok(self.measure().similarity(&a, &b))
    }

    /// True if two documents of this exact similarity are duplicates. Without exact verification it is true for every
    /// pair.
    #[must_use]
    pub fn is_duplicate(&self, similarity: f64) -> bool {
        self.means.settings.matching.verify != Verify::Exact
            || similarity >= self.means.settings.matching.threshold
    }

    fn measure(&self) -> SetMeasure {
        self.means.verifier.measure()
    }
}
