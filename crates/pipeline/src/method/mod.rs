//! Settings -> the means of the run: what turns a text into elements, a sketch and keys, and a pair into a verdict.

pub(crate) mod chances;
pub(crate) mod key;
pub(crate) mod weights;

use crate::limits::memory::Ledger;
use crate::method::key::KeySeed;
use crate::report::Plan;
use crate::store::columns::{Columns, Entry, Within};
use crate::{Elements, Error, Keep, Measure, Method, Result, Settings, Verify};
use corpus::{FieldPath, Fields};
use lookalike::banding::plan::by_recall;
use lookalike::banding::{Banding, SCurve, band_key, band_key_of_lanes, sample_probability};
use lookalike::hashing::mix64;
use lookalike::minhash::bbit::row_probability;
use lookalike::minhash::{FastSketch, MinHasher, bag_elements, lanes};
use lookalike::normalization::{self, Normalization};
use lookalike::shingling::{
    ShingleBag, ShingleBuffer, ShingleSet, Shingler, Shingling, SortBuffer, StopWords, Unit, words,
};
use lookalike::simhash::SimHasher;
use lookalike::similarity::SetMeasure;
use lookalike::verification::{OverlapTable, Verifier};
use std::collections::HashMap;
use std::sync::OnceLock;

/// How often the signature's estimate may turn away a pair at the threshold: so rarely that the recall need not
/// account for it.
const FILTER_MISS: f64 = 1e-6;

/// Of how many shingles one is sampled for containment: a document of 44 shingles at a threshold of 0.8 is then found
/// with probability 0.99.
pub const SAMPLED_ONE_IN: u64 = 8;

/// The size of a document for which the plan of containment says how likely it is found. A shorter one is found less
/// often: see [`Chances::by_shingles`](crate::Chances::by_shingles).
pub const PLANNED_SHINGLES: u64 = 44;

/// Tables of which one must agree to be within `distance` bits: any two of `distance + 2` blocks.
fn table_masks(distance: u32) -> Vec<u64> {
    let blocks = distance + 2;
    let edge = |block: u32| block * 64 / blocks;
    let block_mask = |block: u32| {
        let (from, to) = (edge(block), edge(block + 1));
        (u64::MAX >> (64 - (to - from))) << from
    };
    let mut masks = Vec::new();
    for first in 0..blocks {
        for second in first + 1..blocks {
            masks.push(block_mask(first) | block_mask(second));
        }
    }
    masks
}

/// Which sketch finds candidates, with its parameters.
#[derive(Debug)]
pub(crate) enum Sketching {
    /// Min-hash signatures in 16-bit lanes, cut into bands.
    Bands {
        hasher: FastSketch,
        banding: Banding,
        /// The least number of equal lanes of a pair that is compared.
        cutoff: usize,
    },
    /// 64-bit fingerprints in four lanes; a table per choice of blocks.
    Tables { hasher: SimHasher<u64>, distance: u32, masks: Vec<u64>, weights: HashMap<u64, f64> },
    /// Sampled shingles, for containment.
    Samples,
}

/// What the settings come to.
#[derive(Debug)]
pub(crate) struct Means {
    pub settings: Settings,
    /// What finds: with the fixed key.
    pub shingler: Shingler,
    /// What decides: with a key of the run.
    deciding: OnceLock<Shingler>,
    seed: KeySeed,
    pub fields: Fields,
    pub sketching: Sketching,
    pub verifier: Verifier,
    pub plan: Plan,
    /// The hash of the file of weights: another file of the same name is another run.
    pub weights_hash: Option<String>,
}

/// Working memory of one thread.
#[derive(Debug, Default)]
pub(crate) struct TextBuffers {
    shingles: ShingleBuffer,
    elements: Vec<u64>,
    slots: Vec<u64>,
    normalized: String,
    set: Vec<u64>,
    sorting: SortBuffer,
    /// For comparing documents.
    pub(crate) table: OverlapTable,
}

