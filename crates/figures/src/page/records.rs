//! The data of a run on records -> its page, and two records -> the page that says why they match.

use super::records_data::{Label, RecordCluster, RecordsData};
use super::report::PAGE_BUDGET;
use super::report_data::{KindCount, SourceCount};
use super::waterfall::{RecordPair, openable, probability, signed, waterfall};
use super::{facts, figure, page};
use crate::numbers::{count, percent, shortened};
use crate::svg::{Axis, Corner, LinePlot, Series};
use maud::{Markup, html};

/// At most this many rows of a table are shown.
const ROWS: usize = 200;
/// Fields that are drawn, at the most: those that say most.
const DRAWN: usize = 40;
/// Columns of a table of records, at the most.
const COLUMNS: usize = 30;
/// At most this many characters of a name or value are shown.
const VALUE: usize = 400;

/// Ends of the ranges of probability for which labels are counted.
const RANGES: [f64; 7] = [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0];

/// The page of a run on records, of less than [`PAGE_BUDGET`] bytes.
#[must_use]
pub fn records_page(data: &RecordsData) -> String {
    let without = page(&shortened(&data.title, VALUE), &body(data, 0)).len();
    let budget = PAGE_BUDGET.saturating_sub(without).saturating_sub(8_192);
    page(&shortened(&data.title, VALUE), &body(data, budget))
}

/// The page that says why two records match, or do not, and which bands find them, in words.
#[must_use]
pub fn compare_records_page(pair: &RecordPair, found_by: &[String]) -> String {
    let names = [0, 1].map(|at| shortened(&pair.names[at], 120));
    let title = format!("{} and {}", names[0], names[1]);
    let body = html! {
        main {
            header class="top" {
                p class="kicker" { "Comparison of records" }
                h1 { (names[0]) " " span class="muted" { "and" } " " (names[1]) }
                ul class="headline" {
                    li { strong { (probability(pair.probability)) } span { "probability that they match" } }
                    li { strong { (signed(pair.weight)) } span { "weight; " (signed(pair.threshold)) " and more is a match" } }
                    li { strong { (pair.bands.len()) } span { "bands find them" } }
                }
            }
            section { h2 { "Why" } (explained()) (waterfall(pair)) }
            @if !found_by.is_empty() {
                section {
                    h2 { "Bands" }
                    p { "Records are compared if they agree in one of the bands. These two agree in" }
                    ul { @for band in found_by { li { (shortened(band, VALUE)) } } }
                }
            }
        }
    };
    page(&title, &body)
}

fn explained() -> Markup {
    html! {
        p class="muted" {
            "The weight of a field is the logarithm of how much more often two records of one entity agree so much than two others. \
             Weights add up, with that of two records of which nothing is known, to the log odds that the two match. In the bars, the line \
             is at no evidence, the dashed line at the threshold."
        }
    }
}

fn body(data: &RecordsData, budget: usize) -> Markup {
    let shelves = shelves(data);
    let mut left = budget;
    let mut shown: Vec<Vec<Markup>> = vec![Vec::new(); shelves.len()];
    // Shelves take turns; what does not fit is left out.
    for at in 0..shelves.iter().map(|shelf| shelf.size).max().unwrap_or(0) {
        for (shelf, shown) in shelves.iter().zip(&mut shown).filter(|(shelf, _)| at < shelf.size) {
            if left == 0 {
                break;
            }
            let markup = (shelf.render)(at);
            if let Some(rest) = left.checked_sub(markup.0.len()) {
                left = rest;
                shown.push(markup);
            }
        }
    }
    let sections = [
        ("fields", "Fields", true),
        ("weights", "Weights", true),
        ("calibration", "Labels", !data.labels.is_empty()),
        ("bands", "Bands", true),
        ("clusters-by-size", "Clusters", true),
        ("records", "Records", true),
    ];
    let of_shelves = shelves.iter().map(|shelf| (shelf.id, shelf.title, shelf.size > 0));
    let sections = sections.into_iter().chain(of_shelves).chain([("configuration", "Configuration", true)]);
    html! {
        main {
            header class="top" {
                p class="kicker" { "Report on records" }
                h1 { (shortened(&data.title, VALUE)) }
                p class="muted" { (shortened(&data.subtitle, VALUE)) }
                (headline(data))
            }
            nav aria-label="Sections" {
                @for (id, title, _) in sections.filter(|it| it.2) { a href=(format!("#{id}")) { (title) } }
            }
            section id="fields" { h2 { "Fields" } (fields(data)) }
            section id="weights" { h2 { "Weights" } (weights(data)) }
            @if !data.labels.is_empty() { section id="calibration" { h2 { "Labels" } (calibration(&data.labels)) } }
            section id="bands" { h2 { "Bands" } (bands(data)) }
            section id="clusters-by-size" { h2 { "Clusters" } (clusters(data)) }
            section id="records" { h2 { "Records" } (kinds(&data.kinds)) (sources(&data.sources)) }
            @for (shelf, shown) in shelves.iter().zip(&shown).filter(|(shelf, _)| shelf.size > 0) {
                section id=(shelf.id) class="shelf" {
                    h2 { (shelf.title) }
                    p { (shelf.about) }
                    @for markup in shown { (markup) }
                    @if shown.len() < shelf.size {
                        p class="muted" { (count((shelf.size - shown.len()) as u64)) " more left out, to keep the page small." }
                    }
                }
            }
            section id="configuration" { h2 { "Configuration" }
                (facts(data.configuration.iter().take(ROWS).map(|(name, value)| (name.as_str(), shortened(value, VALUE)))))
            }
        }
    }
}

