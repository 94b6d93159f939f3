//! What a run came to, for people.

use super::{BOLD, DIM, numbers};
use pipeline::{RemovedFormat, Report};
use std::fmt::Write as _;

/// What a dedup came to.
pub(crate) fn dedup(report: &Report, target: Option<&str>) -> String {
    let counts = &report.counts;
    let documents = counts.documents;
    let verb = match (target, report.settings.annotate) {
        (None, _) => "would keep",
        (Some(_), true) => "marked: would keep",
        (Some(_), false) => "kept",
    };
    let mut text = format!(
        "{BOLD}{verb} {} of {} documents ({}){BOLD:#} in {}",
        numbers::count(counts.kept),
        numbers::count(documents),
        numbers::percent(counts.kept, documents),
        time(report),
    );
    let mut rows: Vec<(&str, String)> = Vec::new();
    let of_all = |part: u64| format!("{:>13}  {}", numbers::count(part), numbers::percent(part, documents));
    rows.push(("exact copies", of_all(counts.exact)));
    rows.push(("near-duplicates", of_all(counts.near)));
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
    rows.extend(edges(report));
    rows.push(("pairs", pairs(report)));
    rows.extend(recall(report).map(|recall| ("recall", recall)));
    rows.extend(capped(report));
    if let Some(target) = target.filter(|target| *target != "-") {
        let removed = match report.settings.removed_format {
            RemovedFormat::Jsonl => "removed.jsonl",
            RemovedFormat::Parquet => "removed.parquet",
        };
        rows.push(("outputs", format!("{target}: kept records, {removed}, report.json")));
    }
    write_rows(&mut text, &rows);
    text
}

/// What a search for pairs or clusters came to.
pub(crate) fn found(report: &Report) -> String {
    let mut text = format!(
        "{BOLD}{} pairs, {} clusters among {} documents{BOLD:#} in {}",
        numbers::count(report.verified_pairs),
        numbers::count(report.counts.clusters),
        numbers::count(report.counts.documents),
        time(report),
    );
    let mut rows = vec![("pairs", pairs(report))];
    rows.extend(recall(report).map(|recall| ("recall", recall)));
    rows.extend(capped(report));
    write_rows(&mut text, &rows);
    text
}

/// What sketching came to.
pub(crate) fn sketched(report: &Report, file: &str) -> String {
    let mut text = format!(
        "{BOLD}sketched {} documents{BOLD:#} in {}",
        numbers::count(report.counts.documents),
        time(report),
    );
    let mut rows: Vec<(&str, String)> = edges(report).collect();
    rows.push(("output", file.to_owned()));
    write_rows(&mut text, &rows);
    text
}

/// `12.3 s, 103 MB/s`, and what was unusual about the run.
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

fn pairs(report: &Report) -> String {
    let pairs = &report.run.pairs;
    format!(
        "{:>13}  of {} compared, {} candidates",
        numbers::count(pairs.verified),
        numbers::count(pairs.compared),
        numbers::count(pairs.candidates),
    )
}

/// Two standard errors either way hold the true value 19 times of 20.
fn recall(report: &Report) -> Option<String> {
    report.recall.map(|recall| {
        format!(
            "{:>13.4}  estimated from {} pairs, standard error {:.4}",
            recall.estimate,
            numbers::count(recall.pairs),
            recall.standard_error,
        )
    })
}

fn capped(report: &Report) -> impl Iterator<Item = (&'static str, String)> {
    report.capped.iter().map(|(what, often)| ("capped", format!("{:>13}  {what}", numbers::count(*often))))
}

/// Documents with a treatment of their own, where there are any.
fn edges(report: &Report) -> impl Iterator<Item = (&'static str, String)> {
    let counts = &report.counts;
    [
        ("empty", counts.empty, "without any token"),
        ("short", counts.short, "of fewer tokens than a shingle"),
        ("over the limit", counts.over_limit, "compared as a whole only (--max-text)"),
        ("with NUL", counts.with_nul, "compared as a whole only"),
        ("not UTF-8", counts.replaced_bytes, "text files with replaced bytes"),
        ("repeated ids", counts.repeated_ids, "told apart by source and line"),
        ("blank lines", counts.blank_lines, "no records, not written"),
    ]
    .into_iter()
    .filter(|(_, number, _)| *number > 0)
    .map(|(name, number, about)| (name, format!("{:>13}  {about}", numbers::count(number))))
}

fn write_rows(text: &mut String, rows: &[(&str, String)]) {
    for (name, value) in rows {
        let _ = write!(text, "\n  {DIM}{name:<16}{DIM:#}{value}");
    }
}
