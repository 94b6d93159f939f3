//! The data of a run -> the report page.

use super::examples::{Example, PairExample, Shelf, shelves};
use super::report_data::{Checked, Headline, PlanData, ReportData};
use super::{facts, figure, page};
use crate::numbers::{area, bytes, count, percent, seconds, shortened};
use crate::svg::CurvePlot;
use maud::{Markup, html};

/// A report page has at most this many bytes. Examples that do not fit are left out.
pub const PAGE_BUDGET: usize = 5_000_000;

/// At most this many rows of a table are shown, since a corpus can have a million files.
const ROWS: usize = 200;
/// At most this many characters of a name or value are shown.
const VALUE: usize = 400;

/// The report as one page of less than [`PAGE_BUDGET`] bytes.
#[must_use]
pub fn report_page(data: &ReportData) -> String {
    let without = page(&shortened(&data.title, VALUE), &body(data, 0)).len();
    // `without` includes the headings of the shelves. The bytes of the examples are counted exactly.
    let budget = PAGE_BUDGET.saturating_sub(without).saturating_sub(4_096);
    page(&shortened(&data.title, VALUE), &body(data, budget))
}

fn body(data: &ReportData, budget: usize) -> Markup {
    html! {
        main {
            header class="top" {
                p class="kicker" { "Near-duplicate report" }
                h1 { (shortened(&data.title, VALUE)) }
                p class="muted" { (shortened(&data.subtitle, VALUE)) }
                (headline(data))
            }
            (navigation(data))
            section id="plan" { h2 { "Plan" } (plan(data)) }
            section id="similarities" { h2 { "Similarities" } (similarities(data)) }
            section id="clusters-by-size" { h2 { "Clusters" } (clusters(data)) }
            section id="documents" { h2 { "Documents" } (kinds(data)) (capped(data)) (sources(data)) }
            section id="time" { h2 { "Time" } (figure(&data.stages.svg(), &html! { "Wall-clock time, CPU time of all threads, and throughput." })) }
            (shelves(&examples(data), &data.shingler, budget))
            section id="configuration" { h2 { "Configuration" } (configuration(data)) }
        }
    }
}

fn headline(data: &ReportData) -> Markup {
    let Headline { documents, kept, exact, near, skipped, clusters, text_bytes } = data.headline;
    let share = |number: u64| if documents == 0 { 0.0 } else { number as f64 / documents as f64 };
    html! {
        ul class="headline" {
            li { strong { (count(documents)) } span { "documents, " (bytes(text_bytes)) " of text" } }
            li { strong { (count(kept)) } span { "kept, " (percent(share(kept))) } }
            li { strong { (count(exact)) } span { "exact copies removed, " (percent(share(exact))) } }
            li { strong { (count(near)) } span { (near_words(data)) ", " (percent(share(near))) } }
            li { strong { (count(clusters)) } span { "clusters" } }
            @if skipped > 0 { li { strong { (count(skipped)) } span { "bad records skipped" } } }
            @if let Some(recall) = data.recall.filter(|recall| recall.pairs > 0) {
                li { strong { (percent(recall.estimate)) } span { "of the duplicates found, ± " (percent(recall.standard_error)) } }
            }
        }
    }
}

/// How documents that are not exact copies were removed.
fn near_words(data: &ReportData) -> &'static str {
    match (data.checked, data.plan.distance) {
        (Checked::Exactly, _) => "near-duplicates removed",
        (Checked::ByEstimate, _) => "removed as near-duplicates by estimate, unverified",
        (Checked::NotAtAll, None) => "removed as candidates, unverified",
        (Checked::NotAtAll, Some(_)) => "removed by their fingerprints alone, unverified",
    }
}

fn navigation(data: &ReportData) -> Markup {
    let examples = examples(data);
    let shelves =
        examples.iter().filter(|shelf| !shelf.examples.is_empty()).map(|shelf| (shelf.id, shelf.title));
    let sections = [
        ("plan", "Plan"),
        ("similarities", "Similarities"),
        ("clusters-by-size", "Clusters"),
        ("documents", "Documents"),
        ("time", "Time"),
    ];
    html! {
        nav aria-label="Sections" {
            @for (id, title) in sections.into_iter().chain(shelves).chain([("configuration", "Configuration")]) {
                a href=(format!("#{id}")) { (title) }
            }
        }
    }
}

