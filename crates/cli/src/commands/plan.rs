//! `lookalike plan`: a threshold and a corpus's size -> bands and rows, what they find and what they cost.

use super::files::{check_page, write_page};
use super::job::job;
use crate::arguments::PlanArguments;
use crate::failure::{Failure, Result};
use crate::interruption;
use crate::output::{Alternative, MeasuredSample, Planned, Printer, Progress, Tables};
use crate::settings::{Layers, Purpose, Resolved};
use figures::svg::{Bin, Curve, CurvePlot};
use lookalike::banding::plan::Plan;
use lookalike::banding::{Banding, SCurve};
use lookalike::minhash::lanes::matching_lanes;
use lookalike::minhash::{FastSketch, MinHasher, lanes};
use lookalike::shingling::{ShingleSet, Shingler};
use lookalike::simhash::probability_within;
use lookalike::similarity::jaccard;
use pipeline::{Chances, Measure, Method, Settings};

/// Shingles of a document for which the curve of containment is drawn.
const SHINGLES: u64 = 1_000;

/// Documents of the sample, at most.
const SAMPLED: usize = 1_000;

/// Below this share of common shingles, unrelated documents hardly have anything in common.
const HARDLY: f64 = 0.01;

/// Runs the command.
pub(crate) fn run(arguments: &PlanArguments, printer: &Printer) -> Result<()> {
    let Resolved { settings, resources, .. } =
        Layers::read(arguments.choices(), Purpose::Duplicates)?.resolve()?;
    if settings.matching.measure == Measure::Containment {
        return Err(Failure::usage("a plan is made of bands, and containment is found by sampled shingles")
            .with_advice("lookalike dedup --dry-run --measure containment says what it finds"));
    }
    if let Some(path) = &arguments.svg {
        check_page(path)?;
    }
    let chances = Chances::new(&settings)?;
    let simhash = settings.signature.method == Method::Simhash;
    if simhash && !arguments.sample.is_empty() {
        return Err(Failure::usage("a sample is measured for bands, not for the tables of SimHash")
            .with_advice("leave out --sample, or --method simhash"));
    }
    let curve = curve(&chances, &settings);
    let sample = match arguments.sample.as_slice() {
        [] => None,
        inputs => Some(measure(inputs, arguments, printer, &curve)?),
    };
    let mut plot = CurvePlot::of(curve);
    plot.threshold = (!simhash).then_some(settings.matching.threshold);
    if let Some(path) = &arguments.svg {
        write_page(path, &plot.svg().standalone())?;
        printer.written("the curve", path);
    }
    let planned = Planned {
        documents: arguments.documents,
        disk_bytes: arguments.documents.saturating_mul(chances.plan().disk_bytes_per_document),
        disk_bytes_with_keys: arguments
            .documents
            .saturating_mul(chances.plan().disk_bytes_per_document + 16 * chances.plan().bands as u64),
        least_memory: pipeline::least_memory(arguments.documents, resources.threads),
        alternatives: if simhash { Vec::new() } else { alternatives(&settings, chances.plan())? },
        tables: if simhash { tables(&settings, arguments.documents) } else { Vec::new() },
        label: chances.label(),
        plot,
        sample,
        settings,
    };
    printer.planned(&planned)
}

/// The chance that a pair is found by its similarity: with SimHash, that its fingerprints are within the distance.
pub(super) fn curve(chances: &Chances, settings: &Settings) -> Curve {
    Curve::sample(chances.label(), |similarity| match settings.signature.method {
        Method::Minhash => chances.of(similarity, SHINGLES),
        Method::Simhash => {
            probability_within(settings.matching.distance, u64::BITS, similarity).unwrap_or(0.0)
        }
    })
}

fn library(error: lookalike::Error) -> Failure {
    Failure::usage(error.to_string())
}

