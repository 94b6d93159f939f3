//! The pages: their numbers, their links, their size, and that nothing in a document can do harm.
#![allow(clippy::unwrap_used, reason = "tests may")]

use figures::svg::{
    Bin, ClusterSizes, Curve, FieldLevels, Histogram, Level, Levels, Stage, Stages, WeightCounts, Weights,
};
use figures::{
    BandCount, Checked, ClusterExample, CompareData, Estimate, ExampleText, Finding, Headline, KindCount,
    Label, Member, NamedText, PAGE_BUDGET, PairExample, PlanData, RecallData, RecordCluster, RecordMember,
    RecordPair, RecordsData, RecordsHeadline, ReportData, SourceCount, Step, compare_page,
    compare_records_page, records_page, report_page,
};
use lookalike::passages::compare;
use lookalike::shingling::Shingler;
use std::collections::BTreeSet;

const BAD: &str =
    "</style></title></pre><script>alert('x')</script><img src=x onerror=alert(1)>\"' onclick=\"alert(2)";

fn text(id: &str, text: &str) -> ExampleText {
    ExampleText { id: id.into(), place: format!("{id}.jsonl:1"), text: text.into(), is_cut: true }
}

fn report(name: &str, texts: [&str; 2], examples: usize) -> ReportData {
    let pair = || PairExample {
        a: text(name, texts[0]),
        b: text(name, texts[1]),
        similarity: 0.8125,
        note: name.into(),
        values: None,
    };
    let member =
        Member { document: text(name, texts[1]), similarity: 0.875, kind: name.into(), values: None };
    let named = |value: &str| (name.to_owned(), value.to_owned());
    let mut bins = vec![Bin::default(); 21];
    bins[16] = Bin { found: 1_234, missed: 5.5 };
    ReportData {
        title: name.into(),
        subtitle: name.into(),
        headline: Headline {
            documents: 10_000,
            kept: 8_000,
            exact: 766,
            near: 1_234,
            skipped: 3,
            clusters: 900,
            text_bytes: 5_000_000,
        },
        plan: PlanData {
            label: name.into(),
            threshold: 0.8,
            limit: None,
            distance: None,
            curve: Curve::sample(name, |s| s * s),
            facts: vec![named(name)],
        },
        histogram: Histogram { bins, threshold: Some(0.8) },
        checked: Checked::Exactly,
        recall: Some(RecallData { estimate: 0.995, standard_error: 0.002, pairs: 1_234, proven: 0 }),
        cluster_sizes: ClusterSizes { sizes: vec![(2, 800), (3, 100)] },
        kinds: vec![KindCount { name: name.into(), count: 17, meaning: name.into() }],
        stages: Stages {
            stages: vec![Stage {
                name: name.into(),
                seconds: 2.0,
                cpu_seconds: 4.0,
                amount: 10_000,
                unit: name.into(),
            }],
        },
        sources: vec![SourceCount { name: name.into(), records: 10_000, removed: 2_000, against: true }],
        capped: vec![(name.into(), 42)],
        configuration: vec![named(name)],
        shingler: Shingler::words(2).unwrap(),
        clusters: vec![
            ClusterExample { size: 12, kept: text(name, texts[0]), members: vec![member] };
            examples
        ],
        near_threshold: vec![pair(); examples],
        nearest_misses: vec![pair(); examples],
    }
}

fn comparison_page(name: &str, a: &str, b: &str) -> String {
    let comparison = compare(a, b, &Shingler::words(2).unwrap()).unwrap();
    compare_page(&CompareData {
        a: NamedText { name, text: a },
        b: NamedText { name, text: b },
        comparison: &comparison,
        shingles: name.into(),
        estimates: vec![Estimate {
            sketch: name.into(),
            measure: name.into(),
            value: 0.5,
            standard_error: 0.04,
            exact: 0.46,
        }],
        finding: Some(Finding { plan: name.into(), threshold: 0.8, probability: 0.25 }),
        notes: vec![name.into()],
        frames: [&[], &[]],
    })
}