/// What a text came to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sketched {
    /// Equal for texts that are equal after normalisation.
    pub fingerprint: u64,
    /// How many shingles it has: different ones for containment, otherwise with repeats.
    pub size: usize,
}

/// Lanes of a fingerprint.
const FINGERPRINT_LANES: u64 = 4;

/// Above this, working memory goes back after the document that needed it.
const KEPT_TEXT_BYTES: usize = 1 << 20;

impl Means {
    /// Bytes that weights of shingles take in memory.
    pub(crate) fn weights_bytes(&self) -> u64 {
        match &self.sketching {
            Sketching::Tables { weights, .. } => weights.len() as u64 * weights::WEIGHT_BYTES,
            _ => 0,
        }
    }

    /// Checks the settings and works out what they mean.
    pub(crate) fn new(settings: &Settings) -> Result<Self> {
        let invalid = |message: String| Err(Error::Invalid(message));
        if !(settings.threshold > 0.0 && settings.threshold <= 1.0) {
            return invalid(format!("--threshold {} is not in (0, 1]", settings.threshold));
        }
        let shingler = settings.shingler()?;
        let measure = match settings.measure {
            Measure::Jaccard => SetMeasure::Jaccard,
            Measure::Containment => SetMeasure::Containment,
        };
        if settings.measure == Measure::Containment {
            if settings.keep != Keep::First {
                return invalid(
                    "--measure containment keeps the document with the most shingles; leave out --keep"
                        .into(),
                );
            }
            if settings.verify != Verify::Exact {
                return invalid(
                    "--measure containment is always verified exactly; leave out --verify".into(),
                );
            }
            if settings.method == Method::Simhash {
                return invalid("--measure containment needs --method minhash".into());
            }
        }
        if settings.weights.is_some() && settings.method != Method::Simhash {
            return invalid(
                "--weights needs --method simhash; for whole-number weights use --elements bag".into(),
            );
        }
        if settings.max_text == 0 {
            return invalid("--max-text must be at least 1".into());
        }
        let weights = settings
            .weights
            .as_ref()
            .map(|file| weights::read(file, &shingler))
            .transpose()?;
        let (weights, weights_hash) = weights.map_or_else(Default::default, |(all, hash)| (all, Some(hash)));
        let (sketching, mut plan) = sketching(settings, weights)?;
        plan.memory_bytes_per_document = crate::limits::memory::PER_DOCUMENT;
        let lanes = match &sketching {
            Sketching::Bands { hasher, .. } => hasher.num_hashes() as u64,
            Sketching::Tables { .. } => FINGERPRINT_LANES,
            Sketching::Samples => 0,
        };
        let ids = if settings.id_field.is_some() { 40 } else { 0 };
        plan.disk_bytes_per_document = size_of::<Entry>() as u64 + 2 * lanes + ids;
        let path = |name: &String| FieldPath::new(name);
        Ok(Self {
            fields: Fields {
                text: path(&settings.text_field),
                id: settings.id_field.as_ref().map(path),
                order: match &settings.keep {
                    Keep::Max(field) | Keep::Min(field) => Some(path(field)),
                    Keep::First | Keep::Longest => None,
                },
                within: settings.within.as_ref().map(path),
            },
            verifier: Verifier::new(measure, settings.threshold)?,
            settings: settings.clone(),
            shingler,
            deciding: OnceLock::new(),
            seed: KeySeed::random()?,
            sketching,
            plan,
            weights_hash,
        })
    }

    /// What cuts the texts that are compared.
    fn deciding(&self) -> &Shingler {
        self.deciding.get_or_init(|| self.shingler.clone().with_key(self.seed.key()))
    }

    /// Compares with the key of shingles that are stored, not with one of its own. This comes before anything is
    /// compared.
    pub(crate) fn use_key(&self, seed: &KeySeed) {
        let set = self.deciding.set(self.shingler.clone().with_key(seed.key()));
        assert!(set.is_ok(), "the key is chosen before texts are compared, and once");
    }

