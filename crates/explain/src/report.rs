//! A run -> its report as a page of HTML.

use crate::Result;
use crate::curve::curve;
use crate::examples::Examples;
use figures::svg::{Bin, ClusterSizes, Curve, Histogram, Stage, Stages};
use figures::{Checked, Headline, KindCount, PlanData, RecallData, ReportData, SourceCount, report_page};
use pipeline::{Chances, Clusters, Find, FinishedRun, Kind, Method, Report, Settings, Verify};

/// A page of HTML, with a note about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The HTML of the page.
    pub html: String,
    /// A note about what the page does not show, and why.
    pub note: Option<String>,
}

/// The page of a finished run.
pub fn of_run(run: &FinishedRun) -> Result<Page> {
    let title = run.folder().display().to_string();
    page(&title, run.report(), run.settings(), &Examples::of_run(run)?)
}

/// The page of a run with this report. `settings` are the settings of the report, with paths that are valid in the
/// current folder.
pub fn page(title: &str, report: &Report, settings: &Settings, examples: &Examples) -> Result<Page> {
    let settings = &as_it_ran(settings, report);
    let chances = Chances::new(settings)?;
    let limit = report.settings.limit();
    let simhash = report.settings.signature.method == Method::Simhash;
    let curve = curve(&chances, settings);
    let counts = &report.counts;
    let data = ReportData {
        title: title.to_owned(),
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
            threshold: limit.similarity(),
            limit: limit.is_distance().then(|| limit.to_string()),
            distance: simhash.then_some(report.settings.matching.distance),
            curve,
            facts: facts(report),
        },
        recall: report.recall.map(|recall| RecallData {
            estimate: recall.estimate,
            standard_error: recall.standard_error,
            pairs: recall.pairs,
            proven: recall.proven,
        }),
        cluster_sizes: ClusterSizes {
            sizes: examples.sizes().iter().map(|(&size, &count)| (size, count)).collect(),
        },
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
        clusters: examples.clusters(checked(report), &report.settings),
        near_threshold: examples.near_threshold(&report.settings),
        nearest_misses: examples.nearest_misses(&report.settings),
    };
    Ok(Page { html: report_page(&data), note: examples.note.clone() })
}

/// The settings with what the number of documents decided: whether bands found near vectors.
fn as_it_ran(settings: &Settings, report: &Report) -> Settings {
    match (settings.signature.kind, report.plan.bands) {
        (Kind::Vectors, 0) => settings.clone().with_bands(None).with_find(Find::All),
        (Kind::Vectors, _) => settings.clone().with_find(Find::Bands),
        _ => settings.clone(),
    }
}

/// How the pairs of the run were checked.
fn checked(report: &Report) -> Checked {
    match (report.settings.matching.verify, report.settings.signature.method) {
        (Verify::Exact, _) => Checked::Exactly,
        (Verify::Estimate, Method::Minhash) => Checked::ByEstimate,
        // SimHash has no estimate: all pairs that its tables find are within the distance.
        (Verify::Estimate | Verify::None, _) => Checked::NotAtAll,
    }
}

/// The similarities of removed documents, and how many of each similarity were probably missed, if that is known.
fn histogram(report: &Report, curve: &Curve) -> Histogram {
    let is_known = checked(report) == Checked::Exactly && report.settings.signature.method == Method::Minhash;
    let threshold = report.settings.limit().similarity();
    let bin = |(at, &found): (usize, &u64)| {
        let similarity = (at as f64 / 20.0 + 0.025).min(1.0);
        let chance = if is_known { curve.at(similarity.max(threshold)) } else { 1.0 };
        let missed = if chance > 0.0 { found as f64 * (1.0 - chance) / chance } else { 0.0 };
        Bin { found, missed }
    };
    let bins = report.histogram.iter().enumerate().map(bin).collect();
    Histogram { bins, threshold: Some(threshold) }
}

fn facts(report: &Report) -> Vec<(String, String)> {
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

fn kinds(report: &Report) -> Vec<KindCount> {
    let counts = &report.counts;
    let near = match (checked(report), report.settings.matching.clusters) {
        (Checked::Exactly, Clusters::Stars) if report.settings.limit().is_distance() => {
            "within the distance of a kept document"
        }
        (Checked::Exactly, Clusters::Stars) => "similarity to a kept document at or above the threshold",
        (Checked::Exactly, Clusters::Components) => "connected to a kept document by similar pairs",
        (Checked::ByEstimate, _) => "similar to a kept document as their signatures estimate, unverified",
        (Checked::NotAtAll, _) if report.settings.signature.method == Method::Simhash => {
            "fingerprint within the distance of a kept document's, unverified"
        }
        (Checked::NotAtAll, _) => "candidate pair with a kept document, unverified",
    };
    let exact = match report.settings.signature.kind {
        Kind::Text => "same text as a kept document, after normalisation",
        _ => "equal to a kept document",
    };
    [
        ("kept", counts.kept, "kept unchanged"),
        ("exact", counts.exact, exact),
        ("near", counts.near, near),
        ("bad, skipped", counts.bad_skipped, "records that could not be used"),
        ("bad, kept", counts.bad_kept, "records that could not be used, but were written"),
        ("against", counts.against, "reference documents, neither removed nor written"),
        ("empty", counts.empty, "documents without any token"),
        ("short", counts.short, "documents with fewer tokens than a shingle"),
        ("over the limit", counts.over_limit, "too long, compared by content hash only"),
        ("with NUL", counts.with_nul, "texts with NUL characters, compared by content hash only"),
        ("replaced bytes", counts.replaced_bytes, "text files with bytes that are not UTF-8"),
        ("repeated ids", counts.repeated_ids, "documents with the id of an earlier document"),
        ("blank lines", counts.blank_lines, "lines that are not records"),
    ]
    .into_iter()
    .filter(|(name, count, _)| *count > 0 || ["kept", "exact", "near"].contains(name))
    .map(|(name, count, meaning)| KindCount { name: name.into(), count, meaning: meaning.into() })
    .collect()
}

/// The settings by name. A setting within another one is written with a dot: `normalize.case`.
fn configuration(report: &Report) -> Vec<(String, String)> {
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
