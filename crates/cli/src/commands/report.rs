//! `lookalike report`: a finished run -> a page.

use super::files::{check_page, write_page};
use super::inspect::open;
use super::plan::curve;
use crate::arguments::ReportArguments;
use crate::failure::{Failure, Result};
use crate::output::Printer;
use figures::svg::{Bin, ClusterSizes, Curve, Histogram, Stage, Stages};
use figures::{
    Checked, ClusterExample, ExampleText, Headline, KindCount, Member, PairExample, PlanData, RecallData,
    ReportData, SourceCount, report_page,
};
use pipeline::{Chances, Clusters, Excerpt, FinishedRun, Method, Reference, RunPair, Verify};
use std::collections::HashMap;
use std::path::Path;

/// Examples of each kind.
const EXAMPLES: usize = 20;

/// Members of a cluster that are shown.
const MEMBERS: usize = 8;

/// Bytes of text that an example shows.
const SHOWN: usize = 12_000;

/// The name of the page in the run's folder.
const PAGE: &str = "report.html";

/// Runs the command.
pub(crate) fn run(arguments: &ReportArguments, printer: &Printer) -> Result<()> {
    let run = open(&arguments.run, &arguments.using)?;
    write(&run, arguments.output.as_deref(), printer)
}

/// Writes the page of a run: to a file, or into its folder.
pub(super) fn write(run: &FinishedRun, file: Option<&Path>, printer: &Printer) -> Result<()> {
    let path = file.map_or_else(|| run.folder().join(PAGE), Path::to_owned);
    if run.has_written(&path) {
        return Err(Failure::usage(format!("{} is an output of the run", path.display()))
            .with_advice("name another file with -o"));
    }
    check_page(&path)?;
    let (page, note) = page(run)?;
    write_page(&path, &page)?;
    if let Some(note) = note {
        printer.note(&note);
    }
    printer.written("the report", &path);
    Ok(())
}

/// The page, and what is worth knowing about it.
fn page(run: &FinishedRun) -> Result<(String, Option<String>)> {
    let report = run.report();
    let chances = Chances::new(run.settings())?;
    let simhash = report.settings.signature.method == Method::Simhash;
    let curve = curve(&chances, run.settings());
    let clusters = run.clusters(EXAMPLES, MEMBERS)?;
    let nearest = run.least_similar(EXAMPLES)?;
    let (examples, note) = Examples::new(run, &clusters.largest, &nearest)?;
    let counts = &report.counts;
    let data = ReportData {
        title: run.folder().display().to_string(),
        subtitle: format!(
            "lookalike {}, {} source{}",
            report.lookalike,
            report.sources.len(),
            if report.sources.len() == 1 { "" } else { "s" }
        ),
        headline: Headline {
            documents: counts.documents,
            kept: counts.kept,
            exact: counts.exact,
            near: counts.near,
            skipped: counts.bad_skipped,
            clusters: counts.clusters,
            text_bytes: counts.text_bytes,
        },
        checked: checked(report),
        histogram: histogram(report, &curve),
        plan: PlanData {
            label: chances.label(),
            threshold: report.settings.matching.threshold,
            distance: simhash.then_some(report.settings.matching.distance),
            curve,
            facts: facts(report),
        },
        recall: report.recall.map(|recall| RecallData {
            estimate: recall.estimate,
            standard_error: recall.standard_error,
            pairs: recall.pairs,
        }),
        cluster_sizes: ClusterSizes { sizes: clusters.sizes.into_iter().collect() },
        kinds: kinds(report),
        stages: Stages {
            stages: report
                .run
                .stages
                .iter()
                .map(|stage| Stage {
                    name: stage.stage.clone(),
                    seconds: stage.seconds,
                    cpu_seconds: stage.cpu_seconds,
                    amount: stage.amount,
                    unit: stage.unit.clone(),
                })
                .collect(),
        },
        sources: report
            .sources
            .iter()
            .map(|source| SourceCount {
                name: source.name.clone(),
                records: source.records,
                removed: source.removed,
                against: source.against,
            })
            .collect(),
        capped: report.capped.iter().map(|(what, times)| (what.clone(), *times)).collect(),
        configuration: configuration(report),
        shingler: chances.shingler().clone(),
        clusters: examples.clusters(&clusters.largest, checked(report)),
        near_threshold: examples.pairs(&nearest, "removed"),
        nearest_misses: examples.pairs(&misses(run), "below the threshold"),
    };
    Ok((report_page(&data), note))
}