fn record_pair(name: &str) -> RecordPair {
    let step = |values: [&str; 2], weight: f64| Step {
        field: name.into(),
        values: values.map(str::to_owned),
        similarity: name.into(),
        weight,
        note: name.into(),
    };
    RecordPair {
        names: [name.into(), name.into()],
        places: [name.into(), name.into()],
        steps: vec![step([name, "other"], 6.25), step([name, name], 3.0), step(["", name], 0.0)],
        prior: -9.5,
        weight: -0.25,
        probability: 0.4378,
        threshold: 0.0,
        bands: vec![1, 4],
        note: name.into(),
    }
}

/// The page of a run on records: with so many examples of each kind.
fn of_records(name: &str, examples: usize) -> RecordsData {
    let named = |value: &str| (name.to_owned(), value.to_owned());
    let level = |at: usize, weight: f64| Level {
        name: name.into(),
        weight,
        frequent: weight - if at == 0 { 2.0 } else { 0.0 },
        matches: 0.5,
        others: 0.01,
    };
    let bin = |from, matches, others, missed| WeightCounts { from, matches, others, missed };
    let member = RecordMember { name: name.into(), values: vec![name.into(); 2], probability: Some(0.75) };
    let label = |before, after, is_match| Label { before, after, is_match };
    RecordsData {
        title: name.into(),
        subtitle: name.into(),
        headline: RecordsHeadline {
            records: 10_000,
            kept: 8_000,
            removed: 2_000,
            matches: 2_345,
            entities: 900,
            compared: 31_234,
        },
        fields: Levels {
            fields: vec![FieldLevels {
                name: name.into(),
                kind: name.into(),
                levels: vec![level(0, 7.5), level(1, 2.0), level(2, -3.0)],
            }],
        },
        fields_left_out: vec![named(name)],
        rule: None,
        model: vec![named(name)],
        weights: Weights {
            bins: vec![
                bin(-30, 0, 28_000, 0.0),
                bin(-1, 0, 889, 12.5),
                bin(0, 45, 0, 0.0),
                bin(14, 2_300, 0, 4.5),
            ],
            threshold: 0.0,
        },
        facts: vec![named(name)],
        recall: Some((0.995, 0.002)),
        labels: vec![label(0.4, 0.6, true), label(0.42, 0.2, false), label(0.95, 0.99, true)],
        bands: vec![BandCount { band: name.into(), finds: 0.875, cost: 0.25 }],
        planned: 0.9912,
        cluster_sizes: ClusterSizes { sizes: vec![(2, 800), (3, 100)] },
        kinds: vec![KindCount { name: name.into(), count: 17, meaning: name.into() }],
        sources: vec![SourceCount { name: name.into(), records: 10_000, removed: 2_000, against: true }],
        configuration: vec![named(name)],
        columns: vec![name.into(); 2],
        clusters: vec![
            RecordCluster { size: 12, members: vec![member; 3], held_by: Some(record_pair(name)) };
            examples
        ],
        above: vec![record_pair(name); examples],
        below: vec![record_pair(name); examples],
        excluded: vec![record_pair(name); examples],
    }
}

#[test]
fn what_a_record_says_is_text_and_nothing_else() {
    for page in
        [records_page(&of_records(BAD, 2)), compare_records_page(&record_pair(BAD), &[BAD.to_owned()])]
    {
        check_harmless(&page);
        check_links(&page);
        assert!(page.contains("&lt;script&gt;alert('x')"));
    }
}

#[test]
fn the_page_of_records_has_its_numbers() {
    let page = records_page(&of_records("run", 1));
    for number in [
        "10,000",
        "kept, 80.0 %",
        "of 31,234 compared",
        "99.5 %",
        "+5.5 to +7.5",
        "-1 to 0: 12.5 missed, by estimate",
        "below -19: 28,000 no matches",
        ">17.0<",
        "0.8 ± 0.7",
        "87.5 %",
        "12 records",
        "found by bands 1, 4",
        "probability 0.438",
    ] {
        assert!(page.contains(number), "{number}");
    }
    // Without examples and labels there are no empty sections.
    let page = records_page(&RecordsData { labels: Vec::new(), ..of_records("run", 0) });
    assert!(!page.contains("id=\"calibration\"") && !page.contains("class=\"shelf\""));
    check_links(&page);
}