fn plan(data: &ReportData) -> Markup {
    let PlanData { label, threshold, limit, distance, curve, facts: more } = &data.plan;
    let mut known = vec![("plan", shortened(label, VALUE))];
    let mut plot = CurvePlot { curves: vec![curve.clone()], threshold: None, found: Vec::new() };
    let caption = match distance {
        // The curve has a scale of cosines, so similarities of shingles are not drawn on it.
        Some(distance) => {
            known.push(("largest Hamming distance", distance.to_string()));
            if data.checked == Checked::Exactly {
                known.push(("least similarity", format!("{threshold}")));
            }
            format!(
                "The chance that the fingerprints of two documents are at most {distance} bits apart, by the cosine of \
                 the documents. All such pairs become candidates."
            )
        }
        None => {
            let (in_vain, missed) = curve.error_areas(*threshold);
            known.extend([
                match limit {
                    Some(limit) => ("duplicates", format!("within {limit}")),
                    None => ("threshold", format!("{threshold}")),
                },
                (
                    if limit.is_some() { "found at the distance" } else { "found at the threshold" },
                    percent(curve.at(*threshold)),
                ),
                ("area compared in vain", area(in_vain)),
                ("area missed", area(missed)),
            ]);
            plot.threshold = Some(*threshold);
            if data.histogram.found() > 0 {
                plot.found.clone_from(&data.histogram.bins);
            }
            let behind = if plot.found.is_empty() { "" } else { ", and behind it the pairs that were found" };
            format!("The chance that a pair becomes a candidate{behind}.")
        }
    };
    let more = more.iter().take(ROWS).map(|(name, value)| (name.as_str(), shortened(value, VALUE)));
    html! {
        div class="columns wide" {
            (figure(&plot.svg(), &html! { (caption) }))
            (facts(known.into_iter().chain(more)))
        }
    }
}

fn similarities(data: &ReportData) -> Markup {
    let nothing = data.histogram.found() == 0;
    let mut numbers = vec![("pairs found", count(data.histogram.found()))];
    if data.recall.is_some() {
        numbers.push(("missed, by estimate", format!("{:.1}", data.histogram.missed())));
    }
    let caption = match data.checked {
        Checked::Exactly => "Exact similarity of removed documents to the kept ones",
        Checked::ByEstimate => {
            "Similarity of removed documents to the kept ones, estimated by signatures: unverified"
        }
        Checked::NotAtAll => "",
    };
    html! {
        @if data.checked == Checked::NotAtAll {
            p { "No similarity was computed: pairs count unverified, by " (alone(data)) " alone." }
        } @else if nothing {
            p { "No document was removed as a near-duplicate, so there is no similarity to show." }
            (recall(data))
        } @else {
            div class="columns wide" {
                (figure(&data.histogram.svg(), &html! {
                    (caption)
                    @if data.histogram.missed() > 0.0 { "; the light bars on top are pairs that were missed, by estimate" } "."
                }))
                div {
                    (facts(numbers))
                    (recall(data))
                }
            }
        }
    }
}

/// The reason why unverified pairs count as similar.
fn alone(data: &ReportData) -> &'static str {
    if data.plan.distance.is_some() { "the distance of their fingerprints" } else { "an equal band" }
}

fn recall(data: &ReportData) -> Markup {
    html! {
        @match &data.recall {
            Some(recall) if recall.pairs == 0 => p {
                "Nothing is known of the share that was found: it is estimated from the near-duplicates that were found, and \
                 there were none."
            },
            Some(recall) => {
                p {
                    "About " b { (percent(recall.estimate)) } " of the duplicates were found (standard error "
                    (percent(recall.standard_error)) ", from " (count(recall.pairs)) " pairs)."
                    @if recall.proven > 0 {
                        " " (count(recall.proven)) " of them are pairs of short documents. Of such pairs none is missed, because they are \
                         found by their rarest shingles and not by chance."
                    }
                }
                p class="muted" {
                    "A pair of similarity s is found with probability p(s), so each pair that was found stands for 1/p(s) pairs. Exact \
                     copies and skipped comparisons are not included in this estimate."
                }
            }
            None => p { @match (data.checked, data.plan.distance) {
                (Checked::Exactly, Some(distance)) => {
                    "All pairs of fingerprints at Hamming distance " (distance) " or less were found and compared. The share \
                     of similar pairs that have such fingerprints is not estimated."
                }
                (Checked::Exactly, None) => { "The share of similar pairs that was found is not estimated for these settings." }
                (Checked::ByEstimate | Checked::NotAtAll, _) => {
                    "The share of similar pairs that was found is not estimated, since pairs are unverified."
                }
            } },
        }
    }
}

