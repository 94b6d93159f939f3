//! Writes every figure and page, made from invented data, into a folder: to look at them in a browser.
//!
//! `cargo run -p lookalike-figures --example gallery -- FOLDER`
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use figures::svg::{Bin, ClusterSizes, Curve, CurvePlot, Histogram, Stage, Stages};
use figures::svg::{FieldLevels, Level, Levels, WeightCounts, Weights};
use figures::terminal::{Colors, PlotSize, SideBySide, curve_plot, histogram, side_by_side};
use figures::{
    BandCount, Checked, ClusterExample, CompareData, Estimate, ExampleText, Finding, Headline, KindCount,
    Label, Member, NamedText, PairExample, PlanData, RecallData, RecordCluster, RecordMember, RecordPair,
    RecordsData, RecordsHeadline, ReportData, SourceCount, Step, compare_page, compare_records_page,
    records_page, report_page,
};
use lookalike::banding::{Banding, SCurve};
use lookalike::passages::compare;
use lookalike::shingling::Shingler;
use std::error::Error;
use std::path::PathBuf;

const HARBOUR: &str = "The harbour was quiet before dawn, and the boats lay close together under a thin cover of mist. \
    Two men walked along the pier without speaking; one of them carried a lamp, though there was light enough to see by.";
const LETTER: &str = "She had kept the letter for eleven years, folded twice, in the drawer with the spare keys. \
    It said nothing that could not have been said aloud, which was perhaps the reason it had been written down.";
const ORCHARD: &str = "Behind the house the orchard ran down to the river in uneven rows. In good years the branches had to be \
    propped with poles, and children were paid by the basket to bring the windfalls in before the wasps found them.";
const MARKET: &str = "On market days the square filled early. There were stalls for cheese and for rope, a man who mended \
    clocks, and a woman who sold nothing at all but knew the price of everything and would tell it for a penny.";
const NOTICE: &str =
    "All rights reserved. No part of this publication may be copied without the permission of the publisher.";

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "gallery".to_owned()));
    std::fs::create_dir_all(&folder)?;
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text);

    let curve = |bands, rows| -> Result<Curve, lookalike::Error> {
        let curve = SCurve::new(Banding::new(bands, rows)?);
        Ok(Curve::sample(format!("{bands} bands of {rows} rows"), move |s| curve.probability(s)))
    };
    let plot = CurvePlot {
        curves: vec![curve(21, 6)?, curve(9, 13)?, curve(16, 8)?],
        threshold: Some(0.8),
        found: Vec::new(),
    };
    write("curve.svg", &plot.svg().standalone())?;
    println!("{}", curve_plot(&plot, PlotSize { width: 72, height: 18 }, Colors::On));

    let data = report(curve(21, 6)?)?;
    write("histogram.svg", &data.histogram.svg().standalone())?;
    write("clusters.svg", &data.cluster_sizes.svg().standalone())?;
    write("stages.svg", &data.stages.svg().standalone())?;
    write("report.html", &report_page(&data))?;
    println!("{}", histogram(&data.histogram, 72, Colors::On));

    write("records.html", &records_page(&records()))?;
    write(
        "two-records.html",
        &compare_records_page(&walch(19.5), &["surname and date_of_birth".to_owned()]),
    )?;

    let (a, b) = texts();
    let shingler = Shingler::default();
    let comparison = compare(&a, &b, &shingler)?;
    for colors in [Colors::On, Colors::Off] {
        println!(
            "{}",
            side_by_side(&a, &b, &comparison, SideBySide { width: 110, colors, ..SideBySide::default() })
        );
    }
    let exact = comparison.counts.jaccard();
    let estimate = |sketch: &str, value: f64, standard_error: f64| Estimate {
        sketch: sketch.to_owned(),
        measure: "Jaccard".to_owned(),
        value,
        standard_error,
        exact,
    };
    let page = compare_page(&CompareData {
        a: NamedText { name: "first-edition.txt", text: &a },
        b: NamedText { name: "second-edition.txt", text: &b },
        comparison: &comparison,
        shingles: "words:5".to_owned(),
        estimates: vec![
            estimate("MinHash, 128 hashes", exact + 0.021, 0.043),
            estimate("b-bit, 128 hashes of 2 bits", exact - 0.034, 0.055),
        ],
        finding: Some(Finding { plan: "21 bands of 6 rows".to_owned(), threshold: 0.8, probability: 0.118 }),
        notes: vec!["3 bytes of second-edition.txt are not UTF-8 and count as U+FFFD.".to_owned()],
        frames: [&[], &[]],
    });
    write("compare.html", &page)?;
    Ok(())
}

