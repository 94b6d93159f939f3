//! Settings and the size of a corpus -> bands and rows, which pairs they find, and the disk space and memory they
//! need. Also what a sample of texts says about the plan.

use crate::curve::curve;
use crate::{Error, Result};
use figures::svg::{Curve, CurvePlot};
use lookalike::banding::plan::Plan;
use lookalike::banding::{Banding, SCurve};
use lookalike::minhash::lanes::matching_lanes;
use lookalike::minhash::{FastSketch, MinHasher, lanes};
use lookalike::shingling::{ShingleSet, Shingler};
use lookalike::similarity::{containment, jaccard};
use pipeline::{Chances, Kind, Measure, Method, Settings};
use serde::Serialize;

/// The largest number of documents in a sample. All pairs of the sample are compared.
pub const MOST_SAMPLED: usize = 1_000;

/// Unrelated documents have almost nothing in common if they share less than this fraction of their shingles.
const HARDLY: f64 = 0.01;

/// The number of documents of a sample that are compared with their neighbours, for each length of shingles.
const SAMPLED_FOR_K: usize = 200;

/// The number of bins in a histogram of similarities: 20 ranges of width 0.05, and one for exactly 1.
const BINS: usize = 21;

/// A plan and its alternatives.
#[derive(Debug, Clone)]
pub struct Planned {
    /// The settings of the plan.
    pub settings: Settings,
    /// The plan as a phrase: `21 bands of 6 rows`.
    pub label: String,
    /// The number of documents for which the plan is made.
    pub documents: u64,
    /// The probability that a pair is found, as a function of its similarity. With SimHash, it is the probability
    /// that the fingerprints are within the distance, as a function of the cosine similarity of the documents.
    pub curve: Curve,
    /// The chosen bands and rows, and alternatives. Empty unless pairs are found by bands.
    pub alternatives: Vec<Alternative>,
    /// With SimHash, the ways to cut fingerprints into blocks.
    pub tables: Vec<Tables>,
    /// Documents of at most this many distinct shingles are short: no similar pair of them is missed. 0 if all documents
    /// are found in the same way.
    pub short_up_to: u64,
    /// With containment, the probability of finding a document at the threshold, by its number of shingles. Short
    /// documents are found less often. Empty if the size of a document does not matter.
    pub by_shingles: Vec<(u64, f64)>,
    /// The approximate number of bytes on disk while the run works.
    pub disk_bytes: u64,
    /// The same if band keys do not fit in memory. Temporary files of verification are not included.
    pub disk_bytes_with_keys: u64,
    /// The smallest memory limit, in bytes, for this many documents.
    pub least_memory: u64,
}

/// A number of bands and rows, and what they find.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Alternative {
    /// The number of bands.
    pub bands: usize,
    /// The number of rows in a band.
    pub rows: usize,
    /// True for the alternative that a run would use.
    pub chosen: bool,
    /// The probability of finding a pair at the threshold.
    pub recall_at_threshold: f64,
    /// The similarity at which half of the pairs are found.
    pub half_at: f64,
    /// The area below the curve, left of the threshold. It stands for pairs that are compared in vain.
    pub false_positive_area: f64,
    /// The area above the curve, right of the threshold. It stands for pairs that are missed.
    pub false_negative_area: f64,
}

/// A way to cut fingerprints into blocks, some of which must be equal.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tables {
    /// The number of blocks of a fingerprint.
    pub blocks: u64,
    /// The number of tables: one for each choice of the blocks that must be equal.
    pub tables: u64,
    /// The number of bits that must be equal.
    pub equal_bits: u64,
    /// True for the way that a run would use.
    pub chosen: bool,
    /// The expected number of candidates of one query that are equal by chance.
    pub candidates_per_query: f64,
    /// The size of all tables, in bytes.
    pub bytes: u64,
}

/// A sample of the texts of a corpus, as [`pipeline::sample`] returns it.
#[derive(Debug, Clone, Copy)]
pub struct Sample<'t> {
    /// The texts, in random order.
    pub texts: &'t [String],
    /// The number of documents in the corpus from which the sample was taken.
    pub documents: u64,
}

/// What was measured in a sample.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MeasuredSample {
    /// The number of documents in the corpus.
    pub documents: u64,
    /// The number of documents in the sample.
    pub sampled: u64,
    /// How many pairs of the sample have which similarity. Each count is for a range of width 0.05: the first is for
    /// `[0, 0.05)`, the last for exactly 1.
    pub histogram: Vec<u64>,
    /// The expected number of pairs that a run would compare, for the number of documents in the plan.
    pub expected_candidates: f64,
    /// For several lengths of shingles, the share of a document's shingles that an unrelated document has too (the
    /// median).
    pub shared_by_k: Vec<(usize, f64)>,
    /// The smallest of these lengths for which the share is small.
    pub suggested_k: Option<usize>,
    /// The unit of shingles: `words`.
    #[serde(skip)]
    unit: String,
}

