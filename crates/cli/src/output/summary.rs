//! The summary of a run, as text.

use super::escaped::escaped;
use super::{BOLD, DIM, numbers};
use pipeline::{Method, RemovedFormat, Report, Verify};
use std::fmt::Write as _;

/// The summary of a dedup.
pub(crate) fn dedup(report: &Report, target: Option<&str>) -> String {
    let counts = &report.counts;
    let documents = counts.documents;
    let verb = match (target, report.settings.files.annotate) {
        (None, _) => "would keep",
        (Some(_), true) => "annotated; would keep",
        (Some(_), false) => "kept",
    };
    let mut text = format!(
        "{BOLD}{verb} {} of {} ({}){BOLD:#} in {}",
        numbers::count(counts.kept),
        counted(documents, "document"),
        numbers::percent(counts.kept, documents),
        time(report),
    );
    let mut rows: Vec<(&str, String)> = Vec::new();
    let of_all = |part: u64| format!("{:>13}  {}", numbers::count(part), numbers::percent(part, documents));
    rows.push(("exact copies", of_all(counts.exact)));
    let unverified = if report.settings.matching.verify == Verify::Exact { "" } else { ", unverified" };
    rows.push(("near-duplicates", format!("{}{unverified}", of_all(counts.near))));
    if let Some(index) = &report.against_index {
        let found = numbers::share(index.recall_at_threshold);
        let about = format!("because of {}, which finds {found} at the threshold", escaped(&index.name));
        rows.push(("of these, seen", format!("{}  {about}", of_all(index.removed))));
    }
    if counts.bad_skipped + counts.bad_kept > 0 {
        let bad = format!("{} skipped, {} kept", counts.bad_skipped, counts.bad_kept);
        rows.push(("bad records", format!("{}  {bad}", of_all(counts.bad_skipped + counts.bad_kept))));
    }
    if counts.clusters > 0 {
        let clusters = numbers::count(counts.clusters);
        rows.push((
            "clusters",
            format!("{clusters:>13}  largest {}", numbers::count(counts.largest_cluster)),
        ));
    }
    rows.extend(frame(report));
    rows.extend(edges(report));
    rows.push(("pairs", compared(report)));
    rows.extend(recall(report).map(|recall| ("recall", recall)));
    rows.extend(capped(report));
    if let Some(target) = target.filter(|target| *target != "-") {
        let removed = match report.settings.files.removed_format {
            RemovedFormat::Jsonl => "removed.jsonl",
            RemovedFormat::Parquet => "removed.parquet",
        };
        rows.push(("outputs", format!("{}: kept records, {removed}, report.json", escaped(target))));
    }
    if let Some(added) = &report.added_to {
        let documents = numbers::count(added.documents);
        rows.push(("added", format!("{documents:>13}  to {}", escaped(&added.name))));
    }
    write_rows(&mut text, &rows);
    text
}

/// The summary of a search for pairs. `given` is the number of pairs with exact copies included, which need no
/// comparison.
pub(crate) fn pairs(report: &Report, given: u64) -> String {
    let mut text = format!("{BOLD}{}{BOLD:#}", counted(given, "pair"));
    add_search(&mut text, report);
    text
}

/// The summary of a search for clusters.
pub(crate) fn clusters(report: &Report) -> String {
    let counts = &report.counts;
    let mut text = format!(
        "{BOLD}{} of {}{BOLD:#}",
        counted(counts.clusters, "cluster"),
        counted(counts.clusters + counts.exact + counts.near, "document")
    );
    add_search(&mut text, report);
    text
}

fn add_search(text: &mut String, report: &Report) {
    let _ = write!(text, " among {} in {}", counted(report.counts.documents, "document"), time(report));
    let mut rows = vec![("similar", compared(report))];
    rows.extend(left_out(report));
    rows.extend(frame(report));
    rows.extend(recall(report).map(|recall| ("recall", recall)));
    rows.extend(capped(report));
    write_rows(text, &rows);
}

/// Bad records that were not compared, where no list names them.
fn left_out(report: &Report) -> Option<(&'static str, String)> {
    let bad = report.counts.bad_skipped + report.counts.bad_kept;
    (bad > 0).then(|| ("bad records", format!("{:>13}  not compared (--on-bad-record)", numbers::count(bad))))
}

/// `1 pair`, `2 pairs`.
fn counted(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", numbers::count(number), if number == 1 { "" } else { "s" })
}

/// The summary of sketching.
pub(crate) fn sketched(report: &Report, file: &str) -> String {
    let mut text = format!(
        "{BOLD}sketched {}{BOLD:#} in {}",
        counted(report.counts.documents, "document"),
        time(report),
    );
    let mut rows: Vec<(&str, String)> = left_out(report).into_iter().chain(edges(report)).collect();
    rows.push(("output", escaped(file)));
    write_rows(&mut text, &rows);
    text
}

