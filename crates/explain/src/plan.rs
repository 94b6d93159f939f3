//! Settings and the size of a corpus -> bands and rows, what they find and what they cost; and what a sample of texts
//! says about them.

use crate::curve::curve;
use crate::{Error, Result};
use figures::svg::{Curve, CurvePlot};
use lookalike::banding::plan::Plan;
use lookalike::banding::{Banding, SCurve};
use lookalike::minhash::lanes::matching_lanes;
use lookalike::minhash::{FastSketch, MinHasher, lanes};
use lookalike::shingling::{ShingleSet, Shingler};
use lookalike::similarity::{containment, jaccard};
use pipeline::{Chances, Measure, Method, Settings};
use serde::Serialize;

/// Documents of a sample, at most: all their pairs are compared.
pub const MOST_SAMPLED: usize = 1_000;

/// Below this share of common shingles, unrelated documents hardly have anything in common.
const HARDLY: f64 = 0.01;

/// Documents of a sample whose neighbours are compared for each length of shingles.
const SAMPLED_FOR_K: usize = 200;

/// Bins of a histogram of similarities: twentieths, and exactly 1.
const BINS: usize = 21;

/// A plan and its alternatives.
#[derive(Debug, Clone)]
pub struct Planned {
    /// What was planned for.
    pub settings: Settings,
    /// The plan in words: `21 bands of 6 rows`.
    pub label: String,
    /// How many documents it is for.
    pub documents: u64,
    /// The chance to find a pair, by its similarity; with SimHash, that its fingerprints are within the distance, by the
    /// cosine of the documents.
    pub curve: Curve,
    /// Bands and rows: the chosen ones and others. Empty unless pairs are found by bands.
    pub alternatives: Vec<Alternative>,
    /// The ways to cut fingerprints into blocks, with SimHash.
    pub tables: Vec<Tables>,
    /// Bytes on disk while it runs, about.
    pub disk_bytes: u64,
    /// The same if band keys do not fit in memory, without what is spilled to verify.
    pub disk_bytes_with_keys: u64,
    /// Bytes of memory that so many documents need at least.
    pub least_memory: u64,
}

/// Bands and rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Alternative {
    /// Bands.
    pub bands: usize,
    /// Rows of a band.
    pub rows: usize,
    /// Whether it is what a run would use.
    pub chosen: bool,
    /// The chance of finding a pair at the threshold.
    pub recall_at_threshold: f64,
    /// The similarity at which half of the pairs are found.
    pub half_at: f64,
    /// The area below the curve left of the threshold: pairs that are compared in vain.
    pub false_positive_area: f64,
    /// The area above the curve right of the threshold: pairs that are missed.
    pub false_negative_area: f64,
}

/// A way to cut fingerprints into blocks, of which some must agree.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tables {
    /// Blocks of a fingerprint.
    pub blocks: u64,
    /// Tables: one for each choice of the blocks that agree.
    pub tables: u64,
    /// Bits that must agree.
    pub equal_bits: u64,
    /// Whether it is what a run would use.
    pub chosen: bool,
    /// Candidates by chance, for one query.
    pub candidates_per_query: f64,
    /// Bytes of all tables.
    pub bytes: u64,
}

/// Texts of a corpus, as [`pipeline::sample`] takes them.
#[derive(Debug, Clone, Copy)]
pub struct Sample<'t> {
    /// The texts, in random order.
    pub texts: &'t [String],
    /// Documents of the corpus that they were taken from.
    pub documents: u64,
}

/// What a sample says.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MeasuredSample {
    /// Documents of the corpus.
    pub documents: u64,
    /// Documents of the sample.
    pub sampled: u64,
    /// Pairs of the sample by similarity, in twentieths: `[0, 0.05)` first, exactly 1 last.
    pub histogram: Vec<u64>,
    /// Pairs that the plan would compare, of the documents planned for.
    pub expected_candidates: f64,
    /// The share of a document's shingles that another, unrelated one has, by the length of shingles: the median.
    pub shared_by_k: Vec<(usize, f64)>,
    /// The least length for which that is small.
    pub suggested_k: Option<usize>,
    /// What shingles are made of: `words`.
    #[serde(skip)]
    unit: String,
}

impl MeasuredSample {
    /// The shingles of the suggested length, as settings name them: `words:3`.
    #[must_use]
    pub fn suggested_shingles(&self) -> Option<String> {
        self.suggested_k.map(|k| format!("{}:{k}", self.unit))
    }
}