/// A text, and one with a paragraph moved, one repeated, one changed and one added.
fn texts() -> (String, String) {
    let changed =
        HARBOUR.replace("quiet", "silent").replace("thin cover", "grey cover").replace("a lamp", "a rifle");
    let added = "Nobody in the town remembered afterwards who had spoken first. <script>alert('no')</script> & so on.";
    let a = [HARBOUR, LETTER, ORCHARD, MARKET, NOTICE].join("\n\n");
    let b = [
        ORCHARD,
        &changed,
        NOTICE,
        added,
        LETTER,
        "Das Café in der Straße war schon geöffnet. 東京タワー",
        NOTICE,
    ]
    .join("\n\n");
    (a, b)
}

fn example(id: &str, text: &str) -> ExampleText {
    ExampleText {
        id: id.to_owned(),
        place: format!("corpus/part-{:05}.jsonl:{}", id.len(), 100 + text.len()),
        text: text.to_owned(),
        is_cut: false,
    }
}

fn report(curve: Curve) -> Result<ReportData, Box<dyn Error>> {
    let (a, b) = texts();
    let mut bins = vec![Bin::default(); 21];
    for (at, found, missed) in
        [(16, 812, 3.9), (17, 1_204, 1.2), (18, 2_377, 0.3), (19, 4_919, 0.0), (20, 1_310, 0.0)]
    {
        bins[at] = Bin { found, missed };
    }
    let member = |id: &str, text: &str, similarity: f64| Member {
        document: example(id, text),
        similarity,
        kind: "near".to_owned(),
        values: None,
    };
    let cluster = |size: u64, id: &str| ClusterExample {
        size,
        kept: example(id, &a),
        members: vec![
            member("news-0193-copy", &b, 0.8321),
            member("news-0193-mirror", &a.replace("eleven", "twelve"), 0.9417),
        ],
    };
    let pair = |similarity: f64, id: &str| PairExample {
        a: example(id, &a),
        b: example(&format!("{id}-later"), &b),
        similarity,
        note: "the second was removed".to_owned(),
        values: None,
    };
    let stage = |name: &str, seconds: f64, amount: u64, unit: &str| Stage {
        name: name.to_owned(),
        seconds,
        cpu_seconds: seconds * 1.9,
        amount,
        unit: unit.to_owned(),
    };
    let kind = |name: &str, count: u64, meaning: &str| KindCount {
        name: name.to_owned(),
        count,
        meaning: meaning.to_owned(),
    };
    let setting = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    Ok(ReportData {
        title: "news-2024".to_owned(),
        subtitle: "lookalike 0.1.0, 3 sources, 2 threads, 54.1 s".to_owned(),
        headline: Headline {
            documents: 1_204_311,
            kept: 1_170_020,
            exact: 23_669,
            near: 10_622,
            skipped: 0,
            clusters: 8_120,
            text_bytes: 5_120_000_000,
        },
        plan: PlanData {
            label: "21 bands of 6 rows".to_owned(),
            threshold: 0.8,
            limit: None,
            distance: None,
            curve,
            facts: vec![setting("memory", "1.2 GB"), setting("disk", "410 MB"), setting("hashes", "128")],
        },
        histogram: Histogram { bins, threshold: Some(0.8) },
        checked: Checked::Exactly,
        recall: Some(RecallData { estimate: 0.9949, standard_error: 0.0011, pairs: 10_622, proven: 2_410 }),
        cluster_sizes: ClusterSizes {
            sizes: vec![
                (2, 6_200),
                (3, 1_100),
                (4, 410),
                (5, 170),
                (6, 92),
                (8, 61),
                (11, 30),
                (17, 12),
                (31, 5),
                (80, 2),
                (412, 1),
                (3_911, 1),
            ],
        },
        kinds: vec![
            kind("unique", 1_161_900, "no duplicate at or above the threshold"),
            kind("kept with duplicates", 8_120, "the first of its cluster in keep order"),
            kind("near", 10_622, "removed: exact similarity to a kept document at or above the threshold"),
            kind("exact", 23_669, "removed: the same text after normalisation"),
            kind("short", 311, "fewer words than a shingle: compared as one shingle"),
            kind("empty", 12, "no word at all"),
        ],
        stages: Stages {
            stages: vec![
                stage("read and sketch", 31.2, 5_120_000_000, "bytes"),
                stage("group band keys", 8.4, 25_290_000, "keys"),
                stage("verify", 11.9, 48_211, "pairs"),
                stage("write", 2.6, 1_170_020, "documents"),
            ],
        },
        sources: vec![
            SourceCount {
                name: "corpus/part-00000.jsonl.zst".to_owned(),
                records: 800_000,
                removed: 20_000,
                against: false,
            },
            SourceCount {
                name: "corpus/part-00001.jsonl.zst".to_owned(),
                records: 404_311,
                removed: 14_291,
                against: false,
            },
        ],
        capped: vec![("texts over the limit, compared by content hash only".to_owned(), 3)],
        configuration: vec![
            setting("similarity", "jaccard"),
            setting("threshold", "0.8"),
            setting("recall", "0.99"),
            setting("shingles", "words:5"),
            setting("case", "fold"),
            setting("unicode", "nfc"),
            setting("hashes", "128"),
            setting("seed", "1"),
            setting("keep", "first"),
            setting("on-bad-record", "fail"),
            setting("max-text", "100 MB"),
        ],
        shingler: Shingler::default(),
        clusters: vec![
            cluster(3_911, "news-0193"),
            cluster(412, "weather-<b>alert</b>"),
            cluster(3, "sports-2201"),
        ],
        near_threshold: vec![pair(0.8003, "opinion-118"), pair(0.8011, "opinion-740")],
        nearest_misses: vec![pair(0.7981, "culture-77")],
    })
}

