//! The stages of a run for single documents and pairs, for other engines that bring documents with equal keys
//! together themselves.

use crate::frames::check_frames;
use crate::method::key::KeySeed;
use crate::method::{Likeness, Recipe, TextBuffers, UseOfSketches, content_hash, within_hash};
use crate::settings::not_allowed;
use crate::sketch::keep_value;
use crate::sketch::order::{check_preferred, rank_bytes};
use crate::store::columns::Columns;
use crate::{Error, Kind, Result, SettingName, Settings, SignatureSettings, Verify};
use corpus::Fields;
use lookalike::hashing::mix64;
use lookalike::shingling::ShingleSet;
use lookalike::similarity::{SetMeasure, SortedSet};
use memchr::memchr;

/// The stages of a run as functions on single documents and pairs.
#[derive(Debug)]
pub struct Documents {
    recipe: Recipe,
}

/// The sketch of a document, as a run computes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sketch {
    /// Equal for documents that are exact copies of each other, and rarely for others. It costs nothing, and content hashes
    /// need to be computed only where it is equal.
    pub fingerprint: u64,
    /// 128 bits of a cryptographic hash of the normalised text.
    pub content_hash: u128,
    /// The number of shingles: distinct ones for containment, otherwise with repeats.
    pub shingles: u64,
    /// 16 bits of each slot of the signature, or the fingerprint in pieces of 16 bits. The rarest shingles of a short
    /// document follow its signature.
    pub lanes: Vec<u16>,
    /// The keys of the document. Documents that share a key are candidates. A document that is compared by content
    /// hash only has no keys.
    pub keys: Vec<u64>,
    /// Equal for documents that are exact copies of each other: with equal normalised text, the same value of
    /// `--within`, and both compared by shingles or both not.
    pub copy_hash: u128,
}

/// Where a document comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin<'a> {
    /// The documents of `--against`.
    Against,
    /// A source of the corpus, by its name.
    Source(&'a str),
}

/// A text whose shingles tell one key from another, whatever a shingle is.
const KEY_CHECK: &str =
    "The key of a run is known to the workers of that run, and to nobody else in the world.";

/// What is said of other kinds where a run is divided among machines.
const ON_A_CLUSTER: &str = "on a cluster documents are texts; compare sets, fingerprints, vectors and records on one machine, \
     with dedup, pairs or clusters of lookalike";

/// Working memory; use it again and again.
#[derive(Debug, Default)]
pub struct DocumentBuffers {
    texts: TextBuffers,
    columns: Columns,
}

impl Documents {
    /// Checks the settings and prepares everything that follows from them. Texts are compared with a random key,
    /// which is drawn here.
    pub fn new(settings: &Settings) -> Result<Self> {
        Ok(Self { recipe: Recipe::with_use(settings, UseOfSketches::Engine)? })
    }

    /// The same with a key that others have too: whoever has the same one makes comparable [sets](Self::set_into).
    pub fn with_key(settings: &Settings, key: &str) -> Result<Self> {
        let documents = Self::new(settings)?;
        documents.recipe.use_key(&key_seed(key)?);
        Ok(documents)
    }

    /// What an index needs: every document has a plain signature, as in sketch files, and sets are made with the key of
    /// the index.
    pub fn for_index(settings: &Settings, key: &str) -> Result<Self> {
        let recipe = Recipe::with_use(settings, UseOfSketches::LaterRuns)?;
        recipe.use_key(&key_seed(key)?);
        Ok(Self { recipe })
    }

    /// Returns an error if a setting follows from the documents of one run, and so means nothing with an index.
    pub fn check_for_index(settings: &Settings) -> Result<()> {
        check_frames(settings, UseOfSketches::LaterRuns)
    }

    /// What an engine needs that runs a whole job: the sketches of a run on one machine, which has signatures only where they
    /// decide. [`likeness`](Self::likeness) cannot be asked. A document is a text.
    pub fn for_run(settings: &Settings, key: &str) -> Result<Self> {
        if settings.signature.kind != Kind::Text {
            return Err(not_allowed(SettingName::Kind, settings.signature.kind, ON_A_CLUSTER));
        }
        check_frames(settings, UseOfSketches::Engine)?;
        let recipe = Recipe::new(settings)?;
        recipe.use_key(&key_seed(key)?);
        Ok(Self { recipe })
    }

    /// Returns an error if a pattern of `--prefer` names none of these sources, of which none is one of `--against`.
    pub fn check_sources<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Result<()> {
        check_preferred(&self.settings().matching.prefer, names)
    }

    /// A new key, for all who take part in a run. Whoever knows it can write texts that pass for others.
    pub fn new_key() -> Result<String> {
        Ok(KeySeed::random()?.to_hex())
    }

    /// What the settings come to.
    pub(crate) fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// What is read of a record.
    #[must_use]
    pub fn fields(&self) -> &Fields {
        &self.recipe.fields
    }

    /// Whether documents are decided by their sets; otherwise sketches suffice.
    #[must_use]
    pub fn compares_sets(&self) -> bool {
        self.recipe.compares_elements()
    }