impl Planned {
    /// The plan for so many documents, on so many threads.
    pub fn new(settings: Settings, documents: u64, threads: usize) -> Result<Self> {
        let chances = Chances::new(&settings)?;
        let plan = chances.plan();
        let is_banded = bands_or(&settings).is_ok();
        let simhash = settings.signature.method == Method::Simhash;
        let on_disk = |per_document: u64| documents.saturating_mul(per_document);
        Ok(Self {
            documents,
            disk_bytes: on_disk(plan.disk_bytes_per_document),
            disk_bytes_with_keys: on_disk(plan.disk_bytes_per_document + 16 * plan.bands as u64),
            least_memory: pipeline::least_memory(documents, threads),
            alternatives: if is_banded { alternatives(&settings, plan)? } else { Vec::new() },
            tables: if simhash { tables(&settings, documents) } else { Vec::new() },
            label: chances.label(),
            curve: curve(&chances, &settings),
            settings,
        })
    }

    /// The curve, with the threshold where it is on the same scale.
    #[must_use]
    pub fn plot(&self) -> CurvePlot {
        let threshold =
            (self.settings.signature.method == Method::Minhash).then_some(self.settings.matching.threshold);
        CurvePlot { threshold, ..CurvePlot::of(self.curve.clone()) }
    }

    /// An error if a sample says nothing about this plan.
    pub fn check_sample(&self) -> Result<()> {
        bands_or(&self.settings)
    }

    /// What a sample of texts says, if they are cut into shingles by `settings`: those of the plan, unless the sample has
    /// its own.
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

/// An error if pairs are not found by bands.
fn bands_or(settings: &Settings) -> Result<()> {
    let instead = match (settings.signature.method, settings.matching.measure) {
        (Method::Simhash, _) => "the tables of SimHash",
        (Method::Minhash, Measure::Containment) => "the sampled shingles of containment",
        (Method::Minhash, Measure::Jaccard) => return Ok(()),
    };
    Err(Error::SampleNeedsBands { instead })
}

/// The chosen bands and rows, and those with fewer and more rows.
fn alternatives(settings: &Settings, chosen: &pipeline::report::Plan) -> Result<Vec<Alternative>> {
    let mut made = Vec::new();
    for rows in 1..=settings.signature.hashes.min(32) {
        let is_chosen = rows == chosen.rows;
        let bands = if is_chosen { chosen.bands } else { settings.signature.hashes / rows };
        let curve = SCurve::new(Banding::new(bands, rows)?);
        let plan = Plan::of(&curve, settings.matching.threshold)?;
        // What hardly finds anything at the threshold is no alternative, nor is what brings everything together.
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

/// The ways to cut fingerprints into blocks, of which some must agree.
fn tables(settings: &Settings, documents: u64) -> Vec<Tables> {
    let distance = u64::from(settings.matching.distance);
    (distance + 1..=(distance + 4).min(64))
        .map(|blocks| {
            // At most `distance` blocks differ, so all others agree in one of the tables.
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
                // Where not one hash agrees, the similarity is so small that it need not be worked out.
                let is_none = matching_lanes(a, b) == 0;
                visit(if is_none { 0.0 } else { jaccard(&self.sets[earlier], &self.sets[later]) });
            }
        }
    }
}

fn unit_of(settings: &Settings) -> &str {
    settings.signature.shingles.split_once(':').map_or("words", |(unit, _)| unit)
}

/// For each length of shingles the share of a document's shingles that another, unrelated one has.
fn shared_by_k(texts: &[String], settings: &Settings) -> Result<Vec<(usize, f64)>> {
    let longest = if unit_of(settings) == "characters" { 16 } else { 9 };
    let some = &texts[..texts.len().min(SAMPLED_FOR_K)];
    let base = Chances::new(settings)?.shingler().settings().clone();
    (1..=longest)
        .map(|k| {
            let shingler = Shingler::new(base.clone().with_k(k))?;
            let sets: Vec<ShingleSet> = some.iter().map(|text| shingler.set(text)).collect();
            // Neighbours in the sample are unrelated, since their order is random.
            let shared = sets
                .windows(2)
                .filter(|pair| !pair[0].is_empty())
                .map(|pair| containment(&pair[0], &pair[1]));
            let mut shared: Vec<f64> = shared.collect();
            shared.sort_by(f64::total_cmp);
            // The median: a few pairs may be duplicates.
            Ok((k, shared.get(shared.len() / 2).copied().unwrap_or(0.0)))
        })
        .collect()
}