/// Two records of one person, with a sum that makes them a match or not.
fn walch(weight: f64) -> RecordPair {
    let step = |field: &str, a: &str, b: &str, similarity: &str, weight: f64, note: &str| Step {
        field: field.to_owned(),
        values: [a.to_owned(), b.to_owned()],
        similarity: similarity.to_owned(),
        weight,
        note: note.to_owned(),
    };
    let steps = vec![
        step("soc_sec_id", "4839471", "4839471", "equal", weight - 1.3, "rare"),
        step("date_of_birth", "19421023", "19421032", "two swapped", 7.1, ""),
        step("surname", "walch", "walsh", "0.91", 4.0, ""),
        step("given_name", "nicholas", "nixholas", "0.95", 3.9, ""),
        step("suburb", "edgecliff <b>", "", "missing", 0.0, ""),
        step("street_number", "76", "67", "other", -2.4, ""),
    ];
    let prior = weight - steps.iter().map(|step| step.weight).sum::<f64>();
    RecordPair {
        names: ["1017".to_owned(), "88213".to_owned()],
        places: ["customers.csv, line 1018".to_owned(), "customers.csv, line 88214".to_owned()],
        steps,
        prior,
        weight,
        probability: 1.0 / (1.0 + (-weight).exp()),
        threshold: 0.0,
        bands: vec![1, 4, 9],
        note: String::new(),
    }
}