fn clusters(data: &ReportData) -> Markup {
    let largest = data.cluster_sizes.sizes.iter().map(|size| size.0).max().unwrap_or(0);
    let pairs = data
        .cluster_sizes
        .sizes
        .iter()
        .filter(|size| size.0 == 2)
        .fold(0, |sum: u64, size| sum.saturating_add(size.1));
    html! {
        div class="columns wide" {
            (figure(&data.cluster_sizes.svg(), &html! { "The number of clusters by size, both on logarithmic scales." }))
            (facts([
                ("clusters", count(data.headline.clusters)),
                ("clusters of two", count(pairs)),
                ("documents in the largest", count(largest)),
            ]))
        }
    }
}

fn kinds(data: &ReportData) -> Markup {
    html! {
        @if !data.kinds.is_empty() {
            div class="scroll" { table {
                thead { tr { th { "kind" } th class="number" { "documents" } th { "meaning" } } }
                tbody {
                    @for kind in data.kinds.iter().take(ROWS) {
                        tr {
                            td { (shortened(&kind.name, VALUE)) }
                            td class="number" { (count(kind.count)) }
                            td class="muted" { (shortened(&kind.meaning, VALUE)) }
                        }
                    }
                }
            } }
        }
    }
}

fn capped(data: &ReportData) -> Markup {
    html! {
        h3 { "Limited or skipped" }
        @if data.capped.is_empty() {
            p { "Nothing." }
        } @else {
            (facts(data.capped.iter().take(ROWS).map(|(name, number)| (name.as_str(), count(*number)))))
        }
    }
}

fn sources(data: &ReportData) -> Markup {
    html! {
        @if !data.sources.is_empty() {
            details {
                summary { "Sources: " (count(data.sources.len() as u64)) }
                div class="scroll" { table {
                    thead { tr { th { "source" } th class="number" { "records" } th class="number" { "removed" } } }
                    tbody {
                        @for source in data.sources.iter().take(ROWS) {
                            tr {
                                td {
                                    (shortened(&source.name, VALUE))
                                    @if source.against { span class="muted" { " (only compared against)" } }
                                }
                                td class="number" { (count(source.records)) }
                                td class="number" { (count(source.removed)) }
                            }
                        }
                    }
                } }
                @if data.sources.len() > ROWS {
                    p class="muted" { "and " (count((data.sources.len() - ROWS) as u64)) " more" }
                }
            }
        }
    }
}

fn examples(data: &ReportData) -> [Shelf<'_>; 3] {
    fn pairs(pairs: &[PairExample]) -> Vec<Example<'_>> {
        pairs.iter().map(Example::Pair).collect()
    }
    let (least, below) = match &data.plan.limit {
        Some(limit) => (format!("just within {limit}"), format!("just beyond {limit}")),
        None => {
            (format!("just above {}", data.plan.threshold), format!("just below {}", data.plan.threshold))
        }
    };
    let title =
        if data.plan.limit.is_some() { "Just within the distance" } else { "Just above the threshold" };
    [
        Shelf {
            id: "examples",
            title: "Examples of clusters",
            about: "Open a cluster to see its members. Open a member to see it beside the kept document."
                .to_owned(),
            examples: data.clusters.iter().map(Example::Cluster).collect(),
        },
        Shelf {
            id: "near-threshold",
            title,
            about: match data.checked {
                Checked::Exactly => {
                    format!("The least similar pairs of which one was removed: {least}.")
                }
                _ => format!(
                    "The least similar pairs of which one was removed, by the estimate of their signatures: {least}, unverified."
                ),
            },
            examples: pairs(&data.near_threshold),
        },
        Shelf {
            id: "nearest-misses",
            title: "Nearest misses",
            about: format!("The most similar pairs of which both were kept: {below}."),
            examples: pairs(&data.nearest_misses),
        },
    ]
}

fn configuration(data: &ReportData) -> Markup {
    html! {
        (facts(data.configuration.iter().take(ROWS).map(|(name, value)| (name.as_str(), shortened(value, VALUE)))))
        @if data.stages.stages.len() > 1 {
            @let total: f64 = data.stages.stages.iter().map(|stage| stage.seconds).sum();
            p class="muted" { (seconds(total)) " for all stages." }
        }
    }
}