/// `12.3 s, 103 MB/s`, and whether the run was resumed or used temporary files.
fn time(report: &Report) -> String {
    let run = &report.run;
    let mut text = numbers::seconds(run.seconds);
    if let Some(rate) = numbers::rate(report.counts.text_bytes, run.seconds) {
        let _ = write!(text, ", {rate} of text");
    }
    if run.resumed {
        text.push_str(", resumed");
    }
    if run.spilled {
        text.push_str(", spilled to disk");
    }
    text
}

fn compared(report: &Report) -> String {
    let pairs = &report.run.pairs;
    if report.settings.matching.verify != Verify::Exact {
        let by = match (report.settings.matching.verify, report.settings.signature.method) {
            (Verify::Estimate, Method::Minhash) => "by the estimate of their signatures",
            (_, Method::Minhash) => "by an equal band alone",
            (_, Method::Simhash) => "by the distance of their fingerprints alone",
        };
        return format!("{:>13}  {by}, unverified", numbers::count(pairs.verified));
    }
    format!(
        "{:>13}  of {} compared, {}",
        numbers::count(pairs.verified),
        numbers::count(pairs.compared),
        counted(pairs.candidates, "candidate"),
    )
}

/// The estimated recall; `None` if no pairs were found. The true value is within two standard errors in 19 of 20
/// cases.
fn recall(report: &Report) -> Option<String> {
    let planned = report.plan.recall_at_threshold;
    if report.recall.is_none() && report.verified_pairs > 0 && planned < pipeline::LEAST_PLANNED {
        let share = 100.0 * planned;
        return Some(format!("{:>13}  the plan finds {share:.1} % of the pairs at the threshold", "unknown"));
    }
    report.recall.filter(|recall| recall.pairs > 0).map(|recall| {
        let bounded = |number: f64| match number {
            n if n < 1.0 && n > 0.99995 => ">0.9999".into(),
            n if n > 0.0 && n < 0.00005 => "<0.0001".into(),
            n => format!("{n:.4}"),
        };
        format!(
            "{:>13}  estimated from {}{}, standard error {}",
            bounded(recall.estimate),
            counted(recall.pairs, "pair"),
            match recall.proven {
                0 => String::new(),
                proven =>
                    format!(" ({} of short documents, of which none is missed)", numbers::count(proven)),
            },
            bounded(recall.standard_error),
        )
    })
}

/// What was left out because many documents have it.
fn frame(report: &Report) -> Option<(&'static str, String)> {
    let frame = report.frame.as_ref()?;
    let share = 100.0 * frame.left_out as f64 / (frame.elements.max(1)) as f64;
    let what = match (frame.more_than, report.settings.matching.site_field.is_some()) {
        (Some(n), false) => format!("of more than {}", counted(n, "document")),
        (Some(n), true) => {
            format!("of more than {}, or of {} of a site", counted(n, "document"), pipeline::SITE_PAGES)
        }
        (None, true) => format!("of {} documents of a site", pipeline::SITE_PAGES),
        (None, false) => "no frame was found".to_owned(),
    };
    Some((
        "left out",
        format!("{:>13}  shingles, {share:.1} % of all: {what}", numbers::count(frame.left_out)),
    ))
}

fn capped(report: &Report) -> impl Iterator<Item = (&'static str, String)> {
    report.capped.iter().map(|(what, often)| ("capped", format!("{:>13}  {what}", numbers::count(*often))))
}

/// The documents that were treated specially, one row for each kind that occurred.
fn edges(report: &Report) -> impl Iterator<Item = (&'static str, String)> {
    let counts = &report.counts;
    [
        ("empty", counts.empty, "without any token"),
        ("short", counts.short, "with fewer tokens than a shingle"),
        ("over the limit", counts.over_limit, "compared by content hash only (--max-text)"),
        ("with NUL", counts.with_nul, "compared by content hash only"),
        ("little left", counts.little_left, "without their frame: compared by content hash only"),
        (
            "without site",
            counts.absent_site + counts.null_site,
            "in the field of --site-field: without a frame of a site",
        ),
        ("not UTF-8", counts.replaced_bytes, "text files with replaced bytes"),
        ("repeated ids", counts.repeated_ids, "told apart by source and line"),
        ("without id", counts.absent_id + counts.null_id, "named by source and line"),
        ("without value", counts.absent_order + counts.null_order, "in the field of --keep: ordered last"),
        (
            "mixed values",
            mixed_values(counts),
            "in the field of --keep: ordered as booleans, numbers, times, text",
        ),
        (
            "without group",
            counts.absent_within + counts.null_within,
            "no value in the field of --within: compared with each other",
        ),
        ("blank lines", counts.blank_lines, "not records, not written"),
    ]
    .into_iter()
    .filter(|(_, number, _)| *number > 0)
    .map(|(name, number, about)| (name, format!("{:>13}  {about}", numbers::count(number))))
}

/// The number of values in the field of `--keep` if they are of several kinds, otherwise 0.
fn mixed_values(counts: &pipeline::report::Counts) -> u64 {
    if counts.order_kinds.len() > 1 { counts.order_kinds.values().sum() } else { 0 }
}

fn write_rows(text: &mut String, rows: &[(&str, String)]) {
    for (name, value) in rows {
        let _ = write!(text, "\n  {DIM}{name:<16}{DIM:#}{value}");
    }
}
