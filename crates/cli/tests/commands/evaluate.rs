//! `lookalike evaluate`: answers of other commands against a truth.

use super::lookalike::{Folder, Outcome};
use serde_json::Value;

/// Three versions of one text, two of another, and one that stands alone.
fn corpus() -> Folder {
    let fox = "the quick brown fox jumps over the lazy dog and runs away into the dark green wood behind the old mill";
    let sea =
        "call me ishmael some years ago never mind how long precisely having little or no money in my purse";
    let lines = [
        ("fox-1", fox.to_owned()),
        ("fox-2", fox.replace("mill", "barn")),
        ("sea-1", sea.to_owned()),
        ("sea-2", sea.replace("purse", "pocket")),
        ("fox-3", fox.replace("quick brown", "slow")),
        ("alone", "it was the best of times it was the worst of times it was the age of wisdom".to_owned()),
    ];
    let line = |(id, text): &(&str, String)| format!("{}\n", serde_json::json!({"id": id, "text": text}));
    let groups = "id\tgroup\nfox-1\tfox\nfox-2\tfox\nfox-3\tfox\nsea-1\tsea\nsea-2\tsea\nalone\tnone\n";
    Folder::new()
        .with("corpus.jsonl", lines.iter().map(line).collect::<String>())
        .with("groups.tsv", groups)
        .with("pairs.csv", "id_a,id_b,why\nfox-1,fox-2,x\nfox-3,fox-1,x\nfox-2,fox-3,x\nsea-2,sea-1,x\n")
}

fn ok(folder: &Folder, arguments: &str) -> Outcome {
    let outcome = folder.run(arguments);
    assert_eq!(outcome.code, 0, "{arguments}: {outcome}");
    outcome
}

fn json(folder: &Folder, arguments: &str) -> Value {
    serde_json::from_str(&ok(folder, &format!("{arguments} --json")).stdout).unwrap()
}

#[test]
fn pairs_clusters_and_runs_are_judged_by_either_truth() {
    let folder = corpus();
    let settings = "corpus.jsonl --id-field id --threshold 0.5 --shingles words:2";
    let found = ok(&folder, &format!("pairs {settings}")).stdout;
    let clusters = ok(&folder, &format!("clusters {settings} --json")).stdout;
    ok(&folder, &format!("dedup {settings} -o out"));
    let folder = folder.with("found.tsv", found).with("clusters.jsonl", clusters);
    for found in ["found.tsv", "clusters.jsonl", "out"] {
        for truth in ["groups.tsv", "pairs.csv"] {
            let evaluated = json(&folder, &format!("evaluate {found} --truth {truth}"));
            let figures = ["found", "true", "correct"].map(|name| evaluated[name].as_u64().unwrap());
            assert_eq!(figures, [4, 4, 4], "{found}, {truth}");
            assert_eq!(evaluated["f1"], 1.0);
            assert_eq!(evaluated["b_cubed"].is_null(), found == "found.tsv");
            assert!(evaluated["best"]["threshold"].as_f64().unwrap() >= 0.5, "{evaluated}");
        }
    }
}

#[test]
fn mistakes_are_counted_shown_and_listed() {
    let found = "fox-1\tfox-2\t0.9\nalone\tfox-1\t0.8\nsea-1\tsea-2\t0.7\nfox-1\talone\t0.8\n";
    let folder = corpus().with("found.tsv", found);
    let outcome = ok(&folder, "evaluate found.tsv --truth groups.tsv");
    insta::assert_snapshot!(outcome.to_string());
    let wrong = ok(&folder, "evaluate found.tsv --truth groups.tsv --wrong");
    assert_eq!(wrong.stdout, "alone\tfox-1\t0.8000\n");
    let missed = ok(&folder, "evaluate found.tsv --truth groups.tsv --missed");
    assert_eq!(missed.stdout, "fox-1\tfox-3\nfox-2\tfox-3\n");
    let evaluated = json(&folder, "evaluate found.tsv --truth groups.tsv");
    let thresholds: Vec<f64> = evaluated["curve"]
        .as_array()
        .unwrap()
        .iter()
        .map(|point| point["threshold"].as_f64().unwrap())
        .collect();
    assert_eq!(thresholds, [0.7, 0.8, 0.9]);
    assert_eq!(evaluated["best"]["threshold"], 0.7);
    // The truth of pairs does not name the document that stands alone.
    let unnamed = ok(&folder, "evaluate found.tsv --truth pairs.csv");
    assert!(unnamed.stderr.contains("--only-labelled"), "{unnamed}");
    assert_eq!(json(&folder, "evaluate found.tsv --truth pairs.csv --only-labelled")["precision"], 1.0);
}

#[test]
fn a_list_of_removed_documents_may_be_parquet() {
    let folder = corpus();
    let settings = "corpus.jsonl --id-field id --threshold 0.5 --shingles words:2";
    ok(&folder, &format!("dedup {settings} --removed-format parquet -o out"));
    let evaluated = json(&folder, "evaluate out --truth groups.tsv");
    assert_eq!([&evaluated["correct"], &evaluated["found"]], [4, 4]);
    assert_eq!(evaluated["best"]["f1"], 1.0);
}