    /// 16-bit lanes per document.
    pub(crate) fn lanes(&self) -> usize {
        match &self.sketching {
            Sketching::Bands { hasher, .. } => hasher.num_hashes(),
            Sketching::Tables { .. } => FINGERPRINT_LANES as usize,
            Sketching::Samples => 0,
        }
    }

    /// Keys per document that follow from its lanes.
    pub(crate) fn bands(&self) -> usize {
        match &self.sketching {
            Sketching::Bands { banding, .. } => banding.bands(),
            Sketching::Tables { masks, .. } => masks.len(),
            Sketching::Samples => 0,
        }
    }

    /// The key of a band: documents that share one are candidates.
    #[inline]
    pub(crate) fn key(&self, band: usize, lanes: &[u16], within: Within) -> u64 {
        let key = match &self.sketching {
            Sketching::Bands { banding, .. } => {
                let rows = banding.rows();
                band_key_of_lanes(band, &lanes[band * rows..(band + 1) * rows])
            }
            Sketching::Tables { masks, .. } => band_key(band, &[fingerprint(lanes) & masks[band]]),
            Sketching::Samples => 0,
        };
        if within == [0; 2] { key } else { mix64(key ^ within[0]) }
    }

    /// Whether two documents agree in all rows of a band, so that their keys are equal.
    #[inline]
    pub(crate) fn agree_in(&self, band: usize, a: &[u16], b: &[u16]) -> bool {
        match &self.sketching {
            Sketching::Bands { banding, .. } => {
                let rows = band * banding.rows()..(band + 1) * banding.rows();
                a[rows.clone()].iter().zip(&b[rows]).all(|(a, b)| a == b)
            }
            Sketching::Tables { masks, .. } => (fingerprint(a) ^ fingerprint(b)) & masks[band] == 0,
            Sketching::Samples => false,
        }
    }