/// The chosen bands and rows, and those with fewer and more rows.
fn alternatives(settings: &Settings, chosen: &pipeline::report::Plan) -> Result<Vec<Alternative>> {
    let mut made = Vec::new();
    for rows in 1..=settings.signature.hashes.min(32) {
        let is_chosen = rows == chosen.rows;
        let bands = if is_chosen { chosen.bands } else { settings.signature.hashes / rows };
        let curve = SCurve::new(Banding::new(bands, rows).map_err(library)?);
        let plan = Plan::of(&curve, settings.matching.threshold).map_err(library)?;
        // What hardly finds anything at the threshold is no alternative, nor is what brings everything together.
        let sensible = plan.recall > 0.05 && plan.false_positive_area < 0.5 * settings.matching.threshold;
        if is_chosen || sensible {
            made.push(Alternative { is_chosen, half: curve.similarity_at(0.5).map_err(library)?, plan });
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
            let bits = 64 * (blocks - distance) / blocks;
            let per_table = documents as f64 / 2f64.powi(bits as i32);
            Tables {
                is_chosen: blocks == distance + 2,
                blocks,
                tables,
                bits,
                candidates: per_table * tables as f64,
                bytes: documents.saturating_mul(16).saturating_mul(tables),
            }
        })
        .collect()
}

/// Similarities of a sample.
fn measure(
    inputs: &[String],
    arguments: &PlanArguments,
    printer: &Printer,
    curve: &Curve,
) -> Result<MeasuredSample> {
    let (job, put_by) = job(inputs, None, arguments.choices(), Purpose::Duplicates, printer)?;
    interruption::begin_run(false)?;
    let progress = Progress::new(printer, &job).without_plan();
    let sampled = pipeline::sample(&job, SAMPLED, &progress);
    progress.end();
    let (texts, documents) = sampled?;
    drop(put_by);
    interruption::end_run();
    if texts.len() < 2 {
        return Err(Failure::usage("a sample needs at least two documents"));
    }
    let chances = Chances::new(&job.settings)?;
    let sets: Vec<ShingleSet> = texts.iter().map(|text| chances.shingler().set(text)).collect();
    let hasher =
        FastSketch::new(job.settings.signature.hashes, job.settings.signature.seed).map_err(library)?;
    let lanes: Vec<Vec<u16>> = sets
        .iter()
        .map(|set| {
            let mut of_set = vec![0; job.settings.signature.hashes];
            lanes::lanes_into(hasher.sketch(set.as_slice()).slots(), &mut of_set);
            of_set
        })
        .collect();
    let mut bins = vec![Bin { found: 0, missed: 0.0 }; 21];
    let mut candidates = 0.0;
    for (later, b) in lanes.iter().enumerate() {
        for (earlier, a) in lanes[..later].iter().enumerate() {
            // Where not one hash agrees, the similarity is so small that it need not be worked out.
            let similarity =
                if matching_lanes(a, b) == 0 { 0.0 } else { jaccard(&sets[earlier], &sets[later]) };
            bins[(similarity * 20.0) as usize].found += 1;
            candidates += curve.at(similarity);
        }
    }
    let pairs = |documents: f64| documents * (documents - 1.0) / 2.0;
    let scale = pairs(arguments.documents as f64) / pairs(texts.len() as f64);
    let chance = chance_by_k(&texts, &job.settings)?;
    let suggested = chance.iter().find(|(_, chance)| *chance < HARDLY).map(|(k, _)| *k);
    Ok(MeasuredSample {
        documents,
        sampled: texts.len() as u64,
        bins,
        expected_candidates: candidates * scale,
        unit: unit_of(&job.settings).to_owned(),
        chance,
        suggested,
    })
}

fn unit_of(settings: &Settings) -> &str {
    settings.signature.shingles.split_once(':').map_or("words", |(unit, _)| unit)
}

/// For each length of shingles the chance that one of a document is in another one, too.
fn chance_by_k(texts: &[String], settings: &Settings) -> Result<Vec<(usize, f64)>> {
    let longest = if unit_of(settings) == "characters" { 16 } else { 9 };
    let some = &texts[..texts.len().min(200)];
    let base = Chances::new(settings)?.shingler().settings().clone();
    (1..=longest)
        .map(|k| {
            let shingler = Shingler::new(base.clone().with_k(k)).map_err(library)?;
            let sets: Vec<ShingleSet> = some.iter().map(|text| shingler.set(text)).collect();
            // Neighbours in the sample are unrelated, since their order is random.
            let shared = sets
                .windows(2)
                .filter(|pair| !pair[0].is_empty())
                .map(|pair| lookalike::similarity::containment(&pair[0], &pair[1]));
            let mut shared: Vec<f64> = shared.collect();
            shared.sort_by(f64::total_cmp);
            // The median: a few pairs may be duplicates.
            Ok((k, shared.get(shared.len() / 2).copied().unwrap_or(0.0)))
        })
        .collect()
}