fn headline(data: &RecordsData) -> Markup {
    let it = data.headline;
    let share = |number: u64| if it.records == 0 { 0.0 } else { number as f64 / it.records as f64 };
    html! {
        ul class="headline" {
            li { strong { (count(it.records)) } span { "records" } }
            li { strong { (count(it.kept)) } span { "kept, " (percent(share(it.kept))) } }
            li { strong { (count(it.removed)) } span { "removed as matches, " (percent(share(it.removed))) } }
            li { strong { (count(it.matches)) } span { "pairs match, of " (count(it.compared)) " compared" } }
            li { strong { (count(it.entities)) } span { "clusters of two records and more" } }
            @if let Some((recall, error)) = data.recall {
                li { strong { (percent(recall)) } span { "of the matches were compared, ± " (percent(error)) ", by estimate" } }
            }
        }
    }
}

fn fields(data: &RecordsData) -> Markup {
    let mut drawn = data.fields.clone();
    drawn.fields.truncate(DRAWN);
    html! {
        @if let Some(rule) = &data.rule { p class="note" { (shortened(rule, 2 * VALUE)) } }
        @else {
            div class="columns wide" {
                (figure(&drawn.svg(), &html! {
                    "What agreement in a field says: weights of its levels, larger points for more of the matches. The bar at equal values \
                     goes from the most frequent value to one that nobody else has."
                }))
                div {
                    (facts(data.model.iter().take(ROWS).map(|(name, value)| (name.as_str(), shortened(value, VALUE)))))
                }
            }
            details {
                summary { "All levels" }
                div class="scroll" { table {
                    thead { tr {
                        th { "field" } th { "type" } th { "similarity" } th class="number" { "weight" }
                        th class="number" { "of the matches" } th class="number" { "of other pairs" }
                    } }
                    tbody {
                        @for field in data.fields.fields.iter().take(ROWS) {
                            @for (at, level) in field.levels.iter().enumerate() {
                                tr {
                                    td { @if at == 0 { (shortened(&field.name, VALUE)) } }
                                    td class="muted" { @if at == 0 { (shortened(&field.kind, VALUE)) } }
                                    td { (shortened(&level.name, VALUE)) }
                                    td class="number" {
                                        @if level.frequent < level.weight { (signed(level.frequent)) " to " }
                                        (signed(level.weight))
                                    }
                                    td class="number" { (percent(level.matches)) }
                                    td class="number" { (percent(level.others)) }
                                }
                            }
                        }
                    }
                } }
            }
        }
        @if !data.fields_left_out.is_empty() {
            h3 { "Left out" }
            (facts(data.fields_left_out.iter().take(ROWS).map(|(name, why)| (name.as_str(), shortened(why, VALUE)))))
        }
    }
}

fn weights(data: &RecordsData) -> Markup {
    let (matches, others, missed) = data.weights.sums();
    let numbers = [
        ("matches", count(matches)),
        ("compared, and no matches", count(others)),
        ("missed, by estimate", format!("{missed:.1}")),
    ];
    html! {
        @if matches + others == 0 {
            p { "No records were compared." }
        } @else {
            div class="columns wide" {
                (figure(&data.weights.svg(), &html! {
                    "Compared pairs by weight, on a logarithmic scale. The narrow bars are matches that were missed, by estimate: as many \
                     as the probabilities of pairs below the threshold add up to, and those that no band found."
                }))
                div {
                    (facts(numbers))
                    (facts(data.facts.iter().map(|(name, value)| (name.as_str(), shortened(value, VALUE)))))
                    @if let Some((recall, error)) = data.recall {
                        p {
                            "About " b { (percent(recall)) } " of the matches were compared (standard error " (percent(error)) "). There are two estimates, and \
                             the lower one counts: from how many bands found each match, and from how many matches the bands would still find if as many \
                             mistakes were in other fields."
                        }
                    } @else {
                        p { "How many matches were not compared is not estimated." }
                    }
                }
            }
        }
    }
}

