//! Settings -> everything that follows from them: what turns a text into elements, a sketch and keys, and a pair into
//! a verdict.

use super::key::KeySeed;
use super::samples::sampled_element;
use super::short::Standing;
use super::{Shingled, SketchBuffers, Sketcher, UseOfSketches, weights};
use crate::candidates::grouping::Share;
use crate::frames::{self, Frame, check_frames, few_items};
use crate::kind::{self, Values};
use crate::limits::memory::Ledger;
use crate::report::Plan;
use crate::settings::{Choice, not_allowed};
use crate::sketch::order::is_first;
use crate::store::columns::Columns;
use crate::store::entries::{Slot, Within};
use crate::{
    Elements, Error, Keep, Kind, Measure, Method, Result, SettingName, Settings, Verify, WrongSetting,
};
use corpus::{Document, FieldPath, Fields};
use lookalike::hashing::{Key, mix64};
use lookalike::minhash::bag_elements;
use lookalike::shingling::{
    ShingleBag, ShingleBuffer, ShingleSet, Shingler, Shingling, SortBuffer, Unit, words,
};
use lookalike::similarity::SetMeasure;
use lookalike::verification::{OverlapTable, Verifier};
use std::sync::OnceLock;

/// Everything that follows from the settings of a run.
#[derive(Debug)]
pub(crate) struct Recipe {
    pub settings: Settings,
    /// The shingler for sketches, which find candidates. It has the fixed key of the library.
    pub shingler: Shingler,
    /// What hashes for the exact comparison, which decides. It has the random key of the run.
    deciding: OnceLock<Deciding>,
    /// How values become documents, unless they are texts.
    pub(crate) values: Option<Box<dyn Values>>,
    seed: KeySeed,
    pub fields: Fields,
    /// What is left out of every comparison, once it is known.
    pub(crate) frame: OnceLock<Frame>,
    /// Documents further apart than this, in seconds, are not compared.
    pub(crate) window: Option<u64>,
    /// The method that finds candidates.
    pub method: Box<dyn Sketcher>,
    pub verifier: Verifier,
    pub plan: Plan,
    /// The hash of the file of weights. If the content of the file changes, it is another run.
    pub weights_hash: Option<String>,
    /// True if the content hash of every document is stored, as in sketch files: indexes need it, and runs do not.
    pub stores_content_hashes: bool,
    /// True if what the keep order compares is stored: not for input order, unless later runs may choose another one.
    pub stores_keeps: bool,
}

/// The key of the run, and the shingler that has it.
#[derive(Debug)]
struct Deciding {
    key: Key,
    shingler: Shingler,
}

impl Deciding {
    fn new(shingler: &Shingler, seed: &KeySeed) -> Self {
        let key = seed.key();
        Self { shingler: shingler.clone().with_key(key.clone()), key }
    }
}

/// Working memory of one thread.
#[derive(Debug, Default)]
pub(crate) struct TextBuffers {
    pub(crate) shingles: ShingleBuffer,
    pub(crate) elements: Vec<u64>,
    /// The shingles with the fixed key, where a frame is left out of others.
    pub(crate) fixed: ShingleBuffer,
    /// What is left without the frame.
    rest: Vec<u64>,
    /// The site of the document whose text is worked on; 0 if it has none.
    pub(crate) site: u64,
    sketching: SketchBuffers,
    normalized: String,
    content: Vec<u8>,
    set: Vec<u64>,
    /// How many lanes the documents of the last block have, on average, where they differ in number.
    pub(crate) lanes_per_slot: usize,
    sorting: SortBuffer,
    /// Working memory for the comparison of documents.
    pub(crate) table: OverlapTable,
}

/// What sketching a text returns, besides the sketch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sketched {
    /// Texts that are equal after normalisation have equal fingerprints.
    pub fingerprint: u64,
    /// The number of shingles that are compared: distinct ones for containment, otherwise with repeats.
    pub size: usize,
    /// The number of all shingles, and of those that are left out, with repeats.
    pub all: usize,
    pub left_out: usize,
    /// True if too little of the document remains: it has no sketch, and is compared by its content only.
    pub is_too_little: bool,
}