/// What pairs of the run count by.
fn checked(report: &pipeline::Report) -> Checked {
    match (report.settings.matching.verify, report.settings.signature.method) {
        (Verify::Exact, _) => Checked::Exactly,
        (Verify::Estimate, Method::Minhash) => Checked::ByEstimate,
        // The tables of SimHash estimate nothing: what they find is within the distance.
        (Verify::Estimate | Verify::None, _) => Checked::NotAtAll,
    }
}

/// Similarities of what was removed, and how many of each were probably missed, where that is known.
fn histogram(report: &pipeline::Report, curve: &Curve) -> Histogram {
    let is_known = checked(report) == Checked::Exactly && report.settings.signature.method == Method::Minhash;
    let bin = |(at, &found): (usize, &u64)| {
        let similarity = (at as f64 / 20.0 + 0.025).min(1.0);
        let chance =
            if is_known { curve.at(similarity.max(report.settings.matching.threshold)) } else { 1.0 };
        let missed = if chance > 0.0 { found as f64 * (1.0 - chance) / chance } else { 0.0 };
        Bin { found, missed }
    };
    let bins = report.histogram.iter().enumerate().map(bin).collect();
    Histogram { bins, threshold: Some(report.settings.matching.threshold) }
}

fn facts(report: &pipeline::Report) -> Vec<(String, String)> {
    let plan = &report.plan;
    let pairs = &report.run.pairs;
    [
        ("input", figures::bytes(plan.input_bytes)),
        ("on disk per document", figures::bytes(plan.disk_bytes_per_document)),
        (
            if report.settings.matching.verify == Verify::Exact {
                "candidates compared"
            } else {
                "candidates"
            },
            figures::count(pairs.compared),
        ),
        (
            match checked(report) {
                Checked::Exactly => "pairs verified",
                Checked::ByEstimate => "pairs by estimate, unverified",
                Checked::NotAtAll => "pairs, unverified",
            },
            figures::count(report.verified_pairs),
        ),
        ("threads", report.run.threads.to_string()),
        ("memory limit", figures::bytes(report.run.memory)),
        ("time", figures::seconds(report.run.seconds)),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .to_vec()
}

fn kinds(report: &pipeline::Report) -> Vec<KindCount> {
    let counts = &report.counts;
    let near = match (checked(report), report.settings.matching.clusters) {
        (Checked::Exactly, Clusters::Stars) => "similar to a kept one, at or above the threshold",
        (Checked::Exactly, Clusters::Components) => "connected with a kept one by similar pairs",
        (Checked::ByEstimate, _) => "similar to a kept one by the estimate of their signatures, unverified",
        (Checked::NotAtAll, _) if report.settings.signature.method == Method::Simhash => {
            "a fingerprint close enough to that of a kept one, unverified"
        }
        (Checked::NotAtAll, _) => "a candidate of a kept one, unverified",
    };
    [
        ("kept", counts.kept, "stay, unchanged"),
        ("exact", counts.exact, "the same text as a kept one, after normalisation"),
        ("near", counts.near, near),
        ("bad, skipped", counts.bad_skipped, "records that could not be used"),
        ("bad, kept", counts.bad_kept, "records that could not be used, written all the same"),
        ("against", counts.against, "only compared with"),
        ("empty", counts.empty, "no token at all"),
        ("short", counts.short, "fewer tokens than a shingle"),
        ("over the limit", counts.over_limit, "too long: compared as a whole only"),
        ("with NUL", counts.with_nul, "compared as a whole only"),
        ("replaced bytes", counts.replaced_bytes, "text files that are not UTF-8"),
        ("repeated ids", counts.repeated_ids, "an id that another document had before"),
        ("blank lines", counts.blank_lines, "no records"),
    ]
    .into_iter()
    .filter(|(name, count, _)| *count > 0 || ["kept", "exact", "near"].contains(name))
    .map(|(name, count, meaning)| KindCount { name: name.into(), count, meaning: meaning.into() })
    .collect()
}

/// The settings by name, those within others behind a dot.
fn configuration(report: &pipeline::Report) -> Vec<(String, String)> {
    fn add(prefix: &str, value: &serde_json::Value, into: &mut Vec<(String, String)>) {
        match value {
            serde_json::Value::Object(fields) => fields.iter().for_each(|(name, value)| {
                let name = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
                add(&name, value, into);
            }),
            serde_json::Value::Null => into.push((prefix.into(), "not set".into())),
            serde_json::Value::String(text) => into.push((prefix.into(), text.clone())),
            other => into.push((prefix.into(), other.to_string())),
        }
    }
    let mut all = Vec::new();
    add("", &serde_json::to_value(&report.settings).unwrap_or_default(), &mut all);
    all
}

fn misses(run: &FinishedRun) -> Vec<RunPair> {
    run.near_misses().iter().copied().take(EXAMPLES).collect()
}

/// Names and texts of the documents that are shown.
struct Examples {
    documents: HashMap<u64, (Reference, Excerpt)>,
}

impl Examples {
    fn new(
        run: &FinishedRun,
        clusters: &[pipeline::RunCluster],
        nearest: &[RunPair],
    ) -> Result<(Self, Option<String>)> {
        let mut numbers: Vec<u64> = Vec::new();
        for cluster in clusters {
            numbers.push(cluster.kept);
            numbers.extend(cluster.removed.iter().map(|pair| pair.other));
        }
        for pair in nearest.iter().chain(&misses(run)) {
            numbers.extend([pair.kept, pair.other]);
        }
        numbers.sort_unstable();
        numbers.dedup();
        let references = run.references(&numbers)?;
        let (texts, note) = match run.texts(&numbers, SHOWN) {
            Ok(texts) => (texts, None),
            Err(error) => {
                let none = Excerpt { text: String::new(), is_cut: true };
                (vec![none; numbers.len()], Some(format!("the report shows no texts: {error}")))
            }
        };
        let documents = numbers.into_iter().zip(references.into_iter().zip(texts)).collect();
        Ok((Self { documents }, note))
    }

    fn text(&self, number: u64) -> Option<ExampleText> {
        let (Reference { id, source, line }, Excerpt { text, is_cut }) = self.documents.get(&number)?;
        Some(ExampleText {
            id: id.clone(),
            place: format!("{source}, line {line}"),
            text: text.clone(),
            is_cut: *is_cut,
        })
    }

    fn pairs(&self, pairs: &[RunPair], note: &str) -> Vec<PairExample> {
        let example = |pair: &RunPair| {
            Some(PairExample {
                a: self.text(pair.kept)?,
                b: self.text(pair.other)?,
                similarity: pair.similarity?,
                note: note.to_owned(),
            })
        };
        pairs.iter().filter_map(example).collect()
    }

    fn clusters(&self, clusters: &[pipeline::RunCluster], checked: Checked) -> Vec<ClusterExample> {
        let near = if checked == Checked::Exactly { "near" } else { "unverified" };
        let member = |pair: &RunPair| {
            Some(Member {
                document: self.text(pair.other)?,
                similarity: pair.similarity.unwrap_or(f64::NAN),
                kind: if pair.is_exact { "exact" } else { near }.into(),
            })
        };
        let example = |cluster: &pipeline::RunCluster| {
            Some(ClusterExample {
                size: cluster.size,
                kept: self.text(cluster.kept)?,
                members: cluster.removed.iter().filter_map(member).collect(),
            })
        };
        clusters.iter().filter_map(example).collect()
    }
}