#[test]
fn truth_that_was_not_found_at_all_is_said() {
    let folder = corpus().with("found.tsv", "fox-1\tfox-2\t0.9\n");
    let outcome = ok(&folder, "evaluate found.tsv --truth groups.tsv");
    assert!(outcome.stderr.contains("3 documents of the truth are in no pair"), "{outcome}");
    let all = corpus().with("found.tsv", "fox-1\tfox-2\nfox-3\tfox-1\nsea-1\tsea-2\n");
    let outcome = ok(&all, "evaluate found.tsv --truth groups.tsv");
    assert!(!outcome.stderr.contains("documents of the truth"), "{outcome}");
}

#[test]
fn mistakes_are_shown_side_by_side_with_a_corpus() {
    let found = "fox-1\tsea-1\t0.9\n";
    let folder = corpus().with("found.tsv", found);
    let shown =
        ok(&folder, "evaluate found.tsv --truth pairs.csv --corpus corpus.jsonl --id-field id").stdout;
    assert!(shown.contains("quick brown fox") && shown.contains("call me ishmael"), "{shown}");
    let evaluated = json(&folder, "evaluate found.tsv --truth pairs.csv --corpus corpus.jsonl --id-field id");
    assert!(evaluated["wrong"][0]["document_b"].as_str().unwrap().contains("ishmael"), "{evaluated}");
    // Sets and vectors are compared as what they are.
    let sets = "{\"id\":\"a\",\"items\":[\"x\",\"milk\"]}\n{\"id\":\"b\",\"items\":[\"milk\",2]}\n";
    let vectors = "{\"id\":\"a\",\"v\":[3,4]}\n{\"id\":\"b\",\"v\":[4,3]}\n";
    let folder = folder
        .with("sets.jsonl", sets)
        .with("vectors.jsonl", vectors)
        .with("ab.tsv", "a\tb\t0.5\n")
        .with("truth.tsv", "a\tc\n");
    // A document of the truth that the corpus does not have is a mistake without a text.
    let sets = "sets.jsonl --kind sets --items items --id-field id";
    let missing = folder.run(&format!("evaluate ab.tsv --truth truth.tsv --corpus {sets}"));
    assert!(missing.code == 0 && missing.stderr.contains("there is no document c in --corpus"), "{missing}");
    assert!(missing.stdout.contains("both    \"milk\""), "{missing}");
    let folder = folder.with("truth.tsv", "a\tb\n");
    let folder = folder.with("found.tsv", "x\ty\n");
    let missed = folder.run(&format!("evaluate found.tsv --truth truth.tsv --only-labelled --corpus {sets}"));
    assert_eq!(missed.code, 0, "{missed}");
    assert!(missed.stdout.contains("both    \"milk\"") && missed.stdout.contains("only B  2"), "{missed}");
    let vectors = "vectors.jsonl --kind vectors --field v --id-field id";
    let missed =
        ok(&folder, &format!("evaluate found.tsv --truth truth.tsv --only-labelled --corpus {vectors}"));
    assert!(missed.stdout.contains("cosine      0.9600, an angle of 16.26 degrees"), "{missed}");
    let page =
        format!("evaluate found.tsv --truth truth.tsv --only-labelled --html page.html --corpus {vectors}");
    ok(&folder, &page);
    assert!(std::fs::read_to_string(folder.path("page.html")).unwrap().contains("[3,4]"));
}

#[test]
fn what_cannot_be_judged_is_named() {
    let folder = corpus()
        .with("empty.tsv", "")
        .with("singles.tsv", "id\tgroup\na\t1\nb\t2\n")
        .with("self.tsv", "a\tb\nc\tc\n")
        .with("two.tsv", "id\tgroup\na\t1\na\t2\n")
        .with("odd.tsv", "id\tcase\tkind\na\tb\tc\n")
        .with("found.tsv", "a\tb\t0.9\n");
    for (arguments, code, message) in [
        ("evaluate found.tsv --truth empty.tsv", 3, "no pair of documents that belong together"),
        ("evaluate found.tsv --truth singles.tsv", 3, "no pair of documents that belong together"),
        ("evaluate found.tsv --truth self.tsv", 3, "self.tsv, line 2: c is paired with itself"),
        ("evaluate found.tsv --truth two.tsv", 3, "two.tsv, line 3: a is in two groups"),
        ("evaluate found.tsv --truth odd.tsv", 3, "odd.tsv, line 1: the columns are not known"),
        ("evaluate found.tsv --truth nowhere.tsv", 2, "nowhere.tsv"),
        ("evaluate . --truth groups.tsv", 2, "there is no removed.jsonl or removed.parquet in ."),
        ("evaluate found.tsv", 2, "--truth"),
    ] {
        let outcome = folder.run(arguments);
        assert_eq!(outcome.code, code, "{arguments}: {outcome}");
        assert!(outcome.stderr.contains(message), "{arguments}: {outcome}");
    }
    // Nothing found is no mistake.
    let nothing = json(&folder, "evaluate empty.tsv --truth groups.tsv");
    assert_eq!((&nothing["precision"], &nothing["recall"]), (&1.0.into(), &0.0.into()));
}
