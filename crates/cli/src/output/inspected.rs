//! What `lookalike inspect` found in a run, written as text and as JSON.

use super::escaped::escaped;
use super::numbers::count;
use super::{BOLD, DIM};
use figures::similarity;
use figures::terminal::harmless;
use pipeline::report::Report;
use pipeline::{Change, Fate, Limit, Reference, RunPair};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// At most this many characters of an id are shown.
const LONGEST_ID: usize = 100;

/// A document with the beginning of its text. The flag is true if the text is longer than what is shown.
#[derive(Debug, Clone)]
pub(crate) struct Named {
    pub(crate) reference: Reference,
    pub(crate) text: Option<(String, bool)>,
}

/// A kept document, another document, and their similarity.
pub(crate) type NamedPair = (Named, Named, RunPair);

/// The answer to a question about a run.
#[derive(Debug)]
pub(crate) enum Inspected {
    /// The run as a whole.
    Overview {
        report: Box<Report>,
        /// The largest clusters, each with its size and some of its members.
        clusters: Vec<(u64, Vec<NamedPair>)>,
        /// The removed documents nearest to the threshold.
        above: Vec<NamedPair>,
        /// Pairs just below the threshold.
        below: Vec<NamedPair>,
        /// An example pair for each twentieth of the similarity scale.
        by_similarity: Vec<NamedPair>,
        note: Option<String>,
    },
    /// What happened to a document.
    Fate {
        document: Named,
        fate: Fate,
        /// What made documents of the run duplicates.
        limit: Limit,
        /// Some of the pairs that contain the document. `all` is the number of such pairs.
        pairs: Vec<NamedPair>,
        all: u64,
        /// The number of other documents with the same id.
        others: u64,
        note: Option<String>,
    },
    /// What another threshold changes.
    Change {
        before: Box<Report>,
        change: Change,
        stays: Vec<NamedPair>,
        goes: Vec<NamedPair>,
        note: Option<String>,
    },
}

impl Inspected {
    /// A note about the answer.
    pub(crate) fn note(&self) -> Option<&str> {
        match self {
            Self::Overview { note, .. } | Self::Fate { note, .. } | Self::Change { note, .. } => {
                note.as_deref()
            }
        }
    }