/// A run on records.
fn records() -> RecordsData {
    let levels = |weights: &[f64]| -> Vec<Level> {
        let last = weights.len() - 1;
        let level = |(at, &weight): (usize, &f64)| Level {
            name: match at {
                0 => "equal".to_owned(),
                _ if at == last => "other".to_owned(),
                _ => format!("{} and more", 1.0 - 0.08 * at as f64),
            },
            weight,
            frequent: if at == 0 { weight - 3.0 } else { weight },
            matches: 0.7_f64.powi(at as i32 + 1),
            others: 0.002,
        };
        weights.iter().enumerate().map(level).collect()
    };
    let field = |name: &str, kind: &str, weights: &[f64]| FieldLevels {
        name: name.to_owned(),
        kind: kind.to_owned(),
        levels: levels(weights),
    };
    let bin = |from: i32| {
        let x = f64::from(from);
        WeightCounts {
            from,
            matches: if from >= 0 { (4_000.0 * (-((x - 24.0) / 8.0).powi(2)).exp()) as u64 } else { 0 },
            others: if from < 2 { (90_000.0 * (-((x + 14.0) / 4.0).powi(2)).exp()) as u64 } else { 0 },
            missed: 30.0 * (-((x - 2.0) / 6.0).powi(2)).exp(),
        }
    };
    let member = |name: &str, values: [&str; 4], probability: Option<f64>| RecordMember {
        name: name.to_owned(),
        values: values.map(str::to_owned).to_vec(),
        probability,
    };
    let cluster = RecordCluster {
        size: 11,
        members: vec![
            member("1017", ["nicholas", "walch", "edgecliff", "19421023"], None),
            member("88213", ["nixholas", "walsh", "", "19421032"], Some(0.9931)),
            member("90118", ["nick", "walch", "edgecliff", "19421023"], None),
        ],
        held_by: Some(walch(5.0)),
    };
    let named = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let label = |at: usize| Label {
        before: (at as f64 + 0.5) / 30.0,
        after: ((at as f64 + 0.5) / 30.0).powi(2),
        is_match: (at * at) % 30 < at && at > 12,
    };
    let band = |band: &str, finds, cost| BandCount { band: band.to_owned(), finds, cost };
    RecordsData {
        title: "clean/".into(),
        subtitle: "lookalike 0.1.0, 1 source".into(),
        headline: RecordsHeadline {
            records: 300_000,
            kept: 192_113,
            removed: 107_887,
            matches: 159_412,
            entities: 71_204,
            compared: 800_953,
        },
        fields: Levels {
            fields: vec![
                field("soc_sec_id", "code", &[16.0, 9.0, 5.0, -3.1]),
                field("date_of_birth", "date", &[11.0, 7.1, -2.2]),
                field("surname", "name", &[9.0, 4.0, 1.0, -2.8]),
                field("a_field_with_a_very_long_name", "text", &[7.0, 3.9, 0.4, -2.0]),
            ],
        },
        fields_left_out: vec![named("state", "5 values, 0.9 % of what the others say")],
        rule: None,
        model: vec![named("prior: two records of which nothing is known", "-11.3")],
        weights: Weights { bins: (-34..48).map(bin).collect(), threshold: 0.0 },
        facts: vec![named("threshold, a probability", "0.5"), named("time", "4.1 s")],
        recall: Some((0.9946, 0.0011)),
        labels: (0..30).map(label).collect(),
        bands: vec![
            band("soc_sec_id", 0.712, 0.31),
            band("surname and the beginning of date_of_birth", 0.683, 0.42),
            band("a shingle of address_1 and postcode", 0.514, 0.12),
        ],
        planned: 0.997,
        cluster_sizes: ClusterSizes { sizes: vec![(2, 61_000), (3, 9_000), (4, 1_204)] },
        kinds: vec![KindCount { name: "kept".into(), count: 192_113, meaning: "kept unchanged".into() }],
        sources: vec![SourceCount {
            name: "customers.csv".into(),
            records: 300_000,
            removed: 107_887,
            against: false,
        }],
        configuration: vec![named("keep", "first"), named("threshold", "0.5")],
        columns: ["given_name", "surname", "suburb", "date_of_birth"].map(str::to_owned).to_vec(),
        clusters: vec![cluster],
        above: vec![walch(0.3), walch(0.9)],
        below: vec![walch(-0.4)],
        excluded: vec![walch(2.5)],
    }
}
