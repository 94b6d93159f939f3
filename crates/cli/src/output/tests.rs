//! Tests of what is printed, with values made by hand.

use super::*;
use pipeline::report::{Counts, PairCounts, Plan, Recall, Run};
use pipeline::{Match, Member, Method, Pair, Reference, Resources};
use std::collections::BTreeMap;

fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

fn made_plan() -> Plan {
    Plan {
        bands: 21,
        rows: 6,
        recall_at_threshold: 0.9983,
        short_up_to: 99,
        all_up_to: None,
        estimate_cutoff: 0.5,
        input_bytes: 3 << 29,
        disk_bytes_per_document: 812,
        memory_bytes_per_document: 96,
    }
}

fn report() -> Report {
    Report {
        version: 1,
        lookalike: "0.1.0".into(),
        settings: Settings::default(),
        plan: made_plan(),
        sources: Vec::new(),
        counts: Counts {
            documents: 10_000,
            kept: 8_800,
            exact: 500,
            near: 690,
            bad_skipped: 10,
            short: 7,
            clusters: 400,
            largest_cluster: 31,
            text_bytes: 200_000_000,
            ..Counts::default()
        },
        verified_pairs: 1_203,
        histogram: vec![0; 21],
        recall: Some(Recall { estimate: 0.9981, standard_error: 0.0012, pairs: 690, proven: 0 }),
        frame: None,
        against_index: None,
        added_to: None,
        capped: BTreeMap::new(),
        run: Run {
            seconds: 2.0,
            pairs: PairCounts { candidates: 12_345, filtered: 10_000, compared: 2_345, verified: 1_203 },
            ..Run::default()
        },
    }
}

fn document(id: &str) -> Reference {
    Reference { id: id.into(), source: "a.jsonl".into(), line: 3 }
}

#[test]
fn the_summary_says_what_went_and_where_the_rest_is() {
    let expected = "\
kept 8,800 of 10,000 documents (88.0 %) in 2.0 s, 100 MB/s of text
  exact copies              500  5.0 %
  near-duplicates           690  6.9 %
  bad records                10  0.1 %  10 skipped, 0 kept
  clusters                  400  largest 31
  short                       7  with fewer tokens than a shingle
  pairs                   1,203  of 2,345 compared, 12,345 candidates
  recall                 0.9981  estimated from 690 pairs, standard error 0.0012
  outputs         clean/: kept records, removed.jsonl, report.json";
    assert_eq!(plain(&summary::dedup(&report(), Some("clean/"))), expected);
}

#[test]
fn a_dry_run_and_annotations_are_called_what_they_are() {
    assert!(plain(&summary::dedup(&report(), None)).starts_with("would keep 8,800"));
    let mut annotated = report();
    annotated.settings.files.annotate = true;
    assert!(plain(&summary::dedup(&annotated, Some("clean/"))).starts_with("annotated; would keep 8,800"));
}

#[test]
fn an_empty_corpus_has_a_summary() {
    let mut empty = report();
    empty.counts = Counts::default();
    empty.recall = None;
    empty.run.seconds = 0.0;
    assert!(plain(&summary::dedup(&empty, Some("-"))).starts_with("kept 0 of 0 documents (0.0 %) in 0 ms\n"));
}

#[test]
fn a_recall_is_not_rounded_up_to_all() {
    let mut sure = report();
    sure.recall = Some(Recall { estimate: 0.99999, standard_error: 0.00001, pairs: 1, proven: 0 });
    let text = plain(&summary::clusters(&sure));
    assert!(text.starts_with("400 clusters of 1,"), "{text}");
    assert!(text.contains(">0.9999  estimated from 1 pair, standard error <0.0001"), "{text}");
    sure.recall = Some(Recall { estimate: 1.0, standard_error: 0.0, pairs: 9, proven: 8 });
    let text = plain(&summary::pairs(&sure, 7));
    assert!(text.contains("from 9 pairs (8 of short documents, of which none is missed)"), "{text}");
    sure.recall = Some(Recall { estimate: 1.0, standard_error: 0.0, pairs: 0, proven: 0 });
    assert!(!plain(&summary::pairs(&sure, 7)).contains("recall"));
}