impl MeasuredSample {
    /// The suggested shingles, as they are written in settings: `words:3`.
    #[must_use]
    pub fn suggested_shingles(&self) -> Option<String> {
        self.suggested_k.map(|k| format!("{}:{k}", self.unit))
    }
}

impl Planned {
    /// The plan for this many documents, on this many threads.
    pub fn new(settings: Settings, documents: u64, threads: usize) -> Result<Self> {
        let settings = match settings.signature.kind {
            // What counts is the distance: as a similarity it is the share of equal bits.
            Kind::Fingerprints => {
                let bits = settings.signature.bits.unwrap_or(64);
                let share = 1.0 - f64::from(settings.matching.distance) / f64::from(bits);
                settings.with_threshold(share.clamp(0.01, 1.0))
            }
            _ => settings,
        };
        let chances = Chances::new(&settings)?;
        let plan = chances.plan();
        let is_print = settings.signature.kind == Kind::Fingerprints;
        let is_banded = bands_or(&settings).is_ok() && !is_print;
        let simhash = settings.signature.method == Method::Simhash;
        // Keys of vectors are never on disk.
        let keys = if settings.signature.kind == Kind::Vectors { 0 } else { 16 * plan.bands as u64 };
        let on_disk = |per_document: u64| documents.saturating_mul(per_document);
        Ok(Self {
            documents,
            short_up_to: plan.short_up_to,
            disk_bytes: on_disk(plan.disk_bytes_per_document),
            disk_bytes_with_keys: on_disk(plan.disk_bytes_per_document + keys),
            least_memory: pipeline::least_memory(documents, threads),
            alternatives: if is_banded { alternatives(&settings, plan)? } else { Vec::new() },
            tables: if simhash { tables(&settings, documents) } else { Vec::new() },
            by_shingles: if is_banded || simhash || settings.signature.kind != Kind::Text {
                Vec::new()
            } else {
                chances.by_shingles(settings.matching.threshold)
            },
            label: chances.label(),
            curve: curve(&chances, &settings),
            settings,
        })
    }

    /// The curve for drawing. It shows the threshold if that is on the scale of the curve.
    #[must_use]
    pub fn plot(&self) -> CurvePlot {
        let threshold =
            (self.settings.signature.method == Method::Minhash).then_some(self.settings.matching.threshold);
        let mut plot = CurvePlot { threshold, ..CurvePlot::of(self.curve.clone()) };
        if let (Some(threshold), 1..) = (threshold, self.short_up_to) {
            let label = format!("up to {} shingles", self.short_up_to);
            plot.curves
                .push(Curve::sample(label, |similarity| if similarity >= threshold { 1.0 } else { 0.0 }));
        }
        plot
    }

    /// Returns an error if a sample cannot be measured for this plan.
    pub fn check_sample(&self) -> Result<()> {
        if self.settings.signature.kind != Kind::Text {
            return Err(Error::SampleNeedsTexts);
        }
        bands_or(&self.settings)
    }

    /// Measures a sample of texts, which are cut into shingles by `settings`. These are the settings of the plan,
    /// unless the sample has other ones.
    pub fn measure(&self, sample: Sample<'_>, settings: &Settings) -> Result<MeasuredSample> {
        self.check_sample()?;
        let Sample { texts, documents } = sample;
        if texts.len() < 2 {
            return Err(Error::SampleTooSmall);
        }
        let similarities = Similarities::new(texts, settings)?;
        let mut histogram = vec![0; BINS];
        let mut candidates = 0.0;
        similarities.visit(|similarity| {
            histogram[(similarity * 20.0) as usize] += 1;
            candidates += self.curve.at(similarity);
        });
        let pairs = |documents: f64| documents * (documents - 1.0) / 2.0;
        let scale = pairs(self.documents as f64) / pairs(texts.len() as f64);
        let shared_by_k = shared_by_k(texts, settings)?;
        let suggested_k = shared_by_k.iter().find(|(_, shared)| *shared < HARDLY).map(|(k, _)| *k);
        Ok(MeasuredSample {
            documents,
            sampled: texts.len() as u64,
            histogram,
            expected_candidates: candidates * scale,
            shared_by_k,
            suggested_k,
            unit: unit_of(settings).to_owned(),
        })
    }
}

/// Returns an error if pairs are not found by bands.
fn bands_or(settings: &Settings) -> Result<()> {
    let instead = match (settings.signature.method, settings.signature.measure) {
        (Method::Simhash, _) => "the tables of SimHash",
        (Method::Minhash, Measure::Containment) => "the sampled shingles of containment",
        (Method::Minhash, Measure::Cosine | Measure::Euclidean) => "the comparison of vectors",
        (Method::Minhash, Measure::Jaccard | Measure::WeightedJaccard) => return Ok(()),
    };
    Err(Error::SampleNeedsBands { instead })
}