    /// The elements of a text whose similarity is compared: its shingles, or those of its bag. Any order, repeats
    /// allowed. They are hashed with the key of the run.
    pub(crate) fn elements<'b>(&self, text: &str, buffers: &'b mut TextBuffers) -> Result<&'b [u64]> {
        match self.settings.elements {
            Elements::Set => Ok(self.deciding().hashes(text, &mut buffers.shingles)),
            Elements::Bag => {
                let hashes = self.deciding().hashes(text, &mut buffers.shingles).to_vec();
                buffers.elements = bag_elements(&ShingleBag::from_hashes(hashes))?;
                Ok(&buffers.elements)
            }
        }
    }

    /// The sorted set of a text, like [`elements`](Self::elements).
    pub(crate) fn set<'b>(&self, text: &str, buffers: &'b mut TextBuffers) -> Result<&'b [u64]> {
        let mut set = std::mem::take(&mut buffers.set);
        set.clear();
        set.extend_from_slice(self.elements(text, buffers)?);
        ShingleSet::sort_hashes(&mut set, &mut buffers.sorting);
        buffers.set = set;
        Ok(&buffers.set)
    }

    /// Sketches a text: its lanes and samples are appended. They only find, and have the fixed key.
    pub(crate) fn sketch(
        &self,
        text: &str,
        within: Within,
        buffers: &mut TextBuffers,
        columns: &mut Columns,
    ) -> Result<Sketched> {
        let TextBuffers { shingles, elements: bag, set, slots, .. } = buffers;
        let hashes = self.shingler.hashes(text, shingles);
        // The sum stands for the bag of shingles: texts that are equal after normalisation have the same.
        let sum = hashes.iter().fold(0u64, |sum, &hash| sum.wrapping_add(hash));
        let fingerprint = mix64(sum ^ mix64(hashes.len() as u64 ^ within[0]));
        let mut size = hashes.len();
        let elements = match self.settings.elements {
            Elements::Set => hashes,
            Elements::Bag => {
                *bag = bag_elements(&ShingleBag::from_hashes(hashes.to_vec()))?;
                bag
            }
        };
        let lanes = &mut columns.lanes;
        match &self.sketching {
            Sketching::Bands { hasher, .. } => {
                slots.resize(hasher.num_hashes(), 0);
                hasher.sketch_into(elements, slots)?;
                let start = lanes.len();
                lanes.resize(start + slots.len(), 0);
                lanes::lanes_into(slots, &mut lanes[start..]);
            }
            Sketching::Tables { hasher, weights, .. } => {
                set.clear();
                set.extend_from_slice(hashes);
                if self.settings.elements == Elements::Set {
                    set.sort_unstable();
                    set.dedup();
                }
                let bits = if weights.is_empty() {
                    hasher.fingerprint(set).bits()
                } else {
                    let weight = |element| weights.get(&element).copied().unwrap_or(1.0);
                    let weighted: Vec<_> = set.iter().map(|&element| (element, weight(element))).collect();
                    hasher.fingerprint_weighted(&weighted)?.bits()
                };
                lanes.extend((0..4).map(|lane| (bits >> (16 * lane)) as u16));
            }
            Sketching::Samples => {
                set.clear();
                set.extend_from_slice(elements);
                set.sort_unstable();
                set.dedup();
                size = set.len();
                columns.samples.extend(self.samples(set, within));
            }
        }
        Ok(Sketched { fingerprint, size })
    }

    /// Whether anything is compared by its elements.
    pub(crate) fn compares_elements(&self) -> bool {
        self.settings.verify == Verify::Exact || matches!(self.sketching, Sketching::Samples)
    }

    /// Whether a text has fewer tokens than a shingle.
    pub(crate) fn is_short(&self, text: &str) -> bool {
        let Shingling { unit, k, .. } = self.shingler.settings();
        match unit {
            Unit::Characters => text.chars().take(*k).count() < *k,
            _ => words(text).take(*k).count() < *k,
        }
    }

    /// An error if the memory does not suffice to shingle a text.
    pub(crate) fn check_fits(&self, text: &str, budget: &Ledger) -> Result<()> {
        // What the shingler's buffers take, as its documentation says.
        let factor = if matches!(self.shingler.settings().unit, Unit::Characters) { 25 } else { 10 };
        let bytes = text.len() as u64;
        if bytes > budget.longest_text(factor) {
            return Err(Error::Memory {
                what: format!("a text of {} (see --max-text)", corpus::readable_size(bytes)),
                needed: budget.for_text(bytes, factor),
                limit: budget.limit(),
            });
        }
        Ok(())
    }

    /// 128 bits of the hash of the normalised text.
    pub(crate) fn content_hash(&self, text: &str, buffers: &mut TextBuffers) -> u128 {
        buffers.normalized.clear();
        self.shingler.settings().normalization.normalize_into(text, &mut buffers.normalized);
        let hash = content_hash(buffers.normalized.as_bytes());
        buffers.normalized.clear();
        buffers.normalized.shrink_to(KEPT_TEXT_BYTES);
        hash
    }

    /// The sampled shingles of a sorted set (with the fixed key), as keys. Sets without shingles share a key of their own.
    pub(crate) fn samples<'s>(&self, set: &'s [u64], within: Within) -> impl Iterator<Item = u64> + 's {
        let none = set.is_empty().then_some(u64::MAX);
        set.iter()
            .map(|&element| mix64(element))
            .filter(|mixed| mixed.is_multiple_of(SAMPLED_ONE_IN))
            .chain(none)
            .map(move |mixed| mix64(mixed ^ within[0]))
    }

    /// The probability that a pair of this similarity became a candidate; `size` is the number of shingles of the
    /// removed document. With one band less if `without_one`.
    pub(crate) fn probability(&self, similarity: f64, size: u64, without_one: bool) -> f64 {
        match &self.sketching {
            Sketching::Bands { banding, .. } => {
                lanes_curve(banding.bands() - usize::from(without_one), banding.rows(), similarity)
            }
            Sketching::Tables { .. } => 1.0,
            // Documents without shingles always share their key.
            Sketching::Samples if size == 0 => 1.0,
            Sketching::Samples => sample_probability(SAMPLED_ONE_IN, similarity * size as f64),
        }
    }
}