    /// Whether keys are samples, which do not follow from the lanes.
    #[must_use]
    pub fn has_samples(&self) -> bool {
        self.recipe.method.stores_keys()
    }

    /// What decides the answer.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.recipe.settings
    }

    /// How many lanes a sketch has. Those of short documents have some more.
    #[must_use]
    pub fn lanes(&self) -> usize {
        self.recipe.lanes()
    }

    /// True if these lanes can be those of a sketch.
    #[must_use]
    pub fn is_sketch(&self, lanes: &[u16]) -> bool {
        self.recipe.method.is_sketch(lanes)
    }

    /// Sketches a text and overwrites `sketch` with the result. Only documents with equal `within` can share keys.
    pub fn sketch(
        &self,
        text: &str,
        within: Option<&str>,
        buffers: &mut DocumentBuffers,
        sketch: &mut Sketch,
    ) -> Result<()> {
        sketch.content_hash = self.recipe.content_hash(text, &mut buffers.texts);
        let hash_only = self.is_hash_only(text);
        sketch.copy_hash =
            copy_hash(sketch.content_hash, within.map_or([0; 2], Self::within_hash), hash_only);
        self.sketch_to_meet(text, within, buffers, sketch)
    }

    /// The same without hashes of the content: what brings documents together.
    pub fn sketch_to_meet(
        &self,
        text: &str,
        within: Option<&str>,
        buffers: &mut DocumentBuffers,
        sketch: &mut Sketch,
    ) -> Result<()> {
        let recipe = &self.recipe;
        let within = within.map_or([0; 2], within_hash);
        let DocumentBuffers { texts, columns } = buffers;
        sketch.lanes.clear();
        sketch.keys.clear();
        if self.is_hash_only(text) {
            sketch.fingerprint = mix64(recipe.content_hash(text, texts) as u64 ^ within[0]);
            sketch.shingles = 0;
            sketch.lanes.resize(recipe.lanes(), 0);
            return Ok(());
        }
        columns.lanes.clear();
        columns.samples.clear();
        let sketched = recipe.sketch(text, within, texts, columns)?;
        (sketch.fingerprint, sketch.shingles) = (sketched.fingerprint, sketched.size as u64);
        sketch.lanes.extend_from_slice(&columns.lanes);
        if recipe.method.stores_keys() {
            sketch.keys.extend_from_slice(&columns.samples);
        } else {
            recipe.visit_keys(&sketch.lanes, within, |key| sketch.keys.push(key));
        }
        texts.shrink_after(text.len());
        Ok(())
    }

    /// The similarity that the lanes of two sketches estimate. Containment has no lanes: its similarity is NaN, and
    /// all candidates are compared.
    #[must_use]
    pub fn likeness(&self, a: &[u16], b: &[u16]) -> Likeness {
        self.recipe.method.likeness(a, b)
    }

    /// Writes the keys of a sketch that has these lanes over `keys`: one per band, in their order.
    pub fn keys_into(&self, lanes: &[u16], within: [u64; 2], keys: &mut Vec<u64>) {
        keys.clear();
        self.recipe.visit_keys(lanes, within, |key| keys.push(key));
    }

    /// The number of keys of a sketch: the bands, or the tables of SimHash.
    #[must_use]
    pub fn bands(&self) -> usize {
        self.recipe.bands()
    }

    /// The plan as a phrase: `21 bands of 6 rows`.
    #[must_use]
    pub fn label(&self) -> String {
        self.recipe.method.label()
    }

    /// The probability that two documents of this similarity share a key.
    #[must_use]
    pub fn probability(&self, similarity: f64) -> f64 {
        self.recipe.method.probability(similarity, 0, false)
    }

    /// The Hamming distance of two fingerprints; `None` unless the method is SimHash.
    #[must_use]
    pub fn distance(&self, a: &[u16], b: &[u16]) -> Option<u32> {
        self.recipe.method.distance(a, b)
    }

    /// True if a text is compared by its content hash only: it has NUL, or it is longer than `max-text`.
    #[must_use]
    pub fn is_hash_only(&self, text: &str) -> bool {
        text.len() as u64 > self.recipe.settings.files.max_text || memchr(0, text.as_bytes()).is_some()
    }

    /// What exact copies of a document have too: see [`Sketch::copy_hash`].
    #[must_use]
    pub fn copy_hash(content_hash: u128, within: [u64; 2], hash_only: bool) -> u128 {
        copy_hash(content_hash, within, hash_only)
    }

    /// The shingler, which cuts texts into shingles.
    #[must_use]
    pub fn shingler(&self) -> &lookalike::shingling::Shingler {
        &self.recipe.shingler
    }

    /// What stands for a value of `--within`: equal for equal values only.
    #[must_use]
    pub fn within_hash(value: &str) -> [u64; 2] {
        within_hash(value)
    }

    /// Writes bytes that compare as documents come in keep order; input order breaks ties. `order` is the value that
    /// `--keep` compares, as bytes that compare as values do.
    pub fn rank(
        &self,
        origin: Origin<'_>,
        text: &str,
        shingles: u64,
        order: Option<&[u8]>,
        bytes: &mut Vec<u8>,
    ) {
        let mut rest = Vec::new();
        let keep = keep_value(self.settings(), text, shingles, order, &mut rest);
        let source = match origin {
            Origin::Against => None,
            Origin::Source(name) => Some(name),
        };
        rank_bytes(self.settings(), source, keep, &rest, bytes);
    }

    /// Writes the sorted set of a text, which is what is compared, over `set`. Only sets with an equal
    /// [check](Self::key_check) can be compared.
    pub fn set_into(&self, text: &str, buffers: &mut DocumentBuffers, set: &mut Vec<u64>) -> Result<()> {
        set.clear();
        set.extend_from_slice(self.recipe.set(text, &mut buffers.texts)?);
        buffers.texts.shrink_after(text.len());
        Ok(())
    }

    /// What tells sets that can be compared from others: it follows from the key and from what a shingle is.
    pub fn key_check(&self) -> Result<u64> {
        let SignatureSettings { shingles, normalize, elements, .. } = &self.settings().signature;
        let mut bytes =
            serde_json::to_vec(&(shingles, normalize, elements)).expect("settings are plain data");
        if self.settings().signature.kind != Kind::Text {
            let SignatureSettings { kind, split, measure, .. } = &self.settings().signature;
            bytes.extend(serde_json::to_vec(&(kind, split, measure)).expect("settings are plain data"));
            bytes.extend_from_slice(&self.recipe.key_mark(KEY_CHECK.as_bytes()).to_le_bytes());
            return Ok(content_hash(&bytes) as u64);
        }
        let mut elements = Vec::new();
        self.set_into(KEY_CHECK, &mut DocumentBuffers::default(), &mut elements)?;
        for element in elements {
            bytes.extend_from_slice(&element.to_le_bytes());
        }
        Ok(content_hash(&bytes) as u64)
    }

    /// The exact similarity of two sorted sets; of containment, how much of `a` is in `b`. An error if they are not
    /// sorted.
    pub fn similarity_of_sets(&self, a: &[u64], b: &[u64]) -> Result<f64> {
        Ok(self.measure().similarity(SortedSet::new(a)?, SortedSet::new(b)?))
    }

    /// The exact similarity of two texts; of containment, how much of `a` is in `b`.
    pub fn similarity(&self, a: &str, b: &str, buffers: &mut DocumentBuffers) -> Result<f64> {
        let set = |text: &str, buffers: &mut DocumentBuffers| -> Result<ShingleSet> {
            let elements = self.recipe.elements(text, &mut buffers.texts)?.to_vec();
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
        self.recipe.settings.matching.verify != Verify::Exact
            || similarity >= self.recipe.settings.matching.threshold
    }

    fn measure(&self) -> SetMeasure {
        self.recipe.verifier.measure()
    }
}