#[test]
fn a_page_of_long_records_is_cut_to_its_budget() {
    let long = "long value ".repeat(400);
    let mut data = of_records("run", 40);
    let step = Step { values: [long.clone(), format!("x{long}")], weight: 1.0, ..Step::default() };
    for pair in data.above.iter_mut().chain(&mut data.below).chain(&mut data.excluded) {
        pair.steps = vec![step.clone(); 60];
    }
    let page = records_page(&data);
    assert!(
        page.len() < PAGE_BUDGET && page.contains("more left out, to keep the page small"),
        "{}",
        page.len()
    );
    check_links(&page);
}

/// The values of an attribute.
fn attributes<'p>(page: &'p str, attribute: &str) -> Vec<&'p str> {
    let before = format!(" {attribute}=\"");
    page.split(&before).skip(1).filter_map(|rest| rest.split_once('"').map(|(value, _)| value)).collect()
}

fn check_links(page: &str) {
    let ids: Vec<&str> = attributes(page, "id");
    let different: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(different.len(), ids.len(), "an id is there twice");
    for link in attributes(page, "href") {
        assert!(link.strip_prefix('#').is_some_and(|id| different.contains(id)), "{link} leads nowhere");
    }
}

/// Nothing is loaded, and the only script is the page's own.
fn check_harmless(page: &str) {
    assert_eq!((page.matches("<script").count(), page.matches("</script").count()), (1, 1));
    assert_eq!(page.matches("<style").count(), 1);
    for forbidden in ["<img", "<link", "<iframe", "<object", "@import", "url(", "</pre"] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    for tag in page.split('<').skip(1).filter_map(|rest| rest.split_once('>').map(|(tag, _)| tag)) {
        let outside_quotes: String = tag.split('"').step_by(2).collect();
        assert!(!outside_quotes.contains(" src=") && !outside_quotes.contains(" on"), "{tag}");
    }
    let addresses = page.matches("http://").count() + page.matches("https://").count();
    assert_eq!(addresses, page.matches("xmlns=\"http://www.w3.org/2000/svg\"").count());
}

#[test]
fn what_a_document_says_is_text_and_nothing_else() {
    let texts = [&*format!("one two {BAD} three four"), &*format!("one two {BAD} five six")];
    for page in [report_page(&report(BAD, texts, 2)), comparison_page(BAD, texts[0], texts[1])] {
        check_harmless(&page);
        check_links(&page);
        assert!(page.contains("&lt;script&gt;alert('x')"));
    }
}

#[test]
fn the_report_has_its_numbers() {
    let page = report_page(&report("run", ["one two three four", "one two three five"], 1));
    for number in [
        "10,000",
        "documents, 5.0 MB of text",
        "kept, 80.0 %",
        "near-duplicates removed, 12.3 %",
        "bad records skipped",
        "of the duplicates found, ± 0.2 %",
        "99.5 %",
        "found with 64.0 %",
        "1,234 found",
        "5.5 missed",
        "800 of 2 documents",
        "5.0 k run/s",
        "<dd>42</dd>",
        "12 documents",
        "0.8125",
        "0.8750",
    ] {
        assert!(page.contains(number), "{number} is not in the page");
    }
    assert!(page.contains("<details class=\"example\">") && page.contains(">one two three</a>"));
    check_links(&page);
    check_harmless(&page);
}

#[test]
fn the_comparison_has_its_numbers() {
    let page = comparison_page("run", "a b c d e f", "x c d e f a b");
    // Shingles ab bc cd de ef; xc cd de ef fa ab: 4 of 7.
    for number in [
        "0.5714",
        "80.0 %",
        "66.7 %",
        "2</strong>",
        "1 in order, 1 moved",
        "0.5000 ± 0.0400",
        "+0.0400 (1.0 σ)",
        "25.0 %",
    ] {
        assert!(page.contains(number), "{number} is not in the page");
    }
    check_links(&page);
    check_harmless(&page);
}

