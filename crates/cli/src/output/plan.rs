//! The plan, which is printed before the work starts.

use super::{BOLD, numbers};
use lookalike::banding::sample_probability;
use pipeline::report::Plan;
use pipeline::{Job, Kind, Measure, Method, SAMPLED_ONE_IN};

/// The number of shingles of a short document, for which the plan also states the chance.
const FEW: u64 = 10;

/// What bands and rows mean, in one sentence.
pub(super) fn found_if(bands: usize, rows: usize) -> String {
    match (bands, rows) {
        (bands, 1) => {
            format!("a pair is found if at least one of {bands} hashes is equal in both documents")
        }
        (1, rows) => format!("a pair is found if all {rows} hashes are equal in both documents"),
        (_, rows) => {
            format!("a pair is found if all {rows} hashes of at least one band are equal in both documents")
        }
    }
}

/// The plan for vectors.
fn of_vectors(plan: &Plan, job: &Job) -> String {
    let Job { settings, .. } = job;
    let near = match settings.matching.radius {
        Some(radius) if settings.signature.measure == Measure::Euclidean => {
            format!("within distance {radius}")
        }
        _ => format!("at cosine {} or above", settings.matching.threshold),
    };
    let sources = match job.sources.len() + job.against.len() {
        1 => "1 source".to_owned(),
        many => format!("{} sources", numbers::count(many as u64)),
    };
    let what = if plan.bands == 0 {
        format!("every vector is compared with every other one: no pair {near} is missed")
    } else {
        let functions = match settings.signature.measure {
            Measure::Euclidean => format!(
                "projections find {} of the pairs at distance",
                numbers::share(plan.recall_at_threshold)
            ),
            _ => format!(
                "hyperplanes find {} of the pairs at cosine",
                numbers::share(plan.recall_at_threshold)
            ),
        };
        let (at, nearer) = match settings.matching.radius {
            Some(radius) if settings.signature.measure == Measure::Euclidean => (radius, "nearer"),
            _ => (settings.matching.threshold, "above"),
        };
        let bands = numbers::count(plan.bands as u64);
        let bands = format!("{bands} bands of {} {functions} {at}, and more of those {nearer}", plan.rows);
        match plan.all_up_to {
            Some(most) => format!(
                "up to {} vectors are all compared with one another: no pair {near} is missed;\n      of more, {bands}",
                numbers::count(most)
            ),
            None => bands,
        }
    };
    format!(
        "{BOLD}plan{BOLD:#}  {what}\n      \
         input: {sources}, {}{}; memory: up to {}",
        vectors(job).unwrap_or_default(),
        numbers::bytes(plan.input_bytes),
        numbers::bytes(job.resources.memory),
    )
}

/// How many vectors there are and of how many dimensions, followed by a comma, if the headers of arrays say so.
fn vectors(job: &Job) -> Option<String> {
    let shapes: Option<Vec<(u64, usize)>> =
        job.sources.iter().chain(&job.against).map(corpus::array_shape).collect();
    let shapes = shapes?;
    let dimensions = shapes.first()?.1;
    let all: u64 = shapes.iter().map(|(rows, _)| rows).sum();
    Some(format!("{} vectors of {} dimensions, ", numbers::count(all), numbers::count(dimensions as u64)))
}

/// The plan in a few lines.
pub(crate) fn plan(plan: &Plan, job: &Job) -> String {
    let settings = &job.settings;
    if settings.signature.kind == Kind::Vectors {
        return of_vectors(plan, job);
    }
    let (documents, elements) = match settings.signature.kind {
        Kind::Sets => ("sets", "items"),
        _ => ("documents", "shingles"),
    };
    let candidates = match settings.signature.method {
        _ if settings.signature.kind == Kind::Fingerprints => match plan.rows {
            0 => format!(
                "{} tables find all pairs at Hamming distance {} or less: no pair is missed",
                numbers::count(plan.bands as u64),
                settings.matching.distance
            ),
            rows => format!(
                "{} bands of {rows} sampled bits find {} of the pairs at Hamming distance {}, and more of those nearer",
                numbers::count(plan.bands as u64),
                numbers::share(plan.recall_at_threshold),
                settings.matching.distance
            ),
        },
        Method::Minhash
            if settings.signature.measure == Measure::Containment
                && settings.signature.kind == Kind::Sets =>
        {
            format!(
                "sets that share an item are compared, which finds all pairs at containment {}: no pair is missed",
                settings.matching.threshold
            )
        }
        Method::Minhash if settings.signature.measure == Measure::Containment => {
            // A document of n shingles, a share t of them in another, has a sampled one there unless all n t are left out.
            let left_out = 1.0 - 1.0 / SAMPLED_ONE_IN as f64;
            let shingles = (0.01f64.ln() / left_out.ln() / settings.matching.threshold).ceil() as u64;
            let of_few = sample_probability(SAMPLED_ONE_IN, settings.matching.threshold * FEW as f64);
            let element = elements.trim_end_matches('s');
            format!(
                "one {element} in {SAMPLED_ONE_IN} is sampled, which finds 99 % of the {documents} of {} {elements} at \
                 containment {}, more of the larger ones, and {} of those of {FEW}",
                numbers::count(shingles),
                settings.matching.threshold,
                numbers::share(of_few),
            )
        }
        Method::Minhash => format!(
            "{} bands of {} rows find {} of the pairs at {} {}, and more of those above:\n      {}{}",
            plan.bands,
            plan.rows,
            numbers::share(plan.recall_at_threshold),
            settings.signature.measure,
            settings.matching.threshold,
            found_if(plan.bands, plan.rows),
            match plan.short_up_to {
                0 => String::new(),
                most => format!(
                    ";\n      of {documents} of up to {} {elements}, all similar pairs are found",
                    numbers::count(most)
                ),
            },
        ),
        Method::Simhash => {
            format!(
                "{} tables find all pairs at Hamming distance {} or less",
                plan.bands, settings.matching.distance
            )
        }
    };
    let input = numbers::bytes(plan.input_bytes);
    let sources = match job.sources.len() + job.against.len() {
        1 => "1 source".to_owned(),
        many => format!("{} sources", numbers::count(many as u64)),
    };
    format!(
        "{BOLD}plan{BOLD:#}  {candidates}\n      \
         input: {sources}, {input}; memory: up to {}; per document about {} on disk, {} in memory",
        numbers::bytes(job.resources.memory),
        numbers::bytes(plan.disk_bytes_per_document),
        numbers::bytes(plan.memory_bytes_per_document),
    )
}