/// After a text longer than this, in bytes, the working memory that it needed is freed.
const KEPT_TEXT_BYTES: usize = 1 << 20;

impl Recipe {
    /// Checks the settings and works out everything that follows from them, for sketches that one run uses.
    pub(crate) fn new(settings: &Settings) -> Result<Self> {
        Self::with_use(settings, UseOfSketches::OneRun)
    }

    /// Checks the settings and works out everything that follows from them.
    pub(crate) fn with_use(settings: &Settings, use_of: UseOfSketches) -> Result<Self> {
        if !(settings.matching.threshold > 0.0 && settings.matching.threshold <= 1.0) {
            let allowed = "it is above 0 and at most 1";
            return Err(not_allowed(SettingName::Threshold, settings.matching.threshold, allowed));
        }
        let shingler = settings.shingler()?;
        let measure = match settings.signature.measure {
            // The elements of items with weights are as many as the weights say.
            Measure::Jaccard | Measure::WeightedJaccard => SetMeasure::Jaccard,
            // Vectors are compared by other means.
            Measure::Cosine | Measure::Euclidean => SetMeasure::Jaccard,
            Measure::Containment => SetMeasure::Containment,
        };
        settings.check_kind()?;
        if settings.signature.kind == Kind::Vectors && use_of != UseOfSketches::OneRun {
            let allowed =
                "vectors have no sketches that are kept; use dedup, pairs, clusters or query on the files";
            return Err(not_allowed(SettingName::Kind, Kind::Vectors, allowed));
        }
        if settings.signature.measure == Measure::Containment {
            check_containment(settings)?;
        }
        if settings.signature.weights.is_some() && settings.signature.method != Method::Simhash {
            return Err(WrongSetting::Needs {
                choice: Choice::any(SettingName::Weights),
                needed: Choice::new(SettingName::Method, Method::Simhash),
                instead: Some((
                    Choice::new(SettingName::Elements, Elements::Bag),
                    "for whole-number weights",
                )),
            }
            .into());
        }
        if settings.files.max_text == 0 {
            return Err(not_allowed(SettingName::MaxText, 0, "at least 1"));
        }
        check_frames(settings, use_of)?;
        let weights =
            settings.signature.weights.as_ref().map(|file| weights::read(file, &shingler)).transpose()?;
        let (weights, weights_hash) = weights.map_or_else(Default::default, |(all, hash)| (all, Some(hash)));
        let method = super::of(settings, weights, use_of)?;
        let mut plan = method.plan();
        plan.memory_bytes_per_document = crate::limits::memory::PER_DOCUMENT;
        let stores_keeps = use_of == UseOfSketches::LaterRuns || !is_first(settings);
        plan.disk_bytes_per_document = [
            (true, size_of::<Slot>() + 2 * method.lanes()),
            (method.has_uneven_lanes(), size_of::<u32>()),
            (stores_keeps, size_of::<u64>()),
            (stores_withins(settings), size_of::<Within>()),
            (settings.files.id_field.is_some(), 40),
        ]
        .iter()
        .map(|&(is_stored, bytes)| if is_stored { bytes as u64 } else { 0 })
        .sum();
        let path = |name: &String| FieldPath::new(name);
        Ok(Self {
            fields: Fields {
                text: match settings.signature.kind {
                    Kind::Text => path(&settings.files.text_field),
                    _ => path(&settings.files.text_field).as_json(),
                },
                id: settings.files.id_field.as_ref().map(path),
                order: match &settings.matching.keep {
                    Keep::Max(field) | Keep::Min(field) => Some(path(field)),
                    Keep::First | Keep::Longest | Keep::Fullest => None,
                },
                within: settings.matching.within.as_ref().map(path),
                site: settings.matching.site_field.as_ref().map(path),
                date: settings.matching.within_days.as_ref().map(|near| path(&near.field)),
            },
            frame: OnceLock::new(),
            window: settings.matching.within_days.as_ref().map(crate::WithinDays::seconds),
            verifier: Verifier::new(measure, settings.matching.threshold)?,
            settings: settings.clone(),
            shingler,
            values: kind::of(settings),
            deciding: OnceLock::new(),
            seed: KeySeed::random()?,
            method,
            plan,
            weights_hash,
            stores_content_hashes: false,
            stores_keeps,
        })
    }