#[test]
fn passages_lead_to_their_partners() {
    let page = comparison_page("run", "a b c x d e f y a b c", "d e f z a b c");
    let links: Vec<&str> = attributes(&page, "href");
    assert_eq!(links, ["#x-b-2", "#x-b-0", "#x-b-2", "#x-a-2", "#x-a-4"]);
    check_links(&page);
}

#[test]
fn a_report_keeps_to_its_budget() {
    let long: String = (0..40_000).map(|at| format!("<w{at}> ")).collect();
    let other = long.replace("7>", "7&");
    let page = report_page(&report("run", [&long, &other], 4));
    assert!(page.len() < PAGE_BUDGET && page.len() > PAGE_BUDGET / 4, "{}", page.len());
    assert!(page.contains("more left out, to keep the page small."));
    check_links(&page);
    // Names are cut, whatever they are.
    let name = "<&\">".repeat(5_000);
    let mut data = report(&name, ["", ""], 50);
    data.kinds = vec![data.kinds[0].clone(); 1_000];
    data.sources = vec![data.sources[0].clone(); 1_000];
    data.configuration = vec![data.configuration[0].clone(); 1_000];
    data.capped = vec![data.capped[0].clone(); 1_000];
    data.plan.facts = data.configuration.clone();
    data.plan.curve.label = name;
    let page = report_page(&data);
    assert!(page.len() < PAGE_BUDGET, "{}", page.len());
}

#[test]
fn empty_data_gives_a_page() {
    let mut data = report("", ["", ""], 0);
    data.headline = Headline::default();
    data.histogram = Histogram::default();
    data.recall = None;
    data.stages = Stages::default();
    data.plan.curve.probabilities.clear();
    (data.kinds, data.sources, data.capped, data.configuration) = Default::default();
    check_links(&report_page(&data));
    check_links(&comparison_page("", "", ""));
}

/// What stands in a page, without its style and script.
fn words(page: &str) -> &str {
    page.split_once("<main>").unwrap().1
}

#[test]
fn a_report_without_pairs_claims_nothing_about_them() {
    let mut data = report("run", ["", ""], 0);
    data.histogram = Histogram { bins: vec![Bin::default(); 21], threshold: Some(0.8) };
    data.recall = Some(RecallData { estimate: 1.0, standard_error: 0.0, pairs: 0, proven: 0 });
    let page = report_page(&data);
    assert!(words(&page).contains("Nothing is known of the share that was found"));
    for claim in ["of the duplicates found", "± 0", "About", "missed, by estimate"] {
        assert!(!words(&page).contains(claim), "{claim}");
    }
    check_links(&page);
}

#[test]
fn a_report_calls_verified_only_what_was() {
    for (checked, distance, said) in [
        (Checked::ByEstimate, None, "removed as near-duplicates by estimate, unverified"),
        (Checked::NotAtAll, None, "by an equal band alone"),
        (Checked::NotAtAll, Some(3), "by the distance of their fingerprints alone"),
    ] {
        let mut data = report("run", ["a b c", "a b d"], 1);
        (data.checked, data.plan.distance, data.recall) = (checked, distance, None);
        data.clusters[0].members[0].similarity = f64::NAN;
        let page = report_page(&data);
        let page = words(&page);
        assert!(page.contains(said), "{checked:?}: {said}");
        let rest = page.replace("unverified", "");
        for claim in ["verified", "Exact similarity", "NaN", "of the duplicates"] {
            assert!(!rest.contains(claim), "{checked:?}: {claim}");
        }
    }
}

#[test]
fn a_report_of_fingerprints_speaks_of_their_distance() {
    let mut data = report("run", ["", ""], 0);
    (data.plan.distance, data.recall) = (Some(3), None);
    let page = report_page(&data);
    let page = words(&page);
    for said in [
        "at most 3 bits apart",
        "largest Hamming distance",
        "least similarity",
        "distance 3 or less were found",
    ] {
        assert!(page.contains(said), "{said}");
    }
    for claim in ["found at the threshold", "area missed", "misses no pair"] {
        assert!(!page.contains(claim), "{claim}");
    }
}