/// The S-curve of bands of lanes; without bands nothing is found.
fn lanes_curve(bands: usize, rows: usize, similarity: f64) -> f64 {
    let curve =
        |banding| Some(SCurve::with_row_probability(banding, row_probability(lanes::LANE_BITS).ok()?));
    Banding::new(bands, rows).ok().and_then(curve).map_or(0.0, |curve| curve.probability(similarity))
}

impl TextBuffers {
    /// Gives back what an unusually long text of `bytes` made it grow to.
    pub(crate) fn shrink_after(&mut self, bytes: usize) {
        if bytes > KEPT_TEXT_BYTES {
            self.shingles.shrink_to(KEPT_TEXT_BYTES);
            self.elements = Vec::new();
            self.set = Vec::new();
            self.sorting = SortBuffer::default();
            self.table = OverlapTable::default();
        }
    }
}

/// What stands for a value of `--within`: equal for equal values only.
pub(crate) fn within_hash(value: &str) -> Within {
    let hash = content_hash(value.as_bytes());
    // Nothing is 0, which stands for no value.
    [hash as u64 | 1, (hash >> 64) as u64]
}

/// 128 bits of a cryptographic hash.
pub(crate) fn content_hash(bytes: &[u8]) -> u128 {
    let mut leading = [0; 16];
    leading.copy_from_slice(&blake3::hash(bytes).as_bytes()[..16]);
    u128::from_le_bytes(leading)
}

/// The fingerprint in four lanes.
#[inline]
pub(crate) fn fingerprint(lanes: &[u16]) -> u64 {
    lanes.iter().rev().fold(0, |bits, &lane| bits << 16 | u64::from(lane))
}

impl Settings {
    /// What cuts texts into shingles: `shingles` and `normalize`.
    pub fn shingler(&self) -> Result<Shingler> {
        Ok(Shingler::new(shingling(self)?)?)
    }
}

/// `words:5` and the like, with the normalisation.
fn shingling(settings: &Settings) -> Result<Shingling> {
    let wrong = || {
        Error::Invalid(format!(
            "--shingles {} is not of the form words:K, characters:K or stop-words:K",
            settings.shingles
        ))
    };
    let (unit, k) = settings.shingles.split_once(':').ok_or_else(wrong)?;
    let unit = match unit {
        "words" => Unit::Words,
        "characters" => Unit::Characters,
        "stop-words" => Unit::StopWordLed(StopWords::english()),
        _ => return Err(wrong()),
    };
    let k = k.parse().map_err(|_| wrong())?;
    Ok(Shingling::default().with_unit(unit).with_k(k).with_normalization(normalization_of(settings)))
}

fn normalization_of(settings: &Settings) -> Normalization {
    let chosen = &settings.normalize;
    let case = match chosen.case {
        crate::Case::Fold => normalization::Case::Fold,
        crate::Case::Keep => normalization::Case::Keep,
    };
    let form = match chosen.form {
        crate::Form::Nfc => normalization::UnicodeForm::Nfc,
        crate::Form::Nfd => normalization::UnicodeForm::Nfd,
        crate::Form::Nfkc => normalization::UnicodeForm::Nfkc,
        crate::Form::Nfkd => normalization::UnicodeForm::Nfkd,
        crate::Form::Keep => normalization::UnicodeForm::Keep,
    };
    let punctuation = match chosen.punctuation {
        crate::Punctuation::Keep => normalization::Punctuation::Keep,
        crate::Punctuation::Drop => normalization::Punctuation::Drop,
    };
    let whitespace = match chosen.whitespace {
        crate::Whitespace::Collapse => normalization::Whitespace::Collapse,
        crate::Whitespace::Remove => normalization::Whitespace::Remove,
        crate::Whitespace::Keep => normalization::Whitespace::Keep,
    };
    Normalization::default()
        .with_case(case)
        .with_form(form)
        .with_punctuation(punctuation)
        .with_whitespace(whitespace)
}