    /// The plan, after it is settled how pairs are found.
    pub(crate) fn settled_plan(&self) -> Plan {
        let settled = self.method.plan();
        let Plan { bands, rows, recall_at_threshold, all_up_to, .. } = settled;
        Plan { bands, rows, recall_at_threshold, all_up_to, ..self.plan.clone() }
    }

    /// What hashes for the exact comparison.
    fn deciding(&self) -> &Deciding {
        self.deciding.get_or_init(|| Deciding::new(&self.shingler, &self.seed))
    }

    /// The elements of a value that is not a text.
    fn value_elements<'b>(
        &self,
        values: &dyn Values,
        text: &str,
        key: &Key,
        buffers: &'b mut TextBuffers,
    ) -> Result<&'b [u64]> {
        let TextBuffers { elements, site, .. } = buffers;
        elements.clear();
        match self.frame.get() {
            None => values.elements(text, key, elements),
            Some(frame) => values.rest(text, key, &|item| frame.has(item, *site), elements),
        }
        .map_err(Error::Invalid)?;
        Ok(&buffers.elements)
    }

    /// True if values of `within`, or dates, are stored.
    pub(crate) fn stores_withins(&self) -> bool {
        stores_withins(&self.settings)
    }

    /// Replaces the random key of the run by the key of stored shingles. This must be called before any text is
    /// compared.
    pub(crate) fn use_key(&self, seed: &KeySeed) {
        let set = self.deciding.set(Deciding::new(&self.shingler, seed));
        assert!(set.is_ok(), "the key is chosen before texts are compared, and once");
    }

    /// The number of 16-bit lanes per document.
    pub(crate) fn lanes(&self) -> usize {
        self.method.lanes()
    }

    /// The number of keys per document that are computed from its lanes.
    pub(crate) fn bands(&self) -> usize {
        self.method.bands()
    }

    /// The key of a band, of a document that has bands. Documents that share a key are candidates.
    #[inline]
    pub(crate) fn key(&self, band: usize, lanes: &[u16], within: Within) -> u64 {
        with_within(self.method.key(band, lanes), within)
    }

    /// Hands out the keys of a document in a share that follow from its lanes but are not keys of bands,
    /// each with its standing.
    pub(crate) fn visit_listed_keys(
        &self,
        lanes: &[u16],
        within: Within,
        share: Share,
        mut visit: impl FnMut(u64, Standing),
    ) {
        let mut visit = |key, standing| visit(with_within(key, within), standing);
        self.method.visit_listed_keys(lanes, share, &mut visit);
    }

    /// Hands out all keys of a document that follow from its lanes.
    pub(crate) fn visit_keys(&self, lanes: &[u16], within: Within, mut visit: impl FnMut(u64)) {
        if self.method.has_bands(lanes) {
            (0..self.bands()).for_each(|band| visit(self.key(band, lanes, within)));
        }
        self.visit_listed_keys(lanes, within, Share::ALL, |key, _| visit(key));
    }

    /// True if the lanes of documents differ in number.
    pub(crate) fn has_uneven_lanes(&self) -> bool {
        self.method.has_uneven_lanes()
    }

    /// The elements of a text for the exact comparison: its shingles, or the elements of its bag. They are in any
    /// order, may repeat, and are hashed with the key of the run.
    pub(crate) fn elements<'b>(&self, text: &str, buffers: &'b mut TextBuffers) -> Result<&'b [u64]> {
        if self.window.is_some()
            && let Some(content) = self.only_content(text, buffers)?
        {
            buffers.elements.clear();
            buffers.elements.push(self.deciding().key.token(&content.to_le_bytes()));
            return Ok(&buffers.elements);
        }
        if let Some(values) = self.values.as_deref() {
            return self.value_elements(values, text, &self.deciding().key, buffers);
        }
        let TextBuffers { shingles, elements, fixed, rest, site, .. } = buffers;
        let mut hashes = self.deciding().shingler.hashes(text, shingles);
        if let Some(frame) = self.frame.get() {
            // Both shinglers give the shingles of a text in the same order.
            let known = self.shingler.hashes(text, fixed);
            rest.clear();
            let kept = hashes.iter().zip(known).filter(|&(_, &known)| !frame.has(known, *site));
            rest.extend(kept.map(|(&hash, _)| hash));
            hashes = rest;
        }
        if self.settings.signature.elements == Elements::Set {
            return Ok(hashes);
        }
        *elements = bag_elements(&ShingleBag::from_hashes(hashes.to_vec()))?;
        Ok(elements)
    }

    /// The elements of a text for its sketch. They are in any order, may repeat, and are hashed with the fixed key.
    pub(crate) fn sketched_elements<'b>(
        &self,
        text: &str,
        buffers: &'b mut TextBuffers,
    ) -> Result<&'b [u64]> {
        if let Some(values) = self.values.as_deref() {
            return self.value_elements(values, text, Key::FIXED, buffers);
        }
        let TextBuffers { shingles, elements, rest, site, .. } = buffers;
        let mut hashes = self.shingler.hashes(text, shingles);
        if let Some(frame) = self.frame.get() {
            rest.clear();
            rest.extend(hashes.iter().copied().filter(|&hash| !frame.has(hash, *site)));
            hashes = rest;
        }
        if self.settings.signature.elements == Elements::Set {
            return Ok(hashes);
        }
        *elements = bag_elements(&ShingleBag::from_hashes(hashes.to_vec()))?;
        Ok(elements)
    }

    /// The [`elements`](Self::elements) of a text, sorted and without repeats.
    pub(crate) fn set<'b>(&self, text: &str, buffers: &'b mut TextBuffers) -> Result<&'b [u64]> {
        let mut set = std::mem::take(&mut buffers.set);
        set.clear();
        set.extend_from_slice(self.elements(text, buffers)?);
        ShingleSet::sort_hashes(&mut set, &mut buffers.sorting);
        buffers.set = set;
        Ok(&buffers.set)
    }

    /// Sketches a text: appends its lanes and samples to `columns`. They only find candidates, and use the fixed key.
    pub(crate) fn sketch(
        &self,
        text: &str,
        within: Within,
        buffers: &mut TextBuffers,
        columns: &mut Columns,
    ) -> Result<Sketched> {
        let TextBuffers { shingles, elements: bag, sketching, rest, site, .. } = buffers;
        if let Some(values) = self.values.as_deref() {
            bag.clear();
            values.elements(text, Key::FIXED, bag).map_err(Error::Invalid)?;
            let (sum, all) = (values.sum(bag), bag.len());
            let fingerprint = mix64(sum ^ mix64(all as u64 ^ within[0] ^ *site));
            let mut is_too_little = false;
            if let Some(frame) = self.frame.get() {
                let is_left_out = |item| frame.has(item, *site);
                bag.clear();
                values.rest(text, Key::FIXED, &is_left_out, bag).map_err(Error::Invalid)?;
                is_too_little = bag.len() < all && few_items(values, text, &is_left_out, rest)?;
            }
            let left_out = all - bag.len();
            if is_too_little {
                return Ok(Sketched { fingerprint, size: 0, all, left_out, is_too_little });
            }
            let document = Shingled { hashes: bag, elements: bag, is_bag: false, within };
            let size = self.method.sketch(&document, sketching, columns)?;
            return Ok(Sketched { fingerprint, size, all, left_out, is_too_little });
        }
        let mut hashes = self.shingler.hashes(text, shingles);
        // The sum represents the bag of shingles: texts that are equal after normalisation have equal sums.
        let sum = hashes.iter().fold(0u64, |sum, &hash| sum.wrapping_add(hash));
        // Copies are of one site, since what is left of equal texts of two sites may differ.
        let fingerprint = mix64(sum ^ mix64(hashes.len() as u64 ^ within[0] ^ *site));
        let all = hashes.len();
        if let Some(frame) = self.frame.get() {
            rest.clear();
            rest.extend(hashes.iter().copied().filter(|&hash| !frame.has(hash, *site)));
            hashes = rest;
        }
        let left_out = all - hashes.len();
        let is_too_little = frames::is_too_little(all, hashes.len());
        if is_too_little {
            return Ok(Sketched { fingerprint, size: 0, all, left_out, is_too_little });
        }
        let is_bag = self.settings.signature.elements == Elements::Bag;
        let elements = match is_bag {
            false => hashes,
            true => {
                *bag = bag_elements(&ShingleBag::from_hashes(hashes.to_vec()))?;
                bag
            }
        };
        let document = Shingled { hashes, elements, is_bag, within };
        let size = self.method.sketch(&document, sketching, columns)?;
        Ok(Sketched { fingerprint, size, all, left_out, is_too_little })
    }

    /// Sketches a document that is compared by its content only, and returns the number of its elements. Only where dates are
    /// compared it has one, its content: a document of another day within the window is no copy of it, since others may be near to
    /// one of the two only.
    pub(crate) fn sketch_content(
        &self,
        content: u128,
        within: Within,
        buffers: &mut TextBuffers,
        columns: &mut Columns,
    ) -> Result<usize> {
        if self.window.is_none() {
            columns.push_no_lanes(self);
            return Ok(0);
        }
        let elements = [sampled_element(content as u64)];
        let is_bag = self.settings.signature.elements == Elements::Bag;
        let document = Shingled { hashes: &elements, elements: &elements, is_bag, within };
        self.method.sketch(&document, &mut buffers.sketching, columns)
    }

    /// True if documents are compared by their elements.
    pub(crate) fn compares_elements(&self) -> bool {
        if self.settings.signature.kind == Kind::Fingerprints {
            return false;
        }
        self.settings.matching.verify == Verify::Exact
            || self.settings.signature.measure == Measure::Containment
    }

    /// True if rare shingles can be used to find the same pairs as the bands. This depends on the measure, the method
    /// and the verification.
    pub(crate) fn has_rare_shingles(&self) -> bool {
        self.method.compares_signatures()
            && self.settings.matching.verify == Verify::Exact
            && self.settings.signature.measure != Measure::Containment
    }

    /// What tells one key of a run from another.
    pub(crate) fn key_mark(&self, of: &[u8]) -> u64 {
        self.deciding().key.token(of)
    }

    /// True if a text has fewer tokens than a shingle.
    pub(crate) fn is_short(&self, text: &str) -> bool {
        if self.values.is_some() {
            return false;
        }
        let Shingling { unit, k, .. } = self.shingler.settings();
        match unit {
            Unit::Characters => text.chars().take(*k).count() < *k,
            _ => words(text).take(*k).count() < *k,
        }
    }

    /// Returns an error if there is not enough memory to shingle a text.
    pub(crate) fn check_fits(&self, text: &str, budget: &Ledger) -> Result<()> {
        // The memory of the shingler's buffers per byte of text, as its documentation says.
        let once = if matches!(self.shingler.settings().unit, Unit::Characters) { 25 } else { 10 };
        // Where a frame is left out, a text is shingled with two keys, and the rest is a copy.
        let factor = if frames::is_wanted(&self.settings) { 3 * once } else { once };
        let bytes = text.len() as u64;
        if bytes > budget.longest_text(factor) {
            let needed = budget.for_text(bytes, factor);
            return Err(Error::LongText { bytes, needed, limit: budget.limit() });
        }
        Ok(())
    }

    /// 128 bits of a cryptographic hash of the normalised text, or of what a value is.
    pub(crate) fn content_hash(&self, text: &str, buffers: &mut TextBuffers) -> u128 {
        if let Some(values) = &self.values {
            buffers.content.clear();
            let hash = match values.content(text, &mut buffers.content) {
                Ok(()) => content_hash(&buffers.content),
                // It was read before; so the source has changed, which is said at the end of a run.
                Err(_) => content_hash(text.as_bytes()),
            };
            buffers.content.shrink_to(KEPT_TEXT_BYTES);
            return hash;
        }
        buffers.normalized.clear();
        self.shingler.settings().normalization.normalize_into(text, &mut buffers.normalized);
        let hash = content_hash(buffers.normalized.as_bytes());
        buffers.normalized.clear();
        buffers.normalized.shrink_to(KEPT_TEXT_BYTES);
        hash
    }
}