/// How many labels there are in a range of probabilities, how many of them are expected to match, how far that may be off, and how
/// many do.
fn in_range(labels: &[Label], range: usize, of: impl Fn(&Label) -> f64) -> (u64, f64, f64, u64) {
    let is_last = range + 2 == RANGES.len();
    let is_in = |p: f64| p >= RANGES[range] && (p < RANGES[range + 1] || is_last);
    let these: Vec<&Label> = labels.iter().filter(|label| is_in(of(label))).collect();
    let expected = these.iter().map(|label| of(label)).sum();
    let variance: f64 = these.iter().map(|label| of(label) * (1.0 - of(label))).sum();
    let matches = these.iter().filter(|label| label.is_match).count() as u64;
    (these.len() as u64, expected, variance.sqrt(), matches)
}

fn calibration(labels: &[Label]) -> Markup {
    let yes = labels.iter().filter(|label| label.is_match).count();
    let before = |label: &Label| label.before;
    let after = |label: &Label| label.after;
    let points = |of: fn(&Label) -> f64| -> Vec<(f64, f64)> {
        let ranges = (0..RANGES.len() - 1).map(|range| in_range(labels, range, of));
        ranges.filter(|it| it.0 > 0).map(|it| (it.1 / it.0 as f64, it.3 as f64 / it.0 as f64)).collect()
    };
    let plot = LinePlot {
        title: "Labels by probability".into(),
        x: Axis::between("probability that was said", 0.0, 1.0),
        y: Axis::between("share that matches", 0.0, 1.0),
        series: vec![
            Series::of("as it should be", 0.0, 1.0, |p| p),
            Series::points("with the labels", points(after)),
            Series::points("without labels", points(before)),
        ],
        mark: None,
        legend: Corner::TopLeft,
    };
    html! {
        div class="columns wide" {
            (figure(&plot.svg(), &html! { "Of labelled pairs of about the same probability, the share that matches." }))
            div {
                (facts([
                    ("labels", count(labels.len() as u64)),
                    ("matches", count(yes as u64)),
                    ("no matches", count((labels.len() - yes) as u64)),
                ]))
                p class="muted" {
                    "Weights and threshold were refined with these labels, so only the probabilities without labels are a test. Labels of \
                     pairs that were chosen because they are doubtful say little about other pairs."
                }
            }
        }
        div class="scroll" { table {
            thead { tr {
                th { "probability" }
                th class="number" { "labels" } th class="number" { "expected matches" } th class="number" { "matches" }
                th class="number" { "labels, refined" } th class="number" { "expected matches" } th class="number" { "matches" }
            } }
            tbody {
                @for range in 0..RANGES.len() - 1 {
                    tr {
                        td { (RANGES[range]) " to " (RANGES[range + 1]) }
                        @for (labels, expected, error, matches) in [in_range(labels, range, before), in_range(labels, range, after)] {
                            td class="number" { (count(labels)) }
                            td class="number" { @if labels > 0 { (format!("{expected:.1} ± {error:.1}")) } }
                            td class="number" { @if labels > 0 { (count(matches)) } }
                        }
                    }
                }
            }
        } }
    }
}

fn bands(data: &RecordsData) -> Markup {
    html! {
        @if data.bands.is_empty() {
            p { "There are no bands: all pairs were compared, or none." }
        } @else {
            p {
                "Two records are compared if they agree in one of these. Together they find an estimated "
                b { (percent(data.planned)) } " of the matches that were seen while bands were chosen."
            }
            div class="scroll" { table class="bands" {
                thead { tr {
                    th class="number" { "band" } th { "what must agree" } th class="number" { "finds, of the likely matches" } th class="number" { "pairs per record" }
                } }
                tbody {
                    @for (at, band) in data.bands.iter().enumerate().take(ROWS) {
                        tr {
                            td class="number" { (at + 1) }
                            td { (shortened(&band.band, VALUE)) }
                            td class="number" { (percent(band.finds)) }
                            td class="number" { (format!("{:.3}", band.cost)) }
                        }
                    }
                }
            } }
        }
    }
}