/// The sketch and its plan. Bands, rows and cutoff follow from the settings alone.
fn sketching(settings: &Settings, weights: HashMap<u64, f64>) -> Result<(Sketching, Plan)> {
    let mut plan = Plan {
        bands: 0,
        rows: 0,
        recall_at_threshold: 1.0,
        estimate_cutoff: 0.0,
        input_bytes: 0,
        disk_bytes_per_document: 0,
        memory_bytes_per_document: 0,
    };
    if settings.method == Method::Simhash {
        if settings.distance > 32 {
            return Err(Error::Invalid(format!(
                "--distance {} is more than 32 of 64 bits",
                settings.distance
            )));
        }
        let masks = table_masks(settings.distance);
        plan.bands = masks.len();
        let hasher = SimHasher::new(settings.seed);
        return Ok((Sketching::Tables { hasher, distance: settings.distance, masks, weights }, plan));
    }
    if settings.measure == Measure::Containment {
        plan.recall_at_threshold =
            sample_probability(SAMPLED_ONE_IN, settings.threshold * PLANNED_SHINGLES as f64);
        return Ok((Sketching::Samples, plan));
    }
    let hasher = FastSketch::new(settings.hashes, settings.seed)?;
    let banding = match settings.bands {
        Some(chosen) => {
            let banding = Banding::new(chosen.bands, chosen.rows)?;
            if banding.num_hashes() > settings.hashes {
                return Err(Error::Invalid(format!(
                    "--bands {chosen} needs {} hashes, and --hashes is {}",
                    banding.num_hashes(),
                    settings.hashes
                )));
            }
            banding
        }
        None => by_recall(settings.hashes, settings.threshold, settings.recall)?.banding,
    };
    // Where every candidate counts, none may be turned away.
    let cutoff = match settings.verify {
        Verify::None => 0,
        _ => lanes::estimate_cutoff(settings.hashes, settings.threshold, FILTER_MISS)?,
    };
    plan.bands = banding.bands();
    plan.rows = banding.rows();
    plan.estimate_cutoff = cutoff as f64 / settings.hashes as f64;
    plan.recall_at_threshold = lanes_curve(banding.bands(), banding.rows(), settings.threshold);
    Ok((Sketching::Bands { hasher, banding, cutoff }, plan))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_two_fingerprints_within_the_distance_share_a_table() {
        let mut random = lookalike::hashing::SplitMix64::new(1);
        for distance in [0, 1, 3, 7, 20] {
            let masks = table_masks(distance);
            for _ in 0..2_000 {
                let a = random.next_u64();
                let mut b = a;
                for _ in 0..distance {
                    b ^= 1 << random.below(64);
                }
                assert!(masks.iter().any(|mask| a & mask == b & mask), "distance {distance}: {a:x} {b:x}");
            }
        }
    }

    #[test]
    fn settings_that_make_no_sense_are_refused() {
        for wrong in [
            Settings { threshold: 0.0, ..Settings::default() },
            Settings { threshold: 1.1, ..Settings::default() },
            Settings { threshold: f64::NAN, ..Settings::default() },
            Settings { shingles: "words".into(), ..Settings::default() },
            Settings { shingles: "words:0".into(), ..Settings::default() },
            Settings { hashes: 0, ..Settings::default() },
            Settings { bands: Some(crate::BandsAndRows { bands: 30, rows: 30 }), ..Settings::default() },
            Settings { measure: Measure::Containment, keep: Keep::Longest, ..Settings::default() },
            Settings { method: Method::Simhash, distance: 33, ..Settings::default() },
            Settings { recall: 1.5, ..Settings::default() },
        ] {
            assert!(Means::new(&wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn the_default_plan_is_the_one_of_the_library() {
        let means = Means::new(&Settings::default()).unwrap();
        assert_eq!((means.plan.bands, means.plan.rows), (21, 6));
        assert!(means.plan.recall_at_threshold >= 0.99);
    }
}