/// Returns an error if a setting has a value that containment does not allow.
fn check_containment(settings: &Settings) -> Result<()> {
    let choice = Choice::new(SettingName::Measure, Measure::Containment);
    let settles = |choice, other, meaning| Err(WrongSetting::Excludes { choice, other, meaning }.into());
    if settings.matching.keep != Keep::First {
        return settles(choice, SettingName::Keep, "keeps the document with the most shingles");
    }
    if settings.matching.verify != Verify::Exact {
        return settles(choice, SettingName::Verify, "is always verified exactly");
    }
    if settings.signature.method == Method::Simhash {
        let needed = Choice::new(SettingName::Method, Method::Minhash);
        return Err(WrongSetting::Needs { choice, needed, instead: None }.into());
    }
    Ok(())
}

impl TextBuffers {
    /// Begins a document: its site decides what is left out of its text.
    pub(crate) fn enter(&mut self, document: &Document<'_>) {
        self.site = document.site.as_ref().map_or(0, |site| frames::site_hash(site));
    }

    /// Frees the memory that an unusually long text, of `bytes` bytes, needed.
    pub(crate) fn shrink_after(&mut self, bytes: usize) {
        if bytes > KEPT_TEXT_BYTES {
            self.shingles.shrink_to(KEPT_TEXT_BYTES);
            self.fixed.shrink_to(KEPT_TEXT_BYTES);
            self.rest = Vec::new();
            self.elements = Vec::new();
            self.set = Vec::new();
            self.sketching = SketchBuffers::default();
            self.sorting = SortBuffer::default();
            self.table = OverlapTable::default();
        }
    }
}