    /// The answer as text.
    pub(crate) fn text(&self, columns: usize) -> String {
        let mut text = String::new();
        match self {
            Self::Overview { report, clusters, above, below, by_similarity, .. } => {
                let counts = &report.counts;
                let limit = report.settings.limit();
                let _ = writeln!(
                    text,
                    "{BOLD}{} documents: {} kept, {} exact copies and {} near-duplicates removed{BOLD:#} ({})",
                    count(counts.documents),
                    count(counts.kept),
                    count(counts.exact),
                    count(counts.near),
                    limit
                );
                if !clusters.is_empty() {
                    heading(&mut text, "Largest clusters");
                }
                for (size, members) in clusters {
                    let Some((kept, _, _)) = members.first() else { continue };
                    let _ = writeln!(text, "{:>8}  {}", count(*size), shown(kept, columns, 10));
                    for (_, other, pair) in members {
                        let _ = writeln!(text, "  {:>6}  {}", how(pair, limit), shown(other, columns, 10));
                    }
                    let more = size.saturating_sub(members.len() as u64 + 1);
                    if more > 0 {
                        let _ = writeln!(text, "{DIM}          and {} more{DIM:#}", count(more));
                    }
                }
                let [nearest, beyond, each] = match limit.is_distance() {
                    true => [
                        "Removed, nearest to the largest distance",
                        "Compared, and just beyond the distance",
                        "An example of each distance",
                    ],
                    false => [
                        "Removed, nearest to the threshold",
                        "Compared, and just below the threshold",
                        "An example of each similarity",
                    ],
                };
                pairs(&mut text, nearest, above, limit, columns);
                pairs(&mut text, beyond, below, limit, columns);
                pairs(&mut text, each, by_similarity, limit, columns);
            }
            Self::Fate { document, fate, limit, pairs: some, all, others, .. } => {
                let _ = writeln!(text, "{}", shown(document, columns, 0));
                let _ = match fate {
                    Fate::Bad(reason, true) => {
                        writeln!(text, "{BOLD}kept without comparing it{BOLD:#}: {}", escaped(reason))
                    }
                    Fate::Bad(reason, false) => {
                        writeln!(text, "{BOLD}skipped{BOLD:#}: {}", escaped(reason))
                    }
                    Fate::Removed(pair) if pair.is_exact => {
                        writeln!(text, "{BOLD}removed{BOLD:#}: an exact copy of")
                    }
                    Fate::Removed(pair) => match pair.similarity {
                        Some(value) => {
                            let (what, value) = match limit.distance_at(value) {
                                Some(_) => ("distance", how(pair, *limit)),
                                None => ("similarity", similarity(value)),
                            };
                            writeln!(text, "{BOLD}removed{BOLD:#}: a near-duplicate, {what} {value}, of")
                        }
                        None => writeln!(text, "{BOLD}removed{BOLD:#}: a near-duplicate of"),
                    },
                    Fate::Kept(others) if others.is_empty() => {
                        writeln!(text, "{BOLD}kept{BOLD:#}; nothing was removed because of it")
                    }
                    Fate::Kept(_) => writeln!(text, "{BOLD}kept{BOLD:#}; removed because of it:"),
                    Fate::Against(_) => writeln!(text, "a document of --against; removed because of it:"),
                };
                for (kept, other, pair) in some {
                    let named = if matches!(fate, Fate::Removed(_)) { kept } else { other };
                    let _ = writeln!(text, "  {:>6}  {}", how(pair, *limit), shown(named, columns, 10));
                }
                if *all > some.len() as u64 {
                    let _ =
                        writeln!(text, "{DIM}          and {} more{DIM:#}", count(all - some.len() as u64));
                }
                if *others > 0 {
                    let _ = writeln!(
                        text,
                        "{DIM}{} other documents have the same id; SOURCE:LINE tells them apart{DIM:#}",
                        count(*others)
                    );
                }
            }
            Self::Change { before, change, stays, goes, .. } => {
                let _ = writeln!(
                    text,
                    "{BOLD}At {} instead of {}{BOLD:#}: {} documents would be kept instead of {}, {} near-duplicates removed instead of {}",
                    change.threshold,
                    before.settings.matching.threshold,
                    count(change.kept),
                    count(before.counts.kept),
                    count(change.near),
                    count(before.counts.near)
                );
                if let Some(recall) = change.recall.filter(|recall| recall.pairs > 0) {
                    let _ = writeln!(
                        text,
                        "estimated recall {:.4} ± {:.4}",
                        recall.estimate, recall.standard_error
                    );
                }
                let title =
                    format!("Removed by the run, kept at {}: {}", change.threshold, count(change.all_stays));
                let limit = before.settings.limit();
                pairs(&mut text, &title, stays, limit, columns);
                let title =
                    format!("Kept by the run, removed at {}: {}", change.threshold, count(change.all_goes));
                pairs(&mut text, &title, goes, limit, columns);
            }
        }
        text
    }