#[test]
fn what_was_cut_short_is_said() {
    let mut cut = report();
    cut.capped.insert("comparisons in hot buckets".into(), 5_000);
    cut.run.spilled = true;
    let text = plain(&summary::pairs(&cut, 7));
    assert!(text.contains("capped                  5,000  comparisons in hot buckets"), "{text}");
    assert!(text.contains("spilled to disk"), "{text}");
}

#[test]
fn the_plan_names_bands_recall_and_needs() {
    let resources = Resources { memory: 2 << 30, threads: 2, ..Resources::of_this_machine() };
    let mut job = Job {
        sources: Vec::new(),
        against: Vec::new(),
        settings: Settings::default(),
        resources,
        sketch: None,
        indexes: pipeline::Indexes::default(),
    };
    let text = plain(&plan::plan(&made_plan(), &job));
    assert!(text.contains("21 bands of 6 rows find 99.8 % of the pairs at jaccard 0.8"), "{text}");
    assert!(text.contains("of documents of up to 99 shingles, all similar pairs are found"), "{text}");
    let explained = "a pair is found if all 6 hashes of at least one band are equal in both documents";
    assert!(text.contains(explained), "{text}");
    assert!(text.contains("1.5 GiB; memory: up to 2.0 GiB; per document about 812 bytes on disk"), "{text}");
    job.settings.signature.measure = pipeline::Measure::Containment;
    let text = plain(&plan::plan(&made_plan(), &job));
    assert!(text.contains("finds 99 % of the documents of 44 shingles at containment 0.8"), "{text}");
    job.settings.signature.measure = pipeline::Measure::Jaccard;
    job.settings.signature.method = Method::Simhash;
    assert!(plain(&plan::plan(&made_plan(), &job)).contains("Hamming distance 3"));
}

fn answered(json: bool, write: impl Fn(&mut Answers<&mut Vec<u8>>)) -> String {
    let mut out = Vec::new();
    let mut answers = Answers::to(&mut out, json);
    write(&mut answers);
    answers.end().unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn pairs_are_columns_or_objects() {
    let pair = Pair { a: document("x"), b: document("y\tz\n"), similarity: Some(0.875), distance: None };
    assert_eq!(answered(false, |a| a.pair(&pair).unwrap()), "x\ty\\tz\\n\t0.8750\n");
    assert_eq!(
        answered(true, |a| a.pair(&pair).unwrap()),
        "{\"a\":\"x\",\"b\":\"y\\tz\\n\",\"similarity\":0.875}\n"
    );
    let pair = Pair { similarity: None, distance: Some(3), ..pair };
    assert_eq!(answered(false, |a| a.pair(&pair).unwrap()), "x\ty\\tz\\n\t-\t3\n");
    assert!(answered(true, |a| a.pair(&pair).unwrap()).contains("\"distance\":3"));
}

#[test]
fn clusters_are_indented_or_objects() {
    let member = |id: &str, similarity: f64, is_kept: bool| Member {
        document: document(id),
        similarity: Some(similarity),
        is_kept,
    };
    let members = [
        member("x", 1.0, true),
        member("y", 0.9, false),
        member("z", 0.8, false),
        member("u", 1.0, true),
        member("v", 0.7, false),
    ];
    let all = |answers: &mut Answers<&mut Vec<u8>>| {
        members.iter().for_each(|member| answers.member(member).unwrap());
        answers.end().unwrap();
    };
    assert_eq!(answered(false, all), "x\n  0.9000  y\n  0.8000  z\nu\n  0.7000  v\n");
    let lines = answered(true, all);
    let objects: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&objects[0]["kept"]["id"], &objects[1]["kept"]["id"]), (&"x".into(), &"u".into()));
    assert_eq!(objects[0]["members"][1]["similarity"], 0.8);
    assert_eq!(objects[0]["members"].as_array().unwrap().len(), 2);
    assert_eq!(objects[1]["members"].as_array().unwrap().len(), 1);
    assert_eq!(answered(true, |a| a.end().unwrap()), "");
}

#[test]
fn matches_are_columns_or_objects() {
    let found = Match { document: document("x"), similarity: 0.25 };
    assert_eq!(answered(false, |a| a.found(&found).unwrap()), "0.2500\tx\n");
    let object: serde_json::Value =
        serde_json::from_str(&answered(true, |a| a.found(&found).unwrap())).unwrap();
    assert_eq!((&object["id"], &object["line"]), (&"x".into(), &3.into()));
}