fn stores_withins(settings: &Settings) -> bool {
    settings.matching.within.is_some() || settings.matching.within_days.is_some()
}

/// A key that only documents with this value of `--within` can have.
fn with_within(key: u64, within: Within) -> u64 {
    if within[0] == 0 { key } else { mix64(key ^ within[0]) }
}

/// The hash of a value of `--within`. Only equal values have equal hashes.
pub(crate) fn within_hash(value: &str) -> Within {
    let hash = content_hash(value.as_bytes());
    // The hash is never 0, which means that there is no value.
    [hash as u64 | 1, (hash >> 64) as u64]
}

/// 128 bits of a cryptographic hash.
pub fn content_hash(bytes: &[u8]) -> u128 {
    let mut leading = [0; 16];
    leading.copy_from_slice(&blake3::hash(bytes).as_bytes()[..16]);
    u128::from_le_bytes(leading)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_make_no_sense_are_refused() {
        for wrong in [
            Settings::default().with_threshold(0.0),
            Settings::default().with_threshold(1.1),
            Settings::default().with_threshold(f64::NAN),
            Settings::default().with_shingles("words".into()),
            Settings::default().with_shingles("words:0".into()),
            Settings::default().with_hashes(0),
            Settings::default().with_bands(Some(crate::BandsAndRows { bands: 30, rows: 30 })),
            Settings::default().with_measure(Measure::Containment).with_keep(Keep::Longest),
            Settings::default().with_method(Method::Simhash).with_distance(33),
            Settings::default().with_recall(1.5),
        ] {
            assert!(Recipe::new(&wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn the_default_plan_is_the_one_of_the_library() {
        let recipe = Recipe::new(&Settings::default()).unwrap();
        assert_eq!((recipe.plan.bands, recipe.plan.rows), (21, 6));
        assert!(recipe.plan.recall_at_threshold >= 0.99);
    }
}