fn clusters(data: &RecordsData) -> Markup {
    let sizes = &data.cluster_sizes.sizes;
    let largest = sizes.iter().map(|size| size.0).max().unwrap_or(0);
    let of_two = sizes.iter().filter(|size| size.0 == 2).fold(0, |sum: u64, size| sum.saturating_add(size.1));
    html! {
        div class="columns wide" {
            (figure(&data.cluster_sizes.svg_of("records"), &html! { "The number of clusters by size, both on logarithmic scales." }))
            (facts([
                ("clusters", count(data.headline.entities)),
                ("clusters of two", count(of_two)),
                ("records in the largest", count(largest)),
            ]))
        }
    }
}

fn kinds(kinds: &[KindCount]) -> Markup {
    html! {
        div class="scroll" { table {
            thead { tr { th { "kind" } th class="number" { "records" } th { "meaning" } } }
            tbody {
                @for kind in kinds.iter().take(ROWS) {
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

fn sources(sources: &[SourceCount]) -> Markup {
    html! {
        details {
            summary { "Sources: " (count(sources.len() as u64)) }
            div class="scroll" { table {
                thead { tr { th { "source" } th class="number" { "records" } th class="number" { "removed" } } }
                tbody {
                    @for source in sources.iter().take(ROWS) {
                        tr {
                            td { (shortened(&source.name, VALUE)) @if source.against { span class="muted" { " (only compared against)" } } }
                            td class="number" { (count(source.records)) }
                            td class="number" { (count(source.removed)) }
                        }
                    }
                }
            } }
            @if sources.len() > ROWS { p class="muted" { "and " (count((sources.len() - ROWS) as u64)) " more" } }
        }
    }
}

/// A section with examples.
struct Shelf<'d> {
    id: &'static str,
    title: &'static str,
    about: String,
    size: usize,
    render: Box<dyn Fn(usize) -> Markup + 'd>,
}

fn shelves(data: &RecordsData) -> [Shelf<'_>; 4] {
    fn pairs<'d>(id: &'static str, title: &'static str, about: String, of: &'d [RecordPair]) -> Shelf<'d> {
        Shelf { id, title, about, size: of.len(), render: Box::new(|at| openable(&of[at])) }
    }
    let threshold = signed(data.weights.threshold);
    [
        Shelf {
            id: "examples",
            title: "Largest clusters",
            about: "Open a cluster to see its records, and the pair that holds it together: without that pair and less sure ones, it \
                    would be two."
                .into(),
            size: data.clusters.len(),
            render: Box::new(|at| cluster(&data.clusters[at], &data.columns)),
        },
        pairs(
            "near-threshold",
            "Just above the threshold",
            format!("The least probable matches: with weights of {threshold} and little more."),
            &data.above,
        ),
        pairs(
            "nearest-misses",
            "Nearest misses",
            format!("The most probable pairs below the threshold of {threshold}."),
            &data.below,
        ),
        pairs(
            "better-partner",
            "Left for a better partner",
            "Pairs that would match, but a record may have one partner only, and one of the two has a better one.".into(),
            &data.excluded,
        ),
    ]
}

fn cluster(cluster: &RecordCluster, columns: &[String]) -> Markup {
    let more = cluster.size.saturating_sub(cluster.members.len() as u64);
    html! {
        details class="example" {
            summary {
                span class="badge" { (count(cluster.size)) " records" }
                span class="name" { (shortened(cluster.members.first().map_or("", |it| &it.name), 120)) }
                @if let Some(pair) = &cluster.held_by { span class="muted" { "held together by " (probability(pair.probability)) } }
            }
            div class="scroll" { table class="members" {
                thead { tr {
                    th { "record" } th class="number" { "probability" }
                    @for column in columns.iter().take(COLUMNS) { th { (shortened(column, 80)) } }
                } }
                tbody {
                    @for (at, member) in cluster.members.iter().enumerate() {
                        tr {
                            th scope="row" { (shortened(&member.name, 120)) }
                            td class="number" {
                                @if at == 0 { "kept" } @else if let Some(p) = member.probability { (probability(p)) } @else { span class="muted" { "by others" } }
                            }
                            @for value in member.values.iter().take(COLUMNS) { td { (shortened(value, 160)) } }
                        }
                    }
                }
            } }
            @if columns.len() > COLUMNS { p class="muted" { "and " (count((columns.len() - COLUMNS) as u64)) " more fields" } }
            @if more > 0 { p class="muted" { "and " (count(more)) " more records" } }
            @if let Some(pair) = &cluster.held_by {
                p { "Held together by " b { (shortened(&pair.names[0], 120)) } " and " b { (shortened(&pair.names[1], 120)) } ":" }
                (waterfall(pair))
            }
        }
    }
}