fn key_seed(key: &str) -> Result<KeySeed> {
    KeySeed::from_hex(key)
        .ok_or_else(|| Error::Invalid("a key is 64 hexadecimal digits, as a new one has".into()))
}

/// What exact copies of a document have too.
fn copy_hash(text: u128, within: [u64; 2], hash_only: bool) -> u128 {
    if within == [0; 2] && !hash_only {
        return text;
    }
    let mut bytes = text.to_le_bytes().to_vec();
    bytes.extend(within.iter().flat_map(|half| half.to_le_bytes()));
    bytes.push(u8::from(hash_only));
    content_hash(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Elements;

    #[test]
    fn every_key_and_every_kind_of_shingle_has_a_check_of_its_own() {
        let keys = [Documents::new_key().unwrap(), Documents::new_key().unwrap()];
        let mut checks = std::collections::BTreeSet::new();
        let mut made = 0;
        for shingles in ["words:1", "words:5", "words:64", "characters:9", "stop-words:3", "stop-words:64"] {
            for elements in [Elements::Set, Elements::Bag] {
                let settings = Settings::default().with_shingles(shingles.into()).with_elements(elements);
                for key in &keys {
                    let check = || Documents::with_key(&settings, key).unwrap().key_check().unwrap();
                    assert_eq!(check(), check());
                    checks.insert(check());
                    made += 1;
                }
            }
        }
        assert_eq!(checks.len(), made);
        assert!(Documents::with_key(&Settings::default(), "abc").is_err());
    }

    #[test]
    fn a_run_that_is_divided_among_machines_takes_texts_only() {
        let key = Documents::new_key().unwrap();
        let run = |kind| Documents::for_run(&Settings::default().with_kind(kind), &key);
        assert!(run(Kind::Text).is_ok());
        for kind in [Kind::Sets, Kind::Fingerprints, Kind::Vectors, Kind::Records] {
            let said = run(kind).unwrap_err().to_string();
            assert!(said.contains(&kind.to_string()) && said.contains("on one machine"), "{said}");
        }
    }
}