/// The chosen bands and rows, and alternatives with fewer and more rows.
fn alternatives(settings: &Settings, chosen: &pipeline::report::Plan) -> Result<Vec<Alternative>> {
    let mut made = Vec::new();
    for rows in 1..=settings.signature.hashes.min(32) {
        let is_chosen = rows == chosen.rows;
        let bands = if is_chosen { chosen.bands } else { settings.signature.hashes / rows };
        let curve = SCurve::new(Banding::new(bands, rows)?);
        let plan = Plan::of(&curve, settings.matching.threshold)?;
        // Plans that find almost no pair at the threshold are left out, and plans that compare almost all pairs.
        let sensible = plan.recall > 0.05 && plan.false_positive_area < 0.5 * settings.matching.threshold;
        if is_chosen || sensible {
            made.push(Alternative {
                bands,
                rows,
                chosen: is_chosen,
                recall_at_threshold: plan.recall,
                half_at: curve.similarity_at(0.5)?,
                false_positive_area: plan.false_positive_area,
                false_negative_area: plan.false_negative_area,
            });
        }
    }
    Ok(made)
}

/// The ways to cut fingerprints into blocks, some of which must be equal.
fn tables(settings: &Settings, documents: u64) -> Vec<Tables> {
    let distance = u64::from(settings.matching.distance);
    (distance + 1..=(distance + 4).min(64))
        .map(|blocks| {
            // At most `distance` blocks differ, and one of the tables compares all the others.
            let tables = (0..distance).fold(1, |product, at| product * (blocks - at) / (at + 1));
            let equal_bits = 64 * (blocks - distance) / blocks;
            let per_table = documents as f64 / 2f64.powi(equal_bits as i32);
            Tables {
                blocks,
                tables,
                equal_bits,
                chosen: blocks == distance + 2,
                candidates_per_query: per_table * tables as f64,
                bytes: documents.saturating_mul(16).saturating_mul(tables),
            }
        })
        .collect()
}

/// The texts of a sample, ready to be compared.
struct Similarities {
    sets: Vec<ShingleSet>,
    lanes: Vec<Vec<u16>>,
}

impl Similarities {
    fn new(texts: &[String], settings: &Settings) -> Result<Self> {
        let chances = Chances::new(settings)?;
        let sets: Vec<ShingleSet> = texts.iter().map(|text| chances.shingler().set(text)).collect();
        let hasher = FastSketch::new(settings.signature.hashes, settings.signature.seed)?;
        let lanes_of = |set: &ShingleSet| {
            let mut of_set = vec![0; settings.signature.hashes];
            lanes::lanes_into(hasher.sketch(set.as_slice()).slots(), &mut of_set);
            of_set
        };
        Ok(Self { lanes: sets.iter().map(lanes_of).collect(), sets })
    }

    /// Calls `visit` with the similarity of every pair.
    fn visit(&self, mut visit: impl FnMut(f64)) {
        for (later, b) in self.lanes.iter().enumerate() {
            for (earlier, a) in self.lanes[..later].iter().enumerate() {
                // If no hash is equal, the similarity is so small that it need not be computed.
                let is_none = matching_lanes(a, b) == 0;
                visit(if is_none { 0.0 } else { jaccard(&self.sets[earlier], &self.sets[later]) });
            }
        }
    }
}

fn unit_of(settings: &Settings) -> &str {
    settings.signature.shingles.split_once(':').map_or("words", |(unit, _)| unit)
}

/// For each length of shingles, the share of a document's shingles that an unrelated document has too.
fn shared_by_k(texts: &[String], settings: &Settings) -> Result<Vec<(usize, f64)>> {
    let longest = if unit_of(settings) == "characters" { 16 } else { 9 };
    let some = &texts[..texts.len().min(SAMPLED_FOR_K)];
    let base = Chances::new(settings)?.shingler().settings().clone();
    (1..=longest)
        .map(|k| {
            let shingler = Shingler::new(base.clone().with_k(k))?;
            let sets: Vec<ShingleSet> = some.iter().map(|text| shingler.set(text)).collect();
            // Neighbours in the sample are unrelated, because the order of the sample is random.
            let shared = sets
                .windows(2)
                .filter(|pair| !pair[0].is_empty())
                .map(|pair| containment(&pair[0], &pair[1]));
            let mut shared: Vec<f64> = shared.collect();
            shared.sort_by(f64::total_cmp);
            // The median is used because a few pairs may be duplicates.
            Ok((k, shared.get(shared.len() / 2).copied().unwrap_or(0.0)))
        })
        .collect()
}