    /// The answer as JSON.
    pub(crate) fn json(&self) -> String {
        let mut value = match self {
            Self::Overview { report, clusters, above, below, by_similarity, .. } => json!({
                "counts": report.counts,
                "threshold": threshold(report),
                "distance": report.settings.limit().distance(),
                "clusters": clusters.iter().map(|(size, members)| json!({"size": size, "pairs": all(members)})).collect::<Vec<_>>(),
                "nearest_to_threshold": all(above),
                "near_misses": all(below),
                "by_similarity": all(by_similarity),
            }),
            Self::Fate { document, fate, pairs, all: of, others, .. } => json!({
                "document": named(document),
                "fate": match fate {
                    Fate::Kept(_) => "kept",
                    Fate::Removed(pair) if pair.is_exact => "exact",
                    Fate::Removed(_) => "near",
                    Fate::Against(_) => "against",
                    Fate::Bad(_, true) => "bad-kept",
                    Fate::Bad(_, false) => "bad-skipped",
                },
                "reason": match fate { Fate::Bad(reason, _) => Some(reason), _ => None },
                "pairs": all(pairs),
                "all_pairs": of,
                "others_with_this_id": others,
            }),
            Self::Change { before, change, stays, goes, .. } => json!({
                "threshold": change.threshold,
                "threshold_of_run": before.settings.matching.threshold,
                "kept": change.kept,
                "kept_by_run": before.counts.kept,
                "near": change.near,
                "near_by_run": before.counts.near,
                "recall": change.recall,
                "stays": change.all_stays,
                "goes": change.all_goes,
                "examples_of_stays": all(stays),
                "examples_of_goes": all(goes),
            }),
        };
        value["note"] = json!(self.note());
        let mut text = serde_json::to_string_pretty(&value).expect("plain values");
        text.push('\n');
        text
    }
}

fn heading(text: &mut String, title: &str) {
    let _ = writeln!(text, "\n{BOLD}{title}{BOLD:#}");
}

fn pairs(text: &mut String, title: &str, some: &[NamedPair], limit: Limit, columns: usize) {
    if some.is_empty() {
        return;
    }
    heading(text, title);
    for (kept, other, pair) in some {
        let _ = writeln!(text, "{:>8}  {}", how(pair, limit), shown(other, columns, 10));
        let _ = writeln!(text, "{DIM}{:>8}{DIM:#}  {}", "kept", shown(kept, columns, 10));
    }
}

/// The threshold of a run; none if it compared distances.
fn threshold(report: &Report) -> Option<f64> {
    match report.settings.limit() {
        Limit::Similarity(threshold) => Some(threshold),
        _ => None,
    }
}

/// The similarity of a pair, or its distance, as it is shown.
fn how(pair: &RunPair, limit: Limit) -> String {
    match pair.similarity {
        _ if pair.is_exact => "exact".into(),
        Some(value) => match (limit, limit.distance_at(value)) {
            (Limit::Bits { .. }, Some(distance)) => distance.to_string(),
            (_, Some(distance)) => format!("{distance:.4}"),
            (_, None) => similarity(value),
        },
        None => "-".into(),
    }
}

/// The id of a document and as much of its text as fits on a line that is indented by `indent`.
fn shown(named: &Named, columns: usize, indent: usize) -> String {
    let mut id = escaped(&named.reference.id);
    if id.chars().count() > LONGEST_ID {
        id = id.chars().take(LONGEST_ID - 1).chain(['…']).collect();
    }
    let room = columns.saturating_sub(indent + id.chars().count() + 2);
    let Some((text, is_cut)) = &named.text else { return id };
    let text = one_line(text);
    let fits = text.chars().count() <= room && !is_cut;
    let short: String = text.chars().take(if fits { room } else { room.saturating_sub(1) }).collect();
    format!("{id}  {DIM}{short}{}{DIM:#}", if fits { "" } else { "…" })
}

/// Text on one line, without characters that a terminal would interpret.
fn one_line(text: &str) -> String {
    harmless(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn named(document: &Named) -> Value {
    let Reference { id, source, line } = &document.reference;
    let text = document.text.as_ref().map(|(text, _)| text);
    let is_cut = document.text.as_ref().map(|(_, is_cut)| is_cut);
    json!({"id": id, "source": source, "line": line, "text": text, "cut": is_cut})
}

fn all(pairs: &[NamedPair]) -> Vec<Value> {
    let pair = |(kept, other, pair): &NamedPair| {
        json!({
            "kept": named(kept),
            "other": named(other),
            "similarity": pair.similarity,
            "exact": pair.is_exact,
        })
    };
    pairs.iter().map(pair).collect()
}
